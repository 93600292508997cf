//! What is known of the document of a source: its title, its date and its versions.

use super::vocabulary::DOCUMENT_KINDS;
use super::words::{Stems, words};
use crate::prompt::PromptSource;
use chrono::{Datelike, NaiveDate};
use domain::result::ResultItem;
use relevancy::Language;
use std::collections::BTreeSet;
use syntax::dates::instant;
use syntax::strip_html::readable;

/// Years in a title.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

pub(super) struct Document<'a> {
    item: &'a ResultItem,
    /// Its number in the citations.
    pub n: u32,
    /// The stems of its title without words such as "policy".
    pub title: Stems,
    years: BTreeSet<i32>,
    /// When it was published, if that is known.
    pub date: Option<NaiveDate>,
}

impl<'a> Document<'a> {
    pub fn of(language: Language, source: &'a PromptSource) -> Self {
        let item = &source.source.item;
        let named = words(language, &readable(&item.title));
        let says_more = named.into_iter().filter(|word| !DOCUMENT_KINDS.contains(&word.lower.as_str()));
        let title: Stems = says_more.filter_map(|word| word.stem).collect();
        let years =
            title.iter().filter_map(|word| word.parse::<i32>().ok()).filter(|year| YEARS.contains(year));
        let years = years.collect();
        let date = instant(&item.date_published).map(|time| time.date_naive());
        Self { item, n: source.n, title, years, date }
    }

    pub fn year(&self) -> Option<i32> {
        self.date.map(|date| date.year())
    }

    /// Whether both can be about the same: they are neither documents of one kind about two subjects, such as "Hull office"
    /// and "Leeds office" or two editions, nor about two years. Dates name their years themselves.
    pub fn fits(&self, other: &Self, is_date: bool) -> bool {
        let has_own = |one: &Stems, two: &Stems| one.difference(two).next().is_some();
        let is_parallel = self.title.intersection(&other.title).next().is_some()
            && has_own(&self.title, &other.title)
            && has_own(&other.title, &self.title);
        !is_parallel && (is_date || self.years == other.years)
    }

    /// Whether both are the same document or versions of one: there the version that counts is shown, and the others do
    /// not contradict it.
    pub fn is_version_of(&self, other: &Self) -> bool {
        let (one, two) = (self.item, other.item);
        let address = |item: &'a ResultItem| item.url.split('#').next().filter(|url| !url.is_empty());
        let is_same_address = address(one).is_some() && address(one) == address(two);
        let is_same_group = one.group.is_some_and(|own| two.group.is_some_and(|its| own.group == its.group));
        let (Some(own), Some(its)) = (&one.cache, &two.cache) else {
            return is_same_address || is_same_group;
        };
        let cluster = |mark: &domain::corpus::CacheStatus| mark.cluster.as_ref().map(|cluster| cluster.key);
        is_same_address
            || is_same_group
            || own.signal_id == its.signal_id
            || (cluster(own).is_some() && cluster(own) == cluster(its))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sources;
    use domain::result_group::GroupPlace;

    fn source(title: &str, url: &str, group: Option<u32>) -> PromptSource {
        let mut source = sources(&[(url, "")]).remove(0);
        source.source.item.title = title.to_owned();
        source.source.item.group = group.map(|group| GroupPlace { group, place: 0 });
        source
    }

    #[test]
    fn documents_about_two_subjects_do_not_fit() {
        for (one, other, expected) in [
            ("Leave policy", "Leave handbook", true),
            ("Hull office", "Leeds office", false),
            ("Hull office", "<em>Office</em> in Hull: data sheet", true),
            ("Annual report 2022", "Annual report 2023", false),
            ("Report 2022", "News", false),
            ("Lease v2", "Lease v3", false),
            ("", "News", true),
        ] {
            let (one, other) = (source(one, "", None), source(other, "", None));
            let (one, other) =
                (Document::of(Language::ENGLISH, &one), Document::of(Language::ENGLISH, &other));
            assert_eq!(one.fits(&other, false), expected, "{:?} {:?}", one.title, other.title);
        }
    }

    #[test]
    fn versions_are_known_by_address_and_group() {
        for (one, other, expected) in [
            (source("", "https://a.example/x#one", None), source("", "https://a.example/x", None), true),
            (source("", "https://a.example/x", None), source("", "https://a.example/y", None), false),
            (source("", "", None), source("", "", None), false),
            (source("", "", Some(3)), source("", "", Some(3)), true),
            (source("", "", Some(3)), source("", "", Some(4)), false),
        ] {
            let (one, other) =
                (Document::of(Language::ENGLISH, &one), Document::of(Language::ENGLISH, &other));
            assert_eq!(one.is_version_of(&other), expected);
        }
    }
}
