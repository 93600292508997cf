//! Decodes the response body of a model service into completion chunks, within limits.

use crate::apis::StreamDecoder;
use crate::error::{of_fetch, with_provider_name};
use crate::reasoning_filter::ReasoningFilter;
use crate::repetition::examined;
use bytes::Bytes;
use domain::ai_provider::AiProvider;
use domain::ports::{CompletionChunk, FetchError, ModelError, ModelErrorKind, Prompt};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::collections::VecDeque;

/// Maximum number of characters of a reply.
pub const ANSWER_CHARS_MAX: usize = 200_000;
/// Maximum number of characters of a reply and the reasoning in its text.
pub const TEXT_CHARS_MAX: usize = 1_000_000;

/// A reply that is being received. Dropping it cancels the request.
pub struct CompletionStream {
    provider: AiProvider,
    /// Error messages must not repeat it.
    prompt: Prompt,
    body: BoxStream<'static, Result<Bytes, FetchError>>,
    decoder: Box<dyn StreamDecoder>,
    reasoning_filter: ReasoningFilter,
    ready: VecDeque<CompletionChunk>,
    /// Chunks after a text that the filter holds back.
    later: Vec<CompletionChunk>,
    /// Number of characters of the reply so far, and of all text.
    answer_chars: usize,
    text_chars: usize,
    /// Reported after all chunks in `ready`.
    failure: Option<ModelError>,
    is_finished: bool,
}

impl CompletionStream {
    pub fn new(
        provider: &AiProvider,
        prompt: &Prompt,
        body: BoxStream<'static, Result<Bytes, FetchError>>,
        decoder: Box<dyn StreamDecoder>,
    ) -> Self {
        Self {
            provider: provider.clone(),
            prompt: prompt.clone(),
            body,
            decoder,
            reasoning_filter: ReasoningFilter::default(),
            ready: VecDeque::new(),
            later: Vec::new(),
            answer_chars: 0,
            text_chars: 0,
            failure: None,
            is_finished: false,
        }
    }

    /// Waits for the first text or tool call, so that a fallback can still be tried if there is none.
    pub async fn wait_for_first_chunk(mut self) -> Result<Self, ModelError> {
        while !self
            .ready
            .iter()
            .any(|chunk| matches!(chunk, CompletionChunk::Text(_) | CompletionChunk::Call(_)))
        {
            if self.is_finished {
                let silent = with_provider_name(&self.provider, self.silence());
                return Err(self.failure.take().unwrap_or(silent));
            }
            self.read_more().await;
        }
        Ok(self)
    }

    /// Why there is no reply, although the service responded.
    fn silence(&self) -> ModelError {
        let message = if self.ready.contains(&CompletionChunk::Cut) {
            "the model reached its token limit before it wrote a reply; an administrator can raise \
             config.reasoning_tokens"
        } else {
            "the model wrote nothing"
        };
        ModelError::new(ModelErrorKind::Unreadable, message)
    }

    /// The chunks as a stream; an error is the last item.
    pub fn into_chunks(self) -> BoxStream<'static, Result<CompletionChunk, ModelError>> {
        Box::pin(stream::unfold(self, |mut this| async move {
            let chunk = this.next().await?;
            Some((chunk, this))
        }))
    }

    async fn next(&mut self) -> Option<Result<CompletionChunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(Ok(chunk));
            }
            if let Some(failure) = self.failure.take() {
                return Some(Err(failure));
            }
            if self.is_finished {
                return None;
            }
            self.read_more().await;
        }
    }

    /// Reads and decodes the next bytes of the body.
    async fn read_more(&mut self) {
        let mut out = Vec::new();
        let read = match self.body.next().await {
            Some(Ok(bytes)) => self.decoder.feed(&bytes, &mut out),
            Some(Err(error)) => Err(of_fetch(&self.provider, &error)),
            None => {
                self.is_finished = true;
                self.decoder.end(&mut out)
            }
        };
        let mut pushed = self.push(out);
        if self.is_finished && pushed.is_ok() {
            pushed = self.finish();
        }
        if let Err(error) = pushed.and(read) {
            let error = examined(error, &self.provider, &self.prompt);
            self.failure = Some(with_provider_name(&self.provider, error));
            self.is_finished = true;
            // Closes the connection.
            self.body = Box::pin(stream::empty());
        }
    }

    fn push(&mut self, chunks: Vec<CompletionChunk>) -> Result<(), ModelError> {
        for chunk in chunks {
            match chunk {
                CompletionChunk::Text(text) => {
                    self.text_chars += text.chars().count();
                    if self.text_chars > TEXT_CHARS_MAX {
                        return Err(too_long());
                    }
                    let mut filtered = Vec::new();
                    self.reasoning_filter.feed(&text, &mut filtered);
                    self.accept(filtered)?;
                }
                chunk if self.reasoning_filter.holds_text() => self.later.push(chunk),
                chunk => self.ready.push_back(chunk),
            }
        }
        Ok(())
    }

    /// Emits what was held back.
    fn finish(&mut self) -> Result<(), ModelError> {
        let mut rest = Vec::new();
        let is_too_long = self.reasoning_filter.end(&mut rest);
        self.accept(rest)?;
        self.ready.extend(self.later.drain(..));
        if is_too_long { Err(too_long()) } else { Ok(()) }
    }

    fn accept(&mut self, filtered: Vec<CompletionChunk>) -> Result<(), ModelError> {
        for chunk in filtered {
            match &chunk {
                CompletionChunk::Text(text) => self.answer_chars += text.chars().count(),
                CompletionChunk::ReasoningEnd => self.answer_chars = 0,
                CompletionChunk::Call(_) | CompletionChunk::Usage { .. } | CompletionChunk::Cut => {}
            }
            if self.answer_chars > ANSWER_CHARS_MAX {
                return Err(too_long());
            }
            self.ready.push_back(chunk);
        }
        Ok(())
    }
}

fn too_long() -> ModelError {
    let message = format!("the answer is longer than {ANSWER_CHARS_MAX} characters");
    ModelError::new(ModelErrorKind::Unreadable, message)
}
