//! Negations: which words of a clause are denied.

use relevancy::Language;
use relevancy::tokens::{lower, tokens};
use std::collections::BTreeSet;

/// Number of content words after a negation that it denies.
const DENIED_MAX: usize = 2;
/// Maximum number of words before or after a negation among which those that it denies are looked for.
const SCOPE_WORDS_MAX: usize = 64;
/// Maximum number of clauses of a text.
const CLAUSES_MAX: usize = 64;
/// Minimum share of the words of a clause in the one that it is compared with.
const SHARED_MIN: f64 = 0.5;

/// A part of a sentence with one statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Clause {
    /// Stems without stopwords.
    pub stems: BTreeSet<String>,
    /// Those that are denied.
    pub denied: BTreeSet<String>,
    pub is_negated: bool,
    /// Words that leave open whether it denies something, as "without". They count if the other clause has others.
    pub doubts: BTreeSet<&'static str>,
}

/// The clauses of a sentence.
pub(super) fn clauses(language: Language, sentence: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut end = 0;
    for token in tokens(sentence) {
        let word = lower(token.text).into_owned();
        let is_break = sentence[end..token.start]
            .contains([',', ';', ':', '.', '!', '?', '(', ')', '–', '—', '\n'])
            || CONJUNCTIONS.contains(&word.as_str());
        // "Closed until May" says that it is closed; "not opened until May" leaves open whether it is opened.
        let is_until = UNTIL.contains(&word.as_str()) && !words.iter().any(|word| is_negation(word));
        if (is_break || is_until) && clauses.len() < CLAUSES_MAX {
            clauses.push(clause(language, &std::mem::take(&mut words)));
        }
        words.push(word);
        end = token.end();
    }
    clauses.push(clause(language, &words));
    clauses.retain(|clause| !clause.stems.is_empty());
    clauses
}

fn clause(language: Language, words: &[String]) -> Clause {
    let mut clause = Clause::default();
    let stem = |word: &String| language.stem(word).into_owned();
    let is_content = |word: &&String| {
        !language.is_stopword(word) && !is_negation(word) && !FILLERS.contains(&word.as_str())
    };
    clause.stems = words.iter().filter(is_content).map(stem).collect();
    for (place, word) in words.iter().enumerate() {
        clause.doubts.extend(UNCERTAIN.iter().find(|doubt| **doubt == word.as_str()));
        // `unused` denies `used`.
        if let Some(denied) = ["un", "non"].iter().find_map(|prefix| word.strip_prefix(prefix))
            && denied.chars().count() > 3
        {
            clause.denied.insert(language.stem(denied).into_owned());
        }
        if !is_negation(word) || is_comparison(words, place) {
            continue;
        }
        clause.is_negated = true;
        // "Days that were not used can be carried over": only "used" is denied.
        let rest = &words[place + 1..];
        let rest = &rest[..rest.len().min(SCOPE_WORDS_MAX)];
        let scope = scope_end(language, rest);
        let after: BTreeSet<String> =
            rest[..scope].iter().filter(is_content).take(DENIED_MAX).map(stem).collect();
        if after.is_empty() {
            let before = words[..place].iter().rev().take(SCOPE_WORDS_MAX).filter(is_content);
            clause.denied.extend(before.take(DENIED_MAX).map(stem));
        }
        clause.denied.extend(after);
    }
    clause
}

/// Number of words up to the verb of the clause around them.
fn scope_end(language: Language, words: &[String]) -> usize {
    let first =
        words.iter().position(|word| !language.is_stopword(word) && !FILLERS.contains(&word.as_str()));
    let Some(first) = first else { return words.len() };
    let verb = words[first..].iter().position(|word| AUXILIARIES.contains(&word.as_str()));
    verb.map_or(words.len(), |verb| first + verb)
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't") || word.starts_with("n'")
}

/// "No more than", "not only" and "ne … que" deny nothing.
fn is_comparison(words: &[String], place: usize) -> bool {
    let next = |ahead: usize| words.get(place + ahead).map_or("", String::as_str);
    matches!(next(1), "only" | "just" | "nur" | "seulement" | "solo" | "doubt" | "least" | "matter")
        || (matches!(
            next(1),
            "more" | "less" | "fewer" | "later" | "earlier" | "mehr" | "weniger" | "más" | "menos"
        ) && matches!(next(2), "than" | "als" | "que" | "de"))
        || ((words[place] == "ne" || words[place].starts_with("n'"))
            && (1..4).any(|ahead| next(ahead) == "que"))
}

/// Whether a clause denies what one of the others says, or says what one of them denies.
pub(super) fn is_denied(claim: &Clause, sources: &[Clause]) -> bool {
    let related: Vec<&Clause> = sources.iter().filter(|source| are_related(claim, source)).collect();
    let is_certain = |source: &Clause| source.doubts == claim.doubts;
    if claim.is_negated {
        return related.iter().all(|source| is_certain(source) && !source.is_negated)
            && related.iter().any(|source| {
                source.stems.intersection(&claim.denied).any(|stem| !source.denied.contains(stem))
            });
    }
    let denying = related.iter().filter(|source| is_certain(source) && source.is_negated);
    let denied: BTreeSet<&String> =
        denying.flat_map(|source| source.denied.intersection(&claim.stems)).collect();
    let is_said = |source: &&&Clause| {
        is_certain(source) && !source.is_negated && denied.iter().any(|stem| source.stems.contains(*stem))
    };
    !denied.is_empty() && !related.iter().any(|source| is_said(&source))
}

/// Whether two clauses are about the same.
fn are_related(claim: &Clause, source: &Clause) -> bool {
    let all: BTreeSet<&String> = source.stems.union(&source.denied).collect();
    let own: BTreeSet<&String> = claim.stems.union(&claim.denied).collect();
    let shared = own.intersection(&all).count();
    shared > 0 && shared as f64 >= SHARED_MIN * claim.stems.len().min(source.stems.len().max(1)) as f64
}

const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "cannot", "nicht", "kein", "keine",
    "keinen", "keinem", "keiner", "keines", "nie", "niemals", "niemand", "nichts", "weder", "ne", "aucun",
    "aucune", "jamais", "pas", "personne", "rien", "nunca", "jamás", "ningún", "ninguna", "ninguno", "nadie",
    "nada", "tampoco",
];
/// Words that leave open whether a clause denies something.
const UNCERTAIN: &[&str] = &[
    "without",
    "free",
    "except",
    "unless",
    "lack",
    "lacks",
    "lacked",
    "fail",
    "failed",
    "fails",
    "refused",
    "refuses",
    "denied",
    "forbidden",
    "prohibited",
    "banned",
    "unable",
    "stopped",
    "said",
    "claimed",
    "believed",
    "thought",
    "supposed",
    "allegedly",
    "whether",
    "if",
    "ohne",
    "frei",
    "kostenlos",
    "gratis",
    "außer",
    "angeblich",
    "verboten",
    "untersagt",
    "ob",
    "wenn",
    "falls",
    "sans",
    "gratuit",
    "interdit",
    "si",
    "sin",
    "gratuito",
    "prohibido",
    "instead",
    "statt",
    "rather",
    "hardly",
    "kaum",
    "only",
    "nur",
    "seulement",
    "until",
    "bis",
];
const UNTIL: &[&str] = &["until", "till"];
const CONJUNCTIONS: &[&str] = &[
    "and", "but", "although", "though", "because", "while", "whereas", "which", "who", "und", "aber",
    "sondern", "obwohl", "weil", "während", "et", "mais", "parce", "y", "pero", "porque",
];
/// Verbs that begin the rest of a clause.
const AUXILIARIES: &[&str] = &[
    "can", "may", "must", "will", "shall", "could", "should", "would", "might", "is", "are", "was", "were",
    "has", "have", "had", "kann", "können", "darf", "dürfen", "muss", "müssen", "wird", "werden", "wurde",
    "wurden", "ist", "sind",
];
/// Words after a negation that do not say what it denies.
const FILLERS: &[&str] =
    &["longer", "mehr", "plus", "more", "further", "any", "anymore", "weitere", "weiteren", "single"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_that_deny_their_source() {
        for (language, source, claim, expected) in [
            ("english", "The bridge was opened in 1932.", "The bridge was not opened in 1932.", true),
            ("english", "The bridge was opened in 1932.", "The bridge was opened in 1932.", false),
            (
                "english",
                "The old parser is still there but no longer maintained.",
                "The old parser is maintained.",
                true,
            ),
            (
                "english",
                "The old parser is still there but no longer maintained.",
                "The old parser is still there.",
                false,
            ),
            ("english", "No serious events were observed.", "Serious events were observed.", true),
            ("english", "No further failures were seen.", "No more failures have been seen.", false),
            (
                "english",
                "Unused days may be carried over.",
                "Days that were not used may be carried over.",
                false,
            ),
            ("english", "It is said to be immune, but it is not immune.", "It is immune to venom.", true),
            (
                "english",
                "Photos without flash are permitted.",
                "Photos without flash are not permitted.",
                true,
            ),
            ("english", "Admission is free on Sundays.", "Admission costs nothing on Sundays.", false),
            ("english", "It may take no more than an hour.", "It may take an hour at most.", false),
            ("english", "The paths remain closed until May.", "The paths are not closed.", true),
            ("english", "The paths are not opened until May.", "The paths are opened in May.", false),
            ("german", "Hunde sind nicht erlaubt.", "Hunde sind erlaubt.", true),
            ("german", "Hunde sind erlaubt.", "Hunde sind nicht erlaubt.", true),
            ("french", "La salle n'est pas ouverte le dimanche.", "La salle est ouverte le dimanche.", true),
            ("spanish", "La tienda no abre el lunes.", "La tienda abre el lunes.", true),
        ] {
            let language = Language::named(language);
            let sources = clauses(language, source);
            let found = clauses(language, claim).iter().any(|clause| is_denied(clause, &sources));
            assert_eq!(found, expected, "{source} {claim} {sources:?}");
        }
        assert!(clauses(Language::ENGLISH, &"a river, ".repeat(CLAUSES_MAX * 2)).len() <= CLAUSES_MAX + 1);
        for (small_words, denied) in [(SCOPE_WORDS_MAX - 1, 1), (SCOPE_WORDS_MAX, 0)] {
            let text = format!("not {}opened", "the ".repeat(small_words));
            assert_eq!(clauses(Language::ENGLISH, &text)[0].denied.len(), denied, "{small_words}");
        }
    }
}
