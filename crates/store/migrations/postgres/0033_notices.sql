-- What happened, as facts. `messages` has the same as lines, for nodes of an earlier version.
ALTER TABLE searches ADD COLUMN notices JSON NOT NULL DEFAULT '[]';
ALTER TABLE signal_grants ADD COLUMN notices JSON NOT NULL DEFAULT '[]';
