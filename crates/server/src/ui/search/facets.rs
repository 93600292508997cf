//! Filters of the result list. Sources and authors are checkboxes of a form, dates and years are links.

use super::query::ListQuery;
use super::sources::{SourceChoice, SourceView};
use super::years::{YearBar, year_bars};
use domain::ids::SearchId;
use domain::mixed::{AuthorFacet, DateFacet, Facets, SourceFacet};
use serde::Serialize;

/// In templates: `list.facets`.
#[derive(Debug, Serialize)]
pub struct FacetsView {
    authors: Vec<Facet>,
    dates: Vec<Facet>,
    years: Vec<YearBar>,
    starred: Facet,
    new: Facet,
    /// What a form keeps of the list: names and values.
    hidden: Vec<(&'static str, String)>,
}

/// One entry of a filter.
#[derive(Debug, Default, Serialize)]
struct Facet {
    name: String,
    count: u64,
    is_on: bool,
    /// The list with this filter, or without it; only for dates.
    href: String,
}

impl FacetsView {
    pub fn of(query: &ListQuery, search: SearchId, facets: &Facets) -> Self {
        let filter = &query.filter;
        Self {
            authors: facets.authors.iter().map(|facet| author(query, facet)).collect(),
            dates: facets.dates.iter().map(|facet| date(query, search, facet)).collect(),
            years: year_bars(query, search, &facets.years),
            starred: Facet { count: facets.starred, is_on: filter.starred, ..Facet::default() },
            new: Facet { count: facets.new, is_on: filter.new, ..Facet::default() },
            hidden: hidden(query, search),
        }
    }
}

fn author(query: &ListQuery, facet: &AuthorFacet) -> Facet {
    let is_same = |name: &String| name.to_lowercase() == facet.name.to_lowercase();
    let is_on = query.filter.authors.iter().any(is_same);
    Facet { name: facet.name.clone(), count: facet.count, is_on, href: String::new() }
}

fn date(query: &ListQuery, search: SearchId, facet: &DateFacet) -> Facet {
    let is_on = query.filter.date.is_some_and(|own| own.to_string() == facet.key);
    let other = query.narrowed(|filter| filter.date = facet.key.parse().ok().filter(|_| !is_on));
    Facet { name: facet.key.clone(), count: facet.count, is_on, href: other.href(search) }
}

/// The fields that are no checkboxes.
fn hidden(query: &ListQuery, search: SearchId) -> Vec<(&'static str, String)> {
    let mut fields = vec![("search_id", search.to_string())];
    fields.extend(query.sort.clone().map(|sort| ("sort", sort)));
    fields.extend(query.filter.date.map(|date| ("date", date.to_string())));
    fields.extend(query.filter.not_providers.iter().map(|id| ("not_providers", id.to_string())));
    fields
}

/// Makes the sources with results choices, and those in the filter.
pub fn add_choices(rail: &mut [SourceView], query: &ListQuery, search: SearchId, facets: &[SourceFacet]) {
    for source in rail {
        let id = source.id;
        let count = facets.iter().find(|facet| facet.provider_id == id).map_or(0, |facet| facet.count);
        let is_on = query.filter.providers.contains(&id);
        let is_without = query.filter.not_providers.contains(&id);
        if count == 0 && !is_on && !is_without {
            continue;
        }
        let other = query.narrowed(|filter| {
            filter.providers.retain(|own| *own != id);
            toggle(&mut filter.not_providers, id);
        });
        source.choice = Some(SourceChoice { count, is_on, is_without, without: other.href(search) });
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
    use domain::ids::{ProviderId, UserId};
    use domain::mixed::YearFacet;
    use domain::provider::{ProviderSpec, SearchProvider};

    fn list(query: &str) -> ListQuery {
        ListQuery::parse(&Fields::parse(query)).expect("a list")
    }

    fn source(id: i64) -> SourceView {
        let mut provider = SearchProvider::unsaved(ProviderSpec::default(), UserId(1), Default::default());
        provider.id = ProviderId(id);
        SourceView::asking(&provider)
    }

    fn view(query: &str) -> FacetsView {
        let author = |name: &str| AuthorFacet { name: name.into(), count: 4 };
        let facets = Facets {
            sources: Vec::new(),
            authors: vec![author("A. Writer"), author("B. Writer"), author("C. Writer")],
            dates: vec![DateFacet { key: "week".into(), count: 2 }],
            years: vec![YearFacet { year: 2021, count: 2 }, YearFacet { year: 2022, count: 1 }],
            starred: 1,
            new: 0,
        };
        FacetsView::of(&list(query), SearchId(7), &facets)
    }

    #[test]
    fn several_authors_can_be_on() {
        let on = |query: &str| view(query).authors.iter().map(|author| author.is_on).collect::<Vec<_>>();
        assert_eq!(on(""), [false, false, false]);
        assert_eq!(on("author=a.+writer"), [true, false, false]);
        assert_eq!(on("author=A.+Writer&author=c.+writer"), [true, false, true]);
        assert_eq!(on("author=A.+Writer;C.+Writer"), [true, false, true]);
    }

    #[test]
    fn dates_are_links_and_the_form_keeps_the_rest() {
        let off = view("page=3&sort=DateMixer");
        assert_eq!(off.dates[0].href, "/?search_id=7&sort=DateMixer&date=week");
        assert_eq!(off.years.len(), 2);
        let on = view("sort=DateMixer&date=week&author=x&providers=2&not_providers=3&starred=true");
        let rest = "/?search_id=7&sort=DateMixer&providers=2&not_providers=3&author=x&starred=true";
        assert!(on.dates[0].is_on && on.starred.is_on && !on.new.is_on);
        assert_eq!(on.dates[0].href, rest);
        let fields: Vec<String> = on.hidden.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(fields, ["search_id=7", "sort=DateMixer", "date=week", "not_providers=3"]);
    }

    #[test]
    fn sources_with_results_are_choices() {
        let facets = [SourceFacet { provider_id: ProviderId(1), name: "P1".into(), count: 5 }];
        let choices = |query: &str| {
            let mut rail = [1, 2].map(source);
            add_choices(&mut rail, &list(query), SearchId(7), &facets);
            rail.map(|source| source.choice)
        };
        let [one, two] = choices("");
        let one = one.expect("a choice");
        assert_eq!((one.count, one.is_on, one.is_without), (5, false, false));
        assert_eq!((one.without.as_str(), two.is_some()), ("/?search_id=7&not_providers=1", false));

        let [one, two] = choices("providers=1,2");
        let (one, two) = (one.expect("a choice"), two.expect("a choice"));
        assert_eq!((one.is_on, two.is_on, two.count), (true, true, 0));
        assert_eq!(one.without, "/?search_id=7&providers=2&not_providers=1");

        let [one, _] = choices("not_providers=1");
        let one = one.expect("a choice");
        assert_eq!((one.is_without, one.without.as_str()), (true, "/?search_id=7"));
    }
}
