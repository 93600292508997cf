//! The filters in use. Each is a link that removes it.

use super::query::ListQuery;
use chrono::Datelike;
use domain::ids::{ProviderId, SearchId};
use federation::{DateFilter, ResultFilter};
use serde::Serialize;

#[derive(Debug, PartialEq, Serialize)]
pub struct Chip {
    kind: &'static str,
    name: String,
    href: String,
}

/// `name_of` names a source.
pub fn chips(query: &ListQuery, search: SearchId, name_of: impl Fn(ProviderId) -> String) -> Vec<Chip> {
    let filter = &query.filter;
    let mut chips = Vec::new();
    let mut push = |kind, name: String, change: &dyn Fn(&mut ResultFilter)| {
        chips.push(Chip { kind, name, href: query.narrowed(change).href(search) });
    };
    for id in &filter.providers {
        push("source", name_of(*id), &|filter| filter.providers.retain(|other| other != id));
    }
    for id in &filter.not_providers {
        push("without", name_of(*id), &|filter| filter.not_providers.retain(|other| other != id));
    }
    for author in &filter.authors {
        push("author", author.clone(), &|filter| filter.authors.retain(|other| other != author));
    }
    if let Some(date) = filter.date {
        push("date", date_name(date), &|filter| filter.date = None);
    }
    if filter.starred {
        push("starred", String::new(), &|filter| filter.starred = false);
    }
    if filter.new {
        push("new", String::new(), &|filter| filter.new = false);
    }
    chips
}

/// The value of a filter, or `2021` and `2015–2019` for whole years.
fn date_name(date: DateFilter) -> String {
    match date {
        DateFilter::Between(Some(from), Some(to))
            if from.ordinal() == 1 && (to.month(), to.day()) == (12, 31) =>
        {
            years_name(from.year(), to.year())
        }
        date => date.to_string(),
    }
}

pub fn years_name(from: i32, to: i32) -> String {
    if from == to { from.to_string() } else { format!("{from}–{to}") }
}

#[cfg(test)]
mod tests {
    use super::super::query::Fields;
    use super::*;

    #[test]
    fn each_chip_removes_its_filter() {
        let table = [
            ("", ""),
            (
                "providers=1,2&page=3",
                "source P1 /?search_id=7&providers=2|source P2 /?search_id=7&providers=1",
            ),
            ("not_providers=1", "without P1 /?search_id=7"),
            ("author=A&author=B", "author A /?search_id=7&author=B|author B /?search_id=7&author=A"),
            ("date=week&sort=DateMixer", "date week /?search_id=7&sort=DateMixer"),
            ("date=2021-01-01..2021-12-31", "date 2021 /?search_id=7"),
            ("date=2015-01-01..2019-12-31", "date 2015–2019 /?search_id=7"),
            ("date=2015-01-02..", "date 2015-01-02.. /?search_id=7"),
            ("starred=1&new=1", "starred  /?search_id=7&new=true|new  /?search_id=7&starred=true"),
        ];
        for (given, expected) in table {
            let query = ListQuery::parse(&Fields::parse(given)).expect("a list");
            let chips = chips(&query, SearchId(7), |id| format!("P{id}"));
            let shown: Vec<String> =
                chips.iter().map(|chip| format!("{} {} {}", chip.kind, chip.name, chip.href)).collect();
            assert_eq!(shown.join("|"), expected, "{given}");
        }
    }
}
