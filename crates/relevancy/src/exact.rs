//! Exact matches: results whose title is the query, and results that contain all of a quoted query or of an identifier.
//! Among results that are about as good, they come first.

use crate::codes::Code;
use crate::confidence::Confidence;
use crate::hits::{FieldHits, Hits};
use crate::proximity::occurs;
use crate::query::Query;
use crate::tokens::{lower, tokens};
use domain::explain::Field;

/// Results are about as good if the confidence of one is at most so much higher.
const SIMILAR: f64 = 0.1;

/// What a result must contain to be an exact match, besides a title that equals the query.
enum Wanted<'q> {
    /// The only word of the query: an identifier such as `RB171` or `4711`.
    Word,
    /// The whole query is a code in several words: `RB-171`.
    Code(&'q Code),
    /// The whole query is in quotation marks.
    Phrase,
    Nothing,
}

/// Decides which results match a query exactly.
pub struct ExactMatch<'q> {
    query: &'q Query,
    wanted: Wanted<'q>,
}

impl<'q> ExactMatch<'q> {
    pub fn of(query: &'q Query) -> Self {
        let count = query.words.len();
        let is_whole = |place: &std::ops::Range<usize>| *place == (0..count);
        let wanted = match query.words.as_slice() {
            [only] if only.written.contains(|c: char| c.is_ascii_digit()) => Wanted::Word,
            _ if query.quoted.iter().any(is_whole) && !query.phrases.is_empty() => Wanted::Phrase,
            _ => query.codes.iter().find(|code| is_whole(&code.words)).map_or(Wanted::Nothing, Wanted::Code),
        };
        Self { query, wanted }
    }

    /// Whether a result with this title and these hits is an exact match.
    pub fn is_met(&self, title: &str, hits: &Hits) -> bool {
        // A query of stopwords says nothing.
        if self.query.words.is_empty() || self.query.only_stopwords {
            return false;
        }
        let is_in = |field: &FieldHits| match self.wanted {
            Wanted::Word => field.occurrences(0) > 0,
            Wanted::Code(code) => is_together(code, field),
            Wanted::Phrase => {
                self.query.phrases.iter().all(|one| occurs(one, field, hits.stopword_terms) == Some(true))
            }
            Wanted::Nothing => false,
        };
        hits.fields.iter().any(is_in) || self.equals(title, &hits.fields[Field::Title as usize])
    }

    fn equals(&self, title: &str, hits: &FieldHits) -> bool {
        let words = &self.query.words;
        hits.length as usize == words.len()
            && tokens(title).zip(words).all(|(token, word)| lower(token.text) == lower(&word.written))
    }
}

/// Whether the parts of a code follow each other in a field, or are one word in it.
fn is_together(code: &Code, field: &FieldHits) -> bool {
    // A part that is a stopword, as in `A-4`, cannot be found beside the other.
    let [first, rest @ ..] = code.terms.as_slice() else { return false };
    if rest.is_empty() {
        return false;
    }
    let others: Vec<_> = (1..).zip(rest).map(|(offset, term)| (offset, field.positions(*term))).collect();
    let is_at = |place: u32| {
        others.iter().all(|(offset, positions)| {
            positions.binary_search(&(place + offset)).is_ok() || positions.binary_search(&place).is_ok()
        })
    };
    field.positions(*first).iter().any(|place| is_at(*place))
}

/// Raises exact matches above the other results that are about as good. Each has its confidence, unless it is unwanted,
/// and whether it matches exactly. Exact matches keep their order among each other.
pub fn raise(results: &mut [(Option<Confidence>, bool)]) {
    let others = results.iter().filter(|(_, is_exact)| !is_exact).filter_map(|(one, _)| one.as_ref());
    let Some(best) = others.map(Confidence::total).max_by(f64::total_cmp) else { return };
    let exact = results.iter_mut().filter(|(_, is_exact)| *is_exact).filter_map(|(one, _)| one.as_mut());
    let mut lower: Vec<&mut Confidence> = exact
        .filter(|one| one.total() <= best && best - one.total() <= SIMILAR && !one.is_penalized())
        .collect();
    lower.sort_by(|a, b| a.total().total_cmp(&b.total()));
    for (steps, confidence) in (1..).zip(lower) {
        confidence.raise_to(best, steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::Evidence;

    fn is_exact(query: &str, title: &str, body: &str) -> bool {
        let query = Query::parse(query);
        ExactMatch::of(&query).is_met(title, &Hits::read(&query, [title, body, ""]))
    }

    #[test]
    fn exact_matches() {
        let table = [
            ("river level", "River level", "", true),
            ("river level", "<em>River</em> <em>level</em>", "", true),
            ("river level", "River levels", "", false),
            ("river level", "River level sensors", "river level", false),
            ("state of the art", "The state of art", "", false),
            ("\"river level\"", "x", "the river level rose", true),
            ("\"river level\"", "x", "level of the river", false),
            ("\"river level\" bank", "x", "river level bank", false),
            ("RB-171", "RB-171: pump", "", true),
            ("RB-171", "x", "see RB171", true),
            ("RB-171", "RB-17 and 171", "", false),
            ("RB-171", "171 RB", "", false),
            ("A-4", "x", "4 pumps", false),
            ("A-4", "A-4", "", true),
            ("RB171", "RB-171: pump", "", true),
            ("ISO 9001 2015", "x", "ISO 9001:2015", true),
            ("#4711", "Order 4711", "", true),
            ("RB-171 pump", "RB-171", "the pump", false),
            ("the", "The", "", false),
            ("", "", "", false),
        ];
        for (query, title, body, expected) in table {
            assert_eq!(is_exact(query, title, body), expected, "{query}: {title}, {body}");
        }
    }

    fn confidence(cosine: f64, repetition: f64) -> Confidence {
        Confidence::of(&Evidence { bm25_pool: 0.6, cosine, repetition, ..Evidence::default() })
    }

    #[test]
    fn exact_matches_are_first_among_similar_ones() {
        let (low, near, high) = (confidence(0.0, 0.0), confidence(0.55, 0.0), confidence(0.6, 0.0));
        assert!(high.total() - near.total() < SIMILAR && high.total() - low.total() > SIMILAR);
        let mut results = [
            (Some(high), false),
            (Some(near), true),
            (Some(low), true),
            (Some(near), false),
            (Some(confidence(0.58, 0.0)), true),
            (Some(confidence(0.65, 0.4)), true),
            (None, true),
        ];
        let before = results;
        raise(&mut results);
        let total = |place: usize| results[place].0.map_or(0.0, |one| one.total());
        assert!(total(4) > total(1) && total(1) > total(0), "{results:?}");
        for place in [0, 2, 3, 5, 6] {
            assert_eq!(results[place], before[place], "{place}");
        }
        let sum: f64 = results[1].0.iter().flat_map(Confidence::parts).map(|(_, part)| part).sum();
        assert_eq!(format!("{sum:.6}"), format!("{:.6}", total(1)));
        let again = results;
        raise(&mut results);
        assert_eq!(results, again, "what is first is not raised");
    }

    #[test]
    fn without_others_nothing_is_raised() {
        let mut results = [(Some(confidence(0.5, 0.0)), true), (None, false)];
        let before = results;
        raise(&mut results);
        assert_eq!(results, before);
    }
}
