//! Names after a title: `Mr. Smith`, `Prof. Dr. J. van Dyke`. A name without a title cannot be distinguished from other
//! capitalized words, unless an email address spells it: [`super::mail_names`].

use super::Kind;
use super::context::last_words;
use std::ops::Range;

pub const KIND: Kind = Kind { word: "PERSON", find };

const TITLES: &[&str] = &["Mr", "Mrs", "Ms", "Mx", "Dr", "Prof", "Professor", "Herr", "Frau", "Mme", "Mlle"];
const PARTICLES: &[&str] =
    &["van", "von", "der", "den", "de", "la", "le", "di", "da", "bin", "al", "ten", "zu"];
/// Words that follow a title but are not names: offices, products, brands.
const NOT_NAMES: &[&str] = &[
    "President",
    "Speaker",
    "Chairman",
    "Chair",
    "Minister",
    "Secretary",
    "Ambassador",
    "Pepper",
    "Martens",
    "Word",
    "Excel",
    "Office",
    "Access",
    "Outlook",
    "Teams",
    "Windows",
    "Project",
    "Sql",
    "SQL",
    "Mr",
    "Mrs",
];
/// Most capitalized words of a name, without initials.
const NAMES_MAX: usize = 2;
/// Most words that are scanned after a title.
const WORDS_MAX: usize = 8;

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, word) in words(text, 0) {
        let is_inside = found.last().is_some_and(|last| start < last.end);
        let title = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let at = start + word.len() - title.len();
        if !is_inside
            && is_title(title)
            && !is_street(text, at, title)
            && let Some(end) = name_after(text, at + title.len())
        {
            found.push(at..end);
        }
    }
    found
}

/// Words separated by white space, with their positions.
fn words(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    text[from..].split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&word.strip_suffix('.').unwrap_or(word))
}

/// `12 Ocean Dr. North`: a street number comes before it.
fn is_street(text: &str, at: usize, title: &str) -> bool {
    title.starts_with("Dr")
        && last_words(text, at).take(2).any(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The end of the name that begins after a title.
fn name_after(text: &str, from: usize) -> Option<usize> {
    let mut end = None;
    let mut names = 0;
    for (start, word) in words(text, from).take(WORDS_MAX) {
        if end.is_none() && is_title(word) {
            continue;
        }
        if PARTICLES.contains(&word) {
            continue;
        }
        if is_initial(word) {
            end = Some(start + word.len());
            continue;
        }
        let Some(name) = name_in(word) else { break };
        end = Some(start + name.len());
        names += 1;
        if names == NAMES_MAX || name.len() < word.len() {
            break;
        }
    }
    // Initials alone may be anything.
    end.filter(|_| names > 0)
}

/// `J.`
fn is_initial(word: &str) -> bool {
    word.strip_suffix('.').is_some_and(|character| {
        let mut characters = character.chars();
        characters.next().is_some_and(char::is_uppercase) && characters.next().is_none()
    })
}

/// The name at the start of a word, without punctuation and `'s`.
fn name_in(word: &str) -> Option<&str> {
    let end = word.find(|c: char| !c.is_alphabetic() && !matches!(c, '-' | '\'' | '’')).unwrap_or(word.len());
    let is_clean = !word[end..].contains(char::is_alphanumeric);
    let name = word[..end].trim_end_matches(['-', '\'', '’']);
    let name = name.strip_suffix("'s").or(name.strip_suffix("’s")).unwrap_or(name);
    let is_name = name.starts_with(char::is_uppercase) && name.chars().nth(1).is_some();
    (is_clean && is_name && !NOT_NAMES.contains(&name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_names() {
        let table: &[(&str, &[&str])] = &[
            ("Mr. Smith went", &["Mr. Smith"]),
            ("by Ms Jane Doe, Mrs. O'Neil's and (Dr. Müller)", &["Ms Jane Doe", "Mrs. O'Neil", "Dr. Müller"]),
            ("Prof. Dr. J. van Dyke said", &["Prof. Dr. J. van Dyke"]),
            ("Mr. SMITH", &["Mr. SMITH"]),
            ("Dr. Ada Byron Lovelace", &["Dr. Ada Byron"]),
            ("Frau Meyer-Schmidt. Herr Ober", &["Frau Meyer-Schmidt", "Herr Ober"]),
            ("Mr.\u{a0}Smith", &["Mr.\u{a0}Smith"]),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "Jane Doe",
            "mr. smith",
            "Mr. and Mrs. live here",
            "Dr. of Philosophy",
            "Dr. Pepper, Ms Excel, MS Word, Mr. President",
            "12 Ocean Dr. North",
            "Dr. A. B.",
            "Dr. X2",
            "Mr.",
            "Dr. van der",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
