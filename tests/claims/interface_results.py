"""The mixed results response, its results, their explanations, and single results by id."""

import re
import time

from harness import claim, equal, expect
from harness.sample import SampleSource, error, items, only_result, rows

source = SampleSource()
known = {}
DATED = "title=title,body=body,url=url,author=author,date_published=date"


def prepare(service):
    source.__enter__()

    def slow(request):
        time.sleep(1)
        return {"items": items(12, author="Ann Lee", date="2026-03-04T05:06:07Z", extra="kept"), "total": 42}

    fields = {"result_mappings": DATED, "response_mappings": "RESULTS=items,FOUND=total", "results_per_query": 20}
    known["first"] = source.provider(service, "First", slow, **fields)
    known["second"] = source.provider(service, "Second", items(3, word="bronze"))
    search = service.admin.run_search("copper -lead", searchprovider_list=["First", "Second"])
    known["search"], known["answer"] = search["id"], service.admin.results(search["id"])


def finish():
    source.__exit__()


def page(service, **params):
    return service.admin.results(known["search"], **params)


@claim("interface: Mixed results response", rows=rows(*[
    (name, name, kind) for name, kind in [("messages", list), ("info", dict), ("results", list), ("ai_summary", list)]
]))  # fmt: skip
def the_response_has(service, name, kind):
    expect(type(known["answer"].get(name)) is kind, f"{name} is no {kind.__name__}", known["answer"].get(name))


@claim("interface: Mixed results response, info.results", rows=rows(
    ("found_total", "found_total", 45), ("retrieved_total", "retrieved_total", 15), ("retrieved", "retrieved", 10),
    ("result_blocks", "result_blocks", ["ai_summary"]),
))  # fmt: skip
def info_results_has(service, name, value):
    equal(known["answer"]["info"]["results"][name], value, name)


@claim("interface: Mixed results response, federation_time")
def federation_time_is_in_tenths_and_has_the_slowest_source(service):
    took = known["answer"]["info"]["results"]["federation_time"]
    expect(abs(took * 10 - round(took * 10)) < 1e-9, "not rounded to 0.1", took)
    expect(1 <= took < 5, "not the time of the run", took)


@claim("interface: Mixed results response, next_page; core 7.2")
def next_page_is_an_address_of_the_rest(service):
    following = known["answer"]["info"]["results"]["next_page"]
    expect(following.startswith(f"{service.base}/svc/results/"), "no address of the service", following)
    rest = service.admin.get(following.removeprefix(service.base)).expect(200).json()
    equal([result["swirl_rank"] for result in rest["results"]], [11, 12, 13, 14, 15])
    equal(rest["info"]["results"]["retrieved"], 5)
    expect(not rest["info"]["results"].get("next_page"), "the last page has a next page", rest["info"]["results"])
    equal([result["swirl_rank"] for result in known["answer"]["results"]], list(range(1, 11)))
    seen = {result["swirl_id"] for result in known["answer"]["results"] + rest["results"]}
    equal(len(seen), 15, "different results on both pages")


@claim("core 7.2; quirks: API")
def a_page_after_the_last_is_empty(service):
    answer = page(service, page=3)
    equal((answer["results"], answer["info"]["results"]["retrieved"]), ([], 0))


@claim("decisions 3.1", rows=rows(*[(str(value), value) for value in ["0", "-1", "two", "1.5", ""]]))
def an_invalid_page_is_refused(service, value):
    error(service.admin.get("/svc/results/", params={"search_id": known["search"], "page": value}), 400)


@claim("interface: Mixed results response, info.<provider>", rows=rows(
    ("found", "First", "found", 42), ("retrieved", "First", "retrieved", 12),
    ("found by default", "Second", "found", 3),
    ("query_string_to_provider", "First", "query_string_to_provider", "copper"), ("status", "First", "status", "ok"),
))  # fmt: skip
def info_of_a_source_has(service, name, field, value):
    equal(known["answer"]["info"][name][field], value, field)


@claim("interface: Mixed results response, search_time")
def search_time_is_in_seconds(service):
    times = [known["answer"]["info"][name]["search_time"] for name in ["First", "Second"]]
    expect(1 <= times[0] < 5 and 0 <= times[1] < 1, "not the times of the sources", times)


@claim("interface: Mixed results response, filter_url")
def filter_url_shows_one_source(service):
    address = known["answer"]["info"]["Second"]["filter_url"]
    expect(f"provider={known['second']['id']}" in address, "provider is not in the address", address)
    answer = service.admin.get(address.removeprefix(service.base)).expect(200).json()
    equal([result["searchprovider"] for result in answer["results"]], ["Second"] * 3)
    equal([result["swirl_rank"] for result in answer["results"]], [1, 2, 3])


@claim("interface: Mixed results response, info.search")
def info_search_has_the_address_of_a_new_run(service):
    info = known["answer"]["info"]["search"]
    equal((info["id"], info["query_string"]), (known["search"], "copper -lead"))
    expect(info["rerun_url"].endswith(f"/svc/search/?rerun={known['search']}"), "another address", info["rerun_url"])


@claim("interface: Mixed results response, messages; Versioning 2")
def messages_begin_with_the_version_and_end_with_the_mixer(service):
    messages = known["answer"]["messages"]
    expect(re.fullmatch(r"Tributary \d+\.\d+\.\d+\S*", messages[0]), "no version", messages[0])
    expect(messages[-1].endswith("Results ordered by: RelevancyConfidenceMixer"), "no mixer", messages[-1])


@claim("decisions 3.10", rows=rows(("two results", "bronze", {}), ("no results", "bronze", {"page": 9})))
def the_last_message_names_the_mixer_always(service, query, params):
    record = source.provider(service, f"Few {len(params)}", items(2, word="bronze"))
    search = service.admin.run_search(query, searchprovider_list=[record["id"]], result_mixer="DateMixer")
    messages = service.admin.results(search["id"], **params)["messages"]
    expect(messages[-1].endswith("DateMixer"), "no mixer", messages)


@claim("quirks: an unknown mixer in a URL")
def an_unknown_mixer_in_an_address_is_a_message(service):
    messages = page(service, result_mixer="NoSuchMixer")["messages"]
    expect(any("NoSuchMixer" in line for line in messages), "no message", messages)


FIELDS = [
    ("swirl_rank", int), ("swirl_score", float), ("swirl_confidence_score", float), ("searchprovider", str),
    ("searchprovider_rank", int), ("title", str), ("body", str), ("url", str), ("author", str), ("date_published", str),
    ("date_published_display", str), ("date_retrieved", str), ("swirl_id", int), ("payload", dict), ("explain", dict),
]  # fmt: skip


@claim("interface: Result (mixed form)", rows=rows(*[(name, name, kind) for name, kind in FIELDS]))
def every_result_has(service, name, kind):
    for result in known["answer"]["results"]:
        expect(type(result.get(name)) is kind, f"{name} is no {kind.__name__}", result.get(name))


def first_of(name):
    return next(result for result in known["answer"]["results"] if result["searchprovider"] == name)


@claim("interface: Result (mixed form)", rows=rows(
    ("author", "author", "Ann Lee"), ("date_published", "date_published", "2026-03-04 05:06:07+00:00"),
    ("searchprovider", "searchprovider", "First"), ("unmapped data in the payload", "payload", {"extra": "kept"}),
    ("not new", "new", None),
))  # fmt: skip
def a_result_has_the_value(service, field, value):
    equal(first_of("First").get(field), value, field)


@claim("interface: Result, date_published; quirks: Dates")
def date_published_of_an_undated_result_is_unknown(service):
    result = page(service, provider=known["second"]["id"])["results"][0]
    equal(result["date_published"], "unknown")


@claim("interface: Result, date_retrieved")
def date_retrieved_is_the_time_of_the_run(service):
    retrieved = first_of("First")["date_retrieved"]
    expect(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", retrieved), "another form", retrieved)
    at = time.mktime(time.strptime(retrieved[:19], "%Y-%m-%d %H:%M:%S")) - time.mktime(time.gmtime())
    expect(abs(at) < 300, "not the time of the run in UTC", retrieved)


@claim("interface: Result, swirl_score, swirl_confidence_score; decisions 4")
def scores_are_above_zero_and_confidence_is_at_most_one(service):
    for result in known["answer"]["results"]:
        if result["searchprovider"] == "First":
            expect(result["swirl_score"] > 0, "no score", result["swirl_score"])
            expect(0 < result["swirl_confidence_score"] <= 1, "no confidence", result["swirl_confidence_score"])


@claim("interface: Result, searchprovider_rank")
def searchprovider_rank_is_the_place_in_the_source(service):
    for result in known["answer"]["results"]:
        if result["searchprovider"] == "First":
            equal(result["searchprovider_rank"], int(result["url"].rsplit("/", 1)[1]))


def explained(service, name, item, query="copper wire"):
    record = source.provider(service, name, [item])
    return only_result(service.admin.search(query, providers=[record["id"]]))["explain"]


@claim("interface: Result, explain, stems")
def explain_has_the_stems_of_the_query(service):
    explain = explained(service, "Stems", {"title": "Electric cars win", "url": "http://a/"}, "electric cars")
    equal(explain["stems"], "electr car")


@claim("interface: Result, explain", rows=rows(
    ("whole field", "Copper wire", r"(?i)copper_wire_\*"), ("first position", "Copper wire", r"(?i)copper_wire_0"),
    ("later position", "The copper price", r"(?i)copper_1"), ("two words", "New copper wire", r"(?i)copper_wire_1"),
    ("sentence", "Nothing to read here. The copper wire is sold by weight. More of it.", r"(?i)copper_wire_s\*"),
))  # fmt: skip
def explain_has_matches_with_their_postfix(service, text, pattern):
    for field in ["title", "body"]:
        item = {"title": "Copper wire", "url": "http://a/", "body": "Copper wire", field: text}
        explain = explained(service, f"{field} {pattern}", item)
        keys = [name for name in explain[field] if re.fullmatch(pattern, name)]
        expect(keys, f"no key like {pattern} in {field}", explain[field])
        number = explain[field][keys[0]]
        expect(type(number) in (int, float) and 0 < number <= 1.001, "no similarity", number)


@claim("interface: Result, explain, adjusts", rows=rows(
    ("result_length_adjust", "result_length_adjust"), ("query_length_adjust", "query_length_adjust"),
))  # fmt: skip
def explain_of_a_field_has(service, name):
    explain = explained(service, name, {"title": "Copper wire", "url": "http://a/", "body": "A copper wire"})
    for field in ["title", "body"]:
        expect(abs(explain[field][name] - 1) < 0.01, f"{name} of {field}", explain[field])


@claim("interface: Result, explain, hits", rows=rows(
    ("title", "title", "Copper wire and copper tubes", {"copper": [0, 3], "wire": [1]}),
    ("body", "body", "The wire: no copper", {"wire": [1], "copper": [3]}),
    ("author", "author", "Ann Copper", {"copper": [1]}), ("none", "body", "Nothing", {}),
))  # fmt: skip
def hits_are_positions_of_terms_from_zero(service, field, text, expected):
    item = {"title": "x", "body": "y", "author": "z", "url": "http://a/", field: text}
    record = source.provider(service, f"Hits {field} {len(expected)}", [item], result_mappings=DATED)
    explain = only_result(service.admin.search("copper wire", providers=[record["id"]]))["explain"]
    equal(explain["hits"][field], expected)


@claim("interface: Result, explain=False; decisions 3.10", rows=rows(*[(v, v) for v in ["False", "false", "FALSE"]]))
def explain_off_removes_explain_only(service, value):
    result, full = page(service, explain=value)["results"][0], known["answer"]["results"][0]
    expect("explain" not in result, "explain is there", result)
    equal(set(full) - set(result), {"explain"}, "what is missing")
    equal(result["swirl_score"], full["swirl_score"])


@claim("decisions 3.4; quirks: URLs keep filters")
def next_page_keeps_explain_and_provider(service):
    answer = page(service, explain="False", provider=known["first"]["id"], result_mixer="RelevancyMixer")
    following = answer["info"]["results"]["next_page"]
    answer = service.admin.get(following.removeprefix(service.base)).expect(200).json()
    equal([result["searchprovider"] for result in answer["results"]], ["First"] * 2)
    expect("explain" not in answer["results"][0], "explain is there")
    expect(answer["messages"][-1].endswith("RelevancyMixer"), "another mixer", answer["messages"][-1])


@claim("interface: Processors, NOT; Errors, NOT-ted term")
def a_result_with_an_excluded_term_says_so(service):
    explain = explained(service, "Excluded", {"title": "Copper and lead", "url": "http://a/"}, "copper -lead")
    expect("lead" in str(explain.get("NOT", "")), "no note about the excluded word", explain)


# Single results.


def saved(service, query="copper", count=2):
    name = f"Single {time.monotonic_ns()}"
    record = source.provider(service, name, items(count))
    search = service.admin.run_search(query, searchprovider_list=[record["id"]])
    return record, search["id"], [result["swirl_id"] for result in service.admin.results(search["id"])["results"]]


@claim("decisions 3.4")
def a_result_by_id_has_its_origin(service):
    record, search_id, swirl_ids = saved(service)
    result = service.admin.get(f"/svc/results/{swirl_ids[0]}/").expect(200).json()
    equal((result["id"], result["swirl_id"]), (swirl_ids[0], swirl_ids[0]))
    equal((result["search_id"], result["provider_id"]), (search_id, record["id"]))
    expect(any("Retrieved 2 of 2" in line for line in result["messages"]), "no messages of its source", result)
    for name in ["date_created", "date_updated"]:
        expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", result[name]), f"{name} is not in UTC", result)


@claim("decisions 3.4, contiguous range")
def the_ids_of_a_source_are_contiguous(service):
    swirl_ids = sorted(saved(service, count=7)[2])
    equal(swirl_ids, list(range(swirl_ids[0], swirl_ids[0] + 7)))


@claim("decisions 3.4")
def ids_are_unique_over_the_service(service):
    expect(not set(saved(service)[2]) & set(saved(service)[2]), "two results have one id")


@claim("interface: Endpoints, PUT a result")
def a_put_replaces_a_result(service):
    _, search_id, swirl_ids = saved(service)
    path = f"/svc/results/{swirl_ids[0]}/"
    body = {**service.admin.get(path).json(), "title": "Edited", "author": "Me"}
    service.admin.put(path, body).expect(200)
    after = service.admin.get(path).json()
    equal((after["title"], after["author"], after["swirl_id"]), ("Edited", "Me", swirl_ids[0]))
    mixed = {result["swirl_id"]: result["title"] for result in service.admin.results(search_id)["results"]}
    equal(mixed[swirl_ids[0]], "Edited")


@claim("interface: Result, deletion")
def deleting_a_result_keeps_the_search(service):
    _, search_id, swirl_ids = saved(service)
    service.admin.delete(f"/svc/results/{swirl_ids[0]}/").expect(204)
    error(service.admin.get(f"/svc/results/{swirl_ids[0]}/"), 404)
    equal(service.admin.get(f"/svc/search/{search_id}/").expect(200).json()["status"], "FULL_RESULTS_READY")
    answer = service.admin.results(search_id)
    equal([result["swirl_id"] for result in answer["results"]], swirl_ids[1:])
    equal(answer["info"]["results"]["retrieved_total"], 1)


@claim("interface: Endpoints, results without search_id")
def all_results_are_listed_without_a_search(service):
    new = set(saved(service)[2])
    listed = service.admin.get("/svc/results/").expect(200).json()
    expect(isinstance(listed, list), "no array", listed)
    expect(new <= {result["swirl_id"] for result in listed}, "new results are missing")


@claim("decisions 3.1", rows=rows(("unknown", "99999999", 404), ("text", "abc", 400), ("empty", "", 400)))
def results_of_no_search_are_refused(service, value, status):
    error(service.admin.get("/svc/results/", params={"search_id": value}), status)


@claim("decisions 3.1, 503 with Retry-After")
def results_of_a_running_search_are_not_ready(service):
    def slow(request):
        time.sleep(2)
        return {"items": []}

    record = source.provider(service, "Still running", slow)
    search = service.admin.post("/svc/search/", {"query_string": "a", "searchprovider_list": [record["id"]]}).json()
    answer = service.admin.get("/svc/results/", params={"search_id": search["id"]})
    error(answer, 503)
    expect(int(answer.headers["retry-after"]) >= 1, "no Retry-After", answer.headers)
    service.admin.finished_search(search["id"])


@claim("decisions 7.6")
def a_grouped_copy_is_a_result_of_its_source(service):
    names = ["Copy A", "Copy B"]
    records = [source.provider(service, name, items(3)) for name in names]
    search = service.admin.run_search("copper", searchprovider_list=names)
    answer = service.admin.results(search["id"], facets="true")
    equal(len(answer["results"]), 3, "copies are grouped")
    for name, record in zip(names, records, strict=True):
        equal(len(service.admin.results(search["id"], provider=record["id"])["results"]), 3, name)
        expect(name in str(answer["info"]["facets"]), "the facets do not name it", answer["info"]["facets"])
    first = answer["results"][0]
    copy = first["duplicates"][0]
    service.admin.get(f"/svc/results/{copy['swirl_id']}/").expect(200)
    service.admin.delete(f"/svc/results/{first['swirl_id']}/").expect(204)
    left = [result["swirl_id"] for result in service.admin.results(search["id"])["results"]]
    expect(copy["swirl_id"] in left and len(left) == 3, "the next copy did not become the first", left)
