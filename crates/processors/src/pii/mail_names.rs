//! Names that an email address of the same result or text spells: `John Smith` beside `john.smith@example.org` or
//! `jsmith@example.org`.

use super::email;
use relevancy::stems::without_accents;
use std::collections::HashSet;
use std::ops::Range;

/// The placeholder, as for names after a title.
pub const WORD: &str = "PERSON";

/// Shorter names of accounts, such as `info`, spell no name.
const ACCOUNT_CHARS_MIN: usize = 5;
/// Most addresses whose names are found.
const ACCOUNTS_MAX: usize = 1_000;

/// The accounts of email addresses, without what is no character of a name: `johnsmith` of `john.smith+news@example.org`.
#[derive(Debug, Default)]
pub struct MailNames(HashSet<String>);

impl MailNames {
    /// Adds the addresses of a text.
    pub fn add(&mut self, text: &str) {
        if !text.contains('@') {
            return;
        }
        for range in (email::KIND.find)(text) {
            let account = text[range].split(['@', '+']).next().unwrap_or_default();
            let spelling = spelling(account);
            if spelling.chars().count() >= ACCOUNT_CHARS_MIN && self.0.len() < ACCOUNTS_MAX {
                self.0.insert(spelling);
            }
        }
    }

    /// The byte ranges of the names in a text, in linear time.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.0.is_empty() {
            return found;
        }
        let mut first: Option<NamePart> = None;
        for word in text.split_whitespace() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            if is_initial(word) && first.is_some() {
                continue;
            }
            let part = NamePart::of(word, start);
            if let (Some(one), Some(other)) = (&first, &part)
                && other.is_at_start
                && self.has(&one.spelling, &other.spelling)
            {
                found.push(one.range.start..other.range.end);
                first = None;
            } else {
                first = part.filter(|part| part.may_continue);
            }
        }
        found
    }

    /// Whether an account consists of both names, in either order, or of one and the first character of the other.
    fn has(&self, first: &str, second: &str) -> bool {
        let initial = |name: &str| name.chars().next().map(String::from).unwrap_or_default();
        [
            format!("{first}{second}"),
            format!("{second}{first}"),
            initial(first) + second,
            initial(second) + first,
            second.to_owned() + &initial(first),
            first.to_owned() + &initial(second),
        ]
        .iter()
        .any(|account| self.0.contains(account))
    }
}

/// A capitalized word.
struct NamePart {
    range: Range<usize>,
    spelling: String,
    /// Nothing but the word before comes before it.
    is_at_start: bool,
    /// Nothing follows it, or a comma.
    may_continue: bool,
}

impl NamePart {
    fn of(word: &str, start: usize) -> Option<Self> {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = name.starts_with(char::is_uppercase)
            && name.chars().nth(1).is_some()
            && name.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'));
        if !is_name {
            return None;
        }
        // A name may be in the genitive.
        let name = name.strip_suffix("'s").or(name.strip_suffix("’s")).unwrap_or(name);
        let at = name.as_ptr() as usize - word.as_ptr() as usize;
        let after = &word[at + name.len()..];
        Some(Self {
            range: start + at..start + at + name.len(),
            spelling: spelling(name),
            is_at_start: at == 0,
            may_continue: matches!(after, "" | ","),
        })
    }
}

/// `Q.`
fn is_initial(word: &str) -> bool {
    let initial = word.strip_suffix('.').unwrap_or(word);
    initial.starts_with(char::is_uppercase) && initial.chars().nth(1).is_none()
}

/// The alphabetic characters alone, in lower case and without accents.
fn spelling(text: &str) -> String {
    without_accents(&text.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(addresses: &str, text: &'a str) -> Vec<&'a str> {
        let mut names = MailNames::default();
        names.add(addresses);
        names.find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn names_that_an_address_spells() {
        for address in [
            "john.smith@example.org",
            "John_Smith@example.org",
            "johnsmith@example.org",
            "jsmith@example.org",
            "j.smith2@example.org",
            "smith.john@example.org",
            "smithj@example.org",
            "john.smith+news@example.org",
            "<mailto:john-smith@example.org>, b@c.example",
        ] {
            for (text, expected) in [
                ("by John Smith, today", "John Smith"),
                ("(John Smith)", "John Smith"),
                ("JOHN SMITH", "JOHN SMITH"),
                ("Smith, John", "Smith, John"),
                ("John Q. Smith's mill", "John Q. Smith"),
                ("John\nSmith", "John\nSmith"),
            ] {
                assert_eq!(found(address, text), [expected], "{address} {text}");
            }
        }
        let accents =
            found("jurgen.muller@example.org; annalena.oneil@example.org", "Jürgen Müller, Anna-Lena O’Neil");
        assert_eq!(accents, ["Jürgen Müller", "Anna-Lena O’Neil"]);
    }

    #[test]
    fn other_words_stay() {
        let address = "john.smith@example.org, info@example.org";
        for text in [
            "Jane Doe",
            "New York",
            "John",
            "Smith",
            "john smith",
            "John. Smith",
            "John and Smith",
            "John (Smith)",
            "",
        ] {
            assert!(found(address, text).is_empty(), "{text}");
        }
        assert!(found("no address", "John Smith").is_empty());
        assert!(found("js@example.org", "J. S. Bach").is_empty());
    }
}
