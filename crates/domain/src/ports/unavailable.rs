//! Null implementation of the ports of plug-ins: rejects every request and returns nothing.

use super::{
    AddressResolver, AuthorizationCallback, Completion, Corpus, CorpusError, CorpusQuery, CorpusResults,
    DocumentRequest, EmbeddingError, EmbeddingInput, EmbeddingModels, ExtractError, ExtractText,
    ExtractedText, Fetch, FetchError, FileToRead, FlowOutcome, FlowStart, GenerativeModels, HttpRequest,
    HttpResponse, ModelError, ModelRequest, OAuth, OAuthError, Origin, PageError, PageProbe, PageText,
    Prompt, QueryAdvisor, QueryEvidence, ReadPages, SourceTokenError, SourceTokens, TokenUse, VersionQuery,
};
use crate::ai_provider::AiProvider;
use crate::authenticator::{Authenticator, ProvenIdentity};
use crate::corpus::{CacheStatus, Topic, VersionStatus};
use crate::ids::{ProviderId, RunId, SignalId, UserId};
use crate::provider::SearchProvider;
use crate::query_advice::QueryAdvice;
use crate::result::ResultItem;
use crate::secret::Secret;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, Copy, Default)]
pub struct Unavailable;

#[async_trait]
impl Fetch for Unavailable {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Err(FetchError::Refused { place: request.origin.host.clone() })
    }
}

#[async_trait]
impl AddressResolver for Unavailable {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        Err(FetchError::Refused { place: origin.host.clone() })
    }
}

#[async_trait]
impl ExtractText for Unavailable {
    fn knows(&self, _name: &str) -> bool {
        false
    }
    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        Err(ExtractError::Unsupported(file.media_type.unwrap_or(file.name)))
    }
}

#[async_trait]
impl EmbeddingModels for Unavailable {
    async fn embed(&self, model: &str, _text: &str) -> Result<Vec<f32>, EmbeddingError> {
        Err(EmbeddingError::Unknown { model: model.to_owned(), hint: "no model is available".to_owned() })
    }
    async fn embed_many(
        &self,
        model: &str,
        _input: EmbeddingInput,
        _texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Err(EmbeddingError::Unknown { model: model.to_owned(), hint: "no model is available".to_owned() })
    }
    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
        Ok(None)
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
        Ok(None)
    }
}

#[async_trait]
impl GenerativeModels for Unavailable {
    async fn select(&self, request: &ModelRequest) -> Result<AiProvider, ModelError> {
        Err(ModelError::no_provider(request.role))
    }
    async fn complete(&self, request: &ModelRequest, _prompt: &Prompt) -> Result<Completion, ModelError> {
        Err(ModelError::no_provider(request.role))
    }
    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.len()
    }
    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        0
    }
}

#[async_trait]
impl ReadPages for Unavailable {
    async fn read(&self, _request: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        Err(PageError::NoAddress)
    }
    async fn probe(&self, _request: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        Err(PageError::NoAddress)
    }
    async fn fill_bodies(
        &self,
        _provider: &SearchProvider,
        _items: &mut [ResultItem],
        _query: &str,
        _user: UserId,
        _time_max: Duration,
    ) -> usize {
        0
    }
}

#[async_trait]
impl Corpus for Unavailable {
    fn is_open(&self) -> bool {
        false
    }
    async fn search(&self, _query: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError> {
        Ok(CorpusResults::default())
    }
    async fn cache_statuses(
        &self,
        _asker: UserId,
        _topic: Option<Topic<'_>>,
        _signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn versions(
        &self,
        _query: VersionQuery<'_>,
    ) -> Result<BTreeMap<SignalId, VersionStatus>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn rejected(&self, _runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        Ok(BTreeSet::new())
    }
    async fn recheck(&self, _asker: UserId, _statuses: &mut BTreeMap<SignalId, CacheStatus>) {}
    async fn text(&self, _request: &DocumentRequest<'_>) -> Option<PageText> {
        None
    }
    async fn keep(&self, _request: &DocumentRequest<'_>, _text: &PageText, _origin: crate::corpus::Origin) {}
    async fn denied(&self, _request: &DocumentRequest<'_>) {}
    async fn promote(&self, _owner: UserId, _tags: &[String], _results: &[(ProviderId, ResultItem)]) {}
}

#[async_trait]
impl QueryAdvisor for Unavailable {
    fn is_doubtful(&self, _query: &str, _results: &[String]) -> bool {
        false
    }
    async fn advise(&self, _evidence: QueryEvidence) -> QueryAdvice {
        QueryAdvice::default()
    }
}

#[async_trait]
impl SourceTokens for Unavailable {
    async fn access_token(&self, _user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        Err(SourceTokenError::UnknownAuthenticator(authenticator.to_owned()))
    }
}

#[async_trait]
impl OAuth for Unavailable {
    async fn begin(&self, _start: FlowStart) -> Result<Url, OAuthError> {
        Err(OAuthError::UnknownFlow)
    }
    async fn finish(&self, _back: AuthorizationCallback) -> Result<FlowOutcome, OAuthError> {
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
