-- The life of a search after its first run, and the records that searches use: transforms, pipelines, schedules.
ALTER TABLE searches ADD COLUMN retention BIGINT NOT NULL DEFAULT 0;
ALTER TABLE searches ADD COLUMN subscribe BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE searches SET retention = COALESCE(json_extract(draft, '$.retention'), 0),
    subscribe = COALESCE(json_extract(draft, '$.subscribe'), FALSE);
CREATE INDEX searches_by_retention ON searches (retention, date_updated, id) WHERE retention > 0;
CREATE INDEX searches_subscribed ON searches (id) WHERE subscribe;

CREATE TABLE query_transforms (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    owner          BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    qrx_type       TEXT NOT NULL,
    shared         BOOLEAN NOT NULL,
    date_created   TEXT NOT NULL,
    date_updated   TEXT NOT NULL,
    config_content TEXT NOT NULL,
    UNIQUE (name, qrx_type)
);
CREATE INDEX query_transforms_by_owner ON query_transforms (owner);

CREATE TABLE pipelines (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE,
    date_updated TEXT NOT NULL,
    processors   TEXT NOT NULL
);

-- Times in microseconds (the second in microseconds since 1970), because the database adds them up itself.
-- `was_due` says whether the last change of `next_due` took the schedule or only set it right.
CREATE TABLE schedules (
    name     TEXT PRIMARY KEY NOT NULL,
    every    BIGINT NOT NULL,
    next_due BIGINT NOT NULL,
    was_due  BOOLEAN NOT NULL
);
