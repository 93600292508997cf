"""Pages of a source: how many are asked for, when paging ends, and what becomes of failed pages."""

import threading

from harness import Reply, Row, claim, equal, expect
from harness.one_provider import ask, items, refused

SETTINGS = {"SVC_TIMEOUT": "3", "SVC_SEARCH_HTTP_READ_TIMEOUT": "10"}
HELD = threading.Event()


def finish():
    HELD.set()


def pages(sizes, **more):
    """A source with pages of these sizes; `p` is the number of the page."""

    def respond(request):
        number = int(request.query["p"])
        size = sizes[number - 1] if number <= len(sizes) else 0
        return size if isinstance(size, Reply) else {"items": items(size, number * 100), **more}

    return respond


def paged(service, sizes, wanted, mappings="RESULTS=items", more=None, **options):
    return ask(service, respond=pages(sizes, **(more or {})), query_template="{url}?a=1&q={query_string}",
               query_mappings="PAGE=p=RESULT_PAGE", results_per_query=wanted, response_mappings=mappings, **options)  # fmt: skip


def numbers(asked):
    return sorted(int(each.query["p"]) for each in asked.requests)


@claim("core 3.5, table of variables", rows=[
    Row("RESULT_INDEX", ("RESULT_INDEX", [1, 11, 21])), Row("RESULT_ZERO_INDEX", ("RESULT_ZERO_INDEX", [0, 10, 20])),
    Row("PAGE_INDEX", ("PAGE_INDEX", [1, 2, 3])), Row("RESULT_PAGE", ("RESULT_PAGE", [1, 2, 3])),
])  # fmt: skip
def variables_of_page_count(service, variable, expected):
    asked = ask(service, respond=lambda request: {"items": items(10, 1000 + 10 * int(request.query["s"]))}, results_per_query=30,
                query_template="{url}?a=1&q={query_string}", query_mappings=f"PAGE=s={variable}")  # fmt: skip
    equal(sorted(int(each.query["s"]) for each in asked.requests), expected)
    equal(asked.info["retrieved"], 30)
    expect(all("&s=" in each.target and each.target.endswith("&q=zinc") for each in asked.requests), "place of the snippet")


@claim("core 3.5: number of pages", rows=[
    Row("ten wanted", (10, [10, 10, 10], [1], 10)), Row("eleven wanted", (11, [10, 10, 10], [1, 2], 11)),
    Row("twenty wanted", (20, [10, 10, 10], [1, 2], 20)), Row("25 wanted", (25, [10, 10, 10, 10], [1, 2, 3], 25)),
    Row("five wanted", (5, [10, 10], [1], 5)), Row("one wanted", (1, [10], [1], 1)),
    Row("100 wanted", (100, [10] * 12, list(range(1, 11)), 100)),
])  # fmt: skip
def pages_are_a_tenth_of_the_results(service, wanted, sizes, expected, retrieved):
    asked = paged(service, sizes, wanted)
    equal(numbers(asked), expected)
    equal(asked.info["retrieved"], retrieved)
    equal(asked.status, "ok")


@claim("core 3.5: without PAGE, one request, cut to results_per_query")
def without_page_there_is_one_request(service):
    asked = ask(service, respond={"items": items(50)}, results_per_query=30)
    equal((len(asked.requests), asked.info["retrieved"]), (1, 30))


@claim("interface, response_mappings: FOUND defaults to the length of RESULTS; core 3.9: counted before the cut")
def found_defaults_to_what_the_source_returned(service):
    equal(ask(service, respond={"items": items(50)}, results_per_query=30).info["found"], 50)


@claim("core 3.5: a short page ends paging, by its own count; quirks: four further pages at a time", rows=[
    Row("short first page", ([9, 10], 1, 9)), Row("empty first page", ([0, 10], 1, 0)),
    Row("short second page", ([10, 4, 10, 10, 10, 10], 5, 14)), Row("empty second page", ([10, 0, 10, 10, 10, 10], 5, 10)),
    Row("short sixth page", ([10] * 5 + [3] + [10] * 4, 9, 53)),
])  # fmt: skip
def a_short_page_ends_paging(service, sizes, most_requests, retrieved):
    for mappings, more in [("RESULTS=items", {}), ("FOUND=total,RESULTS=items", {"total": 400})]:
        asked = paged(service, sizes, 100, mappings, more)
        expect(len(asked.requests) <= most_requests, f"more than {most_requests} requests", numbers(asked))
        equal(asked.info["retrieved"], retrieved, mappings)
        equal(asked.status, "ok" if retrieved else "no_results", mappings)


@claim("core 3.5: the count of the page itself decides although RETRIEVED is mapped")
def a_mapped_retrieved_of_all_pages_does_not_end_paging(service):
    asked = paged(service, [10, 10, 4], 30, "RETRIEVED=total,RESULTS=items", {"total": 24})
    equal(asked.info["retrieved"], 24)


@claim("core 3.5, found of the last page, with quirks: of the last page with results, never less than retrieved", rows=[
    Row("same on all pages", ([77, 77, 77], [10, 10, 10], 77)), Row("last page decides", ([70, 75, 80], [10, 10, 10], 80)),
    Row("less than retrieved", ([5, 5, 5], [10, 10, 10], 30)), Row("empty last page", ([70, 75, 0], [10, 10, 0], 75)),
])  # fmt: skip
def found_is_that_of_the_last_page_with_results(service, totals, sizes, expected):
    def respond(request):
        number = int(request.query["p"])
        return {"total": totals[number - 1], "items": items(sizes[number - 1], number * 100)}

    asked = ask(service, respond=respond, query_template="{url}?a=1&q={query_string}", query_mappings="PAGE=p=RESULT_PAGE",
                results_per_query=30, response_mappings="FOUND=total,RESULTS=items")  # fmt: skip
    equal(asked.info["found"], expected)


@claim("quirks: no waiting between pages")
def full_pages_cost_no_extra_second(service):
    asked = paged(service, [10, 10, 10], 30)
    expect(asked.info["search_time"] < 1, "waited", asked.info)


@claim("core 3.5: ranks at the source go on over pages")
def ranks_go_on_over_pages(service):
    asked = paged(service, [10, 10], 20, search={"results_requested": 100})
    equal([each["searchprovider_rank"] for each in asked.results], list(range(1, 21)))
    equal([each["url"].rpartition("/")[2] for each in asked.results], [str(100 + n) for n in range(10)] + [str(200 + n) for n in range(10)])


FAILURES = {
    "500": lambda: Reply("broken", 500), "503": lambda: Reply("later", 503), "404": lambda: Reply("none", 404),
    "no JSON": lambda: Reply("<html>oops", 200), "429": lambda: Reply("slow down", 429, {"Retry-After": "1"}),
}  # fmt: skip


@claim("decisions 7.5: a failed later page", rows=[Row(name, (reply,)) for name, reply in FAILURES.items()])
def a_failed_later_page_is_partial(service, failure):
    for sizes, retrieved in [([10, failure(), failure()], 10), ([10, 10, failure()], 20)]:
        asked = paged(service, sizes, 30, search={"results_requested": 100})
        equal(asked.status, "partial")
        equal((asked.info["retrieved"], len(asked.results)), (retrieved, retrieved))
        expect(asked.error_code and len(str(asked.info["error"])) > 20, "no error", asked.info)
        counts = asked.response["info"]["completeness"]
        equal((counts["asked"], counts["partial"], counts["failed"], counts["timed_out"]), (1, 1, 0, 0))
        newest = service.admin.get("/svc/search/").json()[0]
        equal(newest["status"], "PARTIAL_RESULTS_READY")
        expect(any("Case" in line and asked.provider["name"] in line for line in newest["messages"]), "not in the log", newest)


@claim("decisions 7.5: a late later page")
def a_late_later_page_is_partial(service):
    def respond(request):
        if request.query["p"] != "1":
            HELD.wait(20)
        return {"items": items(10, 100 * int(request.query["p"]))}

    asked = ask(service, respond=respond, query_template="{url}?a=1&q={query_string}", query_mappings="PAGE=p=RESULT_PAGE",
                results_per_query=30, search={"results_requested": 100})  # fmt: skip
    equal(asked.status, "partial")
    equal(asked.info["retrieved"], 10)
    equal(asked.response["info"]["completeness"]["partial"], 1)
    expect(asked.error_code, "no error", asked.info)


@claim("core 3.5 and decisions 3.7: a failed first page fails the provider", rows=[Row("500", (500,)), Row("404", (404,))])
def a_failed_first_page_is_an_error(service, status):
    asked = paged(service, [Reply("broken", status), 10, 10], 30)
    equal((asked.status, asked.info["found"], asked.info["retrieved"]), ("error", 0, 0))
    equal(set(numbers(asked)), {1})


@claim("quirks: PAGE without a variable is refused", rows=[
    Row("no variable", ("PAGE=start=1",)), Row("misspelled", ("PAGE=start=RESULTINDEX",)),
    Row("lower case", ("PAGE=start=result_index",)),
])  # fmt: skip
def page_needs_a_variable(service, mappings):
    answer = refused(service, query_mappings=mappings).expect(400).json()
    expect("query_mappings" in (answer.get("errors") or {}), "the field is not named", answer)


@claim("quirks: results_per_query is 1 to 1000", rows=[
    Row("0", (0, 400)), Row("negative", (-1, 400)), Row("1001", (1001, 400)), Row("text", ("ten", 400)), Row("fraction", (1.5, 400)),
    Row("1", (1, 201)), Row("1000", (1000, 201)),
])  # fmt: skip
def results_per_query_has_limits(service, value, status):
    refused(service, results_per_query=value).expect(status)


@claim("interface: results_per_query is 10 unless it is set")
def results_per_query_is_ten(service):
    asked = ask(service, respond={"items": items(30)})
    equal(asked.provider["results_per_query"], 10)
    equal(asked.info["retrieved"], 10)
