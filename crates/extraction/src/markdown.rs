//! Markdown: the words without the marks; the first heading is the title.

use crate::plain_text::{charset, decode};
use crate::reading::{Reading, Step};

pub fn read(bytes: &[u8], media_type: Option<&str>, reading: &mut Reading) -> Step {
    let text = decode(bytes, media_type.and_then(charset));
    let mut text: &str = &text;
    if let Some((front, rest)) = front_matter(text) {
        read_front_matter(front, reading);
        text = rest;
    }
    let mut is_code = false;
    for line in text.lines() {
        reading.look()?;
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
            reading.paragraph();
        } else if is_code {
            reading.text(bare)?;
            reading.line();
        } else {
            read_line(bare, reading)?;
        }
    }
    Ok(())
}

fn read_line(line: &str, reading: &mut Reading) -> Step {
    // Rules, and the line under a heading or under the first row of a table.
    if line.chars().all(|c| "-=*_|: ".contains(c)) {
        reading.paragraph();
        return Ok(());
    }
    let unquoted = line.trim_start_matches(['>', ' ']);
    let heading = unquoted.trim_start_matches('#');
    let is_heading = heading.len() < unquoted.len() && heading.starts_with(' ');
    if is_heading {
        let words = spans(heading.trim().trim_end_matches('#'));
        reading.title(&words);
        reading.paragraph();
        reading.text(&words)?;
        reading.paragraph();
        return Ok(());
    }
    reading.text(&spans(without_bullet(unquoted)).replace('|', " "))?;
    reading.line();
    Ok(())
}

/// `- `, `* `, `+ `, `1. ` and a box to tick.
fn without_bullet(line: &str) -> &str {
    let after =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "));
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered =
        (digits.len() < line.len()).then(|| digits.strip_prefix(". ").or(digits.strip_prefix(") ")));
    let text = after.or(numbered.flatten()).unwrap_or(line);
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|tick| text.strip_prefix(tick)).unwrap_or(text)
}

/// Emphasis, code, links and pictures inside a line, and tags of HTML.
fn spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['*', '_', '`', '~', '[', ']', '!', '\\', '<']) {
        out.push_str(&rest[..at]);
        let (mark, after) = rest[at..].split_at(1);
        rest = after;
        match mark {
            "\\" => {
                let next = after.chars().next();
                out.extend(next);
                rest = &after[next.map_or(0, char::len_utf8)..];
            }
            "!" if after.starts_with('[') => {}
            // The address of a link follows its words.
            "]" if after.starts_with('(') => rest = after.split_once(')').map_or("", |(_, rest)| rest),
            "[" | "]" | "`" | "~" => {}
            "*" => {}
            // Inside a word it is a part of a name.
            "_" => {
                let is_inside =
                    out.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
                if is_inside {
                    out.push('_');
                }
            }
            "<" if after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => {
                let (inside, behind) = after.split_once('>').unwrap_or((after, ""));
                // `<https://…>` is a link; everything else a tag.
                if inside.contains("://") {
                    out.push_str(inside);
                }
                rest = behind;
            }
            other => out.push_str(other),
        }
    }
    out.push_str(rest);
    domain::notation::markup::decode_entities(&out)
}

/// `--- … ---` before the text.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?.split_once("\n---")
}

fn read_front_matter(front: &str, reading: &mut Reading) {
    for line in front.lines() {
        match line.split_once(':') {
            Some(("title", value)) => reading.title(value.trim().trim_matches(['"', '\''])),
            Some(("author", value)) => reading.author(value.trim().trim_matches(['"', '\''])),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::reading::Watch;
    use std::time::Duration;

    #[test]
    fn marks_are_taken_out() {
        let source = "---\ntitle: \"Front\"\nauthor: Ann\n---\n# A *heading* #\n\nSome **bold**, `code_here` and \
            [a link](https://x.example/a) with ![a picture](p.png).\n\n- [x] done\n2. second\n> quoted\n\n\
            | a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nlet snake_case = 1;\n```\n5 < 6 &amp; \\*kept\\*";
        let mut reading = Reading::new(&Limits::default(), Watch::of(Duration::from_secs(5)));
        read(source.as_bytes(), None, &mut reading).unwrap();
        let found = reading.finish(false);
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Front", "Ann"));
        let want = "A heading\n\nSome bold, code_here and a link with a picture.\n\ndone\nsecond\nquoted\n\na b\n\n1 2\n\n\
            let snake_case = 1;\n\n5 < 6 & *kept*";
        assert_eq!(found.text, want);
    }
}
