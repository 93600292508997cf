-- Whose searches came to an election beside the one that it was recorded for.
CREATE TABLE canonical_run_askers (
    run_id  BIGINT NOT NULL REFERENCES canonical_runs (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (run_id, user_id)
);
CREATE INDEX canonical_run_askers_by_person ON canonical_run_askers (user_id);
