//! Documents of the fake cloud services: many about rivers, one for each hostile text, and a folder.

use chrono::{DateTime, Duration, SecondsFormat, TimeZone, Utc};
use std::collections::BTreeSet;
use testkit::hostile;
use testkit::suites::connector::MANY;

#[derive(Debug, Clone)]
pub struct Document {
    pub number: usize,
    pub title: String,
    pub date: DateTime<Utc>,
    pub is_folder: bool,
}

impl Document {
    pub fn date_text(&self) -> String {
        self.date.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    pub fn holds(&self, wanted: &[String]) -> bool {
        let own = words(&self.title);
        wanted.iter().all(|word| own.contains(word))
    }

    /// Whether the words occur in sequence.
    pub fn holds_phrase(&self, wanted: &[String]) -> bool {
        contains_phrase(&words(&self.title), wanted)
    }
}

/// Whether the words occur in sequence.
pub fn contains_phrase(own: &[String], wanted: &[String]) -> bool {
    wanted.is_empty() || own.windows(wanted.len()).any(|part| part == wanted)
}

/// Their dates are in no order.
pub fn documents() -> Vec<Document> {
    let day = |days: i64| Utc.with_ymd_and_hms(2023, 6, 1, 9, 0, 0).unwrap() + Duration::days(days);
    let count = i64::from(MANY) + 10;
    let rivers = (0..count).map(|n| (format!("river {n}"), day(200 + n * 17 % count), false));
    // Those with few words are the newest: sorted by date, the wanted one is among the first.
    let hostile = hostile::QUERIES.iter().map(|text| {
        let distinct: BTreeSet<String> = words(text).into_iter().collect();
        ((*text).to_owned(), day(100 - i64::try_from(distinct.len()).expect("a few words")), false)
    });
    let folder = [("river folder".to_owned(), day(100), true)];
    let all = rivers.chain(hostile).chain(folder).enumerate();
    all.map(|(number, (title, date, is_folder))| Document { number, title, date, is_folder }).collect()
}

/// Alphanumeric words, in lower case.
pub fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The shortest matching document is the best.
pub fn by_relevance(found: &mut [Document]) {
    found.sort_by_key(|document| (words(&document.title).len(), document.number));
}

pub fn newest_first(found: &mut [Document]) {
    found.sort_by_key(|document| std::cmp::Reverse(document.date));
}
