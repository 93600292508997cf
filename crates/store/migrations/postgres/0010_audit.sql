-- The audit log. `at` is in microseconds since 1970; `changes` is JSON, kept as the text that was hashed.
CREATE TABLE audit_entries (
    id             BIGINT PRIMARY KEY,
    at             BIGINT NOT NULL,
    actor_id       BIGINT,
    actor          TEXT NOT NULL,
    client_address TEXT NOT NULL,
    request_id     TEXT NOT NULL,
    action         TEXT NOT NULL,
    kind           TEXT NOT NULL,
    record_id      BIGINT,
    record_name    TEXT NOT NULL,
    changes        TEXT NOT NULL,
    hash           TEXT NOT NULL
);
CREATE INDEX audit_entries_by_record ON audit_entries (kind, record_id, id);
CREATE INDEX audit_entries_by_time ON audit_entries (at);

-- One row: how many entries there are, the hash of the last, and the seal over both.
CREATE TABLE audit_head (
    id      BIGINT PRIMARY KEY,
    entries BIGINT NOT NULL,
    hash    TEXT NOT NULL,
    seal    TEXT NOT NULL
);
INSERT INTO audit_head (id, entries, hash, seal) VALUES (1, 0, '', '');
