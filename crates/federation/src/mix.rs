//! Saved results → mixer → page → mixed results response.

use crate::{Federation, FederationError};
use domain::answer::StoredAnswer;
use domain::contracts::{Candidate, MixContext, MixerKind};
use domain::ids::{ProviderId, ResultId};
use domain::message;
use domain::mixed::{
    AiInfo, Completeness, MixedInfo, MixedResponse, ProviderInfo, ResultsInfo, SUMMARY_BLOCK, SearchInfo,
};
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
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
}

impl Federation {
    /// The mixed results response of a search that has ended; `NotReady` otherwise.
    pub async fn mix(&self, search: &Search, request: &MixRequest) -> Result<MixedResponse, FederationError> {
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status));
        }
        let (sets, answer) =
            tokio::try_join!(self.store.result_sets(search.id), self.store.answer(search.id))?;
        // An answer to an earlier run is about results that may be gone.
        let answer = answer.filter(|answer| answer.run == search.run);
        Ok(self.respond(search, &sets, answer.as_ref(), request))
    }

    /// The results of a search in the order of its own mixer.
    pub fn order(&self, search: &Search, sets: &[ResultSet]) -> Vec<ResultId> {
        let (mixer, _) = self.mixer(search, None);
        let (listed, _) = split_blocks(&sets.iter().collect::<Vec<_>>());
        let page_size = search.draft.page_size() as usize;
        let arrangement = mixer.mixer.arrange(listed, &MixContext { search, page_size });
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
            let now = self.toolbox.clock.now();
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
        let mut messages = Vec::new();
        self.post_result(search, &mut sets, &mut messages).await;
        self.respond(search, &sets, None, request)
    }

    fn respond(
        &self,
        search: &Search,
        sets: &[ResultSet],
        answer: Option<&StoredAnswer>,
        request: &MixRequest,
    ) -> MixedResponse {
        let sets: Vec<&ResultSet> =
            sets.iter().filter(|set| request.provider.is_none_or(|only| set.provider == only)).collect();
        let (mixer, remark) = self.mixer(search, request.mixer.as_deref());
        let page_size = search.draft.page_size() as usize;
        let (listed, mut blocks) = split_blocks(&sets);
        // Who asked for an answer and got none does not get an older one to another wish instead.
        let is_shown = request.answered.as_ref().is_none_or(AiInfo::is_ok);
        let row = answer.filter(|_| is_shown).map(|answer| &answer.row);
        blocks.entry(SUMMARY_BLOCK.to_owned()).or_default().extend(row);
        let arrangement = mixer.mixer.arrange(listed, &MixContext { search, page_size });
        let page = Page::of(request.page, page_size, arrangement.order.len());
        let explain = request.explain.unwrap_or(self.toolbox.settings.explain);
        let mut results: Vec<ResultItem> = arrangement.order[page.range.clone()]
            .iter()
            .zip(page.range.clone())
            .map(|(candidate, position)| placed(candidate.item, position + 1, explain))
            .collect();

        let mut messages = gathered(search, &sets);
        let stamped = |line: &str| self.stamped(line);
        messages.extend(remark.map(|line| stamped(&line)));
        messages.extend(arrangement.messages.iter().map(|line| stamped(line)));
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
                found_total: sets.iter().map(|set| set.found).sum(),
                retrieved_total: arrangement.order.len() as u64,
                retrieved: results.len() as u64,
                federation_time: search.time_s,
                result_blocks: block_names(&blocks),
                next_page: page.next.map(|number| links.page(number)),
                prev_page: page.previous.map(|number| links.page(number)),
            },
            completeness: Completeness::of(sets.iter().map(|set| set.status)),
            ai: request.answered.clone().or_else(|| row.map(|_| AiInfo::ok())),
        };
        if let Some(row) = row.filter(|_| request.answered.is_some() && request.page <= 1) {
            results.insert(0, placed(row, 0, explain));
        }
        MixedResponse { messages, info, results, blocks: finished_blocks(blocks, explain) }
    }

    /// The mixer asked for; an unknown name in a URL is answered with a remark, not refused.
    fn mixer(&self, search: &Search, wanted: Option<&str>) -> (&'static MixerKind, Option<String>) {
        let wanted = wanted.unwrap_or(&search.draft.result_mixer);
        match self.catalogues.mixer(wanted) {
            Some(kind) => (kind, None),
            None => {
                let fallback = self.catalogues.mixer(FALLBACK_MIXER).unwrap_or(&self.catalogues.mixers[0]);
                (fallback, Some(message::unknown_mixer(wanted, fallback.name)))
            }
        }
    }
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
    let banner = message::banner();
    let mut lines: Vec<&String> = search
        .messages
        .iter()
        .filter(|line| **line != banner)
        .chain(sets.iter().flat_map(|set| &set.messages))
        .collect();
    lines.sort();
    std::iter::once(banner).chain(lines.into_iter().cloned()).collect()
}

/// Where a page begins and ends, and its neighbours.
struct Page {
    range: std::ops::Range<usize>,
    next: Option<u32>,
    previous: Option<u32>,
    is_past_end: bool,
}

impl Page {
    fn of(number: u32, size: usize, total: usize) -> Self {
        let number = number.max(1);
        let start = (number as usize - 1).saturating_mul(size);
        let end = start.saturating_add(size);
        Self {
            range: start.min(total)..end.min(total),
            next: (end < total).then(|| number + 1),
            previous: (number > 1).then(|| number - 1),
            is_past_end: start > total,
        }
    }
}

/// The URLs of a response. Filters of the request are kept, so that page 2 is page 2 of the same list.
struct Links<'a> {
    search: &'a Search,
    request: &'a MixRequest,
    mixer: &'a str,
}

impl Links<'_> {
    fn page(&self, number: u32) -> String {
        let Self { search, request, mixer } = self;
        let mut url = format!("{}/results/?search_id={}", request.base_url, search.id);
        if *mixer != search.draft.result_mixer {
            url.push_str(&format!("&result_mixer={mixer}"));
        }
        if let Some(provider) = request.provider {
            url.push_str(&format!("&provider={provider}"));
        }
        if let Some(explain) = request.explain {
            url.push_str(if explain { "&explain=True" } else { "&explain=False" });
        }
        format!("{url}&page={number}")
    }

    fn search_info(&self) -> SearchInfo {
        let Search { id, draft, query_string_processed, .. } = self.search;
        SearchInfo {
            id: *id,
            query_string: draft.query_string.clone(),
            query_string_processed: query_string_processed.clone(),
            searchprovider_list: draft.searchprovider_list.clone(),
            tags: draft.tags.clone(),
            rerun_url: format!("{}/search/?rerun={id}", self.request.base_url),
        }
    }

    fn provider_info(&self, set: &ResultSet) -> ProviderInfo {
        ProviderInfo {
            found: set.found,
            retrieved: set.retrieved,
            filter_url: format!(
                "{}/results/?search_id={}&provider={}",
                self.request.base_url, self.search.id, set.provider
            ),
            query_string_to_provider: set.query_string_to_provider.clone(),
            query_to_provider: set.query_to_provider.clone(),
            query_processors: set.query_processors.clone(),
            result_processors: set.result_processors.clone(),
            search_time: set.time_s,
            status: set.status,
            error: set.error.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_list() {
        let cases = [
            (1, 10, 25, 0..10, Some(2), None, false),
            (3, 10, 25, 20..25, None, Some(2), false),
            (2, 10, 10, 10..10, None, Some(1), false),
            (3, 10, 10, 10..10, None, Some(2), true),
            (0, 10, 5, 0..5, None, None, false),
            (u32::MAX, 1000, 5, 5..5, None, Some(u32::MAX - 1), true),
        ];
        for (number, size, total, range, next, previous, is_past_end) in cases {
            let page = Page::of(number, size, total);
            assert_eq!(
                (page.range, page.next, page.previous, page.is_past_end),
                (range, next, previous, is_past_end)
            );
        }
    }
}
