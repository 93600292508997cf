-- Bytes of the file that a document was read from; 0: not known.
ALTER TABLE signals ADD COLUMN file_bytes BIGINT NOT NULL DEFAULT 0;

-- Who decides which document is the answer to a query. Administrators do so as well.
INSERT INTO user_groups (name, date_created)
VALUES ('curators', strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now'))
ON CONFLICT (name) DO NOTHING;

-- The default pipeline groups versions too, if people have left it as the versions before stored it.
UPDATE pipelines
SET processors = '["CosineRelevancyPostResultProcessor","DedupeByFieldPostResultProcessor","DedupeBySimilarityPostResultProcessor","VersionClusteringPostResultProcessor"]'
WHERE name = 'System Default Post-Result Pipeline'
    AND processors = '["CosineRelevancyPostResultProcessor","DedupeByFieldPostResultProcessor","DedupeBySimilarityPostResultProcessor"]';

-- The answer to a query by somebody's decision. `topic` is the hash of `query_key` and `scope`, which may be too long for
-- an index: there is one pin for each query and scope.
CREATE TABLE pins (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    topic     TEXT NOT NULL UNIQUE,
    signal_id BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    pinned_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
    pinned_at TEXT NOT NULL,
    via       TEXT NOT NULL,
    run_id    BIGINT,
    scope     TEXT NOT NULL,
    query_key TEXT NOT NULL,
    query     TEXT NOT NULL
);
CREATE INDEX pins_by_signal ON pins (signal_id);
CREATE INDEX pins_by_person ON pins (pinned_by) WHERE pinned_by IS NOT NULL;

-- Every change of a pin. The documents may be gone.
CREATE TABLE pin_history (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    action     TEXT NOT NULL,
    topic      TEXT NOT NULL,
    signal_id  BIGINT NOT NULL,
    before_id  BIGINT,
    changed_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
    changed_at TEXT NOT NULL,
    via        TEXT NOT NULL,
    run_id     BIGINT,
    scope      TEXT NOT NULL,
    query_key  TEXT NOT NULL
);
CREATE INDEX pin_history_by_topic ON pin_history (topic, id);
CREATE INDEX pin_history_by_signal ON pin_history (signal_id, id);
CREATE INDEX pin_history_by_person ON pin_history (changed_by) WHERE changed_by IS NOT NULL;

-- Elections. Those that somebody may still decide are open: one for each query, scope and cluster. The winner, the members
-- and the search may be gone.
CREATE TABLE canonical_runs (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    topic            TEXT NOT NULL,
    cluster_key      BIGINT NOT NULL,
    status           TEXT NOT NULL,
    is_auto          BOOLEAN NOT NULL,
    winner_signal_id BIGINT NOT NULL,
    search_id        BIGINT NOT NULL,
    search_owner     BIGINT REFERENCES users (id) ON DELETE SET NULL,
    created_at       TEXT NOT NULL,
    decided_at       TEXT,
    decided_by       BIGINT REFERENCES users (id) ON DELETE SET NULL,
    reject_reason    TEXT,
    margin           DOUBLE PRECISION NOT NULL,
    scope            TEXT NOT NULL,
    query_key        TEXT NOT NULL,
    query            TEXT NOT NULL,
    comment          TEXT NOT NULL DEFAULT '',
    weights          TEXT NOT NULL,
    gates            TEXT NOT NULL,
    members          TEXT NOT NULL
);
CREATE UNIQUE INDEX canonical_runs_open ON canonical_runs (topic, cluster_key)
    WHERE status IN ('pending', 'auto_elected');
CREATE INDEX canonical_runs_by_topic ON canonical_runs (topic, cluster_key, id);
CREATE INDEX canonical_runs_by_date ON canonical_runs (created_at, id);
CREATE INDEX canonical_runs_by_status ON canonical_runs (status, created_at);
CREATE INDEX canonical_runs_by_winner ON canonical_runs (winner_signal_id);
CREATE INDEX canonical_runs_by_owner ON canonical_runs (search_owner) WHERE search_owner IS NOT NULL;
CREATE INDEX canonical_runs_by_person ON canonical_runs (decided_by) WHERE decided_by IS NOT NULL;

-- Documents that were rejected as the answer to a query.
CREATE TABLE signal_rejections (
    run_id    BIGINT PRIMARY KEY NOT NULL,
    signal_id BIGINT NOT NULL REFERENCES signals (id) ON DELETE CASCADE,
    query_key TEXT NOT NULL
);
CREATE INDEX signal_rejections_by_signal ON signal_rejections (signal_id);

-- Scans of people's own sent mail; a person has one at most that is not over. Days are texts.
CREATE TABLE egress_scans (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id           BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    channel           TEXT NOT NULL,
    status            TEXT NOT NULL,
    created_at        TEXT NOT NULL,
    started_at        TEXT,
    touched_at        TEXT NOT NULL,
    finished_at       TEXT,
    date_from         TEXT,
    date_to           TEXT,
    messages_seen     BIGINT NOT NULL DEFAULT 0,
    messages_external BIGINT NOT NULL DEFAULT 0,
    matches           BIGINT NOT NULL DEFAULT 0,
    candidates        BIGINT NOT NULL DEFAULT 0,
    truncated         BOOLEAN NOT NULL DEFAULT FALSE,
    matter_tag        TEXT NOT NULL,
    error             TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX egress_scans_open ON egress_scans (user_id) WHERE status IN ('queued', 'running');
CREATE INDEX egress_scans_by_person ON egress_scans (user_id, id);

-- Documents that were found in sent mail. Nothing of a message is kept but when it went to which domains; `message_key` is
-- a keyed hash.
CREATE TABLE egress_events (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id          BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    signal_id        BIGINT REFERENCES signals (id) ON DELETE SET NULL,
    message_key      TEXT NOT NULL,
    scan_id          BIGINT NOT NULL,
    status           TEXT NOT NULL,
    method           TEXT NOT NULL,
    channel          TEXT NOT NULL,
    sent_at          TEXT NOT NULL,
    decided_at       TEXT,
    signal_title     TEXT NOT NULL,
    external_domains TEXT NOT NULL,
    UNIQUE (user_id, signal_id, message_key)
);
CREATE INDEX egress_events_by_person ON egress_events (user_id, sent_at, id);
CREATE INDEX egress_events_by_signal ON egress_events (signal_id) WHERE signal_id IS NOT NULL;
CREATE INDEX egress_events_by_scan ON egress_events (scan_id);
