-- Searches that are not final: few, looked for often by the reconciler and the metrics.
CREATE INDEX searches_open ON searches (date_updated, id) WHERE status NOT LIKE '%_READY' AND status NOT LIKE 'ERR_%';
