//! Query text → terms, phrases and negated words.

use crate::stems::{may_begin, stem};
use crate::stopwords::is_stopword;
use crate::tokens::{Beginning, beginning, lower, tokens};
use domain::search::Search;

/// Most terms of a query; later ones are not weighed.
pub const TERMS_MAX: usize = 64;
/// Most negated words or phrases of a query.
pub const NEGATED_MAX: usize = 32;
/// Most words that a source highlighted itself.
pub const HIGHLIGHTS_MAX: usize = 32;

/// A word that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub word: String,
    pub stem: String,
    /// Terms of one group are alternatives (`a OR b`): one of them is enough.
    pub group: usize,
    /// Its place among all words of the query, stopwords included.
    pub position: u32,
}

/// Words in quotes: places in `Query::terms`, each with its distance from the first word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(pub Vec<(usize, u32)>);

/// What is looked for in the results.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Distinct by stem, in the order of the query, without stopwords unless there is nothing else.
    pub terms: Vec<Term>,
    pub phrases: Vec<Phrase>,
    /// Words, or sequences of words, that must not occur. Compared as written, not by stem.
    pub negated: Vec<Vec<String>>,
    /// Stems that a source highlighted itself. They are shown among the hits and weigh nothing: a source that
    /// highlights would otherwise outrank one that does not.
    highlights: Vec<String>,
    /// The first two characters of every stem.
    beginnings: Vec<Beginning>,
}

impl Query {
    /// Reads `NOT` (all words after it are negated), `-word`, `-"a phrase"`, `"a phrase"`, `a OR b`, `tag:word`.
    pub fn parse(text: &str) -> Self {
        let mut reading = Reading::default();
        for chunk in Chunks(text) {
            reading.take(&chunk);
        }
        reading.finish()
    }

    /// The words that a provider got, without what the search as a whole excludes: a source that cannot
    /// negate was asked without the negated words, and its results are judged by them all the same.
    pub fn of_search(search: &Search, query_to_provider: &str) -> Self {
        let whole = match search.query_string_processed.trim() {
            "" => &search.draft.query_string,
            processed => processed,
        };
        let own = if query_to_provider.trim().is_empty() { whole } else { query_to_provider };
        let mut query = Self::parse(own);
        for negated in Self::parse(whole).negated {
            query.negate(negated);
        }
        query
    }

    /// Adds the words that a source highlighted.
    pub fn with_highlights(mut self, words: &[String]) -> Self {
        for token in words.iter().flat_map(|word| tokens(word)) {
            let word = lower(token.text);
            let stem = stem(&word);
            let is_known = self.place(&stem).is_some() || self.highlights.iter().any(|known| *known == stem);
            if !is_known && !is_stopword(&word) && self.highlights.len() < HIGHLIGHTS_MAX {
                self.highlights.push(stem.into_owned());
            }
        }
        self.find_beginnings();
        self
    }

    /// The place of the term with this stem.
    pub fn place(&self, stem: &str) -> Option<usize> {
        self.terms.iter().position(|term| term.stem == stem)
    }

    pub fn is_highlight(&self, stem: &str) -> bool {
        self.highlights.iter().any(|known| known == stem)
    }

    /// False for most words of a text, and cheap: the word begins unlike every stem.
    pub fn may_match(&self, word: &str) -> bool {
        let word = beginning(word);
        self.beginnings.iter().any(|stem| may_begin(word, *stem))
    }

    /// All stems, as `explain` shows them.
    pub fn stems(&self) -> String {
        let stems: Vec<&str> =
            self.terms.iter().map(|term| &term.stem).chain(&self.highlights).map(String::as_str).collect();
        stems.join(" ")
    }

    fn negate(&mut self, words: Vec<String>) {
        if !words.is_empty() && self.negated.len() < NEGATED_MAX && !self.negated.contains(&words) {
            self.negated.push(words);
        }
    }

    fn find_beginnings(&mut self) {
        let stems = self.terms.iter().map(|term| &term.stem).chain(&self.highlights);
        self.beginnings = stems.map(|stem| beginning(stem)).collect();
        self.beginnings.sort_unstable();
        self.beginnings.dedup();
    }
}

/// A piece of a query: a word, or what stands in quotes.
struct Chunk<'a> {
    text: &'a str,
    is_quoted: bool,
    is_negated: bool,
}

struct Chunks<'a>(&'a str);

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        let separates = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';');
        let rest = self.0.trim_start_matches(separates);
        if rest.is_empty() {
            return None;
        }
        let after_minus = rest.strip_prefix('-').filter(|after| !after.starts_with('-'));
        let (is_negated, rest) = (after_minus.is_some(), after_minus.unwrap_or(rest));
        let quoted = rest.strip_prefix('"').and_then(|after| after.split_once('"'));
        let (text, left) = match quoted {
            Some(parts) => parts,
            None => rest.split_at(rest.find(separates).unwrap_or(rest.len())),
        };
        self.0 = left;
        Some(Chunk { text, is_quoted: quoted.is_some(), is_negated })
    }
}

/// A word on its way to be a term.
struct Asked {
    word: String,
    group: usize,
    phrase: Option<usize>,
}

#[derive(Default)]
struct Reading {
    asked: Vec<Asked>,
    negated: Query,
    phrases: usize,
    groups: usize,
    after_not: bool,
    after_or: bool,
}

impl Reading {
    fn take(&mut self, chunk: &Chunk<'_>) {
        match chunk.text {
            "NOT" if !chunk.is_quoted => return self.after_not = true,
            "AND" if !chunk.is_quoted => return,
            "OR" if !chunk.is_quoted => return self.after_or = true,
            _ => {}
        }
        let text = if chunk.is_quoted { chunk.text } else { without_tag(chunk.text) };
        let words = tokens(text).map(|token| lower(token.text).into_owned());
        if chunk.is_negated || (self.after_not && chunk.is_quoted) {
            self.negated.negate(words.collect());
        } else if self.after_not {
            words.for_each(|word| self.negated.negate(vec![word]));
        } else {
            let phrase = chunk.is_quoted.then_some(self.phrases);
            self.phrases += usize::from(chunk.is_quoted);
            for word in words {
                if !std::mem::take(&mut self.after_or) || self.groups == 0 {
                    self.groups += 1;
                }
                self.asked.push(Asked { word, group: self.groups - 1, phrase });
            }
        }
    }

    fn finish(self) -> Query {
        let mut query = self.negated;
        let only_stopwords = self.asked.iter().all(|asked| is_stopword(&asked.word));
        let mut phrases: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.phrases];
        // Stopwords inside a phrase are no terms, but they keep their place.
        let mut offsets: Vec<u32> = vec![0; self.phrases];
        for (position, Asked { word, group, phrase }) in (0u32..).zip(self.asked) {
            let place = match only_stopwords || !is_stopword(&word) {
                true => add_term(&mut query.terms, word, group, position),
                false => None,
            };
            if let Some(phrase) = phrase {
                phrases[phrase].extend(place.map(|place| (place, offsets[phrase])));
                offsets[phrase] += 1;
            }
        }
        query.phrases = phrases.into_iter().filter(|places| places.len() > 1).map(Phrase).collect();
        query.find_beginnings();
        query
    }
}

/// The place of the term of this word; None when the query has too many.
fn add_term(terms: &mut Vec<Term>, word: String, group: usize, position: u32) -> Option<usize> {
    let stem = stem(&word).into_owned();
    let known = terms.iter().position(|term| term.stem == stem);
    if known.is_some() {
        return known;
    }
    if terms.len() == TERMS_MAX {
        return None;
    }
    terms.push(Term { word, stem, group, position });
    Some(terms.len() - 1)
}

/// `news:rates` asks for `rates`; a URL, or a word that only ends in a colon, is no tag.
fn without_tag(text: &str) -> &str {
    match text.split_once(':') {
        Some((tag, value))
            if !tag.is_empty()
                && tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
                && !value.is_empty()
                && !value.starts_with('/') =>
        {
            value
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{SearchId, UserId};
    use domain::instant::Instant;
    use domain::search::SearchDraft;
    use domain::status::SearchStatus;

    fn shown(query: &Query) -> (Vec<&str>, Vec<String>) {
        let words = query.terms.iter().map(|term| term.word.as_str()).collect();
        (words, query.negated.iter().map(|words| words.join(" ")).collect())
    }

    #[test]
    fn terms_and_negated_words() {
        let table: &[(&str, &[&str], &[&str])] = &[
            ("Electric CARS", &["electric", "cars"], &[]),
            ("the state of the art", &["state", "art"], &[]),
            ("to be or not to be", &["to", "be", "or", "not"], &[]),
            ("cars car car's", &["cars"], &[]),
            ("alpha NOT beta gamma", &["alpha"], &["beta", "gamma"]),
            ("alpha -beta - -gamma", &["alpha"], &["beta", "gamma"]),
            ("alpha -\"beta gamma\"", &["alpha"], &["beta gamma"]),
            ("alpha NOT \"beta gamma\"", &["alpha"], &["beta gamma"]),
            ("solid-state --flag", &["solid", "state", "flag"], &[]),
            ("-only", &[], &["only"]),
            ("a1 AND (b1 OR c1)", &["a1", "b1", "c1"], &[]),
            ("news:fed rates", &["fed", "rates"], &[]),
            ("Dune: part", &["dune", "part"], &[]),
            ("https://example.org/x", &["https", "example", "org", "x"], &[]),
            ("\"unclosed phrase", &["unclosed", "phrase"], &[]),
            ("", &[], &[]),
            ("?!", &[], &[]),
        ];
        for (text, terms, negated) in table {
            let query = Query::parse(text);
            let negated: Vec<String> = negated.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(shown(&query), (terms.to_vec(), negated), "{text}");
        }
    }

    #[test]
    fn phrases_keep_the_place_of_their_stopwords() {
        let query = Query::parse("museum \"state of the art\" \"single\"");
        assert_eq!(query.phrases, [Phrase(vec![(1, 0), (2, 3)])]);
    }

    #[test]
    fn alternatives_share_a_group() {
        let groups = |text| Query::parse(text).terms.iter().map(|term| term.group).collect::<Vec<_>>();
        assert_eq!(groups("cats OR dogs food"), [0, 0, 1]);
        assert_eq!(groups("OR cats dogs"), [0, 1]);
        assert_eq!(groups("(car OR automobile OR vehicle) hire"), [0, 0, 0, 1]);
    }

    #[test]
    fn highlights_are_shown_and_no_terms() {
        let words = ["vehicles".to_owned(), "the cars".to_owned()];
        let query = Query::parse("car").with_highlights(&words);
        assert_eq!(query.stems(), "car vehicl");
        assert_eq!(query.terms.len(), 1);
        assert!(
            query.may_match("Vehicle")
                && query.may_match("Cart")
                && !query.may_match("coat")
                && !query.may_match("boat")
        );
    }

    #[test]
    fn a_search_excludes_for_all_its_providers() {
        let search = |processed: &str| Search {
            id: SearchId(1),
            owner: UserId(1),
            draft: SearchDraft::of_query("raw -draft"),
            query_string_processed: processed.to_owned(),
            status: SearchStatus::Federating,
            messages: Vec::new(),
            time_s: 0.0,
            run: 1,
            date_created: Instant::UNIX_EPOCH,
            date_updated: Instant::UNIX_EPOCH,
        };
        let table = [
            ("alpha NOT beta", "alpha", "alpha -beta"),
            ("alpha NOT beta", "alpha -beta", "alpha -beta"),
            ("alpha -beta", "alfa -gamma", "alfa -gamma -beta"),
            ("alpha -beta", "", "alpha -beta"),
            ("", "", "raw -draft"),
        ];
        for (processed, to_provider, expected) in table {
            let query = Query::of_search(&search(processed), to_provider);
            assert_eq!(query, Query::parse(expected), "{processed}, {to_provider}");
        }
    }

    #[test]
    fn a_query_is_bounded() {
        let many = |prefix: &str| (0..200).map(|n| format!("{prefix}w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(Query::parse(&many("")).terms.len(), TERMS_MAX);
        assert_eq!(Query::parse(&many("-")).negated.len(), NEGATED_MAX);
        assert_eq!(Query::parse("").with_highlights(&[many("")]).highlights.len(), HIGHLIGHTS_MAX);
    }
}
