"""How a run ends: which sources are asked, statuses, completeness, updates, subscriptions and expiry."""

import time

from harness import Reply, Service, claim, equal, eventually, expect
from harness.sample import SampleSource, items, only_result, rows, titles

SETTINGS = {"SVC_TIMEOUT": "2"}
# Keys of info that are no sources of these claims; the cache is asked by default.
NO_SOURCES = {"results", "search", "completeness", "Files - Tributary Cache"}
source = SampleSource()


def prepare(service):
    source.__enter__()
    source.provider(service, "Good one", items(3), tags=["Solid"])
    source.provider(service, "Empty one", [])
    source.provider(service, "Broken one", Reply("down", 500))
    source.provider(service, "Slow one", late)
    source.provider(service, "Half one", half, query_mappings="PAGE=start=RESULT_INDEX", results_per_query=30)
    source.provider(service, "Resting one", Reply("later", 429, {"Retry-After": "600"}))
    source.provider(service, "Inactive one", items(1), active=False, tags=["Inactive"])
    source.provider(service, "Standard one", items(2, word="zinc"), default=True)
    service.admin.search("copper", providers=["Resting one"])


def finish():
    source.__exit__()


def late(request):
    time.sleep(6)
    return {"items": items(1)}


def half(request):
    start = int(request.query["start"])
    return {"items": items(10, first=start)} if start == 1 else Reply("no", 500)


OUTCOMES = rows(
    ("all deliver", ["Good one"], "FULL_RESULTS_READY", {"Good one": "ok"}),
    ("zero results are a delivery", ["Good one", "Empty one"], "FULL_RESULTS_READY", {"Empty one": "no_results"}),
    ("only empty", ["Empty one"], "FULL_RESULTS_READY", {"Empty one": "no_results"}),
    ("one fails", ["Good one", "Broken one"], "PARTIAL_RESULTS_READY", {"Good one": "ok", "Broken one": "error"}),
    ("all fail", ["Broken one"], "PARTIAL_RESULTS_READY", {"Broken one": "error"}),
    ("one is late", ["Good one", "Slow one"], "PARTIAL_RESULTS_READY", {"Good one": "ok", "Slow one": "timeout"}),
    ("a later page fails", ["Half one"], "PARTIAL_RESULTS_READY", {"Half one": "partial"}),
    ("one is suspended", ["Good one", "Resting one"], "PARTIAL_RESULTS_READY", {"Resting one": "suspended"}),
)
COUNTED = {"ok": "answered", "no_results": "answered", "error": "failed", "timeout": "timed_out", "partial": "partial",
           "suspended": "suspended"}  # fmt: skip


@claim("interface: Search.status; decisions 3.7, 3.8, 7.5", rows=OUTCOMES)
def the_status_is_full_only_if_every_source_delivered(service, providers, status, expected):
    search = service.admin.run_search("copper", searchprovider_list=providers)
    equal(search["status"], status)
    info = service.admin.results(search["id"])["info"]
    for name, state in expected.items():
        equal(info[name]["status"], state, name)
        equal(bool(info[name].get("error")), state not in ("ok", "no_results"), f"an error of {name}")
    completeness = info["completeness"]
    equal(completeness["asked"], len(providers))
    states = [info[name]["status"] for name in providers]
    for key in ["answered", "partial", "failed", "timed_out", "suspended"]:
        equal(completeness[key], sum(COUNTED[state] == key for state in states), key)


@claim("decisions 3.8", rows=rows(*[(name, name) for name in ["Broken one", "Slow one", "Resting one"]]))
def a_failed_source_has_no_counts_and_says_why(service, name):
    info = service.admin.search("copper", providers=[name])["info"][name]
    equal((info["found"], info["retrieved"]), (0, 0))
    expect(info["error"]["code"] and " " in info["error"]["message"], "no code and sentence", info["error"])


@claim("decisions 7.5")
def results_before_a_failed_page_stay(service):
    answer = service.admin.search("copper", providers=["Half one"])
    equal(answer["info"]["Half one"]["retrieved"], 10)
    equal(len(answer["results"]), 10)


@claim("interface: What the service does 4; SVC_TIMEOUT")
def the_service_waits_no_longer_than_its_time_limit(service):
    started = time.monotonic()
    answer = service.admin.search("copper", providers=["Good one", "Slow one"])
    expect(time.monotonic() - started < 4.5, "it waited for the slow source")
    expect(1.9 <= answer["info"]["results"]["federation_time"] <= 4, "federation_time", answer["info"]["results"])
    equal(len(answer["results"]), 3)


@claim("decisions 3.7; quirks: Statuses", rows=rows(("unknown", ["Nobody"]), ("inactive", ["Inactive one"])))
def a_search_without_sources_ends_in_an_error_that_its_results_say(service, providers):
    search = service.admin.run_search("copper", searchprovider_list=providers)
    equal(search["status"], "ERR_NO_SEARCHPROVIDERS")
    answer = service.admin.results(search["id"])
    equal(answer["results"], [])
    expect(len(answer["messages"]) > 1, "no message says why", answer["messages"])


@claim("decisions 3.7")
def qs_without_sources_is_an_empty_list(service):
    answer = service.admin.search("copper", providers=["Nobody"])
    equal(answer["results"], [])
    expect(any("Nobody" in line for line in answer["messages"]), "no message names it", answer["messages"])


def asked(service, query="copper", **fields):
    search = service.admin.run_search(query, **fields)
    info = service.admin.results(search["id"])["info"]
    return sorted(set(info) - NO_SOURCES)


@claim("interface: What the service does 5", rows=rows(
    ("no list", [], ["Standard one"]), ("name", ["Good one"], ["Good one"]),
    ("name in another case", ["gOOD ONE"], ["Good one"]),
    ("tag", ["Solid"], ["Good one"]), ("tag in another case", ["sOLID"], ["Good one"]),
    ("default not listed", ["Empty one"], ["Empty one"]),
    ("two", ["Good one", "Standard one"], ["Good one", "Standard one"]),
    ("inactive is ignored", ["Inactive one", "Good one"], ["Good one"]),
    ("inactive by tag", ["Inactive", "Good one"], ["Good one"]), ("twice", ["Good one", "Solid"], ["Good one"]),
))  # fmt: skip
def a_list_selects_sources(service, wanted, expected):
    equal(asked(service, searchprovider_list=wanted), expected)


@claim("core 1a, defect; quirks: Selection of sources", rows=rows(
    ("number", lambda i: [i]), ("number as text", lambda i: [str(i)]),
    ("number after a name", lambda i: ["Empty one", i]),
    ("name after a number", lambda i: [i, "Empty one"]), ("text after a number", lambda i: [99999999, str(i)]),
))  # fmt: skip
def every_entry_is_compared_as_id_name_and_tag(service, wanted):
    provider = next(each for each in service.admin.get("/svc/searchproviders/").json() if each["name"] == "Good one")
    wanted = wanted(provider["id"])
    expected = ["Empty one", "Good one"] if "Empty one" in wanted else ["Good one"]
    equal(asked(service, searchprovider_list=wanted), expected)


@claim("interface: Search, tag:term", rows=rows(
    ("at the beginning", "Solid:copper", ["Good one"], "copper"),
    ("other case", "solid:copper", ["Good one"], "copper"),
    ("later", "copper Solid:tin", ["Good one", "Standard one"], "tin"),
))  # fmt: skip
def a_tag_in_the_query_selects_sources(service, query, expected, sent):
    search = service.admin.run_search(query)
    info = service.admin.results(search["id"])["info"]
    equal(sorted(set(info) - NO_SOURCES), expected)
    equal(info["Good one"]["query_string_to_provider"], sent)


def changing(service, name, first, later, **fields):
    """A provider that responds with `later` from its second request on."""
    answers = iter([first])
    return source.provider(service, name, lambda request: {"items": next(answers, later)}, **fields)


@claim("interface: Endpoints, update; States, FULL_UPDATE_READY")
def an_update_keeps_old_results_and_marks_new_ones(service):
    record = changing(service, "Updated", items(2), items(3))
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]])
    old = {result["url"]: result["swirl_id"] for result in service.admin.results(search["id"])["results"]}
    service.admin.get("/svc/search/", params={"update": search["id"]}).expect(200, 302)
    search = service.admin.finished_search(search["id"])
    equal((search["status"], search["sort"]), ("FULL_UPDATE_READY", "date"))
    after = service.admin.results(search["id"])["results"]
    equal(sorted(result["url"][-1] for result in after), ["1", "2", "3"])
    for result in after:
        if result["url"] in old:
            equal(result["swirl_id"], old[result["url"]], "the old result was replaced")
            expect(not result.get("new"), "an old result is new", result)
        else:
            expect(result["new"] == 1 and type(result["new"]) is int, "new is not the integer 1", result["new"])


@claim("interface: Mixers, NewItems", rows=rows(("relevancy", "RelevancyNewItemsMixer"), ("date", "DateNewItemsMixer")))
def a_mixer_of_new_items_shows_only_these(service, mixer):
    first, later = items(2, date="2026-01-01"), items(3, date="2026-01-01")
    mapping = "title=title,body=body,url=url,date_published=date"
    record = changing(service, f"New for {mixer}", first, later, result_mappings=mapping)
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]])
    equal(service.admin.results(search["id"], result_mixer=mixer)["results"], [])
    service.admin.get("/svc/search/", params={"update": search["id"]}).expect(200, 302)
    service.admin.finished_search(search["id"])
    result = only_result(service.admin.results(search["id"], result_mixer=mixer))
    equal((result["url"], result["new"]), ("http://items.example/copper/3", 1))


@claim("decisions 3.7, PARTIAL_UPDATE_READY")
def an_update_whose_source_fails_is_partial_and_keeps_results(service):
    replies = iter([{"items": items(2)}])
    record = source.provider(service, "Fails later", lambda request: next(replies, Reply("no", 500)))
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]])
    service.admin.get("/svc/search/", params={"update": search["id"]}).expect(200, 302)
    equal(service.admin.finished_search(search["id"])["status"], "PARTIAL_UPDATE_READY")
    equal(len(service.admin.results(search["id"])["results"]), 2)


@claim("interface: Endpoints, update, sort date")
def an_update_asks_for_the_newest(service):
    record = changing(service, "Newest", items(1), items(1), query_mappings="DATE_SORT=order=new")
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]])
    service.admin.get("/svc/search/", params={"update": search["id"]}).expect(200, 302)
    service.admin.finished_search(search["id"])
    equal([request.query.get("order") for request in source.requests_of(record)], [None, "new"])


@claim("interface: What the service does 7; Events 2")
def a_subscribed_search_is_updated_by_itself(service):
    with Service(service.program, {"SVC_SUBSCRIBE_EVERY": "1"}) as other:
        record = changing(other, "Subscribed", items(1), items(2))
        search = other.admin.run_search("copper", searchprovider_list=[record["id"]], subscribe=True)
        quiet = other.admin.run_search("copper", searchprovider_list=[record["id"]])
        path = f"/svc/search/{search['id']}/"
        eventually(lambda: other.admin.get(path).json()["status"] == "FULL_UPDATE_READY")
        equal(other.admin.get(path).json()["sort"], "date")
        marks = {result["url"][-1]: result.get("new") for result in other.admin.results(search["id"])["results"]}
        equal(marks["2"], 1)
        expect(not marks["1"], "the old result is new", marks)
        equal(other.admin.get(f"/svc/search/{quiet['id']}/").json()["status"], "FULL_RESULTS_READY")
