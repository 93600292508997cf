"""Summaries and the cache: which copy a summary reads, texts that expire, and services without a license."""

import contextlib
import sqlite3

from harness import Row, Service, claim, equal, eventually, expect
from harness.answers import add_model
from harness.documents import Documents, cached_results, document, ingest, page_of, result_of, text_of
from harness.license import licensed
from harness.model import Model

BASIC = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1", "SVC_RAG_SCORE_INCLUSION_THRESHOLD": "0"}
SETTINGS = licensed(**BASIC)
source, model = Documents(), Model()
cleanup = contextlib.ExitStack()


def prepare(service):
    cleanup.enter_context(source)
    cleanup.enter_context(model)
    add_model(service, model, "Reader of copies")


def finish():
    cleanup.close()


def summarized(client, provider, url):
    """The only source of a summary of this result."""
    search_id, result = result_of(client, provider, url)
    answer = client.post("/svc/rag-search/", {"search_id": search_id, "result_list": [result["swirl_id"]]}).expect(200).json()
    return answer["ai_summary"][0]["additional_content"]["sources"][0]


def text_about(seed):
    """A text in which the word of the search occurs."""
    return f"These documents are read. {text_of(seed, 90)}"


def path_of(url):
    return url.removeprefix(source.base)


@claim("ai-cache 1.5, step 6: a cached body is preferred over a live fetch")
def a_summary_reads_a_fresh_copy_instead_of_the_page(service):
    provider = source.provider(service, page_fetch_config_json={"cache": "true"})
    url = source.add(provider, "Copied documents", text_about(400))
    ingest(service.admin, provider, url)
    asked = len(source.asked(path_of(url)))
    equal(summarized(service.admin, provider, url)["mode"], "cache")
    equal(len(source.asked(path_of(url))), asked, "requests for the page")


@claim("ai-cache 2.7: a copy of somebody else is not read for a summary")
def a_summary_does_not_read_the_copy_of_somebody_else(service):
    ann, bob = service.user("ann"), service.user("bob")
    url = source.route("/typed-copy", page_of("Typed", text_about(401)))
    ann.post("/svc/ingest/", {"url": url, "wait": True}, timeout=60).expect(200)
    provider = source.provider(service, page_fetch_config_json={"cache": "false"})
    source.lists[provider["slug"]].append({"title": "Typed documents", "body": text_of(402, 60), "url": url})
    source.route("/typed-copy", page_of("Typed", text_about(403)))
    equal(summarized(bob, provider, url)["mode"], "page")


@claim("ai-cache 1.5, step 6: unlicensed means live fetch; interface: Errors, RAG fetches bodies live")
def without_a_license_a_summary_reads_the_page(service):
    with Service(service.program, BASIC) as other:
        add_model(other, model, "Reader of pages")
        provider = source.provider(other, page_fetch_config_json={"cache": "true"})
        url = source.add(provider, "Live documents", text_about(404))
        for _ in range(2):
            equal(summarized(other.admin, provider, url)["mode"], "page")
        equal(other.admin.get("/svc/cache/").expect(200).json(), [], "ingestion is skipped")


@claim("ai-cache 1.5, step 6: a stale copy is not preferred")
def a_summary_reads_the_page_if_the_copy_is_stale(service):
    with Service(service.program, licensed(**BASIC, SVC_CACHE_LIVENESS_RECHECK_SECONDS="1")) as other:
        add_model(other, model, "Reader of stale copies")
        provider = source.provider(other, page_fetch_config_json={"cache": "true"})
        url = source.add(provider, "Stale documents", text_about(405))
        signal_id = ingest(other.admin, provider, url)["signal_id"]
        eventually(lambda: document(other.admin, signal_id)["stale"], 10, "not stale")
        equal(summarized(other.admin, provider, url)["mode"], "page")


def database_of(service):
    file = next(path for path in service.data.iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3"))
    return contextlib.closing(sqlite3.connect(file, timeout=20))


@claim("interface: SVC_STORAGE_EXPIRATION_DAYS; ai-cache 2.4: the body goes, the vectors stay, pinned bodies stay")
def an_expired_text_is_removed_and_still_found(service):
    with Service(service.program, SETTINGS) as other:
        add_model(other, model, "Reader of expired copies")
        provider = source.provider(other, page_fetch_config_json={"cache": "true"})
        urls = [source.add(provider, f"Expiring documents {n}", text_about(406 + n)) for n in range(2)]
        expiring, pinned = (ingest(other.admin, provider, url)["signal_id"] for url in urls)
        other.admin.post("/svc/canonical/pin-for-query/", {"signal_id": pinned, "query": "kept"}).expect(201)
        other.stop()
        with database_of(other) as database:
            database.execute("UPDATE signals SET body_expires = '2020-01-01T00:00:00Z' WHERE body_expires IS NOT NULL")
            database.execute("UPDATE schedules SET next_due = 0 WHERE name = 'sweep_bodies'")
            database.commit()
        other.start()
        eventually(lambda: len(list((other.data / "bodies").rglob("*.zst"))) == 1, 30, "the bodies are still there")
        expect(expiring in cached_results(other.admin, text_of(406, 12)), "it is not found any more")
        equal(document(other.admin, pinned)["state"], "pinned")
        equal(summarized(other.admin, provider, urls[1])["mode"] in ("cache", "page"), True)
        equal(summarized(other.admin, provider, urls[0])["mode"], "page")


@claim("interface: Errors, unlicensed: clustering and election are disabled", rows=[Row("licensed", (True,)), Row("not", (False,))])
def versions_are_found_with_a_license_only(service, is_licensed):
    settings = {**BASIC, "SVC_CANONICAL_AUTO_ELECT_ENABLED": "True"}
    with Service(service.program, licensed(**settings)) as other:
        text = text_of(420, 210)
        for version in ["Terms v1 draft", "Terms v2 final"]:
            body = {"url": f"https://terms.example/{version[6:8]}", "title": version, "body": text, "wait": True}
            other.admin.post("/svc/ingest/", body, timeout=60).expect(200)
        if not is_licensed:
            other.stop()
            other.environment["SVC_LICENSE"] = ""
            other.start()
        before = len(other.admin.get("/svc/canonical/").expect(200).json())
        found = cached_results(other.admin, text[:80])
        equal(len(found), 2 if is_licensed else 0, "results")
        if is_licensed:
            eventually(lambda: other.admin.get("/svc/canonical/").expect(200).json(), 20, "no election")
        else:
            equal(len(other.admin.get("/svc/canonical/").expect(200).json()), before, "elections")
