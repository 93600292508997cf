-- SearchProviders. `draft` holds the writable fields without the credentials; those are sealed apart.
CREATE TABLE providers (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL UNIQUE,
    shared       BOOLEAN NOT NULL,
    credentials  TEXT NOT NULL,
    date_created TEXT NOT NULL,
    date_updated TEXT NOT NULL,
    draft        TEXT NOT NULL
);
CREATE INDEX providers_by_owner ON providers (owner);
