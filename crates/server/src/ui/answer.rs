//! The summary card of the search page: the form to request a summary, and the stored summary.

use super::page_context::PageContext;
use crate::api::sapi::usable_models;
use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use domain::ai_provider::Role;
use domain::ids::{ResultId, SearchId, UserId};
use domain::prompt::SEARCH_RAG;
use domain::summary::{INSTRUCTIONS_CHARS_MAX, SourceMode, StoredSummary, SummaryDetails, SummarySource};
use rag::prose::{Block, blocks};
use serde::Serialize;
use std::sync::Arc;
use syntax::display::web_link;
use url::Url;

/// Length at which a quoted passage is cut.
const QUOTE_CHARS_MAX: usize = 600;
/// Length at which a title is cut.
const TITLE_CHARS_MAX: usize = 200;

#[derive(Serialize)]
struct AnswerFragment {
    search_id: SearchId,
    /// Whether the search has finished; only then a summary can be requested.
    is_final: bool,
    /// Whether a model is available.
    can_ask: bool,
    /// Names of the selectable prompts.
    prompts: Vec<String>,
    instructions_max: usize,
    /// Time limit of a summary, in seconds.
    time_max: u64,
    answer: Option<AnswerView>,
    /// The user's rating: 1, -1, or 0.
    rating: i8,
}

#[derive(Serialize)]
struct AnswerView {
    blocks: Vec<Block>,
    /// The original text, for the clipboard.
    text: String,
    /// Cited sources come first.
    sources: Vec<SourceView>,
    cited: usize,
    sentences: usize,
    supported: usize,
    /// Sentences that no source supports.
    unsupported: Vec<String>,
    /// The user's instructions.
    instructions: String,
    prompt: String,
    is_extractive: bool,
    model: String,
    /// The requested model, if another one was used.
    instead_of: Option<String>,
    seconds: String,
    follow_ups: Vec<String>,
    warnings: Vec<String>,
    not_found: bool,
}

#[derive(Serialize)]
struct SourceView {
    n: u32,
    id: ResultId,
    title: String,
    /// None if it is not a web URL.
    href: Option<String>,
    place: String,
    source: String,
    quote: String,
    /// Of a PDF.
    page: Option<u32>,
    is_cited: bool,
    mode: SourceMode,
}

/// `GET /search/{id}/answer/`: 204 if there is neither a summary nor a model.
pub async fn answer_fragment(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Response, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let stored =
        state.federation.reader.saved_summary(&search).await?.filter(|answer| answer.run == search.run);
    let rating = match &stored {
        Some(answer) => state.store.answer_rating(search.id, answer.date_created).await?,
        None => None,
    };
    let models = usable_models(&state, &caller).await?;
    let can_ask = models.iter().any(|model| model.spec.serves(Role::Rag));
    if !can_ask && stored.is_none() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let piece = AnswerFragment {
        search_id: search.id,
        is_final: search.status.is_final(),
        can_ask,
        prompts: prompts_for(&state, caller.principal.user, &[SEARCH_RAG]).await?,
        instructions_max: INSTRUCTIONS_CHARS_MAX,
        time_max: state.settings.rag_timeout.0.as_secs(),
        answer: stored.map(AnswerView::of),
        rating: rating.map(|own| own.rating).unwrap_or_default(),
    };
    let text = state.templates.render("answer_card.html", &context, piece)?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Html(text)).into_response())
}

/// Names of the active prompts with one of the tags that the user may choose.
pub async fn prompts_for(state: &AppState, user: UserId, tags: &[&str]) -> Result<Vec<String>, ApiError> {
    let records = state.store.prompts().await?.into_iter();
    let has_tag = |own: &[String]| own.iter().any(|tag| tags.contains(&tag.as_str()));
    let fits = records.filter(|one| one.spec.active && one.is_for(Some(user)) && has_tag(&one.spec.tags));
    Ok(fits.map(|record| record.spec.name).collect())
}

/// Cuts a text to `chars_max` characters.
pub fn truncate(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

impl AnswerView {
    fn of(stored: StoredSummary) -> Self {
        let details = stored.row.additional_content.map(|details| *details).unwrap_or_default();
        let text = stored.row.body;
        // Extracted sentences come from different sources, so each is a paragraph.
        let shown = if details.extractive { text.replace('\n', "\n\n") } else { text.clone() };
        let numbers = details.sources.iter().map(|source| source.n).collect();
        let supported = supported(&details);
        let mut unsupported: Vec<_> = details.sentences.clone();
        unsupported.sort_by(|a, b| a.support.total_cmp(&b.support));
        unsupported.truncate(details.sentences.len() - supported);
        let mut sources: Vec<SourceView> = details.sources.into_iter().map(SourceView::of).collect();
        sources.sort_by_key(|source| (!source.is_cited, source.n));
        Self {
            blocks: blocks(&shown, &numbers),
            text,
            cited: sources.iter().filter(|source| source.is_cited).count(),
            sources,
            sentences: details.sentences.len(),
            supported,
            unsupported: unsupported.into_iter().map(|sentence| sentence.text).collect(),
            instructions: stored.request.instructions,
            prompt: stored.request.prompt,
            is_extractive: details.extractive,
            instead_of: details.fallback_engaged.then_some(details.requested_model),
            model: details.ai_model,
            seconds: format!("{:.1}", details.generation_time),
            follow_ups: details.follow_ups,
            warnings: details.warnings,
            not_found: details.not_found,
        }
    }
}

/// The number of supported sentences.
fn supported(details: &SummaryDetails) -> usize {
    let count = details.sentences.len();
    ((details.grounded.unwrap_or(0.0).clamp(0.0, 1.0) * count as f64).round() as usize).min(count)
}

impl SourceView {
    fn of(source: SummarySource) -> Self {
        let address = web_link(&source.url);
        let place = address.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
        Self {
            n: source.n,
            id: source.swirl_id,
            title: truncate(&source.title, TITLE_CHARS_MAX),
            href: address.map(String::from),
            place,
            source: source.searchprovider,
            quote: truncate(&source.quote, QUOTE_CHARS_MAX),
            page: source.page,
            is_cited: source.cited,
            mode: source.mode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::assets::Assets;
    use super::super::templates::Templates;
    use super::super::templates::tests::context;
    use super::*;
    use chrono::DateTime;
    use domain::ids::RunNumber;
    use domain::result::ResultItem;
    use domain::summary::{GroundedSentence, SummaryRequest};

    fn source(n: u32, is_cited: bool, text: &str) -> SummarySource {
        SummarySource {
            n,
            swirl_id: ResultId(i64::from(n) * 10),
            title: text.to_owned(),
            url: "https://a.example/x".to_owned(),
            searchprovider: text.to_owned(),
            cited: is_cited,
            mode: SourceMode::Page,
            quote: text.to_owned(),
            page: None,
            signal_id: None,
        }
    }

    fn stored(text: &str) -> StoredSummary {
        let sentence =
            |support| GroundedSentence { text: format!("{support} {text}"), cites: vec![1], support };
        let details = SummaryDetails {
            sources: vec![source(1, false, text), source(2, true, text)],
            ai_model: text.to_owned(),
            requested_model: text.to_owned(),
            fallback_engaged: true,
            generation_time: 1.24,
            follow_ups: vec![text.to_owned()],
            warnings: vec![text.to_owned()],
            grounded: Some(2.0 / 3.0),
            sentences: vec![sentence(0.9), sentence(0.1), sentence(0.5)],
            ..SummaryDetails::default()
        };
        let row = ResultItem {
            body: format!("It rose [2]. {text}\n\n- **{text}** [1] [7]\n"),
            additional_content: Some(Box::new(details)),
            ..ResultItem::default()
        };
        let request = SummaryRequest { instructions: text.to_owned(), ..SummaryRequest::default() };
        let date_created = DateTime::UNIX_EPOCH;
        StoredSummary { search: SearchId(7), run: RunNumber::FIRST, request, row, prompt: None, date_created }
    }

    fn rendered(answer: Option<AnswerView>) -> String {
        let piece = AnswerFragment {
            search_id: SearchId(7),
            is_final: true,
            can_ask: true,
            prompts: vec!["brief".to_owned()],
            instructions_max: 2000,
            time_max: 60,
            answer,
            rating: -1,
        };
        let templates = Templates::new(Arc::new(Assets::new("")));
        templates.render("answer_card.html", &context(""), piece).expect("a piece")
    }

    #[test]
    fn what_is_cited_comes_first_and_support_is_counted() {
        let shown = AnswerView::of(stored("plain"));
        assert_eq!(shown.sources.iter().map(|source| source.n).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((shown.sentences, shown.supported, shown.cited), (3, 2, 1));
        assert_eq!(shown.unsupported, ["0.1 plain"]);
        assert_eq!((shown.seconds.as_str(), shown.instead_of.as_deref()), ("1.2", Some("plain")));
        assert_eq!(shown.sources[0].place, "a.example");
    }

    #[test]
    fn a_passage_of_a_pdf_has_its_page() {
        let mut answer = stored("plain");
        assert!(!rendered(Some(AnswerView::of(answer.clone()))).contains("· page"));
        let mut cited = source(2, true, "plain");
        (cited.page, cited.url) = (Some(4), "https://a.example/x#page=4".to_owned());
        answer.row.additional_content.as_mut().expect("details").sources[1] = cited;
        let text = rendered(Some(AnswerView::of(answer)));
        assert!(text.contains("a.example · page 4<"), "{text}");
        assert!(text.contains("a.example&#x2f;x#page=4\""), "the link leads to the page: {text}");
    }

    #[test]
    fn hostile_texts_are_inert_in_the_card() {
        for bad in ["<script>x</script>", "\"><img src=x onerror=y>", "[a](javascript:x)", "' onmouseover='x"]
        {
            let text = rendered(Some(AnswerView::of(stored(bad))));
            for tag in ["<script", "<img", "href=\"javascript", " onmouseover='x'"] {
                assert!(!text.contains(tag), "{tag} of {bad}: {text}");
            }
            assert!(text.contains("data-rate=\"-1\" aria-pressed=\"true\""), "{text}");
            assert!(text.contains("data-cite=\"2\"") && text.contains("data-cite=\"1\""), "{text}");
            assert!(
                !text.contains("data-cite=\"7\"") && text.contains("[7]"),
                "only known sources are links"
            );
        }
        assert!(!rendered(None).contains("data-cite"));
    }

    #[test]
    fn tables_and_nested_lists_are_shown() {
        let table =
            "| Year | | Level |\n|---|:-:|--:|\n| **2023** [2] | <b>x</b> | [a](javascript:x) [7] |\n";
        let text =
            rendered(Some(AnswerView::of(stored(&format!("\n\n{table}\n3. a\n   - b\n\n     c\n4. d")))));
        for expected in [
            "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"><table><thead><tr>\
             <th scope=\"col\">Year</th><td class=\"center\"></td><th scope=\"col\" class=\"end\">Level</th></tr></thead>",
            "<tbody><tr><td><strong>2023</strong><a class=\"cite\" href=\"#source-2\"",
            "<td class=\"center\">&lt;b&gt;x&lt;&#x2f;b&gt;</td><td class=\"end\">[a](javascript:x) [7]</td></tr></tbody>\
             </table></div>",
            "<ol start=\"3\"><li>a<ul><li>b<p>c</p></li></ul></li><li>d",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        let unfinished = rendered(Some(AnswerView::of(stored("\n\n| a | b |\n|---|---|\n| 1"))));
        assert!(unfinished.contains("<td>1"), "{unfinished}");
    }

    #[test]
    fn only_web_addresses_lead_on() {
        for (url, leads) in [
            ("https://a.example/b", true),
            ("http://a.example", true),
            ("javascript:x", false),
            ("file:///x", false),
            ("", false),
        ] {
            assert_eq!(web_link(url).is_some(), leads, "{url}");
        }
    }

    #[test]
    fn texts_are_cut() {
        assert_eq!(truncate("öäü", 3), "öäü");
        assert_eq!(truncate("öä ü", 3), "öä…");
    }
}
