//! Nothing: stands where a tool is not there. It refuses everything and gives nothing.

use super::{
    CameBack, Dial, ExtractError, ExtractText, ExtractedText, Fetch, FetchError, FileToRead, FlowOutcome,
    FlowStart, HttpRequest, HttpResponse, OAuth, OAuthError, Origin, ReaderError, ReaderModels,
    SourceTokenError, SourceTokens, TokenUse,
};
use crate::authenticator::{Authenticator, ProvenIdentity};
use crate::ids::UserId;
use crate::secret::Secret;
use async_trait::async_trait;
use std::net::SocketAddr;
use url::Url;

#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

#[async_trait]
impl Fetch for Nothing {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::Refused(request.origin.host.clone()))
    }
}

#[async_trait]
impl Dial for Nothing {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        Err(FetchError::Refused(origin.host.clone()))
    }
}

#[async_trait]
impl ExtractText for Nothing {
    fn knows(&self, _name: &str) -> bool {
        false
    }
    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        Err(ExtractError::Unsupported(file.media_type.unwrap_or(file.name)))
    }
}

#[async_trait]
impl ReaderModels for Nothing {
    async fn embed(&self, model: &str, _text: &str) -> Result<Vec<f32>, ReaderError> {
        Err(ReaderError::Unknown(model.to_owned(), "no model is there".to_owned()))
    }
}

#[async_trait]
impl SourceTokens for Nothing {
    async fn access_token(&self, _user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        Err(SourceTokenError::UnknownAuthenticator(authenticator.to_owned()))
    }
}

#[async_trait]
impl OAuth for Nothing {
    async fn begin(&self, _start: FlowStart) -> Result<Url, OAuthError> {
        Err(OAuthError::UnknownFlow)
    }
    async fn finish(&self, _back: CameBack) -> Result<FlowOutcome, OAuthError> {
        Err(OAuthError::UnknownFlow)
    }
    async fn disconnect(&self, _user: UserId, _authenticator: &Authenticator) -> Result<bool, OAuthError> {
        Ok(false)
    }
    async fn identity_of(
        &self,
        _token: &str,
        _shown_for: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError> {
        Ok(None)
    }
}
