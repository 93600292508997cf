//! Decodes the response body of a model service into completion chunks, within limits.

use crate::apis::StreamDecoder;
use crate::error::{of_fetch, with_provider_name};
use crate::reasoning_filter::ReasoningFilter;
use bytes::Bytes;
use domain::ai_provider::AiProvider;
use domain::ports::{CompletionChunk, FetchError, ModelError, ModelErrorKind};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::collections::VecDeque;

/// Maximum number of characters of a reply.
pub const ANSWER_CHARS_MAX: usize = 200_000;

/// A reply that is being received. Dropping it cancels the request.
pub struct CompletionStream {
    provider: AiProvider,
    body: BoxStream<'static, Result<Bytes, FetchError>>,
    decoder: Box<dyn StreamDecoder>,
    reasoning_filter: ReasoningFilter,
    ready: VecDeque<CompletionChunk>,
    chars: usize,
    /// Reported after all chunks in `ready`.
    failure: Option<ModelError>,
    is_finished: bool,
}

impl CompletionStream {
    pub fn new(
        provider: &AiProvider,
        body: BoxStream<'static, Result<Bytes, FetchError>>,
        decoder: Box<dyn StreamDecoder>,
    ) -> Self {
        Self {
            provider: provider.clone(),
            body,
            decoder,
            reasoning_filter: ReasoningFilter::default(),
            ready: VecDeque::new(),
            chars: 0,
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
        let pushed = self.push(out);
        if self.is_finished {
            let mut rest = Vec::new();
            self.reasoning_filter.end(&mut rest);
            self.ready.extend(rest);
        }
        if let Err(error) = pushed.and(read) {
            self.failure = Some(with_provider_name(&self.provider, error));
            self.is_finished = true;
            // Closes the connection.
            self.body = Box::pin(stream::empty());
        }
    }

    fn push(&mut self, chunks: Vec<CompletionChunk>) -> Result<(), ModelError> {
        let mut filtered = Vec::new();
        let mut fits = Ok(());
        for chunk in chunks {
            let CompletionChunk::Text(text) = chunk else {
                filtered.push(chunk);
                continue;
            };
            self.chars += text.chars().count();
            if self.chars > ANSWER_CHARS_MAX {
                let message = format!("the answer is longer than {ANSWER_CHARS_MAX} characters");
                fits = Err(ModelError::new(ModelErrorKind::Unreadable, message));
                break;
            }
            self.reasoning_filter.feed(&text, &mut filtered);
        }
        self.ready.extend(filtered);
        fits
    }
}
