"""A rolling upgrade: replaces the processes of a cluster under load one after the other by those of another release."""

import sys
import threading
import time

SEARCHES = 50_000
# How long old and new processes run side by side after each replacement.
BESIDE_S = 8
WATCH_EVERY_S = 0.05
ORDER = ["beat", "web1", "worker1", "web2", "worker2"]


def fill(cluster):
    """Inserts finished searches with result sets, copied from one that was really run."""
    columns = {table: cluster.query(
        "SELECT string_agg(column_name, ',') FROM information_schema.columns "
        f"WHERE table_name = '{table}' AND column_name NOT IN ('id', 'search_id')") for table in ("searches", "result_sets")}
    one = cluster.query("SELECT min(search_id) FROM result_sets")
    cluster.query(
        f"WITH made AS (INSERT INTO searches ({columns['searches']}) SELECT {columns['searches']} FROM searches, "
        f"generate_series(1, {SEARCHES}) WHERE id = {one} RETURNING id) "
        f"INSERT INTO result_sets (search_id, {columns['result_sets']}) SELECT made.id, {columns['result_sets']} FROM made, "
        f"(SELECT * FROM result_sets WHERE search_id = {one} LIMIT 1) AS sample", seconds=300)
    stored = int(cluster.query("SELECT count(*) FROM searches", seconds=60))
    if stored < SEARCHES:
        sys.exit(f"the database could not be filled: {stored} searches")


class LockWatch:
    """The longest lock wait of a statement, as reported by the database."""

    STATEMENT = (
        "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0) FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND query NOT LIKE '%advisory%'"
    )

    def __init__(self, cluster):
        self.cluster, self.longest, self.is_over = cluster, 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.is_over.is_set():
            seen = self.cluster.query(self.STATEMENT)
            self.longest = max(self.longest, float(seen or 0))
            time.sleep(WATCH_EVERY_S)

    def stop(self):
        self.is_over.set()
        self.thread.join()
        return self.longest


def replace_all(cluster, load, program, rate):
    """Prints a row per replaced process."""
    fill(cluster)
    print(f"{SEARCHES} existing searches; migration {migration(cluster)}")
    print("| Replaced | rate before, during /s | worst wait | longest wait for a lock |\n|---|---|---|---|", flush=True)
    for name in ORDER:
        node, start = cluster.nodes[name], time.monotonic()
        before = rate(load, start - BESIDE_S, start)
        locks = LockWatch(cluster)
        node.terminate()
        node.command = [program if word == cluster.program else word for word in node.command]
        node.start()
        time.sleep(BESIDE_S)
        end = time.monotonic()
        waits = [one.ended - one.posted for one in load.ended_between(start, end)]
        print(f"| {name} | {before:.1f}, {rate(load, start, end):.1f} | {max(waits, default=0):.1f} s "
              f"| {locks.stop():.2f} s |", flush=True)
        time.sleep(BESIDE_S)
    print(f"migration {migration(cluster)}")


def migration(cluster):
    return cluster.query("SELECT max(version) FROM _sqlx_migrations")
