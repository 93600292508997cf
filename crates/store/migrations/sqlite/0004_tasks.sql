-- Durable work, and the workers that were heard of.
CREATE TABLE tasks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    queue        TEXT NOT NULL,
    name         TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'failed')),
    due          TEXT NOT NULL,
    attempts     BIGINT NOT NULL,
    attempts_max BIGINT NOT NULL,
    lease        TEXT,
    lease_until  TEXT,
    worker       TEXT,
    last_error   TEXT,
    date_created TEXT NOT NULL,
    payload      TEXT NOT NULL
);
CREATE INDEX tasks_by_due ON tasks (queue, state, due, id);
CREATE INDEX tasks_by_lease ON tasks (queue, lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE workers (
    worker      TEXT NOT NULL,
    queue       TEXT NOT NULL,
    concurrency BIGINT NOT NULL,
    active      BIGINT NOT NULL,
    last_seen   TEXT NOT NULL,
    PRIMARY KEY (worker, queue)
);
CREATE INDEX workers_by_queue ON workers (queue, last_seen);
