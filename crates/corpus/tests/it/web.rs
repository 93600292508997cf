//! Fake pages of sources: for everybody, or for one person.

use async_trait::async_trait;
use domain::ids::UserId;
use domain::ports::{ByteOrigin, DocumentRequest, PageError, PageProbe, PageText, ReadPages};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// Person and URL.
type Place = (Option<UserId>, String);

#[derive(Default)]
pub struct Web {
    pages: Mutex<BTreeMap<Place, Result<PageText, PageError>>>,
    /// Requests: person, provider, URL.
    pub asked: Mutex<Vec<(UserId, i64, String)>>,
}

impl Web {
    pub fn gives(&self, url: &str, page: Result<&str, PageError>) {
        self.put(None, url, page.map(page_of));
    }

    pub fn gives_to(&self, user: UserId, url: &str, page: Result<&str, PageError>) {
        self.put(Some(user), url, page.map(page_of));
    }

    pub fn gives_page(&self, url: &str, page: PageText) {
        self.put(None, url, Ok(page));
    }

    fn put(&self, user: Option<UserId>, url: &str, page: Result<PageText, PageError>) {
        self.pages.lock().unwrap().insert((user, url.to_owned()), page);
    }

    pub fn asked_times(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn page_of(text: &str) -> PageText {
    PageText {
        title: "A page".to_owned(),
        text: text.to_owned(),
        media_type: "text/html".to_owned(),
        author: "Ada".to_owned(),
        version: format!("\"{}\"", text.len()),
        file_bytes: text.len() as u64,
        origin: ByteOrigin::Own,
        ..PageText::default()
    }
}

/// The provider whose credentials are used; 0: none.
fn provider_of(target: PageTarget<'_>) -> i64 {
    match target {
        PageTarget::Source(page) => page.provider().id.0,
        PageTarget::Account(page) => page.provider().id.0,
        PageTarget::User(_) => 0,
    }
}

#[async_trait]
impl ReadPages for Web {
    async fn read(&self, wanted: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        let DocumentRequest { target, user, .. } = *wanted;
        let (provider, url) = (provider_of(target), target.address().to_owned());
        self.asked.lock().unwrap().push((user, provider, url.clone()));
        let pages = self.pages.lock().unwrap();
        let own = pages.get(&(Some(user), url.clone()));
        let page = own.or_else(|| pages.get(&(None, url)));
        page.cloned().unwrap_or(Err(PageError::failed("there is no such page")))
    }
    async fn probe(&self, _wanted: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        Err(PageError::NoAddress)
    }
    async fn fill_bodies(
        &self,
        _provider: &SearchProvider,
        _items: &mut [ResultItem],
        _query: &str,
        _user: UserId,
        _time_max: Duration,
    ) -> usize {
        0
    }
}
