"""Pins: one document for a query and a scope, conflicts, force, history, states and badges."""

import contextlib
import threading

from harness import Reply, Row, claim, equal, eventually, expect
from harness.documents import Documents, cached_results, document, ingest_typed, page_of, supply, text_of
from harness.license import licensed

SETTINGS = licensed(SVC_CORPUS_MIN_SCORE="0", SVC_OUTBOUND_ALLOW="127.0.0.1")
source = Documents()
cleanup = contextlib.ExitStack()
shared = {}


def prepare(service):
    cleanup.enter_context(source)
    shared["cora"] = service.user("cora", ["curators"])
    shared["ann"] = service.user("ann")
    for name in "abcdef":
        shared[name] = new_document(shared["cora"], name)


def finish():
    cleanup.close()


def new_document(client, name):
    return supply(client, f"https://pins.example/{name}", text_of(ord(name[0]) * 7 + len(name), 200), f"Title {name}")["signal_id"]


def pin(client, signal_id, query, status, **fields):
    body = {"signal_id": signal_id, "query": query, **fields}
    return client.post("/svc/canonical/pin-for-query/", body).expect(status).json()


def pins(client, **params):
    return client.get("/svc/canonical/pins/", params=params).expect(200).json()["results"]


@claim("ai-cache 2.9: pin-for-query")
def a_new_pin_is_201(_):
    found = pin(shared["cora"], shared["a"], "Annual  REPORT", 201)
    expected = {
        "query_key": "annual report", "scope": "firm", "signal_id": shared["a"], "title": "Title a",
        "url": "https://pins.example/a", "pinned_by": "cora", "via": "manual", "run_id": None,
    }  # fmt: skip
    equal({name: found.get(name) for name in expected}, expected)
    expect(found["id"] and found["pinned_at"], "id and time", found)
    equal(document(shared["cora"], shared["a"])["state"], "pinned")


@claim("ai-cache 2.9: the same pin")
def the_same_pin_again_is_200(_):
    first = pin(shared["cora"], shared["b"], "same pin", 201)
    equal(pin(shared["cora"], shared["b"], "SAME   pin ", 200)["id"], first["id"])


@claim("interface: pin-for-query rules, 409")
def another_document_for_the_query_is_409_with_the_existing_pin(_):
    first = pin(shared["cora"], shared["a"], "conflict", 201)
    for force in [{}, {"force": False}]:
        answer = pin(shared["cora"], shared["b"], "Conflict", 409, **force)
        equal(answer["code"], "pin_exists")
        equal((answer["existing_pin"]["id"], answer["existing_pin"]["signal_id"]), (first["id"], shared["a"]))
        expect(answer["detail"] and answer["request_id"], "the common shape", answer)


@claim("interface: pin-for-query rules, force")
def force_replaces_the_pin(_):
    pin(shared["cora"], shared["a"], "replace me", 201)
    found = pin(shared["cora"], shared["b"], "replace me", 201, force=True)
    equal(found["signal_id"], shared["b"])
    equal([each["signal_id"] for each in pins(shared["cora"], query="replace me")], [shared["b"]])


@claim("interface: pins are per query")
def several_documents_are_pinned_for_several_queries(_):
    for name in "ab":
        pin(shared["cora"], shared[name], f"several {name}", 201)
    pin(shared["cora"], shared["a"], "several c", 201)
    equal({each["query_key"]: each["signal_id"] for each in pins(shared["cora"], query="several")},
          {"several a": shared["a"], "several b": shared["b"], "several c": shared["a"]})  # fmt: skip


@claim("ai-cache 2.3: pin, scope")
def a_matter_has_pins_of_its_own(_):
    pin(shared["cora"], shared["a"], "scoped", 201)
    pin(shared["cora"], shared["b"], "scoped", 201, scope="matter:Acme")
    pin(shared["cora"], shared["c"], "scoped", 201, scope="matter:acme")
    equal({each["scope"]: each["signal_id"] for each in pins(shared["cora"], query="scoped")},
          {"firm": shared["a"], "matter:Acme": shared["b"], "matter:acme": shared["c"]})  # fmt: skip
    equal(len(pins(shared["cora"], query="scoped", scope="matter:Acme")), 1)
    pin(shared["cora"], shared["b"], "scoped", 409, scope="FIRM")


@claim("canonical: scopes", rows=[Row(written, (index, written, meant)) for index, (written, meant) in enumerate([
    ("firm", "firm"), ("Firm", "firm"), ("matter:x9", "matter:x9"), ("MATTER:x9", "matter:x9"), ("Matter:X9", "matter:X9"),
    ("x9", "matter:x9"),
])])  # fmt: skip
def the_words_of_a_scope_may_have_any_case(_, index, written, meant):
    equal(pin(shared["cora"], shared["d"], f"written {index}", 201, scope=written)["scope"], meant)


INVALID = [
    ("no query", {"signal_id": 1}), ("empty query", {"signal_id": 1, "query": ""}),
    ("blank query", {"signal_id": 1, "query": "  \t"}), ("a number as query", {"signal_id": 1, "query": 5}),
    ("no document", {"query": "x"}), ("a word as document", {"signal_id": "a", "query": "x"}),
    ("force is a word", {"signal_id": 1, "query": "x", "force": "yes"}),
    ("a query of 2049 characters", {"signal_id": 1, "query": "q" * 2049}),
    ("a number as scope", {"signal_id": 1, "query": "x", "scope": 1}),
    ("a matter without a name", {"signal_id": 1, "query": "x", "scope": "matter:"}),
    ("a matter of blanks", {"signal_id": 1, "query": "x", "scope": "MATTER:  "}),
    ("a matter of 201 characters", {"signal_id": 1, "query": "x", "scope": "matter:" + "m" * 201}), ("a list", []),
]  # fmt: skip


@claim("decisions 3.1, 3.11; ai-cache 2.9", rows=[Row(name, (body,)) for name, body in INVALID])
def an_invalid_pin_is_400(_, body):
    if isinstance(body, dict) and body.get("signal_id") == 1:
        body = {**body, "signal_id": shared["a"]}
    shared["cora"].post("/svc/canonical/pin-for-query/", body).expect(400)


@claim("ai-cache 2.9: 404")
def an_unknown_document_cannot_be_pinned(_):
    pin(shared["cora"], 10**9, "unknown", 404)


@claim("ai-cache 2.9: permission", rows=[Row(path, (method, path, body)) for method, path, body in [
    ("POST", "/svc/canonical/pin-for-query/", {"signal_id": 1, "query": "x"}), ("POST", "/svc/canonical/1/unpin/", {}),
    ("POST", "/svc/canonical/1/approve/", {}), ("POST", "/svc/canonical/1/reject/", {"reason": "other"}),
    ("GET", "/svc/canonical/pins/", None), ("GET", "/svc/canonical/pins/history/", None),
]])  # fmt: skip
def deciding_is_for_curators(_, method, path, body):
    shared["ann"].call(method, path, body).expect(403)


@claim("ai-cache 2.4: pin of a known document")
def a_document_without_text_cannot_be_pinned_if_it_cannot_be_fetched(service):
    url = source.route("/broken", Reply("broken", 404))
    signal_id = shared["cora"].post("/svc/ingest/", {"url": url}).expect(202).json()["signal_id"]
    eventually(lambda: document(shared["cora"], signal_id)["messages"], 30)
    equal(pin(shared["cora"], signal_id, "no text", 422)["code"], "not_indexed")
    source.route("/broken", page_of("Back", text_of(900)))
    pin(shared["cora"], signal_id, "no text", 201)
    equal(document(shared["cora"], signal_id)["state"], "pinned")


@claim("ai-cache 2.4: last pin removed")
def a_document_stays_pinned_until_its_last_pin_is_removed(_):
    signal_id = new_document(shared["cora"], "last")
    for query in ["last one", "last two"]:
        pin(shared["cora"], signal_id, query, 201)
    for query, removed, state in [("last one", 1, "pinned"), ("last one", 0, "pinned"), ("last two", 1, "indexed")]:
        answer = shared["cora"].post(f"/svc/canonical/{signal_id}/unpin/", {"query": query}).expect(200).json()
        equal((answer, document(shared["cora"], signal_id)["state"]), ({"removed": removed}, state))


@claim("ai-cache 2.9: unpin without query", rows=[Row("empty object", ({},)), Row("no body", (None,))])
def unpinning_without_a_query_removes_all_pins(_, body):
    signal_id = new_document(shared["cora"], f"all{body}")
    for query in ["all one", "all two"]:
        pin(shared["cora"], signal_id, f"{query} {body}", 201, scope="matter:all")
    answer = shared["cora"].call("POST", f"/svc/canonical/{signal_id}/unpin/", body).expect(200).json()
    equal(answer, {"removed": 2})


@claim("ai-cache 2.9: unpin with scope")
def unpinning_in_a_scope_leaves_the_others(_):
    signal_id = new_document(shared["cora"], "scopes")
    for scope in ["firm", "matter:one", "matter:two"]:
        pin(shared["cora"], signal_id, "three scopes", 201, scope=scope)
    answer = shared["cora"].post(f"/svc/canonical/{signal_id}/unpin/", {"query": "three scopes", "scope": "matter:one"})
    equal(answer.expect(200).json(), {"removed": 1})
    equal({each["scope"] for each in pins(shared["cora"], signal_id=signal_id)}, {"firm", "matter:two"})
    shared["cora"].post("/svc/canonical/999999999/unpin/", {}).expect(404)


@claim("ai-cache 2.8.6: pinned for exactly this query")
def a_pinned_document_is_first_with_its_badge(_):
    query = text_of(ord("e") * 7 + 1, 14)
    near = cached_results(shared["cora"], query)
    equal(near[shared["e"]]["swirl_rank"], 1, "nearest without a pin")
    pin(shared["cora"], shared["f"], query, 201)
    found = cached_results(shared["cora"], query)
    equal((found[shared["f"]]["swirl_rank"], found[shared["f"]]["cache"]["badge"]), (1, "Pinned"))
    equal(found[shared["e"]]["cache"]["badge"], "Cached")
    shared["cora"].post(f"/svc/canonical/{shared['f']}/unpin/", {"query": query}).expect(200)
    found = cached_results(shared["cora"], query)
    equal((found[shared["e"]]["swirl_rank"], found[shared["f"]]["cache"]["badge"]), (1, "Cached"), "after the unpin")


@claim("ai-cache 2.8.6: promotion in relevancy mixers", rows=[Row(mixer, (mixer, is_first)) for mixer, is_first in [
    ("RelevancyConfidenceMixer", True), ("RelevancyMixer", True), ("DateMixer", False), ("Stack1Mixer", False),
    ("Stack2Mixer", False), ("RoundRobinMixer", False),
]])  # fmt: skip
def only_relevancy_mixers_put_a_pinned_document_first(_, mixer, is_first):
    query = text_of(ord("e") * 7 + 1, 15)
    pin(shared["cora"], shared["f"], query, 201, force=True) if not pins(shared["cora"], signal_id=shared["f"]) else None
    found = cached_results(shared["cora"], query, result_mixer=mixer)
    if is_first:
        equal(found[shared["f"]]["swirl_rank"], 1)
    elif mixer != "DateMixer":
        equal(found[shared["e"]]["swirl_rank"], 1, "the order of the source")


@claim("ai-cache 2.8: matter scope before firm scope")
def a_pin_of_the_matter_of_a_search_wins(_):
    query = "which of these two is it"
    pin(shared["cora"], shared["c"], query, 201)
    pin(shared["cora"], shared["d"], query, 201, scope="matter:Lion")
    for tags, first in [([], "c"), (["matter:Lion"], "d"), (["MATTER:Lion"], "d"), (["matter:lion"], "c"), (["Lion"], "c")]:
        found = cached_results(shared["cora"], query, tags)
        equal(found[shared[first]]["swirl_rank"], 1, f"with tags {tags}")


@claim("ai-cache 2.8: a pin applies to its query only")
def a_pin_does_not_apply_to_other_queries(_):
    pin(shared["cora"], shared["a"], "only this query", 201)
    for query in ["only this", "only this query now", '"only this query"']:
        expect(cached_results(shared["cora"], query)[shared["a"]]["cache"]["badge"] != "Pinned", query)


@claim("ai-cache 2.7: pins never show a document")
def a_pin_shows_nothing_to_others(_):
    pin(shared["cora"], shared["b"], "private pin", 201)
    expect(shared["b"] not in cached_results(shared["ann"], "private pin"), "ann does not see the document")


@claim("ai-cache 2.7: a conflicting pin of a hidden document")
def a_conflict_with_a_hidden_document_does_not_tell_it(service):
    other = service.user("otto", ["curators"])
    pin(shared["cora"], shared["a"], "hidden conflict", 201)
    answer = pin(other, new_document(other, "otto"), "hidden conflict", 409)
    equal(answer["code"], "pin_exists")
    equal((answer["existing_pin"].get("signal_id"), answer["existing_pin"].get("title"), answer["existing_pin"].get("url")),
          (None, None, None))  # fmt: skip
    expect("Title a" not in str(answer) and "pins.example/a" not in str(answer), "nothing of the document", answer)
    pin(other, shared["a"], "hidden conflict", 404)


@claim("canonical: history of pins")
def changes_of_pins_are_in_the_history(_):
    first, second = new_document(shared["cora"], "old"), new_document(shared["cora"], "newer")
    pin(shared["cora"], first, "history", 201)
    pin(shared["cora"], second, "history", 201, force=True)
    shared["cora"].post(f"/svc/canonical/{second}/unpin/", {"query": "history"}).expect(200)
    found = shared["cora"].get("/svc/canonical/pins/history/", params={"query": "history"}).expect(200).json()["results"]
    equal([(each["action"], each["signal_id"], each.get("before"), each["by"]) for each in found],
          [("unpinned", second, None, "cora"), ("replaced", second, first, "cora"), ("pinned", first, None, "cora")])  # fmt: skip


@claim("interface: one pin for a query")
def concurrent_pins_leave_one(_):
    statuses = []

    def attempt(name):
        body = {"signal_id": shared[name], "query": "at the same time"}
        statuses.append(shared["cora"].post("/svc/canonical/pin-for-query/", body).status)

    threads = [threading.Thread(target=attempt, args=(name,)) for name in "abcdef"]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    equal(sorted(statuses), [201] + [409] * 5)
    equal(len(pins(shared["cora"], query="at the same time")), 1)


@claim("ai-cache 2.9: lists are paginated")
def lists_are_paginated(_):
    for path in ["/svc/canonical/pins/", "/svc/canonical/pins/history/", "/svc/canonical/"]:
        found = shared["cora"].get(path, params={"items": 1, "page": 1}).expect(200).json()
        equal(sorted(found), ["count", "next", "previous", "results"], path)
        expect(len(found["results"]) <= 1, path, found)
