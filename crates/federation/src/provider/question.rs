//! What is asked of a source: the words, and for some sources their vector.

use super::ProviderRun;
use domain::contracts::{Connector, ConnectorError, ConnectorErrorKind, ReaderError};
use std::sync::Arc;

pub(crate) struct Question {
    /// After all query processors.
    pub text: String,
    /// By the connector's reader model, if it has one.
    pub vector: Option<Vec<f32>>,
}

impl ProviderRun {
    /// Reads the words once, for all pages.
    pub(crate) async fn question(
        &self,
        connector: &Arc<dyn Connector>,
        text: String,
    ) -> Result<Question, ConnectorError> {
        let vector = match connector.reader_model() {
            None => None,
            Some(model) => Some(self.context.readers.embed(model, &text).await.map_err(unread)?),
        };
        Ok(Question { text, vector })
    }
}

fn unread(error: ReaderError) -> ConnectorError {
    let kind = match error {
        ReaderError::Unknown(..) => ConnectorErrorKind::ConfigInvalid,
        ReaderError::Failed(_) => ConnectorErrorKind::Unavailable,
    };
    ConnectorError::new(kind, error.to_string())
}
