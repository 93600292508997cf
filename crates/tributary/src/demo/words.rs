//! A simple ranking by word frequency for sample sources without a database.

/// The texts of a record. The title counts three times.
pub struct Texts<'a> {
    pub title: &'a str,
    pub body: &'a str,
}

/// Records that contain at least one query word, best first.
pub fn ranked<'a, T>(records: &'a [T], query: &str, texts: impl Fn(&'a T) -> Texts<'a>) -> Vec<&'a T> {
    let wanted: Vec<String> = words(query).collect();
    let mut scored: Vec<(usize, &T)> = records
        .iter()
        .map(|record| {
            let Texts { title, body } = texts(record);
            (3 * hits(title, &wanted) + hits(body, &wanted), record)
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
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().trim_end_matches('s').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_words_win() {
        let records = [("River", "a boat"), ("Flood warning", "river"), ("Nothing", "here")];
        let found = ranked(&records, "river floods", |record| Texts { title: record.0, body: record.1 });
        assert_eq!(found, [&records[1], &records[0]]);
    }
}
