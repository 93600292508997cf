"""Commands for the cache: hybrid upgrade, reset, merging, diagnosis, cleanup, consistency; statistics."""

import contextlib
import datetime
import json
import shutil
import sqlite3

from harness import Row, Service, claim, equal, eventually, expect
from harness.documents import CACHE_NAME, Documents, cached_results, document, ingest, search_cache, supply, text_of
from harness.license import licensed

BASIC = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1"}
SETTINGS = licensed(**BASIC, SVC_CANONICAL_AUTO_ELECT_ENABLED="True")
source = Documents()
cleanup = contextlib.ExitStack()


def prepare(service):
    cleanup.enter_context(source)
    service.user("ann")


def finish():
    cleanup.close()


def filled(other, *seeds, tags=()):
    return [supply(other.admin, f"https://fill.example/{seed}", text_of(seed, 200), f"Fill {seed}", tags)["signal_id"] for seed in seeds]


@contextlib.contextmanager
def records_of(stopped):
    """The database of a service that does not run."""
    file = next(path for path in stopped.data.iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3"))
    with contextlib.closing(sqlite3.connect(file)) as database:
        yield database
        database.commit()


def succeeds(service, *arguments, **options):
    answer = service.command(*arguments, **options)
    expect(answer.returncode == 0, " ".join(map(str, arguments)), answer.stdout, answer.stderr)
    return answer


@claim("interface: Errors, hybrid without the migration")
def hybrid_search_needs_the_upgrade_once(service):
    with Service(service.program, licensed(**BASIC)) as other:
        signal_id = filled(other, 1)[0]
        other.stop()
        # As an earlier version left it: a new installation has sparse vectors from the start.
        with records_of(other) as database:
            database.execute("UPDATE corpus_values SET value = 'false' WHERE name = 'hybrid'")
            database.execute("DELETE FROM corpus_values WHERE name = 'word_search'")
        other.environment["SVC_CORPUS_HYBRID"] = "True"
        other.start()
        answer = search_cache(other.admin, text_of(1, 12))
        info = answer["info"][CACHE_NAME]
        equal((info["status"], answer["results"]), ("error", []))
        expect("sparse" in json.dumps(info["error"]).lower(), "the sparse vectors are named", info["error"])
        succeeds(other, "upgrade_corpus_to_hybrid")
        expect(signal_id in cached_results(other.admin, text_of(1, 12)), "found after the upgrade")
        succeeds(other, "upgrade_corpus_to_hybrid")
        equal(other.admin.get("/svc/agent/status/").json()["features"]["hybrid"], True)


@claim("ai-cache 2.6: hybrid score")
def hybrid_search_finds_words_that_the_meaning_misses(service):
    settings = {**BASIC, "SVC_CORPUS_MIN_SCORE": "0.5"}
    with Service(service.program, licensed(**settings)) as other:
        text = text_of(2, 150) + " The clause Zylophrax applies. " + text_of(3, 80)
        signal_id = supply(other.admin, "https://words.example/", text)["signal_id"]
        filled(other, *range(100, 124))
        equal(next(iter(cached_results(other.admin, "zylophrax"))), signal_id, "a new installation searches by words")
        other.stop()
        other.environment["SVC_CORPUS_HYBRID"] = "True"
        succeeds(other, "upgrade_corpus_to_hybrid")
        other.start()
        equal(next(iter(cached_results(other.admin, "zylophrax"))), signal_id)


@claim("interface: reset_semantic_cache")
def a_reset_asks_first_and_removes_everything(service):
    with Service(service.program, licensed(**BASIC)) as other:
        ids = filled(other, 10, 11)
        other.admin.post("/svc/canonical/pin-for-query/", {"signal_id": ids[0], "query": "kept"}).expect(201)
        answer = other.command("reset_semantic_cache")
        expect(answer.returncode != 0, "without a terminal it needs --yes", answer.stdout, answer.stderr)
        equal(len(other.admin.get("/svc/cache/").json()), 2)
        succeeds(other, "reset_semantic_cache", "--yes")
        equal(other.admin.get("/svc/cache/").json(), [])
        eventually(lambda: search_cache(other.admin, text_of(10, 12))["results"] == [], 10, "still found")
        equal(other.admin.get("/svc/canonical/pins/").json()["count"], 0)
        equal(list((other.data / "bodies").rglob("*.zst")), [])
        statistics = other.admin.get("/svc/cache/statistics/").json()
        equal((sum(statistics["signals"].values()), statistics["chunks"], statistics["grants"]), (0, 0, 0))


@claim("interface: reset_semantic_cache --matter-tag", rows=[Row(written, (written, left)) for written, left in [
    ("acme", [2]), ("matter:acme", [2]), ("MATTER:acme", [2]), ("Acme", [1, 2]), ("other", [1, 2]),
]])  # fmt: skip
def a_reset_of_a_matter_removes_its_documents(service, written, left):
    ann = service.client("ann", "ann-Pass-1")
    ids = [supply(ann, f"https://matter.example/{n}", text_of(20 + n, 200), tags=tags)["signal_id"]
           for n, tags in [(1, ["acme"]), (2, ["acmeplus"])]]  # fmt: skip
    succeeds(service, "reset_semantic_cache", "--matter-tag", written, "--yes")
    found = [n for n, signal_id in enumerate(ids, 1) if ann.get(f"/svc/cache/{signal_id}/").status == 200]
    equal(found, left)


@claim("canonical: a matter without a name", rows=[Row(written or "empty", (written,)) for written in ["matter:", "MATTER: ", ""]])
def a_reset_of_a_matter_without_a_name_is_refused(service, written):
    ann = service.client("ann", "ann-Pass-1")
    signal_id = supply(ann, "https://matter.example/named", text_of(25, 200))["signal_id"]
    answer = service.command("reset_semantic_cache", "--matter-tag", written, "--yes")
    expect(answer.returncode in (1, 2), "refused", answer.stdout, answer.stderr)
    document(ann, signal_id)


@claim("interface: dedup_signal_url_hash, dry run unless --apply")
def merging_reports_and_changes_nothing_without_apply(service):
    with Service(service.program, licensed(**BASIC)) as other:
        ids = filled(other, 30, 31)
        for options in [[], ["--apply"]]:
            succeeds(other, "dedup_signal_url_hash", *options)
            equal(sorted(each["signal_id"] for each in other.admin.get("/svc/cache/").json()), sorted(ids))


@claim("interface: drop_entity_collection, dry run unless --yes")
def the_entity_collection_is_dropped_only_with_yes(service):
    answer = service.command("drop_entity_collection")
    expect(answer.returncode in (0, 1) and "panicked" not in answer.stderr, "a report", answer.stdout, answer.stderr)


@claim("ai-cache 2.1: commands", rows=[Row(name, (name,)) for name in ["init_qdrant", "init_storage", "reindex_corpus"]])
def a_preparing_command_may_be_repeated(service, name):
    signal_id = filled(service, 40)[0]
    for _ in range(2):
        succeeds(service, name)
    eventually(lambda: signal_id in cached_results(service.admin, text_of(40, 12)), 15, "not found afterwards")


@claim("interface: canonical_diag")
def the_diagnosis_recomputes_elections(service):
    provider = source.provider(service)
    for title in ["Deed final", "Deed draft"]:
        ingest(service.admin, provider, source.add(provider, title, text_of(50, 120)))
    cached_results(service.admin, text_of(50, 12))
    run_id = service.admin.get("/svc/canonical/").json()["results"][0]["run_id"]
    found = json.loads(succeeds(service, "canonical_diag", "--json").stdout)
    expect(found, "JSON", found)
    shown = succeeds(service, "canonical_diag", "--run", run_id).stdout
    for word in ["source_authority", "naming", "recency", "format", "egress_external", "pin", "rejection"]:
        expect(word in shown, word, shown)
    expect("Deed" not in shown, "documents are identified by id only", shown)
    expect(service.command("canonical_diag", "--run", 10**9).returncode == 1, "an unknown run")


@claim("interface: canonical_diag")
def the_diagnosis_finds_a_changed_election(service):
    with Service(service.program, licensed(**BASIC, SVC_CANONICAL_AUTO_ELECT_ENABLED="True")) as other:
        provider = source.provider(other)
        for title in ["Bond final", "Bond draft"]:
            ingest(other.admin, provider, source.add(provider, title, text_of(51, 120)))
        cached_results(other.admin, text_of(51, 12))
        equal(succeeds(other, "canonical_diag").returncode, 0)
        other.stop()
        with records_of(other) as database:
            tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%run%'")]
            changed = 0
            for table in tables:
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                if "margin" in columns:
                    changed += database.execute(f"UPDATE {table} SET margin = margin + 1").rowcount
        expect(changed, "the record was changed", tables)
        equal(other.command("canonical_diag").returncode, 1)
        other.start()


AGES = [  # days, options, whether it becomes stale
    (29, [], False), (31, ["--dry-run"], False), (31, [], True), (2, ["--days", "1"], True), (31, ["--days", "40"], False),
]  # fmt: skip


@claim("interface: cleanup_stale_canonical_runs", rows=[Row(" ".join([str(age), *options]), (age, options, is_stale))
                                                        for age, options, is_stale in AGES])  # fmt: skip
def undecided_elections_become_stale(service, age, options, is_stale):
    with Service(service.program, licensed(**BASIC, SVC_CANONICAL_AUTO_ELECT_ENABLED="True")) as other:
        provider = source.provider(other)
        for title in ["Wage final", "Wage draft"]:
            ingest(other.admin, provider, source.add(provider, title, text_of(52, 120)))
        cached_results(other.admin, text_of(52, 12))
        listed = other.admin.get("/svc/canonical/", params={"status": "auto_elected"}).json()["results"]
        equal(len(listed), 1)
        other.stop()
        day = (datetime.date.today() - datetime.timedelta(age)).isoformat()
        with records_of(other) as database:
            database.execute("UPDATE canonical_runs SET created_at = ? || substr(created_at, 11)", [day])
        succeeds(other, "cleanup_stale_canonical_runs", *options)
        with records_of(other) as database:
            found = database.execute("SELECT status FROM canonical_runs").fetchall()
        equal(found, [("stale" if is_stale else "auto_elected",)])
        other.start()
        if is_stale:
            equal(other.admin.get(f"/svc/canonical/{listed[0]['run_id']}/").expect(200).json()["status"], "stale")


@claim("interface: cleanup_stale_canonical_runs", rows=[Row(days, (days,)) for days in ["0", "-1", "soon"]])
def an_impossible_age_of_elections_is_refused(service, days):
    equal(service.command("cleanup_stale_canonical_runs", "--days", days).returncode, 2)


# Consistency


@claim("cache: consistency", rows=[Row("at the start", (False,)), Row("doctor --repair", (True,))])
def lost_bodies_are_reported_and_removed_only_on_request(service, is_repaired):
    with Service(service.program, licensed(**BASIC)) as other:
        signal_id = filled(other, 60)[0]
        other.stop()
        for path in (other.data / "bodies").rglob("*.zst"):
            path.unlink()
        other.start()
        found = document(other.admin, signal_id)
        expect(found["body_bytes"] > 0 and found["state"] == "indexed", "nothing is removed at the start", found)
        expect("warn" in other.command("doctor", "--offline").stdout, "reported")
        if is_repaired:
            succeeds(other, "doctor", "--offline", "--repair", "--yes")
            expect(document(other.admin, signal_id)["state"] == "indexed", "still found")
            equal(document(other.admin, signal_id).get("body_expires"), None, "recorded as no longer stored")


@claim("cache: a body folder that is not mounted")
def another_folder_stores_and_removes_nothing(service):
    with Service(service.program, licensed(**BASIC)) as other:
        filled(other, 61)
        other.stop()
        shutil.move(other.data / "bodies", other.folder / "elsewhere")
        other.start()
        answer = other.admin.post("/svc/ingest/", {"url": "https://fill.example/62", "body": text_of(62, 200), "wait": True}, timeout=60)
        expect(answer.status != 200 or answer.json()["state"] == "known", "nothing is stored", answer.text)
        equal(other.admin.get("/svc/cache/statistics/").json()["storage"]["ok"], False)
        other.stop()
        shutil.rmtree(other.data / "bodies", ignore_errors=True)
        shutil.move(other.folder / "elsewhere", other.data / "bodies")
        other.start()
        expect(len(list((other.data / "bodies").rglob("*.zst"))) >= 1, "the texts are there")


@claim("interface: SVC_QDRANT_MODE=disabled")
def without_a_vector_store_the_cache_finds_nothing(service):
    with Service(service.program, licensed(**BASIC, SVC_QDRANT_MODE="disabled")) as other:
        answer = search_cache(other.admin, "anything")
        equal(answer["results"], [])
        other.nobody.get("/svc/health/ready/").expect(200)


@claim("cache: a vector store that does not answer")
def a_vector_store_that_is_off_leaves_the_rest_working(service):
    from harness import free_port

    settings = licensed(**BASIC, SVC_QDRANT_MODE="external", SVC_QDRANT_URL=f"http://127.0.0.1:{free_port()}")
    with Service(service.program, settings) as other:
        other.nobody.get("/svc/health/ready/").expect(200)
        provider = source.provider(other)
        source.add(provider, "Live", text_of(70))
        search = other.admin.run_search("live", searchprovider_list=[provider["id"], CACHE_NAME])
        info = other.admin.results(search["id"])["info"]
        equal((search["status"], info[provider["name"]]["status"], info[CACHE_NAME]["status"]),
              ("PARTIAL_RESULTS_READY", "ok", "error"))  # fmt: skip
        statistics = other.admin.get("/svc/cache/statistics/").json()["vector_store"]
        equal(statistics["ok"], False)


@claim("cache: statistics")
def statistics_count_documents(service):
    with Service(service.program, licensed(**BASIC)) as other:
        ids = filled(other, 80, 81, 82)
        other.admin.post("/svc/canonical/pin-for-query/", {"signal_id": ids[0], "query": "q"}).expect(201)
        cached_results(other.admin, text_of(80, 12))
        found = other.admin.get("/svc/cache/statistics/").expect(200).json()
        equal(found["signals"], {"known": 0, "indexed": 2, "pinned": 1})
        equal((found["licensed"], found["grants"], found["canonical"]["pins"]), (True, 3, 1))
        equal((found["vector_store"]["ok"], found["storage"]["ok"], found["storage"]["kind"]), (True, True, "fs"))
        equal((found["today"]["searches"], found["today"]["hits"], found["today"]["ingested"]), (1, 1, 3))


@claim("interface: SVC_CORPUS_MIN_SCORE default 0.50")
def documents_below_the_floor_are_dropped(service):
    with Service(service.program, licensed()) as other:
        ids = filled(other, 90, 91)
        found = cached_results(other.admin, text_of(90, 40))
        expect(ids[0] in found, "near documents are found")
        for each in found.values():
            expect(each["payload"]["similarity"] >= 0.5, "the floor", each["payload"])
        equal(search_cache(other.admin, "unrelated astronomy telescopes galaxies")["results"], [])


@claim("ai-cache 2.12: SVC_CACHE_DEBUG", rows=[Row("on", (None, True)), Row("off", ("False", False))])
def details_of_the_cache_are_for_administrators(service, value, shown):
    with Service(service.program, licensed(**BASIC, **({"SVC_CACHE_DEBUG": value} if value else {}))) as other:
        filled(other, 95)
        ann = other.user("ann")
        supply(ann, "https://debug.example/", text_of(96, 200))
        for client, query, sees in [(other.admin, 95, shown), (ann, 96, False)]:
            answer = search_cache(client, text_of(query, 12))
            equal("cache_debug" in answer["results"][0]["payload"], sees)
            equal(any("Cache:" in line for line in answer["messages"]), sees)


@claim("ai-cache 2.12: retention of a search never removes signals")
def deleting_a_search_keeps_its_cached_documents(service):
    signal_id = filled(service, 97)[0]
    search = service.admin.run_search(text_of(97, 12), searchprovider_list=[CACHE_NAME])
    service.admin.delete(f"/svc/search/{search['id']}/").expect(204)
    document(service.admin, signal_id)
