//! The whole page: the box alone, a search that is begun, or the list of one. All of it works by links and forms; a
//! page whose search runs loads again by itself where there is no script.

use super::list::{ListView, Listing};
use super::picker::Picker;
use super::query::{Fields, ListQuery};
use super::start::{Wanted, listed};
use crate::AppState;
use crate::api::sapi::usable_models;
use crate::api::search::{is_prefetch, log_view, own_search};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::links::Links;
use crate::ui::frame::Frame;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use domain::ai_provider::Role;
use domain::contracts::Corpus;
use domain::ids::SearchId;
use domain::mixed::MixedResponse;
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::{ProviderRef, Search};
use federation::FederationError;
use serde::Serialize;
use std::sync::Arc;

/// Searches of before that the start page offers.
const RECENT: u64 = 6;
/// The same query may have been asked several times; as many are looked at for each that is shown.
const LOOKED_AT_FOR_ONE: u64 = 4;

#[derive(Default, Serialize)]
struct SearchPage {
    query: String,
    error: Option<String>,
    picker: Picker,
    recent: Vec<Recent>,
    /// Somebody could write an answer: its place is kept free.
    has_answers: bool,
    /// Copies may be kept.
    has_cache: bool,
    list: Option<ListView>,
}

/// A search of before.
#[derive(Serialize)]
struct Recent {
    id: SearchId,
    query: String,
    /// For machines, then for people.
    time: String,
    day: String,
}

/// `/`: with `q` a new search, with `rerun` one that runs again, with `search_id` the list of one. A reload does not
/// search again.
pub async fn search_page(
    caller: Caller,
    frame: Frame,
    State(state): State<Arc<AppState>>,
    links: Links,
    address: ClientAddress,
    (method, headers, RawQuery(query)): (Method, HeaderMap, RawQuery),
) -> Result<Response, ApiError> {
    let fields = Fields::read(&query.unwrap_or_default());
    let visit = Visit { state: &state, frame: &frame, caller: &caller };
    let wanted = match Wanted::read(&fields) {
        Ok(wanted) => wanted,
        Err(error) => return visit.refused(&fields, &error).await,
    };
    if let Some(wanted) = wanted {
        if is_prefetch(&headers) || method == Method::HEAD {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        let wanted = wanted.shortened(&state, &caller.principal).await?;
        return match wanted.begin(&state, &caller, address).await {
            Ok(search) => {
                let place = with_answer(ListQuery::default().href(search.id), &fields);
                Ok(Redirect::to(&place).into_response())
            }
            Err(error) => visit.refused(&fields, &error).await,
        };
    }
    let read = fields.number("search_id").and_then(|id| Ok((id, ListQuery::read(&fields)?)));
    let (id, query) = match read {
        Ok((Some(id), query)) => (SearchId(id), query),
        Ok((None, _)) => return visit.start(&fields).await,
        Err(error) => return visit.refused(&fields, &error).await,
    };
    match own_search(&state, &caller.principal, id).await {
        Ok(search) => visit.list(&search, &query, links.base()).await,
        Err(error) => visit.refused(&fields, &error).await,
    }
}

/// The address with what it says about an answer, which a module asks for when the list is there.
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

/// Who looks at the page.
struct Visit<'a> {
    state: &'a AppState,
    frame: &'a Frame,
    caller: &'a Caller,
}

impl Visit<'_> {
    /// The box, what was searched for before, and the tags of the sources.
    async fn start(&self, fields: &Fields) -> Result<Response, ApiError> {
        let page = SearchPage {
            picker: self.picker(&listed(fields)).await?,
            recent: self.recent().await?,
            has_answers: self.has_answers().await?,
            ..SearchPage::default()
        };
        self.show(StatusCode::OK, page)
    }

    /// The box again with what was typed, and why it did not work.
    async fn refused(&self, fields: &Fields, error: &ApiError) -> Result<Response, ApiError> {
        let status = match error.refusal() {
            Refusal::Invalid => StatusCode::BAD_REQUEST,
            Refusal::Throttled => StatusCode::TOO_MANY_REQUESTS,
            Refusal::NotFound => StatusCode::NOT_FOUND,
            Refusal::Conflict => StatusCode::CONFLICT,
            _ => return Err(error.clone()),
        };
        let sentence = match error.refusal() {
            Refusal::NotFound => "There is no such search.".to_owned(),
            _ => error.detail().to_owned(),
        };
        let page = SearchPage {
            query: fields.text("q").unwrap_or_default().to_owned(),
            error: Some(sentence),
            picker: self.picker(&listed(fields)).await?,
            ..SearchPage::default()
        };
        let page = self.show(status, page)?;
        match error.retry_after_s() {
            Some(seconds) => Ok(([(header::RETRY_AFTER, seconds.to_string())], page).into_response()),
            None => Ok(page),
        }
    }

    /// The list of a search: all of it, or what has arrived so far.
    async fn list(&self, search: &Search, query: &ListQuery, base_url: String) -> Result<Response, ApiError> {
        let request = query.request(base_url);
        let mut asked = Vec::new();
        let mixed = match self.state.federation.mix(search, &request).await {
            Ok(mixed) => mixed,
            Err(FederationError::NotReady(_)) => {
                asked = self.state.federation.asked_by(search).await?;
                let sets = self.so_far(search);
                self.state.federation.mix_sets(search, sets, &request).await
            }
            Err(error) => return Err(error.into()),
        };
        log_view(search, &mixed);
        let page = SearchPage {
            query: search.spec.query_string.clone(),
            picker: self.picker(&search.spec.searchprovider_list).await?,
            list: Some(self.view(search, query, &asked, mixed)),
            has_answers: self.has_answers().await?,
            ..SearchPage::default()
        };
        self.show(StatusCode::OK, page)
    }

    fn so_far(&self, search: &Search) -> Vec<ResultSet> {
        let sets = self.state.federation.events().so_far(search.id, search.run);
        sets.iter().map(|set| ResultSet::clone(set)).collect()
    }

    fn view(
        &self,
        search: &Search,
        query: &ListQuery,
        asked: &[SearchProvider],
        mixed: MixedResponse,
    ) -> ListView {
        Listing { state: self.state, frame: self.frame, search, query, asked }.view(mixed)
    }

    async fn picker(&self, list: &[ProviderRef]) -> Result<Picker, ApiError> {
        Picker::of(self.state, &self.caller.principal, list).await
    }

    async fn has_answers(&self) -> Result<bool, ApiError> {
        let models = usable_models(self.state, self.caller).await?;
        Ok(models.iter().any(|model| model.spec.serves(Role::Rag)))
    }

    async fn recent(&self) -> Result<Vec<Recent>, ApiError> {
        let looked = RECENT * LOOKED_AT_FOR_ONE;
        let page = self.state.store.searches(Some(self.caller.principal.user), 0, looked).await?;
        let form = if self.frame.language.code == "de" { "%d.%m.%Y" } else { "%-d %b %Y" };
        let mut recent: Vec<Recent> = Vec::new();
        for search in page.items {
            let query = search.spec.query_string;
            if recent.len() < RECENT as usize && !recent.iter().any(|one| one.query == query) {
                let date = search.date_updated;
                let (time, day) = (date.to_rfc3339(), date.format(form).to_string());
                recent.push(Recent { id: search.id, query, time, day });
            }
        }
        Ok(recent)
    }

    fn show(&self, status: StatusCode, page: SearchPage) -> Result<Response, ApiError> {
        let page = SearchPage { has_cache: self.state.corpus.is_open(), ..page };
        self.state.pages.show(status, "search.html", self.frame, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_for_an_answer_is_kept() {
        for (given, expected) in [
            ("q=a", "/?search_id=7"),
            ("q=a&rag=true", "/?search_id=7&rag=true"),
            ("q=a&rag=%26x&rag_timeout=90", "/?search_id=7&rag=%26x&rag_timeout=90"),
        ] {
            assert_eq!(with_answer("/?search_id=7".to_owned(), &Fields::read(given)), expected);
        }
    }
}
