-- One cached record for each address, provider and text. `record_key` is that identity: no two records have the same. It
-- begins with `url_hash`, the hash of the address, which several records may have.
ALTER TABLE signals RENAME COLUMN url_hash TO record_key;
ALTER TABLE signals ADD COLUMN url_hash TEXT NOT NULL DEFAULT '';
-- When the provider last gave this text: of the texts of one address and provider, the newest counts.
ALTER TABLE signals ADD COLUMN given_at TEXT;
UPDATE signals SET url_hash = record_key;
UPDATE signals SET given_at = COALESCE(last_verified, indexed_at, last_retrieved) WHERE content_hash <> '';
-- The name of a provider is kept with its id, and not without it.
UPDATE signals SET source_provider = '' WHERE source_provider_id IS NULL;
UPDATE signals SET record_key = url_hash || ':' || CASE
    WHEN content_hash <> '' AND NOT is_supplied
        THEN CAST(COALESCE(source_provider_id, 0) AS TEXT) || ':' || content_hash
    WHEN (SELECT COUNT(*) FROM signal_grants AS g WHERE g.signal_id = signals.id) <> 1
        THEN 'record ' || CAST(id AS TEXT)
    WHEN is_supplied
        THEN 'supplied by ' || (SELECT CAST(user_id AS TEXT) FROM signal_grants AS g WHERE g.signal_id = signals.id)
    ELSE CAST(COALESCE(source_provider_id, 0) AS TEXT) || ':requested by '
        || (SELECT CAST(user_id AS TEXT) FROM signal_grants AS g WHERE g.signal_id = signals.id)
    END;
CREATE INDEX signals_by_address ON signals (url_hash);

-- The record under which this person asked, where the text that came belongs to another one.
ALTER TABLE signal_grants ADD COLUMN asked_as BIGINT;
CREATE INDEX signal_grants_by_request ON signal_grants (asked_as, user_id) WHERE asked_as IS NOT NULL;

-- Tags that one person gave a document: seen by that person alone. `signal_tags` are those of the record.
CREATE TABLE signal_grant_tags (
    signal_id BIGINT NOT NULL,
    user_id   BIGINT NOT NULL,
    tag       TEXT NOT NULL,
    PRIMARY KEY (signal_id, user_id, tag),
    FOREIGN KEY (signal_id, user_id) REFERENCES signal_grants (signal_id, user_id) ON DELETE CASCADE
);
CREATE INDEX signal_grant_tags_by_tag ON signal_grant_tags (user_id, tag);
INSERT INTO signal_grant_tags (signal_id, user_id, tag)
SELECT g.signal_id, g.user_id, t.tag
FROM signal_grants AS g
JOIN signals AS s ON s.id = g.signal_id
JOIN signal_tags AS t ON t.signal_id = g.signal_id
WHERE g.revoked_at IS NULL AND g.content_hash = s.content_hash
    AND (s.content_hash <> ''
        OR (SELECT COUNT(*) FROM signal_grants AS other WHERE other.signal_id = g.signal_id) = 1);
