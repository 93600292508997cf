"""Requests that start a search or follow it: events, redirects, prefetches, repeated requests."""

import re
import time

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers, items_for

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])
    STATE["good"] = STATE["providers"].create("good", items_for(2))


def finish():
    STATE["source"].__exit__()


def late(seconds, reply):
    def respond(request):
        time.sleep(seconds)
        return reply

    return respond


@claim("decisions 3.15: events of a search")
def a_search_can_be_followed(service):
    slow = STATE["providers"].create("followed slow", respond=late(0.5, {"items": items_for(1, "copper slow")}))
    search = service.admin.post(
        "/svc/search/", {"query_string": "copper", "searchprovider_list": [STATE["good"], slow]}
    ).expect(201).json()
    text = service.admin.get(f"/svc/search/{search['id']}/events/").expect(200)
    expect(text.headers["content-type"].startswith("text/event-stream"), "type", text.headers)
    events = re.findall(r"^event: ?(\w+)", text.text, re.MULTILINE)
    equal(events.count("provider"), 2, "provider events")
    equal((events.count("done"), events[-1]), (1, "done"), "done events")
    expect("results" in events and "status" in events, "events are missing", events)
    again = service.admin.get(f"/svc/search/{search['id']}/events/").expect(200).text
    events = re.findall(r"^event: ?(\w+)", again, re.MULTILINE)
    equal((events.count("provider"), events[-1]), (2, "done"), "events of a finished search")
    expect("results" in events, "results of a finished search", events)


@claim("interface: GET ?q= redirects to the results")
def q_redirects_to_the_results(service):
    response = service.admin.get("/svc/search/", params={"q": "copper", "providers": "good"}).expect(302)
    expect(
        "/svc/results" in response.headers["location"] and "search_id=" in response.headers["location"], "location",
        response.headers,
    )  # fmt: skip
    path = response.headers["location"].removeprefix(service.base)
    equal(len(service.admin.get(path).expect(200).json()["results"]), 2)


@claim("decisions 3.13: prefetch", rows=[
    Row(f"{parameter} {name}", (parameter, name)) for parameter in ("q", "qs") for name in ("Sec-Purpose", "Purpose")
])  # fmt: skip
def a_prefetch_creates_nothing(service, parameter, header):
    query = f"prefetched {parameter} {header}"
    service.admin.get("/svc/search/", params={parameter: query}, headers={header: "prefetch"}).expect(204)
    equal([each for each in service.admin.get("/svc/search/").json() if each["query_string"] == query], [])


@claim("core 9.3: status and messages are read-only (quirks)")
def status_and_messages_cannot_be_written(service):
    body = {"query_string": "copper", "searchprovider_list": [STATE["good"]], "status": "ERR_X", "messages": ["mine"]}
    search = service.admin.post("/svc/search/", body).expect(201).json()
    equal(search["status"], "NEW_SEARCH")
    search = service.admin.finished_search(search["id"])
    equal(search["status"], "FULL_RESULTS_READY")
    changed = service.admin.patch(
        f"/svc/search/{search['id']}/", {"status": "NEW_SEARCH", "messages": []}
    ).expect(200).json()
    equal((changed["status"], changed["messages"]), (search["status"], search["messages"]))


@claim("docs/search: requests that may be repeated")
def a_repeated_request_creates_nothing_twice(service):
    body = {"query_string": "copper repeated", "searchprovider_list": [STATE["good"]]}
    key = {"Idempotency-Key": "claims-1"}
    first = service.admin.post("/svc/search/", body, headers=key).expect(201)
    second = service.admin.post("/svc/search/", body, headers=key).expect(201)
    equal(second.json()["id"], first.json()["id"])
    equal(second.headers.get("idempotent-replayed"), "true")
    other = service.admin.post("/svc/search/", {**body, "query_string": "other"}, headers=key).expect(422)
    equal(other.json()["code"], "idempotency_key_reused")
    equal(
        len(
            [each for each in service.admin.get("/svc/search/").json() if each["query_string"] == body["query_string"]]
        ),
        1,
    )  # fmt: skip
