//! The steps of one provider, in the order of the interface.

use crate::cpu::CpuPool;
use crate::query_step::{QuerySteps, StepError};
use crate::run::time_left;
use crate::sources::{Sources, Usage, Verdict, whole_seconds};
use crate::transforms::RunTransforms;
use domain::contracts::{
    Catalogues, Connector, ConnectorError, ConnectorErrorKind, NormalizedPage, ProviderQuery, QueryContext,
    ResultBatch, ResultContext, SourceQuery, Toolbox,
};
use domain::ids::ProviderId;
use domain::instant::{self, Instant as Time};
use domain::message;
use domain::notation::rate::Rate;
use domain::provider::SearchProvider;
use domain::result::{ProviderFault, ResultSet};
use domain::search::Search;
use domain::status::ProviderStatus;
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Everything that one provider's part of a search needs.
pub(crate) struct ProviderRun {
    pub search: Arc<Search>,
    pub provider: Arc<SearchProvider>,
    pub catalogues: Catalogues,
    pub toolbox: Toolbox,
    pub cpu: CpuPool,
    pub sources: Arc<Sources>,
    pub transforms: Arc<RunTransforms>,
    /// After the pre-query processors.
    pub query: String,
    pub results_wanted: u32,
    pub deadline: Instant,
}

/// Pages after the first that are asked side by side.
const PAGES_AT_ONCE: usize = 4;

/// What the source gave, over all pages asked.
#[derive(Default)]
struct Answer {
    found: Option<u64>,
    items: Vec<Value>,
}

impl ProviderRun {
    /// Runs all steps. Never fails: what went wrong is in the set, and is noted for the source.
    pub async fn run(self) -> ResultSet {
        let started = Instant::now();
        let source = self.sources.source(self.provider.id);
        let mut set = self.asked().empty(self.toolbox.clock.now());
        if let Some(reason) = refusal(source.admit()) {
            self.fail(&mut set, ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            return set;
        }
        match self.steps(&mut set).await {
            Ok(()) => source.succeeded(),
            Err(error) => {
                source.failed(&error, self.toolbox.settings.source_backoff.0);
                // The request's own time limit is the same to a reader as the deadline of the search.
                if error.kind == ConnectorErrorKind::Timeout {
                    return self.asked().timed_out(self.toolbox.clock.now(), started.elapsed());
                }
                self.fail(&mut set, error);
            }
        }
        set.time_s = instant::tenths(started.elapsed());
        set
    }

    fn fail(&self, set: &mut ResultSet, error: ConnectorError) {
        let (status, line) = match error.kind {
            ConnectorErrorKind::NotConnected => {
                (ProviderStatus::NotConnected, message::provider_failed(&set.provider_name, &error.message))
            }
            ConnectorErrorKind::Suspended => {
                (ProviderStatus::Suspended, message::provider_suspended(&set.provider_name, &error.message))
            }
            _ => (ProviderStatus::Error, message::provider_failed(&set.provider_name, &error.message)),
        };
        set.messages.push(self.stamped(&line));
        set.status = status;
        set.error = Some(ProviderFault { code: error.kind.code().to_owned(), message: error.message });
        (set.found, set.retrieved) = (0, 0);
        set.items.clear();
    }

    async fn steps(&self, set: &mut ResultSet) -> Result<(), ConnectorError> {
        let connector = self.connector()?;
        let query = self.process_query(&mut set.messages).await?;
        set.query_string_to_provider.clone_from(&query);
        let answer = self.ask(&connector, &query, set).await?;
        self.process_results(set, answer).await
    }

    pub(crate) fn connector(&self) -> Result<Arc<dyn Connector>, ConnectorError> {
        let name = &self.provider.draft.connector;
        let kind = self.catalogues.connector(name).ok_or_else(|| {
            ConnectorError::new(
                ConnectorErrorKind::ConfigInvalid,
                format!("the connector '{name}' is not known"),
            )
        })?;
        Ok(Arc::from((kind.build)(&self.provider, &self.toolbox)?))
    }

    /// The provider's query processors, then the search's own.
    pub(crate) async fn process_query(&self, messages: &mut Vec<String>) -> Result<String, ConnectorError> {
        let mut query = self.query.clone();
        let cx =
            QueryContext { search: &self.search, provider: Some(&self.provider), toolbox: &self.toolbox };
        let steps = QuerySteps { catalogues: self.catalogues, transforms: &self.transforms, cpu: &self.cpu };
        let names = self.provider.draft.query_processors.iter().chain(&self.search.draft.query_processors);
        for name in names {
            let applied = match steps.take(name, &query, &cx).await {
                Ok(applied) => applied,
                Err(StepError::Unknown) => return Err(unknown_processor(name)),
                Err(StepError::Failed(reason)) => {
                    messages.push(self.stamped(&message::processor_failed(name, &reason)));
                    continue;
                }
            };
            if applied.is_cut {
                messages.push(self.stamped(&message::transform_cut(name)));
            }
            if applied.query.trim().is_empty() {
                return Err(ConnectorError::new(
                    ConnectorErrorKind::QueryInvalid,
                    format!("{name} left nothing of the query to ask for"),
                ));
            }
            if applied.query != query {
                let line = message::rewrote_provider_query(name, &self.provider.draft.name, &applied.query);
                messages.push(self.stamped(&line));
                query = applied.query;
            }
        }
        Ok(query)
    }

    /// Asks for the first page; if it is full and more is wanted, for the others side by side.
    async fn ask(
        &self,
        connector: &Arc<dyn Connector>,
        text: &str,
        set: &mut ResultSet,
    ) -> Result<Answer, ConnectorError> {
        let wanted = self.results_wanted as usize;
        let pages = connector.pages(self.results_wanted).max(1);
        let first = self.built(connector, text, 0)?;
        set.query_to_provider = first.shown(); // before anything is sent: a failure shows what was asked
        let first = self.page(connector, first, &mut set.messages).await?;
        let page_size = first.items.len();
        let mut answer = Answer { found: first.found, items: first.items };
        let mut others = futures_util::stream::iter(1..pages)
            .map(|page| async move {
                let mut retries = Vec::new();
                let built = self.built(connector, text, page)?;
                let page = self.page(connector, built, &mut retries).await?;
                Ok::<_, ConnectorError>((page, retries))
            })
            .buffered(PAGES_AT_ONCE);
        while page_size > 0 && answer.items.len() < wanted {
            match others.next().await {
                None => break,
                Some(Ok((page, retries))) => {
                    let count = page.items.len();
                    set.messages.extend(retries);
                    answer.found = page.found.or(answer.found);
                    answer.items.extend(page.items);
                    if count < page_size {
                        break; // a short page is the last one
                    }
                }
                Some(Err(error)) => {
                    // What the earlier pages brought is kept.
                    set.messages
                        .push(self.stamped(&message::provider_failed(&set.provider_name, &error.message)));
                    break;
                }
            }
        }
        answer.items.truncate(wanted);
        Ok(answer)
    }

    pub(crate) fn built(
        &self,
        connector: &Arc<dyn Connector>,
        text: &str,
        page: u32,
    ) -> Result<SourceQuery, ConnectorError> {
        let usage = Usage::of(&self.provider);
        let time_left = time_left(self.deadline);
        let built = connector.construct(&ProviderQuery {
            text,
            sort: self.search.draft.sort,
            page,
            results_wanted: self.results_wanted,
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
        messages: &mut Vec<String>,
    ) -> Result<NormalizedPage, ConnectorError> {
        let usage = Usage::of(&self.provider);
        let mut attempt = 0;
        loop {
            let error = match self.try_page(connector, &built, usage.rate).await {
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
            messages.push(self.stamped(&message::provider_failed(&self.provider.draft.name, &line)));
            tokio::time::sleep(pause).await;
        }
    }

    /// Sent within the budget, shared with equal calls of the same person, read beside the runtime.
    async fn try_page(
        &self,
        connector: &Arc<dyn Connector>,
        built: &SourceQuery,
        rate: Option<Rate>,
    ) -> Result<NormalizedPage, ConnectorError> {
        let Self { provider, search, sources, .. } = self;
        let send = || async {
            let wait = sources.source(provider.id).wait_for_place(rate);
            if wait > time_left(self.deadline) {
                let reason = message::budget_used(whole_seconds(wait));
                return Err(ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            }
            tokio::time::sleep(wait).await;
            connector.execute(built).await
        };
        let response = sources.calls.share(provider.id, search.owner, built, send).await?;
        let reader = Arc::clone(connector);
        self.cpu.run(move || reader.normalize(response)).await.ok_or_else(failed_inside)?
    }

    /// Maps and scores, then the rest of the result processors; beside the runtime, as the answer arrives.
    async fn process_results(&self, set: &mut ResultSet, answer: Answer) -> Result<(), ConnectorError> {
        let given = answer.items.len() as u64;
        set.found = answer.found.unwrap_or(given).max(given);
        if answer.items.is_empty() {
            set.status = ProviderStatus::NoResults;
            set.messages.push(self.stamped(&message::retrieved(0, set.found, &set.provider_name)));
            return Ok(());
        }
        let pipeline = Pipeline {
            search: Arc::clone(&self.search),
            provider: Arc::clone(&self.provider),
            catalogues: self.catalogues,
            toolbox: self.toolbox.clone(),
            query: set.query_string_to_provider.clone(),
            results_wanted: self.results_wanted,
        };
        let runtime = tokio::runtime::Handle::current();
        let work = move || runtime.block_on(pipeline.process(answer.items));
        let (batch, messages) = self.cpu.run(work).await.ok_or_else(failed_inside)??;
        set.items = batch.items;
        set.retrieved = set.items.len() as u64;
        set.status = if set.items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok };
        set.messages.push(self.stamped(&message::retrieved(set.retrieved, set.found, &set.provider_name)));
        set.messages.extend(messages);
        Ok(())
    }

    /// Who was asked: kept apart, so that a set can be made for a provider whose run never came back.
    pub fn asked(&self) -> Asked {
        let with = |own: &[String], search: &[String]| own.iter().chain(search).cloned().collect();
        Asked {
            search: Arc::clone(&self.search),
            provider: Arc::clone(&self.provider),
            query: self.query.clone(),
            query_processors: with(
                &self.provider.draft.query_processors,
                &self.search.draft.query_processors,
            ),
            result_processors: with(
                &self.provider.draft.result_processors,
                &self.search.draft.result_processors,
            ),
        }
    }

    fn stamped(&self, line: &str) -> String {
        message::at(self.toolbox.clock.now(), line)
    }
}

/// The result processors of one provider in this search.
struct Pipeline {
    search: Arc<Search>,
    provider: Arc<SearchProvider>,
    catalogues: Catalogues,
    toolbox: Toolbox,
    query: String,
    results_wanted: u32,
}

impl Pipeline {
    async fn process(&self, raw: Vec<Value>) -> Result<(ResultBatch, Vec<String>), ConnectorError> {
        let mut batch = ResultBatch { raw, ..ResultBatch::default() };
        let mut messages = Vec::new();
        let cx = ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.query,
            results_wanted: self.results_wanted,
            toolbox: &self.toolbox,
        };
        let stamped = |line: &str| message::at(self.toolbox.clock.now(), line);
        for name in self.provider.draft.result_processors.iter().chain(&self.search.draft.result_processors) {
            if self.search.draft.skips_result_processor(name) {
                continue;
            }
            let kind = self.catalogues.result_processor(name).ok_or_else(|| unknown_processor(name))?;
            match kind.processor.process(&mut batch, &cx).await {
                Ok(outcome) => {
                    let line = message::processed(name, outcome)
                        .map(|line| format!("{line} from: {}", self.provider.draft.name));
                    messages.extend(line.map(|line| stamped(&line)));
                }
                Err(error) => messages.push(stamped(&message::processor_failed(name, &error.0))),
            }
        }
        Ok((batch, messages))
    }
}

/// A provider that was asked, and for what.
pub(crate) struct Asked {
    search: Arc<Search>,
    provider: Arc<SearchProvider>,
    query: String,
    query_processors: Vec<String>,
    result_processors: Vec<String>,
}

impl Asked {
    pub fn provider_id(&self) -> ProviderId {
        self.provider.id
    }

    /// A set with nothing in it yet.
    fn empty(&self, now: Time) -> ResultSet {
        ResultSet {
            search: self.search.id,
            provider: self.provider.id,
            provider_name: self.provider.draft.name.clone(),
            status: ProviderStatus::NoResults,
            error: None,
            found: 0,
            retrieved: 0,
            query_string_to_provider: self.query.clone(),
            query_to_provider: String::new(),
            query_processors: self.query_processors.clone(),
            result_processors: self.result_processors.clone(),
            messages: Vec::new(),
            time_s: 0.0,
            items: Vec::new(),
            date_created: now,
            date_updated: now,
        }
    }

    /// The deadline struck before it answered.
    pub fn timed_out(&self, now: Time, waited: Duration) -> ResultSet {
        let waited_s = instant::tenths(waited);
        let line = message::provider_timed_out(&self.provider.draft.name, waited_s);
        let fault = ProviderFault {
            code: ConnectorErrorKind::Timeout.code().to_owned(),
            message: format!("it did not answer within {waited_s:.1} s"),
        };
        ResultSet {
            status: ProviderStatus::Timeout,
            error: Some(fault),
            messages: vec![message::at(now, &line)],
            time_s: waited_s,
            ..self.empty(now)
        }
    }

    /// Our own code failed; the cause is in the log.
    pub fn failed_inside(&self, now: Time) -> ResultSet {
        let error = failed_inside();
        let line = message::provider_failed(&self.provider.draft.name, &error.message);
        ResultSet {
            status: ProviderStatus::Error,
            error: Some(ProviderFault { code: error.kind.code().to_owned(), message: error.message }),
            messages: vec![message::at(now, &line)],
            ..self.empty(now)
        }
    }
}

/// Why the source is left alone, if it is.
fn refusal(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Ask => None,
        Verdict::Resting(left) => Some(message::resting(whole_seconds(left))),
        Verdict::Open(left) => Some(message::breaker_open(whole_seconds(left))),
    }
}

fn unknown_processor(name: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, format!("the processor '{name}' is not known"))
}

fn failed_inside() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the answer could not be processed")
}
