//! The path of an answer, readable top to bottom.

use crate::answers::Desk;
use crate::board::Making;
use crate::check::{Checked, answer_source, check};
use crate::choose::{Chosen, Rules, choose};
use crate::error::AnswerError;
use crate::events::{AnswerEvent, Stage};
use crate::extractive::extract;
use crate::lease::Turn;
use crate::prompt::{Assemble, Assembled, PromptSource, SourceText, assemble};
use crate::question::plain_query;
use crate::row::{Written, row};
use crate::telling::Telling;
use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL, Role};
use domain::answer::{AnswerFault, AnswerWish, StoredAnswer};
use domain::contracts::{Piece, WriterWanted, Writing};
use domain::ids::ProviderId;
use domain::prompt_record::PromptParts;
use domain::provider::SearchProvider;
use domain::rag::RagOverrides;
use domain::search::Search;
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Most tokens of an answer.
const ANSWER_TOKENS_MAX: u32 = 1000;
/// Most bytes of an answer that are read, whatever the model holds of its limit.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Tokens of a model that are kept for what stands around the sources, and for the answer.
const TOKENS_RESERVED: usize = 1000;
/// A model that fails when less than this is left has failed for want of time.
const LATE: Duration = Duration::from_millis(500);
/// The connector whose results are written by a model.
const GENERATING_CONNECTOR: &str = "GenAI";

impl Desk {
    /// Makes the answer and keeps it. Whoever calls this watches the time.
    pub(crate) async fn make(
        &self,
        search: &Search,
        making: &Making,
        (writer, deadline): (&str, Instant),
    ) -> Result<StoredAnswer, AnswerError> {
        let user = Some(search.owner);
        let wanted = WriterWanted { role: Role::Rag, user, provider: making.wish.ai_provider };
        let chosen = self.context.writers.chosen(&wanted).await;
        let provider = chosen.map_err(|error| AnswerError::of_model(&error, false))?;
        if self.places.available_permits() == 0 {
            making.tell(AnswerEvent::stage(Stage::Waiting));
        }
        let _place = self.places.acquire().await.map_err(|_closed| AnswerError::cancelled())?;
        if let Turn::Made(answer) = self.turn(search, making, writer).await? {
            return Ok(*answer);
        }
        tokio::select! {
            answer = self.write(search, making, (writer, deadline), (&wanted, provider)) => answer,
            () = self.hold(search.id, writer) => Err(AnswerError::cancelled()),
        }
    }

    async fn write(
        &self,
        search: &Search,
        making: &Making,
        (writer, deadline): (&str, Instant),
        (wanted, provider): (&WriterWanted, AiProvider),
    ) -> Result<StoredAnswer, AnswerError> {
        let begun = Instant::now();
        making.tell(AnswerEvent::stage(Stage::Choosing));
        let providers = self.providers().await?;
        let chosen = self.choose(search, making, &providers).await?;
        let mut warnings = chosen.messages;
        let gathered = self.gather(chosen.items, &providers, (search.owner, making), deadline).await;
        warnings.extend(gathered.warnings);
        let (parts, remark) = self.parts(search, &making.wish, &provider).await?;
        warnings.extend(remark);
        warnings.extend(somebody_else(wanted, &provider));
        let left = deadline.saturating_duration_since(Instant::now());
        let assembled = self.assemble(search, making, (parts, &provider), (gathered.sources, left)).await?;
        warnings.extend(assembled.warnings);
        let sources: Arc<[PromptSource]> = assembled.sources.into();
        if sources.is_empty() {
            return Err(no_text(&warnings));
        }
        let told = sources.iter().map(|source| answer_source(source, false, String::new()));
        told.for_each(|source| making.tell(AnswerEvent::Source(source)));

        making.tell(AnswerEvent::stage(Stage::Writing));
        let mut telling = Telling::default();
        let prompt = assembled.prompt;
        let written = if provider.spec.model == EXTRACTIVE_MODEL {
            picked(provider, plain_query(search), &sources).await?
        } else {
            let writing = self.context.writers.write(wanted, &prompt).await;
            let writing = writing.map_err(|error| AnswerError::of_model(&error, is_late(deadline)))?;
            self.listen(writing, (making, &mut telling), (&prompt, &sources), deadline).await?
        };

        making.tell(AnswerEvent::stage(Stage::Checking));
        let checked = checked(written.text.clone(), &sources).await?;
        if checked.body.trim().is_empty() {
            return Err(AnswerError::of(AnswerFault::AiProviderError, "The model answered with no text."));
        }
        telling.rest(&checked.body).into_iter().for_each(|more| making.tell(AnswerEvent::Delta(more)));
        making.tell(AnswerEvent::Citations(checked.sources.clone()));
        let now = self.context.clock.now();
        let row = row(&plain_query(search), written, checked, warnings, (now, begun.elapsed()));
        let answer = StoredAnswer {
            search: search.id,
            run: search.run,
            wish: AnswerWish { instead_of: None, ..making.wish.clone() },
            row,
            prompt: self.context.settings.rag_store_prompt.then(|| shown(&prompt)),
            date_created: now,
        };
        // Nothing is kept when it was cancelled at the last moment, or when the search runs again.
        self.store.save_answer(answer, writer).await?.ok_or_else(AnswerError::cancelled)
    }

    async fn providers(&self) -> Result<BTreeMap<ProviderId, SearchProvider>, AnswerError> {
        let providers = self.store.providers().await?;
        Ok(providers.into_iter().map(|provider| (provider.id, provider)).collect())
    }

    async fn choose(
        &self,
        search: &Search,
        making: &Making,
        providers: &BTreeMap<ProviderId, SearchProvider>,
    ) -> Result<Chosen, AnswerError> {
        let mut sets = self.federation.saved_sets(search).await?;
        self.federation.apply_wishes(search, &mut sets).await?;
        let settings = &self.context.settings;
        let asked = sets.iter().filter_map(|set| providers.get(&set.provider));
        let overrides = asked.clone().map(|one| (one.id, RagOverrides::of(&one.spec))).collect();
        let generating = asked.filter(|one| one.spec.connector == GENERATING_CONNECTOR);
        let wanted = &making.wish.items;
        let rules = Rules {
            field: settings.rag_inclusion_field,
            threshold: settings.rag_score_inclusion_threshold,
            strategy: settings.rag_distribution_strategy,
            max: settings.rag_max_to_consider as usize,
            generated: generating.map(|one| one.id).collect(),
            order: if wanted.is_empty() { Vec::new() } else { self.federation.order(search, &sets) },
        };
        let chosen = choose(&sets, &overrides, &rules, wanted);
        if chosen.items.is_empty() {
            return Err(nothing_relevant(&chosen, &rules));
        }
        Ok(chosen)
    }

    async fn assemble(
        &self,
        search: &Search,
        making: &Making,
        (parts, provider): (PromptParts, &AiProvider),
        (sources, left): (Vec<SourceText>, Duration),
    ) -> Result<Assembled, AnswerError> {
        let settings = &self.context.settings;
        let writers = Arc::clone(&self.context.writers);
        let budget = budget(settings.rag_tok_max, provider, writers.tokens_max(provider));
        let (query, instructions) = (plain_query(search), making.wish.instructions.clone());
        let (today, time_max) = (self.context.clock.now().date_naive(), left.min(settings.ai_timeout.0));
        let (follow_ups, provider) = (settings.rag_follow_ups, provider.clone());
        beside(move || {
            assemble(&Assemble {
                query: &query,
                instructions: &instructions,
                parts: &parts,
                today,
                budget,
                follow_ups,
                count: &|text: &str| writers.count_tokens(&provider, text),
                sources,
                time_max,
                answer_tokens_max: ANSWER_TOKENS_MAX,
            })
        })
        .await
    }

    /// Reads what the model writes, and tells it on sentence by sentence.
    async fn listen(
        &self,
        mut writing: Writing,
        (making, telling): (&Making, &mut Telling),
        (prompt, sources): (&domain::contracts::Prompt, &Arc<[PromptSource]>),
        deadline: Instant,
    ) -> Result<Written, AnswerError> {
        let (mut text, mut usage) = (String::new(), None);
        while let Some(piece) = writing.pieces.next().await {
            match piece.map_err(|error| AnswerError::of_model(&error, is_late(deadline)))? {
                Piece::Text(more) => text.push_str(&more),
                Piece::Usage { tokens_in, tokens_out } => usage = Some((tokens_in, tokens_out)),
                // No tool was offered: a model that calls one was told to by a source, and nobody does it.
                Piece::Call(call) => {
                    tracing::warn!("a model called the tool '{}', which was not offered", call.name)
                }
            }
            if let Some(more) = telling.more(&text, sources) {
                making.tell(AnswerEvent::Delta(more));
            }
            if text.len() > ANSWER_BYTES_MAX {
                let end = text.floor_char_boundary(ANSWER_BYTES_MAX);
                text.truncate(end);
                break;
            }
        }
        let count = |text: &str| self.context.writers.count_tokens(&writing.provider, text) as u64;
        let (tokens_in, tokens_out) = usage.unwrap_or_else(|| (count(&shown(prompt)), count(&text)));
        Ok(Written {
            text,
            requested_model: writing.requested_model,
            fallback_engaged: writing.fallback_engaged,
            provider: writing.provider,
            extractive: false,
            tokens_in,
            tokens_out,
        })
    }
}

/// The best sentences of the sources, without a model.
async fn picked(
    provider: AiProvider,
    query: String,
    sources: &Arc<[PromptSource]>,
) -> Result<Written, AnswerError> {
    let sources = Arc::clone(sources);
    let text = beside(move || extract(&query, &sources)).await?;
    if text.trim().is_empty() {
        let message = "No sentence of the sources answers the query.";
        return Err(AnswerError::of(AnswerFault::NoRelevantResults, message));
    }
    let requested_model = provider.spec.model.clone();
    Ok(Written {
        text,
        provider,
        requested_model,
        fallback_engaged: false,
        extractive: true,
        tokens_in: 0,
        tokens_out: 0,
    })
}

async fn checked(text: String, sources: &Arc<[PromptSource]>) -> Result<Checked, AnswerError> {
    let sources = Arc::clone(sources);
    beside(move || check(&text, &sources)).await
}

/// Long texts are read beside the async runtime, so that nobody else waits.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, AnswerError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a step of an answer broke off: {error}");
        AnswerError::of(
            AnswerFault::Unavailable,
            "The answer could not be made; its cause is in the server's log.",
        )
    })
}

fn budget(tokens_max: u32, provider: &AiProvider, model_max: usize) -> usize {
    let own = provider.spec.config.get("max_tokens").and_then(serde_json::Value::as_u64);
    let own = own.and_then(|tokens| usize::try_from(tokens).ok()).unwrap_or(usize::MAX);
    (tokens_max as usize).min(own).min(model_max.saturating_sub(TOKENS_RESERVED))
}

/// A remark where the one that was named cannot be asked.
fn somebody_else(wanted: &WriterWanted, provider: &AiProvider) -> Option<String> {
    let named = wanted.provider.filter(|named| *named != provider.id)?;
    let name = &provider.spec.name;
    Some(format!("The AIProvider {named} is not one that writes summaries for you; '{name}' was asked."))
}

fn is_late(deadline: Instant) -> bool {
    deadline.saturating_duration_since(Instant::now()) < LATE
}

fn nothing_relevant(chosen: &Chosen, rules: &Rules) -> AnswerError {
    let mut message = match chosen.best {
        _ if !chosen.unknown.is_empty() => "None of the results that were named can be used.".to_owned(),
        Some(best) => format!(
            "No result is relevant enough: the best {} is {best:.2}, and more than {} is needed.",
            rules.field.as_str(),
            rules.threshold
        ),
        None => "The search has no results to answer from.".to_owned(),
    };
    for more in &chosen.messages {
        message.push(' ');
        message.push_str(more);
    }
    AnswerError::of(AnswerFault::NoRelevantResults, message)
}

fn no_text(warnings: &[String]) -> AnswerError {
    let message = format!("There is no text to answer from. {}", warnings.join(" "));
    AnswerError::of(AnswerFault::NoSourceText, message.trim_end())
}

/// The prompt as one text.
fn shown(prompt: &domain::contracts::Prompt) -> String {
    let mut text = prompt.system.clone();
    for turn in &prompt.turns {
        if let domain::contracts::Turn::User(words) = turn {
            text.push_str("\n\n");
            text.push_str(words);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::provider;
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
    fn who_is_asked_in_place_of_another_is_named() {
        let wanted = |provider: Option<i64>| WriterWanted {
            role: Role::Rag,
            user: None,
            provider: provider.map(AiProviderId),
        };
        let asked = provider("gpt-5");
        for (named, is_told) in [(None, false), (Some(asked.id.0), false), (Some(99), true)] {
            let remark = somebody_else(&wanted(named), &asked);
            assert_eq!(remark.is_some(), is_told, "{named:?}");
            assert!(remark.is_none_or(|text| text.contains("99") && text.contains("'Own'")));
        }
    }

    #[test]
    fn why_nothing_is_relevant() {
        let rules = Rules { threshold: 0.7, ..Rules::default() };
        let of = |best: Option<f64>, unknown: Vec<i64>| {
            nothing_relevant(&Chosen { best, unknown, ..Chosen::default() }, &rules).to_string()
        };
        assert_eq!(of(None, vec![]), "The search has no results to answer from.");
        let named = of(Some(0.421), vec![]);
        assert!(named.contains("swirl_confidence_score is 0.42") && named.contains("0.7"), "{named}");
        assert!(of(None, vec![9]).starts_with("None of the results"));
    }
}
