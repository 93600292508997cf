//! The questions of the first steps. Each can be skipped with Enter.

use crate::bundled_providers;
use domain::ready_source::SUGGESTED;
use std::io::{BufRead, Read, Write};

/// Maximum number of attempts to answer.
const QUESTIONS_MAX: usize = 3;
/// Maximum length of an answer with its line break.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;

/// Which sources to add.
#[derive(Debug, PartialEq)]
pub enum SourceChoice {
    /// Bundled providers by their short names; may be empty.
    Bundled(Vec<String>),
    /// A URL or a curl command, from which the doctor suggests a source.
    Request(String),
}

pub fn ask_sources(input: &mut impl BufRead, screen: &mut impl Write) -> anyhow::Result<SourceChoice> {
    writeln!(screen, "Which sources do you want to search? These need no key:")?;
    for (place, slug) in SUGGESTED.iter().enumerate() {
        writeln!(screen, "  {}  {}", place + 1, bundled_providers::find(slug)?.spec.name)?;
    }
    writeln!(screen, "`tributary providers list` shows all. The URL of a search API is possible too.")?;
    for _ in 0..QUESTIONS_MAX {
        match parse(&ask(input, screen, "Numbers, names or a URL [Enter: none]: ")?) {
            Ok(choice) => return Ok(choice),
            Err(error) => writeln!(screen, "{error:#}")?,
        }
    }
    Ok(SourceChoice::Bundled(Vec::new()))
}

pub fn ask_query(input: &mut impl BufRead, screen: &mut impl Write) -> anyhow::Result<Option<String>> {
    optional(ask(input, screen, "Try a search. Query [Enter: skip]: "))
}

pub fn ask_user(input: &mut impl BufRead, screen: &mut impl Write) -> anyhow::Result<Option<String>> {
    optional(ask(input, screen, "Create a user besides admin. User name [Enter: skip]: "))
}

fn optional(answer: anyhow::Result<String>) -> anyhow::Result<Option<String>> {
    Ok(Some(answer?).filter(|text| !text.is_empty()))
}

/// Returns an empty text at the end of the input.
fn ask(input: &mut impl BufRead, screen: &mut impl Write, question: &str) -> anyhow::Result<String> {
    write!(screen, "{question}")?;
    screen.flush()?;
    let mut answer = String::new();
    input.take(ANSWER_BYTES_MAX).read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

fn parse(answer: &str) -> anyhow::Result<SourceChoice> {
    if answer.contains("://") || answer.starts_with("curl ") {
        return Ok(SourceChoice::Request(answer.to_owned()));
    }
    let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
    Ok(SourceChoice::Bundled(words.map(slug_of).collect::<anyhow::Result<_>>()?))
}

/// The short name of a source by its number or name.
fn slug_of(word: &str) -> anyhow::Result<String> {
    let by_number =
        word.parse::<usize>().ok().and_then(|number| SUGGESTED.get(number.checked_sub(1)?).copied());
    match by_number {
        Some(slug) => Ok(slug.to_owned()),
        None => Ok(bundled_providers::find(word)?.slug),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::PLUGINS;

    fn bundled(names: &[&str]) -> SourceChoice {
        SourceChoice::Bundled(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn the_suggested_sources_exist_and_need_nothing() {
        for slug in SUGGESTED {
            let source = bundled_providers::find(slug).unwrap();
            let needs = source.setup_needs(PLUGINS.connector(&source.spec.connector));
            assert!(source.spec.active && needs.is_empty(), "{slug}: {needs:?}");
        }
    }

    #[test]
    fn sources_are_chosen_by_number_name_and_url() {
        for (answers, expected, remark) in [
            ("1 2\n", bundled(&["wikipedia", "arxiv"]), ""),
            ("pubmed,ARXIV\n", bundled(&["pubmed", "arxiv"]), ""),
            ("\n", bundled(&[]), ""),
            ("", bundled(&[]), ""),
            ("arxvi\n6\n0\n1\n", bundled(&[]), "Did you mean 'arxiv'?"),
            ("wikipdia\n1\n", bundled(&["wikipedia"]), "Did you mean 'wikipedia'?"),
            (
                "https://h.example/?q=a b\n",
                SourceChoice::Request("https://h.example/?q=a b".to_owned()),
                "1  Encyclopedia - Wikipedia",
            ),
        ] {
            let mut screen = Vec::new();
            let choice = ask_sources(&mut answers.as_bytes(), &mut screen).unwrap();
            let screen = String::from_utf8(screen).unwrap();
            assert_eq!(choice, expected, "{answers:?}");
            assert!(screen.contains(remark), "{screen}");
        }
    }

    #[test]
    fn the_other_questions_can_be_skipped() {
        let mut screen = Vec::new();
        assert_eq!(
            ask_query(&mut " river level \n".as_bytes(), &mut screen).unwrap(),
            Some("river level".to_owned())
        );
        assert_eq!(ask_query(&mut "\n".as_bytes(), &mut screen).unwrap(), None);
        assert_eq!(ask_user(&mut "".as_bytes(), &mut screen).unwrap(), None);
    }
}
