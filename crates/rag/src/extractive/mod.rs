//! Extractive summaries: the sentences of the sources that answer, verbatim.

mod candidate;
mod document_fields;
mod evidence;
mod evidence_words;
#[cfg(test)]
mod quality_tests;
mod question_score;
mod statement_score;
mod verb_forms;

use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use crate::question_kind::QuestionKind;
use crate::wanted::Wanted;
use candidate::{Candidate, candidates};
use document_fields::document_answer;
use evidence::is_consequence;
use question_score::QuestionScorer;
use relevancy::Language;
use statement_score::score_statements;

/// Maximum number of sentences of a summary.
pub(crate) const SENTENCES_MAX: usize = 3;
/// Maximum number of words of a summary.
pub(crate) const WORDS_MAX: usize = 120;
/// Minimum score relative to the best sentence.
const SHARE_OF_BEST_MIN: f64 = 0.5;
/// Minimum score relative to the best answer to a question that asks for a fact, and to any other question.
const SHARE_OF_FACT_MIN: f64 = 0.92;
const SHARE_OF_ANSWER_MIN: f64 = 0.8;
/// Scores are compared in steps of one over this.
const SCORE_STEPS: f64 = 100_000.0;
/// Sentences that share more of the shorter one's words are duplicates.
const SHARED_MAX: f64 = 0.7;

/// The best sentences with their citations, one per line; empty if there is no answer. The query is in this language; a
/// source may be in another one.
pub(crate) fn extract(language: Language, query: &str, sources: &[PromptSource]) -> String {
    let kind = QuestionKind::of(language, query);
    let languages: Vec<Language> =
        sources.iter().map(|source| language_of(&source.passages, language)).collect();
    let found: Vec<Vec<Candidate<'_>>> = sources
        .iter()
        .zip(&languages)
        .map(|(source, language)| candidates(*language, query, source))
        .collect();
    if kind.wanted == Wanted::Statement {
        let all: Vec<Candidate<'_>> = found.into_iter().flatten().collect();
        return lines(&best_sentences(score_statements(language, query, &all), SHARE_OF_BEST_MIN));
    }
    let scorer = QuestionScorer::new(&kind, query, sources, &languages);
    let mut scored: Vec<(f64, &Candidate<'_>)> = Vec::new();
    for source in &found {
        let scores = scorer.scores(source);
        scored.extend(scores.into_iter().zip(source).filter(|(score, _)| *score >= scorer.answer_min()));
    }
    let share_min = if kind.wanted.is_one_fact() { SHARE_OF_FACT_MIN } else { SHARE_OF_ANSWER_MIN };
    let mut taken = best_sentences(scored, share_min);
    if kind.wanted == Wanted::Reason {
        add_reasons(&mut taken, &found);
    }
    let text = lines(&taken);
    if text.is_empty() || kind.is_about_document {
        return document_answer(language, &kind, query, sources).unwrap_or(text);
    }
    text
}

/// The best sentences with a share of the best score, none of which repeats another one.
fn best_sentences<'c, 'a>(
    mut scored: Vec<(f64, &'c Candidate<'a>)>,
    share_min: f64,
) -> Vec<&'c Candidate<'a>> {
    // Stable: the first of equals stays first. The same words in another order differ by rounding alone.
    let rounded = |score: f64| (score * SCORE_STEPS).round();
    scored.sort_by(|a, b| rounded(b.0).total_cmp(&rounded(a.0)));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let mut taken: Vec<&Candidate<'_>> = Vec::new();
    let mut words = 0;
    for (score, one) in scored {
        let is_same = |known: &&Candidate<'_>| says_the_same(known, one);
        if score < best * share_min || taken.len() == SENTENCES_MAX {
            break;
        }
        if words + one.words <= WORDS_MAX && !taken.iter().any(is_same) {
            words += one.words;
            taken.push(one);
        }
    }
    taken
}

/// Adds the sentence before one that only says what follows from it: "We have therefore closed it."
fn add_reasons<'c, 'a>(taken: &mut Vec<&'c Candidate<'a>>, found: &'c [Vec<Candidate<'a>>]) {
    let before = |one: &Candidate<'_>| {
        let all = found.iter().flatten();
        all.filter(|other| other.n == one.n).find(|other| other.place + 1 == one.place)
    };
    let mut at = 0;
    while at < taken.len() && taken.len() < SENTENCES_MAX {
        let words: usize = taken.iter().map(|one| one.words).sum();
        let reason = before(taken[at]).filter(|_| is_consequence(&taken[at].lower));
        let is_new = |reason: &&Candidate<'_>| {
            words + reason.words <= WORDS_MAX
                && !taken.iter().any(|one| (one.n, one.place) == (reason.n, reason.place))
        };
        if let Some(reason) = reason.filter(is_new) {
            taken.insert(at, reason);
            at += 1;
        }
        at += 1;
    }
}

fn lines(taken: &[&Candidate<'_>]) -> String {
    taken.iter().map(|one| format!("{} [{}]", one.text, one.n)).collect::<Vec<_>>().join("\n")
}

fn says_the_same(one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    let shared = one.stems.intersection(&other.stems).count();
    shared as f64 > SHARED_MAX * one.stems.len().min(other.stems.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::check::tests::sources;
    use proptest::prelude::*;
    use relevancy::embedder::embed;
    use relevancy::tokens::tokens;

    const FLOOD: &str = "The Elbe rose by nine metres in August 2002. Dresden was flooded, and trains did not run for \
        weeks. Why did nobody expect it? The mayor spoke to the press on Monday. Later a new wall against floods of the \
        Elbe was built.";
    const COPY: &str =
        "In August 2002 the Elbe rose by nine metres. Bread was sold out in all shops of the town.";

    #[test]
    fn the_sentences_that_say_most() {
        let sources = sources(&[("", COPY), ("", FLOOD)]);
        for (query, expected) in [
            ("Elbe August 2002", "In August 2002 the Elbe rose by nine metres. [1]"),
            ("mayor press", "The mayor spoke to the press on Monday. [2]"),
            ("trains Dresden", "Dresden was flooded, and trains did not run for weeks. [2]"),
            ("quantum chromodynamics", ""),
            ("", ""),
        ] {
            assert_eq!(
                extract(Language::ENGLISH, query, &sources).lines().next().unwrap_or_default(),
                expected,
                "{query}"
            );
        }
        let whole = extract(Language::ENGLISH, "Elbe floods", &sources);
        assert_eq!(whole.matches("nine metres").count(), 1, "said once: {whole}");
        assert!(whole.contains("Later a new wall against floods of the Elbe was built. [2]"), "{whole}");
        assert!(!whole.contains('?'), "a question is no answer: {whole}");
        assert_eq!(extract(Language::ENGLISH, "Elbe", &[]), "");
    }

    #[test]
    fn a_title_says_what_its_text_is_about() {
        const WET: &str = "Water inside a coaxial cable has ended more telemetry links than any storm. The booklet \
            collects photographs of failed connectors, corroded whips and flooded lightning arrestors, with the measured \
            loss of each. Lunch was served at noon in the village inn.";
        let mut sources = sources(&[("", WET), ("", COPY)]);
        sources[0].source.item.title = "<em>Antennas</em> in Wet Places".to_owned();
        for (query, expected) in [
            ("antennas in wet places", "Water inside a coaxial cable"),
            ("connectors of wet antennas", "The booklet collects photographs of failed connectors"),
            ("antennas in dry places on Mars, with music", ""),
            ("antennas", "Water inside a coaxial cable"),
        ] {
            let found = extract(Language::ENGLISH, query, &sources);
            let likeness: Vec<f32> = crate::sentences::sentences(WET, 9)
                .iter()
                .map(|one| embed(query).cosine(&embed(one.text)))
                .collect();
            assert_eq!(
                found.lines().count(),
                usize::from(!expected.is_empty()),
                "{query}: {found} {likeness:?}"
            );
            assert!(found.starts_with(expected), "{query}: {found} {likeness:?}");
        }
        sources[0].source.item.title = "A booklet".to_owned();
        assert_eq!(extract(Language::ENGLISH, "antennas in wet places", &sources), "");
    }

    #[test]
    fn the_small_words_of_the_query_do_not_count() {
        let text = "Der Pegel der Weser sank am Montag auf zwei Meter. Am Abend gab es Musik in der Stadt.";
        let query = "Wie ist denn der Pegel, und was sagen die da";
        let found = |language: &str| extract(Language::named(language), query, &sources(&[("", text)]));
        assert_eq!(found("german"), "Der Pegel der Weser sank am Montag auf zwei Meter. [1]");
        assert_eq!(found("english"), "", "a German query read as an English one asks for its small words");
    }

    #[test]
    fn an_answer_is_short() {
        let things = [
            "cold and quiet in winter",
            "full of salmon and trout",
            "older than any bridge",
            "named after a forgotten king",
            "crossed by ferries every hour",
            "the border of two counties",
            "where children learn to swim",
        ];
        let text: String = things.iter().map(|thing| format!("The river is {thing}. ")).collect();
        let found = extract(Language::ENGLISH, "river", &sources(&[("", &text)]));
        assert_eq!(found.lines().count(), SENTENCES_MAX, "{found}");
        let long = |(place, thing): (usize, &&str)| {
            let filler: String = (0..40).map(|n| format!("w{place}x{n} ")).collect();
            format!("The river is {thing}, {filler}too. ")
        };
        let text: String = things.iter().enumerate().map(long).collect();
        let found = extract(Language::ENGLISH, "river", &sources(&[("", &text)]));
        assert!((1..SENTENCES_MAX).contains(&found.lines().count()), "{found}");
        assert!(tokens(&found).count() <= WORDS_MAX + SENTENCES_MAX, "{found}");
    }

    #[test]
    fn a_consequence_comes_with_its_reason() {
        let text = "The mine made a profit in spring. Then its lower level was flooded. We have therefore suspended the \
            dividend. The pumps are new.";
        assert_eq!(
            extract(Language::ENGLISH, "Why was the dividend suspended?", &sources(&[("", text)])),
            "Then its lower level was flooded. [1]\nWe have therefore suspended the dividend. [1]"
        );
    }

    #[test]
    fn nothing_that_could_be_opened() {
        let text = "The river is at https://evil.test/river for all to see. ![river](https://evil.test/r) is a picture of it. \
            The river rose in the night again.";
        assert_eq!(
            extract(Language::ENGLISH, "river", &sources(&[("", text)])),
            "The river rose in the night again. [1]"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_sentence_stands_in_its_source(
            texts in prop::collection::vec("(The river rose\\. |[a-z]{1,7} |[A-Z][a-z]{2,5}[.!?] |[\\[\\]()<>*`]|…|\\PC|\n){0,60}", 0..5),
            query in "(river|rose|the|[a-z]{1,4}| ){0,4}",
        ) {
            let rows: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
            let sources = sources(&rows);
            let found = extract(Language::ENGLISH, &query, &sources);
            for line in found.lines() {
                let (sentence, mark) = line.rsplit_once(" [").unwrap();
                let n: u32 = mark.trim_end_matches(']').parse().unwrap();
                let source = sources.iter().find(|source| source.n == n).unwrap();
                prop_assert!(source.passages.contains(sentence), "{sentence} in {}", source.passages);
            }
            prop_assert_eq!(&check::check(&found, &sources).body, &found, "it is shown as it is");
        }
    }
}
