-- The fields of a provider that may hold secrets beside its credentials, sealed together.
ALTER TABLE providers ADD COLUMN confidential TEXT NOT NULL DEFAULT '';
