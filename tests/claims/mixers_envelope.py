"""The mixed results response: keys, counts, links, pages, filters, explanations and blocks."""

import re
import threading

from harness import Reply, Row, Service, Source, claim, equal, expect
from harness.federation import Providers, failing, items_for, messages_with, path_and_query

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = providers = Providers(service, STATE["source"])
    first = providers.create(
        "first", respond={"items": items_for(7), "total": 70}, response_mappings="FOUND=total,RESULTS=items"
    )
    second = providers.create("second", items_for(5, "copper roof", 20))
    broken = providers.create("broken", respond=failing())
    STATE["ids"] = {"first": first, "second": second, "broken": broken}
    body = {"searchprovider_list": [first, second, broken], "tags": ["metals", "a:b"], "results_requested": 5}
    STATE["search"] = service.admin.run_search("copper", **body)


def finish():
    STATE["source"].__exit__()


def response(service, **params):
    return service.admin.results(STATE["search"]["id"], **params)


@claim("interface: mixed results response, top-level keys")
def the_response_has_these_keys(service):
    equal(set(response(service)), {"messages", "info", "results", "ai_summary"})


@claim("interface: Versioning; core 7.1")
def the_first_message_is_the_banner(service):
    version = service.command("--version").stdout.split()[1]
    equal(response(service)["messages"][0], f"Tributary {version}")
    equal(STATE["search"]["messages"][0], f"Tributary {version}")


@claim("interface: info.results")
def info_results_has_these_values(service):
    info = response(service)["info"]["results"]
    equal(info["found_total"], 75, "found_total; a failed source counts 0")
    equal(info["retrieved_total"], 12, "retrieved_total")
    equal(info["retrieved"], 5, "retrieved")
    equal(info["result_blocks"], ["ai_summary"], "result_blocks")
    equal(round(float(info["federation_time"]), 1), info["federation_time"], "federation_time")


@claim("core 7.1: the default block is always there")
def the_summary_block_is_there_and_empty(service):
    equal(response(service)["ai_summary"], [])


@claim("interface: info.<provider>; core 7.1")
def info_names_every_source(service):
    info = response(service)["info"]
    equal(set(info), {"first", "second", "broken", "search", "results", "completeness"})
    first = info["first"]
    equal((first["found"], first["retrieved"], first["status"]), (70, 7, "ok"))
    equal(first["query_string_to_provider"], "copper")
    equal(first["query_to_provider"], STATE["source"].base + "/1?q=copper")
    equal(first["query_processors"], ["AdaptiveQueryProcessor"])
    equal(first["result_processors"], ["MappingResultProcessor", "CosineRelevancyResultProcessor"])
    expect(isinstance(first["search_time"], (int, float)), "search_time", first)


@claim("decisions 3.8: failed sources")
def a_failed_source_has_its_error(service):
    info = response(service)["info"]
    broken = info["broken"]
    equal((broken["found"], broken["retrieved"], broken["status"]), (0, 0, "error"))
    expect(broken["error"]["code"] and " " in str(list(broken["error"].values())), "code and sentence", broken["error"])
    equal(info["first"].get("error"), None)
    counts = {"asked": 3, "answered": 2, "partial": 0, "failed": 1, "timed_out": 0, "suspended": 0}
    equal(info["completeness"], counts)


@claim("interface: info.search; core 7.1")
def info_search_repeats_the_request(service):
    info, search = response(service)["info"]["search"], STATE["search"]
    ids = STATE["ids"]
    equal(info["id"], search["id"])
    equal((info["query_string"], info["query_string_processed"], info["tags"]), ("copper", "copper", ["metals", "a:b"]))
    equal(info["searchprovider_list"], [ids["first"], ids["second"], ids["broken"]])
    equal(path_and_query(info["rerun_url"]), ("/svc/search/", {"rerun": str(search["id"])}))
    expect(info["rerun_url"].startswith(service.base + "/"), "not an address of the service", info["rerun_url"])


@claim("interface: filter_url")
def filter_url_selects_its_source(service):
    for name, count in [("first", 7), ("second", 5)]:
        url = response(service)["info"][name]["filter_url"]
        expected = ("/svc/results/", {"search_id": str(STATE["search"]["id"]), "provider": str(STATE["ids"][name])})
        equal(path_and_query(url), expected)
        found = service.admin.get(url.removeprefix(service.base)).expect(200).json()
        equal({each["searchprovider"] for each in found["results"]}, {name})
        equal(found["info"]["results"]["retrieved_total"], count)


@claim("core 7.2: rank and pages")
def pages_follow_each_other(service):
    pages = [response(service, page=page) for page in (1, 2, 3)]
    equal([len(page["results"]) for page in pages], [5, 5, 2])
    ranks = [each["swirl_rank"] for page in pages for each in page["results"]]
    equal(ranks, list(range(1, 13)))
    equal(len({each["swirl_id"] for page in pages for each in page["results"]}), 12)
    equal([page["info"]["results"]["retrieved"] for page in pages], [5, 5, 2])


@claim("core 7.2: next_page and prev_page")
def links_lead_to_the_pages_around(service):
    links = []
    for page in (1, 2, 3):
        info = response(service, page=page)["info"]["results"]
        links.append(
            [
                path_and_query(info[name])[1].get("page") if info.get(name) else None
                for name in ("prev_page", "next_page")
            ]
        )  # fmt: skip
    equal(links, [[None, "2"], ["1", "3"], ["2", None]])
    url = response(service)["info"]["results"]["next_page"]
    expect(url.startswith(service.base + "/svc/results/?"), "not an address of the service", url)
    equal(service.admin.get(url.removeprefix(service.base)).json()["results"][0]["swirl_rank"], 6)


@claim(
    "core 7.1: result_mixer in links only if it differs",
    rows=[Row("own", ("RelevancyConfidenceMixer", None)), Row("other", ("RelevancyMixer", "RelevancyMixer"))],
)  # fmt: skip
def links_keep_another_mixer(service, mixer, expected):
    url = response(service, result_mixer=mixer)["info"]["results"]["next_page"]
    equal(path_and_query(url)[1].get("result_mixer"), expected)


@claim(
    "quirks, Mixers: next_page keeps all filters",
    rows=[
        Row("provider", ("provider",)), Row("explain", ("explain",)), Row("providers", ("providers",)),
        Row("facets", ("facets",)),
    ],
)  # fmt: skip
def links_keep_filters(service, name):
    first = str(STATE["ids"]["first"])
    value = {"provider": first, "providers": first, "explain": "False", "facets": "true"}[name]
    url = response(service, **{name: value})["info"]["results"]["next_page"]
    equal(path_and_query(url)[1].get(name, "").lower(), value.lower())


@claim("core 7.2: a page after the end")
def a_page_after_the_end_is_exhausted(service):
    found = response(service, page=4)
    equal(found["results"], [])
    line = f"Results exhausted for {STATE['search']['id']}"
    equal(len(messages_with(found, line)), 1, "message")


@claim("core 7.2: exactly at the boundary")
def a_page_at_the_boundary_is_empty_without_a_message(service):
    provider = STATE["providers"].create("boundary", items_for(4))
    search = service.admin.run_search("copper", searchprovider_list=[provider], results_requested=2)["id"]
    found = service.admin.results(search, page=3)
    equal(found["results"], [])
    equal(messages_with(found, "exhausted"), [])
    equal(service.admin.results(search, page=2)["info"]["results"].get("next_page"), None)


@claim("decisions 3.1; core 7.2", rows=[Row(str(value), (value,)) for value in ["0", "-1", "x", "1.5", ""]])
def pages_are_positive_numbers(service, value):
    service.admin.get("/svc/results/", params={"search_id": STATE["search"]["id"], "page": value}).expect(400)


@claim("core 7.2; quirks, Errors: page with items")
def items_is_only_for_lists(service):
    service.admin.get("/svc/results/", params={"search_id": STATE["search"]["id"], "page": 1, "items": 5}).expect(400)


@claim("core 7.1: provider and providers", rows=[
    Row("provider", ({"provider": "first"}, 7)), Row("providers", ({"providers": "first,second"}, 12)),
    Row("failed", ({"provider": "broken"}, 0)),
    Row("providers takes precedence", ({"provider": "first", "providers": "second"}, 5)),
])  # fmt: skip
def lists_can_be_filtered_by_source(service, params, expected):
    params = {name: ",".join(str(STATE["ids"][each]) for each in value.split(",")) for name, value in params.items()}
    equal(response(service, **params)["info"]["results"]["retrieved_total"], expected)


@claim("core 7.1: an unknown provider")
def an_unknown_source_has_no_results(service):
    found = response(service, provider=99999)
    equal((found["results"], found["info"]["results"]["retrieved_total"]), ([], 0))


@claim("interface: explain=False; decisions 3.10", rows=[
    Row(value, (value, shown)) for value,
    shown in [("False", False), ("false", False), ("FALSE", False), ("True", True), ("true", True)]
])  # fmt: skip
def explain_can_be_switched_off(service, value, shown):
    for result in response(service, explain=value)["results"]:
        equal("explain" in result and result["explain"] is not None, shown, "explain")
        expect(result["swirl_score"] > 0 and 0 < result["swirl_confidence_score"] <= 1, "scores are missing", result)


@claim("interface: explain is on by default")
def explain_is_on_by_default(service):
    explain = response(service)["results"][0]["explain"]
    equal(explain["stems"], "copper")
    expect({"title", "hits"} <= set(explain), "parts are missing", explain)


@claim("interface: Result (mixed form)")
def results_have_their_fields(service):
    result = response(service)["results"][0]
    fields = {
        "swirl_rank": int, "swirl_score": float, "swirl_confidence_score": float, "searchprovider": str,
        "searchprovider_rank": int,
        "title": str, "body": str, "url": str, "author": str, "date_published": str, "date_published_display": str,
        "date_retrieved": str, "swirl_id": int, "payload": dict, "title_hit_highlights": list,
        "body_hit_highlights": list,
    }  # fmt: skip
    wrong = {name: result.get(name) for name, kind in fields.items() if not isinstance(result.get(name), kind)}
    equal(wrong, {}, "missing or of another type")
    expect(not result.get("new") and "dict_len" not in result and "dict_score" not in result, "internal fields", result)


@claim("core 7.1: addresses come from the request", rows=[
    Row("with port", ("search.example:8443", "http://search.example:8443/svc/")),
    Row("without port", ("search.example", "http://search.example/svc/")),
])  # fmt: skip
def links_use_the_host_of_the_request(service, host, expected):
    path = f"/svc/results/?search_id={STATE['search']['id']}"
    info = service.admin.get(path, headers={"Host": host}).expect(200).json()["info"]
    urls = [info["results"]["next_page"], info["first"]["filter_url"], info["search"]["rerun_url"]]
    equal([url for url in urls if not url.startswith(expected)], [])


@claim(
    "decisions 1: both prefixes, with and without the slash",
    rows=[Row(path, (path,)) for path in ["/svc/results", "/svc/results/", "/api/svc/results", "/api/svc/results/"]],
)  # fmt: skip
def every_path_responds_directly(service, path):
    found = service.admin.get(path, params={"search_id": STATE["search"]["id"]}).expect(200).json()
    equal(found["info"]["results"]["retrieved_total"], 12)


@claim("interface: BLOCK=<name>; core 7.2")
def results_of_a_block_leave_the_list(service):
    block = STATE["providers"].create(
        "block", items_for(3, "copper block"), result_mappings="title=title,body=body,url=url,BLOCK=facts"
    )
    plain_one = STATE["providers"].create("beside block", items_for(2, "copper beside"))
    found = service.admin.search("copper", providers=[block, plain_one])
    equal([each["searchprovider"] for each in found["results"]], ["beside block"] * 2)
    equal([each["swirl_rank"] for each in found["results"]], [1, 2])
    equal(
        [(each["searchprovider"], each["swirl_rank"]) for each in found["facts"]],
        [("block", rank) for rank in (1, 2, 3)],
    )  # fmt: skip
    equal(found["info"]["results"]["result_blocks"], ["ai_summary", "facts"])
    equal(found["info"]["results"]["retrieved_total"], 2)


@claim("interface: Errors; decisions 3.1", rows=[
    Row("unknown search", ({"search_id": 999999}, 404)), Row("no number", ({"search_id": "x"}, 400)),
    Row("negative", ({"search_id": -1}, (400, 404))),
])  # fmt: skip
def wrong_searches_are_refused(service, params, status):
    problem = service.admin.get("/svc/results/", params=params).expect(
        *(status if isinstance(status, tuple) else (status,))
    ).json()
    expect({"detail", "code", "request_id"} <= set(problem), "not the common shape", problem)


@claim("core 8.1: results of a running search")
def results_of_a_running_search_come_later(service):
    release = threading.Event()
    slow = STATE["providers"].create("slow", respond=lambda request: release.wait(8) and Reply({"items": items_for(1)}))
    search = service.admin.post(
        "/svc/search/", {"query_string": "copper", "searchprovider_list": [slow]}
    ).expect(201).json()
    early = service.admin.get("/svc/results/", params={"search_id": search["id"]}).expect(503)
    expect(int(early.headers["retry-after"]) >= 1, "Retry-After", early.headers)
    expect({"detail", "code", "request_id"} <= set(early.json()), "not the common shape", early.text)
    release.set()
    equal(service.admin.finished_search(search["id"])["status"], "FULL_RESULTS_READY")
    equal(len(service.admin.results(search["id"])["results"]), 1)


@claim("interface: a Result can be deleted by id")
def a_deleted_result_leaves_the_list(service):
    provider = STATE["providers"].create("delete one", items_for(3))
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    victim = service.admin.results(search)["results"][1]["swirl_id"]
    service.admin.delete(f"/svc/results/{victim}/").expect(204)
    service.admin.get(f"/svc/results/{victim}/").expect(404)
    found = service.admin.results(search)
    equal(len(found["results"]), 2)
    equal([each["swirl_rank"] for each in found["results"]], [1, 2])
    service.admin.get(f"/svc/search/{search}/").expect(200)


@claim(
    "decisions 3.8: no source has these names",
    rows=[Row(name, (name,)) for name in ["search", "results", "completeness"]],
)  # fmt: skip
def a_source_named_like_a_part_of_info_does_not_hide_it(service, name):
    record = {
        "name": name, "connector": "RequestsGet", "url": STATE["source"].route(f"/{name}", {"items": items_for(1)}),
        "default": False,
    }  # fmt: skip
    created = service.admin.post("/svc/searchproviders/", {**record, "response_mappings": "RESULTS=items"})
    if created.status == 400:
        return
    found = service.admin.search("copper", providers=[created.expect(201).json()["id"]])
    parts = {"search": "rerun_url", "results": "found_total", "completeness": "asked"}
    equal([part for part, key in parts.items() if key not in found["info"][part]], [], "hidden parts")


@claim("interface: SVC_TIMEOUT; core 7.1: banner")
def a_list_of_many_sources_names_all_of_them(service):
    with Service(service.program) as other, Source() as source:
        providers = Providers(other, source)
        ids = [providers.create(f"S{number}", items_for(1, f"copper{number}", number)) for number in range(1, 31)]
        info = other.admin.search("copper", providers=ids)["info"]
        equal(
            sorted(name for name in info if re.fullmatch(r"S\d+", name)),
            sorted(f"S{number}" for number in range(1, 31)),
        )  # fmt: skip
        equal(info["completeness"]["answered"], 30)
