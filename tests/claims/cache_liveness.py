"""Checks of cached documents at their sources: verdicts, effects, limits, and the checks that results pages cause."""

import contextlib
import time

from harness import Reply, Row, Service, claim, equal, eventually, expect, free_port
from harness.documents import (
    CACHE_NAME, Documents, cached_results, document, ingest, ingest_typed, page_of, supply, text_of,
)  # fmt: skip
from harness.license import licensed

FAST = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1", "SVC_CACHE_LIVENESS_PROBE_TIMEOUT": "1"}
SETTINGS = licensed(**FAST)
source = Documents()
cleanup = contextlib.ExitStack()
shared = {}


def prepare(service):
    cleanup.enter_context(source)
    shared["provider"] = source.provider(service)


def finish():
    cleanup.close()


def stored(client, seed, headers=None):
    """A cached document of the provider, its path and its address."""
    path = f"/{shared['provider']['slug']}/live{seed}"
    url = source.add(shared["provider"], f"Live {seed}", text_of(seed), path=path)
    page = page_of(f"Live {seed}", text_of(seed))
    page.headers.update(headers or {})
    source.route(path, page)
    return ingest(client, shared["provider"], url)["signal_id"], path


def check(client, signal_id):
    return client.post("/svc/cache/check_liveness/", {"signal_id": signal_id}, timeout=30).expect(200).json()


VERDICTS = [
    (200, "alive"), (204, "alive"), (304, "alive"), (404, "gone"), (410, "gone"), (400, "unknown"), (401, "unknown"),
    (403, "unknown"), (405, "unknown"), (408, "unknown"), (418, "unknown"), (429, "unknown"), (451, "unknown"),
    (500, "unknown"), (501, "unknown"), (502, "unknown"), (503, "unknown"), (504, "unknown"),
]  # fmt: skip


@claim("interface: Errors, liveness probe", rows=[Row(str(status), (status, verdict)) for status, verdict in VERDICTS])
def only_404_and_410_mean_gone(service, status, verdict):
    signal_id, path = stored(service.admin, 1000 + status)
    before = document(service.admin, signal_id)
    source.route(path, Reply("", status))
    answer = check(service.admin, signal_id)
    equal((answer["signal_id"], answer["verdict"], answer["http_status"]), (signal_id, verdict, status))
    expect(answer["checked_at"] >= before["last_verified"], "checked_at", answer)
    after = document(service.admin, signal_id)
    equal((after["liveness"], after["liveness_http"], after["state"]), (verdict, status, "indexed"))
    equal(after["last_verified"] > before["last_verified"], verdict == "alive", "last_verified")


@claim("ai-cache 2.10: probe is HEAD, then a ranged GET", rows=[Row(str(status), (status,)) for status in [403, 404, 405, 501]])
def a_get_decides_where_head_is_not_answered(service, status):
    signal_id, path = stored(service.admin, 1100 + status)
    source.requests.clear()
    source.route(path, lambda request: Reply("", status) if request.method == "HEAD" else Reply("x", 206))
    equal(check(service.admin, signal_id)["verdict"], "alive")
    asked = source.asked(path)
    equal([request.method for request in asked], ["HEAD", "GET"])
    equal(asked[1].headers.get("range"), "bytes=0-0")


@claim("ai-cache 2.10: each within its own limit")
def a_source_that_hangs_is_unknown_in_time(service):
    signal_id, path = stored(service.admin, 1200)
    source.route(path, lambda _: time.sleep(4) or Reply(""))
    started = time.monotonic()
    equal(check(service.admin, signal_id)["verdict"], "unknown")
    expect(time.monotonic() - started < 3.5, "SVC_CACHE_LIVENESS_PROBE_TIMEOUT", time.monotonic() - started)


@claim("ai-cache 2.10: no connection")
def a_source_that_is_off_is_unknown(service):
    with Documents() as other:
        page = page_of("Off", text_of(1201))
        page.headers["Connection"] = "close"
        url = other.route("/off", page)
        signal_id = ingest_typed(service.admin, url)["signal_id"]
    answer = check(service.admin, signal_id)
    equal((answer["verdict"], answer.get("http_status")), ("unknown", None))


@claim("ai-cache 2.10: a later alive clears gone")
def a_document_that_comes_back_is_alive(service):
    signal_id, path = stored(service.admin, 1202)
    page = source.routes[path]
    for reply, verdict, kept in [
        (Reply("", 410), "gone", "gone"), (Reply("", 503), "unknown", "gone"), (page, "alive", "alive"),
    ]:  # fmt: skip
        source.route(path, reply)
        equal(check(service.admin, signal_id)["verdict"], verdict)
        equal(document(service.admin, signal_id)["liveness"], kept, f"after {verdict}")


@claim("interface: liveness probes never delete a document")
def a_document_that_is_gone_is_still_found(service):
    signal_id, path = stored(service.admin, 1203)
    source.route(path, Reply("", 404))
    check(service.admin, signal_id)
    result = cached_results(service.admin, text_of(1203, 12))[signal_id]
    equal(result["cache"]["liveness"], "gone")


@claim("ai-cache 2.10: a version change re-ingests", rows=[
    Row("ETag", ({"ETag": '"1"'}, {"ETag": '"2"'})),
    Row("Last-Modified", ({"Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, {"Last-Modified": "Tue, 02 Jan 2024 00:00:00 GMT"})),
])  # fmt: skip
def a_source_that_tells_of_a_change_is_read_again(service, before, after):
    seed = 1210 + len(next(iter(before)))
    signal_id, path = stored(service.admin, seed, before)
    page = page_of("Changed", text_of(seed + 300, 70))
    page.headers.update(after)
    source.route(path, page)
    equal(check(service.admin, signal_id)["verdict"], "alive")
    size = len(text_of(seed + 300, 70))
    eventually(lambda: document(service.admin, signal_id)["size"] >= size, 20, "not read again")


@claim("ai-cache 2.9: check_liveness")
def several_documents_are_checked_at_once(service):
    ids = [stored(service.admin, seed)[0] for seed in (1220, 1221)]
    answer = service.admin.post("/svc/cache/check_liveness/", {"signal_ids": ids}).expect(200).json()
    equal({each["signal_id"]: each["verdict"] for each in answer["results"]}, dict.fromkeys(ids, "alive"))


@claim("ai-cache 2.9: check_liveness", rows=[Row(name, (body, status)) for name, body, status in [
    ("nothing", {}, 400), ("both", {"signal_id": 1, "signal_ids": [1]}, 400), ("a word", {"signal_id": "x"}, 400),
    ("51 documents", {"signal_ids": list(range(1, 52))}, 400),
    ("unknown", {"signal_id": 10**9}, 404), ("an unknown one in a list", {"signal_ids": [10**9]}, 404),
]])  # fmt: skip
def an_invalid_check_is_refused(service, body, status):
    service.admin.post("/svc/cache/check_liveness/", body).expect(status)


@claim("ai-cache 2.7: supplied texts")
def a_supplied_text_stays_with_its_user_when_the_source_refuses(service):
    url = source.route("/refusing", Reply("no", 401))
    signal_id = supply(service.admin, url, text_of(1230, 200))["signal_id"]
    equal(check(service.admin, signal_id)["verdict"], "unknown")
    document(service.admin, signal_id)


@claim("cache: a supplied text is not verified by being supplied again")
def a_supplied_text_is_not_verified_by_supplying_it_again(service):
    url = f"http://127.0.0.1:{free_port()}/nobody"
    first = document(service.admin, supply(service.admin, url, text_of(1231, 200))["signal_id"])
    again = document(service.admin, supply(service.admin, url, text_of(1231, 200))["signal_id"])
    equal((again["liveness"], again["last_verified"]), (first["liveness"], first["last_verified"]))
    equal(again["liveness"], "unknown")


@claim("ai-cache 2.10: async by default")
def a_page_with_a_stale_copy_checks_it_afterwards(service):
    with Service(service.program, licensed(**FAST, SVC_CACHE_LIVENESS_RECHECK_SECONDS="1")) as other:
        url = source.route("/stale-later", page_of("Stale", text_of(1240)))
        signal_id = ingest_typed(other.admin, url)["signal_id"]
        eventually(lambda: document(other.admin, signal_id)["stale"], 10, "not stale")
        source.route("/stale-later", Reply("", 404))
        result = cached_results(other.admin, text_of(1240, 12))[signal_id]["cache"]
        equal((result["stale"], result["liveness"]), (True, "alive"), "the last verdict is shown")
        eventually(lambda: document(other.admin, signal_id)["liveness"] == "gone", 15, "not checked")


@claim("interface: SVC_CACHE_LIVENESS_SYNC")
def a_page_checks_stale_copies_first_if_it_is_set_so(service):
    settings = licensed(**FAST, SVC_CACHE_LIVENESS_RECHECK_SECONDS="1", SVC_CACHE_LIVENESS_SYNC="True")
    with Service(service.program, settings) as other:
        url = source.route("/stale-first", page_of("Stale", text_of(1241)))
        signal_id = ingest_typed(other.admin, url)["signal_id"]
        eventually(lambda: document(other.admin, signal_id)["stale"], 10, "not stale")
        source.route("/stale-first", Reply("", 410))
        equal(cached_results(other.admin, text_of(1241, 12))[signal_id]["cache"]["liveness"], "gone")


@claim("interface: Limits, liveness 3600 s")
def a_fresh_copy_is_not_stale_and_not_checked(service):
    signal_id, path = stored(service.admin, 1242)
    count = len(source.asked(path))
    equal(cached_results(service.admin, text_of(1242, 12))[signal_id]["cache"]["stale"], False)
    search = service.admin.run_search("x", searchprovider_list=[CACHE_NAME])
    service.admin.results(search["id"])
    equal(len(source.asked(path)), count)


# Removal


@claim("ai-cache 2.5: unindex")
def a_removed_document_is_gone_everywhere(service):
    signal_id, _ = stored(service.admin, 1250)
    search = service.admin.run_search(text_of(1250, 12), searchprovider_list=[CACHE_NAME])
    answer = service.admin.post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(200).json()
    equal(answer, {"removed": True, "signal_id": signal_id})
    service.admin.get(f"/svc/cache/{signal_id}/").expect(404)
    found = [each["cache"]["signal_id"] for each in service.admin.results(search["id"])["results"]]
    expect(signal_id not in found, "not in saved results")
    service.admin.post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(404)


@claim("ai-cache 2.5: unindex by url")
def a_document_is_removed_by_its_address(service):
    ann = service.user("ann")
    signal_id = supply(ann, "https://remove.example/1", text_of(1251, 200))["signal_id"]
    ann.post("/svc/cache/unindex/", {"url": "HTTPS://remove.example:443/1#x"}).expect(200)
    ann.get(f"/svc/cache/{signal_id}/").expect(404)


@claim("ai-cache 2.5: others keep their grants")
def removing_takes_only_the_own_grant_while_others_hold_one(service):
    cleanup.enter_context(other := Documents())
    first, second = service.user("first"), service.user("second")
    url = other.route("/both", page_of("Both", text_of(1252)))
    ids = [ingest_typed(client, url)["signal_id"] for client in (first, second)]
    equal(ids[0], document(second, ids[1])["signal_id"], "one record for one text")
    first.post("/svc/cache/unindex/", {"signal_id": ids[0]}).expect(200)
    first.get(f"/svc/cache/{ids[0]}/").expect(404)
    document(second, ids[0])
    service.admin.post("/svc/cache/unindex/", {"signal_id": ids[0]}).expect(200)
    second.get(f"/svc/cache/{ids[0]}/").expect(404)


@claim("ai-cache 2.4: pinned needs force")
def a_pinned_document_is_removed_by_force_only(service):
    signal_id, _ = stored(service.admin, 1253)
    service.admin.post("/svc/canonical/pin-for-query/", {"signal_id": signal_id, "query": "stay"}).expect(201)
    service.admin.post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(409)
    document(service.admin, signal_id)
    service.admin.post("/svc/cache/unindex/", {"signal_id": signal_id, "force": True}).expect(200)
    equal(service.admin.get("/svc/canonical/pins/", params={"query": "stay"}).json()["count"], 0)


@claim("ai-cache 2.5: unindex", rows=[Row(name, (body, status)) for name, body, status in [
    ("nothing", {}, 400), ("both", {"signal_id": 1, "url": "https://a.example/"}, 400), ("a word", {"signal_id": "x"}, 400),
    ("unknown", {"signal_id": 10**9}, 404), ("an unknown address", {"url": "https://unknown.example/"}, 404),
    ("force is a word", {"signal_id": 1, "force": "yes"}, 400),
]])  # fmt: skip
def an_invalid_removal_is_refused(service, body, status):
    service.admin.post("/svc/cache/unindex/", body).expect(status)
