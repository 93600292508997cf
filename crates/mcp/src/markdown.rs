//! Escapes text of sources for Markdown.

/// Characters that could turn text into a link, an image or a tag.
const MARKS: [char; 6] = ['[', ']', '<', '>', '`', '\\'];

/// The text on one line, escaped and truncated.
pub(crate) fn inline(text: &str, chars_max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(chars_max * 2));
    for c in cut(&one_line(text), chars_max).chars() {
        if MARKS.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text on one line with single spaces, without control characters.
pub(crate) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Truncates a text; a truncated text ends with an ellipsis.
pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A Markdown link for web URLs; the text alone for others.
pub(crate) fn link(text: &str, url: &str, chars_max: usize) -> String {
    let text = inline(text, chars_max);
    let text = if text.is_empty() { "(no title)".to_owned() } else { text };
    match web_address(url) {
        Some(url) => format!("[{text}]({url})"),
        None => text,
    }
}

/// The URL, escaped so that it cannot close the link.
fn web_address(url: &str) -> Option<String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    let is_plain = !url.chars().any(|c| c.is_whitespace() || c.is_control() || MARKS.contains(&c));
    (is_web && is_plain).then(|| url.replace('(', "%28").replace(')', "%29"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sources_text_makes_no_links() {
        let table = [
            ("![x](http://evil/?q=1)", r"!\[x\](http://evil/?q=1)"),
            ("<img src=x>", r"\<img src=x\>"),
            ("a\n\n# b\u{1b}[0m", r"a # b \[0m"),
            ("`code` \\", r"\`code\` \\"),
        ];
        for (text, shown) in table {
            assert_eq!(inline(text, 100), shown);
        }
    }

    #[test]
    fn links_lead_to_the_web_alone() {
        let table = [
            ("https://a.example/x_(y)", "[T](https://a.example/x_%28y%29)"),
            ("javascript:alert(1)", "T"),
            ("https://a.example/ b", "T"),
            ("", "T"),
        ];
        for (url, shown) in table {
            assert_eq!(link("T", url, 10), shown);
        }
        assert_eq!(link(" ", "https://a.example/", 10), "[(no title)](https://a.example/)");
    }

    #[test]
    fn cuts_count_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
        assert_eq!(inline(&"[".repeat(9), 2), r"\[…");
    }
}
