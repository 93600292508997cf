"""Requests to the resources: errors, malformed bodies, lists and pages, tests of a source, catalogs."""

import re

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers, failing, items_for, plain

STATE = {"count": 0}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def unique(word):
    STATE["count"] += 1
    return f"{word} {STATE['count']}"


def provider(**fields):
    return {"name": unique("limit"), "connector": "RequestsGet", "url": "http://x.example/", **fields}


@claim("decisions 3.1 and 3.2: errors of every resource", rows=[Row(path, (path,)) for path in [
    "/svc/search/", "/svc/results/", "/svc/searchproviders/", "/svc/aiproviders/", "/svc/querytransforms/",
    "/svc/users/", "/svc/groups/", "/svc/tokens/", "/svc/canonical/",
]])  # fmt: skip
def wrong_requests_have_one_shape(service, path):
    admin = service.admin
    found = {
        "unknown id": (admin.get(f"{path}999999/"), 404), "text as id": (admin.get(f"{path}x-y/"), (400, 404)),
        "method": (admin.call("TRACE", path), 405),
        "huge id": (admin.get(f"{path}99999999999999999999999/"), (400, 404)),
        "unknown path": (admin.get(f"{path}1/nothing/"), 404),
    }  # fmt: skip
    for name, (response, status) in found.items():
        expect(response.status in (status if isinstance(status, tuple) else (status,)), f"{name}: {response.status}")
        body = response.json()
        expect(
            {"detail", "code", "request_id"} <= set(body) and body["detail"] and re.fullmatch(r"[a-z_]+", body["code"]),
            f"{name}: shape", body,
        )  # fmt: skip


@claim("decisions 3.1: bodies that are no JSON objects", rows=[
    Row("broken", (b'{"query_string": ', "application/json", 400)), Row("list", (b"[1]", "application/json", 400)),
    Row("text", (b'"copper"', "application/json", 400)),
    Row("empty", (b"", "application/json", 400)),
    Row("form", (b"query_string=copper", "application/x-www-form-urlencoded", 415)),
    Row("plain", (b'{"query_string": "copper"}', "text/plain", 415)),
    Row("not UTF-8", (b'{"query_string": "\xff\xfe"}', "application/json", 400)),
    Row("too large", (b'{"query_string": "copper", "x": "' + b"a" * 2_100_000 + b'"}', "application/json", 413)),
    Row(
        "deep", (b'{"query_string": "copper", "x": ' + b"[" * 5000 + b"]" * 5000 + b"}", "application/json", (201, 400))
    ),
])  # fmt: skip
def malformed_bodies_are_refused(service, body, kind, status):
    response = service.admin.post("/svc/search/", body, headers={"Content-Type": kind})
    expect(
        response.status in (status if isinstance(status, tuple) else (status,)), f"{response.status}",
        response.text[:200],
    )  # fmt: skip
    if response.status >= 400:
        expect({"detail", "code", "request_id"} <= set(response.json()), "not the common shape", response.text[:200])


@claim(
    "decisions 3.3: lists",
    rows=[
        Row(path, (path,))
        for path in ["/svc/search/", "/svc/searchproviders/", "/svc/users/", "/svc/groups/", "/svc/results/"]
    ],
)  # fmt: skip
def lists_are_arrays_or_pages(service, path):
    for number in range(3):
        service.admin.post("/svc/groups/", {"name": unique("listed")}).expect(201)
        service.admin.post(
            "/svc/users/", {"username": unique("listed").replace(" ", ""), "password": "long-Pass-77"}
        ).expect(201)
        service.admin.post("/svc/searchproviders/", provider()).expect(201)
    if path in ("/svc/results/", "/svc/search/"):
        for _ in range(3):
            service.admin.run_search(
                "copper", searchprovider_list=[STATE["providers"].create(unique("l"), items_for(1))]
            )
    everything = service.admin.get(path).expect(200)
    expect(isinstance(everything.json(), list), "not a bare array", everything.text[:200])
    count = len(everything.json())
    equal(int(everything.headers["x-total-count"]), count, "X-Total-Count")
    page = service.admin.get(path, params={"page": 2, "items": 2}).expect(200).json()
    equal(set(page), {"count", "next", "previous", "results"})
    key = "id"
    equal([each[key] for each in page["results"]], [each[key] for each in everything.json()[2:4]])
    equal((page["count"], bool(page["previous"]), bool(page["next"])), (count, True, count > 4))
    equal(
        service.admin.get(path, params={"page": 9999, "items": 2}).expect(200).json()["results"], [],
        "a page after the end",
    )  # fmt: skip
    for wrong in [{"page": 0}, {"items": 0}, {"items": -1}, {"page": "x"}]:
        service.admin.get(path, params=wrong).expect(400)
    expect(service.admin.get(path, params={"items": 101}).status in (200, 400), "page size")


@claim("decisions 3.11: page size 100")
def a_page_has_at_most_100_records(service):
    groups = [service.admin.post("/svc/groups/", {"name": unique("many")}).expect(201) for _ in range(101)]
    response = service.admin.get("/svc/groups/", params={"items": 500})
    expect(response.status == 400 or len(response.json()["results"]) == 100, "a larger page", response.status)
    equal(len(groups), 101)


@claim("core 9.1: order of lists")
def searches_are_listed_newest_first(service):
    ids = [service.admin.run_search("copper", searchprovider_list=["none"])["id"] for _ in range(3)]
    equal([each["id"] for each in service.admin.get("/svc/search/").json()][:3], ids[::-1])
    providers = [each["id"] for each in service.admin.get("/svc/searchproviders/").json()]
    equal(providers, sorted(providers))


@claim("decisions 3.14: dry run")
def a_dry_run_shows_every_page_and_sends_nothing(service):
    made = STATE["providers"].create(
        unique("dry"), [], query_template="{url}?a=1&q={query_string}", results_per_query=30,
        query_mappings="PAGE=start=RESULT_INDEX,DATE_SORT=s=d",
        credentials="bearer=s3cret-token",
    )  # fmt: skip
    path = STATE["providers"].path(made)
    found = service.admin.get(
        f"/svc/searchproviders/{made}/test/", params={"q": "solid state", "dry_run": "true", "sort": "date"}
    ).expect(200).json()
    url = STATE["source"].base + path
    equal(
        [each["url"] for each in found["requests"]],
        [f"{url}?a=1&s=d&start={start}&q=solid+state" for start in (1, 11, 21)],
    )  # fmt: skip
    equal({each["method"] for each in found["requests"]}, {"GET"})
    equal([name for name in found["requests"][0]["headers"] if name.lower() == "authorization"] != [], True, "headers")
    expect("s3cret" not in str(found), "the secret is shown", found)
    equal(STATE["source"].asked(path), [])


@claim("decisions 3.14: a test")
def a_test_asks_once_and_saves_nothing(service):
    made = STATE["providers"].create(
        unique("tested"), respond={"items": items_for(3), "total": 30}, response_mappings="FOUND=total,RESULTS=items"
    )
    searches = len(service.admin.get("/svc/search/").json())
    found = service.admin.get(f"/svc/searchproviders/{made}/test/", params={"q": "copper"}).expect(200).json()
    equal((found["status"], found["found"], found["retrieved"]), ("OK", 30, 3))
    expect(plain(found["sample"]["title"]).startswith("copper"), "sample", found)
    expect(found["time"] >= 0 and found["provider"].startswith("tested"), "time and provider", found)
    equal(len(STATE["source"].asked(STATE["providers"].path(made))), 1)
    equal(len(service.admin.get("/svc/search/").json()), searches)


@claim("decisions 3.14: a test that fails")
def a_failed_test_has_its_error(service):
    made = STATE["providers"].create(unique("broken"), respond=failing())
    found = service.admin.get(f"/svc/searchproviders/{made}/test/", params={"q": "copper"}).expect(200).json()
    equal((found["status"], found["found"], found["retrieved"], found.get("sample")), ("FAIL", 0, 0, None))
    expect(found["error"]["code"], "no code", found)


CATALOGS = {
    "/svc/connectors/": [
        "RequestsGet", "RequestsPost", "Elastic", "OpenSearch", "Sqlite3", "PostgreSQL", "QdrantDB", "PineconeDB",
        "MongoDB", "GenAI", "M365OutlookMessages", "M365OutlookCalendar", "M365OneDrive", "M365SharePointSites",
        "MicrosoftTeams", "BigQuery", "Oracle", "Snowflake", "TributaryCorpusConnector",
    ],
    "/svc/processors/": [
        "AdaptiveQueryProcessor", "SpellcheckQueryProcessor", "RemovePIIQueryProcessor", "GenAIQueryProcessor",
        "NoModQueryProcessor", "GenericQueryProcessor", "MappingResultProcessor", "CosineRelevancyResultProcessor",
        "DateFinderResultProcessor", "RequireQueryStringInTitleResultProcessor", "RedactPIIResultProcessor",
        "AutomaticPayloadMapperResultProcessor", "CleanTextResultProcessor", "LenLimitingResultProcessor",
        "DedupeByFieldResultProcessor", "GenericResultProcessor", "CosineRelevancyPostResultProcessor",
        "DedupeByFieldPostResultProcessor", "DedupeBySimilarityPostResultProcessor", "RedactPIIPostResultProcessor",
        "VersionClusteringPostResultProcessor", "DropIrrelevantPostResultProcessor",
    ],
}  # fmt: skip


@claim("decisions 3.18: catalogs", rows=[Row(path, (path, names)) for path, names in CATALOGS.items()])
def catalogs_name_what_the_interface_names(service, path, names):
    rows = service.admin.get(path).expect(200).json()
    equal(sorted(set(names) - {each["name"] for each in rows}), [])
    expect(all(each["kind"] and each["summary"] for each in rows), "a row is incomplete", rows)


@claim(
    "core 9.7: the same views below sapi",
    rows=[Row(path, (path,)) for path in ["searchproviders", "search", "results"]],
)  # fmt: skip
def sapi_paths_are_the_same(service, path):
    equal(
        service.admin.get(f"/svc/sapi/{path}/").expect(200).json(),
        service.admin.get(f"/svc/{path}/").expect(200).json(),
    )  # fmt: skip


@claim("core 9.7: search history")
def the_search_history_is_paged(service):
    page = service.admin.get(
        "/svc/sapi/search/", params={"search_only": "true", "items": 2, "page": 1}
    ).expect(200).json()
    equal(set(page), {"count", "next", "previous", "results"})
    expect(len(page["results"]) <= 2, "page size", len(page["results"]))
    equal(
        set(service.admin.get("/svc/search/", params={"search_only": "true"}).json()),
        {"count", "next", "previous", "results"},
    )  # fmt: skip


@claim("interface: Monitoring, /svc/health/tasks/", rows=[Row(prefix, (prefix,)) for prefix in ["/svc", "/api/svc"]])
def the_health_of_the_workers_is_ok(service, prefix):
    body = service.admin.get(f"{prefix}/health/tasks/").expect(200).json()
    equal(body["status"], "ok")
    expect(isinstance(body["message"], str) and body["message"], "message", body)


@claim(
    "interface: Versioning; PATCH of another method",
    rows=[
        Row(path, (path, method))
        for path, method in [
            ("/svc/search/", "DELETE"), ("/svc/connectors/", "POST"), ("/svc/rag-search/", "GET"),
            ("/svc/ingest/", "GET"),
        ]
    ],
)  # fmt: skip
def other_methods_are_405_with_allow(service, path, method):
    response = service.admin.call(method, path).expect(405)
    expect("allow" in response.headers, "Allow", response.headers)
    equal(response.json()["code"], "method_not_allowed")
