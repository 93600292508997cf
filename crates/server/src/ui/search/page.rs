//! The whole search page: start page, new search, or result list. It works with links and forms alone; without
//! JavaScript, the page of a running search reloads itself.

use super::answer::answer_card;
use super::better_order::list_request;
use super::list::{ListView, Listing};
use super::picker::Picker;
use super::query::{Fields, ListQuery};
use super::search_form::{SearchForm, requested_providers};
use super::shared_link;
use super::sources::{closed_providers, visible_providers};
use crate::api::sapi::usable_models;
use crate::api::search::{is_prefetch, log_view, own_search};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::request_head::RequestHead;
use crate::state::AppState;
use crate::ui::answer::AnswerCard;
use crate::ui::confirm_search::offer_search;
use crate::ui::first_run::FirstRun;
use crate::ui::page_context::PageContext;
use axum::extract::{RawQuery, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use domain::ai_provider::Role;
use domain::ids::SearchId;
use domain::owner_scope::OwnerScope;
use domain::ports::Corpus;
use domain::result::ResultSet;
use domain::search::{ProviderRef, Search, SearchFilter};
use federation::FederationError;
use serde::Serialize;
use std::sync::Arc;

/// Recent searches on the start page.
const RECENT: u64 = 6;
/// Searches that are read for each one shown, because a query may occur several times.
const SEARCHES_PER_RECENT: u64 = 4;

#[derive(Default, Serialize)]
struct SearchPage {
    query: String,
    error: Option<String>,
    picker: Picker,
    /// Only on the start page.
    first_run: Option<FirstRun>,
    recent: Vec<Recent>,
    /// Whether summaries are available; space is reserved for the card.
    has_answers: bool,
    /// The summary card of the list.
    card: Option<AnswerCard>,
    /// Whether copies can be saved.
    has_cache: bool,
    /// Whether alerts can be sent.
    has_alerts: bool,
    /// Whether alerts would be sent by mail, and the user has no address.
    needs_mail_address: bool,
    /// Whether a better order of a list may be found.
    has_second_reader: bool,
    list: Option<ListView>,
    /// Parameters of the search of the list, for its address.
    shared: String,
}

/// A recent search.
#[derive(Serialize)]
struct Recent {
    id: SearchId,
    query: String,
    /// Machine-readable, then for display.
    time: String,
    day: String,
}

/// `/`: `q` starts a search, `rerun` runs one again, `search_id` shows the list of one. New searches redirect to their
/// list, so that a reload does not search again. The list of another user is not shown; if the address names its query,
/// the page offers to run it.
pub async fn search_page(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, method, headers }: RequestHead,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let fields = Fields::parse(&query.unwrap_or_default());
    let view = PageView { state: &state, context: &context, caller: &caller };
    let form = match SearchForm::parse(&fields) {
        Ok(form) => form,
        Err(error) => return view.show_refused(&fields, &error).await,
    };
    if let Some(form) = form {
        if is_prefetch(&headers) || method == Method::HEAD {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        let list = match shared_link::first_list(&fields) {
            Ok(list) => list,
            Err(error) => return view.show_refused(&fields, &error).await,
        };
        let form = form.shortened(&state, &caller.principal).await?;
        return match form.start(&state, &caller, address).await {
            Ok(search) => {
                let place = with_answer(shared_link::address(&search, &list), &fields);
                Ok(Redirect::to(&place).into_response())
            }
            Err(error) => view.show_refused(&fields, &error).await,
        };
    }
    let read = fields.number("search_id").and_then(|id| Ok((id, ListQuery::parse(&fields)?)));
    let (id, query) = match read {
        Ok((Some(id), query)) => (SearchId(id), query),
        Ok((None, _)) => return view.start(&fields).await,
        Err(error) => return view.show_refused(&fields, &error).await,
    };
    match own_search(&state, &caller.principal, id).await {
        Ok(search) => view.list(&search, &query, links.base()).await,
        Err(error) if error.error_code() == ErrorCode::NotFound && fields.text("q").is_some() => {
            offer_search(&state, &context, shared_link::fields_to_run(&fields))
        }
        Err(error) => view.show_refused(&fields, &error).await,
    }
}

/// Appends the summary parameters, which a script uses when the list has loaded.
fn with_answer(mut place: String, fields: &Fields) -> String {
    for name in ["rag", "rag_timeout"] {
        if let Some(text) = fields.text(name) {
            let pair = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, text).finish();
            place.push('&');
            place.push_str(&pair);
        }
    }
    place
}

/// The request context of the page.
struct PageView<'a> {
    state: &'a AppState,
    context: &'a PageContext,
    caller: &'a Caller,
}

impl PageView<'_> {
    /// The start page.
    async fn start(&self, fields: &Fields) -> Result<Response, ApiError> {
        let providers = visible_providers(self.state, &self.caller.principal).await?;
        let page = SearchPage {
            picker: Picker::with(&providers, &requested_providers(fields)),
            first_run: FirstRun::of(self.state, &self.context.language, &providers),
            recent: self.recent().await?,
            has_answers: self.has_answers().await?,
            ..SearchPage::default()
        };
        self.show(StatusCode::OK, page)
    }

    /// The search box with the input and the error message.
    async fn show_refused(&self, fields: &Fields, error: &ApiError) -> Result<Response, ApiError> {
        let status = match error.error_code() {
            ErrorCode::Invalid => StatusCode::BAD_REQUEST,
            ErrorCode::Throttled => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::Conflict => StatusCode::CONFLICT,
            _ => return Err(error.clone()),
        };
        let sentence = match error.error_code() {
            ErrorCode::NotFound => "Search not found.".to_owned(),
            _ => error.detail().to_owned(),
        };
        let page = SearchPage {
            query: fields.text("q").unwrap_or_default().to_owned(),
            error: Some(sentence),
            picker: self.picker(&requested_providers(fields)).await?,
            has_answers: self.has_answers().await?,
            ..SearchPage::default()
        };
        let page = self.show(status, page)?;
        match error.retry_after_s() {
            Some(seconds) => Ok(([(header::RETRY_AFTER, seconds.to_string())], page).into_response()),
            None => Ok(page),
        }
    }

    /// The list of a search: complete, or the results so far.
    async fn list(&self, search: &Search, query: &ListQuery, base_url: String) -> Result<Response, ApiError> {
        let request = list_request(self.state, search, query, base_url).await;
        let mut asked = Vec::new();
        let mixed = match self.state.federation.mixer.mix(search, &request).await {
            Ok(mixed) => mixed,
            Err(FederationError::NotReady(_)) => {
                asked = self.state.federation.selector.selected_providers(search).await?;
                let sets = self.partial_sets(search);
                self.state.federation.mixer.mix_sets(search, sets, &request).await
            }
            Err(error) => return Err(error.into()),
        };
        log_view(search, &mixed);
        let card = answer_card(self.state, self.caller, search, query).await?;
        let closed = closed_providers(self.state).await?;
        let (state, context, asked, closed) = (self.state, self.context, &asked, &closed);
        let page = SearchPage {
            query: search.spec.query_string.clone(),
            picker: self.picker(&search.spec.searchprovider_list).await?,
            list: Some(Listing { state, context, search, query, asked, closed }.view(mixed)),
            shared: shared_link::parameters(&search.spec),
            has_answers: card.as_ref().is_some_and(|card| card.can_ask),
            card,
            needs_mail_address: self.needs_mail_address().await?,
            ..SearchPage::default()
        };
        self.show(StatusCode::OK, page)
    }

    async fn needs_mail_address(&self) -> Result<bool, ApiError> {
        if !self.state.settings.has_alert_mail() {
            return Ok(false);
        }
        Ok(self.state.store.user(self.caller.principal.user).await?.email.is_empty())
    }

    fn partial_sets(&self, search: &Search) -> Vec<ResultSet> {
        let sets = self.state.federation.progress.snapshot(search.id, search.run);
        sets.iter().map(|set| ResultSet::clone(set)).collect()
    }

    async fn picker(&self, list: &[ProviderRef]) -> Result<Picker, ApiError> {
        Picker::of(self.state, &self.caller.principal, list).await
    }

    async fn has_answers(&self) -> Result<bool, ApiError> {
        let models = usable_models(self.state, self.caller).await?;
        Ok(models.iter().any(|model| model.spec.serves(Role::Rag)))
    }

    /// The newest searches of the user, without those of the Assistant, each query once.
    async fn recent(&self) -> Result<Vec<Recent>, ApiError> {
        let looked = RECENT * SEARCHES_PER_RECENT;
        let own = SearchFilter::owned_by(OwnerScope::Only(self.caller.principal.user));
        let filter = SearchFilter { without_assistant: true, ..own };
        let page = self.state.store.find_searches(&filter, 0, looked).await?;
        let mut recent: Vec<Recent> = Vec::new();
        for search in page.items {
            let query = search.spec.query_string;
            let is_same = |one: &Recent| one.query.trim().to_lowercase() == query.trim().to_lowercase();
            if recent.len() < RECENT as usize && !recent.iter().any(is_same) {
                let date = search.date_updated;
                let (time, day) = (date.to_rfc3339(), self.context.language.format.date(date.date_naive()));
                recent.push(Recent { id: search.id, query, time, day });
            }
        }
        Ok(recent)
    }

    fn show(&self, status: StatusCode, page: SearchPage) -> Result<Response, ApiError> {
        let has_alerts = self.state.settings.has_alerts();
        let has_second_reader = self.state.summaries.better_orders().is_some();
        let has_cache = self.state.corpus.is_open();
        let page = SearchPage { has_cache, has_alerts, has_second_reader, ..page };
        self.state.templates.render_page(status, "search.html", self.context, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_parameters_are_preserved() {
        for (given, expected) in [
            ("q=a", "/?search_id=7"),
            ("q=a&rag=true", "/?search_id=7&rag=true"),
            ("q=a&rag=%26x&rag_timeout=90", "/?search_id=7&rag=%26x&rag_timeout=90"),
        ] {
            assert_eq!(with_answer("/?search_id=7".to_owned(), &Fields::parse(given)), expected);
        }
    }
}
