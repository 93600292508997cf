-- Whether a search is one of the Assistant: its first tag says so.
ALTER TABLE searches ADD COLUMN assistant BOOLEAN NOT NULL DEFAULT FALSE;
-- PostgreSQL refuses to take apart JSON that holds NUL somewhere. Quotes inside a JSON text are escaped, so that only the
-- list of tags matches.
UPDATE searches SET assistant = TRUE
    WHERE CASE
        WHEN position('\u0000' IN CAST(draft AS TEXT)) = 0 THEN draft -> 'tags' ->> 0 = 'chat'
        ELSE CAST(draft AS TEXT) LIKE '%"tags":["chat"%'
    END;
