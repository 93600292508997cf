-- Tags of matters are stored without the prefix. Earlier versions recognized only a prefix in lower case.
INSERT INTO signal_grant_tags (signal_id, user_id, tag)
SELECT signal_id, user_id, trim(substr(tag, 8)) FROM signal_grant_tags
WHERE lower(substr(tag, 1, 7)) = 'matter:' AND trim(substr(tag, 8)) <> ''
ON CONFLICT DO NOTHING;
DELETE FROM signal_grant_tags WHERE lower(substr(tag, 1, 7)) = 'matter:';
