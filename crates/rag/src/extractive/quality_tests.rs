//! Measures the answers to questions about short texts: `tests/data/answer_questions.txt`.

use super::*;
use crate::answerability::{Answerability, Features};
use crate::prompt::SourceText;
use domain::page_starts::PageStarts;
use domain::result::ResultItem;
use domain::summary::SourceMode;
use relevancy::{Query, ScoringConfig, score_pool};
use syntax::strip_html::readable;

const DOCUMENTS: &str = include_str!("../../tests/data/answer_documents.txt");
const QUESTIONS: &str = include_str!("../../tests/data/answer_questions.txt");
const DEVELOPMENT_DOCUMENTS: &str = include_str!("../../tests/data/development_documents.txt");
const DEVELOPMENT_QUESTIONS: &str = include_str!("../../tests/data/development_questions.txt");
/// Questions about the texts of the recall test of the cache. Before they were used for rules, 27 of 40 were right.
const MORE_DEVELOPMENT_DOCUMENTS: &str = include_str!("../../../corpus/tests/data/recall/documents.txt");
const MORE_DEVELOPMENT_QUESTIONS: &str = include_str!("../../tests/data/more_development_questions.txt");
const LATER_DOCUMENTS: &str = include_str!("../../../corpus/tests/data/recall/development_documents.txt");
const LATER_QUESTIONS: &str = include_str!("../../tests/data/later_questions.txt");
const DEMO_DOCUMENTS: &str = include_str!("../../tests/data/demo_documents.txt");
/// The threshold of the settings.
const THRESHOLD: f64 = 0.7;
/// Score of a sentence that is nearly an answer.
const NEAR: f64 = 0.4;
/// Number of results that are read for an answer.
const RESULTS_MAX: usize = 10;

/// A question and the facts of which an answer has one; none if there is no answer.
struct Question {
    text: &'static str,
    facts: Vec<&'static str>,
}

/// What became of the questions of a set.
#[derive(Debug, Default)]
struct Outcome {
    right: usize,
    /// With an answer, but another was given.
    wrong: usize,
    /// With an answer, but none was given.
    missed: usize,
    /// Without an answer, but one was given.
    invented: usize,
    /// Questions with an answer and without one that pass the threshold.
    passed: usize,
    passed_without: usize,
}

fn documents(data: &str) -> Vec<ResultItem> {
    let mut items: Vec<ResultItem> = Vec::new();
    let mut is_text = false;
    for line in data.lines() {
        if let Some(head) = line.strip_prefix('@') {
            let mut fields = head.split('|').map(|field| field.trim().to_owned());
            let mut next = || fields.next().unwrap_or_default();
            let (title, author, date_published) = (next(), next(), next());
            items.push(ResultItem { title, author, date_published, ..ResultItem::default() });
            is_text = true;
        } else if line.is_empty() {
            is_text = false;
        } else if is_text && let Some(item) = items.last_mut() {
            item.body.push_str(line);
            item.body.push('\n');
        }
    }
    items
}

fn questions(data: &'static str) -> Vec<Question> {
    let rows = data.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" => "));
    let facts = |facts: &'static str| facts.split('|').map(str::trim).filter(|fact| *fact != "-").collect();
    rows.map(|(text, list)| Question { text, facts: facts(list) }).collect()
}

/// The results of a question, best first, with their scores.
fn results(query: &str, documents: &[ResultItem]) -> Vec<ResultItem> {
    let mut items = documents.to_vec();
    let parsed = Query::parse_by_language(Language::ENGLISH, query);
    score_pool(&parsed, &ScoringConfig::default(), &mut items.iter_mut().collect::<Vec<_>>());
    items.sort_by(|one, other| other.swirl_confidence_score.total_cmp(&one.swirl_confidence_score));
    items.truncate(RESULTS_MAX);
    items
}

fn sources(items: Vec<ResultItem>) -> Vec<PromptSource> {
    let source = |(n, item): (u32, ResultItem)| {
        let (text, kind) = (readable(&item.body).into_owned(), String::new());
        let passages = text.clone();
        let source =
            SourceText { item, text, page_starts: PageStarts::default(), kind, mode: SourceMode::Snippet };
        PromptSource { n, source, passages }
    };
    (1..).zip(items).map(source).collect()
}

/// The sentences with the highest scores, for a look at why an answer is wrong.
fn best_scores(language: Language, query: &str, sources: &[PromptSource]) -> Vec<(f64, String)> {
    let kind = QuestionKind::of(language, query);
    let languages: Vec<Language> = sources.iter().map(|one| language_of(&one.passages, language)).collect();
    let scorer = QuestionScorer::new(&kind, query, sources, &languages);
    let mut scored = Vec::new();
    for (source, language) in sources.iter().zip(&languages) {
        let found = candidates(*language, query, source);
        let texts = found.iter().map(|one| one.text.to_owned());
        scored.extend(scorer.scores(&found).into_iter().zip(texts));
    }
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.truncate(3);
    scored
}

fn measure(documents: &[ResultItem], questions: &[Question]) -> Outcome {
    let mut outcome = Outcome::default();
    for question in questions {
        let language = Language::shown_by(question.text, Language::ENGLISH).unwrap_or(Language::ENGLISH);
        let mut answerability = Answerability::of(language, question.text);
        let rated: Vec<(Features, ResultItem)> = results(question.text, documents)
            .into_iter()
            .map(|item| (answerability.features(&item), item))
            .collect();
        let best = rated
            .iter()
            .map(|(features, _)| *features)
            .max_by(|one, other| one.probability().total_cmp(&other.probability()));
        let best = best.unwrap_or_default();
        let passing = rated.into_iter().filter(|(features, _)| features.probability() > THRESHOLD);
        let used = sources(passing.map(|(_, item)| item).collect());
        let answer = extract(language, question.text, &used);
        let has_fact = question.facts.iter().any(|fact| answer.to_lowercase().contains(&fact.to_lowercase()));
        let (is_passed, has_answer) = (!used.is_empty(), !question.facts.is_empty());
        eprintln!(
            "features {} {:.3} {:.3} {:.3} {:.0} {:.0} {:.3} {}",
            u8::from(has_answer),
            best.confidence,
            best.coverage,
            best.meaning,
            best.kind,
            best.stopwords,
            best.probability(),
            question.text
        );
        match (has_answer, is_passed, has_fact) {
            (true, _, true) => outcome.right += 1,
            (true, _, false) => {
                let is_missed = answer.is_empty();
                outcome.missed += usize::from(is_missed);
                outcome.wrong += usize::from(!is_missed);
                let scores = best_scores(language, question.text, &used);
                eprintln!("WRONG: {} ({:.2}) {answer:?} {scores:.2?}", question.text, best.probability());
            }
            (false, ..) if !answer.is_empty() => {
                outcome.invented += 1;
                eprintln!("INVENTED: {} ({:.2}) {answer:?}", question.text, best.probability());
            }
            (false, ..) => {
                let scores = best_scores(language, question.text, &used);
                if let Some((score, text)) = scores.first().filter(|(score, _)| *score >= NEAR) {
                    eprintln!("NEARLY INVENTED: {} ({score:.2}) {text}", question.text);
                }
            }
        }
        outcome.passed += usize::from(has_answer && is_passed);
        outcome.passed_without += usize::from(!has_answer && is_passed);
    }
    outcome
}

#[test]
fn questions_get_the_sentence_that_answers() {
    let (documents, questions) = (documents(DOCUMENTS), questions(QUESTIONS));
    let with_answer = questions.iter().filter(|one| !one.facts.is_empty()).count();
    assert_eq!((documents.len(), with_answer, questions.len() - with_answer), (60, 40, 40));
    let outcome = measure(&documents, &questions);
    eprintln!("{outcome:?}");
    assert!(outcome.right >= 36 && outcome.invented <= 1, "{outcome:?}");
}

#[test]
fn the_development_questions_too() {
    let outcome = measure(&documents(DEVELOPMENT_DOCUMENTS), &questions(DEVELOPMENT_QUESTIONS));
    eprintln!("{outcome:?}");
    assert!(outcome.right >= 25 && outcome.invented <= 1, "{outcome:?}");
}

#[test]
fn more_development_questions() {
    let outcome = measure(&documents(MORE_DEVELOPMENT_DOCUMENTS), &questions(MORE_DEVELOPMENT_QUESTIONS));
    eprintln!("{outcome:?}");
    assert!(outcome.right >= 34 && outcome.invented <= 1, "{outcome:?}");
}

/// Written after the rules, which were not changed by it. The first run: 29 right, 2 wrong, 9 without an answer; 3 invented.
#[test]
fn questions_that_were_written_later() {
    let (documents, questions) = (documents(LATER_DOCUMENTS), questions(LATER_QUESTIONS));
    let with_answer = questions.iter().filter(|one| !one.facts.is_empty()).count();
    assert_eq!((documents.len(), with_answer, questions.len() - with_answer), (80, 40, 40));
    let outcome = measure(&documents, &questions);
    eprintln!("{outcome:?}");
    assert!(outcome.right >= 29 && outcome.wrong <= 2 && outcome.invented <= 3, "{outcome:?}");
}

/// The questions of a review of the demo, with some of its documents.
#[test]
fn the_demo_answers() {
    let documents = documents(DEMO_DOCUMENTS);
    let ask = |query: &str| {
        let found = results(query, &documents);
        extract(Language::ENGLISH, query, &sources(found))
    };
    for (query, fact) in [
        ("How long does the battery last with the Heron 3?", "eleven years"),
        ("how often must staff repeat the safety training", "every two years"),
        ("how do I calibrate a Heron sensor without a lab", "staff gauge"),
        ("what went wrong in the Hollin Dam exercise", "call list"),
        ("How much storage has Carrow Water lost?", "eighteen percent"),
        ("who wrote the Heron 3 design notes?", "Tobias Krahn"),
        ("When were the Heron 3 design notes published?", "2026-01-20"),
    ] {
        let answer = ask(query);
        let first = answer.lines().next().unwrap_or_default();
        assert!(first.contains(fact), "{query}: {answer}");
    }
    let agreement = ask("gauge hosting agreement");
    assert!(!agreement.is_empty() && !agreement.contains("v3 final"), "{agreement}");
}

/// A result with one of three words is not enough.
#[test]
fn weak_results_do_not_pass() {
    let documents = documents(
        "@defthr 1 harbor\nThe defthr harbor was measured in section 1 and is 7 meters long after the repair of its reservoir.\n\n\
         @defthr 2 reservoir\nThe defthr reservoir was measured in section 2 and is 14 meters long after the repair of its bridge.\n\n\
         @Pastry\nFlour and butter for defthr bakers and many more words.",
    );
    let query = "defthr harbor measured";
    let mut answerability = Answerability::of(Language::ENGLISH, query);
    for item in results(query, &documents) {
        let probability = answerability.probability(&item);
        eprintln!("{} {:.3} {probability:.3}", item.title, item.swirl_confidence_score);
        assert_eq!(probability > THRESHOLD, !item.title.contains("Pastry"), "{}: {probability}", item.title);
    }
}
