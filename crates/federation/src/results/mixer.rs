//! Builds the mixed results response: authorized results, preferences, filters, mixer, page.

use super::attributes::Attributes;
use super::first_results::with_first;
use super::links::Links;
use super::mix_request::MixRequest;
use super::page::Page;
use super::provider_share::ProviderShare;
use super::query_advice::{AdviceSources, few_texts};
use super::reader::ResultReader;
use super::source_order::source_order;
use super::star_threshold::StarThreshold;
use super::{facets, preferences, search_log};
use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::notice_now::notice_now;
use crate::search::ended_runs::{EndedSearch, HandedResults};
use crate::search::merge::merge;
use crate::search::post_processor::PostProcessor;
use crate::search::selector::is_named;
use crate::timings::SearchTimings;
use domain::ids::{ResultId, RunNumber};
use domain::mixed::{AiInfo, Completeness, Facets, MixedInfo, MixedResponse, ResultsInfo, SUMMARY_BLOCK};
use domain::notice::{Notice, NoticeKind};
use domain::ports::{Candidate, MixContext, MixerKind, PluginContext, PluginRegistry, RunStage, StoreError};
use domain::preferences::Preferences;
use domain::result::{Duplicate, ResultItem, ResultSet};
use domain::result_group::{GroupMembers, retain_firsts};
use domain::search::{FALLBACK_MIXER, Search};
use domain::settings::Settings;
use domain::summary::StoredSummary;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The arranged results, the notices of the mixer, and the facets.
struct MixedList<'a> {
    order: Vec<Candidate<'a>>,
    notices: Vec<NoticeKind>,
    facets: Option<Facets>,
}

/// What a response is built from.
struct MixInput<'a> {
    search: &'a Search,
    /// Authorized, and changed by the owner's preferences.
    sets: &'a [ResultSet],
    /// How many results the preferences hide.
    hidden: usize,
    summary: Option<&'a StoredSummary>,
    request: &'a MixRequest,
}

/// Mixes the results of finished and of running searches.
pub struct ResultMixer {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
    pub(crate) settings: Arc<Settings>,
    pub(crate) reader: Arc<ResultReader>,
    pub(crate) post_processor: PostProcessor,
    pub(crate) timings: Arc<SearchTimings>,
}

impl ResultMixer {
    /// The mixed results response of a finished search; `NotReady` otherwise.
    pub async fn mix(&self, search: &Search, request: &MixRequest) -> Result<MixedResponse, FederationError> {
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status));
        }
        let _until_returned = self.timings.begin_response(search);
        let (mut sets, summary, preferences) = tokio::try_join!(
            self.reader.saved_sets(search),
            self.reader.saved_summary(search),
            self.store.preferences(search.owner),
        )?;
        let hidden = apply_preferences(&preferences, search, &mut sets);
        // A summary of an earlier run is about results that may be gone.
        let summary = summary.filter(|summary| summary.run == search.run);
        let input = MixInput { search, sets: &sets, hidden, summary: summary.as_ref(), request };
        let mut response = self.build_response(&input, ResultItem::clone);
        self.reader.recheck(search.owner, &mut response.results).await;
        let few_texts = few_texts(search, request, &sets);
        self.advice_sources().add_advice(search, few_texts, &mut response.info.search).await;
        Ok(response)
    }

    /// [`Self::mix`] for the request that has waited for the search: results that it was handed are not read again.
    pub async fn mix_ended(
        &self,
        ended: &mut EndedSearch,
        request: &MixRequest,
    ) -> Result<MixedResponse, FederationError> {
        let search = &ended.search;
        // A summary takes seconds, in which the results may change, so they are read again.
        let Some(handed) = ended.handed.take().filter(|_| request.summary.is_none()) else {
            return self.mix(search, request).await;
        };
        let _until_returned = self.timings.begin_response(search);
        let HandedResults { sets, preferences } = handed;
        let mut sets = self.reader.authorize_sets(search, sets).await;
        let hidden = apply_preferences(&preferences, search, &mut sets);
        // Nobody else needs these sets, so the results of the page are moved out of them.
        let only_id = |item: &ResultItem| ResultItem { swirl_id: item.swirl_id, ..ResultItem::default() };
        let input = MixInput { search, sets: &sets, hidden, summary: None, request };
        let mut response = self.build_response(&input, only_id);
        let few_texts = few_texts(search, request, &sets);
        move_results(&mut sets, &mut response.results, self.shows_explain(request));
        self.reader.recheck(search.owner, &mut response.results).await;
        self.advice_sources().add_advice(search, few_texts, &mut response.info.search).await;
        Ok(response)
    }

    fn advice_sources(&self) -> AdviceSources<'_> {
        AdviceSources { store: &*self.store, advisor: &*self.context.query_advisor }
    }

    /// Applies the owner's preferences to the results of a search.
    pub async fn apply_preferences(&self, search: &Search, sets: &mut [ResultSet]) -> Result<(), StoreError> {
        let preferences = self.store.preferences(search.owner).await?;
        apply_preferences(&preferences, search, sets);
        Ok(())
    }

    /// The results of a search, in the order of its own mixer.
    pub fn order(&self, search: &Search, sets: &[ResultSet]) -> Vec<ResultId> {
        let (mixer, _) = self.find_mixer(search, None);
        let (mut listed, _) = split_blocks(&sets.iter().collect::<Vec<_>>());
        retain_firsts(&mut listed, |candidate| candidate.item.group);
        let arrangement = mixer.mixer.arrange(listed, &self.mix_context(search));
        arrangement.order.iter().map(|candidate| candidate.item.swirl_id).collect()
    }

    /// [`Self::mix`]; a mixer that shows only new results then marks all results of the search as read.
    pub async fn mix_and_mark(
        &self,
        search: &Search,
        request: &MixRequest,
    ) -> Result<MixedResponse, FederationError> {
        let mut response = self.mix(search, request).await?;
        let (mixer, _) = self.find_mixer(search, request.mixer.as_deref());
        if mixer.shows_only_new {
            let now = self.context.clock.now();
            let marked = self.store.mark_all_read(search.id, now).await?;
            // The last notice names the mixer.
            let before_last = response.notices.len().saturating_sub(1);
            let notice = Notice::new(now, NoticeKind::MarkedRead { count: marked });
            response.notices.insert(before_last, notice);
        }
        Ok(response)
    }

    /// The mixed results response of a running search: the results so far, ranked together.
    pub async fn mix_sets(
        &self,
        search: &Search,
        mut sets: Vec<ResultSet>,
        request: &MixRequest,
    ) -> MixedResponse {
        let has_new = !sets.is_empty();
        // Only an update has saved results while it runs.
        if search.run > RunNumber::FIRST
            && let Ok(saved) = self.store.result_sets(search.id).await
            && !saved.is_empty()
        {
            sets = merge(saved, sets, |kind| notice_now(&self.context, kind));
        }
        let mut sets = self.reader.authorize_sets(search, sets).await;
        let mut notices = Vec::new();
        // Saved results alone have been processed, perhaps by a model that is not called again.
        if has_new {
            let pipeline = self.post_processor.load_pipeline(search, &mut notices).await;
            self.post_processor.process(search, pipeline, &mut sets, &mut notices, RunStage::Running).await;
        }
        // If the preferences cannot be read, the results are shown without them.
        let preferences = self.store.preferences(search.owner).await.unwrap_or_default();
        let hidden = apply_preferences(&preferences, search, &mut sets);
        let input = MixInput { search, sets: &sets, hidden, summary: None, request };
        self.build_response(&input, ResultItem::clone)
    }

    /// `copy` makes the results of the page.
    fn build_response(
        &self,
        input: &MixInput<'_>,
        copy: impl Fn(&ResultItem) -> ResultItem,
    ) -> MixedResponse {
        let MixInput { search, sets: all, hidden, summary, request } = *input;
        let sets: Vec<&ResultSet> =
            all.iter().filter(|set| request.provider.is_none_or(|only| set.provider == only)).collect();
        let (mixer, mixer_notice) = self.find_mixer(search, request.mixer.as_deref());
        let (listed, mut blocks) = split_blocks(&sets);
        // A caller whose summary failed does not get an older summary of another request instead.
        let is_shown = request.summary.as_ref().is_none_or(AiInfo::is_ok);
        let row = summary.filter(|_| is_shown).map(|summary| &summary.row);
        blocks.entry(SUMMARY_BLOCK.to_owned()).or_default().extend(row);
        let list = self.arrange(search, listed, mixer, request);
        let page_size = request.items.unwrap_or(search.spec.page_size() as usize);
        let page = Page::of(request.page, page_size, list.order.len());
        let explain = self.shows_explain(request);
        let threshold = StarThreshold::of(&self.settings);
        let item_at = |item: &ResultItem, rank| ResultItem {
            starred: threshold.is_met(item),
            ..with_rank(copy(item), rank, explain)
        };
        let shown = list.order[page.range.clone()].iter().zip(page.range.clone());
        let mut results: Vec<ResultItem> =
            shown.map(|(candidate, position)| item_at(candidate.item, position + 1)).collect();
        list_duplicates(&mut results, &list.order[page.range.clone()], all);

        let share = ProviderShare::of(sets.len());
        let of_sets = sets.iter().map(|set| set.notices.as_slice());
        let (mut notices, omitted) = search_log::collect(search.notices.clone(), of_sets, share);
        let mut of_response: Vec<NoticeKind> = mixer_notice.into_iter().collect();
        of_response.extend((hidden > 0).then_some(NoticeKind::HidByPreferences { count: hidden }));
        of_response.extend(list.notices);
        of_response.extend(summary_notices(request.summary.as_ref(), row));
        of_response.extend(page.is_past_end.then_some(NoticeKind::ResultsExhausted { search: search.id }));
        of_response.extend((omitted > 0).then_some(NoticeKind::NoticesOmitted { count: omitted }));
        of_response.push(NoticeKind::OrderedBy { mixer: mixer.name.to_owned() });
        notices.extend(of_response.into_iter().map(|kind| notice_now(&self.context, kind)));

        let links = Links { search, request, mixer: mixer.name };
        let info = MixedInfo {
            providers: links.provider_infos(&sets, share),
            search: links.search_info(),
            results: ResultsInfo {
                found_total: sets
                    .iter()
                    .filter(|set| request.filter.keeps_source(set.provider))
                    .map(|set| set.found)
                    .sum(),
                retrieved_total: list.order.len() as u64,
                retrieved: results.len() as u64,
                federation_time: search.time_s,
                result_blocks: block_names(&blocks),
                second_reader: request.second_reader.as_ref().map(|first| !first.is_empty()),
                next_page: page.next.map(|number| links.page(number)),
                prev_page: page.previous.map(|number| links.page(number)),
            },
            completeness: Completeness {
                order: source_order(&search.notices, &sets, share),
                ..Completeness::of(sets.iter().map(|set| set.status))
            },
            facets: list.facets,
            ai: request.summary.clone().or_else(|| row.map(|_| AiInfo::ok())),
        };
        if let Some(row) = row.filter(|_| request.summary.is_some() && request.page <= 1) {
            results.insert(0, with_rank(row.clone(), 0, explain));
        }
        MixedResponse { notices, info, results, blocks: build_blocks(blocks, explain) }
    }

    /// The results that pass the filter, in the order of the mixer; of those that are grouped, the first. Facets count
    /// everything that the mixer shows.
    fn arrange<'a>(
        &self,
        search: &Search,
        candidates: Vec<Candidate<'a>>,
        mixer: &MixerKind,
        request: &MixRequest,
    ) -> MixedList<'a> {
        let (threshold, now) = (StarThreshold::of(&self.settings), self.context.clock.now());
        let cx = self.mix_context(search);
        let attributes_of = |order: Vec<Candidate<'a>>| -> Vec<Attributes<'a>> {
            order.into_iter().map(|candidate| Attributes::of(candidate, threshold)).collect()
        };
        let all = request.facets.then(|| attributes_of(mixer.mixer.arrange(candidates.clone(), &cx).order));
        // Filtered before mixing: a round-robin mixer alternates among the shown results.
        let mut kept = if request.filter.is_none() {
            candidates
        } else {
            let mut kept = attributes_of(candidates);
            let filter = request.filter.prepare(now);
            kept.retain(|attributes| filter.keeps(attributes, None));
            kept.into_iter().map(|attributes| attributes.candidate).collect()
        };
        retain_firsts(&mut kept, |candidate| candidate.item.group);
        let arrangement = mixer.mixer.arrange(kept, &cx);
        MixedList {
            order: with_first(arrangement.order, request.first_results()),
            notices: arrangement.notices,
            facets: all.map(|all| facets::count(&all, &request.filter, now)),
        }
    }

    fn shows_explain(&self, request: &MixRequest) -> bool {
        request.explain.unwrap_or(self.settings.explain)
    }

    fn mix_context<'a>(&self, search: &'a Search) -> MixContext<'a> {
        MixContext {
            search,
            page_size: search.spec.page_size() as usize,
            promotes: self.settings.canonical_mixer_promotion,
        }
    }

    /// The requested mixer; for an unknown name, a fallback and a notice.
    fn find_mixer(&self, search: &Search, wanted: Option<&str>) -> (&'static MixerKind, Option<NoticeKind>) {
        let wanted = wanted.unwrap_or(&search.spec.result_mixer);
        match self.plugins.mixer(wanted) {
            Some(kind) => (kind, None),
            None => {
                let fallback = self.plugins.mixer(FALLBACK_MIXER).unwrap_or(&self.plugins.mixers[0]);
                (fallback, Some(NoticeKind::unknown_mixer(wanted, fallback.name)))
            }
        }
    }
}

/// Returns how many results were hidden.
fn apply_preferences(preferences: &Preferences, search: &Search, sets: &mut [ResultSet]) -> usize {
    if preferences.is_empty() {
        return 0;
    }
    let list = &search.spec.searchprovider_list;
    preferences::apply(preferences, sets, |set| is_named(list, set.provider, &set.provider_name))
}

type Blocks<'a> = BTreeMap<String, Vec<&'a ResultItem>>;

/// Separates the list from the results that belong to a block.
fn split_blocks<'a>(sets: &[&'a ResultSet]) -> (Vec<Candidate<'a>>, Blocks<'a>) {
    let mut listed = Vec::new();
    let mut blocks = Blocks::new();
    blocks.insert(SUMMARY_BLOCK.to_owned(), Vec::new());
    for &set in sets {
        for item in &set.items {
            match &item.result_block {
                Some(block) => blocks.entry(block.clone()).or_default().push(item),
                None => listed.push(Candidate { set, item }),
            }
        }
    }
    (listed, blocks)
}

/// The summary block first, then the others by name.
fn block_names(blocks: &Blocks<'_>) -> Vec<String> {
    let others = blocks.keys().filter(|name| *name != SUMMARY_BLOCK).cloned();
    std::iter::once(SUMMARY_BLOCK.to_owned()).chain(others).collect()
}

fn build_blocks(blocks: Blocks<'_>, explain: bool) -> BTreeMap<String, Vec<ResultItem>> {
    let number = |items: Vec<&ResultItem>| {
        items
            .into_iter()
            .enumerate()
            .map(|(position, item)| with_rank(item.clone(), position + 1, explain))
            .collect()
    };
    blocks.into_iter().map(|(name, items)| (name, number(items))).collect()
}

/// Notices about the summary that this request asked for.
fn summary_notices(summary_info: Option<&AiInfo>, row: Option<&ResultItem>) -> Vec<NoticeKind> {
    let Some(summary_info) = summary_info else { return Vec::new() };
    let details = row.and_then(|row| row.additional_content.as_ref());
    let warnings = details.into_iter().flat_map(|details| details.warnings.iter().cloned());
    let warnings = warnings.map(|warning| NoticeKind::SummaryWarning { warning });
    let failure = summary_info.message.iter().cloned().map(|reason| NoticeKind::NoSummary { reason });
    failure.chain(warnings).collect()
}

fn with_rank(mut item: ResultItem, rank: usize, explain: bool) -> ResultItem {
    // The response names the block.
    item.result_block = None;
    item.swirl_rank = u32::try_from(rank).unwrap_or(u32::MAX);
    if !explain {
        item.explain = None;
    }
    item
}

/// Lists the other results for the same document, which may be of other providers.
fn list_duplicates(results: &mut [ResultItem], page: &[Candidate<'_>], sets: &[ResultSet]) {
    if page.iter().all(|candidate| candidate.item.group.is_none()) {
        return;
    }
    let members = GroupMembers::of(sets);
    for (result, candidate) in results.iter_mut().zip(page) {
        result.duplicates.extend(members.others(candidate.item.group).map(Duplicate::of));
    }
}

/// Moves the results of a page out of the sets. The page has their ids, ranks, stars and duplicates.
fn move_results(sets: &mut [ResultSet], page: &mut [ResultItem], explain: bool) {
    let mut places: HashMap<ResultId, &mut ResultItem> =
        page.iter_mut().map(|placed| (placed.swirl_id, placed)).collect();
    for item in sets.iter_mut().flat_map(|set| &mut set.items) {
        let Some(placed) = places.remove(&item.swirl_id) else { continue };
        let (rank, starred) = (placed.swirl_rank as usize, placed.starred);
        let duplicates = std::mem::take(&mut placed.duplicates);
        *placed = ResultItem { starred, ..with_rank(std::mem::take(item), rank, explain) };
        placed.duplicates.extend(duplicates);
    }
}
