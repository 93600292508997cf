//! The result list with its header, filters and pages.

use super::advice::AdviceView;
use super::chips::{Chip, chips};
use super::facets::{FacetsView, add_choices};
use super::no_results::NoResults;
use super::pages::{PageLink, page_links};
use super::query::ListQuery;
use super::result::{ResultView, folded};
use super::sources::{self, SourceView};
use super::view_context::ViewContext;
use crate::state::AppState;
use crate::ui::page_context::PageContext;
use domain::ids::{ProviderId, SearchId};
use domain::mixed::{MixedInfo, MixedResponse};
use domain::notice::{self, Notice, NoticeKind};
use domain::ports::MixerKind;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::search::{FALLBACK_MIXER, Search};
use federation::ResultFilter;
use serde::Serialize;

const FORMATS: [&str; 4] = ["csv", "json", "bibtex", "rss"];

/// In templates: `list`.
#[derive(Debug, Serialize)]
pub struct ListView {
    pub search_id: SearchId,
    pub is_running: bool,
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
    /// Number of sources still running, and of those that failed.
    asking: usize,
    missing: usize,
    /// The sort order leaves out results without a date, and no others.
    needs_dates: bool,
    /// The sort order leaves out results that an earlier run had found.
    only_new: bool,
    orders: Vec<Order>,
    facets: Option<FacetsView>,
    chips: Vec<Chip>,
    /// Set if nothing was found, without any filter.
    no_results: Option<NoResults>,
    /// If little was found.
    advice: Option<AdviceView>,
    page: u32,
    pages: Vec<PageLink>,
    previous: Option<String>,
    next: Option<String>,
    /// The list in its usual order, if the second reader has ordered it.
    usual_order: Option<String>,
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
}

/// Inputs of the list.
pub struct Listing<'a> {
    pub state: &'a AppState,
    pub context: &'a PageContext,
    pub search: &'a Search,
    pub query: &'a ListQuery,
    /// The queried providers while the search runs.
    pub asked: &'a [SearchProvider],
    /// The providers that cannot have results.
    pub closed: &'a [ProviderId],
}

impl Listing<'_> {
    pub fn view(&self, mixed: MixedResponse) -> ListView {
        let Self { search, query, .. } = self;
        let MixedResponse { notices, info, results, .. } = mixed;
        let is_running = !search.status.is_final();
        let rail = self.rail(&info);
        let mixer = self.mixer();
        let page_size = search.spec.page_size();
        let last =
            u32::try_from(info.results.retrieved_total.div_ceil(u64::from(page_size))).unwrap_or(u32::MAX);
        let needs_dates = mixer.is_some_and(|kind| kind.by_date && !kind.shows_only_new);
        let only_new = mixer.is_some_and(|kind| kind.shows_only_new);
        let hides_all = (needs_dates || only_new) && info.results.found_total > 0;
        let is_empty = !is_running && query.filter.is_none() && info.results.retrieved_total == 0;
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
            missing: rail.iter().filter(|line| line.is_missing()).count(),
            chips: chips(query, search.id, |id| name_of(&rail, id)),
            rail,
            orders: self.orders(mixer),
            needs_dates,
            only_new,
            facets: info.facets.as_ref().map(|facets| FacetsView::of(query, search.id, facets)),
            no_results: (is_empty && !hides_all).then(|| NoResults::of(&search.spec)),
            advice: AdviceView::of(&info.search, &search.spec.searchprovider_list),
            page: query.page,
            pages: page_links(query.page, last, at),
            previous: (query.page > 1).then(|| at((query.page - 1).min(last.max(1)))),
            next: (query.page < last).then(|| at(query.page + 1)),
            usual_order: (info.results.second_reader == Some(true))
                .then(|| query.in_usual_order().href(search.id)),
            clear: (!query.filter.is_none())
                .then(|| query.narrowed(|filter| *filter = ResultFilter::default()).href(search.id)),
            exports: FORMATS.map(|format| (format, self.export(format))).to_vec(),
        }
    }

    /// The lines of the sources. A filter by source works as soon as it has results.
    fn rail(&self, info: &MixedInfo) -> Vec<SourceView> {
        let asked: &[SearchProvider] = if self.search.status.is_final() { &[] } else { self.asked };
        let mut rail = sources::rail(self.state, info, asked);
        sources::leave_out(&mut rail, self.closed);
        let facets = info.facets.as_ref().map(|facets| facets.sources.as_slice()).unwrap_or_default();
        add_choices(&mut rail, self.query, self.search.id, facets);
        sources::sort_finished(&mut rail);
        rail
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
            language: &self.context.language,
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
        let mut kinds: Vec<_> = self.state.plugins.mixers.iter().collect();
        kinds.sort_by_key(|kind| !kind.is_common);
        kinds
            .into_iter()
            .map(|kind| Order {
                name: kind.name,
                summary: kind.summary,
                href: self.query.sorted_by(kind.name).href(self.search.id),
                is_on: mixer.is_some_and(|mixer| mixer.name == kind.name),
            })
            .collect()
    }

    fn export(&self, format: &str) -> String {
        let mut pairs = url::form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("search_id", &self.search.id.to_string()).append_pair("format", format);
        pairs.extend_pairs(self.query.sort.as_ref().map(|sort| ("result_mixer", sort)));
        pairs.extend_pairs(self.query.filter.parameters());
        format!("{}/results/export/?{}", self.context.api, pairs.finish())
    }
}

fn name_of(rail: &[SourceView], id: ProviderId) -> String {
    let source = rail.iter().find(|source| source.id == id);
    source.map_or_else(|| id.to_string(), |source| source.name.clone())
}

/// The count of the first notice of this kind; 0 without one.
fn count(notices: &[Notice], of_kind: impl Fn(&NoticeKind) -> Option<usize>) -> usize {
    notices.iter().find_map(|notice| of_kind(&notice.kind)).unwrap_or_default()
}
