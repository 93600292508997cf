//! Filters of the result list. Each entry is a link that toggles the filter.

use super::query::ListQuery;
use super::sources::color;
use domain::ids::SearchId;
use domain::mixed::{AuthorFacet, DateFacet, Facets, SourceFacet};
use federation::ResultFilter;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct FacetsView {
    /// All sources together.
    all: Facet,
    sources: Vec<Facet>,
    dates: Vec<Facet>,
    authors: Vec<Facet>,
    starred: Facet,
    new: Facet,
}

/// One entry of a filter.
#[derive(Debug, Default, Serialize)]
struct Facet {
    name: String,
    count: u64,
    href: String,
    is_on: bool,
    /// Link that excludes this source; only for sources.
    without: Option<String>,
    is_without: bool,
    color: Option<i64>,
}

impl FacetsView {
    pub fn of(query: &ListQuery, search: SearchId, facets: &Facets) -> Self {
        let lines = Lines { query, search };
        Self {
            all: lines.all(facets.sources.iter().map(|source| source.count).sum()),
            sources: facets.sources.iter().map(|source| lines.source(source)).collect(),
            dates: facets.dates.iter().map(|date| lines.date(date)).collect(),
            authors: facets.authors.iter().map(|author| lines.author(author)).collect(),
            starred: Facet {
                count: facets.starred,
                is_on: query.filter.starred,
                href: lines.href(|filter| filter.starred = !filter.starred),
                ..Facet::default()
            },
            new: Facet {
                count: facets.new,
                is_on: query.filter.new,
                href: lines.href(|filter| filter.new = !filter.new),
                ..Facet::default()
            },
        }
    }
}

/// Builds the entries.
struct Lines<'a> {
    query: &'a ListQuery,
    search: SearchId,
}

impl Lines<'_> {
    /// The URL of the list with another filter.
    fn href(&self, change: impl FnOnce(&mut ResultFilter)) -> String {
        self.query.narrowed(change).href(self.search)
    }

    fn all(&self, count: u64) -> Facet {
        let filter = &self.query.filter;
        let href = self.href(|filter| {
            filter.providers.clear();
            filter.not_providers.clear();
        });
        let is_on = filter.providers.is_empty() && filter.not_providers.is_empty();
        Facet { count, is_on, href, ..Facet::default() }
    }

    fn source(&self, source: &SourceFacet) -> Facet {
        let (filter, id) = (&self.query.filter, source.provider_id);
        let href = self.href(|filter| {
            filter.not_providers.retain(|other| *other != id);
            toggle(&mut filter.providers, id);
        });
        let without = self.href(|filter| {
            filter.providers.retain(|other| *other != id);
            toggle(&mut filter.not_providers, id);
        });
        Facet {
            name: source.name.clone(),
            count: source.count,
            is_on: filter.providers.contains(&id),
            href,
            without: Some(without),
            is_without: filter.not_providers.contains(&id),
            color: Some(color(id)),
        }
    }

    fn date(&self, date: &DateFacet) -> Facet {
        let is_on = self.query.filter.date.is_some_and(|own| own.to_string() == date.key);
        let href = self.href(|filter| filter.date = date.key.parse().ok().filter(|_| !is_on));
        Facet { name: date.key.clone(), count: date.count, is_on, href, ..Facet::default() }
    }

    fn author(&self, author: &AuthorFacet) -> Facet {
        let own = self.query.filter.author.as_deref();
        let is_on = own.is_some_and(|own| own.to_lowercase() == author.name.to_lowercase());
        let href = self.href(|filter| filter.author = (!is_on).then(|| author.name.clone()));
        Facet { name: author.name.clone(), count: author.count, is_on, href, ..Facet::default() }
    }
}

fn toggle<T: PartialEq>(list: &mut Vec<T>, one: T) {
    match list.iter().position(|other| *other == one) {
        Some(place) => drop(list.remove(place)),
        None => list.push(one),
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::Fields;
    use super::*;
    use domain::ids::ProviderId;

    fn view(query: &str) -> FacetsView {
        let query = ListQuery::parse(&Fields::parse(query)).expect("a list");
        let source = |id, count| SourceFacet { provider_id: ProviderId(id), name: format!("P{id}"), count };
        let facets = Facets {
            sources: vec![source(1, 5), source(2, 3)],
            authors: vec![AuthorFacet { name: "A. Writer".into(), count: 4 }],
            dates: vec![DateFacet { key: "week".into(), count: 2 }],
            starred: 1,
            new: 0,
        };
        FacetsView::of(&query, SearchId(7), &facets)
    }

    #[test]
    fn each_entry_toggles_its_filter() {
        let off = view("page=3&sort=DateMixer");
        let href = |more: &str| format!("/?search_id=7&sort=DateMixer{more}");
        assert_eq!((off.all.count, off.all.is_on, off.sources[0].is_on), (8, true, false));
        assert_eq!(off.sources[1].href, href("&providers=2"));
        assert_eq!(off.sources[1].without.as_deref(), Some(href("&not_providers=2").as_str()));
        assert_eq!(
            (off.dates[0].href.clone(), off.starred.href.clone()),
            (href("&date=week"), href("&starred=true"))
        );
        assert_eq!(off.authors[0].href, href("&author=A.+Writer"));

        let on = view("sort=DateMixer&providers=2&date=week&author=a.+writer&starred=true");
        let rest = |left_out: &str| {
            let parts = ["&providers=2", "&author=a.+writer", "&date=week", "&starred=true"];
            href(&parts.into_iter().filter(|part| !part.contains(left_out)).collect::<String>())
        };
        assert!(!on.all.is_on && on.sources[1].is_on && on.authors[0].is_on && on.dates[0].is_on);
        assert_eq!((on.all.href, on.sources[1].href.clone()), (rest("providers"), rest("providers")));
        assert_eq!((on.dates[0].href.clone(), on.authors[0].href.clone()), (rest("date"), rest("author")));
        assert_eq!(on.starred.href, rest("starred"));

        let without = view("not_providers=1");
        assert!(without.sources[0].is_without && !without.all.is_on);
        assert_eq!(without.sources[0].without.as_deref(), Some("/?search_id=7"));
        assert_eq!(without.sources[0].href, "/?search_id=7&providers=1");
    }
}
