//! The text of an alert by mail. Texts of sources stay on one line each, and only web addresses are written.

use super::new_results::RESULTS_MAX;
use domain::search_run::RunEntry;
use syntax::display::{is_direction_control, web_link};

/// Longest parts of the text, in characters.
const SUBJECT_QUERY_CHARS_MAX: usize = 100;
const QUERY_CHARS_MAX: usize = 300;
const TITLE_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 100;
/// A longer address is left out; a part of it would lead elsewhere.
const URL_CHARS_MAX: usize = 2_000;
const CUT: &str = "…";

/// The page with the new results.
pub(super) enum Link {
    Page(String),
    /// The service does not know its address.
    None,
}

pub(super) struct AlertMail<'a> {
    pub query: &'a str,
    pub username: &'a str,
    pub link: Link,
    pub added: &'a [RunEntry],
}

impl AlertMail<'_> {
    pub fn subject(&self) -> String {
        format!("{}: {}", self.count(), line(self.query, SUBJECT_QUERY_CHARS_MAX))
    }

    pub fn body(&self) -> String {
        let mut text =
            format!("{} of your search\n\n  {}\n", self.count(), line(self.query, QUERY_CHARS_MAX));
        if let Link::Page(page) = &self.link {
            text.push_str(&format!("  {page}\n"));
        }
        for (place, entry) in self.added.iter().take(RESULTS_MAX).enumerate() {
            let title = line(&entry.title, TITLE_CHARS_MAX);
            let title = if title.is_empty() { "(without a title)" } else { &title };
            text.push_str(&format!("\n{}. {title}\n", place + 1));
            text.push_str(&format!("   {}\n", line(&entry.searchprovider, NAME_CHARS_MAX)));
            if let Some(url) = link(&entry.url) {
                text.push_str(&format!("   {url}\n"));
            }
        }
        let more = self.added.len().saturating_sub(RESULTS_MAX);
        if more > 0 {
            text.push_str(&format!("\nand {more} more\n"));
        }
        let name = line(self.username, NAME_CHARS_MAX);
        text.push_str(&format!(
            "\n-- \nYou receive this mail because alerts are on for this search in the account \"{name}\". To end \
             them, open the search and choose \"Alerts on\".\n"
        ));
        text
    }

    fn count(&self) -> String {
        match self.added.len() {
            1 => "1 new result".to_owned(),
            count => format!("{count} new results"),
        }
    }
}

/// The text on one line, at most this long, in which every character is what it seems to be.
fn line(text: &str, chars_max: usize) -> String {
    let is_hidden = |c: char| is_direction_control(c) || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}');
    let shown: String = text
        .chars()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    match shown.char_indices().nth(chars_max) {
        Some((end, _)) => shown[..end].trim_end().to_owned() + CUT,
        None => shown,
    }
}

/// A web address in ASCII, which a mail program can make a link.
fn link(address: &str) -> Option<String> {
    let url = web_link(address)?.to_string();
    (url.len() <= URL_CHARS_MAX && url.bytes().all(|byte| byte.is_ascii_graphic())).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str, url: &str) -> RunEntry {
        RunEntry {
            title: title.to_owned(),
            url: url.to_owned(),
            searchprovider: "Library".into(),
            ..RunEntry::default()
        }
    }

    fn mail<'a>(query: &'a str, added: &'a [RunEntry]) -> AlertMail<'a> {
        AlertMail {
            query,
            username: "ann",
            link: Link::Page("https://find.example/?search_id=7".to_owned()),
            added,
        }
    }

    #[test]
    fn a_mail_has_the_query_and_the_results() {
        let added = [entry("Flüsse", "https://a.example/1"), entry("", "file:///etc/passwd")];
        let mail = mail("river level", &added);
        assert_eq!(mail.subject(), "2 new results: river level");
        let expected = "2 new results of your search\n\n  river level\n  https://find.example/?search_id=7\n\n\
            1. Flüsse\n   Library\n   https://a.example/1\n\n2. (without a title)\n   Library\n\n-- \n\
            You receive this mail because alerts are on for this search in the account \"ann\". To end them, open \
            the search and choose \"Alerts on\".\n";
        assert_eq!(mail.body(), expected);
        let without = AlertMail { link: Link::None, added: &added[..1], ..mail };
        assert!(without.body().starts_with("1 new result of your search\n\n  river level\n\n1. "));
    }

    #[test]
    fn a_mail_has_a_limited_number_of_results() {
        let added: Vec<RunEntry> = (1..=RESULTS_MAX + 3)
            .map(|number| entry(&format!("River {number}"), "https://a.example/"))
            .collect();
        let text = mail("river", &added).body();
        assert!(text.starts_with("13 new results") && text.contains("\n10. River 10\n"), "{text}");
        assert!(text.contains("\nand 3 more\n") && !text.contains("River 11"), "{text}");
        assert!(!mail("river", &added[..RESULTS_MAX]).body().contains("more\n"));
    }

    #[test]
    fn hostile_texts_stay_on_their_line() {
        let added = [
            entry("River\r\nBcc: eve@c.example\n.\n\u{202e}level\u{2028}x\u{200f}\0y", "javascript:alert(1)"),
            entry("b", "https://bank.example@evil.example/"),
            entry("c", "https://a.example/\u{202e}x y\r\nz"),
        ];
        let mail = mail("a\r\nb\u{2067}c", &added);
        assert_eq!(mail.subject(), "3 new results: a bc");
        let text = mail.body();
        assert!(
            text.contains("\n1. River Bcc: eve@c.example . level x y\n   Library\n\n2. b\n   Library\n\n"),
            "{text}"
        );
        for part in ["javascript", "evil.example", "\u{202e}", "\r", "\0"] {
            assert!(!text.contains(part), "{part:?} in {text}");
        }
    }

    #[test]
    fn every_part_has_its_limit() {
        let long = "é".repeat(5_000);
        for (max, shown) in [
            (SUBJECT_QUERY_CHARS_MAX, mail(&long, &[]).subject()),
            (QUERY_CHARS_MAX, mail(&long, &[]).body()),
            (TITLE_CHARS_MAX, mail("", &[entry(&long, "")]).body()),
            (NAME_CHARS_MAX, AlertMail { username: &long, ..mail("", &[]) }.body()),
        ] {
            assert!(
                shown.contains(&("é".repeat(max) + CUT)) && !shown.contains(&"é".repeat(max + 1)),
                "{shown}"
            );
        }
        assert_eq!(line(&"é".repeat(TITLE_CHARS_MAX), TITLE_CHARS_MAX).chars().count(), TITLE_CHARS_MAX);
        let url = |length: usize| format!("https://a.example/{}", "x".repeat(length - 18));
        assert!(link(&url(URL_CHARS_MAX)).is_some() && link(&url(URL_CHARS_MAX + 1)).is_none());
    }
}
