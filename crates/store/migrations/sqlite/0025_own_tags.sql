-- Tags belong to the person who gave them (`signal_grant_tags`). Those of the person who brought a text first were also the
-- record's, for everybody who sees it through its provider: they are that person's alone. Indexes follow.
INSERT INTO corpus_changes (sequence, signal_id)
SELECT (SELECT COALESCE(MAX(sequence), 0) FROM corpus_changes) + ROW_NUMBER() OVER (ORDER BY id), id
FROM signals
WHERE id IN (SELECT signal_id FROM signal_tags);
UPDATE signals SET matter_tags = '[]' WHERE id IN (SELECT signal_id FROM signal_tags);
DELETE FROM signal_tags;
