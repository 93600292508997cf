//! Pagination: bare arrays, or pages if `page` or `items` is given.

use crate::error::ApiError;
use crate::links::Links;
use axum::Json;
use axum::http::HeaderName;
use axum::response::{IntoResponse, Response};
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};

/// Most items on one page.
pub const ITEMS_MAX: u32 = 100;
/// Items on a page if only `page` is given.
const ITEMS_DEFAULT: u32 = 10;
/// Most items in a bare array; `X-Total-Count` has the total.
const BARE_MAX: u64 = 1000;
const TOTAL_HEADER: HeaderName = HeaderName::from_static("x-total-count");

/// The parameters of every list.
#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Paging {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items on one page, 1 to 100.
    pub items: Option<u32>,
}

impl Paging {
    /// For a list that is always paginated: the first page by default.
    pub fn paged(self) -> Self {
        Self { page: self.page.or(Some(1)), ..self }
    }
}

/// The requested part of a list.
#[derive(Debug)]
pub struct ListRequest {
    /// Page and items; None for a bare array.
    page: Option<(u64, u64)>,
    url: String,
}

/// The body of a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Listing<T> {
    Bare(Vec<T>),
    Paged(Paged<T>),
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Paged<T> {
    /// Items in the whole list.
    count: u64,
    /// The next page, if there is one.
    next: Option<String>,
    /// The previous page, if there is one.
    previous: Option<String>,
    results: Vec<T>,
}

impl ListRequest {
    /// `resource` is the path of the list after the prefix, with its own parameters if it has some.
    pub fn read(paging: Paging, links: &Links, resource: &str) -> Result<Self, ApiError> {
        let mut errors = FieldErrors::default();
        let (page, items) = (paging.page.unwrap_or(1), paging.items.unwrap_or(ITEMS_DEFAULT));
        errors.check(page >= 1, "page", || "Pages are counted from 1.".to_owned());
        errors.check((1..=ITEMS_MAX).contains(&items), "items", || format!("Use 1 to {ITEMS_MAX}."));
        errors.into_result(()).map_err(ApiError::invalid)?;
        let is_paged = paging.page.is_some() || paging.items.is_some();
        Ok(Self {
            page: is_paged.then_some((page.into(), items.into())),
            url: format!("{}{resource}", links.base()),
        })
    }

    pub fn offset(&self) -> u64 {
        self.page.map_or(0, |(page, items)| (page - 1) * items)
    }

    pub fn limit(&self) -> u64 {
        self.page.map_or(BARE_MAX, |(_, items)| items)
    }

    /// The response with the items between offset and limit of a list of `total`.
    pub fn answer<T: Serialize>(&self, items: Vec<T>, total: u64) -> Response {
        ([(TOTAL_HEADER, total.to_string())], Json(self.listing(items, total))).into_response()
    }

    /// The response with the requested part of a complete list.
    pub fn answer_from<T: Serialize>(&self, all: Vec<T>) -> Response {
        let total = all.len() as u64;
        self.answer(self.part_of(all), total)
    }

    /// The requested part of a complete list.
    pub fn part_of<T>(&self, all: Vec<T>) -> Vec<T> {
        let offset = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let limit = usize::try_from(self.limit()).unwrap_or(usize::MAX);
        all.into_iter().skip(offset).take(limit).collect()
    }

    fn listing<T>(&self, results: Vec<T>, count: u64) -> Listing<T> {
        let Some((page, items)) = self.page else {
            return Listing::Bare(results);
        };
        Listing::Paged(Paged {
            count,
            next: (page * items < count).then(|| self.page_url(page + 1, items)),
            previous: (page > 1).then(|| self.page_url(page - 1, items)),
            results,
        })
    }

    fn page_url(&self, page: u64, items: u64) -> String {
        let mark = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{mark}page={page}&items={items}", self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(page: Option<u32>, items: Option<u32>) -> ListRequest {
        ListRequest {
            page: (page.is_some() || items.is_some())
                .then(|| (page.unwrap_or(1).into(), items.unwrap_or(ITEMS_DEFAULT).into())),
            url: "http://service/svc/users/".to_owned(),
        }
    }

    #[test]
    fn pages_link_to_their_neighbors() {
        let table = [
            (1, 2, 5, Some("page=2&items=2"), None),
            (2, 2, 5, Some("page=3&items=2"), Some("page=1&items=2")),
            (3, 2, 5, None, Some("page=2&items=2")),
            (9, 2, 5, None, Some("page=8&items=2")),
            (1, 5, 5, None, None),
        ];
        for (page, items, total, next, previous) in table {
            let list = request(Some(page), Some(items));
            let Listing::Paged(paged) = list.listing(vec![0], total) else {
                panic!("a page was asked for");
            };
            let url = |query: &str| format!("http://service/svc/users/?{query}");
            assert_eq!(paged.next, next.map(url), "page {page}");
            assert_eq!(paged.previous, previous.map(url), "page {page}");
            assert_eq!(paged.count, total);
        }
    }

    #[test]
    fn without_parameters_a_list_is_bare_and_bounded() {
        let list = request(None, None);
        assert_eq!((list.offset(), list.limit()), (0, BARE_MAX));
        let text = serde_json::to_string(&list.listing(vec![1, 2], 2)).expect("JSON");
        assert_eq!(text, "[1,2]");
        let list = request(Some(3), None);
        assert_eq!((list.offset(), list.limit()), (20, 10));
        let first = Paging::default().paged();
        let list = request(first.page, first.items);
        assert_eq!((list.offset(), list.limit()), (0, u64::from(ITEMS_DEFAULT)));
    }
}
