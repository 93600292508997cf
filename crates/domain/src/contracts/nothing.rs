//! Nothing: stands where a tool is not there. It refuses everything and gives nothing.

use super::{
    CameBack, Corpus, CorpusAnswer, CorpusError, CorpusQuestion, Dial, ExtractError, ExtractText,
    ExtractedText, Fetch, FetchError, FileToRead, FlowOutcome, FlowStart, HttpRequest, HttpResponse,
    ModelError, OAuth, OAuthError, Origin, PageError, PageProbe, PageText, PageWanted, Prompt, ReadAs,
    ReadPages, ReaderError, ReaderModels, SourceTokenError, SourceTokens, TokenUse, VersionsAsked,
    WriterWanted, Writers, Writing,
};
use crate::ai_provider::AiProvider;
use crate::authenticator::{Authenticator, ProvenIdentity};
use crate::corpus::{CacheMark, Standing, Topic};
use crate::ids::{ProviderId, RunId, SignalId, UserId};
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use crate::secret::Secret;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;
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
    async fn embed_many(
        &self,
        model: &str,
        _read_as: ReadAs,
        _texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError> {
        Err(ReaderError::Unknown(model.to_owned(), "no model is there".to_owned()))
    }
    async fn ranking_model(&self) -> Result<Option<String>, ReaderError> {
        Ok(None)
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError> {
        Ok(None)
    }
}

#[async_trait]
impl Writers for Nothing {
    async fn chosen(&self, wanted: &WriterWanted) -> Result<AiProvider, ModelError> {
        Err(ModelError::no_provider(wanted.role))
    }
    async fn write(&self, wanted: &WriterWanted, _prompt: &Prompt) -> Result<Writing, ModelError> {
        Err(ModelError::no_provider(wanted.role))
    }
    fn count_tokens(&self, _provider: &AiProvider, text: &str) -> usize {
        text.len()
    }
    fn tokens_max(&self, _provider: &AiProvider) -> usize {
        0
    }
}

#[async_trait]
impl ReadPages for Nothing {
    async fn read(&self, _wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        Err(PageError::NoAddress)
    }
    async fn probe(&self, _wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
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
impl Corpus for Nothing {
    fn is_open(&self) -> bool {
        false
    }
    async fn search(&self, _question: CorpusQuestion<'_>) -> Result<CorpusAnswer, CorpusError> {
        Ok(CorpusAnswer::default())
    }
    async fn marks(
        &self,
        _asker: UserId,
        _topic: Option<Topic<'_>>,
        _signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn versions(&self, _asked: VersionsAsked<'_>) -> Result<BTreeMap<SignalId, Standing>, CorpusError> {
        Ok(BTreeMap::new())
    }
    async fn rejected(&self, _runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        Ok(BTreeSet::new())
    }
    async fn recheck(&self, _asker: UserId, _marks: &mut BTreeMap<SignalId, CacheMark>) {}
    async fn text(&self, _wanted: &PageWanted<'_>) -> Option<PageText> {
        None
    }
    async fn keep(&self, _wanted: &PageWanted<'_>, _text: &PageText, _origin: crate::corpus::Origin) {}
    async fn denied(&self, _wanted: &PageWanted<'_>) {}
    async fn promote(&self, _owner: UserId, _tags: &[String], _results: &[(ProviderId, ResultItem)]) {}
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
