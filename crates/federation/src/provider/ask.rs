//! Asking a source: page after page, within its budget, again where a failure may pass.

use super::{ProviderRun, Question, failed_inside};
use crate::answer_memory::estimate;
use crate::run::time_left;
use crate::sources::{Usage, whole_seconds};
use domain::contracts::{
    Connector, ConnectorError, ConnectorErrorKind, NormalizedPage, ProviderQuery, SourceQuery, SourceResponse,
};
use domain::known_secrets::KnownSecrets;
use domain::message;
use domain::notation::rate::Rate;
use domain::result::ResultSet;
use domain::source_budget::{BudgetRequest, BudgetTurn};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// Pages after the first that are asked side by side.
const PAGES_AT_ONCE: usize = 4;
/// How much of the time that is left may go into them; what came before them still has to be mapped and scored.
const LATER_PAGES_TIME_SHARE: f64 = 0.9;
/// A longer answer is looked at beside the async runtime.
const LOOK_INLINE_BYTES_MAX: usize = 64 * 1024;

/// What the source gave, over all pages asked.
pub(super) struct Answer {
    pub found: Option<u64>,
    pub items: Vec<Value>,
}

impl Answer {
    /// Adds a later page; how many items it has. One without any says nothing about how many there are in all.
    fn add(&mut self, page: NormalizedPage) -> usize {
        let count = page.items.len();
        if count > 0 {
            self.found = page.found.or(self.found);
        }
        self.items.extend(page.items);
        count
    }
}

/// Too long to be looked at on the async runtime.
fn is_long(response: &SourceResponse) -> bool {
    body_bytes(response) > LOOK_INLINE_BYTES_MAX
}

fn body_bytes(response: &SourceResponse) -> usize {
    match response {
        SourceResponse::Http(http) => http.body.len(),
        SourceResponse::Rows { .. } => 0,
    }
}

impl ProviderRun {
    /// Asks for the first page; if it is full and more is wanted, for the others side by side.
    pub(super) async fn ask(
        &self,
        connector: &Arc<dyn Connector>,
        question: &Question,
        secrets: &Arc<KnownSecrets>,
        set: &mut ResultSet,
    ) -> Result<Answer, ConnectorError> {
        let wanted = self.results_wanted as usize;
        let pages = connector.pages(self.results_wanted).max(1);
        let first = self.built(connector, question, 0)?;
        // Before anything is sent: a failure shows what was asked.
        set.query_to_provider = secrets.mask(&first.shown()).into_owned();
        let first = self.page(connector, first, secrets, &mut set.messages).await?;
        let page_size = first.items.len();
        let mut answer = Answer { found: first.found, items: first.items };
        let mut others = futures_util::stream::iter(1..pages)
            .map(|page| async move {
                let mut retries = Vec::new();
                let built = self.built(connector, question, page)?;
                let page = self.page(connector, built, secrets, &mut retries).await?;
                Ok::<_, ConnectorError>((page, retries))
            })
            .buffered(PAGES_AT_ONCE);
        let until = Instant::now() + time_left(self.deadline).mul_f64(LATER_PAGES_TIME_SHARE);
        while page_size > 0 && answer.items.len() < wanted {
            // What the earlier pages brought is kept, whatever becomes of the others.
            let trouble = match timeout_at(until, others.next()).await {
                Ok(None) => break,
                Ok(Some(Ok((page, retries)))) => {
                    set.messages.extend(retries);
                    if answer.add(page) < page_size {
                        break; // a short page is the last one
                    }
                    continue;
                }
                Ok(Some(Err(error))) => error.message,
                Err(_) => message::later_pages_late().to_owned(),
            };
            set.messages.push(self.stamped(&message::provider_failed(&set.provider_name, &trouble)));
            break;
        }
        answer.items.truncate(wanted);
        Ok(answer)
    }

    pub(crate) fn built(
        &self,
        connector: &Arc<dyn Connector>,
        question: &Question,
        page: u32,
    ) -> Result<SourceQuery, ConnectorError> {
        let usage = Usage::of(&self.provider);
        let time_left = time_left(self.deadline);
        let built = connector.construct(&ProviderQuery {
            text: &question.text,
            sort: self.search.spec.sort,
            page,
            results_wanted: self.results_wanted,
            asker: self.search.owner,
            topic: self.search.topic(),
            vector: question.vector.as_deref(),
            time_max: usage.timeout.map_or(time_left, |timeout| timeout.min(time_left)),
        })?;
        connector.validate(&built)?;
        Ok(built)
    }

    /// One page, tried again as often as the provider allows while the failure may pass.
    async fn page(
        &self,
        connector: &Arc<dyn Connector>,
        built: SourceQuery,
        secrets: &Arc<KnownSecrets>,
        messages: &mut Vec<String>,
    ) -> Result<NormalizedPage, ConnectorError> {
        let usage = Usage::of(&self.provider);
        let mut attempt = 0;
        loop {
            let error = match self.try_page(connector, &built, secrets, usage.rate).await {
                Ok(page) => return Ok(page),
                Err(error) => error,
            };
            let pause = usage.backoff.saturating_mul(1 << attempt);
            let is_passing =
                matches!(error.kind, ConnectorErrorKind::Unavailable | ConnectorErrorKind::Timeout);
            if !is_passing || attempt >= usage.retries || pause >= time_left(self.deadline) {
                return Err(error);
            }
            attempt += 1;
            let line = message::retried(attempt, &error.message);
            messages.push(self.stamped(&message::provider_failed(&self.provider.spec.name, &line)));
            tokio::time::sleep(pause).await;
        }
    }

    /// Sent within the budget, shared with equal calls of the same person, read beside the runtime.
    async fn try_page(
        &self,
        connector: &Arc<dyn Connector>,
        built: &SourceQuery,
        secrets: &Arc<KnownSecrets>,
        rate: Option<Rate>,
    ) -> Result<NormalizedPage, ConnectorError> {
        let Self { provider, search, sources, .. } = self;
        let send = || async {
            if let Some(rate) = rate {
                self.wait_for_turn(rate).await?;
            }
            connector.execute(built).await
        };
        let response = sources.calls.share(provider.id, search.owner, built, send).await?;
        self.read(connector, secrets, response).await
    }

    /// Waits for a turn in the budget of a source that allows only so many requests.
    async fn wait_for_turn(&self, rate: Rate) -> Result<(), ConnectorError> {
        let source = self.sources.source(self.provider.id);
        let request = BudgetRequest { rate, wait_max: time_left(self.deadline) };
        match source.budget().take_turn(&*self.budgets, self.provider.id, request).await {
            BudgetTurn::In(wait) if wait.is_zero() => {}
            BudgetTurn::In(wait) => tokio::time::sleep(wait).await,
            BudgetTurn::TooLate(wait) => {
                let reason = message::budget_used(whole_seconds(wait));
                return Err(ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            }
        }
        Ok(())
    }

    /// Parses an answer when there is memory for it. No more of it is kept than the search wants.
    async fn read(
        &self,
        connector: &Arc<dyn Connector>,
        secrets: &Arc<KnownSecrets>,
        response: SourceResponse,
    ) -> Result<NormalizedPage, ConnectorError> {
        let (response, bytes) = match is_long(&response) {
            true => {
                let measured = self.cpu.run(move || {
                    let bytes = estimate(&response);
                    (response, bytes)
                });
                measured.await.ok_or_else(failed_inside)?
            }
            false => {
                let bytes = estimate(&response);
                (response, bytes)
            }
        };
        let part = self.memory.reserve_parsed(bytes, body_bytes(&response), self.deadline).await?;
        let (reader, secrets) = (Arc::clone(connector), Arc::clone(secrets));
        let wanted = self.results_wanted as usize;
        let reading = move || {
            let mut page = reader.normalize(response)?;
            page.items.truncate(wanted);
            page.items.shrink_to_fit();
            page.items.iter_mut().for_each(|item| secrets.mask_value(item));
            Ok::<_, ConnectorError>(page)
        };
        let page = self.cpu.run(reading).await.ok_or_else(failed_inside)??;
        self.memory.keep(part, &page.items);
        Ok(page)
    }
}
