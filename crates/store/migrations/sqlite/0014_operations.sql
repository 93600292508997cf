-- How the house looks to people: several are kept, one at most is in use. `draft` holds the logos, so it stands last.
CREATE TABLE brandings (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE,
    active       BOOLEAN NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL,
    draft        TEXT NOT NULL
);

-- What the owner of a search thinks of its AI summary, and which model wrote it.
CREATE TABLE answer_ratings (
    search_id BIGINT PRIMARY KEY NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    model     TEXT NOT NULL,
    rated     TEXT NOT NULL,
    rating    TEXT NOT NULL
);
CREATE INDEX answer_ratings_by_date ON answer_ratings (rated);
CREATE INDEX chat_messages_rated ON chat_messages (created) WHERE rating IS NOT NULL;
