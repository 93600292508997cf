-- The keys of earlier parts of the audit log, sealed with the key of now: a list of [last entry, key].
ALTER TABLE audit_head ADD COLUMN past_keys TEXT NOT NULL DEFAULT '';
