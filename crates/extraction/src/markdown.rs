//! Markdown: the words without markup; the first heading is the title.

use crate::plain_text::{charset, decode};
use crate::text_builder::{ExtractResult, TextBuilder};

pub fn read(bytes: &[u8], media_type: Option<&str>, builder: &mut TextBuilder) -> ExtractResult {
    let text = decode(bytes, media_type.and_then(charset));
    let mut text: &str = &text;
    if let Some((front, rest)) = front_matter(text) {
        read_front_matter(front, builder);
        text = rest;
    }
    let mut is_code = false;
    for line in text.lines() {
        builder.check_deadline()?;
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            is_code = !is_code;
            builder.paragraph();
        } else if is_code {
            builder.text(bare)?;
            builder.line();
        } else {
            read_line(bare, builder)?;
        }
    }
    Ok(())
}

fn read_line(line: &str, builder: &mut TextBuilder) -> ExtractResult {
    // Rules, and the line under a heading or a table header.
    if line.chars().all(|c| "-=*_|: ".contains(c)) {
        builder.paragraph();
        return Ok(());
    }
    let unquoted = line.trim_start_matches(['>', ' ']);
    let heading = unquoted.trim_start_matches('#');
    let is_heading = heading.len() < unquoted.len() && heading.starts_with(' ');
    if is_heading {
        let words = spans(heading.trim().trim_end_matches('#'));
        builder.title(&words);
        builder.paragraph();
        builder.text(&words)?;
        builder.paragraph();
        return Ok(());
    }
    builder.text(&spans(without_bullet(unquoted)).replace('|', " "))?;
    builder.line();
    Ok(())
}

/// `- `, `* `, `+ `, `1. ` and a checkbox.
fn without_bullet(line: &str) -> &str {
    let after =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "));
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered =
        (digits.len() < line.len()).then(|| digits.strip_prefix(". ").or(digits.strip_prefix(") ")));
    let text = after.or(numbered.flatten()).unwrap_or(line);
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|tick| text.strip_prefix(tick)).unwrap_or(text)
}

/// Removes emphasis, code marks, links, images and HTML tags.
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
            // The URL of a link follows its text.
            "]" if after.starts_with('(') => rest = after.split_once(')').map_or("", |(_, rest)| rest),
            "[" | "]" | "`" | "~" => {}
            "*" => {}
            // Inside a word it is part of a name.
            "_" => {
                let is_inside =
                    out.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
                if is_inside {
                    out.push('_');
                }
            }
            "<" if after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') => {
                let (inside, behind) = after.split_once('>').unwrap_or((after, ""));
                // `<https://…>` is a link; everything else is a tag.
                if inside.contains("://") {
                    out.push_str(inside);
                }
                rest = behind;
            }
            other => out.push_str(other),
        }
    }
    out.push_str(rest);
    syntax::strip_html::decode_entities(&out)
}

/// `--- … ---` before the text.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?.split_once("\n---")
}

fn read_front_matter(front: &str, builder: &mut TextBuilder) {
    for line in front.lines() {
        match line.split_once(':') {
            Some(("title", value)) => builder.title(value.trim().trim_matches(['"', '\''])),
            Some(("author", value)) => builder.author(value.trim().trim_matches(['"', '\''])),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::text_builder::Deadline;
    use std::time::Duration;

    #[test]
    fn marks_are_taken_out() {
        let source = "---\ntitle: \"Front\"\nauthor: Ann\n---\n# A *heading* #\n\nSome **bold**, `code_here` and \
            [a link](https://x.example/a) with ![a picture](p.png).\n\n- [x] done\n2. second\n> quoted\n\n\
            | a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nlet snake_case = 1;\n```\n5 < 6 &amp; \\*kept\\*";
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(5)));
        read(source.as_bytes(), None, &mut builder).unwrap();
        let found = builder.finish();
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Front", "Ann"));
        let want = "A heading\n\nSome bold, code_here and a link with a picture.\n\ndone\nsecond\nquoted\n\na b\n\n1 2\n\n\
            let snake_case = 1;\n\n5 < 6 & *kept*";
        assert_eq!(found.text, want);
    }
}
