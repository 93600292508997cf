//! The result list with its header, filters and pages; as a whole for the page, and as fragments for an open page.

use super::facets::FacetsView;
use super::query::{Fields, ListQuery};
use super::result::{ResultView, folded};
use super::sources::{self, SourceView};
use super::view_context::ViewContext;
use crate::api::search::{log_view, own_search};
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::links::Links;
use crate::state::AppState;
use crate::ui::page_context::PageContext;
use axum::Json;
use axum::extract::{RawQuery, State};
use domain::ids::SearchId;
use domain::mixed::{MixedInfo, MixedResponse};
use domain::notice::{self, Notice, NoticeKind};
use domain::ports::MixerKind;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::{FALLBACK_MIXER, Search};
use federation::ResultFilter;
use serde::Serialize;
use std::sync::Arc;

/// Linked pages on each side of the current one.
const NEIGHBOURS: u32 = 2;
const FORMATS: [&str; 4] = ["csv", "json", "bibtex", "rss"];

/// In templates: `list`.
#[derive(Debug, Serialize)]
pub struct ListView {
    search_id: SearchId,
    is_running: bool,
    total: u64,
    found: u64,
    seconds: String,
    /// Why the search could not run.
    notes: Vec<String>,
    /// Results hidden because they have no date, and because of preferences.
    undated: usize,
    unwanted: usize,
    pub results: Vec<ResultView>,
    pub rail: Vec<SourceView>,
    /// Number of sources still running, and names of those that failed.
    asking: usize,
    missing: Vec<String>,
    /// The sort order leaves out results without a date, and no others.
    needs_dates: bool,
    orders: Vec<Order>,
    facets: Option<FacetsView>,
    page: u32,
    pages: Vec<PageLink>,
    previous: Option<String>,
    next: Option<String>,
    /// The list without filters.
    clear: Option<String>,
    exports: Vec<(&'static str, String)>,
}

#[derive(Debug, Serialize)]
struct Order {
    name: &'static str,
    summary: &'static str,
    href: String,
    is_on: bool,
    /// Has a button; the others are in a menu.
    is_first: bool,
}

#[derive(Debug, PartialEq, Serialize)]
struct PageLink {
    /// 0 for a gap.
    number: u32,
    href: String,
    is_current: bool,
}

/// Inputs of the list.
pub struct Listing<'a> {
    pub state: &'a AppState,
    pub context: &'a PageContext,
    pub search: &'a Search,
    pub query: &'a ListQuery,
    /// The queried providers while the search runs.
    pub asked: &'a [SearchProvider],
}

impl Listing<'_> {
    pub fn view(&self, mixed: MixedResponse) -> ListView {
        let Self { state, search, query, .. } = self;
        let MixedResponse { notices, info, results, .. } = mixed;
        let is_running = !search.status.is_final();
        let rail = sources::rail(state, &info, if is_running { self.asked } else { &[] });
        let mixer = self.mixer();
        let page_size = search.spec.page_size();
        let last =
            u32::try_from(info.results.retrieved_total.div_ceil(u64::from(page_size))).unwrap_or(u32::MAX);
        let at = |page: u32| query.on_page(page).href(search.id);
        ListView {
            search_id: search.id,
            is_running,
            total: info.results.retrieved_total,
            found: info.results.found_total,
            seconds: sources::format_seconds(info.results.federation_time),
            notes: if search.status.is_error() { notice::lines(&search.notices) } else { Vec::new() },
            undated: count(&notices, |kind| match kind {
                NoticeKind::HidUndated { count, .. } => Some(*count),
                _ => None,
            }),
            unwanted: count(&notices, |kind| match kind {
                NoticeKind::HidByPreferences { count } => Some(*count),
                _ => None,
            }),
            results: self.results(&info, results, mixer),
            asking: rail.iter().filter(|line| line.is_asking()).count(),
            missing: rail.iter().filter(|line| line.is_missing()).map(|line| line.name.clone()).collect(),
            rail,
            orders: self.orders(mixer),
            needs_dates: mixer.is_some_and(|kind| kind.by_date && !kind.shows_only_new),
            facets: info.facets.as_ref().map(|facets| FacetsView::of(query, search.id, facets)),
            page: query.page,
            pages: page_links(query.page, last, at),
            previous: (query.page > 1).then(|| at((query.page - 1).min(last.max(1)))),
            next: (query.page < last).then(|| at(query.page + 1)),
            clear: (!query.filter.is_none())
                .then(|| query.narrowed(|filter| *filter = ResultFilter::default()).href(search.id)),
            exports: FORMATS.map(|format| (format, self.export(format))).to_vec(),
        }
    }

    /// The mixer in use; unknown names are replaced by the fallback.
    fn mixer(&self) -> Option<&'static MixerKind> {
        let plugins = &self.state.plugins;
        let wanted = self.query.sort.as_deref().unwrap_or(&self.search.spec.result_mixer);
        plugins.mixer(wanted).or_else(|| plugins.mixer(FALLBACK_MIXER))
    }

    fn results(
        &self,
        info: &MixedInfo,
        items: Vec<ResultItem>,
        mixer: Option<&MixerKind>,
    ) -> Vec<ResultView> {
        let shows_groups = mixer.is_some_and(|kind| kind.shows_groups);
        let ids = info.providers.iter().map(|(name, one)| (name.clone(), sources::id_of(one))).collect();
        let view_context = ViewContext {
            language: self.context.language,
            ids: &ids,
            now: self.state.clock.now(),
            topic: self.search.topic(),
        };
        let mut shown = folded(items.into_iter().map(|item| view_context.result(item)).collect());
        let sources: Vec<String> = shown.iter().map(|result| result.source().to_owned()).collect();
        for (place, result) in shown.iter_mut().enumerate() {
            let is_alone = sources.get(place + 1) != Some(&sources[place]);
            let opens = place == 0 || sources[place - 1] != sources[place];
            result.opens_group = shows_groups && opens && !is_alone;
        }
        shown
    }

    fn orders(&self, mixer: Option<&MixerKind>) -> Vec<Order> {
        let mixers = self.state.plugins.mixers.iter();
        let mut orders: Vec<Order> = mixers
            .map(|kind| Order {
                name: kind.name,
                summary: kind.summary,
                href: self.query.sorted_by(kind.name).href(self.search.id),
                is_on: mixer.is_some_and(|mixer| mixer.name == kind.name),
                is_first: kind.is_common,
            })
            .collect();
        orders.sort_by_key(|order| !order.is_first);
        orders
    }

    fn export(&self, format: &str) -> String {
        let mut pairs = url::form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("search_id", &self.search.id.to_string()).append_pair("format", format);
        pairs.extend_pairs(self.query.sort.as_ref().map(|sort| ("result_mixer", sort)));
        pairs.extend_pairs(self.query.filter.parameters());
        format!("{}/results/export/?{}", self.context.api, pairs.finish())
    }
}

/// The fragments of the list for an open page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFragments {
    search: SearchId,
    /// The keys of the results, in order.
    ids: Vec<String>,
    results: Vec<ResultFragment>,
    head: String,
    facets: String,
    pages: String,
    note: String,
    is_final: bool,
}

#[derive(Debug, Serialize)]
pub struct ResultFragment {
    id: String,
    html: String,
}

impl ListFragments {
    /// `is_new` decides whether the fragment of a result is sent.
    pub fn of(
        state: &AppState,
        context: &PageContext,
        list: &ListView,
        mut is_new: impl FnMut(&str, &str) -> bool,
    ) -> Result<Self, ApiError> {
        #[derive(Serialize)]
        struct OneResult<'a> {
            result: &'a ResultView,
        }
        #[derive(Serialize)]
        struct WholeList<'a> {
            list: &'a ListView,
        }
        let piece = |name: &str| state.templates.render(name, context, WholeList { list });
        let mut results = Vec::new();
        for result in &list.results {
            let html = state.templates.render("search/result.html", context, OneResult { result })?;
            if is_new(&result.key, &html) {
                results.push(ResultFragment { id: result.key.clone(), html });
            }
        }
        Ok(Self {
            search: list.search_id,
            ids: list.results.iter().map(|result| result.key.clone()).collect(),
            results,
            head: piece("search/head.html")?,
            facets: piece("search/facets.html")?,
            pages: piece("search/pages.html")?,
            note: piece("search/note.html")?,
            is_final: !list.is_running,
        })
    }
}

/// `/search/{id}/list/`: the fragments of the list of a finished search. 503 while it runs; use the stream then.
pub async fn read_list(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
    RawQuery(query): RawQuery,
) -> Result<Json<ListFragments>, ApiError> {
    let query = ListQuery::parse(&Fields::parse(&query.unwrap_or_default()))?;
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let mixed = state.federation.mixer.mix(&search, &query.request(links.base())).await?;
    log_view(&search, &mixed);
    let listing = Listing { state: &state, context: &context, search: &search, query: &query, asked: &[] };
    let list = listing.view(mixed);
    ListFragments::of(&state, &context, &list, |_, _| true).map(Json)
}

/// The count of the first notice of this kind; 0 without one.
fn count(notices: &[Notice], of_kind: impl Fn(&NoticeKind) -> Option<usize>) -> usize {
    notices.iter().find_map(|notice| of_kind(&notice.kind)).unwrap_or_default()
}

/// The first page, those around the current one, and the last; gaps have the number 0.
fn page_links(current: u32, last: u32, href: impl Fn(u32) -> String) -> Vec<PageLink> {
    if last < 2 {
        return Vec::new();
    }
    let near = current.saturating_sub(NEIGHBOURS).max(1)..=current.saturating_add(NEIGHBOURS).min(last);
    let mut numbers: Vec<u32> = std::iter::once(1).chain(near).chain([last]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut links = Vec::new();
    let mut before = 0;
    for number in numbers {
        if number > before + 1 {
            links.push(PageLink { number: 0, href: String::new(), is_current: false });
        }
        links.push(PageLink { number, href: href(number), is_current: number == current });
        before = number;
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_pages() {
        let table = [
            (1, 1, ""),
            (1, 2, "[1] 2"),
            (2, 3, "1 [2] 3"),
            (1, 9, "[1] 2 3 … 9"),
            (5, 9, "1 … 3 4 [5] 6 7 … 9"),
            (9, 9, "1 … 7 8 [9]"),
            (40, 3, "1 … 3"),
        ];
        for (current, last, expected) in table {
            let links = page_links(current, last, |page| page.to_string());
            let shown: Vec<String> = links
                .iter()
                .map(|link| match (link.number, link.is_current) {
                    (0, _) => "…".to_owned(),
                    (number, true) => format!("[{number}]"),
                    (number, false) => number.to_string(),
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{current} of {last}");
        }
    }
}
