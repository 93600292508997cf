-- Models that write or read. `draft` is sealed whole; `owner` is NULL for what came with the program.
CREATE TABLE ai_providers (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        BIGINT REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL UNIQUE,
    shared       BOOLEAN NOT NULL,
    draft        TEXT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL
);
CREATE INDEX ai_providers_by_owner ON ai_providers (owner);

-- The AIProviders that the program brought once, so that one that was deleted does not come back.
CREATE TABLE brought_ai_providers (
    name TEXT PRIMARY KEY NOT NULL
);

-- What is said to a model around the sources. `owner` is NULL for the standard ones.
CREATE TABLE prompts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        BIGINT REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL UNIQUE,
    shared       BOOLEAN NOT NULL,
    draft        TEXT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL
);
CREATE INDEX prompts_by_owner ON prompts (owner);

-- The AI summary of a search: one at most. `result_id` comes from the counter of result ids.
CREATE TABLE answers (
    search_id    BIGINT PRIMARY KEY NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    result_id    BIGINT NOT NULL UNIQUE,
    run          BIGINT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL,
    detail       TEXT NOT NULL,
    item         TEXT NOT NULL
);

-- Who writes the AI summary of a search at this moment.
CREATE TABLE answer_writers (
    search_id BIGINT PRIMARY KEY NOT NULL REFERENCES searches (id) ON DELETE CASCADE,
    writer    TEXT NOT NULL,
    until     TEXT NOT NULL
);

-- Conversations over the sources.
CREATE TABLE chats (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    draft        TEXT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL
);
CREATE INDEX chats_by_owner ON chats (owner, date_updated, id);

CREATE TABLE chat_messages (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id BIGINT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    role    TEXT NOT NULL,
    created TEXT NOT NULL,
    rating  TEXT,
    body    TEXT NOT NULL
);
CREATE INDEX chat_messages_by_chat ON chat_messages (chat_id, id);
