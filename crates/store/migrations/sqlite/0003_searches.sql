-- Searches and their results: one row for each search and provider, with the items inside.
CREATE TABLE searches (
    id                     INTEGER PRIMARY KEY AUTOINCREMENT,
    owner                  BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    status                 TEXT NOT NULL,
    run                    BIGINT NOT NULL,
    time_s                 DOUBLE PRECISION NOT NULL,
    date_created           TEXT NOT NULL,
    date_updated           TEXT NOT NULL,
    query_string_processed TEXT NOT NULL,
    draft                  TEXT NOT NULL,
    messages               TEXT NOT NULL
);
CREATE INDEX searches_by_owner ON searches (owner, date_created, id);
CREATE INDEX searches_by_date ON searches (date_created, id);

-- The large columns stand last, so that counting reads no results.
CREATE TABLE result_sets (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    search_id    BIGINT NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    provider_id  BIGINT NOT NULL,
    found        BIGINT NOT NULL,
    retrieved    BIGINT NOT NULL,
    time_s       DOUBLE PRECISION NOT NULL,
    item_count   BIGINT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL,
    detail       TEXT NOT NULL,
    items        TEXT NOT NULL,
    UNIQUE (search_id, provider_id)
);

-- Which set holds a result: each save adds the contiguous ids it gave out.
CREATE TABLE result_ranges (
    first_id   BIGINT PRIMARY KEY NOT NULL,
    last_id    BIGINT NOT NULL,
    result_set BIGINT NOT NULL REFERENCES result_sets (id) ON DELETE CASCADE
);
CREATE INDEX result_ranges_by_set ON result_ranges (result_set);

-- The counter of result ids: one row. Ids are never given twice, even after a delete.
CREATE TABLE result_ids (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_id  BIGINT NOT NULL
);
INSERT INTO result_ids (only_row, last_id) VALUES (1, 0);
