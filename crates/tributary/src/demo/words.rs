//! A simple ranking by word frequency for sample sources without a database.

use syntax::query_string::other_spelling;

/// The texts of a record. Key and title count three times.
pub struct Texts<'a> {
    /// Such as `RB-171`; empty if the records have none.
    pub key: &'a str,
    pub title: &'a str,
    pub body: &'a str,
}

/// Records that contain at least one query word, best first. A code such as `RB-171` is one word in any spelling.
pub fn ranked<'a, T>(records: &'a [T], query: &str, texts: impl Fn(&'a T) -> Texts<'a>) -> Vec<&'a T> {
    let mut wanted: Vec<String> = words(query).collect();
    let joined = wanted.windows(2).filter_map(|pair| code(&pair.concat())).collect::<Vec<_>>();
    wanted.extend(joined);
    let mut scored: Vec<(usize, &T)> = records
        .iter()
        .map(|record| {
            let Texts { key, title, body } = texts(record);
            (3 * (hits(key, &wanted) + hits(title, &wanted)) + hits(body, &wanted), record)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, record)| record).collect()
}

/// Distinct words count much more than repetitions.
fn hits(text: &str, wanted: &[String]) -> usize {
    let counts = wanted.iter().map(|word| words(text).filter(|own| own == word).count());
    counts.map(|count| if count == 0 { 0 } else { 10 + count }).sum()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').flat_map(|piece| match code(piece) {
        Some(code) => vec![code],
        None => piece.split('-').filter(|word| !word.is_empty()).map(stem).collect(),
    })
}

fn stem(word: &str) -> String {
    word.to_lowercase().trim_end_matches('s').to_owned()
}

/// `rb171` of `RB-171` and `RB171`; `None` for other words.
fn code(word: &str) -> Option<String> {
    other_spelling(word).map(|_| word.replace('-', "").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(record: &'a (&str, &str)) -> Texts<'a> {
        Texts { key: "", title: record.0, body: record.1 }
    }

    #[test]
    fn more_words_win() {
        let records = [("River", "a boat"), ("Flood warning", "river"), ("Nothing", "here")];
        let found = ranked(&records, "river floods", texts);
        assert_eq!(found, [&records[1], &records[0]]);
    }

    #[test]
    fn a_code_is_one_word() {
        let records = [("RB-170: Pump", ""), ("RB-171: Late reading", ""), ("Pump", "171 metres, see RB")];
        for query in ["RB-171", "rb171", "RB 171"] {
            let found = ranked(&records, query, texts);
            assert_eq!(found.first(), Some(&&records[1]), "{query}");
            assert!(!found.contains(&&records[0]), "{query}");
        }
        let found = ranked(&records, "late-reading", texts);
        assert_eq!(found, [&records[1]]);
    }
}
