//! The rows, and the macro that turns them into a struct, a reader and a table.

use super::value::{FieldWeights, Secs, SettingValue, Share, Throttle, WebOrigin};
use super::{GivenSettings, SettingInForce, SettingOrigin, SettingRow};
use crate::corpus::{QdrantMode, StorageBackend, VectorBackend, Weights};
use crate::notation::network::Network;
use crate::rag::{InclusionField, Strategy};
use crate::retention::Retention;
use crate::secret::Secret;

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $field:ident: $kind:ty = $default:expr, $name:literal;)+) => {
        /// Everything that can be set, read once when the program starts.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $field: $kind,)+
        }

        impl Settings {
            pub const TABLE: &[SettingRow] = &[$(SettingRow {
                name: $name,
                kind: <$kind as SettingValue>::KIND,
                meaning: &[$($doc),+],
                default: || { let value: $kind = $default; value.show() },
                default_toml: || { let value: $kind = $default; value.toml() },
            }),+];

            /// Name and value of every row, secrets hidden, in the table's order.
            pub fn shown(&self) -> Vec<(&'static str, String)> {
                vec![$(($name, SettingValue::show(&self.$field))),+]
            }

            /// The values that are never shown.
            pub fn secrets(&self) -> Vec<&Secret> {
                [$(SettingValue::secret(&self.$field)),+].into_iter().flatten().collect()
            }

            pub(super) fn read_rows(
                given: &GivenSettings,
                in_force: &mut Vec<SettingInForce>,
                mistakes: &mut Vec<String>,
            ) -> Self {
                Self {$($field: {
                    let (value, origin) = match given.find($name) {
                        None => ($default, SettingOrigin::Default),
                        Some((text, origin)) => match <$kind as SettingValue>::parse(text) {
                            Ok(value) => (value, origin),
                            Err(needed) => {
                                mistakes.push(format!("{} (from the {}): {needed}.", $name, origin.as_str()));
                                ($default, SettingOrigin::Default)
                            }
                        },
                    };
                    in_force.push(SettingInForce { name: $name, value: value.show(), origin });
                    value
                },)+}
            }
        }
    };
}

settings! {
    /// The address that the service listens on.
    host: String = "127.0.0.1".to_owned(), "SVC_HOST";
    /// The port that the service listens on; 0 takes a free one.
    port: u16 = 8000, "SVC_PORT";
    /// The folder of the database, the generated key and `logs/`.
    data_dir: String = "./data".to_owned(), "SVC_DATA_DIR";
    /// The folder of scheduled backups. Empty: none are made. Every process with the role `beat` writes there; give several of them one shared folder, or set this for one of them alone. It must exist unless it is inside the data folder.
    backup_dir: String = String::new(), "SVC_BACKUP_DIR";
    /// How old the last scheduled backup may be before another one is made; 1 second at least.
    backup_every: Secs = Secs::new(86_400), "SVC_BACKUP_EVERY";
    /// Scheduled backups that are kept, 1 to 1000. Older ones are removed after a new one was written and read again.
    backup_keep: u32 = 7, "SVC_BACKUP_KEEP";
    /// The database. Empty: an SQLite file in the data folder. `postgres://user:password@host/name` for PostgreSQL.
    database_url: Secret = Secret::default(), "SVC_DATABASE_URL";
    /// Most connections to the database at once.
    database_pool_max: u32 = 8, "SVC_DATABASE_POOL_MAX";
    /// The password of the user `admin`, used once, when the first start creates that user. Empty: a random one is made, printed once and written to `initial-admin-password` in the data folder.
    admin_password: Secret = Secret::default(), "SVC_ADMIN_PASSWORD";
    /// The key that seals credentials in the database. Empty: a key is made once and kept in the data folder as `secret.key` (mode 0600).
    secret_key: Secret = Secret::default(), "SVC_SECRET_KEY";
    /// A second key that opens credentials and seals none, while `tributary rekey` replaces the key. Empty: there is none.
    secret_key_old: Secret = Secret::default(), "SVC_SECRET_KEY_OLD";
    /// How long a search waits for its providers before it goes on without them. Its query processors have as long before that.
    timeout: Secs = Secs::new(10), "SVC_TIMEOUT";
    /// Explain every result's score unless the request says `explain=False`.
    explain: bool = true, "SVC_EXPLAIN";
    /// The language of queries, for stems, stopwords and spelling: a language that Snowball knows (`english`, `german`, `french`, …). In any other, words are taken as they are and none is a stopword. Spelling of `english` is built in; for another, put its words (one on a line, the most frequent first) into `dictionaries/<language>.txt` in the data folder.
    default_query_language: String = "english".to_owned(), "SVC_DEFAULT_QUERY_LANGUAGE";
    /// Longest title and body that LenLimitingResultProcessor leaves, in characters; at least 10. A tag `max_length:N` wins.
    max_field_len: u32 = 512, "SVC_MAX_FIELD_LEN";
    /// What a match in each field is worth in `swirl_score` and in the confidence, as an object: `{"title": 1.5, "body": 1.0, "author": 1.0}`. A field that is left out keeps its default.
    relevancy_config: FieldWeights = FieldWeights::default(), "SVC_RELEVANCY_CONFIG";
    /// The least similarity, 0 to 1, that counts in `swirl_score`.
    min_similarity: Share = Share(0.01), "SVC_MIN_SIMILARITY";
    /// Most places of one word or phrase in one field that count in `swirl_score`.
    max_matches: u32 = 5, "SVC_MAX_MATCHES";
    /// The field that makes two results the same document for DedupeByFieldPostResultProcessor: a field of a result, or of its payload.
    dedupe_field: String = "url".to_owned(), "SVC_DEDUPE_FIELD";
    /// Duplicates are listed under the best of them. False: they are dropped.
    dedupe_group_not_drop: bool = true, "SVC_DEDUPE_GROUP_NOT_DROP";
    /// From this similarity of title and body on, 0 to 1, DedupeBySimilarityPostResultProcessor takes two results for the same document.
    dedupe_similarity_minimum: Share = Share(0.95), "SVC_DEDUPE_SIMILARITY_MINIMUM";
    /// DropIrrelevantPostResultProcessor keeps results whose `swirl_score` is above this.
    min_swirl_score: u32 = 500, "SVC_MIN_SWIRL_SCORE";
    /// How long a source may take to accept a connection.
    search_http_connect_timeout: Secs = Secs::new(3), "SVC_SEARCH_HTTP_CONNECT_TIMEOUT";
    /// How long a source may take to answer a request, its whole answer included.
    search_http_read_timeout: Secs = Secs::new(10), "SVC_SEARCH_HTTP_READ_TIMEOUT";
    /// How long a source that answers 429 without saying for how long is left alone.
    source_backoff: Secs = Secs::new(30), "SVC_SOURCE_BACKOFF";
    /// Loopback and private addresses that may be reached: a comma list of `host:port`, `host` or CIDR. The host and port of a provider's own url, saved by an administrator, need no entry.
    outbound_allow: Vec<String> = Vec::new(), "SVC_OUTBOUND_ALLOW";
    /// Largest answer of a source, after decompression, in megabytes.
    outbound_body_max_mb: u32 = 10, "SVC_OUTBOUND_BODY_MAX_MB";
    /// Memory for the answers of sources that are read at the same moment, in megabytes: their bytes, their values and their results. One search has a quarter of it at most. An answer whose values need less than one megabyte is always read; a larger one waits until others are done, for seconds at most, and one that needs more than a search may have is an error of its source.
    answer_memory_mb: u32 = 128, "SVC_ANSWER_MEMORY_MB";
    /// How often one request may be redirected.
    outbound_redirects_max: u32 = 5, "SVC_OUTBOUND_REDIRECTS_MAX";
    /// More words under which the same API is mounted: `swirl` gives `/swirl/…` and `/api/swirl/…`.
    api_aliases: Vec<String> = Vec::new(), "SVC_API_ALIASES";
    /// Largest request body, in megabytes.
    request_body_max_mb: u32 = 2, "SVC_REQUEST_BODY_MAX_MB";
    /// How the service is reached from outside, for links in answers. Empty: taken from the request.
    public_url: String = String::new(), "SVC_PUBLIC_URL";
    /// Serve HTTPS with the certificate in this PEM file: the certificate of the service first, then the intermediate certificates. Needs `SVC_TLS_KEY_FILE`. Both files are read again every minute, and new connections use what they then contain. Empty: plain HTTP, for a proxy that terminates TLS.
    tls_cert_file: String = String::new(), "SVC_TLS_CERT_FILE";
    /// The private key of `SVC_TLS_CERT_FILE`, as a PEM file without a passphrase: PKCS#8, PKCS#1 or SEC1.
    tls_key_file: String = String::new(), "SVC_TLS_KEY_FILE";
    /// How many hours a sign-in in the browser lasts.
    session_hours: u32 = 12, "SVC_SESSION_HOURS";
    /// How often subscribed searches are updated. It counts from the first start on a database, which keeps the schedule; 1 second at least.
    subscribe_every: Secs = Secs::new(14_400), "SVC_SUBSCRIBE_EVERY";
    /// How often searches whose retention has run out are deleted. It counts from the first start on a database, which keeps the schedule; 1 second at least.
    expire_every: Secs = Secs::new(60), "SVC_EXPIRE_EVERY";
    /// How long a search is kept whose request does not say it: 0 for ever, 1 one hour, 2 one day, 3 one month, 4 five minutes after its last change. Saved and subscribed searches are kept. A month (3) is recommended: with 0 the database grows for ever.
    default_retention: Retention = Retention::Forever, "SVC_DEFAULT_RETENTION";
    /// Searches that this process has in progress at once, most of which wait for their sources. More wait in the queue.
    search_concurrency: u32 = 1024, "SVC_SEARCH_CONCURRENCY";
    /// Searches that this process works on at once; those that wait for their sources do not count. 0: four for each processor core, so that nobody waits long behind the results of others. More help where the results of each search wait for a model outside.
    searches_running_max: u32 = 0, "SVC_SEARCHES_RUNNING_MAX";
    /// Page fetches that run at once in this process.
    page_fetch_concurrency: u32 = 64, "SVC_PAGE_FETCH_CONCURRENCY";
    /// Interactive tasks that run at once in this process.
    interactive_concurrency: u32 = 16, "SVC_INTERACTIVE_CONCURRENCY";
    /// Maintenance tasks that run at once in this process.
    maintenance_concurrency: u32 = 4, "SVC_MAINTENANCE_CONCURRENCY";
    /// Health checks that run at once in this process.
    health_check_concurrency: u32 = 1, "SVC_HEALTH_CHECK_CONCURRENCY";
    /// Corpus tasks that run at once in this process.
    corpus_concurrency: u32 = 4, "SVC_CORPUS_CONCURRENCY";
    /// How long a worker holds a task without a sign of life before another takes it over.
    task_lease: Secs = Secs::new(15), "SVC_TASK_LEASE";
    /// How long a stop waits for running tasks before it returns them to the queue.
    stop_grace: Secs = Secs::new(30), "SVC_STOP_GRACE";
    /// What is logged: `error`, `warn`, `info`, `debug`, or a filter such as `info,federation=debug`.
    log_level: String = "info".to_owned(), "SVC_LOG_LEVEL";
    /// `text` or `json`.
    log_format: String = "text".to_owned(), "SVC_LOG_FORMAT";
    /// Parts of the program that log everything, whatever `SVC_LOG_LEVEL` says: a comma list such as `federation,outbound`.
    log_debug: Vec<String> = Vec::new(), "SVC_LOG_DEBUG";
    /// How large a log file grows before the next one is begun, in megabytes.
    log_max_mb: u32 = 50, "SVC_LOG_MAX_MB";
    /// How many log files of one name are kept, the current one included.
    log_files: u32 = 5, "SVC_LOG_FILES";
    /// The task queue. Empty: the database itself. `nats://user:password@host:4222/name` for NATS JetStream; several servers of one cluster are parted by commas, and the name (`tributary` when left out) keeps installations apart that share them. `tls://` asks for TLS: the system must trust the certificate, or `SSL_CERT_FILE` names a file with its authority.
    queue_url: Secret = Secret::default(), "SVC_QUEUE_URL";
    /// How long one statement of the database may take (PostgreSQL).
    database_statement_timeout: Secs = Secs::new(30), "SVC_DATABASE_STATEMENT_TIMEOUT";
    /// `/svc/health/tasks/` answers without credentials.
    health_open: bool = false, "SVC_HEALTH_OPEN";
    /// `/svc/metrics/tasks/` and `/metrics/` answer without credentials. `/metrics/` names all providers, private ones too; without this only administrators read it.
    metrics_open: bool = false, "SVC_METRICS_OPEN";
    /// The activity page lists the queries of searches that found nothing, without names. Without it administrators see counts only.
    activity_shows_queries: bool = false, "SVC_ACTIVITY_SHOWS_QUERIES";
    /// Proxies whose `X-Forwarded-For` is believed: a comma list of addresses or CIDR.
    trusted_proxies: Vec<Network> = Vec::new(), "SVC_TRUSTED_PROXIES";
    /// Connections that one address (a /64 of IPv6) may have open at once; 0: no limit. This machine's own addresses and `SVC_TRUSTED_PROXIES` have none.
    connections_per_address: u32 = 256, "SVC_CONNECTIONS_PER_ADDRESS";
    /// How often one user from one address may write to the chat: `<n>/<second|minute|hour|day>` or `None`.
    throttle_chat: Throttle = Throttle::per_minute(15), "DOCS_CHAT_THROTTLE_RATE";
    /// How often sign-in may fail for one name from one address before it is refused for a while. Five times as often for all names from one address together, a hundred times for one name from all addresses.
    throttle_login: Throttle = Throttle::per_minute(10), "SVC_THROTTLE_LOGIN";
    /// How often one user from one address may start a search. The default is far above what a person or a client at a normal pace does.
    throttle_search: Throttle = Throttle::per_minute(600), "SVC_THROTTLE_SEARCH";
    /// How often one user from one address may ask for an AI answer.
    throttle_rag: Throttle = Throttle::per_minute(120), "SVC_THROTTLE_RAG";
    /// Searches of one user that may wait for a free slot; more are refused with 429 until some have started. 0: no limit.
    searches_waiting_max: u32 = 500, "SVC_SEARCHES_WAITING_MAX";
    /// Searches of all users that may wait for a worker; more are refused with 503 until some have started. 0: no limit.
    searches_queued_max: u32 = 10_000, "SVC_SEARCHES_QUEUED_MAX";
    /// Searches that are kept for one user. At the limit a new one takes the place of the oldest, which are removed up to 100 at a time; saved and subscribed searches stay, and a new one is refused with 409 if there are only such. 0: no limit.
    searches_kept_max: u32 = 100_000, "SVC_SEARCHES_KEPT_MAX";
    /// Event streams of searches that one user may have open at once in this process.
    event_streams_per_user: u32 = 100, "SVC_EVENT_STREAMS_PER_USER";
    /// Event streams of searches that may be open at once in this process.
    event_streams_max: u32 = 1000, "SVC_EVENT_STREAMS_MAX";
    /// Web pages of other origins that may call the API: a comma list such as `https://app.example`. They send `Authorization`; cookies are not taken from them.
    cors_origins: Vec<WebOrigin> = Vec::new(), "SVC_CORS_ORIGINS";
    /// Where a process without the web role answers `/metrics/`, `/svc/metrics/tasks/` and `/svc/health/…`; 0: nowhere. A process with the web role answers them at `SVC_PORT`.
    monitor_port: u16 = 0, "SVC_MONITOR_PORT";
    /// How long a process with the web role serves on after it was told to stop, while `/svc/health/ready/` already answers 503. Set it longer than your load balancer takes to notice.
    drain: Secs = Secs::new(0), "SVC_DRAIN";
    /// The audience (`aud`) that a token of an authenticator must name to be accepted as `Authorization: Bearer` on the API; an authenticator's own `audience` wins. Empty: only authenticators with an audience of their own are accepted.
    oidc_api_audience: String = String::new(), "SVC_OIDC_API_AUDIENCE";
    /// Folders of this machine that a provider of the connector FileSystem may search, with all folders below them: a comma list of absolute paths. Empty: none.
    filesystem_allow: Vec<String> = Vec::new(), "SVC_FILESYSTEM_ALLOW";
    /// Folders of this machine whose SQLite files a provider of the connector Sqlite3 may open, with all folders below them: a comma list of absolute paths. Empty: none. Files of the data folder are never opened.
    sqlite_allow: Vec<String> = Vec::new(), "SVC_SQLITE_ALLOW";
    /// Where Microsoft Graph is asked, for the sources of Microsoft 365. National clouds have addresses of their own, such as `https://graph.microsoft.us`.
    microsoft_graph_url: String = "https://graph.microsoft.com".to_owned(), "SVC_MICROSOFT_GRAPH_URL";
    /// Where Google's APIs are asked, for the sources of Google Workspace.
    google_api_url: String = "https://www.googleapis.com".to_owned(), "SVC_GOOGLE_API_URL";
    /// Where the API of Box is asked.
    box_api_url: String = "https://api.box.com".to_owned(), "SVC_BOX_API_URL";
    /// Where the API of Dropbox is asked.
    dropbox_api_url: String = "https://api.dropboxapi.com".to_owned(), "SVC_DROPBOX_API_URL";
    /// The score that decides which results an AI summary may use: `swirl_confidence_score` or `swirl_score`. A provider's `config.swirl.rag` wins.
    rag_inclusion_field: InclusionField = InclusionField::Confidence, "SVC_RAG_INCLUSION_FIELD";
    /// Results with a score above it may be used by an AI summary. A provider's `config.swirl.rag` wins.
    rag_score_inclusion_threshold: f64 = 0.7, "SVC_RAG_SCORE_INCLUSION_THRESHOLD";
    /// How the results of an AI summary are chosen: `sorted`, `distributed`, `roundrobin` or `roundrobinthreshold`.
    rag_distribution_strategy: Strategy = Strategy::Sorted, "SVC_RAG_DISTRIBUTION_STRATEGY";
    /// Most results that an AI summary is made from.
    rag_max_to_consider: u32 = 10, "SVC_RAG_MAX_TO_CONSIDER";
    /// Most tokens of sources in the prompt of an AI summary.
    rag_tok_max: u32 = 4000, "SVC_RAG_TOK_MAX";
    /// Tokens that a model is taken to hold when nothing is known of it.
    rag_tok_default: u32 = 4000, "SVC_RAG_TOK_DEFAULT";
    /// How long an AI summary may take from beginning to end, where the request does not say.
    rag_timeout: Secs = Secs::new(60), "SVC_RAG_TIMEOUT";
    /// How long one call of a model may take.
    ai_timeout: Secs = Secs::new(90), "SVC_AI_TIMEOUT";
    /// How long one page may take to be fetched for an AI summary.
    page_fetch_timeout: Secs = Secs::new(10), "SVC_PAGE_FETCH_TIMEOUT";
    /// A page that cannot be fetched is replaced by the result's own text in an AI summary; otherwise the result is left out.
    always_fall_back_to_summary: bool = true, "SVC_ALWAYS_FALL_BACK_TO_SUMMARY";
    /// AI summaries propose follow-up questions.
    rag_follow_ups: bool = true, "SVC_RAG_FOLLOW_UPS";
    /// The prompt of an AI summary is kept beside it.
    rag_store_prompt: bool = false, "SVC_RAG_STORE_PROMPT";
    /// An Apache Tika server that reads the files of kinds that the program cannot read itself, such as `http://127.0.0.1:9998`. Empty: none.
    tika_url: String = String::new(), "SVC_TIKA_URL";
    /// The API token of the person on whose behalf `tributary mcp` acts.
    mcp_token: Secret = Secret::default(), "SVC_MCP_TOKEN";
    /// Requests to the tools for models at `/mcp`, for each user and address, such as `240/minute`; `None` disables the limit. A client sends three or four before its first call. Searches, summaries and chats count as such, too.
    throttle_mcp: Throttle = Throttle::per_minute(240), "SVC_THROTTLE_MCP";
    /// A folder with templates, styles, modules and words that stand in place of the built-in pages, as `web/` in the source has them; read afresh for every page. Empty: the built-in ones.
    web_dir: String = String::new(), "SVC_WEB_DIR";
    /// A result with a confidence gets a star when its confidence is at least this.
    minimum_confidence_score: Share = Share(0.7), "SVC_MINIMUM_CONFIDENCE_SCORE";
    /// A result without a confidence gets a star when its score is at least this.
    minimum_score: f64 = 100.0, "SVC_MINIMUM_SCORE";
    /// The license: JSON that its issuer signed. The issuer's public key is compiled in; `public_key.pem` in the data folder wins.
    license: Secret = Secret::default(), "SVC_LICENSE";
    /// The public key of who issues licenses, in PEM or as the path of a file with it. Empty: `public_key.pem` in the data folder, else the one that was compiled in.
    license_public_key: String = String::new(), "SVC_LICENSE_PUBLIC_KEY";
    /// Where the vectors of the semantic cache are: `memory` (in this program, rebuilt from the database at start), `external` or `docker` (a Qdrant server at `SVC_QDRANT_URL`), or `disabled`.
    qdrant_mode: QdrantMode = QdrantMode::Memory, "SVC_QDRANT_MODE";
    /// The Qdrant server.
    qdrant_url: String = "http://localhost:6333".to_owned(), "SVC_QDRANT_URL";
    /// The key of the Qdrant server; empty: none.
    qdrant_api_key: Secret = Secret::default(), "SVC_QDRANT_API_KEY";
    /// `qdrant`: as `SVC_QDRANT_MODE` says. `pgvector`: in the PostgreSQL database of `SVC_DATABASE_URL`, which must have the extension `vector`.
    vector_backend: VectorBackend = VectorBackend::Qdrant, "SVC_VECTOR_BACKEND";
    /// Where the full texts of the semantic cache are: `fs` (the folder `bodies` in the data folder) or `s3`.
    storage_backend: StorageBackend = StorageBackend::Folder, "SVC_STORAGE_BACKEND";
    /// The S3 server, such as `https://s3.example`. Empty: that of Amazon in `SVC_STORAGE_REGION`.
    storage_endpoint: String = String::new(), "SVC_STORAGE_ENDPOINT";
    /// The region of the S3 server.
    storage_region: String = "us-east-1".to_owned(), "SVC_STORAGE_REGION";
    /// The bucket of the texts.
    storage_bucket: String = "swirl-cache-bodies".to_owned(), "SVC_STORAGE_BUCKET";
    /// The access key of the S3 server.
    storage_access_key: Secret = Secret::default(), "SVC_STORAGE_ACCESS_KEY";
    /// The secret key of the S3 server.
    storage_secret_key: Secret = Secret::default(), "SVC_STORAGE_SECRET_KEY";
    /// Largest text that the semantic cache keeps, and largest body of `POST /svc/ingest/`, in megabytes.
    storage_max_body_mb: u32 = 50, "SVC_STORAGE_MAX_BODY_MB";
    /// How many days a full text is kept after it was last read from its source; its pieces are still found after that.
    storage_expiration_days: u32 = 90, "SVC_STORAGE_EXPIRATION_DAYS";
    /// The least score, 0 to 1, of a result from the semantic cache.
    corpus_min_score: Share = Share(0.5), "SVC_CORPUS_MIN_SCORE";
    /// The semantic cache is asked for words, too, and not for meaning alone. Run `tributary upgrade_corpus_to_hybrid` once before.
    corpus_hybrid: bool = false, "SVC_CORPUS_HYBRID";
    /// The best results of a search are fetched into the semantic cache, with the rights of who searched.
    eager_federated_promote_enabled: bool = false, "SVC_EAGER_FEDERATED_PROMOTE_ENABLED";
    /// Most results of one search that are fetched so.
    eager_federated_promote_max: u32 = 5, "SVC_EAGER_FEDERATED_PROMOTE_MAX";
    /// How long a source may take to say whether a cached document is still there.
    cache_liveness_probe_timeout: Secs = Secs::new(10), "SVC_CACHE_LIVENESS_PROBE_TIMEOUT";
    /// After how many seconds a cached document that is shown is checked again at its source.
    cache_liveness_recheck_seconds: Secs = Secs::new(3600), "SVC_CACHE_LIVENESS_RECHECK_SECONDS";
    /// Cached documents are checked before a page of results is answered, not after.
    cache_liveness_sync: bool = false, "SVC_CACHE_LIVENESS_SYNC";
    /// Most documents of one page that are checked before it is answered.
    cache_liveness_sync_max: u32 = 10, "SVC_CACHE_LIVENESS_SYNC_MAX";
    /// How long a source may take for such a check.
    cache_liveness_sync_timeout: Secs = Secs::new(2), "SVC_CACHE_LIVENESS_SYNC_TIMEOUT";
    /// The semantic cache says in the messages of a search what it did, and administrators see more in the payload.
    cache_debug: bool = true, "SVC_CACHE_DEBUG";
    /// From this likeness on, 0 to 1, two documents of the semantic cache are versions of each other.
    version_similarity_threshold: Share = Share(0.95), "SVC_VERSION_SIMILARITY_THRESHOLD";
    /// Versions of a document are put to an election at each search, and the winner is shown first.
    canonical_auto_elect_enabled: bool = false, "SVC_CANONICAL_AUTO_ELECT_ENABLED";
    /// What each factor of an election weighs; what is not named keeps its default.
    canonical_weights: Weights = Weights::default(), "SVC_CANONICAL_WEIGHTS";
    /// Least confidence, 0 to 1, of a version that can be elected.
    canonical_query_relevance_min: Share = Share(0.1), "SVC_CANONICAL_QUERY_RELEVANCE_MIN";
    /// Least share of the best confidence among the versions, 0 to 1, of one that can be elected.
    canonical_query_relevance_ratio: Share = Share(0.6), "SVC_CANONICAL_QUERY_RELEVANCE_RATIO";
    /// The mixers by relevancy give the version that counts the best place of its versions, and what is pinned the first.
    canonical_mixer_promotion: bool = true, "SVC_CANONICAL_MIXER_PROMOTION";
    /// Most messages of one scan of sent mail, the newest first.
    egress_max_messages: u32 = 1000, "SVC_EGRESS_MAX_MESSAGES";
    /// Domains of the organisation; mail to them stays inside. The domain of who scans is always one of them.
    org_internal_domains: Vec<String> = Vec::new(), "SVC_ORG_INTERNAL_DOMAINS";
    /// The authenticator by which people connect their Outlook mailbox.
    egress_outlook_authenticator: String = "microsoft".to_owned(), "SVC_EGRESS_OUTLOOK_AUTHENTICATOR";
    /// The authenticator by which people connect their Gmail mailbox.
    egress_gmail_authenticator: String = "google".to_owned(), "SVC_EGRESS_GMAIL_AUTHENTICATOR";
    /// Microsoft Graph; national clouds have others.
    egress_outlook_url: String = "https://graph.microsoft.com/v1.0".to_owned(), "SVC_EGRESS_OUTLOOK_URL";
    /// The Gmail API.
    egress_gmail_url: String = "https://gmail.googleapis.com/gmail/v1".to_owned(), "SVC_EGRESS_GMAIL_URL";
}
