-- Requests that may be repeated: the key that a client chose, a hash of the request, and what was answered. The answer to a
-- new search holds the query, so it goes with the search.
CREATE TABLE idempotency_keys (
    owner           BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    idempotency_key TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    created         TEXT NOT NULL,
    answer          TEXT,
    search_id       BIGINT REFERENCES searches (id) ON DELETE CASCADE,
    PRIMARY KEY (owner, idempotency_key)
);
CREATE INDEX idempotency_keys_by_date ON idempotency_keys (created);
CREATE INDEX idempotency_keys_by_owner ON idempotency_keys (owner, created);
CREATE INDEX idempotency_keys_by_search ON idempotency_keys (search_id) WHERE search_id IS NOT NULL;

-- What the records took at some moments of the last days, so that their growth is known.
CREATE TABLE database_sizes (
    taken      TEXT PRIMARY KEY NOT NULL,
    used_bytes BIGINT NOT NULL
);
