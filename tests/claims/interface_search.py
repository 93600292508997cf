"""Searches as records: fields, limits, defaults, the three ways to start one, and what ends them."""

import time

from harness import Reply, Row, claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows, titles

source = SampleSource()
ids = {}


def prepare(service):
    source.__enter__()
    ids["ok"] = source.provider(service, "Ordinary", items(3))["id"]


def finish():
    source.__exit__()


def created(service, **fields):
    body = {"query_string": "copper", "searchprovider_list": [ids["ok"]], **fields}
    return service.admin.post("/svc/search/", body)


@claim("interface: Endpoints, POST /svc/search/; States, NEW_SEARCH")
def creation_returns_before_the_sources_do(service):
    def slow(request):
        time.sleep(2)
        return {"items": items(1)}

    record = source.provider(service, "Slow once", slow)
    started = time.monotonic()
    search = created(service, searchprovider_list=[record["id"]]).expect(201).json()
    expect(time.monotonic() - started < 1.5, "creation waited for the source")
    equal(search["status"], "NEW_SEARCH")
    expect(type(search["id"]) is int and search["id"] > 0, "no id", search)
    equal(service.admin.finished_search(search["id"])["status"], "FULL_RESULTS_READY")


OUTPUT_FIELDS = {
    "id": int, "query_string": str, "sort": str, "results_requested": int, "searchprovider_list": list,
    "result_mixer": str,
    "pre_query_processors": list, "query_processors": list, "result_processors": list, "post_result_processors": list,
    "retention": int, "subscribe": bool, "status": str, "messages": list, "result_url": str, "new_result_url": str,
}  # fmt: skip


@claim("interface: Search, fields", rows=[Row(name, (name, kind)) for name, kind in OUTPUT_FIELDS.items()])
def a_search_has_field(service, name, kind):
    search = created(service).expect(201).json()
    expect(name in search, "missing", list(search))
    expect(type(search[name]) is kind, f"{name} is no {kind.__name__}", search[name])


@claim("interface: Search, defaults", rows=[
    Row("sort", ("sort", "relevancy")), Row("results_requested", ("results_requested", 10)),
    Row("searchprovider_list", ("searchprovider_list", [])),
    Row("result_mixer", ("result_mixer", "RelevancyConfidenceMixer")),
    Row("pre_query_processors", ("pre_query_processors", [])), Row("query_processors", ("query_processors", [])),
    Row("result_processors", ("result_processors", [])), Row("retention", ("retention", 0)),
    Row("subscribe", ("subscribe", False)),
])  # fmt: skip
def default_of(service, field, value):
    search = service.admin.post("/svc/search/", {"query_string": "copper"}).expect(201).json()
    equal(search[field], value, field)


REFUSED = [
    ("query_string missing", {"query_string": ...}, "query_string"),
    ("query_string null", {"query_string": None}, "query_string"),
    ("query_string empty", {"query_string": ""}, "query_string"),
    ("query_string blank", {"query_string": " \t\n"}, "query_string"),
    ("query_string number", {"query_string": 7}, "query_string"),
    ("query_string list", {"query_string": ["a"]}, "query_string"),
    ("query_string of 2049 characters", {"query_string": "ä" * 2049}, "query_string"),
    ("sort newest", {"sort": "newest"}, "sort"),
    ("results_requested 0", {"results_requested": 0}, "results_requested"),
    ("results_requested negative", {"results_requested": -1}, "results_requested"),
    ("results_requested text", {"results_requested": "many"}, "results_requested"),
    ("results_requested fraction", {"results_requested": 1.5}, "results_requested"),
    ("retention 5", {"retention": 5}, "retention"), ("retention -1", {"retention": -1}, "retention"),
    ("retention text", {"retention": "month"}, "retention"), ("subscribe text", {"subscribe": "perhaps"}, "subscribe"),
    ("unknown mixer", {"result_mixer": "NoSuchMixer"}, "result_mixer"),
    ("blank mixer", {"result_mixer": ""}, "result_mixer"),
    ("list as text", {"searchprovider_list": "Ordinary"}, "searchprovider_list"),
    ("list with an object", {"searchprovider_list": [{}]}, "searchprovider_list"),
    ("processors as text", {"pre_query_processors": "AdaptiveQueryProcessor"}, "pre_query_processors"),
    ("processors with a number", {"result_processors": [1]}, "result_processors"),
    ("unknown result processor", {"result_processors": ["NoSuchResultProcessor"]}, "result_processors"),
    ("unknown post-result processor", {"post_result_processors": ["NoSuchProcessor"]}, "post_result_processors"),
]  # fmt: skip


@claim("interface: Search, fields; decisions 3.1, 3.11; quirks: an unknown mixer in a POST",
       rows=[Row(name, (fields, field)) for name, fields, field in REFUSED])  # fmt: skip
def an_invalid_field_is_refused_by_name(service, fields, field):
    body = {"query_string": "copper", "searchprovider_list": [ids["ok"]], **fields}
    body = {name: value for name, value in body.items() if value is not ...}
    error(service.admin.post("/svc/search/", body), 400, field=field)


@claim("decisions 3.11")
def a_query_of_2048_characters_is_accepted(service):
    query = ("ä" * 15 + " ") * 127 + "ä" * 16
    equal(len(query), 2048)
    equal(created(service, query_string=query).expect(201).json()["query_string"], query)


@claim("decisions 3.11", rows=rows(("one", 1, 1), ("most", 1000, 1000), ("above", 1001, 1000), ("far", 10**9, 1000)))
def results_requested_is_clamped_with_a_message(service, asked, expected):
    search = created(service, results_requested=asked).expect(201).json()
    equal(search["results_requested"], expected)
    search = service.admin.finished_search(search["id"])
    told = any("1000" in message for message in search["messages"][1:])
    equal(told, asked > 1000, f"a message about the limit in {search['messages']}")


@claim("interface: Search, sort", rows=[Row(sort, (sort,)) for sort in ["relevancy", "date"]])
def a_sort_is_accepted(service, sort):
    equal(created(service, sort=sort).expect(201).json()["sort"], sort)


@claim("interface: Search, retention", rows=[Row(str(value), (value,)) for value in range(5)])
def a_retention_is_accepted(service, value):
    equal(created(service, retention=value).expect(201).json()["retention"], value)


@claim("interface: Search; core 9.1", rows=[
    Row("id", ({"id": 987654},)), Row("status", ({"status": "FULL_RESULTS_READY"},)),
    Row("owner", ({"owner": "other"},)),
    Row("messages", ({"messages": ["forged"]},)), Row("result_url", ({"result_url": "http://evil.example/"},)),
])  # fmt: skip
def an_output_field_cannot_be_set(service, fields):
    search = created(service, **fields).expect(201, 400)
    if search.status == 201:
        for name, value in fields.items():
            expect(search.json()[name] != value, f"{name} was taken", search.json())


@claim("interface: Versioning 2")
def the_first_message_is_product_and_version(service):
    search = service.admin.run_search("copper", searchprovider_list=[ids["ok"]])
    version = service.command("--version").stdout.split()[-1]
    equal(search["messages"][0], f"Tributary {version}")


@claim("interface: Events 3; decisions 7.4")
def messages_are_the_log_of_the_federation(service):
    source.provider(service, "Broken log", Reply("no", 500))
    search = service.admin.run_search("copper", searchprovider_list=["Ordinary", "Broken log"])
    text = "\n".join(search["messages"])
    expect("Retrieved 3 of 3 results from: Ordinary" in text, "no line about the results", text)
    failures = [line for line in search["messages"] if "Error: Broken log" in line]
    expect(failures, "no line about the failure", text)


@claim("interface: Search, result_url", rows=[
    Row("default", (None, "RelevancyConfidenceMixer")), Row("DateMixer", ("DateMixer", "DateMixer")),
    Row("Stack2Mixer", ("Stack2Mixer", "Stack2Mixer")),
])  # fmt: skip
def result_url_has_the_mixer_and_works(service, mixer, expected):
    search = created(service, **({"result_mixer": mixer} if mixer else {})).expect(201).json()
    search = service.admin.finished_search(search["id"])
    expect(search["result_url"].startswith(f"{service.base}/"), "not an address of the service", search["result_url"])
    expect(f"search_id={search['id']}" in search["result_url"], "no search", search["result_url"])
    expect(f"result_mixer={expected}" in search["result_url"], "no mixer", search["result_url"])
    answer = service.admin.get(search["result_url"].removeprefix(service.base)).expect(200).json()
    expect(expected in answer["messages"][-1], "another mixer", answer["messages"])


@claim("interface: Search, new_result_url; quirks: Updates", rows=[
    Row("default", ("RelevancyConfidenceMixer", "RelevancyNewItemsMixer")),
    Row("date", ("DateMixer", "DateNewItemsMixer")),
])  # fmt: skip
def new_result_url_has_a_mixer_of_new_items(service, mixer, expected):
    search = service.admin.finished_search(created(service, result_mixer=mixer).expect(201).json()["id"])
    expect(f"result_mixer={expected}" in search["new_result_url"], "another mixer", search["new_result_url"])
    answer = service.admin.get(search["new_result_url"].removeprefix(service.base)).expect(200).json()
    expect(expected in answer["messages"][-1], "another mixer answered", answer["messages"])


@claim("interface: Endpoints, q")
def q_redirects_to_the_results(service):
    answer = service.admin.get("/svc/search/", params={"q": "copper", "providers": "Ordinary"}).expect(302)
    location = answer.headers["location"].removeprefix(service.base)
    expect(location.startswith("/svc/results"), "another place", location)
    equal(len(service.admin.get(location).expect(200).json()["results"]), 3)


@claim("interface: Endpoints, q, providers by tags")
def q_selects_by_several_tags(service):
    for name in ["Tag one", "Tag two", "Tag three"]:
        source.provider(service, name, items(1, word=name.replace(" ", "")), tags=[name.replace(" ", "")])
    answer = service.admin.get("/svc/search/", params={"q": "copper", "providers": "Tagone,Tagtwo"}).expect(302)
    found = service.admin.get(answer.headers["location"].removeprefix(service.base)).expect(200).json()
    equal(sorted(titles(found)), ["Tagone report 1", "Tagtwo report 1"])


@claim("interface: Endpoints, q and qs, pre_query_processor", rows=[Row("q", ("q",)), Row("qs", ("qs",))])
def a_pre_query_processor_in_the_address_is_applied(service, parameter):
    record = source.provider(service, f"Rewritten {parameter}", items(1))
    name = f"metals{parameter}"
    rule = {"name": name, "qrx_type": "rewrite", "config_content": "tin,zinc"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    wanted = {parameter: "tin", "providers": record["id"], "pre_query_processor": f"{name}.rewrite"}
    service.admin.get("/svc/search/", params=wanted).expect(200, 302)
    equal(source.queries(record), ["zinc"])


@claim("interface: Endpoints, qs")
def qs_returns_the_first_page(service):
    record = source.provider(service, "Twelve", items(12), results_per_query=20)
    answer = service.admin.search("copper", providers=[record["id"]])
    equal(len(answer["results"]), 10)
    expect("page=2" in answer["info"]["results"]["next_page"], "no next page", answer["info"]["results"])
    following = service.admin.get(answer["info"]["results"]["next_page"].removeprefix(service.base)).expect(200).json()
    equal(len(following["results"]), 2)


@claim("interface: Endpoints, qs, result_mixer")
def qs_uses_the_mixer_of_its_address(service):
    answer = service.admin.search("copper", providers=["Ordinary"], result_mixer="RoundRobinMixer")
    expect("RoundRobinMixer" in answer["messages"][-1], "another mixer", answer["messages"])


@claim("core 1; quirks: Errors", rows=[
    Row("q blank", ({"q": " "},)), Row("qs blank", ({"qs": "  "},)), Row("q empty", ({"q": ""},)),
    Row("qs empty", ({"qs": ""},)),
    Row("qs too long", ({"qs": "a" * 2049},)),
])  # fmt: skip
def a_query_in_an_address_that_is_no_query_is_refused(service, params):
    error(service.admin.get("/svc/search/", params=params), 400)


@claim("interface: Search, deletion")
def deleting_a_search_deletes_its_results(service):
    search = service.admin.run_search("copper", searchprovider_list=[ids["ok"]])
    saved = [result["swirl_id"] for result in service.admin.results(search["id"])["results"]]
    equal(len(saved), 3)
    equal(service.admin.delete(f"/svc/search/{search['id']}/").expect(204).body, b"")
    error(service.admin.get(f"/svc/search/{search['id']}/"), 404)
    error(service.admin.get("/svc/results/", params={"search_id": search["id"]}), 404)
    for swirl_id in saved:
        error(service.admin.get(f"/svc/results/{swirl_id}/"), 404)
    error(service.admin.delete(f"/svc/search/{search['id']}/"), 404)


@claim("interface: Endpoints, rerun")
def a_rerun_discards_the_results_and_starts_again(service):
    words = iter(["before", "after"])
    record = source.provider(service, "Changing", lambda request: {"items": items(2, word=next(words))})
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]])
    old = service.admin.results(search["id"])["results"]
    service.admin.get("/svc/search/", params={"rerun": search["id"]}).expect(200, 302)
    equal(service.admin.finished_search(search["id"])["status"], "FULL_RESULTS_READY")
    equal(sorted(titles(service.admin.results(search["id"]))), ["after report 1", "after report 2"])
    error(service.admin.get(f"/svc/results/{old[0]['swirl_id']}/"), 404)


@claim("interface: Endpoints, rerun and update", rows=[
    Row("rerun unknown", ("rerun", 99999999, 404)), Row("update unknown", ("update", 99999999, 404)),
    Row("rerun text", ("rerun", "abc", 400)), Row("update text", ("update", "abc", 400)),
])  # fmt: skip
def a_run_of_no_search_is_refused(service, parameter, value, status):
    error(service.admin.get("/svc/search/", params={parameter: value}), status)


@claim("interface: Endpoints, PUT; decisions 3.21")
def a_put_replaces_the_search(service):
    search = service.admin.run_search("copper", searchprovider_list=[ids["ok"]], retention=3, tags=["mine"])
    body = {"query_string": "copper", "searchprovider_list": [ids["ok"]]}
    replaced = service.admin.put(f"/svc/search/{search['id']}/", body).expect(200).json()
    equal((replaced["id"], replaced["retention"], replaced["tags"]), (search["id"], 0, []))


@claim("decisions 3.2")
def a_put_without_its_required_field_is_refused(service):
    search = service.admin.run_search("copper", searchprovider_list=[ids["ok"]])
    error(service.admin.put(f"/svc/search/{search['id']}/", {"retention": 1}), 400, field="query_string")


EDITS = [
    ("query_string", {"query_string": "tin"}, True),
    ("searchprovider_list", {"searchprovider_list": ["Ordinary"]}, True),
    ("pre_query_processors", {"pre_query_processors": ["GenericQueryProcessor"]}, True),
    ("query_processors", {"query_processors": ["GenericQueryProcessor"]}, True),
    ("result_processors", {"result_processors": ["MappingResultProcessor", "CosineRelevancyResultProcessor"]}, True),
    ("post_result_processors", {"post_result_processors": ["CosineRelevancyPostResultProcessor"]}, True),
    ("retention", {"retention": 2}, False), ("subscribe", {"subscribe": True}, False),
    ("tags", {"tags": ["saved"]}, False),
    ("result_mixer", {"result_mixer": "RelevancyMixer"}, False), ("results_requested", {"results_requested": 5}, False),
    ("same query", {"query_string": "copper"}, False),
]  # fmt: skip


@claim("decisions 3.21", rows=[Row(name, (fields, runs)) for name, fields, runs in EDITS])
def an_edit_runs_the_search_again_only_if_its_results_change(service, fields, runs):
    search = service.admin.run_search("copper", searchprovider_list=[ids["ok"]])
    path = f"/svc/search/{search['id']}/"
    old = {result["swirl_id"] for result in service.admin.results(search["id"])["results"]}
    edited = service.admin.patch(path, fields).expect(200).json()
    for name, value in fields.items():
        equal(edited[name], value, name)
    if runs:
        eventually(lambda: service.admin.get(path).json()["status"] == "FULL_RESULTS_READY")
    new = {result["swirl_id"] for result in service.admin.results(search["id"])["results"]}
    equal(len(new), 3, "number of results")
    equal(new.isdisjoint(old), runs, "the search ran again")


@claim("interface: Endpoints, GET /svc/search/")
def searches_are_listed_newest_first(service):
    first, second = (created(service).expect(201).json()["id"] for _ in range(2))
    listed = [search["id"] for search in service.admin.get("/svc/search/").expect(200).json()]
    equal(listed[:2], [second, first])
