//! The generation pipeline of a summary: select results, fetch their texts, assemble the prompt, generate, check, store.

use crate::answerability::{most_confident, rate_results};
use crate::check::{Checked, SourceUse, answer_source, check};
use crate::context::RagContext;
use crate::disagreement::{ComparedAnswer, find_disagreements};
use crate::error::SummaryError;
use crate::events::{Stage, SummaryEvent};
use crate::extractive::extract;
use crate::in_progress::Generation;
use crate::lease::LeaseOutcome;
use crate::prompt::{AssembledPrompt, PromptInput, PromptSource, SourceText, assemble, passages_to_rate};
use crate::query::{language_of_query, plain_query};
use crate::safe_stream::SafeStream;
use crate::second_reader::{PassageRatings, TEXTS_MAX, meanings};
use crate::selection::{Selection, SelectionRules, nothing_relevant, select_results};
use crate::summary_item::{Generated, summary_item};
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, Role};
use domain::ids::ProviderId;
use domain::ports::{Completion, CompletionChunk, ModelError, ModelRequest, ResultOrigin};
use domain::prompt::PromptParts;
use domain::provider::SearchProvider;
use domain::result_group::remove_copies;
use domain::search::Search;
use domain::summary::{StoredSummary, SummaryFault, SummaryRequest};
use futures_util::StreamExt;
use relevancy::Language;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum number of tokens of a summary.
const ANSWER_TOKENS_MAX: u32 = 1000;
/// Maximum size of a reply in bytes, in case the model ignores the token limit.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Tokens of the context window that are reserved for the instructions and the reply.
const TOKENS_RESERVED: usize = 1000;
/// Warns that the model reached its token limit.
pub(crate) const CUT_OFF: &str =
    "The model reached its limit of tokens, so the end of the answer may be missing.";
/// A model failure counts as a timeout if less than this time is left.
const LATE: Duration = Duration::from_millis(500);

/// The requested model, and the provider that was selected for it.
struct SelectedModel<'a> {
    request: &'a ModelRequest,
    provider: AiProvider,
}

/// What a prompt is assembled from, and the time that is left for it.
struct PromptMaterial {
    parts: PromptParts,
    sources: Vec<SourceText>,
    time_left: Duration,
}

/// Where the text of a completion is emitted.
struct StreamOutput<'a> {
    generation: &'a Generation,
    safe_stream: &'a mut SafeStream,
    sources: &'a Arc<[PromptSource]>,
}

impl RagContext {
    /// Generates and stores the summary. The caller enforces the deadline.
    pub(crate) async fn generate(
        &self,
        search: &Search,
        generation: &Generation,
        lease_holder: &str,
        deadline: Instant,
    ) -> Result<StoredSummary, SummaryError> {
        let user = Some(search.owner);
        let model_request = ModelRequest { role: Role::Rag, user, provider: generation.request.ai_provider };
        let selection = self.context.generative_models.select(&model_request).await;
        let provider = selection.map_err(|error| SummaryError::of_model(&error))?;
        if self.slots.available_permits() == 0 {
            generation.emit(SummaryEvent::stage(Stage::Waiting));
        }
        let _slot = self.slots.acquire().await.map_err(|_closed| SummaryError::cancelled())?;
        if let LeaseOutcome::AlreadyGenerated(answer) =
            self.acquire_lease(search, generation, lease_holder).await?
        {
            return Ok(*answer);
        }
        let model = SelectedModel { request: &model_request, provider };
        tokio::select! {
            answer = self.generate_with_lease(search, generation, lease_holder, deadline, model) => answer,
            () = self.hold_lease(search.id, lease_holder) => Err(SummaryError::cancelled()),
        }
    }

    async fn generate_with_lease(
        &self,
        search: &Search,
        generation: &Generation,
        lease_holder: &str,
        deadline: Instant,
        model: SelectedModel<'_>,
    ) -> Result<StoredSummary, SummaryError> {
        let SelectedModel { request: model_request, provider } = model;
        let started = Instant::now();
        generation.emit(SummaryEvent::stage(Stage::Choosing));
        let providers = self.providers().await?;
        let selection = self.select_results(search, generation, &providers).await?;
        let mut warnings = selection.messages;
        let source_texts =
            self.fetch_texts(selection.items, &providers, search.owner, generation, deadline).await;
        warnings.extend(source_texts.warnings);
        let (parts, warning) = self.parts(search, &generation.request, &provider).await?;
        warnings.extend(warning);
        warnings.extend(substituted_model_warning(model_request, &provider));
        let time_left = deadline.saturating_duration_since(Instant::now());
        let material = PromptMaterial { parts, sources: source_texts.sources, time_left };
        let assembled = self.assemble(search, generation, &provider, material).await?;
        warnings.extend(assembled.warnings);
        let sources: Arc<[PromptSource]> = assembled.sources.into();
        if sources.is_empty() {
            return Err(no_text(&warnings));
        }
        let shown_sources = sources.iter().map(|source| answer_source(source, SourceUse::default()));
        shown_sources.for_each(|source| generation.emit(SummaryEvent::Source(source)));

        generation.emit(SummaryEvent::stage(Stage::Writing));
        let mut safe_stream = SafeStream::default();
        let prompt = assembled.prompt;
        let generated = if provider.spec.model == EXTRACTIVE_MODEL {
            let query = plain_query(search);
            extractive_answer(provider, language_of_query(&self.settings, &query), query, &sources).await?
        } else {
            let completion = self.context.generative_models.complete(model_request, &prompt).await;
            let completion = completion.map_err(|error| model_failure(&error, deadline))?;
            let output = StreamOutput { generation, safe_stream: &mut safe_stream, sources: &sources };
            self.read_stream(completion, output, &prompt, deadline).await?
        };

        warnings.extend(generated.is_cut.then(|| CUT_OFF.to_owned()));
        generation.emit(SummaryEvent::stage(Stage::Checking));
        let query = plain_query(search);
        let language = language_of_query(&self.settings, &query);
        let checked = checked(generated.text.clone(), language, query, &sources).await?;
        if checked.body.trim().is_empty() {
            return Err(SummaryError::of(SummaryFault::AiProviderError, "The model returned no text."));
        }
        safe_stream
            .rest(&checked.body)
            .into_iter()
            .for_each(|more| generation.emit(SummaryEvent::Delta(more)));
        generation.emit(SummaryEvent::Citations(checked.sources.clone()));
        let now = self.context.clock.now();
        let row = summary_item(&plain_query(search), generated, checked, warnings, now, started.elapsed());
        let answer = StoredSummary {
            search: search.id,
            run: search.run,
            request: SummaryRequest { instead_of: None, ..generation.request.clone() },
            row,
            prompt: self.settings.rag_store_prompt.then(|| prompt_text(&prompt)),
            date_created: now,
        };
        // Nothing is stored if the summary was cancelled meanwhile or the search was started again.
        self.store.save_summary(answer, lease_holder).await?.ok_or_else(SummaryError::cancelled)
    }

    async fn providers(&self) -> Result<BTreeMap<ProviderId, SearchProvider>, SummaryError> {
        let providers = self.store.providers().await?;
        Ok(providers.into_iter().map(|provider| (provider.id, provider)).collect())
    }

    async fn select_results(
        &self,
        search: &Search,
        generation: &Generation,
        providers: &BTreeMap<ProviderId, SearchProvider>,
    ) -> Result<Selection, SummaryError> {
        let mut sets = self.federation.reader.saved_sets(search).await?;
        self.federation.mixer.apply_preferences(search, &mut sets).await?;
        let settings = &self.settings;
        let wanted = &generation.request.items;
        let (answerability, by_answerability) = if wanted.is_empty() {
            let query = plain_query(search);
            let language = language_of_query(settings, &query);
            let results = most_confident(&sets);
            let meanings = meanings(self.second_reader.as_deref(), &query, &results).await;
            let was_read = !meanings.is_empty();
            let rate = move || rate_results(language, &query, &results, &meanings);
            (run_blocking(rate).await?, was_read)
        } else {
            (BTreeMap::new(), false)
        };
        let asked = sets.iter().filter_map(|set| providers.get(&set.provider));
        let overrides = asked.clone().map(|one| (one.id, one.spec.config.rag)).collect();
        let plugins = &self.federation.plugins;
        let generating = asked.filter(|one| plugins.is_from(ResultOrigin::Generated, one));
        let rules = SelectionRules {
            field: settings.rag_inclusion_field,
            threshold: settings.rag_score_inclusion_threshold,
            strategy: settings.rag_distribution_strategy,
            max: settings.rag_max_to_consider as usize,
            generated: generating.map(|one| one.id).collect(),
            answerability,
            by_answerability,
            order: if wanted.is_empty() { Vec::new() } else { self.federation.mixer.order(search, &sets) },
        };
        // A duplicate is used only if it is named by its id.
        if wanted.is_empty() {
            remove_copies(&mut sets);
        }
        let selection = select_results(&sets, &overrides, &rules, wanted);
        if selection.items.is_empty() {
            return Err(nothing_relevant(&selection));
        }
        Ok(selection)
    }

    async fn assemble(
        &self,
        search: &Search,
        generation: &Generation,
        provider: &AiProvider,
        material: PromptMaterial,
    ) -> Result<AssembledPrompt, SummaryError> {
        let PromptMaterial { parts, sources, time_left } = material;
        let settings = &self.settings;
        let generative_models = Arc::clone(&self.context.generative_models);
        let budget = budget(settings.rag_tok_max, provider, generative_models.tokens_max(provider));
        let (query, instructions) = (plain_query(search), generation.request.instructions.clone());
        let language = language_of_query(settings, &query);
        let started = Instant::now();
        let ratings = self.rate_passages(language, &query, &sources).await?;
        let time_left = time_left.saturating_sub(started.elapsed());
        let (today, time_max) = (self.context.clock.now().date_naive(), time_left.min(settings.ai_timeout.0));
        let (follow_ups, provider) = (settings.rag_follow_ups, provider.clone());
        run_blocking(move || {
            assemble(&PromptInput {
                query: &query,
                language,
                instructions: &instructions,
                parts: &parts,
                today,
                budget,
                follow_ups,
                count: &|text: &str| generative_models.count_tokens(&provider, text),
                sources,
                ratings: ratings.as_ref(),
                time_max,
                answer_tokens_max: ANSWER_TOKENS_MAX,
            })
        })
        .await
    }

    /// The passages of long sources, as the second reader rates them; `None` if it is off.
    async fn rate_passages(
        &self,
        language: Language,
        query: &str,
        sources: &[SourceText],
    ) -> Result<Option<PassageRatings>, SummaryError> {
        let Some(reader) = &self.second_reader else { return Ok(None) };
        let (plain, sources) = (query.to_owned(), sources.to_vec());
        let passages = run_blocking(move || passages_to_rate(language, &plain, &sources, TEXTS_MAX)).await?;
        Ok(Some(reader.rate_passages(query, passages).await))
    }

    /// Reads the completion and emits its text sentence by sentence.
    async fn read_stream(
        &self,
        mut completion: Completion,
        output: StreamOutput<'_>,
        prompt: &domain::ports::Prompt,
        deadline: Instant,
    ) -> Result<Generated, SummaryError> {
        let StreamOutput { generation, safe_stream, sources } = output;
        let (mut text, mut usage, mut is_cut) = (String::new(), None, false);
        while let Some(chunk) = completion.chunks.next().await {
            match chunk.map_err(|error| model_failure(&error, deadline))? {
                CompletionChunk::Text(more) => text.push_str(&more),
                CompletionChunk::Usage { tokens_in, tokens_out } => usage = Some((tokens_in, tokens_out)),
                CompletionChunk::ReasoningEnd => {
                    text.clear();
                    *safe_stream = SafeStream::default();
                }
                CompletionChunk::Cut => is_cut = true,
                // No tools are offered; a call may be the effect of a prompt injection, and is ignored.
                CompletionChunk::Call(call) => {
                    tracing::warn!("a model called the tool '{}', which was not offered", call.name)
                }
            }
            if let Some(more) = safe_stream.more(&text, sources) {
                generation.emit(SummaryEvent::Delta(more));
            }
            if text.len() > ANSWER_BYTES_MAX {
                let end = text.floor_char_boundary(ANSWER_BYTES_MAX);
                text.truncate(end);
                is_cut = true;
                break;
            }
        }
        let count =
            |text: &str| self.context.generative_models.count_tokens(&completion.provider, text) as u64;
        let (tokens_in, tokens_out) = usage.unwrap_or_else(|| (count(&prompt_text(prompt)), count(&text)));
        Ok(Generated {
            text,
            requested_model: completion.requested_model,
            fallback_engaged: completion.fallback_engaged,
            provider: completion.provider,
            extractive: false,
            is_cut,
            tokens_in,
            tokens_out,
        })
    }
}

/// A summary of extracted sentences, without a model.
async fn extractive_answer(
    provider: AiProvider,
    language: Language,
    query: String,
    sources: &Arc<[PromptSource]>,
) -> Result<Generated, SummaryError> {
    let sources = Arc::clone(sources);
    let text = run_blocking(move || extract(language, &query, &sources)).await?;
    if text.trim().is_empty() {
        let message = "No sentence of the sources answers the query.";
        return Err(SummaryError::of(SummaryFault::NoRelevantResults, message));
    }
    let requested_model = provider.spec.model.clone();
    Ok(Generated {
        text,
        provider,
        requested_model,
        fallback_engaged: false,
        extractive: true,
        is_cut: false,
        tokens_in: 0,
        tokens_out: 0,
    })
}

/// The checked text, and where its sources disagree.
async fn checked(
    text: String,
    language: Language,
    query: String,
    sources: &Arc<[PromptSource]>,
) -> Result<Checked, SummaryError> {
    let sources = Arc::clone(sources);
    run_blocking(move || {
        let checked = check(&text, &sources);
        let answer =
            ComparedAnswer { language, query: &query, sentences: &checked.sentences, sources: &sources };
        let disagreements = find_disagreements(&answer);
        Checked { disagreements, ..checked }
    })
    .await
}

/// Runs CPU-bound work outside of the async runtime.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SummaryError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a step of a summary panicked: {error}");
        SummaryError::of(SummaryFault::Unavailable, "The summary could not be generated; see the server log.")
    })
}

fn budget(tokens_max: u32, provider: &AiProvider, model_max: usize) -> usize {
    let own = provider.spec.config.get("max_tokens").and_then(serde_json::Value::as_u64);
    let own = own.and_then(|tokens| usize::try_from(tokens).ok()).unwrap_or(usize::MAX);
    (tokens_max as usize).min(own).min(model_max.saturating_sub(TOKENS_RESERVED))
}

/// A warning if another provider than the requested one is used.
fn substituted_model_warning(request: &ModelRequest, provider: &AiProvider) -> Option<String> {
    let named = request.provider.filter(|named| *named != provider.id)?;
    let name = &provider.spec.name;
    Some(format!("The AIProvider {named} is not available for your summaries; '{name}' was used instead."))
}

fn model_failure(error: &ModelError, deadline: Instant) -> SummaryError {
    if deadline.saturating_duration_since(Instant::now()) < LATE {
        SummaryError::of_model_at_deadline(error)
    } else {
        SummaryError::of_model(error)
    }
}

fn no_text(warnings: &[String]) -> SummaryError {
    let message = format!("There is no text to answer from. {}", warnings.join(" "));
    SummaryError::of(SummaryFault::NoSourceText, message.trim_end())
}

/// The prompt as one text.
fn prompt_text(prompt: &domain::ports::Prompt) -> String {
    let mut text = prompt.system.clone();
    for turn in &prompt.turns {
        if let domain::ports::Turn::User(words) = turn {
            text.push_str("\n\n");
            text.push_str(words);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary_item::tests::provider;
    use domain::ids::AiProviderId;
    use serde_json::json;

    #[test]
    fn the_budget_is_the_smallest_limit() {
        for (setting, own, model, expected) in [
            (4000, json!(null), 128_000, 4000),
            (4000, json!(1500), 128_000, 1500),
            (4000, json!(1500), 2200, 1200),
            (4000, json!(9000), 4000, 3000),
            (4000, json!(null), 500, 0),
        ] {
            let mut given = provider("gpt-5");
            given.spec.config.insert("max_tokens".to_owned(), own.clone());
            assert_eq!(budget(setting, &given, model), expected, "{setting} {own} {model}");
        }
    }

    #[test]
    fn a_substituted_provider_is_named() {
        let wanted = |provider: Option<i64>| ModelRequest {
            role: Role::Rag,
            user: None,
            provider: provider.map(AiProviderId),
        };
        let asked = provider("gpt-5");
        for (named, is_warned) in [(None, false), (Some(asked.id.0), false), (Some(99), true)] {
            let warning = substituted_model_warning(&wanted(named), &asked);
            assert_eq!(warning.is_some(), is_warned, "{named:?}");
            assert!(warning.is_none_or(|text| text.contains("99") && text.contains("'Own'")));
        }
    }
}
