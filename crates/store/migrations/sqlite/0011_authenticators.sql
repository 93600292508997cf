-- Services that sign people in or give out their tokens. `draft` is sealed whole.
CREATE TABLE authenticators (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    idp          TEXT NOT NULL UNIQUE,
    draft        TEXT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL
);

-- What one person connected by one of them. `tokens` is sealed for that person and that authenticator.
CREATE TABLE connections (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id          BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    authenticator_id BIGINT NOT NULL REFERENCES authenticators (id) ON DELETE CASCADE,
    version          BIGINT NOT NULL,
    tokens           TEXT NOT NULL,
    expires          TEXT,
    renewing_until   TEXT,
    date_created     TEXT NOT NULL,
    date_updated     TEXT NOT NULL,
    UNIQUE (user_id, authenticator_id)
);
CREATE INDEX connections_by_authenticator ON connections (authenticator_id);

-- Browsers that were sent away and have not come back. `user_id` is NULL for who signs in; `sealed` is bound to the state.
CREATE TABLE pending_flows (
    state_hash       TEXT PRIMARY KEY NOT NULL,
    authenticator_id BIGINT NOT NULL REFERENCES authenticators (id) ON DELETE CASCADE,
    user_id          BIGINT REFERENCES users (id) ON DELETE CASCADE,
    sealed           TEXT NOT NULL,
    expires          TEXT NOT NULL,
    date_created     TEXT NOT NULL
);
CREATE INDEX pending_flows_by_user ON pending_flows (user_id, date_created);
CREATE INDEX pending_flows_by_authenticator ON pending_flows (authenticator_id);
CREATE INDEX pending_flows_by_expiry ON pending_flows (expires);

-- Who signed in elsewhere is this user here.
CREATE TABLE identities (
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    date_created TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);
