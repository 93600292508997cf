//! Facets: how many results each filter would show.

use super::attributes::{Attributes, fold_name};
use super::filter::{DateFilter, FilterPart, ResultFilter};
use chrono::Datelike;
use domain::ids::ProviderId;
use domain::instant::Instant;
use domain::mixed::{AuthorFacet, DateFacet, Facets, SourceFacet, YearFacet};
use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;

/// Most authors in the facet, those with most results first.
const AUTHORS_MAX: usize = 20;
/// Years that a date filter can name.
const YEARS: RangeInclusive<i32> = 1..=9999;

/// Counts over the unfiltered list, which still has every result of a group: each group counts once per value, because
/// the list shows one result of it. Each facet ignores its own part of the filter, so that its counts do not change
/// when one of its values is chosen.
pub(super) fn count(list: &[Attributes<'_>], filter: &ResultFilter, now: Instant) -> Facets {
    let prepared = filter.prepare(now);
    let prepared = &prepared;
    let except = |part| list.iter().filter(move |attributes| prepared.keeps(attributes, Some(part)));
    Facets {
        sources: sources(except(FilterPart::Source), list, filter),
        authors: authors(except(FilterPart::Author), filter),
        dates: dates(&except(FilterPart::Date).collect::<Vec<_>>(), now),
        years: years(except(FilterPart::Date)),
        starred: count_shown(except(FilterPart::Starred).filter(|attributes| attributes.is_starred)),
        new: count_shown(except(FilterPart::New).filter(|attributes| attributes.is_new)),
    }
}

fn count_shown<'a>(kept: impl Iterator<Item = &'a Attributes<'a>>) -> u64 {
    let mut seen = HashSet::new();
    kept.filter(|attributes| attributes.group().is_none_or(|group| seen.insert(group))).count() as u64
}

/// A provider in the filter is always included, so that it can be removed again.
fn sources<'a>(
    kept: impl Iterator<Item = &'a Attributes<'a>>,
    list: &[Attributes<'_>],
    filter: &ResultFilter,
) -> Vec<SourceFacet> {
    let mut counts: BTreeMap<ProviderId, (String, u64)> = BTreeMap::new();
    let named = |id: &ProviderId| filter.providers.contains(id) || filter.not_providers.contains(id);
    for attributes in list.iter().filter(|attributes| named(&attributes.candidate.set.provider)) {
        let set = attributes.candidate.set;
        counts.entry(set.provider).or_insert_with(|| (set.provider_name.clone(), 0));
    }
    let mut seen = HashSet::new();
    for attributes in kept {
        let set = attributes.candidate.set;
        if attributes.group().is_some_and(|group| !seen.insert((set.provider, group))) {
            continue;
        }
        counts.entry(set.provider).or_insert_with(|| (set.provider_name.clone(), 0)).1 += 1;
    }
    let mut facets: Vec<SourceFacet> = counts
        .into_iter()
        .map(|(provider_id, (name, count))| SourceFacet { provider_id, name, count })
        .collect();
    facets.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name)));
    facets
}

fn authors<'a>(kept: impl Iterator<Item = &'a Attributes<'a>>, filter: &ResultFilter) -> Vec<AuthorFacet> {
    let mut counts: BTreeMap<String, (String, u64)> = BTreeMap::new();
    let mut seen = HashSet::new();
    for attributes in kept {
        for author in &attributes.authors {
            if attributes.group().is_none_or(|group| seen.insert((author.key.clone(), group))) {
                counts.entry(author.key.clone()).or_insert_with(|| (author.name.clone(), 0)).1 += 1;
            }
        }
    }
    let mut chosen: BTreeMap<String, (String, u64)> = BTreeMap::new();
    for name in &filter.authors {
        let key = fold_name(name);
        let counted = counts.remove(&key);
        chosen.entry(key).or_insert_with(|| counted.unwrap_or_else(|| (name.trim().to_owned(), 0)));
    }
    let facet = |(name, count): (String, u64)| AuthorFacet { name, count };
    let mut facets: Vec<AuthorFacet> = counts.into_values().map(facet).collect();
    let order = |one: &AuthorFacet, other: &AuthorFacet| {
        other.count.cmp(&one.count).then_with(|| one.name.cmp(&other.name))
    };
    facets.sort_by(order);
    facets.truncate(AUTHORS_MAX.saturating_sub(chosen.len()));
    facets.extend(chosen.into_values().map(facet));
    facets.sort_by(order);
    facets
}

fn dates(kept: &[&Attributes<'_>], now: Instant) -> Vec<DateFacet> {
    let count = |date: DateFilter| {
        count_shown(kept.iter().copied().filter(|attributes| date.keeps(attributes.published, now)))
    };
    DateFilter::NAMED.map(|date| DateFacet { key: date.to_string(), count: count(date) }).to_vec()
}

/// Results by year of publication, in order.
fn years<'a>(kept: impl Iterator<Item = &'a Attributes<'a>>) -> Vec<YearFacet> {
    let mut counts: BTreeMap<i32, u64> = BTreeMap::new();
    let mut seen = HashSet::new();
    for attributes in kept {
        let Some(year) = attributes.published.map(|published| published.date_naive().year()) else {
            continue;
        };
        if YEARS.contains(&year) && attributes.group().is_none_or(|group| seen.insert((year, group))) {
            *counts.entry(year).or_default() += 1;
        }
    }
    counts.into_iter().map(|(year, count)| YearFacet { year, count }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::star_threshold::StarThreshold;
    use super::*;
    use domain::ports::Candidate;
    use domain::result::{ResultItem, ResultSet};
    use domain::result_group::GroupPlace;
    use domain::settings::Settings;
    use syntax::dates::instant;
    use testkit::builders::{self, result_set};

    fn set(provider: i64, items: Vec<ResultItem>) -> ResultSet {
        result_set(provider).named(&format!("P{provider}")).items(items).build()
    }

    fn item(author: &str, date: &str, confidence: f64, new: Option<u8>) -> ResultItem {
        ResultItem { new, ..builders::item("").author(author).date(date).confidence(confidence).build() }
    }

    /// As `sources | authors | dates | starred new`.
    fn counted(filter: &ResultFilter) -> String {
        let now = instant("2024-05-31").expect("a time");
        let sets = [
            set(1, vec![item("Ann; Bob", "2024-05-30", 0.9, None), item("Ann", "2024-05-10", 0.1, Some(1))]),
            set(2, vec![item("ANN", "2020-01-01", 0.8, None), item("", "unknown", 0.2, Some(1))]),
            set(3, vec![item("Cid", "2023-12-01", 0.3, None)]),
        ];
        let threshold = StarThreshold::of(&Settings::default());
        let candidates =
            sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item }));
        let list: Vec<Attributes<'_>> =
            candidates.map(|candidate| Attributes::of(candidate, threshold)).collect();
        let facets = count(&list, filter, now);
        let sources = facets.sources.iter().map(|one| format!("{}:{}", one.name, one.count));
        let authors = facets.authors.iter().map(|one| format!("{}:{}", one.name, one.count));
        let dates = facets.dates.iter().map(|one| one.count.to_string());
        let line = |words: Vec<String>| words.join(" ");
        format!(
            "{} | {} | {} | {} {}",
            line(sources.collect()),
            line(authors.collect()),
            line(dates.collect()),
            facets.starred,
            facets.new
        )
    }

    #[test]
    fn a_facet_ignores_its_own_filter() {
        let none = ResultFilter::default;
        let cases = [
            (none(), "P1:2 P2:2 P3:1 | Ann:3 Bob:1 Cid:1 | 1 2 3 1 1 | 2 2"),
            (
                ResultFilter { providers: vec![ProviderId(2)], ..none() },
                "P1:2 P2:2 P3:1 | ANN:1 | 0 0 0 1 1 | 1 1",
            ),
            (
                ResultFilter { not_providers: vec![ProviderId(1)], ..none() },
                "P1:2 P2:2 P3:1 | ANN:1 Cid:1 | 0 0 1 1 1 | 1 1",
            ),
            (
                ResultFilter { authors: vec!["bob".into()], ..none() },
                "P1:1 | Ann:3 Bob:1 Cid:1 | 1 1 1 0 0 | 1 0",
            ),
            (
                ResultFilter { authors: vec!["Nobody".into()], ..none() },
                " | Ann:3 Bob:1 Cid:1 Nobody:0 | 0 0 0 0 0 | 0 0",
            ),
            (
                ResultFilter { authors: vec!["bob".into(), "CID".into(), " Bob".into()], ..none() },
                "P1:1 P3:1 | Ann:3 Bob:1 Cid:1 | 1 1 2 0 0 | 1 0",
            ),
            (ResultFilter { date: Some(DateFilter::Undated), ..none() }, "P2:1 |  | 1 2 3 1 1 | 0 1"),
            (ResultFilter { starred: true, ..none() }, "P1:1 P2:1 | Ann:2 Bob:1 | 1 1 1 1 0 | 2 0"),
            (
                ResultFilter { new: true, providers: vec![ProviderId(3)], ..none() },
                "P1:1 P2:1 P3:0 |  | 0 0 0 0 0 | 0 0",
            ),
        ];
        for (filter, expected) in cases {
            assert_eq!(counted(&filter), expected, "{filter:?}");
        }
    }

    #[test]
    fn a_group_counts_once_for_each_source() {
        let grouped = |author: &str, date: &str, place: u32| ResultItem {
            group: Some(GroupPlace { group: 1, place }),
            ..item(author, date, 0.9, None)
        };
        let sets = [
            set(1, vec![grouped("Ann", "2024-05-30", 0), grouped("Ann", "2024-05-30", 2)]),
            set(2, vec![grouped("Bob", "2020-01-01", 1), item("Ann", "2024-05-30", 0.1, None)]),
        ];
        let candidates =
            sets.iter().flat_map(|set| set.items.iter().map(move |item| Candidate { set, item }));
        let threshold = StarThreshold::of(&Settings::default());
        let list: Vec<Attributes<'_>> =
            candidates.map(|candidate| Attributes::of(candidate, threshold)).collect();
        let facets = count(&list, &ResultFilter::default(), instant("2024-05-31").expect("a time"));
        let counts: Vec<_> = facets.sources.iter().map(|one| (one.provider_id.0, one.count)).collect();
        assert_eq!(counts, [(2, 2), (1, 1)]);
        let counts: Vec<_> = facets.authors.iter().map(|one| (one.name.as_str(), one.count)).collect();
        assert_eq!(counts, [("Ann", 2), ("Bob", 1)]);
        assert_eq!(facets.dates.iter().map(|one| one.count).collect::<Vec<_>>(), [2, 2, 2, 1, 0]);
        let counts: Vec<_> = facets.years.iter().map(|one| (one.year, one.count)).collect();
        assert_eq!(counts, [(2020, 1), (2024, 2)]);
        assert_eq!(facets.starred, 1);
    }

    #[test]
    fn authors_are_bounded_and_the_chosen_ones_stay() {
        let items = (0..AUTHORS_MAX + 5).map(|n| item(&format!("A{n:02}"), "", 0.0, None)).collect();
        let set = set(1, items);
        let threshold = StarThreshold::of(&Settings::default());
        let list: Vec<Attributes<'_>> =
            set.items.iter().map(|item| Attributes::of(Candidate { set: &set, item }, threshold)).collect();
        let filter = ResultFilter { authors: vec!["a24".into()], ..ResultFilter::default() };
        let facets = count(&list, &filter, Instant::UNIX_EPOCH);
        assert_eq!(facets.authors.len(), AUTHORS_MAX);
        assert_eq!(facets.authors[AUTHORS_MAX - 1].name, "A24");
    }
}
