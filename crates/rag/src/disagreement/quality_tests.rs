//! Measures how well disagreements are found: `tests/data/disagreements.txt`.

use super::*;
use crate::check::check;
use crate::check::tests::sources;
use crate::extractive::extract;

const PAIRS: &str = include_str!("../../tests/data/disagreements.txt");
const PRECISION_MIN: f64 = 0.95;
const RECALL_MIN: f64 = 0.6;

/// Two texts and a question about both.
#[derive(Default)]
struct Pair {
    question: &'static str,
    titles: Option<(&'static str, &'static str)>,
    texts: Vec<&'static str>,
    /// None if they do not disagree.
    values: Option<(&'static str, &'static str)>,
}

fn pairs() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for line in PAIRS.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, text)) = line.split_once(": ") else { continue };
        if matches!(name, "differs" | "alike") {
            pairs.push(Pair { question: text, ..Pair::default() });
            continue;
        }
        let pair = pairs.last_mut().unwrap();
        match name {
            "titles" => pair.titles = text.split_once(" | "),
            "values" => pair.values = text.split_once(" | "),
            _ => pair.texts.push(text),
        }
    }
    pairs
}

/// The disagreements of an extractive answer to the question.
fn found(pair: &Pair) -> Vec<(String, String)> {
    let rows: Vec<(&str, &str)> = pair.texts.iter().map(|text| ("", *text)).collect();
    let mut sources = sources(&rows);
    if let Some((one, other)) = pair.titles {
        (sources[0].source.item.title, sources[1].source.item.title) = (one.to_owned(), other.to_owned());
    }
    let language = Language::shown_by(pair.question, Language::ENGLISH).unwrap_or(Language::ENGLISH);
    let checked = check(&extract(language, pair.question, &sources), &sources);
    let answer =
        ComparedAnswer { language, query: pair.question, sentences: &checked.sentences, sources: &sources };
    let found = find_disagreements(&answer);
    found.iter().map(|one| (one.values[0].value.clone(), one.values[1].value.clone())).collect()
}

#[test]
fn sources_that_disagree_are_found_and_others_are_not() {
    let pairs = pairs();
    let differing = pairs.iter().filter(|pair| pair.values.is_some()).count();
    assert_eq!((differing, pairs.len() - differing), (30, 60));
    assert!(pairs.iter().all(|pair| pair.texts.len() == 2));
    let (mut right, mut wrong) = (0, 0);
    for pair in &pairs {
        let found = found(pair);
        let expected = pair.values.map(|(one, other)| (one.to_owned(), other.to_owned()));
        let is_found = expected.as_ref().is_some_and(|values| found.contains(values));
        right += usize::from(is_found);
        wrong += found.iter().filter(|one| Some(*one) != expected.as_ref()).count();
        match expected {
            Some(values) if found != [values.clone()] => {
                eprintln!("{} expected {values:?}, found {found:?}", pair.question);
            }
            None if !found.is_empty() => eprintln!("{} wrongly {found:?}: {:?}", pair.question, pair.texts),
            _ => {}
        }
    }
    let precision = right as f64 / (right + wrong).max(1) as f64;
    let recall = right as f64 / differing as f64;
    eprintln!("precision {precision:.3}, recall {recall:.3}");
    assert!(precision >= PRECISION_MIN && recall >= RECALL_MIN, "precision {precision}, recall {recall}");
}
