//! What a model writes, piece by piece, from the bytes of its service.

use crate::dialects::ReadPieces;
use crate::failures::{named, of_fetch};
use bytes::Bytes;
use domain::ai_provider::AiProvider;
use domain::contracts::{FetchError, ModelError, ModelErrorKind, Piece};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use std::collections::VecDeque;

/// Most characters of an answer.
pub const ANSWER_CHARS_MAX: usize = 200_000;

/// An answer that is being read. Dropping it ends the exchange.
pub struct Reading {
    provider: AiProvider,
    body: BoxStream<'static, Result<Bytes, FetchError>>,
    reader: Box<dyn ReadPieces>,
    ready: VecDeque<Piece>,
    chars: usize,
    /// Told when nothing is ready any more.
    failure: Option<ModelError>,
    is_over: bool,
}

impl Reading {
    pub fn new(
        provider: &AiProvider,
        body: BoxStream<'static, Result<Bytes, FetchError>>,
        reader: Box<dyn ReadPieces>,
    ) -> Self {
        Self {
            provider: provider.clone(),
            body,
            reader,
            ready: VecDeque::new(),
            chars: 0,
            failure: None,
            is_over: false,
        }
    }

    /// Waits until the model has said something, so that another can still be asked when it does not.
    pub async fn begun(mut self) -> Result<Self, ModelError> {
        while !self.ready.iter().any(|piece| matches!(piece, Piece::Text(_) | Piece::Call(_))) {
            if self.is_over {
                let silent = || ModelError::new(ModelErrorKind::Unreadable, "the model wrote nothing");
                return Err(self.failure.take().unwrap_or_else(|| named(&self.provider, silent())));
            }
            self.read_on().await;
        }
        Ok(self)
    }

    /// The pieces; an error is the last.
    pub fn pieces(self) -> BoxStream<'static, Result<Piece, ModelError>> {
        Box::pin(stream::unfold(self, |mut reading| async move {
            let piece = reading.next().await?;
            Some((piece, reading))
        }))
    }

    async fn next(&mut self) -> Option<Result<Piece, ModelError>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(Ok(piece));
            }
            if let Some(failure) = self.failure.take() {
                return Some(Err(failure));
            }
            if self.is_over {
                return None;
            }
            self.read_on().await;
        }
    }

    /// Reads what comes next from the service.
    async fn read_on(&mut self) {
        let mut out = Vec::new();
        let read = match self.body.next().await {
            Some(Ok(bytes)) => self.reader.feed(&bytes, &mut out),
            Some(Err(error)) => Err(of_fetch(&self.provider, &error)),
            None => {
                self.is_over = true;
                self.reader.end(&mut out)
            }
        };
        let taken = self.take(out);
        if let Err(error) = taken.and(read) {
            self.failure = Some(named(&self.provider, error));
            self.is_over = true;
            // Nothing more is read: the service need not write on.
            self.body = Box::pin(stream::empty());
        }
    }

    fn take(&mut self, pieces: Vec<Piece>) -> Result<(), ModelError> {
        for piece in pieces {
            if let Piece::Text(text) = &piece {
                self.chars += text.chars().count();
            }
            if self.chars > ANSWER_CHARS_MAX {
                let message = format!("the answer is longer than {ANSWER_CHARS_MAX} characters");
                return Err(ModelError::new(ModelErrorKind::Unreadable, message));
            }
            if piece != Piece::Text(String::new()) {
                self.ready.push_back(piece);
            }
        }
        Ok(())
    }
}
