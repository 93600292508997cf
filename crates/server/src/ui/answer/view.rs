//! The stored summary as the card shows it.

use super::super::search::{color, format_seconds, initials};
use super::super::truncate::truncate;
use domain::ids::{ProviderId, ResultId};
use domain::summary::{Disagreement, SourceMode, StatedValue, StoredSummary, SummaryDetails, SummarySource};
use rag::GROUNDED_MIN;
use rag::prose::{Block, blocks, number_citations, with_numbers};
use serde::Serialize;
use std::collections::BTreeMap;
use syntax::display::web_link;
use url::Url;

/// Length at which a quoted passage is cut.
const QUOTE_CHARS_MAX: usize = 600;
/// Length at which a title is cut.
const TITLE_CHARS_MAX: usize = 200;

#[derive(Serialize)]
pub struct AnswerView {
    pub(super) blocks: Vec<Block>,
    /// The original text with the numbers of the sources, for the clipboard.
    pub(super) text: String,
    /// The cited sources, in the order of reading, and then those that disagree with them.
    pub(super) sources: Vec<SourceView>,
    /// The number of cited sources.
    pub(super) cited: usize,
    pub(super) disagreements: Vec<DisagreementView>,
    pub(super) sentences: usize,
    pub(super) supported: usize,
    /// Sentences that no source supports.
    pub(super) unsupported: Vec<String>,
    /// Whether too few sentences are supported.
    pub(super) is_weak: bool,
    /// The user's instructions.
    pub(super) instructions: String,
    pub(super) prompt: String,
    pub(super) is_extractive: bool,
    pub(super) model: String,
    /// The requested model, if another one was used.
    pub(super) instead_of: Option<String>,
    pub(super) seconds: String,
    pub(super) follow_ups: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) not_found: bool,
}

/// Different values for the same fact.
#[derive(Serialize)]
pub(super) struct DisagreementView {
    pub sides: Vec<SideView>,
}

/// The value that a source gives.
#[derive(Serialize)]
pub(super) struct SideView {
    pub value: String,
    /// The number of the source in the order of reading.
    pub n: Option<u32>,
    pub source: String,
    pub quote: String,
    pub date: Option<String>,
    pub newer: bool,
}

#[derive(Serialize)]
pub(super) struct SourceView {
    pub n: u32,
    pub id: ResultId,
    pub title: String,
    /// None if it is not a web URL.
    pub href: Option<String>,
    pub place: String,
    pub source: String,
    /// As in the list of results.
    pub initials: String,
    pub color: i64,
    pub quote: String,
    /// Of a PDF.
    pub page: Option<u32>,
    pub mode: SourceMode,
}

impl AnswerView {
    /// `ids` are those of the sources, by name.
    pub fn of(stored: StoredSummary, ids: &BTreeMap<String, ProviderId>) -> Self {
        let details = stored.row.additional_content.map(|details| *details).unwrap_or_default();
        let text = stored.row.body;
        // Extracted sentences come from different sources, so each is a paragraph.
        let shown = if details.extractive { text.replace('\n', "\n\n") } else { text.clone() };
        let numbers = details.sources.iter().map(|source| source.n).collect();
        let mut blocks = blocks(&shown, &numbers);
        let mut order = number_citations(&mut blocks);
        let cited = order.len();
        add_uncited(&mut order, &details);
        let supported = supported(&details);
        let mut unsupported: Vec<_> = details.sentences.clone();
        unsupported.sort_by(|a, b| a.support.total_cmp(&b.support));
        unsupported.truncate(details.sentences.len() - supported);
        Self {
            blocks,
            text: with_numbers(&text, &order),
            disagreements: disagreements(details.disagreements, &details.sources, &order),
            sources: numbered(details.sources, &order, ids),
            cited,
            sentences: details.sentences.len(),
            supported,
            unsupported: unsupported.iter().map(|sentence| with_numbers(&sentence.text, &order)).collect(),
            is_weak: !details.not_found && details.grounded.is_some_and(|share| share < GROUNDED_MIN),
            instructions: stored.request.instructions,
            prompt: stored.request.prompt,
            is_extractive: details.extractive,
            instead_of: details.fallback_engaged.then_some(details.requested_model),
            model: details.ai_model,
            seconds: format_seconds(details.generation_time),
            follow_ups: details.follow_ups,
            warnings: details.warnings,
            not_found: details.not_found,
        }
    }
}

/// Adds the numbers of the sources that disagree and that the text does not cite.
fn add_uncited(order: &mut Vec<u32>, details: &SummaryDetails) {
    for value in details.disagreements.iter().flat_map(|one| &one.values) {
        if !order.contains(&value.n) && details.sources.iter().any(|source| source.n == value.n) {
            order.push(value.n);
        }
    }
}

fn disagreements(
    found: Vec<Disagreement>,
    sources: &[SummarySource],
    order: &[u32],
) -> Vec<DisagreementView> {
    let side = |value: StatedValue| {
        let source = sources.iter().find(|source| source.n == value.n);
        let place = order.iter().zip(1..).find(|(earlier, _)| **earlier == value.n);
        SideView {
            n: place.map(|(_, n)| n),
            source: source.map(|source| source.searchprovider.clone()).unwrap_or_default(),
            value: value.value,
            quote: value.quote,
            date: value.date,
            newer: value.newer,
        }
    };
    found
        .into_iter()
        .map(|one| DisagreementView { sides: one.values.into_iter().map(side).collect() })
        .collect()
}

/// The sources with these numbers, numbered anew in this order.
fn numbered(
    sources: Vec<SummarySource>,
    order: &[u32],
    ids: &BTreeMap<String, ProviderId>,
) -> Vec<SourceView> {
    let mut known: BTreeMap<u32, SummarySource> =
        sources.into_iter().map(|source| (source.n, source)).collect();
    let shown = order.iter().zip(1..).filter_map(|(earlier, n)| Some((known.remove(earlier)?, n)));
    shown.map(|(source, n)| SourceView::of(source, n, ids)).collect()
}

/// The number of supported sentences.
fn supported(details: &SummaryDetails) -> usize {
    let count = details.sentences.len();
    ((details.grounded.unwrap_or(0.0).clamp(0.0, 1.0) * count as f64).round() as usize).min(count)
}

impl SourceView {
    fn of(source: SummarySource, n: u32, ids: &BTreeMap<String, ProviderId>) -> Self {
        let address = web_link(&source.url);
        let place = address.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        Self {
            n,
            id: source.swirl_id,
            title: truncate(&source.title, TITLE_CHARS_MAX),
            href: address.map(String::from),
            place,
            initials: initials(&source.searchprovider),
            color: color(ids.get(&source.searchprovider).copied().unwrap_or_default()),
            source: source.searchprovider,
            quote: truncate(&source.quote, QUOTE_CHARS_MAX),
            page: source.page,
            mode: source.mode,
        }
    }
}
