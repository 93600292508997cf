//! Fetches the items of a provider: paging, rate limit, retries, parsing.

use super::errors::internal_error;
use super::provider_run::ProviderRun;
use super::query::ProviderQueryInput;
use crate::deadline::time_left;
use crate::provider_health::{FlightKey, RequestPolicy, whole_seconds};
use crate::response_memory::estimate;
use domain::known_secrets::KnownSecrets;
use domain::notice::{Notice, NoticeKind, reason};
use domain::ports::{
    Connector, ConnectorError, ConnectorErrorKind, FetchedResponse, NormalizedPage, PreparedRequest,
};
use domain::rate_limit::{BudgetRequest, BudgetTurn};
use domain::result::ResultSet;
use futures_util::StreamExt;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use syntax::rate::Rate;
use tokio::time::{Instant, timeout_at};

/// Pages after the first that are requested concurrently.
const PAGES_AT_ONCE: usize = 4;
/// Share of the remaining time for the later pages; the items still have to be mapped and scored.
const LATER_PAGES_TIME_RATIO: f64 = 0.9;
/// Longer responses are measured on the CPU pool.
const INLINE_BYTES_MAX: usize = 64 * 1024;
/// Longer responses are parsed on the CPU pool; for a shorter one, the way there and back takes longer than parsing.
const INLINE_PARSE_BYTES_MAX: usize = 32 * 1024;

/// The items of all fetched pages.
pub(super) struct FetchedItems {
    pub found: Option<u64>,
    /// Items on the pages, with those beyond what is wanted.
    pub returned: u64,
    pub items: Vec<Value>,
    /// Why results are missing: a later page failed, or the source reports that a part of it did.
    pub missing: Option<ConnectorError>,
}

impl FetchedItems {
    fn of(first: CountedPage) -> Self {
        let CountedPage { page, count } = first;
        Self { found: page.found, returned: count, items: page.items, missing: page.missing }
    }

    /// Adds a later page and returns its number of items. The `found` of an empty page is ignored.
    fn add(&mut self, counted: CountedPage) -> u64 {
        let CountedPage { page, count } = counted;
        if count > 0 {
            self.found = page.found.or(self.found);
        }
        self.returned += count;
        self.items.extend(page.items);
        self.missing = self.missing.take().or(page.missing);
        count
    }
}

/// A page with no more items than the search wants.
struct CountedPage {
    page: NormalizedPage,
    /// Items on the page of the source.
    count: u64,
}

/// The memory of a response.
struct Measured {
    response: Box<dyn FetchedResponse>,
    /// When it is parsed, at most.
    parsed_bytes: usize,
    body_bytes: usize,
}

impl Measured {
    /// Values that are already in memory are not counted again.
    fn of(response: Box<dyn FetchedResponse>) -> Self {
        let (parsed_bytes, body_bytes) =
            response.unparsed().map_or((0, 0), |http| (estimate(http), http.body.len()));
        Self { response, parsed_bytes, body_bytes }
    }
}

fn is_long(response: &dyn FetchedResponse) -> bool {
    response.unparsed().is_some_and(|http| http.body.len() > INLINE_BYTES_MAX)
}

/// Rows of a database have no body; there may be many of them.
fn is_short(response: &dyn FetchedResponse) -> bool {
    response.unparsed().is_some_and(|http| http.body.len() <= INLINE_PARSE_BYTES_MAX)
}

/// Fetches the pages of one provider.
pub(super) struct PageFetcher<'a> {
    pub run: &'a ProviderRun,
    pub connector: &'a Arc<dyn Connector>,
    pub query_input: &'a ProviderQueryInput,
    pub secrets: &'a Arc<KnownSecrets>,
}

impl PageFetcher<'_> {
    /// Fetches the first page; if it is full and more results are wanted, fetches the others concurrently.
    pub async fn fetch_items(&self, set: &mut ResultSet) -> Result<FetchedItems, ConnectorError> {
        let (run, wanted) = (self.run, self.run.results_wanted as usize);
        let pages = self.connector.pages(run.results_wanted).max(1);
        let first = run.prepare_request(self.connector, self.query_input, 0)?;
        // Set before anything is sent, so that a failure shows the query as well.
        set.query_to_provider = self.secrets.mask(&first.shown()).into_owned();
        let mut fetched = FetchedItems::of(self.fetch_page(first, &mut set.notices).await?);
        let page_size = fetched.returned;
        let is_full = page_size >= u64::from(self.connector.page_size().unwrap_or(1));
        let mut later_pages = futures_util::stream::iter(1..pages)
            .map(|page| async move {
                let mut retries = Vec::new();
                let request = run.prepare_request(self.connector, self.query_input, page)?;
                let page = self.fetch_page(request, &mut retries).await?;
                Ok::<_, ConnectorError>((page, retries))
            })
            .buffered(PAGES_AT_ONCE);
        let until = Instant::now() + time_left(run.deadline).mul_f64(LATER_PAGES_TIME_RATIO);
        while is_full && fetched.items.len() < wanted {
            // If a later page fails, the items of the earlier pages are kept.
            let error = match timeout_at(until, later_pages.next()).await {
                Ok(None) => break,
                Ok(Some(Ok((page, retries)))) => {
                    set.notices.extend(retries);
                    if fetched.add(page) < page_size {
                        break; // a short page is the last one
                    }
                    continue;
                }
                Ok(Some(Err(error))) => error,
                Err(_) => ConnectorError::new(ConnectorErrorKind::Timeout, reason::later_pages_late()),
            };
            fetched.missing = Some(error);
            break;
        }
        if let Some(error) = &fetched.missing {
            set.notices.push(run.notice(NoticeKind::provider_failed(&set.provider_name, error.to_string())));
        }
        fetched.items.truncate(wanted);
        Ok(fetched)
    }

    /// Fetches one page and retries transient failures as often as the provider allows.
    async fn fetch_page(
        &self,
        request: Box<dyn PreparedRequest>,
        notices: &mut Vec<Notice>,
    ) -> Result<CountedPage, ConnectorError> {
        let run = self.run;
        let policy = RequestPolicy::of(&run.provider);
        let mut attempt = 0;
        loop {
            let error = match self.try_fetch_page(request.as_ref(), policy.rate).await {
                Ok(page) => return Ok(page),
                Err(error) => error,
            };
            let pause = policy.backoff.saturating_mul(1 << attempt);
            let is_passing =
                matches!(error.kind, ConnectorErrorKind::Unavailable | ConnectorErrorKind::Timeout);
            if !is_passing || attempt >= policy.retries || pause >= time_left(run.deadline) {
                return Err(error);
            }
            attempt += 1;
            notices.push(run.notice(NoticeKind::ProviderRetried {
                provider: run.provider.spec.name.clone(),
                attempt,
                reason: error.to_string(),
            }));
            tokio::time::sleep(pause).await;
        }
    }

    /// Sends one request within the rate limit, shared with equal requests of the same user, and parses the response.
    async fn try_fetch_page(
        &self,
        request: &dyn PreparedRequest,
        rate: Option<Rate>,
    ) -> Result<CountedPage, ConnectorError> {
        let ProviderRun { provider, search, health, .. } = self.run;
        let send = || async {
            if let Some(rate) = rate {
                self.wait_for_turn(rate).await?;
            }
            request.execute().await
        };
        let flight = FlightKey::of(provider, search.owner, &request.description());
        let response = health.single_flight.share(flight, send).await?;
        self.parse_response(response).await
    }

    /// Waits until the rate limit of the provider allows a request.
    async fn wait_for_turn(&self, rate: Rate) -> Result<(), ConnectorError> {
        let run = self.run;
        let health = run.health.provider(run.provider.id);
        let request = BudgetRequest { rate, wait_max: time_left(run.deadline) };
        match health.rate_limiter().take_turn(&*run.budgets, run.provider.id, request).await {
            BudgetTurn::In(wait) if wait.is_zero() => {}
            BudgetTurn::In(wait) => tokio::time::sleep(wait).await,
            BudgetTurn::TooLate(wait) => {
                let reason = reason::budget_used(whole_seconds(wait));
                return Err(ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            }
        }
        Ok(())
    }

    /// Parses a response once there is memory for it, and keeps no more items than the search wants.
    async fn parse_response(
        &self,
        response: Box<dyn FetchedResponse>,
    ) -> Result<CountedPage, ConnectorError> {
        let run = self.run;
        let Measured { response, parsed_bytes, body_bytes } = if is_long(response.as_ref()) {
            run.cpu.run(move || Measured::of(response)).await.ok_or_else(internal_error)?
        } else {
            Measured::of(response)
        };
        let reservation = run.memory.reserve_parsed(parsed_bytes, body_bytes, run.deadline).await?;
        let secrets = Arc::clone(self.secrets);
        let wanted = run.results_wanted as usize;
        let is_short = is_short(response.as_ref());
        let parse = move || {
            let mut page = response.normalize()?;
            let count = page.items.len() as u64;
            page.items.truncate(wanted);
            page.items.shrink_to_fit();
            page.items.iter_mut().for_each(|item| secrets.mask_value(item));
            Ok::<_, ConnectorError>(CountedPage { page, count })
        };
        let parsed =
            if is_short { catch_unwind(AssertUnwindSafe(parse)).ok() } else { run.cpu.run(parse).await };
        let counted = parsed.ok_or_else(internal_error)??;
        run.memory.keep(reservation, &counted.page.items);
        Ok(counted)
    }
}
