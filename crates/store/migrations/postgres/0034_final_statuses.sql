-- The index of unfinished searches names the final statuses, as the queries do.
DROP INDEX searches_open;
CREATE INDEX searches_open ON searches (date_updated, id) WHERE status NOT IN ('FULL_RESULTS_READY', 'PARTIAL_RESULTS_READY', 'FULL_UPDATE_READY', 'PARTIAL_UPDATE_READY', 'ERR_NO_QUERY_STRING', 'ERR_NO_SEARCHPROVIDERS', 'ERR_PRE_QUERY_PROCESSING', 'ERR_RUN_FAILED');
