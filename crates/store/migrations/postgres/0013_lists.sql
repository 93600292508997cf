-- What a person wishes for the own lists.
CREATE TABLE preferences (
    user_id      BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    wishes       JSON NOT NULL,
    date_updated TIMESTAMPTZ NOT NULL
);

-- The newest runs of each search, in short. The large column stands last.
CREATE TABLE search_runs (
    search_id BIGINT NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    run       BIGINT NOT NULL,
    status    TEXT NOT NULL,
    ended     TIMESTAMPTZ NOT NULL,
    retrieved BIGINT NOT NULL,
    added     BIGINT NOT NULL,
    gone      BIGINT NOT NULL,
    entries   JSON NOT NULL,
    PRIMARY KEY (search_id, run)
);

-- What lists of searches are narrowed by; `query_folded` is the query in small letters.
ALTER TABLE searches ADD COLUMN saved BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE searches ADD COLUMN query_folded TEXT NOT NULL DEFAULT '';
-- PostgreSQL refuses to take apart JSON that holds NUL somewhere.
UPDATE searches SET query_folded = lower(COALESCE(draft ->> 'query_string', ''))
    WHERE position('\u0000' IN CAST(draft AS TEXT)) = 0;
