-- The provider whose account a person used to fetch an address that they typed. Such a document is attributed to nobody: it
-- belongs to the people who were given its text, and the account only fetches it again.
ALTER TABLE signal_grants ADD COLUMN account_provider_id BIGINT;

-- Earlier versions attributed it to the provider. Whether the provider gave the address is not known of a document that came
-- with a person's token and has no id of its own, so that it counts as typed: nobody sees it who was not given its text.
UPDATE signal_grants SET account_provider_id = (SELECT s.source_provider_id FROM signals AS s WHERE s.id = signal_id)
WHERE idp <> '' AND EXISTS (SELECT 1 FROM signals AS s WHERE s.id = signal_id AND s.source_provider_id IS NOT NULL
    AND s.external_id = '' AND NOT s.is_supplied);
-- From here on, the documents with such an account are those that change. Who may see them changes, which indexes follow.
INSERT INTO corpus_changes (sequence, signal_id)
SELECT (SELECT COALESCE(MAX(sequence), 0) FROM corpus_changes) + ROW_NUMBER() OVER (ORDER BY id), id
FROM signals
WHERE id IN (SELECT signal_id FROM signal_grants WHERE account_provider_id IS NOT NULL);
UPDATE signals SET source_provider_id = NULL, source_provider = '',
    record_key = url_hash || ':record ' || CAST(id AS TEXT)
WHERE id IN (SELECT signal_id FROM signal_grants WHERE account_provider_id IS NOT NULL);
-- The oldest of equal records has their key; `dedup_signal_url_hash` joins the others with it.
UPDATE signals SET record_key = url_hash || ':0:' || content_hash
WHERE id IN (SELECT MIN(s.id) FROM signals AS s WHERE s.content_hash <> ''
        AND s.id IN (SELECT signal_id FROM signal_grants WHERE account_provider_id IS NOT NULL)
        GROUP BY s.url_hash, s.content_hash)
    AND NOT EXISTS (SELECT 1 FROM signals AS other
        WHERE other.record_key = signals.url_hash || ':0:' || signals.content_hash);
UPDATE signals SET record_key = url_hash || ':0:requested by '
    || (SELECT CAST(g.user_id AS TEXT) FROM signal_grants AS g WHERE g.signal_id = signals.id)
WHERE content_hash = ''
    AND (SELECT COUNT(*) FROM signal_grants AS g WHERE g.signal_id = signals.id) = 1
    AND id IN (SELECT MIN(s.id) FROM signals AS s JOIN signal_grants AS g ON g.signal_id = s.id
        WHERE s.content_hash = '' AND g.account_provider_id IS NOT NULL GROUP BY s.url_hash, g.user_id)
    AND NOT EXISTS (SELECT 1 FROM signals AS other WHERE other.record_key = signals.url_hash || ':0:requested by '
        || (SELECT CAST(g.user_id AS TEXT) FROM signal_grants AS g WHERE g.signal_id = signals.id));
