//! Finds active content in a text.

use super::injection::EVIL_HOST;

/// What a client could open, load or run in a text rendered as Markdown or HTML. Empty is good.
pub fn openings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in decoded(text).lines() {
        let small = line.to_lowercase();
        let mut note = |what: &str| found.push(format!("{what}: {line}"));
        for sign in ["://", "](", "![", "www.", "javascript:", "vbscript:", "mailto:"] {
            if small.contains(sign) {
                let harmless = sign.ends_with(':') && is_followed_by_space(&small, sign);
                if !harmless {
                    note(sign);
                }
            }
        }
        if small.contains("data:") && !is_followed_by_space(&small, "data:") {
            note("data:");
        }
        let opens = |at: usize| {
            let next = line[at + 1..].chars().next();
            next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c))
        };
        if line.match_indices('<').any(|(at, _)| opens(at)) {
            note("a tag");
        }
        let unlisted =
            small.trim_start_matches(|c: char| c.is_whitespace() || ">*+-.)0123456789".contains(c));
        if unlisted.starts_with('[') && unlisted.split(']').nth(1).is_some_and(|rest| rest.starts_with(':')) {
            note("a definition");
        }
        if small.contains("@evil") || small.split_whitespace().any(is_place) {
            note("an address");
        }
    }
    found
}

/// As a page shows it: entities decoded, escapes removed.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    for (entity, sign) in [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#60;", "<"),
        ("&colon;", ":"),
        ("&sol;", "/"),
        ("&#104;", "h"),
        ("&#58;", ":"),
        ("&#47;", "/"),
        ("&period;", "."),
        ("\\:", ":"),
        ("\\/", "/"),
        ("\\[", "["),
        ("\\]", "]"),
    ] {
        text = text.replace(entity, sign);
    }
    text.chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}' | '\u{feff}'))
        .collect()
}

fn is_followed_by_space(text: &str, sign: &str) -> bool {
    text.match_indices(sign).all(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + sign.len()..]);
        // Part of a longer word, such as `metadata:x`.
        before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            || !after.starts_with(|c: char| !c.is_whitespace())
    })
}

/// `evil.test/…` without a scheme.
fn is_place(word: &str) -> bool {
    word.contains(&format!("{EVIL_HOST}/")) || word.contains(&format!("{EVIL_HOST}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_seen() {
        for text in [
            "https://x",
            "[a](b)",
            "![a]",
            "www.x",
            "<b>",
            "</b",
            "&lt;b",
            "javascript:x",
            "data:x",
            "[a]: /b",
            "> [a]: b",
            "https\\://x",
            "evil.test/x",
            "a@evil.test",
        ] {
            assert_eq!(openings(text).len().min(1), 1, "{text}");
        }
        for text in ["", "a [1]. b [2][3]", "a < b", "data: 5", "see [1]: so", "evil.test", "metadata:x"] {
            assert_eq!(openings(text), Vec::<String>::new(), "{text}");
        }
    }
}
