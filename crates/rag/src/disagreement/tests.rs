//! Tests of the comparison as a whole.

use super::answer::SENTENCES_MAX as ANSWER_SENTENCES_MAX;
use super::statement::{SENTENCES_MAX, STATEMENTS_MAX};
use super::*;
use crate::check::check;
use crate::check::tests::sources;
use domain::result_group::GroupPlace;
use proptest::prelude::*;

const QUESTION: &str = "How long is the notice period?";
const THREE: &str = "The notice period is three months.";
const FOUR: &str = "The notice period is four months.";
const FIVE: &str = "The notice period is five months.";

fn compared(query: &str, written: &str, sources: &[PromptSource]) -> Vec<Disagreement> {
    let checked = check(written, sources);
    let language = Language::ENGLISH;
    find_disagreements(&ComparedAnswer { language, query, sentences: &checked.sentences, sources })
}

fn values(found: &[Disagreement]) -> Vec<Vec<&str>> {
    found.iter().map(|one| one.values.iter().map(|value| value.value.as_str()).collect()).collect()
}

#[test]
fn the_newer_source_is_marked() {
    for (dates, expected) in [
        (["2024-03-01 00:00:00", "2025-01-01"], [false, true]),
        (["2025-03-01 00:00:00", "2025-01-01 10:00:00"], [true, false]),
        (["2025-03-01 00:00:00", "2025-03-01 23:00:00"], [false, false]),
        (["2025-03-01 00:00:00", "unknown"], [false, false]),
        (["", "soon"], [false, false]),
    ] {
        let mut sources = sources(&[("", THREE), ("", FOUR)]);
        for (source, date) in sources.iter_mut().zip(dates) {
            date.clone_into(&mut source.source.item.date_published);
        }
        let found = compared(QUESTION, "", &sources);
        assert_eq!(values(&found), [["three months", "four months"]]);
        let stated = &found[0].values;
        assert_eq!((stated[0].n, stated[1].n), (1, 2));
        assert_eq!((stated[0].quote.as_str(), stated[1].quote.as_str()), (THREE, FOUR));
        assert_eq!([stated[0].newer, stated[1].newer], expected, "{dates:?}");
        let has_date = dates[0].starts_with("20");
        assert_eq!(stated[0].date.as_deref(), has_date.then(|| &dates[0][..10]), "{dates:?}");
    }
}

#[test]
fn only_what_is_asked_for_or_stated_counts() {
    let rain = "The notice period is three months. The lease of the shop costs 900 euros.";
    let snow = "The notice period is four months. The lease of the shop costs 800 euros.";
    let sources = sources(&[("", rain), ("", snow)]);
    assert_eq!(values(&compared(QUESTION, "", &sources)), [["three months", "four months"]]);
    assert!(compared("notice period", "", &sources).is_empty(), "nothing is asked for or stated");
    for (written, expected) in [
        ("The lease of the shop costs 800 euros [2].", vec![["900 euros", "800 euros"]]),
        ("The lease of the shop costs 800 euros [1].", vec![]),
        ("The lease of the shop is long [2].", vec![]),
    ] {
        assert_eq!(values(&compared("shop", written, &sources)), expected, "{written}");
    }
}

#[test]
fn versions_and_sources_that_say_both_do_not_disagree() {
    let mut versions = sources(&[("", THREE), ("", FOUR)]);
    for (place, source) in (0..).zip(&mut versions) {
        source.source.item.group = Some(GroupPlace { group: 7, place });
    }
    assert!(compared(QUESTION, "", &versions).is_empty());
    let both = format!("{THREE} {FOUR}");
    assert!(compared(QUESTION, "", &sources(&[("", &both), ("", FOUR)])).is_empty());
}

#[test]
fn the_same_values_are_reported_once_and_few_of_them() {
    let found = compared(QUESTION, "", &sources(&[("", THREE), ("", FOUR), ("", FOUR), ("", THREE)]));
    assert_eq!(values(&found), [["three months", "four months"]]);
    let found = compared(QUESTION, "", &sources(&[("", THREE), ("", FOUR), ("", FIVE)]));
    assert_eq!(found.len(), 3);
    let six = "The notice period is six months.";
    let found = compared(QUESTION, "", &sources(&[("", THREE), ("", FOUR), ("", FIVE), ("", six)]));
    assert_eq!(found.len(), DISAGREEMENTS_MAX);
    let mut many = vec![("", THREE); SOURCES_MAX];
    many.push(("", FOUR));
    assert!(compared(QUESTION, "", &sources(&many)).is_empty(), "the last one is not compared");
}

#[test]
fn reading_is_bounded() {
    let filler = "It rained on the river. ".repeat(SENTENCES_MAX);
    let late = format!("{filler}{FOUR}");
    assert!(compared(QUESTION, "", &sources(&[("", THREE), ("", &late)])).is_empty());
    let numbers = "It took 12 minutes there. ".repeat(STATEMENTS_MAX);
    let late = format!("{numbers}{FOUR}");
    assert!(compared(QUESTION, "", &sources(&[("", THREE), ("", &late)])).is_empty());
    let filler = "It took them 12 minutes. ".repeat(STATEMENTS_MAX - 1);
    let in_time = format!("{filler}{FOUR}");
    assert_eq!(compared(QUESTION, "", &sources(&[("", THREE), ("", &in_time)])).len(), 1);
}

#[test]
fn comparing_is_bounded() {
    for (count, expected) in [(ANCHORS_MAX, 0), (ANCHORS_MAX - 2, 1)] {
        let depot = "The notice period of the depot is three months. ".repeat(count);
        let found = compared(QUESTION, "", &sources(&[("", &depot), ("", THREE), ("", FOUR)]));
        assert_eq!(found.len(), expected, "{count}");
    }
    let (one, other) = ("The lease of the shop costs 900 euros.", "The lease of the shop costs 800 euros.");
    for (count, expected) in [(ANSWER_SENTENCES_MAX, 0), (ANSWER_SENTENCES_MAX - 1, 1)] {
        let written = format!("{}The lease of the shop costs 800 euros [2].", "It rained. ".repeat(count));
        let found = compared("shop", &written, &sources(&[("", one), ("", other)]));
        assert_eq!(found.len(), expected, "{count}");
    }
}

#[test]
fn long_sentences_are_quoted_in_part() {
    let aside = "as the very long introduction of the employment handbook explains everywhere";
    let long = format!("The notice period is four months, {aside}, {aside}, {aside}, {aside}.");
    assert!(long.chars().count() > QUOTE_CHARS_MAX);
    let found = compared(QUESTION, "", &sources(&[("", THREE), ("", &long)]));
    assert_eq!(found[0].values[1].quote, "The notice period is four months");
    for max in [VALUE_CHARS_MAX, QUOTE_CHARS_MAX] {
        assert_eq!(cut(&"é".repeat(max + 1), max), "é".repeat(max));
    }
}

#[test]
fn hostile_texts_stay_data() {
    let bad = "The notice period is four months, <img src=x onerror=y>[a](javascript:x).";
    let found = compared(QUESTION, "", &sources(&[("", THREE), ("", bad)]));
    assert_eq!(values(&found), [["three months", "four months"]]);
    assert_eq!(found[0].values[1].quote, bad, "quoted as it is, and escaped where it is shown");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn any_texts_can_be_compared(
        texts in prop::collection::vec(
            "(The notice period is |[0-9]{1,4}|[,.:;()–-]| (to|and|per|by|of|in|months|days|%|euros) |three|May |[A-Z][a-z]{2,6} |\\PC|\n|é){0,40}",
            0..5,
        ),
        query in "(How long is the |Who is |When |notice period|[0-9]{1,4}| |\\PC){0,5}",
        written in "(The notice period is |[0-9]{1,3}| months| \\[[1-5]\\]|\\. |\\PC){0,12}",
    ) {
        let rows: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
        let sources = sources(&rows);
        let found = compared(&query, &written, &sources);
        prop_assert!(found.len() <= DISAGREEMENTS_MAX);
        for one in &found {
            prop_assert_eq!(one.values.len(), 2);
            prop_assert!(one.values[0].n < one.values[1].n);
            for value in &one.values {
                let source = sources.iter().find(|source| source.n == value.n).unwrap();
                prop_assert!(source.passages.contains(&value.quote), "{value:?}");
                prop_assert!(source.passages.contains(&value.value), "{value:?}");
            }
        }
    }
}
