"""How a search ends: full, partial or in an error, what it says about each source, and its log."""

import re
import socket
import threading
import time

from harness import Reply, Row, Service, Source, claim, equal, eventually, expect, free_port
from harness.federation import Providers, failing, items_for, messages_with

SETTINGS = {"SVC_TIMEOUT": "2"}
STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])
    STATE["good"] = STATE["providers"].create("good", items_for(2))


def finish():
    STATE["source"].__exit__()


def create(name, items=None, respond=None, **fields):
    return STATE["providers"].create(name, items, respond, **fields)


def late(seconds, reply):
    def respond(request):
        time.sleep(seconds)
        return reply

    return respond


def ended(service, providers, query="copper", **fields):
    search = service.admin.run_search(query, searchprovider_list=providers, **fields)
    return search, service.admin.results(search["id"])


@claim("interface: POST /svc/search/ returns the Search")
def a_new_search_is_returned_at_once(service):
    slow = create("slow start", respond=late(1, {"items": []}))
    started = time.monotonic()
    response = service.admin.post("/svc/search/", {"query_string": "copper", "searchprovider_list": [slow]}).expect(201)
    expect(time.monotonic() - started < 0.9, "it waited for the source")
    search = response.json()
    expect(isinstance(search["id"], int), "id", search)
    equal(search["status"], "NEW_SEARCH")
    expect(
        search["result_url"].startswith(service.base + "/svc/results/?search_id=%d" % search["id"]), "result_url",
        search,
    )  # fmt: skip
    expect("RelevancyNewItemsMixer" in search["new_result_url"], "new_result_url", search)
    equal(service.admin.finished_search(search["id"])["status"], "FULL_RESULTS_READY")


@claim("core 8.2: new_result_url of a mixer by date")
def a_search_by_date_has_the_mixer_of_new_dated_items(service):
    search, _ = ended(service, [STATE["good"]], result_mixer="DateMixer")
    expect("DateNewItemsMixer" in search["new_result_url"], "new_result_url", search["new_result_url"])
    expect("DateMixer" in search["result_url"], "result_url", search["result_url"])


@claim("decisions 3.7: FULL_RESULTS_READY")
def every_source_delivered(service):
    search, response = ended(service, [STATE["good"]])
    equal(search["status"], "FULL_RESULTS_READY")
    equal(response["info"]["good"]["status"], "ok")


@claim("decisions 3.7: zero results is a delivery")
def no_results_are_a_delivery(service):
    search, response = ended(service, [STATE["good"], create("empty", [])])
    equal(search["status"], "FULL_RESULTS_READY")
    equal(response["info"]["empty"]["status"], "no_results")
    equal(
        response["info"]["completeness"],
        {"asked": 2, "answered": 2, "partial": 0, "failed": 0, "timed_out": 0, "suspended": 0},
    )  # fmt: skip


FAILURES = [
    Row("500", (failing(500),)), Row("404", (failing(404),)), Row("403", (failing(403),)), Row("401", (failing(401),)),
    Row("503", (failing(503),)),
    Row("broken JSON", (Reply(b'{"items": [', headers={"Content-Type": "application/json"}),)),
    Row("web page", (Reply(b"<html><body>Welcome", headers={"Content-Type": "text/html"}),)),
    Row("broken XML", (Reply(b"<rss><channel>", headers={"Content-Type": "application/xml"}),)),
    Row("redirect loop", (lambda request: Reply("", 302, {"Location": request.target}),)),
    Row("redirect to another protocol", (Reply("", 302, {"Location": "ftp://127.0.0.1/x"}),)),
]  # fmt: skip


@claim("decisions 3.7 and 3.8: a failed source", rows=FAILURES)
def a_failed_source_makes_it_partial(service, respond):
    name = f"failure {FAILURES.index(next(row for row in FAILURES if row.values[0] is respond))}"
    search, response = ended(service, [STATE["good"], create(name, respond=respond)])
    equal(search["status"], "PARTIAL_RESULTS_READY")
    info = response["info"]
    equal((info[name]["status"], info[name]["found"], info[name]["retrieved"]), ("error", 0, 0))
    expect(info[name]["error"]["code"], "no code", info[name])
    equal(info["completeness"], {"asked": 2, "answered": 1, "partial": 0, "failed": 1, "timed_out": 0, "suspended": 0})
    equal((len(response["results"]), info["results"]["found_total"]), (2, 2))


@claim("decisions 3.7: not reachable")
def a_source_that_is_not_there_makes_it_partial(service):
    gone = service.admin.create_provider(name="gone", url=f"http://127.0.0.1:{free_port()}/", default=False)["id"]
    search, response = ended(service, [STATE["good"], gone])
    equal((search["status"], response["info"]["gone"]["status"]), ("PARTIAL_RESULTS_READY", "error"))


@claim("decisions 3.7: a connection that is closed")
def a_source_that_hangs_up_makes_it_partial(service):
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up():
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=hang_up, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        closing = service.admin.create_provider(name="closing", url=url, default=False)["id"]
        search, response = ended(service, [STATE["good"], closing])
    equal((search["status"], response["info"]["closing"]["status"]), ("PARTIAL_RESULTS_READY", "error"))


@claim("interface: workflow 4; core 8.2: one deadline; decisions 3.7")
def a_late_source_does_not_hold_up_the_others(service):
    provider = create("late", respond=late(4, {"items": items_for(1)}))
    started = time.monotonic()
    search, response = ended(service, [STATE["good"], provider])
    expect(1.9 < time.monotonic() - started < 3.5, "not the deadline", time.monotonic() - started)
    equal(search["status"], "PARTIAL_RESULTS_READY")
    info = response["info"]
    equal((info["late"]["status"], info["late"]["found"], info["late"]["retrieved"]), ("timeout", 0, 0))
    equal(info["completeness"], {"asked": 2, "answered": 1, "partial": 0, "failed": 0, "timed_out": 1, "suspended": 0})
    equal(len(response["results"]), 2)
    expect(2 <= info["results"]["federation_time"] <= 3.5, "federation_time", info["results"])
    equal(len(messages_with(search, "late")) > 0, True, "the log does not name it")


@claim("core 8.2: late rows")
def what_comes_after_the_deadline_is_dropped(service):
    answered = threading.Event()

    def respond(request):
        time.sleep(3)
        answered.set()
        return {"items": items_for(3)}

    search, before = ended(service, [STATE["good"], create("later", respond=respond)])
    expect(answered.wait(5), "the source was never asked")
    after = service.admin.results(search["id"])
    equal([each["swirl_id"] for each in after["results"]], [each["swirl_id"] for each in before["results"]])
    equal(after["info"]["later"]["status"], "timeout")


@claim("core 8.2: one deadline for all sources")
def late_sources_wait_together(service):
    providers = [create(f"late {number}", respond=late(4, {"items": []})) for number in range(5)]
    started = time.monotonic()
    _, response = ended(service, providers)
    expect(time.monotonic() - started < 4, "the deadlines add up", time.monotonic() - started)
    equal(response["info"]["completeness"]["timed_out"], 5)


def paged(second):
    """A source of 30 results on three pages whose pages after the first are what `second` says."""

    def respond(request):
        start = int(request.query["start"])
        return {"items": items_for(10, "copper sheet")} if start == 1 else second(start) if callable(second) else second

    return respond


PAGED = {
    "query_template": "{url}?a=1&q={query_string}", "query_mappings": "PAGE=start=RESULT_INDEX", "results_per_query": 30
}


@claim("decisions 7.5: a later page that fails", rows=[
    Row("500", ("page 500", failing())),
    Row("broken JSON", ("page broken", Reply(b"{", headers={"Content-Type": "application/json"}))),
    Row("slow", ("page slow", lambda start: late(4, {"items": items_for(10, start=start)})(None))),
])  # fmt: skip
def a_failed_later_page_is_partial(service, name, second):
    search, response = ended(service, [STATE["good"], create(name, respond=paged(second), **PAGED)])
    equal(search["status"], "PARTIAL_RESULTS_READY")
    info = response["info"]
    equal((info[name]["status"], info[name]["retrieved"]), ("partial", 10))
    expect(info[name]["error"]["code"], "its error is not said", info[name])
    equal(info["completeness"], {"asked": 2, "answered": 1, "partial": 1, "failed": 0, "timed_out": 0, "suspended": 0})
    equal(info["results"]["retrieved_total"], 12)


@claim("core 3.5: an empty later page")
def an_empty_later_page_is_the_end(service):
    search, response = ended(service, [create("page empty", respond=paged({"items": []}), **PAGED)])
    equal((search["status"], response["info"]["page empty"]["status"]), ("FULL_RESULTS_READY", "ok"))
    equal(response["info"]["page empty"]["retrieved"], 10)


@claim("decisions 3.7: a search that cannot run", rows=[
    Row("inactive", ("inactive",)), Row("unknown name", ("no such source",)), Row("unknown id", (99999,)),
])  # fmt: skip
def without_sources_it_ends_in_an_error(service, reference):
    if reference == "inactive":
        reference = create("inactive", [], active=False)
    search, response = ended(service, [reference])
    equal(search["status"], "ERR_NO_SEARCHPROVIDERS")
    equal(response["results"], [])
    expect(
        any("source" in line.lower() or "provider" in line.lower() for line in response["messages"][1:]), "no reason",
        response["messages"],
    )  # fmt: skip
    equal(response["info"]["completeness"]["asked"], 0)


@claim("decisions 3.7: qs of a search that cannot run")
def qs_without_sources_says_why(service):
    response = service.admin.search("copper", providers="no-such-source")
    equal(response["results"], [])
    expect(messages_with(response, "no-such-source"), "no message names it", response["messages"])


@claim("decisions 7.10: a 200 that says it failed", rows=[
    Row("text", ("RESULTS=items,ERROR=error", {"error": "invalid_auth"}, "error")),
    Row("object", ("RESULTS=items,ERROR=error", {"error": {"message": "Out of order"}}, "error")),
    Row("condition", ("RESULTS=items,ERROR=error,ERROR_IF=ok=false", {"ok": False, "error": "invalid_auth"}, "error")),
    Row("condition not met", ("RESULTS=items,ERROR=error,ERROR_IF=ok=false", {"ok": True, "items": []}, "no_results")),
    Row("empty error", ("RESULTS=items,ERROR=error", {"error": "", "items": []}, "no_results")),
    Row("null error", ("RESULTS=items,ERROR=error", {"error": None, "items": []}, "no_results")),
])  # fmt: skip
def a_response_can_say_that_it_failed(service, mappings, body, status):
    name = f"says {mappings[14:]} {status} {len(str(body))}"
    search, response = ended(service, [create(name, respond=body, response_mappings=mappings)])
    equal(response["info"][name]["status"], status)
    equal(search["status"], "PARTIAL_RESULTS_READY" if status == "error" else "FULL_RESULTS_READY")
    if status == "error":
        said = str(response["info"][name]["error"])
        expect("invalid_auth" in said or "Out of order" in said, "not the source's own words", said)


@claim("interface: Errors, 429; core 8.4")
def a_source_that_limits_is_left_alone(service):
    provider = create("limits", respond=Reply("slow down", 429, {"Retry-After": "120"}))
    ended(service, [provider])
    search, response = ended(service, [STATE["good"], provider])
    equal(len(STATE["source"].asked(STATE["providers"].path(provider))), 1, "requests")
    equal((search["status"], response["info"]["limits"]["status"]), ("PARTIAL_RESULTS_READY", "suspended"))
    equal(response["info"]["completeness"]["suspended"], 1)
    state = service.admin.get(f"/svc/searchproviders/{provider}/state/").expect(200)
    service.admin.delete(f"/svc/searchproviders/{provider}/state/").expect(204)
    STATE["providers"].answer(provider, {"items": items_for(1)})
    equal(ended(service, [provider])[0]["status"], "FULL_RESULTS_READY", state.text[:200])


@claim("core 8.3: Retrieved R of F; decisions 7.4")
def the_log_counts_the_results_of_each_source(service):
    provider = create(
        "counted", respond={"items": items_for(3), "total": 2309}, response_mappings="FOUND=total,RESULTS=items"
    )
    search, response = ended(service, [provider])
    for place in (search, response):
        equal(len(messages_with(place, "Retrieved 3 of 2309 results from: counted")), 1)


@claim("decisions 7.4; interface: Errors, the Search object is inspected")
def the_log_tells_failures(service):
    search, _ = ended(service, [create("log failure", respond=failing())])
    lines = messages_with(search, "Error: log failure")
    equal(len(lines), 1, "lines of the failure")
    expect("500" in lines[0], "the reason is missing", lines)


@claim("core 8.3: rewritten queries")
def the_log_tells_rewritten_queries(service):
    search, _ = ended(service, [create("log query", [], tags=["metal"])], query="metal:copper", pre_query_processors=[])
    lines = messages_with(search, "AdaptiveQueryProcessor rewrote log query's query to: copper")
    equal(len(lines), 1, "lines")


@claim("core 2: pre-query processors; core 8.3")
def the_log_tells_queries_rewritten_before(service):
    search, _ = ended(
        service, [STATE["good"]], query="copper <b>roof</b>", pre_query_processors=["GenericQueryProcessor"]
    )
    equal(search["query_string_processed"], "copper roof")
    equal(len(messages_with(search, "GenericQueryProcessor rewrote query to: copper roof")), 1)


@claim("core 8.3: Requested sort_by_date")
def the_log_tells_that_dates_were_requested(service):
    search, _ = ended(service, [STATE["good"]], sort="date")
    equal(len(messages_with(search, "Requested sort_by_date from all providers")), 1)


@claim("core 8.3: times in brackets; quirks, Dates")
def lines_of_the_log_have_their_time(service):
    search, _ = ended(service, [STATE["good"], create("log time", respond=failing())])
    wrong = [
        line for line in search["messages"][1:] if not re.match(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\] ", line)
    ]
    equal(wrong, [])


@claim("decisions 7.4: bounded")
def the_log_is_bounded(service):
    huge = Reply({"error": "x" * 1_000_000}, 200)
    provider = create("log bounded", respond=huge, response_mappings="RESULTS=items,ERROR=error")
    search, response = ended(service, [provider])
    expect(sum(map(len, search["messages"])) < 100_000, "size of the log", sum(map(len, search["messages"])))
    expect(len(str(response["info"])) < 100_000, "size of info", len(str(response["info"])))


@claim("core 8.4: one entry for each source")
def a_failed_source_has_one_entry(service):
    search, response = ended(service, [create("one entry", respond=failing())])
    equal(response["info"]["results"]["found_total"], 0)
    equal(len(messages_with(response, "Error: one entry")), 1)
    equal(search["status"], "PARTIAL_RESULTS_READY")


@claim("decisions 5: an accepted search is not lost")
def a_search_survives_a_restart(service):
    with Service(service.program, {"SVC_TIMEOUT": "20"}) as other, Source() as source:
        provider = Providers(other, source).create(
            "restarted", respond=lambda request: late(2, {"items": items_for(2)})(request)
        )
        search = other.admin.post(
            "/svc/search/", {"query_string": "copper", "searchprovider_list": [provider]}
        ).expect(201).json()
        eventually(lambda: source.requests)
        other.process.kill()
        other.process.wait()
        other.console.close()
        other.start()
        finished = eventually(lambda: (lambda each: each if each["status"].endswith("_READY") else None)(
            other.admin.get(f"/svc/search/{search['id']}/").json()), 45, "the search never ended")  # fmt: skip
        equal(finished["status"], "FULL_RESULTS_READY")
        equal(len(other.admin.results(search["id"])["results"]), 2)
