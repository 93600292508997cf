-- Documents of the semantic cache. The columns that a list is found by come first, long texts last.
-- `found_by` is title and address in small letters.
CREATE TABLE signals (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    url_hash           TEXT NOT NULL UNIQUE,
    content_hash       TEXT NOT NULL DEFAULT '',
    state              TEXT NOT NULL,
    origin             TEXT NOT NULL,
    source_provider_id BIGINT,
    is_supplied        BOOLEAN NOT NULL DEFAULT FALSE,
    last_retrieved     TEXT NOT NULL,
    first_seen         TEXT NOT NULL,
    indexed_at         TEXT,
    last_verified      TEXT,
    liveness           TEXT NOT NULL,
    liveness_checked   TEXT,
    liveness_http      BIGINT,
    lineage_id         BIGINT,
    supersedes         BIGINT,
    superseded_by      BIGINT,
    chunk_count        BIGINT NOT NULL DEFAULT 0,
    body_key           TEXT,
    body_bytes         BIGINT NOT NULL DEFAULT 0,
    body_expires       TEXT,
    size               BIGINT NOT NULL DEFAULT 0,
    rejections         BIGINT NOT NULL DEFAULT 0,
    source_kind        TEXT NOT NULL,
    source_provider    TEXT NOT NULL DEFAULT '',
    external_id        TEXT NOT NULL DEFAULT '',
    external_version   TEXT NOT NULL DEFAULT '',
    mime               TEXT NOT NULL DEFAULT '',
    ext                TEXT NOT NULL DEFAULT '',
    language           TEXT NOT NULL DEFAULT '',
    simhash            TEXT NOT NULL DEFAULT '',
    version_label      TEXT NOT NULL DEFAULT '',
    embedding_model    TEXT NOT NULL DEFAULT '',
    embedding_dim      BIGINT NOT NULL DEFAULT 0,
    date_published     TEXT NOT NULL DEFAULT '',
    title              TEXT NOT NULL DEFAULT '',
    author             TEXT NOT NULL DEFAULT '',
    url                TEXT NOT NULL,
    found_by           TEXT NOT NULL DEFAULT '',
    matter_tags        TEXT NOT NULL,
    messages           TEXT NOT NULL
);
CREATE INDEX signals_by_retrieval ON signals (last_retrieved, id);
CREATE INDEX signals_by_content ON signals (content_hash) WHERE content_hash <> '';
CREATE INDEX signals_by_source ON signals (source_provider_id, external_id) WHERE source_provider_id IS NOT NULL;
CREATE INDEX signals_by_body ON signals (body_key) WHERE body_key IS NOT NULL;
CREATE INDEX signals_by_expiry ON signals (body_expires) WHERE body_key IS NOT NULL;
CREATE INDEX signals_by_lineage ON signals (lineage_id) WHERE lineage_id IS NOT NULL;
CREATE INDEX signals_by_older ON signals (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX signals_by_newer ON signals (superseded_by) WHERE superseded_by IS NOT NULL;

-- What `matter_tags` holds, to find documents by.
CREATE TABLE signal_tags (
    signal_id BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    tag       TEXT NOT NULL,
    PRIMARY KEY (signal_id, tag)
);
CREATE INDEX signal_tags_by_tag ON signal_tags (tag);

-- Who may see a document: whoever retrieved exactly its text with their own credentials.
CREATE TABLE signal_grants (
    signal_id    BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    content_hash TEXT NOT NULL,
    idp          TEXT NOT NULL,
    granted_at   TEXT NOT NULL,
    last_ok      TEXT,
    revoked_at   TEXT,
    PRIMARY KEY (signal_id, user_id)
);
CREATE INDEX signal_grants_by_user ON signal_grants (user_id);

-- Hashes of what a document said before; the greatest number is the newest.
CREATE TABLE signal_versions (
    signal_id    BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    content_hash TEXT NOT NULL,
    number       BIGINT NOT NULL,
    PRIMARY KEY (signal_id, content_hash)
);

-- The pieces of a document. A vector is 32-bit numbers, the lowest byte first.
CREATE TABLE signal_chunks (
    signal_id BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    number    BIGINT NOT NULL,
    begins    BIGINT NOT NULL,
    ends      BIGINT NOT NULL,
    heading   TEXT NOT NULL,
    text      TEXT NOT NULL,
    vector    BLOB NOT NULL,
    PRIMARY KEY (signal_id, number)
);

-- What changed, in the order in which it was committed, without gaps.
CREATE TABLE corpus_changes (
    sequence  BIGINT PRIMARY KEY NOT NULL,
    signal_id BIGINT NOT NULL
);

-- What the cache keeps for itself.
CREATE TABLE corpus_values (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
);
