//! Precision and recall of duplicate detection, counted in pairs of results.

use crate::eval::collection::Document;
use crate::eval::sources::document_of;
use crate::eval::tokenizer::terms;
use domain::result::ResultItem;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Pairs {
    /// Pairs of a document and its duplicate in the responses of the sources.
    pub planted: usize,
    /// Those in one group of the merged list.
    pub found: usize,
    /// Pairs of different documents in one group.
    pub wrong: usize,
}

impl Pairs {
    pub fn of(lists: &[Vec<usize>], merged: &[ResultItem], documents: &[Document]) -> Self {
        let mut pairs = Self { planted: planted(lists), ..Self::default() };
        for item in merged.iter().filter(|item| !item.duplicates.is_empty()) {
            let urls = std::iter::once(&item.url).chain(item.duplicates.iter().map(|one| &one.url));
            let group: Vec<usize> = urls.filter_map(|url| document_of(url)).collect();
            for (place, first) in group.iter().enumerate() {
                for second in &group[place + 1..] {
                    if first == second {
                        pairs.found += 1;
                    } else {
                        // Some collections contain a text twice; grouping it is neither right nor wrong.
                        pairs.wrong += usize::from(!have_same_terms(&documents[*first], &documents[*second]));
                    }
                }
            }
        }
        pairs
    }

    pub fn add(&mut self, other: Self) {
        self.planted += other.planted;
        self.found += other.found;
        self.wrong += other.wrong;
    }

    /// Fraction of the grouped pairs that are duplicates; `None` without groups.
    pub fn precision(&self) -> Option<f64> {
        let grouped = self.found + self.wrong;
        (grouped > 0).then(|| self.found as f64 / grouped as f64)
    }

    /// Fraction of the planted pairs that were grouped; `None` if none were planted.
    pub fn recall(&self) -> Option<f64> {
        (self.planted > 0).then(|| self.found as f64 / self.planted as f64)
    }
}

fn planted(lists: &[Vec<usize>]) -> usize {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    lists.iter().flatten().for_each(|document| *counts.entry(*document).or_default() += 1);
    counts.values().map(|count| count * (count - 1) / 2).sum()
}

fn have_same_terms(a: &Document, b: &Document) -> bool {
    terms(&a.whole()).eq(terms(&b.whole()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::Duplicate;

    fn item(place: usize, duplicates: &[usize]) -> ResultItem {
        let url = |place: &usize| format!("https://source1.example/documents/{place}");
        let duplicates =
            duplicates.iter().map(|place| Duplicate { url: url(place), ..Duplicate::default() }).collect();
        ResultItem { url: url(&place), duplicates, ..ResultItem::default() }
    }

    #[test]
    fn pairs_by_hand() {
        let document = |text: &str| Document { text: text.to_owned(), ..Document::default() };
        let documents = ["tea", "coffee", "milk", "Milk!", "water"].map(document);
        let lists = [vec![0, 1, 2], vec![0, 3], vec![1, 4]];
        let table: &[(&[ResultItem], Pairs)] = &[
            (&[], Pairs { planted: 2, found: 0, wrong: 0 }),
            (&[item(0, &[0]), item(1, &[1])], Pairs { planted: 2, found: 2, wrong: 0 }),
            (&[item(0, &[0, 4])], Pairs { planted: 2, found: 1, wrong: 2 }),
            (&[item(2, &[3])], Pairs { planted: 2, found: 0, wrong: 0 }),
        ];
        for (merged, expected) in table {
            assert_eq!(Pairs::of(&lists, merged, &documents), *expected);
        }
        let pairs = Pairs { planted: 4, found: 3, wrong: 1 };
        assert_eq!((pairs.precision(), pairs.recall()), (Some(0.75), Some(0.75)));
        assert_eq!((Pairs::default().precision(), Pairs::default().recall()), (None, None));
    }
}
