-- Whether a search is one of the Assistant: its first tag says so.
ALTER TABLE searches ADD COLUMN assistant BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE searches SET assistant = TRUE WHERE json_extract(draft, '$.tags[0]') = 'chat';
