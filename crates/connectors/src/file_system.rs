//! FileSystem connector: a local folder, searched by file names and contents.

use crate::shared::check::{read_notations, require_notations};
use crate::shared::file_system::allow::{self, Permitted, Refusal};
use crate::shared::file_system::cache::{self, FileKey, FileText};
use crate::shared::file_system::terms::{Folded, Terms};
use crate::shared::file_system::walk::{DEPTH_MAX, FILES_MAX, FOLDERS_MAX, FoundFile, Reach, walk};
use crate::shared::found_rows::FoundRows;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, ExtractError, FileToRead,
    NormalizedPage, PluginContext, ProviderQuery, RequestDescription, ResultOrigin, SourceRequest,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::provider_config::ConfigField;
use domain::search::Sort;
use domain::validation::FieldErrors;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::error::SyntaxError;
use syntax::query_template::encode_percent;
use syntax::strip_html::readable_plain;
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "FileSystem",
    module: "file_system",
    summary: "A local folder: file names and contents.",
    capability: Capability { page: false, date_sort: true, not: true },
    settings: &["url", "query_mappings", "result_mappings", "results_per_query", "config"],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Drive,
    test_target: TestTarget::Product("a folder of files"),
    check,
    build,
};

/// Larger files are matched by name only.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Files that are open at the same time.
const FILES_AT_ONCE: usize = 4;
/// Files whose texts are compared in one batch.
const BATCH_FILES: usize = 200;
/// One part in this many of the time is reserved for building the response.
const TIME_SPARED: u32 = 10;

struct FileSystem {
    folder: PathBuf,
    base_url: Option<Url>,
    with_hidden: bool,
    knows_not: bool,
    context: PluginContext,
}

impl fmt::Debug for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileSystem").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    read_notations(provider, &mut errors);
    if let Err(sentence) = allow::plain_path(&provider.spec.url) {
        errors.add("url", sentence);
    }
    let config = FileSystemConfig::of(provider);
    if let Err(sentence) = config.base_url() {
        errors.add("config", sentence);
    }
    errors.check(!config.hidden.is_invalid(), "config", || {
        "swirl.file_system.hidden: true or false is needed.".to_owned()
    });
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let notations = require_notations(provider)?;
    let folder = allow::check(&provider.spec.url, &context.settings.filesystem_allow)
        .map_err(|error| ConnectorError::of_syntax("url", error))?;
    let mappings = &notations.query_mappings;
    let config = FileSystemConfig::of(provider);
    Ok(FileSystem {
        folder,
        base_url: config.base_url().map_err(|error| ConnectorError::of_syntax("config", error))?,
        with_hidden: config.hidden.valid() == Some(true),
        knows_not: mappings.not() || mappings.not_char().is_some(),
        context: context.clone(),
    }
    .boxed())
}

/// `config.swirl.file_system` of a provider.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FileSystemConfig {
    base_url: ConfigField<String>,
    hidden: ConfigField<bool>,
}

impl FileSystemConfig {
    fn of(provider: &SearchProvider) -> Self {
        provider.spec.config.block("file_system")
    }

    /// The base URL under which users reach the files.
    fn base_url(&self) -> Result<Option<Url>, SyntaxError> {
        let url = match &self.base_url {
            ConfigField::Missing => return Ok(None),
            ConfigField::Valid(text) => Url::parse(text).ok(),
            ConfigField::Invalid => None,
        };
        let url =
            url.filter(|url| matches!(url.scheme(), "http" | "https" | "file") && url.query().is_none());
        url.map(Some)
            .ok_or_else(|| "swirl.file_system.base_url: an http, https or file address is needed.".into())
    }
}

impl TypedConnector for FileSystem {
    type Request = FileQuery;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        Capability { page: false, date_sort: true, not: self.knows_not }
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<FileQuery, ConnectorError> {
        let Some(terms) = Terms::of(query.text) else {
            let message = "the query contains no word to search for";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        };
        Ok(FileQuery {
            folder: self.folder.display().to_string(),
            query: query.text.to_owned(),
            terms: Arc::new(terms),
            sort: query.sort,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    async fn execute(&self, query: &FileQuery) -> Result<FoundRows, ConnectorError> {
        let search = self.search(Arc::clone(&query.terms), query.time_max);
        let found = tokio::time::timeout(query.time_max, search).await.map_err(|_| too_late())??;
        let FoundFiles { mut hits, missing } = found;
        let found = hits.len() as u64;
        if query.sort != Sort::Date {
            // The walk returns the newest files first; the sort is stable.
            hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        }
        hits.truncate(query.rows_max as usize);
        let (terms, base_url) = (Arc::clone(&query.terms), self.base_url.clone());
        let rows = beside(move || hits.iter().map(|hit| hit.item(&terms, base_url.as_ref())).collect());
        Ok(FoundRows { found, rows: rows.await?, missing })
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        Ok(response.into_page())
    }
}

/// The words to search for in the files of a folder.
#[derive(Debug)]
struct FileQuery {
    /// For display.
    folder: String,
    /// For display.
    query: String,
    terms: Arc<Terms>,
    sort: Sort,
    rows_max: u32,
    time_max: Duration,
}

impl SourceRequest for FileQuery {
    fn description(&self) -> RequestDescription<'_> {
        let sort = if self.sort == Sort::Date { "date" } else { "relevancy" };
        let body = json!({"query": self.query, "sort": sort});
        RequestDescription::Command { place: &self.folder, body: Cow::Owned(body), rows_max: self.rows_max }
    }
}

/// The matching files, and why others may be missing.
struct FoundFiles {
    hits: Vec<Hit>,
    missing: Option<ConnectorError>,
}

impl FileSystem {
    /// Every matching file, newest first. Close to the deadline, the files found so far are returned; texts already
    /// read stay in the cache.
    async fn search(&self, terms: Arc<Terms>, time_max: Duration) -> Result<FoundFiles, ConnectorError> {
        if time_max.is_zero() {
            return Err(too_late());
        }
        let until = Instant::now() + (time_max - time_max / TIME_SPARED);
        let (permitted, files) = self.files(until).await?;
        let mut hits = Vec::new();
        for batch in files.chunks(BATCH_FILES) {
            let texts = futures_util::stream::iter(batch.iter().cloned())
                .map(|file| self.with_text(file, &permitted, until))
                .buffered(FILES_AT_ONCE);
            let texts: Vec<(FoundFile, Option<Arc<FileText>>)> = texts.collect().await;
            let terms = Arc::clone(&terms);
            hits.extend(
                beside(move || {
                    texts.into_iter().filter_map(|(file, text)| hit(file, text, &terms)).collect::<Vec<Hit>>()
                })
                .await?,
            );
            if Instant::now() >= until {
                break;
            }
        }
        let is_late = Instant::now() >= until;
        if hits.is_empty() && is_late {
            return Err(too_late());
        }
        // By then, folders or the texts of files were left out.
        let missing = is_late
            .then(|| ConnectorError::new(ConnectorErrorKind::Timeout, "not all files were searched in time"));
        Ok(FoundFiles { hits, missing })
    }

    /// The folder is resolved again for each query, because the target of a path may have changed since it was saved.
    async fn files(&self, until: Instant) -> Result<(Arc<Permitted>, Vec<FoundFile>), ConnectorError> {
        let (folder, settings) = (self.folder.clone(), Arc::clone(&self.context.settings));
        let reach = Reach {
            files: FILES_MAX,
            folders: FOLDERS_MAX,
            depth: DEPTH_MAX,
            with_hidden: self.with_hidden,
            until,
        };
        beside(move || {
            let permitted =
                Permitted::resolve(&folder, &settings).map_err(|refusal| refused(&folder, refusal))?;
            let files = walk(&permitted, &reach);
            Ok((Arc::new(permitted), files))
        })
        .await?
    }

    /// A file with its text, from the cache or read now if there is time.
    async fn with_text(
        &self,
        file: FoundFile,
        permitted: &Arc<Permitted>,
        until: Instant,
    ) -> (FoundFile, Option<Arc<FileText>>) {
        let key = FileKey { path: file.path.clone(), modified: file.modified, size: file.size };
        if let Some(text) = cache::get(&key) {
            return (file, Some(text));
        }
        let name = file.relative.to_string_lossy().into_owned();
        let is_read = file.size > 0 && file.size <= FILE_BYTES_MAX && self.context.extract.knows(&name);
        if !is_read || Instant::now() >= until {
            return (file, None);
        }
        let (path, permitted) = (file.path.clone(), Arc::clone(permitted));
        let bytes = beside(move || read_file(&path, &permitted)).await.ok().flatten();
        let Some(bytes) = bytes else { return (file, None) };
        let to_read = FileToRead { media_type: None, name, bytes: bytes.into() };
        // One slow file does not lose the matches in the others.
        let read = match tokio::time::timeout_at(until.into(), self.context.extract.extract(to_read)).await {
            // It may succeed later, when the system is less busy or its reader is available again.
            Err(_) | Ok(Err(ExtractError::Timeout | ExtractError::Service(_))) => return (file, None),
            Ok(read) => read.unwrap_or_default(),
        };
        let text = beside(move || Arc::new(FileText::of(read.title, read.author, read.text))).await;
        let Ok(text) = text else { return (file, None) };
        cache::keep(key, &text);
        (file, Some(text))
    }
}

/// Since the walk, the file may have become a link or grown.
fn read_file(path: &Path, permitted: &Permitted) -> Option<Vec<u8>> {
    use std::io::Read;
    let path = path.canonicalize().ok().filter(|path| permitted.holds(path))?;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

struct Hit {
    file: FoundFile,
    text: Option<Arc<FileText>>,
    score: f64,
}

fn hit(file: FoundFile, text: Option<Arc<FileText>>, terms: &Terms) -> Option<Hit> {
    let name = Folded::of(&file.relative.to_string_lossy());
    let nothing = Folded::default();
    let score = terms.score(&name, text.as_ref().map_or(&nothing, |text| &text.folded))?;
    Some(Hit { file, text, score })
}

impl Hit {
    fn item(&self, terms: &Terms, base_url: Option<&Url>) -> Value {
        let relative = self.file.relative.to_string_lossy();
        let name = self.file.relative.file_name().map(|name| name.to_string_lossy().into_owned());
        let (mut title, mut author, mut body) = (String::new(), String::new(), String::new());
        if let Some(text) = &self.text {
            (title, author, body) = (text.title.clone(), text.author.clone(), terms.window(&text.text));
        }
        if title.is_empty() {
            title = name.unwrap_or_else(|| relative.clone().into_owned());
        }
        json!({
            // What looks like markup in a file is text.
            "title": readable_plain(&title),
            "url": address(&self.file, base_url),
            "body": readable_plain(&body),
            "author": readable_plain(&author),
            "date_published": self.file.modified.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
            "size": self.file.size,
            "path": relative,
        })
    }
}

fn address(file: &FoundFile, base_url: Option<&Url>) -> String {
    match base_url {
        Some(base) => {
            let parts: Vec<String> =
                file.relative.iter().map(|part| encode_percent(&part.to_string_lossy())).collect();
            format!("{}/{}", base.as_str().trim_end_matches('/'), parts.join("/"))
        }
        None => Url::from_file_path(&file.path).map(String::from).unwrap_or_default(),
    }
}

/// Runs file access and text matching off the async runtime.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ConnectorError> {
    let failed = ConnectorError::new(ConnectorErrorKind::Unavailable, "the folder could not be searched");
    tokio::task::spawn_blocking(work).await.map_err(|error| failed.caused_by(error))
}

fn refused(folder: &Path, refusal: Refusal) -> ConnectorError {
    let folder = folder.display();
    match refusal {
        Refusal::Missing => {
            let message = format!("the folder '{folder}' does not exist or cannot be opened");
            ConnectorError::new(ConnectorErrorKind::PlaceUnknown, message)
        }
        Refusal::OwnData => {
            let message = format!("the folder '{folder}' belongs to this service and cannot be searched");
            ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
        }
        Refusal::Outside => {
            let message = format!("the folder '{folder}' is outside of the folders in SVC_FILESYSTEM_ALLOW");
            ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
        }
    }
}

fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the folder could not be searched in time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{config_errors, provider_at};

    #[test]
    fn its_block_is_read_and_wrong_values_are_named() {
        let address =
            || vec!["swirl.file_system.base_url: an http, https or file address is needed.".to_owned()];
        let hidden = || vec!["swirl.file_system.hidden: true or false is needed.".to_owned()];
        let long = format!("https://a.example/{}", "x".repeat(100_000));
        let table = [
            (json!(null), None, false, Vec::new()),
            (json!(["https://a.example/", true]), None, false, Vec::new()),
            (json!({}), None, false, Vec::new()),
            (json!({"base_url": "https://a.example/b"}), Some("https://a.example/b"), false, Vec::new()),
            (json!({"base_url": "file:///srv/"}), Some("file:///srv/"), false, Vec::new()),
            (json!({"base_url": long}), Some(long.as_str()), false, Vec::new()),
            (json!({"base_url": "https://a.example/?q"}), None, false, address()),
            (json!({"base_url": "ftp://a.example/"}), None, false, address()),
            (json!({"base_url": ""}), None, false, address()),
            (json!({"base_url": 7}), None, false, address()),
            (json!({"base_url": null}), None, false, address()),
            (json!({"hidden": true}), None, true, Vec::new()),
            (json!({"hidden": false}), None, false, Vec::new()),
            (json!({"hidden": "true"}), None, false, hidden()),
            (json!({"hidden": 1}), None, false, hidden()),
            (json!({"hidden": null, "base_url": 7}), None, false, [address(), hidden()].concat()),
        ];
        for (block, base_url, with_hidden, expected) in table {
            let provider = provider_at("/srv/docs", "file_system", &block);
            let config = FileSystemConfig::of(&provider);
            assert_eq!(config.base_url().ok().flatten().as_ref().map(Url::as_str), base_url, "{block}");
            assert_eq!(config.hidden.valid() == Some(true), with_hidden, "{block}");
            assert_eq!(config_errors(check(&provider)), expected, "{block}");
        }
    }
}
