-- Users, groups, API tokens and browser sessions.
CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    username      TEXT NOT NULL UNIQUE,
    email         TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    is_admin      BOOLEAN NOT NULL,
    date_created  TEXT NOT NULL,
    date_updated  TEXT NOT NULL
);

CREATE TABLE user_groups (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL UNIQUE,
    date_created TEXT NOT NULL
);

CREATE TABLE user_group_members (
    user_id  BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    group_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, group_id)
);
CREATE INDEX user_group_members_by_group ON user_group_members (group_id);

CREATE TABLE tokens (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label        TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    expires      TEXT,
    last_used    TEXT,
    date_created TEXT NOT NULL
);
CREATE INDEX tokens_by_user ON tokens (user_id, date_created, id);

CREATE TABLE sessions (
    key_hash     TEXT PRIMARY KEY NOT NULL,
    user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    csrf         TEXT NOT NULL,
    expires      TEXT NOT NULL,
    date_created TEXT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires);
