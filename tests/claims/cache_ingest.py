"""Documents enter the cache: requests, states, texts, addresses, limits and what a document's record tells."""

import contextlib

from harness import Reply, Row, Service, claim, equal, eventually, expect
from harness.documents import (
    CACHE_NAME, Documents, cached_results, document, ingest, ingest_typed, page_of, result_of, state_becomes, supply, text_of,
)  # fmt: skip
from harness.license import licensed

BASIC = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1", "SVC_STORAGE_MAX_BODY_MB": "1"}
SETTINGS = licensed(**BASIC)
source = Documents()
cleanup = contextlib.ExitStack()
shared = {}


def prepare(service):
    cleanup.enter_context(source)
    shared["provider"] = source.provider(service)
    shared["ann"], shared["bob"] = service.user("ann"), service.user("bob")


def finish():
    cleanup.close()


@claim("ai-cache 2.5")
def a_request_is_202_and_the_document_becomes_indexed(service):
    url = source.add(shared["provider"], "Plain", text_of(1))
    search_id, result = result_of(service.admin, shared["provider"], url)
    body = {"search_id": search_id, "swirl_id": result["swirl_id"]}
    answer = service.admin.post("/svc/ingest/", body).expect(202).json()
    equal(answer["state"], "known")
    equal({name: type(answer[name]).__name__ for name in ["signal_id", "job_id", "upgraded", "message"]},
          {"signal_id": "int", "job_id": "int", "upgraded": "bool", "message": "str"})  # fmt: skip
    found = state_becomes(service.admin, answer["signal_id"], "indexed")
    expect(found["chunk_count"] >= 1 and found["body_bytes"] > 0 and found["last_verified"], "indexed", found)


@claim("ai-cache 2.5")
def a_request_that_waits_is_200(service):
    url = source.add(shared["provider"], "Waits", text_of(2))
    answer = ingest(service.admin, shared["provider"], url)
    equal((answer["state"], answer["upgraded"]), ("indexed", True))


@claim("ai-cache 2.5, idempotent")
def the_same_request_again_is_the_same_document(service):
    url = source.add(shared["provider"], "Twice", text_of(3))
    first, second = (ingest(service.admin, shared["provider"], url)["signal_id"] for _ in range(2))
    equal(first, second)


@claim("interface: ingest, full body")
def a_snippet_is_replaced_by_the_full_text(service):
    text = text_of(4, 400)
    url = source.add(shared["provider"], "Long", text)
    signal_id = ingest(service.admin, shared["provider"], url)["signal_id"]
    expect(document(service.admin, signal_id)["size"] >= len(text), "the size of the page, not of the snippet")


@claim("ai-cache 2.3, signal")
def the_record_of_a_document(service):
    provider = source.provider(service, name="Records")
    url = source.add(provider, "Harbor record", text_of(5), author="Ada Lee", date="2024-02-03 04:05:06")
    found = document(service.admin, ingest(service.admin, provider, url, ["atlas"])["signal_id"])
    expected = {
        "title": "Harbor record", "url": url, "author": "Ada Lee", "source_provider": "Records",
        "source_provider_id": provider["id"], "state": "indexed", "origin": "ingest", "stale": False,
        "matter_tags": ["atlas"], "mime": "text/html", "language": "en", "is_supplied": False, "messages": [],
    }  # fmt: skip
    equal({name: found[name] for name in expected}, expected)
    expect(found["date_published"].startswith("2024-02-03 04:05:06"), "date_published", found["date_published"])
    expect(found["first_seen"] <= found["indexed_at"], "first_seen before indexed_at", found)
    for name in ["last_retrieved", "last_verified", "body_expires"]:
        expect(found[name], name, found)


INVALID = [
    ("nothing", {}), ("search without result", {"search_id": 1}), ("result without search", {"swirl_id": 1}),
    ("empty address", {"url": ""}), ("no address", {"url": "just words"}), ("a path", {"url": "/etc/passwd"}),
    ("ftp", {"url": "ftp://a.example/x"}), ("file", {"url": "file:///etc/passwd"}),
    ("javascript", {"url": "javascript:alert(1)"}), ("data", {"url": "data:text/plain,hello"}),
    ("a number as address", {"url": 7}), ("a word as search", {"search_id": "x", "swirl_id": 1}),
    ("wait is a word", {"url": "https://a.example/", "wait": "yes"}),
    ("matter tags are a text", {"url": "https://a.example/", "matter_tags": "a"}),
    ("an empty matter", {"url": "https://a.example/", "matter_tags": [""]}),
    ("a matter without a name", {"url": "https://a.example/", "matter_tags": ["matter:"]}),
    ("a matter of blanks", {"url": "https://a.example/", "matter_tags": ["Matter:   "]}),
    ("a matter of 201 characters", {"url": "https://a.example/", "matter_tags": ["m" * 201]}),
    ("a list", []), ("null", None),
]  # fmt: skip


@claim("decisions 3.1; ai-cache 2.5", rows=[Row(name, (body,)) for name, body in INVALID])
def an_invalid_request_is_400(service, body):
    answer = service.admin.call("POST", "/svc/ingest/", body if body is not None else "null",
                                headers={"Content-Type": "application/json"}).expect(400).json()  # fmt: skip
    expect(answer["detail"] and answer["code"], "the common shape", answer)


@claim("decisions 3.1")
def a_request_that_is_no_json_is_refused(service):
    service.admin.post("/svc/ingest/", "{", headers={"Content-Type": "application/json"}).expect(400)
    service.admin.post("/svc/ingest/", "url=x", headers={"Content-Type": "text/plain"}).expect(415)
    service.nobody.post("/svc/ingest/", {}).expect(401)


@claim("decisions 3.1: unknown or of somebody else")
def a_result_of_somebody_else_is_404(service):
    url = source.add(shared["provider"], "Foreign", text_of(6))
    search_id, result = result_of(shared["ann"], shared["provider"], url)
    for client in [shared["bob"], service.admin]:
        client.post("/svc/ingest/", {"search_id": search_id, "swirl_id": result["swirl_id"]}).expect(404)
    shared["ann"].post("/svc/ingest/", {"search_id": search_id, "swirl_id": 10**9}).expect(404)
    shared["ann"].post("/svc/ingest/", {"search_id": 10**9, "swirl_id": result["swirl_id"]}).expect(404)


@claim("ai-cache 2.5: 403")
def a_provider_that_the_user_may_not_use_is_403(service):
    service.admin.post("/svc/groups/", {"name": "closed"}).expect(201)
    provider = source.provider(service, shared=False, groups=["closed"])
    url = source.add(provider, "Closed", text_of(7))
    shared["bob"].post("/svc/ingest/", {"url": url, "provider_id": provider["id"]}).expect(403)


@claim("ai-cache 2.4: text of at least 40 words", rows=[Row("39", (39, 422)), Row("40", (40, 200))])
def a_text_needs_40_words(service, words, status):
    url = source.route(f"/short{words}", Reply(text_of(9, words), headers={"Content-Type": "text/plain"}))
    service.admin.post("/svc/ingest/", {"url": url, "wait": True}).expect(status)


@claim("ai-cache 2.5: 422", rows=[Row(str(status), (status,)) for status in [401, 403, 404, 410]])
def a_page_that_is_refused_has_no_text(service, status):
    url = source.route(f"/refused{status}", Reply(text_of(10), status))
    answer = service.admin.post("/svc/ingest/", {"url": url, "wait": True}, timeout=60).expect(422).json()
    expect(answer["detail"] and answer["code"], "the common shape", answer)
    listed = service.admin.get("/svc/cache/", params={"text": f"refused{status}"}).expect(200).json()
    for each in listed:
        equal(each["state"], "known")


@claim("ai-cache 2.4: 3 tries")
def a_page_that_fails_is_tried_three_times(service):
    url = source.route("/broken", Reply("broken", 500))
    answer = service.admin.post("/svc/ingest/", {"url": url}).expect(202).json()
    eventually(lambda: len(source.asked("/broken")) >= 3, 60, "not tried three times")
    found = eventually(lambda: (one := document(service.admin, answer["signal_id"]))["messages"] and one, 60)
    equal(found["state"], "known")
    equal(len(source.asked("/broken")), 3)


@claim("ai-cache 2.5: a body of 200 words")
def a_supplied_text_is_used_and_nothing_is_fetched(_):
    url = source.route("/supplied", page_of("Other", text_of(11)))
    found = document(shared["ann"], supply(shared["ann"], url, text_of(12, 200), "Own title")["signal_id"])
    equal(source.asked("/supplied"), [])
    equal((found["title"], found["is_supplied"], found["source_provider"], found.get("source_provider_id")),
          ("Own title", True, "", None))  # fmt: skip


@claim("ai-cache 2.5: a body of 200 words")
def a_supplied_text_of_199_words_is_too_short_to_be_used(_):
    url = source.route("/supplied199", page_of("The page", text_of(13)))
    answer = ingest_typed(shared["ann"], url, body=text_of(14, 199), title="Own title")
    expect(len(source.asked("/supplied199")) >= 1, "the page is fetched")
    found = document(shared["ann"], answer["signal_id"])
    equal((found["title"], found["is_supplied"]), ("The page", False))


@claim("ai-cache 2.12; decisions 3.11", rows=[
    Row("over the limit", (1_100_000, 413)), Row("under the limit", (900_000, 200)),
])  # fmt: skip
def a_text_over_the_storage_limit_is_413(service, size, status):
    text = (text_of(15, 300) + " ") * (size // len(text_of(15, 300)))
    body = {"url": f"https://size.example/{size}", "body": text, "wait": True}
    service.admin.post("/svc/ingest/", body, timeout=60).expect(status)


ADDRESSES = [
    ("host in upper case", "https://ADDR.example/a?x=1&y=2"), ("scheme in upper case", "HTTPS://addr.example/a?x=1&y=2"),
    ("default port", "https://addr.example:443/a?x=1&y=2"), ("fragment", "https://addr.example/a?x=1&y=2#part"),
    ("tracking parameter", "https://addr.example/a?x=1&utm_source=mail&y=2"), ("query order", "https://addr.example/a?y=2&x=1"),
    ("click id", "https://addr.example/a?x=1&y=2&gclid=abc"),
]  # fmt: skip


@claim("ai-cache 2.3: url", rows=[Row(name, (url,)) for name, url in ADDRESSES])
def addresses_that_mean_the_same_are_one_document(_, url):
    first = supply(shared["ann"], "https://addr.example/a?x=1&y=2", text_of(16, 200))
    equal(supply(shared["ann"], url, text_of(16, 200))["signal_id"], first["signal_id"])
    equal(document(shared["ann"], first["signal_id"])["url"], "https://addr.example/a?x=1&y=2")


OTHER_ADDRESSES = [
    ("path case", "https://addr.example/A?x=1&y=2"), ("value", "https://addr.example/a?x=1&y=3"),
    ("scheme", "http://addr.example/a?x=1&y=2"), ("port", "https://addr.example:8443/a?x=1&y=2"),
    ("host", "https://www.addr.example/a?x=1&y=2"), ("parameter", "https://addr.example/a?x=1&y=2&z=3"),
]  # fmt: skip


@claim("ai-cache 2.3: url", rows=[Row(name, (url,)) for name, url in OTHER_ADDRESSES])
def other_addresses_are_other_documents(_, url):
    first = supply(shared["ann"], "https://addr.example/a?x=1&y=2", text_of(16, 200))
    expect(supply(shared["ann"], url, text_of(16, 200))["signal_id"] != first["signal_id"], "another document")


@claim("ai-cache 2.4: content changed, content unchanged")
def a_stale_copy_is_read_again(service):
    with Service(service.program, licensed(**BASIC, SVC_CACHE_LIVENESS_RECHECK_SECONDS="1")) as other:
        changes, stays = source.route("/changes", page_of("One", text_of(17))), source.route("/stays", page_of("Stays", text_of(19)))
        before = [document(other.admin, ingest_typed(other.admin, url)["signal_id"]) for url in (changes, stays)]
        source.route("/changes", page_of("Two", text_of(18, 90)))
        eventually(lambda: all(document(other.admin, each["signal_id"])["stale"] for each in before), 10, "not stale")
        after = [document(other.admin, ingest_typed(other.admin, url)["signal_id"]) for url in (changes, stays)]
        equal((after[0]["signal_id"], after[0]["title"]), (before[0]["signal_id"], "Two"), "the only reader keeps the id")
        expect(after[0]["signal_id"] in cached_results(other.admin, text_of(18, 12)), "found by its new text")
        equal(after[1]["indexed_at"], before[1]["indexed_at"], "an unchanged text is not indexed again")
        expect(after[1]["last_verified"] > before[1]["last_verified"], "and is verified again", after[1])


@claim("ai-cache 2.3: matter tags")
def tags_of_matters_are_stored_without_their_prefix(_):
    supply(shared["ann"], "https://matters.example/1", text_of(20, 200), tags=["matter:alpha", "Beta", "MATTER:gamma"])
    listed = shared["ann"].get("/svc/cache/", params={"matter_tag": "alpha"}).expect(200).json()
    equal([sorted(each["matter_tags"]) for each in listed], [["Beta", "alpha", "gamma"]])
    equal(shared["ann"].get("/svc/cache/", params={"matter_tag": "beta"}).json(), [], "names are compared exactly")
    equal(len(shared["ann"].get("/svc/cache/", params={"matter_tag": "Beta"}).json()), 1)


@claim("ai-cache 2.3: matter tags of the search")
def a_document_of_a_search_gets_the_matters_of_the_search(_):
    url = source.add(shared["provider"], "Search matter", text_of(21))
    search_id, result = result_of(shared["ann"], shared["provider"], url, tags=["matter:orion", "other"])
    body = {"search_id": search_id, "swirl_id": result["swirl_id"], "wait": True}
    found = document(shared["ann"], shared["ann"].post("/svc/ingest/", body).expect(200).json()["signal_id"])
    equal(found["matter_tags"], ["orion"])


@claim("cache: GET /svc/cache/")
def the_list_of_documents_is_filtered_and_paginated(service):
    eve = service.user("eve")
    ids = [supply(eve, f"https://list.example/{n}", text_of(30 + n, 200), f"Listed {n}")["signal_id"] for n in range(3)]
    listed = eve.get("/svc/cache/").expect(200).json()
    equal([each["signal_id"] for each in listed][:3], ids[::-1], "most recently retrieved first")
    page = eve.get("/svc/cache/", params={"text": "Listed", "page": 2, "items": 2}).expect(200).json()
    equal((page["count"], [each["signal_id"] for each in page["results"]], page["next"]), (3, ids[:1], None))
    expect("page=1" in page["previous"] and "text=Listed" in page["previous"], "a link to the first page", page)
    equal([each["signal_id"] for each in eve.get("/svc/cache/", params={"text": "Listed 1"}).json()], [ids[1]])
    equal(len(eve.get("/svc/cache/", params={"state": "indexed", "text": "Listed"}).json()), 3)
    equal(eve.get("/svc/cache/", params={"state": "pinned"}).json(), [])
    eve.get("/svc/cache/", params={"state": "lost"}).expect(400)


@claim("decisions 3.1", rows=[Row(path, (path, status)) for path, status in [
    ("/svc/cache/999999999/", 404), ("/svc/cache/0/", 404), ("/svc/cache/-1/", 404), ("/svc/cache/word/", 404),
    ("/svc/cache/999999999/diff/999999998/", 404),
]])  # fmt: skip
def an_unknown_document_is_404(service, path, status):
    service.admin.get(path).expect(status)


@claim("ai-cache 2.12: bodies")
def bodies_are_stored_once_under_their_hash(service):
    for number in range(2):
        supply(service.admin, f"https://equal.example/{number}", text_of(40, 210))
    files = [path for path in (service.data / "bodies").rglob("*.zst")]
    expect(files, "bodies are in the data folder")
    for path in files:
        equal(path.parent.name, path.stem[:2], "the folder is the first two characters of the hash")
        equal(path.stat().st_mode & 0o777, 0o600)
        equal(path.read_bytes()[:4], b"\x28\xb5\x2f\xfd", "zstd")
    count = len(files)
    supply(shared["bob"], "https://equal.example/other", text_of(40, 210))
    equal(len(list((service.data / "bodies").rglob("*.zst"))), count, "an equal text is stored once")


@claim("ai-cache 1.5.7; interface: auto-cache on RAG fetch", rows=[
    Row("true", ({"cache": "true"}, 1)), Row("True", ({"cache": True}, 1)), Row("false text", ({"cache": "false"}, 0)),
    Row("false", ({"cache": False}, 0)), Row("without the key", ({}, 0)),
])  # fmt: skip
def pages_of_summaries_enter_the_cache_if_the_source_says_so(service, config, count):
    models = service.admin.get("/svc/aiproviders/").expect(200).json()
    extractive = next(each for each in models if each["model"] == "local/extractive")
    service.admin.patch(f"/svc/aiproviders/{extractive['id']}/", {"active": True}).expect(200)
    provider = source.provider(service, page_fetch_config_json=config)
    source.add(provider, "Summary page", text_of(50 + len(str(config))))
    search = shared["bob"].run_search("basalt canyon", searchprovider_list=[provider["id"]])
    ids = [each["swirl_id"] for each in shared["bob"].results(search["id"])["results"]]
    shared["bob"].post("/svc/rag-search/", {"search_id": search["id"], "result_list": ids}).expect(200)

    def stored():
        return [each for each in shared["bob"].get("/svc/cache/").json() if each["source_provider"] == provider["name"]]

    if count:
        found = eventually(lambda: [each for each in stored() if each["state"] == "indexed"], 20, "not in the cache")
        equal((len(found), found[0]["origin"]), (count, "rag"))
    else:
        equal(stored(), [])


@claim("interface: Limits, eager pre-caching")
def the_best_results_are_cached_eagerly_up_to_the_limit(service):
    settings = licensed(SVC_EAGER_FEDERATED_PROMOTE_ENABLED="True", SVC_EAGER_FEDERATED_PROMOTE_MAX="2")
    with Service(service.program, settings) as other:
        provider = source.provider(other, page_fetch_config_json={"cache": "true"})
        for number in range(4):
            source.add(provider, f"Eager {number}", text_of(60 + number))
        other.admin.search("Eager", providers=[provider["id"]])
        found = eventually(lambda: len(listed := other.admin.get("/svc/cache/", params={"state": "indexed"}).json()) >= 2
                           and listed, 30)  # fmt: skip
        equal((len(other.admin.get("/svc/cache/").json()), {each["origin"] for each in found}), (2, {"eager"}))


@claim("interface: eager pre-caching is off by default")
def a_search_alone_stores_nothing(service):
    provider = source.provider(service, page_fetch_config_json={"cache": "true"})
    url = source.add(provider, "Lazy", text_of(70))
    shared["bob"].search("Lazy", providers=[provider["id"]])
    expect(not source.asked(url.removeprefix(source.base)), "the page is not fetched")
    equal([each for each in shared["bob"].get("/svc/cache/").json() if each["title"] == "Lazy"], [])


@claim("ai-cache 1.5: safety", rows=[Row(url, (url,)) for url in [
    "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://192.168.1.1/x", "http://[::1]:9/", "http://0.0.0.0/",
]])  # fmt: skip
def a_private_address_that_somebody_types_is_refused(service, url):
    service.admin.post("/svc/ingest/", {"url": url, "wait": True}, timeout=60).expect(400, 403, 422)


@claim("ai-cache 2.5: hostile redirects")
def a_redirect_to_a_private_address_is_refused(_):
    url = source.route("/jump", Reply("", 302, {"Location": "http://10.0.0.1/"}))
    shared["ann"].post("/svc/ingest/", {"url": url, "wait": True}, timeout=60).expect(422)


@claim("ai-cache 2.8: the field cache")
def a_cached_document_is_a_result_with_a_mark(_):
    url = source.add(shared["provider"], "Marked", text_of(80))
    signal_id = ingest(shared["ann"], shared["provider"], url, ["delta"])["signal_id"]
    result = cached_results(shared["ann"], text_of(80, 12))[signal_id]
    equal((result["title"], result["url"], result["searchprovider"]), ("Marked", url, CACHE_NAME))
    expected = {"state": "indexed", "badge": "Cached", "stale": False, "liveness": "alive", "shared_externally": False,
                "matter_tags": ["delta"]}  # fmt: skip
    equal({name: result["cache"][name] for name in expected}, expected)
    expect(result["cache"]["last_verified"], "last_verified", result["cache"])
    equal(result["payload"]["source_provider"], shared["provider"]["name"])
