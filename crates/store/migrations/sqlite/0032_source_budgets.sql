-- The budget of requests of a limited source, shared by all processes: when it will be whole again, in microseconds of the
-- database's own clock.
CREATE TABLE source_budgets (
    provider_id BIGINT PRIMARY KEY NOT NULL REFERENCES providers (id) ON DELETE CASCADE,
    full_at     BIGINT NOT NULL
);
