"""The mounts of the API, lists and their pages, AIProviders, catalogs, schema, prefetch and server-sent events."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor

from harness import Reply, Service, claim, equal, expect
from harness.sample import MASK, SampleSource, error, items, rows

source = SampleSource()


def prepare(service):
    source.__enter__()
    source.provider(service, "Events good", items(3))


def finish():
    source.__exit__()


GET_PATHS = [
    "search", "results", "searchproviders", "aiproviders", "querytransforms", "connectors", "processors", "mixers",
    "users",
    "groups", "tokens", "users/me", "health/tasks", "health/live", "health/ready", "metrics/tasks", "api/schema",
    "canonical", "egress/events", "pipelines",
]  # fmt: skip
MOUNTS = ["/svc/{}/", "/svc/{}", "/api/svc/{}/", "/api/svc/{}"]


@claim("interface: Endpoints, two prefixes; decisions 1", rows=rows(*[(path, path) for path in GET_PATHS]))
def both_prefixes_serve_it_with_and_without_the_last_slash(service, path):
    bodies = []
    for mount in MOUNTS:
        answer = service.admin.get(mount.format(path)).expect(200)
        bodies.append(type(answer.json()) if "json" in answer.headers["content-type"] else str)
    equal(len(set(bodies)), 1, "kinds of bodies")


@claim("decisions 1, no redirect", rows=rows(*[(mount, mount) for mount in MOUNTS]))
def a_search_is_created_at_every_mount(service, mount):
    body = {"query_string": "copper", "searchprovider_list": ["Events good"]}
    search_id = service.admin.post(mount.format("search"), body).expect(201).json()["id"]
    service.admin.get(mount.format(f"search/{search_id}")).expect(200)


@claim("decisions 1, SVC_API_ALIASES")
def an_alias_mounts_the_api_again(service):
    with Service(service.program, {"SVC_API_ALIASES": "swirl"}) as other:
        for path in ["/swirl/search/", "/api/swirl/search", "/svc/search/"]:
            other.admin.get(path).expect(200)
    error(service.admin.get("/swirl/search/"), 404)


@claim("decisions 1", rows=rows(("search page", "/"), ("console", "/admin/"), ("documentation", "/svc/api/docs/")))
def a_page_is_served(service, path):
    answer = service.admin.get(path, headers={"Accept": "text/html"}).expect(200)
    expect("text/html" in answer.headers["content-type"], "no page", answer.headers)


@claim("interface: Interactive API schema documentation")
def the_schema_describes_the_paths_of_the_interface(service):
    schema = service.admin.get("/svc/api/schema/").expect(200).json()
    expect(schema["openapi"].startswith("3."), "no OpenAPI", schema["openapi"])
    interface = [
        "/svc/search/", "/svc/search/{id}/", "/svc/results/", "/svc/results/{id}/", "/svc/rag-search/",
        "/svc/searchproviders/", "/svc/aiproviders/", "/svc/aiproviders/{id}/", "/svc/ingest/", "/svc/cache/unindex/",
        "/svc/cache/check_liveness/", "/svc/canonical/", "/svc/canonical/pin-for-query/", "/svc/egress/scan/",
        "/svc/egress/events/", "/svc/health/tasks/", "/svc/metrics/tasks/",
    ]  # fmt: skip
    equal([path for path in interface if path not in schema["paths"]], [], "missing paths")


@claim("interface: Search, query_string required", rows=rows(
    ("SearchInput", "SearchInput", ["query_string"]), ("SearchProviderInput", "SearchProviderInput", ["name"]),
    ("UserCreate", "UserCreate", ["username", "password"]), ("GroupInput", "GroupInput", ["name"]),
))  # fmt: skip
def the_schema_marks_required_fields(service, name, required):
    equal(service.admin.get("/svc/api/schema/").json()["components"]["schemas"][name].get("required"), required)


# Lists.


@claim("decisions 3.3", rows=rows(*[(path, path) for path in [
    "search", "results", "searchproviders", "aiproviders", "querytransforms", "users", "groups", "tokens", "pipelines"
]]))  # fmt: skip
def a_list_is_an_array_and_with_page_or_items_a_page(service, path):
    service.admin.run_search("copper", searchprovider_list=["Events good"])
    service.admin.post("/svc/groups/", {"name": f"group for {path}"}).expect(201)
    address = f"/svc/{path}/"
    everything = service.admin.get(address).expect(200).json()
    expect(isinstance(everything, list), "no array", everything)
    for params in [{"page": 1}, {"items": 1}, {"page": 1, "items": 1}]:
        page = service.admin.get(address, params=params).expect(200).json()
        equal(set(page), {"count", "next", "previous", "results"})
        equal(page["count"], len(everything))
        equal(len(page["results"]), min(len(everything), params.get("items", 10)))
        equal(page["previous"], None)


@claim("decisions 3.3")
def pages_of_a_list_are_linked(service):
    for n in range(3):
        source.provider(service, f"Paged {n}", [])
    seen, address = [], "/svc/searchproviders/?items=2"
    while address:
        page = service.admin.get(address).expect(200).json()
        seen += [record["id"] for record in page["results"]]
        address = page["next"] and page["next"].removeprefix(service.base)
    equal(seen, [record["id"] for record in service.admin.get("/svc/searchproviders/").json()])
    equal(len(seen), page["count"])
    before = service.admin.get(page["previous"].removeprefix(service.base)).expect(200).json()
    equal(len(before["results"]), 2)


@claim("decisions 3.3, 3.11", rows=rows(
    ("page 0", {"page": 0}), ("page -1", {"page": -1}), ("page text", {"page": "x"}), ("items 0", {"items": 0}),
    ("items text", {"items": "x"}), ("items 101", {"items": 101}), ("huge page", {"page": "9" * 30}),
))  # fmt: skip
def an_invalid_page_is_refused(service, params):
    for path in ["/svc/search/", "/svc/searchproviders/"]:
        answer = service.admin.get(path, params=params)
        if params == {"items": 101} and answer.status == 200:
            expect(len(answer.json()["results"]) <= 100, "more than a page", len(answer.json()["results"]))
        else:
            error(answer, 400)


@claim("quirks: API, a page after the last one is empty")
def a_page_after_the_last_one_is_empty(service):
    for path in ["/svc/search/", "/svc/searchproviders/"]:
        page = service.admin.get(path, params={"page": 9999}).expect(200).json()
        equal((page["results"], page["next"]), ([], None))


@claim("interface: Configuration, GET", rows=rows(
    ("searchproviders", "searchproviders", ["id", "name", "connector", "active", "default"]),
    ("aiproviders", "aiproviders", ["id", "name", "model", "config", "active"]),
))  # fmt: skip
def a_list_of_records_has(service, path, fields):
    records = service.admin.get(f"/svc/{path}/").expect(200).json()
    expect(records, "empty")
    for record in records:
        expect(set(fields) <= set(record), "fields are missing", record)


RECORD_KINDS = ["searchproviders", "aiproviders", "querytransforms", "groups"]


def ai_provider(service, **fields):
    return service.admin.post("/svc/aiproviders/", {"model": "gpt-x", **fields})


@claim("interface: AIProvider")
def an_ai_provider_is_activated_by_a_patch_with_its_key(service):
    config = {"roles": ["rag", "chat"]}
    record = ai_provider(service, name="Activated", active=False, config=config).expect(201).json()
    path = f"/svc/aiproviders/{record['id']}/"
    patched = service.admin.patch(path, {"active": True, "api_key": "sk-Secret123"}).expect(200)
    expect("sk-Secret123" not in patched.text, "the key is shown", patched.text)
    after = service.admin.get(path).json()
    equal((after["active"], after["model"], sorted(after["config"]["roles"])), (True, "gpt-x", ["chat", "rag"]))
    service.admin.patch(path, {"active": False}).expect(200)


@claim("interface: AIProvider; decisions 3.1", rows=rows(
    ("active text", {"active": "perhaps"}, "active"), ("roles text", {"config": {"roles": "rag"}}, "config"),
    ("unknown role", {"config": {"roles": ["nosuch"]}}, "config"), ("no model", {"model": ""}, "model"),
    ("config list", {"config": []}, "config"), ("key number", {"api_key": 5}, "api_key"),
    ("no name", {"name": ""}, "name"),
))  # fmt: skip
def an_invalid_ai_provider_is_refused(service, fields, field):
    error(ai_provider(service, **{"name": f"Invalid {fields}", **fields}), 400, field=field)


@claim("interface: AIProvider, api_key (write); decisions 3.9",
       rows=rows(("masked", MASK), ("empty", ""), ("missing", None)))  # fmt: skip
def the_key_of_an_ai_provider_is_kept(service, sent):
    record = ai_provider(service, name=f"Kept {sent}", api_key="sk-Secret123", active=False).expect(201).json()
    fields = {"active": False, **({} if sent is None else {"api_key": sent})}
    after = service.admin.patch(f"/svc/aiproviders/{record['id']}/", fields).expect(200).json()
    equal(after["api_key_set"], True)


@claim("decisions 3.2",
       rows=rows(*[(kind, kind) for kind in RECORD_KINDS]))  # fmt: skip
def a_record_is_created_read_replaced_changed_and_deleted(service, kind):
    bodies = {
        "searchproviders": {"connector": "RequestsGet", "url": source.base},
        "aiproviders": {"model": "m", "active": False},
        "querytransforms": {"config_content": "a,b"}, "groups": {},
    }  # fmt: skip
    body = {"name": f"cycle-{kind}", **bodies[kind]}
    created = service.admin.post(f"/svc/{kind}/", body).expect(201).json()
    path = f"/svc/{kind}/{created['id']}/"
    equal(service.admin.get(path).expect(200).json()["name"], body["name"])
    equal(service.admin.put(path, {**body, "name": f"put-{kind}"}).expect(200).json()["name"], f"put-{kind}")
    equal(service.admin.patch(path, {"name": f"patch-{kind}"}).expect(200).json()["name"], f"patch-{kind}")
    equal(service.admin.delete(path).expect(204).body, b"")
    for method in ["GET", "PUT", "PATCH", "DELETE"]:
        error(service.admin.call(method, path, None if method in ("GET", "DELETE") else body), 404)


EDITED = {
    "users": ({"username": "edited-twice", "password": "Long-Pass-1"}, "email", "is_admin", ["a@b.example", "c@d.example"]),
    "querytransforms": ({"name": "edited-twice", "config_content": "a,b"}, "config_content", "shared", ["a,c", "a,d"]),
    "aiproviders": ({"name": "edited-twice", "model": "m", "active": False}, "model", "shared", ["m1", "m2"]),
}


@claim("decisions 7.7", rows=rows(*[(kind, kind) for kind in EDITED]))
def edits_of_different_fields_at_once_both_hold(service, kind):
    body, text_field, flag_field, texts = EDITED[kind]
    path = f"/svc/{kind}/{service.admin.post(f'/svc/{kind}/', body).expect(201).json()['id']}/"
    with ThreadPoolExecutor(2) as pool:
        for n in range(12):
            edits = [{text_field: texts[n % 2]}, {flag_field: n % 2 == 0}]
            for answer in pool.map(lambda edit: service.admin.patch(path, edit), edits):
                answer.expect(200)
            after = service.admin.get(path).json()
            equal((after[text_field], after[flag_field]), (texts[n % 2], n % 2 == 0), f"round {n}")


@claim("decisions 7.7", rows=rows(*[(kind, kind) for kind in EDITED]))
def an_outdated_version_is_refused(service, kind):
    body = {**EDITED[kind][0]}
    body["username" if kind == "users" else "name"] = "versioned"
    path = f"/svc/{kind}/{service.admin.post(f'/svc/{kind}/', body).expect(201).json()['id']}/"
    old = service.admin.get(path).headers["etag"]
    service.admin.patch(path, {EDITED[kind][1]: EDITED[kind][3][0]}, headers={"If-Match": old}).expect(200)
    error(service.admin.patch(path, {EDITED[kind][1]: EDITED[kind][3][1]}, headers={"If-Match": old}), 412)
    equal(service.admin.get(path).json()[EDITED[kind][1]], EDITED[kind][3][0])


# Prefetch and events.


@claim("decisions 3.13; interface: Browsers may prefetch", rows=rows(*[
    (f"{parameter} {header}", parameter, header) for parameter in ["q", "qs"] for header in ["Sec-Purpose", "Purpose"]
]))  # fmt: skip
def a_prefetch_creates_nothing(service, parameter, header):
    query = f"prefetched-{parameter}-{header}"
    for value in ["prefetch", "prefetch;prerender"] if header == "Sec-Purpose" else ["prefetch"]:
        answer = service.admin.get("/svc/search/", params={parameter: query}, headers={header: value})
        equal((answer.status, answer.body), (204, b""))
    expect(query not in [each["query_string"] for each in service.admin.get("/svc/search/").json()], "it was created")


def stream(service, search_id, wait_s):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=wait_s)
    headers = {"Authorization": service.admin.authorization}
    connection.request("GET", f"/svc/search/{search_id}/events/", headers=headers)
    return connection, connection.getresponse()


def events_of(service, search_id, wait_s=20):
    """The events of a stream until it ends, as pairs of name and data."""
    connection, answer = stream(service, search_id, wait_s)
    equal(answer.status, 200)
    expect(answer.getheader("content-type").startswith("text/event-stream"), "no stream", answer.getheaders())
    text = answer.read().decode()
    connection.close()
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def running_search(service, name):
    """A search of a quick, a slow and a broken source."""
    def slow(request):
        time.sleep(1)
        return {"items": items(2, word="bronze")}

    source.provider(service, f"{name} slow", slow)
    source.provider(service, f"{name} broken", Reply("no", 500))
    body = {"query_string": "copper", "searchprovider_list": ["Events good", f"{name} slow", f"{name} broken"]}
    return service.admin.post("/svc/search/", body).expect(201).json()["id"]


@claim("decisions 3.15")
def events_tell_every_source_the_list_the_status_and_the_end(service):
    events = events_of(service, running_search(service, "Live"))
    names = [name for name, _ in events]
    equal(set(names), {"provider", "results", "status", "done"})
    equal((names.count("provider"), names.count("done"), names[-1]), (3, 1, "done"))
    text = json.dumps([data for name, data in events if name == "provider"])
    for provider in ["Events good", "Live slow", "Live broken"]:
        expect(provider in text, f"no event of {provider}", text)
    lists = [data["results"] for name, data in events if name == "results"]
    equal(len(lists[-1]), 5, "results of the last list")
    expect(3 in map(len, lists[:-1]), "no list before the end", list(map(len, lists)))
    statuses = json.dumps([data for name, data in events if name == "status"])
    expect("PARTIAL_RESULTS_READY" in statuses, "no final status", statuses)


@claim("decisions 3.15, the first list comes before the slow source")
def the_list_of_the_quick_source_comes_first(service):
    search_id = running_search(service, "First")
    started = time.monotonic()
    connection, answer = stream(service, search_id, 20)
    while not answer.readline().startswith(b"event: results"):
        expect(time.monotonic() - started < 5, "no list came")
    expect(time.monotonic() - started < 0.9, "the list waited for the slow source")
    connection.close()
    service.admin.finished_search(search_id)


@claim("decisions 3.15, the same ends when the search is already ready")
def events_of_a_finished_search_end_the_same_way(service):
    search_id = running_search(service, "Past")
    service.admin.finished_search(search_id)
    events = events_of(service, search_id)
    equal(sum(name == "provider" for name, _ in events), 3)
    equal((events[-1][0], len([data for name, data in events if name == "results"][-1]["results"])), ("done", 5))


@claim("decisions 3.15", rows=rows(("unknown", "99999999", 404), ("text", "abc", 404)))
def events_of_no_search_are_an_error(service, search_id, status):
    answer = service.admin.get(f"/svc/search/{search_id}/events/")
    error(answer, answer.status if answer.status == 400 else status)


@claim("decisions 3.15, heartbeat every 15 s")
def a_quiet_stream_has_a_heartbeat(service):
    def quiet(request):
        time.sleep(19)
        return {"items": []}

    with Service(service.program, {"SVC_TIMEOUT": "20", "SVC_SEARCH_HTTP_READ_TIMEOUT": "20"}) as other:
        source.provider(other, "Quiet", quiet)
        body = {"query_string": "a", "searchprovider_list": ["Quiet"]}
        search_id = other.admin.post("/svc/search/", body).expect(201).json()["id"]
        connection, answer = stream(other, search_id, 17)
        started, line = time.monotonic(), b""
        while not line.startswith(b":"):
            line = answer.readline()
            expect(line and time.monotonic() - started < 16.5, "no heartbeat came", line.decode())
        connection.close()
