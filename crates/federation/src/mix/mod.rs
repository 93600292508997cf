//! Saved results → mixer → page → mixed results response.

mod facets;
mod facts;
mod filter;
mod links;
mod page;
mod personal;
mod stars;

pub use filter::{DateFilter, ResultFilter};

use crate::select::is_named;
use crate::{Federation, FederationError};
use domain::answer::StoredAnswer;
use domain::contracts::{Candidate, MixContext, MixerKind, StoreError};
use domain::ids::{ProviderId, ResultId};
use domain::message;
use domain::mixed::{AiInfo, Completeness, Facets, MixedInfo, MixedResponse, ResultsInfo, SUMMARY_BLOCK};
use domain::preferences::Preferences;
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use facts::Facts;
use links::Links;
use page::Page;
use stars::Stars;
use std::collections::BTreeMap;

/// The mixer for a name in a URL that no mixer has.
const FALLBACK_MIXER: &str = "RelevancyMixer";
/// How the names of the mixers end that show only what an update added.
const NEW_ITEMS_MIXER: &str = "NewItemsMixer";

/// How a page of mixed results is asked for.
#[derive(Debug, Clone)]
pub struct MixRequest {
    /// None: the search's own mixer.
    pub mixer: Option<String>,
    /// From 1.
    pub page: u32,
    /// Only this provider's results.
    pub provider: Option<ProviderId>,
    /// None: as `SVC_EXPLAIN` says.
    pub explain: Option<bool>,
    /// Scheme, host and API prefix for links, such as `http://127.0.0.1:8000/svc`; no slash at the end.
    pub base_url: String,
    /// How the AI summary ended that this very call asked for; its row then stands first in the list, too.
    pub answered: Option<AiInfo>,
    /// Which results are shown.
    pub filter: ResultFilter,
    /// `info.facets` is wanted.
    pub facets: bool,
    /// Results on one page; None: as the search says.
    pub items: Option<usize>,
}

impl Default for MixRequest {
    /// The first page of all results by the search's own mixer, without links.
    fn default() -> Self {
        Self {
            mixer: None,
            page: 1,
            provider: None,
            explain: None,
            base_url: String::new(),
            answered: None,
            filter: ResultFilter::default(),
            facets: false,
            items: None,
        }
    }
}

/// A list in its order, what its mixer says, and the counts beside it.
struct Listed<'a> {
    order: Vec<Facts<'a>>,
    messages: Vec<String>,
    facets: Option<Facets>,
}

impl Federation {
    /// The mixed results response of a search that has ended; `NotReady` otherwise.
    pub async fn mix(&self, search: &Search, request: &MixRequest) -> Result<MixedResponse, FederationError> {
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status));
        }
        let (mut sets, answer, wishes) = tokio::try_join!(
            self.saved_sets(search),
            self.saved_answer(search),
            self.store.preferences(search.owner),
        )?;
        let hidden = apply_wishes(&wishes, search, &mut sets);
        // An answer to an earlier run is about results that may be gone.
        let answer = answer.filter(|answer| answer.run == search.run);
        let mut response = self.respond(search, (&sets, hidden), answer.as_ref(), request);
        self.recheck(search.owner, &mut response.results).await;
        Ok(response)
    }

    /// Applies the owner's wishes to the results of a search, as its list shows them.
    pub async fn apply_wishes(&self, search: &Search, sets: &mut [ResultSet]) -> Result<(), StoreError> {
        let wishes = self.store.preferences(search.owner).await?;
        apply_wishes(&wishes, search, sets);
        Ok(())
    }

    /// The results of a search in the order of its own mixer.
    pub fn order(&self, search: &Search, sets: &[ResultSet]) -> Vec<ResultId> {
        let (mixer, _) = self.mixer(search, None);
        let (listed, _) = split_blocks(&sets.iter().collect::<Vec<_>>());
        let arrangement = mixer.mixer.arrange(listed, &self.mix_context(search));
        arrangement.order.iter().map(|candidate| candidate.item.swirl_id).collect()
    }

    /// The same. A mixer that shows only new results then marks all results of the search as read.
    pub async fn mix_and_mark(
        &self,
        search: &Search,
        request: &MixRequest,
    ) -> Result<MixedResponse, FederationError> {
        let mut response = self.mix(search, request).await?;
        let (mixer, _) = self.mixer(search, request.mixer.as_deref());
        if mixer.name.ends_with(NEW_ITEMS_MIXER) {
            let now = self.context.clock.now();
            let marked = self.store.mark_all_read(search.id, now).await?;
            // The last message names the mixer.
            let before_last = response.messages.len().saturating_sub(1);
            response.messages.insert(before_last, message::at(now, &message::marked_read(marked)));
        }
        Ok(response)
    }

    /// The merged page as it stands while the search runs: what has arrived, ranked together.
    pub async fn mix_sets(
        &self,
        search: &Search,
        mut sets: Vec<ResultSet>,
        request: &MixRequest,
    ) -> MixedResponse {
        // Only an update has saved results while it runs; a first run has none to look for.
        if search.run > 1
            && let Ok(saved) = self.store.result_sets(search.id).await
            && !saved.is_empty()
        {
            sets = self.merged(saved, sets);
        }
        let mut sets = self.seen_sets(search, sets).await;
        let mut messages = Vec::new();
        self.post_result(search, &mut sets, &mut messages, false).await;
        // What is being found is shown all the same when the wishes cannot be read.
        let wishes = self.store.preferences(search.owner).await.unwrap_or_default();
        let hidden = apply_wishes(&wishes, search, &mut sets);
        self.respond(search, (&sets, hidden), None, request)
    }

    fn respond(
        &self,
        search: &Search,
        (sets, hidden): (&[ResultSet], usize),
        answer: Option<&StoredAnswer>,
        request: &MixRequest,
    ) -> MixedResponse {
        let sets: Vec<&ResultSet> =
            sets.iter().filter(|set| request.provider.is_none_or(|only| set.provider == only)).collect();
        let (mixer, remark) = self.mixer(search, request.mixer.as_deref());
        let (listed, mut blocks) = split_blocks(&sets);
        // Who asked for an answer and got none does not get an older one to another wish instead.
        let is_shown = request.answered.as_ref().is_none_or(AiInfo::is_ok);
        let row = answer.filter(|_| is_shown).map(|answer| &answer.row);
        blocks.entry(SUMMARY_BLOCK.to_owned()).or_default().extend(row);
        let listed = self.listed(search, listed, mixer, request);
        let page_size = request.items.unwrap_or(search.spec.page_size() as usize);
        let page = Page::of(request.page, page_size, listed.order.len());
        let explain = request.explain.unwrap_or(self.context.settings.explain);
        let place = |facts: &Facts<'_>, rank| ResultItem {
            starred: facts.is_starred,
            ..placed(facts.candidate.item, rank, explain)
        };
        let shown = listed.order[page.range.clone()].iter().zip(page.range.clone());
        let mut results: Vec<ResultItem> =
            shown.map(|(facts, position)| place(facts, position + 1)).collect();

        let mut messages = gathered(search, &sets);
        let stamped = |line: &str| self.stamped(line);
        messages.extend(remark.map(|line| stamped(&line)));
        messages.extend((hidden > 0).then(|| stamped(&message::hid_personally(hidden))));
        messages.extend(listed.messages.iter().map(|line| stamped(line)));
        messages.extend(remarks_on_answer(request.answered.as_ref(), row).iter().map(|line| stamped(line)));
        if page.is_past_end {
            messages.push(stamped(&message::results_exhausted(search.id)));
        }
        messages.push(stamped(&message::ordered_by(mixer.name)));

        let links = Links { search, request, mixer: mixer.name };
        let info = MixedInfo {
            providers: sets.iter().map(|set| (set.provider_name.clone(), links.provider_info(set))).collect(),
            search: links.search_info(),
            results: ResultsInfo {
                found_total: sets
                    .iter()
                    .filter(|set| request.filter.keeps_source(set.provider))
                    .map(|set| set.found)
                    .sum(),
                retrieved_total: listed.order.len() as u64,
                retrieved: results.len() as u64,
                federation_time: search.time_s,
                result_blocks: block_names(&blocks),
                next_page: page.next.map(|number| links.page(number)),
                prev_page: page.previous.map(|number| links.page(number)),
            },
            completeness: Completeness::of(sets.iter().map(|set| set.status)),
            facets: listed.facets,
            ai: request.answered.clone().or_else(|| row.map(|_| AiInfo::ok())),
        };
        if let Some(row) = row.filter(|_| request.answered.is_some() && request.page <= 1) {
            results.insert(0, placed(row, 0, explain));
        }
        MixedResponse { messages, info, results, blocks: finished_blocks(blocks, explain) }
    }

    /// The results that the filter keeps, in the order of the mixer. Facets count over what the mixer shows.
    fn listed<'a>(
        &self,
        search: &Search,
        candidates: Vec<Candidate<'a>>,
        mixer: &MixerKind,
        request: &MixRequest,
    ) -> Listed<'a> {
        let (stars, now) = (Stars::of(&self.context.settings), self.context.clock.now());
        let cx = self.mix_context(search);
        let facts = |order: Vec<Candidate<'a>>| -> Vec<Facts<'a>> {
            order.into_iter().map(|candidate| Facts::of(candidate, stars)).collect()
        };
        let all = request.facets.then(|| facts(mixer.mixer.arrange(candidates.clone(), &cx).order));
        // Filtered before it is ordered: a mixer that takes turns takes them among what is shown.
        let kept = match request.filter.is_none() {
            true => candidates,
            false => {
                let mut kept = facts(candidates);
                kept.retain(|facts| request.filter.keeps(facts, None, now));
                kept.into_iter().map(|facts| facts.candidate).collect()
            }
        };
        let arrangement = mixer.mixer.arrange(kept, &cx);
        Listed {
            order: facts(arrangement.order),
            messages: arrangement.messages,
            facets: all.map(|all| facets::count(&all, &request.filter, now)),
        }
    }

    fn mix_context<'a>(&self, search: &'a Search) -> MixContext<'a> {
        MixContext {
            search,
            page_size: search.spec.page_size() as usize,
            promotes: self.context.settings.canonical_mixer_promotion,
        }
    }

    /// The mixer asked for; an unknown name in a URL is answered with a remark, not refused.
    fn mixer(&self, search: &Search, wanted: Option<&str>) -> (&'static MixerKind, Option<String>) {
        let wanted = wanted.unwrap_or(&search.spec.result_mixer);
        match self.plugins.mixer(wanted) {
            Some(kind) => (kind, None),
            None => {
                let fallback = self.plugins.mixer(FALLBACK_MIXER).unwrap_or(&self.plugins.mixers[0]);
                (fallback, Some(message::unknown_mixer(wanted, fallback.name)))
            }
        }
    }
}

/// How many results were left out.
fn apply_wishes(wishes: &Preferences, search: &Search, sets: &mut [ResultSet]) -> usize {
    if wishes.is_empty() {
        return 0;
    }
    let list = &search.spec.searchprovider_list;
    personal::apply(wishes, sets, |set| is_named(list, set.provider, &set.provider_name))
}

type Blocks<'a> = BTreeMap<String, Vec<&'a ResultItem>>;

/// Results that belong to a block are not part of the list.
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

fn finished_blocks(blocks: Blocks<'_>, explain: bool) -> BTreeMap<String, Vec<ResultItem>> {
    let number = |items: Vec<&ResultItem>| {
        items.into_iter().enumerate().map(|(position, item)| placed(item, position + 1, explain)).collect()
    };
    blocks.into_iter().map(|(name, items)| (name, number(items))).collect()
}

/// What the caller who asked for an answer should know of it.
fn remarks_on_answer(answered: Option<&AiInfo>, row: Option<&ResultItem>) -> Vec<String> {
    let Some(answered) = answered else { return Vec::new() };
    let details = row.and_then(|row| row.additional_content.as_ref());
    let warnings = details.into_iter().flat_map(|details| details.warnings.iter().cloned());
    answered.message.iter().map(|line| message::no_answer(line)).chain(warnings).collect()
}

fn placed(item: &ResultItem, rank: usize, explain: bool) -> ResultItem {
    let mut item = item.clone();
    // Where it stands says which block it is of.
    item.result_block = None;
    item.swirl_rank = u32::try_from(rank).unwrap_or(u32::MAX);
    if !explain {
        item.explain = None;
    }
    item
}

/// The banner, then all lines of the search and its providers in the order of their times.
fn gathered(search: &Search, sets: &[&ResultSet]) -> Vec<String> {
    let own = search.messages.iter().find(|line| message::is_banner(line)).cloned();
    let banner = own.unwrap_or_else(message::banner);
    let mut lines: Vec<&String> = search
        .messages
        .iter()
        .filter(|line| !message::is_banner(line))
        .chain(sets.iter().flat_map(|set| &set.messages))
        .collect();
    lines.sort();
    std::iter::once(banner).chain(lines.into_iter().cloned()).collect()
}
