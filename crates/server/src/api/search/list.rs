//! The list of the caller's searches: all, saved, subscribed, or by text.

use super::view::SearchView;
use crate::api::pagination::{ListRequest, Paging};
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::Flag;
use crate::links::Links;
use crate::state::AppState;
use axum::response::Response;
use domain::ids::{SearchId, UserId};
use domain::owner_scope::OwnerScope;
use domain::search::{FILTER_CHARS_MAX, SearchFilter};
use domain::validation::FieldErrors;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Debug, Default, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ListQuery {
    /// Of the list: only searches with the tag `saved`.
    #[param(value_type = Option<bool>)]
    saved: Option<Flag>,
    /// Of the list: only subscribed searches.
    #[param(value_type = Option<bool>)]
    subscribed: Option<Flag>,
    /// Of the list: false leaves out the searches of the Assistant.
    #[param(value_type = Option<bool>)]
    assistant: Option<Flag>,
    /// Of the list: only searches whose query contains this text.
    text: Option<String>,
}

impl ListQuery {
    fn filter(&self, owner: UserId) -> Result<SearchFilter, ApiError> {
        let text = self.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let mut errors = FieldErrors::default();
        errors.check_text("text", text.unwrap_or_default(), FILTER_CHARS_MAX);
        errors.into_result(()).map_err(ApiError::invalid)?;
        Ok(SearchFilter {
            owner: OwnerScope::Only(owner),
            saved: self.saved == Some(Flag(true)),
            subscribed: self.subscribed == Some(Flag(true)),
            without_assistant: self.assistant == Some(Flag(false)),
            text: text.map(str::to_owned),
        })
    }
}

/// With `search_only` the list is always paginated.
pub async fn list(
    state: &AppState,
    caller: &Caller,
    links: &Links,
    list_query: &ListQuery,
    search_only: bool,
    paging: Paging,
) -> Result<Response, ApiError> {
    let filter = list_query.filter(caller.principal.user)?;
    let page = paging.page.or(search_only.then_some(1));
    let list = ListRequest::read(Paging { page, ..paging }, links, &resource(&filter, search_only))?;
    let mut page = state.store.find_searches(&filter, list.offset(), list.limit()).await?;
    state.federation.reader.complete_notices(&mut page.items).await?;
    let subscribed: Vec<SearchId> =
        page.items.iter().filter(|search| search.spec.subscribe).map(|search| search.id).collect();
    let new: HashMap<SearchId, u64> = state.store.count_new(&subscribed).await?.into_iter().collect();
    let owner = &caller.principal.username;
    let views = page.items.into_iter().map(|search| {
        let count = search.spec.subscribe.then(|| new.get(&search.id).copied().unwrap_or(0));
        SearchView::of(search, owner, links, &state.plugins).with_new(count)
    });
    Ok(list.answer(views.collect::<Vec<_>>(), page.total))
}

/// The path of the list with its filter, for the links to its pages.
fn resource(filter: &SearchFilter, search_only: bool) -> String {
    let mut parameters = url::form_urlencoded::Serializer::new(String::new());
    for (name, is_set) in
        [("search_only", search_only), ("saved", filter.saved), ("subscribed", filter.subscribed)]
    {
        if is_set {
            parameters.append_pair(name, "true");
        }
    }
    if filter.without_assistant {
        parameters.append_pair("assistant", "false");
    }
    if let Some(text) = &filter.text {
        parameters.append_pair("text", text);
    }
    match parameters.finish() {
        none if none.is_empty() => "/search/".to_owned(),
        some => format!("/search/?{some}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_the_filter() {
        let none = || SearchFilter::owned_by(OwnerScope::Only(UserId(1)));
        let text = SearchFilter { text: Some("a&b c".to_owned()), saved: true, ..none() };
        let cases = [
            (none(), false, "/search/"),
            (none(), true, "/search/?search_only=true"),
            (SearchFilter { subscribed: true, ..none() }, false, "/search/?subscribed=true"),
            (SearchFilter { without_assistant: true, ..none() }, false, "/search/?assistant=false"),
            (text, true, "/search/?search_only=true&saved=true&text=a%26b+c"),
        ];
        for (filter, search_only, expected) in cases {
            assert_eq!(resource(&filter, search_only), expected);
        }
    }

    #[test]
    fn texts_are_bounded() {
        let query = |count: usize| ListQuery { text: Some("x".repeat(count)), ..ListQuery::default() };
        assert!(query(FILTER_CHARS_MAX).filter(UserId(1)).is_ok());
        assert!(query(FILTER_CHARS_MAX + 1).filter(UserId(1)).is_err());
        assert_eq!(query(0).filter(UserId(1)).map(|filter| filter.text).ok(), Some(None));
    }
}
