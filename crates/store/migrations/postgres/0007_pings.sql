-- Pings of the health check that a worker has run; whoever waits for one finds it here, in whichever process.
CREATE TABLE pings (
    ping     TEXT PRIMARY KEY NOT NULL,
    answered TIMESTAMPTZ NOT NULL
);
