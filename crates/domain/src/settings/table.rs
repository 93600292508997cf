//! The table of settings, and the macro that generates the structs, the parser and the documentation rows from it.
//!
//! A row ends with `plugins` if plug-ins may read the setting; the compiler refuses the word on a secret.

use super::value::{FieldWeights, Ratio, Seconds, SettingValue, Throttle, WebOrigin};
use super::{EffectiveSetting, RawSettings, SettingOrigin, SettingRow};
use crate::corpus::{QdrantMode, StorageBackend, VectorBackend, Weights};
use crate::rag::{InclusionField, Strategy};
use crate::retention::Retention;
use crate::secret::Secret;
use syntax::network::Network;

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $field:ident: $kind:ty = $default:expr, $name:literal $(, $reader:ident)?;)+) => {
        /// All settings, read once at startup.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $field: $kind,)+
        }

        /// The settings that plug-ins may read: no secret, nothing about how the service runs.
        ///
        /// ```compile_fail
        /// fn read(settings: &domain::settings::PluginSettings) -> &domain::secret::Secret {
        ///     &settings.secret_key
        /// }
        /// ```
        ///
        /// ```compile_fail
        /// fn read(settings: &domain::settings::PluginSettings) -> &domain::secret::Secret {
        ///     &settings.database_url
        /// }
        /// ```
        ///
        /// ```
        /// fn read(settings: &domain::settings::PluginSettings) -> &str {
        ///     &settings.default_query_language
        /// }
        /// ```
        #[derive(Debug, Clone)]
        pub struct PluginSettings {
            $($(
                #[doc = concat!("`", $name, "`, for ", stringify!($reader), ".")]
                pub $field: $kind,
            )?)+
        }

        $($(
            const _: () = assert!(
                !<$kind as SettingValue>::IS_SECRET,
                concat!($name, " is a secret, which ", stringify!($reader), " must not read")
            );
        )?)+

        impl PluginSettings {
            /// The name of every setting that plug-ins may read, in table order.
            pub const NAMES: &[&str] = &[$($({
                let _: &str = stringify!($reader);
                $name
            },)?)+];
        }

        impl From<&Settings> for PluginSettings {
            fn from(settings: &Settings) -> Self {
                Self { $($(
                    $field: {
                        let _: &str = stringify!($reader);
                        settings.$field.clone()
                    },
                )?)+ }
            }
        }

        impl Settings {
            pub const TABLE: &[SettingRow] = &[$(SettingRow {
                name: $name,
                kind: <$kind as SettingValue>::KIND,
                meaning: &[$($doc),+],
                default: || { let value: $kind = $default; value.show() },
                default_toml: || { let value: $kind = $default; value.toml() },
            }),+];

            /// Name and value of every setting in table order, with secrets masked.
            pub fn shown(&self) -> Vec<(&'static str, String)> {
                vec![$(($name, SettingValue::show(&self.$field))),+]
            }

            /// The secret values, which are never displayed.
            pub fn secrets(&self) -> Vec<&Secret> {
                [$(SettingValue::secret(&self.$field)),+].into_iter().flatten().collect()
            }

            pub(super) fn parse_rows(
                raw: &RawSettings,
                effective: &mut Vec<EffectiveSetting>,
                mistakes: &mut Vec<String>,
            ) -> Self {
                Self {$($field: {
                    let (value, origin) = match raw.find($name) {
                        None => ($default, SettingOrigin::Default),
                        Some((text, origin)) => match <$kind as SettingValue>::parse(text) {
                            Ok(value) => (value, origin),
                            Err(needed) => {
                                mistakes.push(format!("{} (from the {}): {needed}.", $name, origin.as_str()));
                                ($default, SettingOrigin::Default)
                            }
                        },
                    };
                    effective.push(EffectiveSetting { name: $name, value: value.show(), origin });
                    value
                },)+}
            }
        }
    };
}

settings! {
    /// The address to listen on.
    host: String = "127.0.0.1".to_owned(), "SVC_HOST";
    /// The port to listen on; 0 picks a free port.
    port: u16 = 8000, "SVC_PORT";
    /// The data folder: it holds the database, the generated key and `logs/`.
    data_dir: String = "./data".to_owned(), "SVC_DATA_DIR", plugins;
    /// The folder for scheduled backups. Empty: no scheduled backups. Every process with the role `beat` writes there; with several of them, use one shared folder or set this for only one. The folder must exist unless it is inside the data folder.
    backup_dir: String = String::new(), "SVC_BACKUP_DIR";
    /// The maximum age of the latest scheduled backup before a new one is made; at least 1 second.
    backup_every: Seconds = Seconds::new(86_400), "SVC_BACKUP_EVERY";
    /// The number of scheduled backups to keep, 1 to 1000. Older ones are deleted after a new backup has been written and verified.
    backup_keep: u32 = 7, "SVC_BACKUP_KEEP";
    /// The database. Empty: an SQLite file in the data folder. For PostgreSQL: `postgres://user:password@host/name`.
    database_url: Secret = Secret::default(), "SVC_DATABASE_URL";
    /// Maximum number of open database connections.
    database_pool_max: u32 = 8, "SVC_DATABASE_POOL_MAX";
    /// The password of the user `admin`, used only when the first start creates that user. Empty: a random password is generated, printed once and written to `initial-admin-password` in the data folder.
    admin_password: Secret = Secret::default(), "SVC_ADMIN_PASSWORD";
    /// The key that encrypts credentials in the database. Empty: a key is generated once and stored as `secret.key` (mode 0600) in the data folder.
    secret_key: Secret = Secret::default(), "SVC_SECRET_KEY";
    /// A second key that only decrypts credentials, for use while `tributary rekey` replaces the key. Empty: no second key.
    secret_key_old: Secret = Secret::default(), "SVC_SECRET_KEY_OLD";
    /// How long a search waits for its sources before it continues without them. Its query processors may take as long before that.
    timeout: Seconds = Seconds::new(10), "SVC_TIMEOUT", plugins;
    /// Explain the score of every result unless the request says `explain=False`.
    explain: bool = true, "SVC_EXPLAIN";
    /// The language of queries, used for stemming, stopwords and spelling: a Snowball language (`english`, `german`, `french`, …). It applies to queries that do not show their language, and to results that are not clearly in another one. With any other value, words are neither stemmed nor treated as stopwords. The spelling dictionary for `english` is built in; for another language, put a word list (one word per line, most frequent first) into `dictionaries/<language>.txt` in the data folder.
    default_query_language: String = "english".to_owned(), "SVC_DEFAULT_QUERY_LANGUAGE", plugins;
    /// Maximum length of title and body after LenLimitingResultProcessor, in characters; at least 10. A tag `max_length:N` takes precedence.
    max_field_len: u32 = 512, "SVC_MAX_FIELD_LEN", plugins;
    /// The weight of a match in each field, for `swirl_score` and the confidence, as an object: `{"title": 1.5, "body": 1.0, "author": 1.0}`. Omitted fields keep their defaults.
    relevancy_config: FieldWeights = FieldWeights::default(), "SVC_RELEVANCY_CONFIG", plugins;
    /// The minimum similarity, 0 to 1, that counts toward `swirl_score`.
    min_similarity: Ratio = Ratio(0.01), "SVC_MIN_SIMILARITY", plugins;
    /// Maximum number of matches of one word or phrase in one field that count toward `swirl_score`.
    max_matches: u32 = 5, "SVC_MAX_MATCHES", plugins;
    /// The field by which DedupeByFieldPostResultProcessor recognizes duplicates: a field of the result or of its payload.
    dedupe_field: String = "url".to_owned(), "SVC_DEDUPE_FIELD", plugins;
    /// Group duplicates under the best of them. False: drop them.
    dedupe_group_not_drop: bool = true, "SVC_DEDUPE_GROUP_NOT_DROP", plugins;
    /// The minimum similarity of title and body, 0 to 1, at which DedupeBySimilarityPostResultProcessor treats two results as duplicates.
    dedupe_similarity_minimum: Ratio = Ratio(0.95), "SVC_DEDUPE_SIMILARITY_MINIMUM", plugins;
    /// DropIrrelevantPostResultProcessor keeps only results whose `swirl_score` is above this value.
    min_swirl_score: u32 = 500, "SVC_MIN_SWIRL_SCORE", plugins;
    /// Time limit for connecting to a source.
    search_http_connect_timeout: Seconds = Seconds::new(3), "SVC_SEARCH_HTTP_CONNECT_TIMEOUT";
    /// Time limit for a request to a source, including reading the whole response.
    search_http_read_timeout: Seconds = Seconds::new(10), "SVC_SEARCH_HTTP_READ_TIMEOUT";
    /// How long to pause a source that answers 429 without a `Retry-After`.
    source_backoff: Seconds = Seconds::new(30), "SVC_SOURCE_BACKOFF";
    /// How many sources a search asks first, if its request names none: those with the most results on the first pages of the user's nearest earlier searches, once there are ten. The others are asked when these have answered, or after a fifth of `SVC_TIMEOUT`. 0: all sources at once.
    source_choice: u32 = 0, "SVC_SOURCE_CHOICE";
    /// Loopback and private addresses that outbound requests may reach: a comma-separated list of `host:port`, `host` or CIDR. The host and port of a source's own url, saved by an administrator, need no entry.
    outbound_allow: Vec<String> = Vec::new(), "SVC_OUTBOUND_ALLOW";
    /// Maximum size of a response from a source, after decompression, in megabytes.
    outbound_body_max_mb: u32 = 10, "SVC_OUTBOUND_BODY_MAX_MB";
    /// Memory for source responses that are processed at the same time, in megabytes: raw bytes, parsed values and results. One search may use at most a quarter of it. A response whose values need less than one megabyte is always read. A larger one waits for memory, for a few seconds at most; one that needs more than a search may use fails with an error for that source.
    answer_memory_mb: u32 = 128, "SVC_ANSWER_MEMORY_MB";
    /// Maximum number of redirects per request.
    outbound_redirects_max: u32 = 5, "SVC_OUTBOUND_REDIRECTS_MAX";
    /// Additional path prefixes for the API: `swirl` also serves it at `/swirl/…` and `/api/swirl/…`.
    api_aliases: Vec<String> = Vec::new(), "SVC_API_ALIASES";
    /// Maximum size of a request body, in megabytes.
    request_body_max_mb: u32 = 2, "SVC_REQUEST_BODY_MAX_MB";
    /// The external base URL of the service, used for links in responses. Empty: taken from the request.
    public_url: String = String::new(), "SVC_PUBLIC_URL";
    /// Serve HTTPS with the certificate in this PEM file: the service's own certificate first, then the intermediates. Requires `SVC_TLS_KEY_FILE`. Both files are reread every minute and used for new connections. Empty: plain HTTP, for a proxy that terminates TLS.
    tls_cert_file: String = String::new(), "SVC_TLS_CERT_FILE";
    /// The private key of `SVC_TLS_CERT_FILE`, as a PEM file without a passphrase: PKCS#8, PKCS#1 or SEC1.
    tls_key_file: String = String::new(), "SVC_TLS_KEY_FILE";
    /// How many hours a browser session lasts.
    session_hours: u32 = 12, "SVC_SESSION_HOURS";
    /// How often subscribed searches are updated; at least 1 second. The value is stored in the database at the first start, and the stored schedule applies from then on.
    subscribe_every: Seconds = Seconds::new(14_400), "SVC_SUBSCRIBE_EVERY";
    /// The URL that receives a signed request when the update of a subscribed search with the tag `alert` has found new results, such as that of a mail or chat gateway. It receives the query, the user's name and mail address, and the titles and URLs of new results. Empty: no such requests.
    alert_webhook_url: Secret = Secret::default(), "SVC_ALERT_WEBHOOK_URL";
    /// The key with which the requests to `SVC_ALERT_WEBHOOK_URL` are signed; required if that is set.
    alert_webhook_secret: Secret = Secret::default(), "SVC_ALERT_WEBHOOK_SECRET";
    /// The mail server for alerts. New results of a subscribed search with the tag `alert` are sent to the mail address of its user, with the query, the titles and the URLs. `smtps://user@host:465` uses TLS; `smtp://user@host:587` uses STARTTLS and sends nothing without it, except to this machine or with `?tls=off`. The user is left out if the server needs no sign-in. Empty: no mail.
    alert_mail_url: String = String::new(), "SVC_ALERT_MAIL_URL";
    /// The password of the user in `SVC_ALERT_MAIL_URL`; required if that names one.
    alert_mail_password: Secret = Secret::default(), "SVC_ALERT_MAIL_PASSWORD";
    /// The sender of alerts by mail: `tributary@example.org` or `Tributary <tributary@example.org>`. Required if `SVC_ALERT_MAIL_URL` is set.
    alert_mail_from: String = String::new(), "SVC_ALERT_MAIL_FROM";
    /// How often expired searches are deleted; at least 1 second. The value is stored in the database at the first start, and the stored schedule applies from then on.
    expire_every: Seconds = Seconds::new(60), "SVC_EXPIRE_EVERY";
    /// How long a search is kept if its request does not say: 0 forever, 1 one hour, 2 one day, 3 one month, 4 five minutes after its last change. Saved and subscribed searches never expire. One month (3) is recommended: with 0 the database grows without limit.
    default_retention: Retention = Retention::Forever, "SVC_DEFAULT_RETENTION";
    /// Maximum number of searches in progress in this process; most of them wait for their sources. Further searches wait in the queue.
    search_concurrency: u32 = 1024, "SVC_SEARCH_CONCURRENCY";
    /// Maximum number of searches that use this process's CPU at the same time; searches that wait for their sources do not count. 0: four per CPU core, so that no search waits long behind the results of others. A higher value helps if searches wait for an external model.
    searches_running_max: u32 = 0, "SVC_SEARCHES_RUNNING_MAX";
    /// Maximum number of concurrent page fetches in this process.
    page_fetch_concurrency: u32 = 64, "SVC_PAGE_FETCH_CONCURRENCY";
    /// Maximum number of concurrent interactive tasks in this process.
    interactive_concurrency: u32 = 16, "SVC_INTERACTIVE_CONCURRENCY";
    /// Maximum number of concurrent maintenance tasks in this process.
    maintenance_concurrency: u32 = 4, "SVC_MAINTENANCE_CONCURRENCY";
    /// Maximum number of concurrent health checks in this process.
    health_check_concurrency: u32 = 1, "SVC_HEALTH_CHECK_CONCURRENCY";
    /// Maximum number of concurrent corpus tasks in this process.
    corpus_concurrency: u32 = 4, "SVC_CORPUS_CONCURRENCY";
    /// How long a worker holds a task without a heartbeat before another worker takes it over.
    task_lease: Seconds = Seconds::new(15), "SVC_TASK_LEASE";
    /// How long shutdown waits for running tasks before it returns them to the queue.
    stop_grace: Seconds = Seconds::new(30), "SVC_STOP_GRACE";
    /// The log level: `error`, `warn`, `info`, `debug`, or a filter such as `info,federation=debug`.
    log_level: String = "info".to_owned(), "SVC_LOG_LEVEL";
    /// The log format: `text` or `json`.
    log_format: String = "text".to_owned(), "SVC_LOG_FORMAT";
    /// Crates that log at trace level regardless of `SVC_LOG_LEVEL`: a comma-separated list such as `federation,outbound`.
    log_debug: Vec<String> = Vec::new(), "SVC_LOG_DEBUG";
    /// Maximum size of a log file before it is rotated, in megabytes.
    log_max_mb: u32 = 50, "SVC_LOG_MAX_MB";
    /// Number of log files to keep per name, including the current one.
    log_files: u32 = 5, "SVC_LOG_FILES";
    /// The task queue. Empty: the database. For NATS JetStream: `nats://user:password@host:4222/name`. Separate several servers of one cluster with commas. The name (default `tributary`) separates installations that share a cluster. `tls://` requires TLS: the system must trust the certificate, or `SSL_CERT_FILE` must name a file with its CA.
    queue_url: Secret = Secret::default(), "SVC_QUEUE_URL";
    /// Time limit for one database statement (PostgreSQL).
    database_statement_timeout: Seconds = Seconds::new(30), "SVC_DATABASE_STATEMENT_TIMEOUT";
    /// Serve `/svc/health/tasks/` without authentication.
    health_open: bool = false, "SVC_HEALTH_OPEN";
    /// Serve `/svc/metrics/tasks/` and `/metrics/` without authentication. `/metrics/` lists the names of all sources, including private ones; without this setting only administrators can read it.
    metrics_open: bool = false, "SVC_METRICS_OPEN";
    /// Export the steps of every search whose results were stored as OpenTelemetry traces to the collector at this URL, such as `http://127.0.0.1:4318`, as OTLP over HTTP in JSON. Without a path, `/v1/traces` is added. Empty: no export.
    otlp_endpoint: String = String::new(), "SVC_OTLP_ENDPOINT";
    /// Headers of the requests to `SVC_OTLP_ENDPOINT`: a comma-separated list such as `Authorization=Bearer abc,X-Tenant=one`. Values are sent as they are and cannot contain commas.
    otlp_headers: Secret = Secret::default(), "SVC_OTLP_HEADERS";
    /// List the queries of searches without results on the activity page, without user names. Otherwise administrators see only counts.
    activity_shows_queries: bool = false, "SVC_ACTIVITY_SHOWS_QUERIES";
    /// Proxies whose `X-Forwarded-For` header is trusted: a comma-separated list of addresses or CIDR.
    trusted_proxies: Vec<Network> = Vec::new(), "SVC_TRUSTED_PROXIES";
    /// Maximum number of open connections per client address (per /64 for IPv6); 0: no limit. This machine's own addresses and `SVC_TRUSTED_PROXIES` are exempt.
    connections_per_address: u32 = 256, "SVC_CONNECTIONS_PER_ADDRESS";
    /// Rate limit for chat messages per user and address: `<n>/<second|minute|hour|day>` or `None`.
    throttle_chat: Throttle = Throttle::per_minute(15), "DOCS_CHAT_THROTTLE_RATE";
    /// Rate limit for failed sign-ins per user name and address. The limit is five times as high per address for all names together, and a hundred times as high per name for all addresses together.
    throttle_login: Throttle = Throttle::per_minute(10), "SVC_THROTTLE_LOGIN";
    /// Rate limit for starting searches per user and address. The default is far above normal use.
    throttle_search: Throttle = Throttle::per_minute(600), "SVC_THROTTLE_SEARCH";
    /// Rate limit for requesting AI summaries per user and address.
    throttle_rag: Throttle = Throttle::per_minute(120), "SVC_THROTTLE_RAG";
    /// Maximum number of waiting searches per user; further ones are rejected with 429 until some have started. 0: no limit.
    searches_waiting_max: u32 = 500, "SVC_SEARCHES_WAITING_MAX";
    /// Maximum number of searches of all users that wait for a worker; further ones are rejected with 503 until some have started. 0: no limit.
    searches_queued_max: u32 = 10_000, "SVC_SEARCHES_QUEUED_MAX";
    /// Maximum number of stored searches per user. At the limit a new search replaces the oldest ones, up to 100 at a time. Saved and subscribed searches are never replaced; if there are no others, a new search is rejected with 409. 0: no limit.
    searches_kept_max: u32 = 100_000, "SVC_SEARCHES_KEPT_MAX";
    /// Maximum number of open event streams per user in this process.
    event_streams_per_user: u32 = 100, "SVC_EVENT_STREAMS_PER_USER";
    /// Maximum number of open event streams in this process.
    event_streams_max: u32 = 1000, "SVC_EVENT_STREAMS_MAX";
    /// Origins whose web pages may call the API: a comma-separated list such as `https://app.example`. They authenticate with `Authorization`; cookies are ignored.
    cors_origins: Vec<WebOrigin> = Vec::new(), "SVC_CORS_ORIGINS";
    /// The port on which a process without the web role serves `/metrics/`, `/svc/metrics/tasks/` and `/svc/health/…`; 0: none. A process with the web role serves them on `SVC_PORT`.
    monitor_port: u16 = 0, "SVC_MONITOR_PORT";
    /// How long a process with the web role keeps serving requests after it was asked to stop, while `/svc/health/ready/` already returns 503. Set it longer than your load balancer takes to notice.
    drain: Seconds = Seconds::new(0), "SVC_DRAIN";
    /// The audience (`aud`) that an authenticator's token must contain to be accepted as `Authorization: Bearer` on the API; an authenticator's own `audience` takes precedence. Empty: only authenticators with their own audience are accepted.
    oidc_api_audience: String = String::new(), "SVC_OIDC_API_AUDIENCE";
    /// Folders on this machine that sources with the FileSystem connector may search, including subfolders: a comma-separated list of absolute paths. Empty: none.
    filesystem_allow: Vec<String> = Vec::new(), "SVC_FILESYSTEM_ALLOW", plugins;
    /// Folders on this machine whose SQLite files sources with the Sqlite3 connector may open, including subfolders: a comma-separated list of absolute paths. Empty: none. Files in the data folder are never opened, except for the sample library of `tributary demo`.
    sqlite_allow: Vec<String> = Vec::new(), "SVC_SQLITE_ALLOW", plugins;
    /// The base URL of Microsoft Graph, for Microsoft 365 sources. National clouds have their own, such as `https://graph.microsoft.us`.
    microsoft_graph_url: String = "https://graph.microsoft.com".to_owned(), "SVC_MICROSOFT_GRAPH_URL", plugins;
    /// The base URL of the Google APIs, for Google Workspace sources.
    google_api_url: String = "https://www.googleapis.com".to_owned(), "SVC_GOOGLE_API_URL", plugins;
    /// The base URL of the Box API.
    box_api_url: String = "https://api.box.com".to_owned(), "SVC_BOX_API_URL", plugins;
    /// The base URL of the Dropbox API.
    dropbox_api_url: String = "https://api.dropboxapi.com".to_owned(), "SVC_DROPBOX_API_URL", plugins;
    /// The score that decides which results an AI summary may use: `swirl_confidence_score` or `swirl_score`. The `config.swirl.rag` of a source takes precedence.
    rag_inclusion_field: InclusionField = InclusionField::Confidence, "SVC_RAG_INCLUSION_FIELD";
    /// An AI summary may use only results whose score is above this value. The `config.swirl.rag` of a source takes precedence.
    rag_score_inclusion_threshold: f64 = 0.7, "SVC_RAG_SCORE_INCLUSION_THRESHOLD";
    /// How results are selected for an AI summary: `sorted`, `distributed`, `roundrobin` or `roundrobinthreshold`.
    rag_distribution_strategy: Strategy = Strategy::Sorted, "SVC_RAG_DISTRIBUTION_STRATEGY";
    /// Maximum number of results in an AI summary.
    rag_max_to_consider: u32 = 10, "SVC_RAG_MAX_TO_CONSIDER";
    /// Maximum number of source tokens in the prompt of an AI summary.
    rag_tok_max: u32 = 4000, "SVC_RAG_TOK_MAX";
    /// The assumed context size, in tokens, of a model whose size is unknown.
    rag_tok_default: u32 = 4000, "SVC_RAG_TOK_DEFAULT", plugins;
    /// Time limit for an AI summary, unless the request sets one.
    rag_timeout: Seconds = Seconds::new(60), "SVC_RAG_TIMEOUT";
    /// Time limit for one model call.
    ai_timeout: Seconds = Seconds::new(90), "SVC_AI_TIMEOUT", plugins;
    /// Time limit for fetching one page for an AI summary.
    page_fetch_timeout: Seconds = Seconds::new(10), "SVC_PAGE_FETCH_TIMEOUT", plugins;
    /// If a page cannot be fetched for an AI summary, use the result's own text. False: skip the result.
    always_fall_back_to_summary: bool = true, "SVC_ALWAYS_FALL_BACK_TO_SUMMARY";
    /// Suggest follow-up questions in AI summaries.
    rag_follow_ups: bool = true, "SVC_RAG_FOLLOW_UPS";
    /// Store the prompt with an AI summary.
    rag_store_prompt: bool = false, "SVC_RAG_STORE_PROMPT";
    /// Choose and order the results and passages of AI summaries, chats and MCP searches with the second reader, a larger model than the built-in one, and offer a better order of a list on the search page. Install its model first with `tributary reader install`. A list does not change by itself.
    second_reader: bool = false, "SVC_SECOND_READER";
    /// An Apache Tika server for file types that the built-in extraction does not support, such as `http://127.0.0.1:9998`. Empty: none.
    tika_url: String = String::new(), "SVC_TIKA_URL";
    /// The API token of the user on whose behalf `tributary mcp` acts.
    mcp_token: Secret = Secret::default(), "SVC_MCP_TOKEN";
    /// Rate limit for MCP requests to `/mcp` per user and address, such as `240/minute`; `None` disables it. A client sends three or four requests before its first tool call. Searches, summaries and chats also count against their own limits.
    throttle_mcp: Throttle = Throttle::per_minute(240), "SVC_THROTTLE_MCP";
    /// A folder with templates, styles, scripts and translations that replaces the built-in pages; same layout as `web/` in the source. It is reread for every page. Empty: the built-in pages.
    web_dir: String = String::new(), "SVC_WEB_DIR";
    /// Minimum confidence for a star on a result that has a confidence.
    minimum_confidence_score: Ratio = Ratio(0.7), "SVC_MINIMUM_CONFIDENCE_SCORE";
    /// Minimum score for a star on a result that has no confidence.
    minimum_score: f64 = 100.0, "SVC_MINIMUM_SCORE";
    /// The license: JSON signed by its issuer. The issuer's public key is compiled in; `public_key.pem` in the data folder takes precedence.
    license: Secret = Secret::default(), "SVC_LICENSE";
    /// The license issuer's public key, as PEM text or the path of a PEM file. Empty: `public_key.pem` in the data folder, or else the compiled-in key.
    license_public_key: String = String::new(), "SVC_LICENSE_PUBLIC_KEY";
    /// Where the vectors of the semantic cache are stored: `memory` (in this process, rebuilt from the database at startup), `external` or `docker` (a Qdrant server at `SVC_QDRANT_URL`), or `disabled`.
    qdrant_mode: QdrantMode = QdrantMode::Memory, "SVC_QDRANT_MODE";
    /// The URL of the Qdrant server.
    qdrant_url: String = "http://localhost:6333".to_owned(), "SVC_QDRANT_URL";
    /// The API key of the Qdrant server. Empty: none.
    qdrant_api_key: Secret = Secret::default(), "SVC_QDRANT_API_KEY";
    /// The vector store: `qdrant` (see `SVC_QDRANT_MODE`) or `pgvector` (the PostgreSQL database of `SVC_DATABASE_URL`, which must have the extension `vector`).
    vector_backend: VectorBackend = VectorBackend::Qdrant, "SVC_VECTOR_BACKEND";
    /// Where the full texts of the semantic cache are stored: `fs` (the folder `bodies` in the data folder) or `s3`.
    storage_backend: StorageBackend = StorageBackend::Folder, "SVC_STORAGE_BACKEND";
    /// The S3 endpoint, such as `https://s3.example`. Empty: Amazon S3 in `SVC_STORAGE_REGION`.
    storage_endpoint: String = String::new(), "SVC_STORAGE_ENDPOINT";
    /// The S3 region.
    storage_region: String = "us-east-1".to_owned(), "SVC_STORAGE_REGION";
    /// The S3 bucket.
    storage_bucket: String = "swirl-cache-bodies".to_owned(), "SVC_STORAGE_BUCKET";
    /// The S3 access key.
    storage_access_key: Secret = Secret::default(), "SVC_STORAGE_ACCESS_KEY";
    /// The S3 secret key.
    storage_secret_key: Secret = Secret::default(), "SVC_STORAGE_SECRET_KEY";
    /// Maximum size of a text in the semantic cache and of the body of `POST /svc/ingest/`, in megabytes.
    storage_max_body_mb: u32 = 50, "SVC_STORAGE_MAX_BODY_MB";
    /// How many days a full text is kept after it was last fetched from its source; its chunks remain searchable after that.
    storage_expiration_days: u32 = 90, "SVC_STORAGE_EXPIRATION_DAYS";
    /// Minimum score, 0 to 1, of a result from the semantic cache.
    corpus_min_score: Ratio = Ratio(0.5), "SVC_CORPUS_MIN_SCORE";
    /// Search the semantic cache by keywords as well as by meaning. New installations always do; in an earlier one, run `tributary upgrade_corpus_to_hybrid` once before enabling it.
    corpus_hybrid: bool = false, "SVC_CORPUS_HYBRID";
    /// Fetch the best results of each search into the semantic cache, with the permissions of the user who searched.
    eager_federated_promote_enabled: bool = false, "SVC_EAGER_FEDERATED_PROMOTE_ENABLED";
    /// Maximum number of results per search that `SVC_EAGER_FEDERATED_PROMOTE_ENABLED` fetches.
    eager_federated_promote_max: u32 = 5, "SVC_EAGER_FEDERATED_PROMOTE_MAX";
    /// Time limit for a source to report whether a cached document still exists.
    cache_liveness_probe_timeout: Seconds = Seconds::new(10), "SVC_CACHE_LIVENESS_PROBE_TIMEOUT";
    /// After how many seconds a displayed cached document is checked at its source again.
    cache_liveness_recheck_seconds: Seconds = Seconds::new(3600), "SVC_CACHE_LIVENESS_RECHECK_SECONDS";
    /// Check cached documents before a page of results is returned, rather than after.
    cache_liveness_sync: bool = false, "SVC_CACHE_LIVENESS_SYNC";
    /// Maximum number of documents per page that are checked before it is returned.
    cache_liveness_sync_max: u32 = 10, "SVC_CACHE_LIVENESS_SYNC_MAX";
    /// Time limit for a check before a page is returned.
    cache_liveness_sync_timeout: Seconds = Seconds::new(2), "SVC_CACHE_LIVENESS_SYNC_TIMEOUT";
    /// Report the actions of the semantic cache in a search's messages, and add details to the payload for administrators.
    cache_debug: bool = true, "SVC_CACHE_DEBUG";
    /// The minimum similarity, 0 to 1, at which two documents of the semantic cache count as versions of each other.
    version_similarity_threshold: Ratio = Ratio(0.95), "SVC_VERSION_SIMILARITY_THRESHOLD";
    /// Hold an election among the versions of a document at each search and show the winner first.
    canonical_auto_elect_enabled: bool = false, "SVC_CANONICAL_AUTO_ELECT_ENABLED";
    /// The weight of each factor in an election. Omitted factors keep their defaults.
    canonical_weights: Weights = Weights::default(), "SVC_CANONICAL_WEIGHTS";
    /// Minimum confidence, 0 to 1, for a version to be elected.
    canonical_query_relevance_min: Ratio = Ratio(0.1), "SVC_CANONICAL_QUERY_RELEVANCE_MIN";
    /// Minimum confidence for a version to be elected, as a fraction of the best confidence among the versions, 0 to 1.
    canonical_query_relevance_ratio: Ratio = Ratio(0.6), "SVC_CANONICAL_QUERY_RELEVANCE_RATIO";
    /// In mixers that sort by relevancy, move the elected version to the best position of its versions, and a pinned version to the first.
    canonical_mixer_promotion: bool = true, "SVC_CANONICAL_MIXER_PROMOTION";
    /// Maximum number of messages in one scan of sent mail, newest first.
    egress_max_messages: u32 = 1000, "SVC_EGRESS_MAX_MESSAGES";
    /// Domains of the organization; mail to them counts as internal. The scanning user's own domain is always included.
    org_internal_domains: Vec<String> = Vec::new(), "SVC_ORG_INTERNAL_DOMAINS";
    /// The authenticator with which users connect their Outlook mailbox.
    egress_outlook_authenticator: String = "microsoft".to_owned(), "SVC_EGRESS_OUTLOOK_AUTHENTICATOR";
    /// The authenticator with which users connect their Gmail mailbox.
    egress_gmail_authenticator: String = "google".to_owned(), "SVC_EGRESS_GMAIL_AUTHENTICATOR";
    /// The base URL of Microsoft Graph for mail. National clouds have their own.
    egress_outlook_url: String = "https://graph.microsoft.com/v1.0".to_owned(), "SVC_EGRESS_OUTLOOK_URL";
    /// The base URL of the Gmail API.
    egress_gmail_url: String = "https://gmail.googleapis.com/gmail/v1".to_owned(), "SVC_EGRESS_GMAIL_URL";
}
