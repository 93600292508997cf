"""The AI summary as the interface defines it: its row, its block, and its two endpoints, without a model."""

import time

from harness import Reply, Service, claim, equal, expect
from harness.sample import SampleSource, error, rows

SETTINGS = {"SVC_RAG_SCORE_INCLUSION_THRESHOLD": "0"}
AUTHOR = "Tributary RAG AI Results Processor"
source = SampleSource()
known = {}
TEXTS = [
    "Copper wire carries electric current with little loss in every building.",
    "Copper wire is drawn through dies until it has the wanted diameter.",
    "Copper wire was laid below the Atlantic for the first telegraph in 1858.",
]


def prepare(service):
    source.__enter__()
    enable_extracts(service)
    known["provider"] = copper(service)["id"]


def finish():
    source.__exit__()


def enable_extracts(service):
    """Summaries are made of sentences of the results, so that no model is needed."""
    records = service.admin.get("/svc/aiproviders/").expect(200).json()
    record = next(record for record in records if record["name"] == "Extractive answer")
    service.admin.patch(f"/svc/aiproviders/{record['id']}/", {"active": True}).expect(200)


def copper(service):
    items = [
        {"title": f"Copper wire, part {n}", "body": text, "url": f"http://items.example/wire/{n}"}
        for n, text in enumerate(TEXTS, 1)
    ]
    return source.provider(service, "Wires", items)


def searched(service, **params):
    return service.admin.search("copper wire", providers=[known["provider"]], **params)


def finished(service, **fields):
    return service.admin.run_search("copper wire", searchprovider_list=["Wires"], **fields)["id"]


def summarized(service, search_id, **fields):
    answer = service.admin.post("/svc/rag-search/", {"search_id": search_id, **fields}).expect(200).json()
    rows_of_block = answer["ai_summary"]
    equal(len(rows_of_block), 1, f"summaries ({answer['messages']})")
    return answer, rows_of_block[0]


@claim("interface: What the service does 6; decisions 3.6")
def a_summary_is_a_row_of_the_block_with_the_author(service):
    answer = searched(service, rag="true")
    summary = answer["ai_summary"][0]
    equal(summary["author"], AUTHOR)
    for field in ["title", "body"]:
        expect(isinstance(summary[field], str) and summary[field], f"{field} is no text", summary[field])
    expect("ai_summary" in answer["info"]["results"]["result_blocks"], "the block is not named", answer["info"]["results"])


@claim("decisions 3.6, first in the results of the call that asked")
def the_call_that_asked_has_the_summary_first_with_rank_0(service):
    answer = searched(service, rag="true")
    equal((answer["results"][0]["author"], answer["results"][0]["swirl_rank"]), (AUTHOR, 0))
    equal([result["swirl_rank"] for result in answer["results"]], [0, 1, 2, 3])


@claim("decisions 3.6, never counted in totals")
def a_summary_is_not_counted(service):
    info = searched(service, rag="true")["info"]
    equal((info["results"]["found_total"], info["results"]["retrieved_total"]), (3, 3))
    equal(info["completeness"]["asked"], 1)


@claim("decisions 3.6, in the block always")
def later_calls_have_the_summary_in_its_block_only(service):
    search_id = searched(service, rag="true")["info"]["search"]["id"]
    answer = service.admin.results(search_id)
    equal([result["swirl_rank"] for result in answer["results"]], [1, 2, 3])
    equal([row["author"] for row in answer["ai_summary"]], [AUTHOR])


@claim("interface: Mixed results response; core 7.1")
def without_a_summary_the_block_is_empty(service):
    equal(searched(service)["ai_summary"], [])


@claim("interface: Endpoints, qs, rag; quirks: AI",
       rows=rows(*[(value, value) for value in ["false", "0", "no", "off", "OFF"]]))  # fmt: skip
def rag_can_be_off(service, value):
    equal(searched(service, rag=value)["ai_summary"], [])


@claim("interface: What the service does 6, the other rows are its citations")
def a_summary_cites_rows_of_the_results(service):
    answer = searched(service, rag="true")
    urls = {result["url"] for result in answer["results"][1:]}
    cited = {each["url"].split("#")[0] for each in answer["ai_summary"][0]["additional_content"]["sources"]}
    expect(cited and cited <= urls, "sources that are no results", [cited, urls])
    expect("[1]" in answer["ai_summary"][0]["body"], "no citation", answer["ai_summary"][0]["body"])


@claim("interface: Endpoints, POST /svc/rag-search/")
def an_existing_search_is_summarized(service):
    _, summary = summarized(service, finished(service))
    equal(summary["author"], AUTHOR)


def sources_of(summary):
    return sorted(each["url"].split("#")[0] for each in summary["additional_content"]["sources"])


@claim("interface: Endpoints, rag-search, omitted means all results",
       rows=rows(("omitted", {}), ("empty", {"result_list": []})))  # fmt: skip
def without_a_list_all_results_are_used(service, fields):
    _, summary = summarized(service, finished(service), **fields)
    equal(len(sources_of(summary)), 3)


@claim("decisions 3.5")
def numbers_of_the_list_are_ids_of_results(service):
    search_id = finished(service)
    wanted = service.admin.results(search_id)["results"][1:]
    _, summary = summarized(service, search_id, result_list=[result["swirl_id"] for result in wanted])
    equal(sources_of(summary), sorted(result["url"] for result in wanted))


@claim("decisions 3.5, if none is an id they are ranks of the search's own list")
def numbers_that_are_no_ids_are_ranks(service):
    for _ in range(2):
        search_id = finished(service, result_mixer="RelevancyMixer")
    results = service.admin.results(search_id)["results"]
    expect(min(result["swirl_id"] for result in results) > 3, "ids and ranks overlap", results)
    _, summary = summarized(service, search_id, result_list=[1, 3])
    equal(sources_of(summary), sorted([results[0]["url"], results[2]["url"]]))


@claim("decisions 3.5, unknown numbers are named in messages")
def unknown_numbers_are_named(service):
    search_id = finished(service)
    first = service.admin.results(search_id)["results"][0]
    answer, summary = summarized(service, search_id, result_list=[first["swirl_id"], 98765432])
    equal(sources_of(summary), [first["url"]])
    expect(any("98765432" in line for line in answer["messages"]), "no message", answer["messages"])


@claim("interface: Limits, rag_timeout; core 8.6", rows=rows(*[(str(v), v) for v in ["0", "181", "-1", "soon", ""]]))
def an_invalid_rag_timeout_is_refused(service, value):
    params = {"qs": "copper wire", "providers": known["provider"], "rag": "true", "rag_timeout": value}
    error(service.admin.get("/svc/search/", params=params), 400)


@claim("interface: Limits, rag_timeout; quirks: Errors")
def a_summary_takes_no_longer_than_its_time_limit(service):
    def slow(request):
        time.sleep(8)
        return Reply("late")

    with Service(service.program, SETTINGS) as other:
        base = source.route("/model/v1/chat/completions", slow).removesuffix("/chat/completions")
        body = {"name": "Slow", "model": "openai/x", "tags": ["rag"], "defaults": ["rag"], "config": {"api_base": base}}
        other.admin.post("/svc/aiproviders/", body).expect(201)
        provider = copper(other)["id"]
        started = time.monotonic()
        answer = other.admin.search("copper wire", providers=[provider], rag="true", rag_timeout=1)
        expect(time.monotonic() - started < 5, "it waited for the model")
        equal((len(answer["results"]), answer["ai_summary"]), (3, []))
        search_id = answer["info"]["search"]["id"]
        error(other.admin.post("/svc/rag-search/", {"search_id": search_id, "rag_timeout": 1}), 504)


@claim("quirks: AI, without a model", rows=rows(("qs", True), ("rag-search", False)))
def without_a_model_results_stay_and_the_reason_is_said(service, by_qs):
    with Service(service.program) as other:
        provider = copper(other)["id"]
        answer = other.admin.search("copper wire", providers=[provider], **({"rag": "true"} if by_qs else {}))
        equal(len(answer["results"]), 3)
        if by_qs:
            expect("no_ai_provider" in str(answer["info"]["ai"]), "no reason", answer["info"]["ai"])
        else:
            body = {"search_id": answer["info"]["search"]["id"]}
            error(other.admin.post("/svc/rag-search/", body), 503, "no_ai_provider")
