-- What a person wishes for the own lists.
CREATE TABLE preferences (
    user_id      BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    wishes       TEXT NOT NULL,
    date_updated TEXT NOT NULL
);

-- The newest runs of each search, in short. The large column stands last.
CREATE TABLE search_runs (
    search_id BIGINT NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    run       BIGINT NOT NULL,
    status    TEXT NOT NULL,
    ended     TEXT NOT NULL,
    retrieved BIGINT NOT NULL,
    added     BIGINT NOT NULL,
    gone      BIGINT NOT NULL,
    entries   TEXT NOT NULL,
    PRIMARY KEY (search_id, run)
);

-- What lists of searches are narrowed by; `query_folded` is the query in small letters.
ALTER TABLE searches ADD COLUMN saved BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE searches ADD COLUMN query_folded TEXT NOT NULL DEFAULT '';
UPDATE searches SET query_folded = lower(COALESCE(json_extract(draft, '$.query_string'), ''));
