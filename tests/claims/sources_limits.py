"""How a source is asked: its own rate, time limit and retries, sources that keep failing, and equal requests at once."""

import concurrent.futures
import time

from harness import Reply, Row, Source, claim, equal, eventually, expect
from harness.federation import Providers, items_for

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def create(name, respond=None, **connector_use):
    config = {"swirl": {"connector_use": connector_use}} if connector_use else {}
    return STATE["providers"].create(name, items_for(2), respond=respond, config=config)


def info_of(service, provider, name, query="copper"):
    return service.admin.search(query, providers=[provider])["info"][name]


def requests(provider):
    return STATE["source"].asked(STATE["providers"].path(provider))


def replies(*statuses):
    """Responds with these statuses in turn, and after them with results."""
    left = list(statuses)

    def respond(_):
        return Reply("broken", left.pop(0)) if left else {"items": items_for(2)}

    return respond


@claim("interface: Limits, per-provider rate limiting; ai-cache 4.4: config.swirl.connector_use.rate_limit")
def a_source_is_asked_no_more_often_than_its_rate(service):
    provider = create("rated", rate_limit="2/hour")
    found = [info_of(service, provider, "rated", f"copper {n}")["status"] for n in range(4)]
    equal(found, ["ok", "ok", "suspended", "suspended"])
    equal(len(requests(provider)), 2, "requests")


@claim("decisions 3.7, 3.8: a suspended source makes a search partial and is counted")
def a_source_above_its_rate_is_counted_as_suspended(service):
    provider, other = create("counted", rate_limit="1/hour"), create("beside the counted")
    service.admin.search("copper", providers=[provider])
    search = service.admin.run_search("copper", searchprovider_list=[provider, other])
    equal(search["status"], "PARTIAL_RESULTS_READY")
    info = service.admin.results(search["id"])["info"]
    equal((info["completeness"]["suspended"], info["completeness"]["answered"]), (1, 1))
    equal((info["counted"]["found"], info["counted"]["retrieved"]), (0, 0))
    expect(any("counted" in line for line in search["messages"]), "a message names it", search["messages"])


@claim("ai-cache 4.4: format of rate_limit", rows=[
    Row("no number", ("many/minute",)), Row("no period", ("5",)), Row("unknown period", ("5/fortnight",)), Row("zero", ("0/minute",)),
])  # fmt: skip
def a_wrong_rate_is_refused(service, rate):
    record = {"name": "wrong rate", "url": "https://x.example/", "config": {"swirl": {"connector_use": {"rate_limit": rate}}}}
    expect("config" in str(service.admin.post("/svc/searchproviders/", record).expect(400).json()["errors"]), "the field")


@claim("ai-cache 4.4: timeout; ai-cache 7.3: per-provider override")
def a_source_has_its_own_time_limit(service):
    def late(_):
        time.sleep(3)
        return {"items": items_for(2)}

    provider, quick = create("patient", respond=late, timeout=1), create("quick")
    started = time.monotonic()
    search = service.admin.run_search("copper", searchprovider_list=[provider, quick])
    expect(time.monotonic() - started < 2.9, "it waited for the source", time.monotonic() - started)
    info = service.admin.results(search["id"])["info"]
    equal((info["patient"]["status"], info["quick"]["status"]), ("timeout", "ok"))


@claim("ai-cache 4.4: retry_count", rows=[
    Row("enough", ("retried", (503, 500), 2, "ok", 3)), Row("too few", ("given up", (503, 503, 503), 1, "error", 2)),
    Row("none by default", ("not retried", (503,), None, "error", 1)),
    Row("not for a refusal", ("refused", (401,), 3, "error", 1)), Row("not for a bad request", ("bad", (400,), 3, "error", 1)),
])  # fmt: skip
def a_failed_request_is_repeated_as_configured(service, name, statuses, retries, status, count):
    fields = {} if retries is None else {"retry_count": retries, "backoff_seconds": 0.1}
    provider = create(name, respond=replies(*statuses), **fields)
    equal(info_of(service, provider, name)["status"], status)
    equal(len(requests(provider)), count, "requests")


@claim("ai-cache 4.4: values of connector_use", rows=[
    Row("retries as text", ({"retry_count": "x"},)), Row("negative", ({"retry_count": -1},)), Row("many", ({"retry_count": 99},)),
    Row("time limit as text", ({"timeout": "x"},)), Row("negative time limit", ({"timeout": -1},)),
])  # fmt: skip
def a_wrong_value_of_connector_use_is_refused(service, block):
    record = {"name": "wrong use", "url": "https://x.example/", "config": {"swirl": {"connector_use": block}}}
    expect("config" in str(service.admin.post("/svc/searchproviders/", record).expect(400).json()["errors"]), "the field")


@claim("interface: Errors, a source returns 429: the period the source reports", rows=[
    Row("seconds", ("paused", "3000")), Row("a date", ("paused until", "Fri, 31 Dec 2100 23:59:59 GMT")),
])  # fmt: skip
def the_pause_of_a_source_is_told(service, name, after):
    provider = create(name, respond=lambda _: Reply("slow", 429, {"Retry-After": after}))
    equal(info_of(service, provider, name)["error"]["code"], "rate_limited")
    info = info_of(service, provider, name, "copper again")
    equal((info["status"], info["error"]["code"]), ("suspended", "suspended"))
    equal(len(requests(provider)), 1, "requests")
    state = service.admin.get(f"/svc/searchproviders/{provider}/state/").expect(200).json()
    expect("until" in str(state) or "at" in str(state), "when it is asked again", state)


@claim("docs/sources: a source that keeps failing is left alone, and an administrator ends that")
def a_source_that_keeps_failing_is_paused_until_it_is_reset(service):
    alive = []
    provider = create("failing", respond=lambda _: {"items": items_for(2)} if alive else Reply(b"{broken", 200))
    found = [info_of(service, provider, "failing", f"copper {n}")["status"] for n in range(8)]
    equal((found[0], found[-1]), ("error", "suspended"))
    asked = len(requests(provider))
    expect(asked < 8, "it is still asked", asked)
    alive.append(True)
    service.user("reset").delete(f"/svc/searchproviders/{provider}/state/").expect(403)
    service.admin.delete(f"/svc/searchproviders/{provider}/state/").expect(200, 204)
    equal(info_of(service, provider, "failing")["status"], "ok")


@claim("docs/sources: equal simultaneous requests of one user are sent once")
def equal_requests_at_once_are_one(service):
    def slow(_):
        time.sleep(0.8)
        return {"items": items_for(2)}

    provider = create("shared request", respond=slow)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: info_of(service, provider, "shared request"), range(4)))
    equal([each["retrieved"] for each in found], [2] * 4)
    expect(len(requests(provider)) < 4, "requests", len(requests(provider)))


@claim("docs/sources: requests of different users are never shared")
def requests_of_two_users_are_two(service):
    def slow(_):
        time.sleep(0.8)
        return {"items": items_for(2)}

    provider, clients = create("own requests", respond=slow), [service.admin, service.user("other")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda client: client.search("copper", providers=[provider]), clients))
    equal(len(requests(provider)), 2)


@claim("core 3.8: redirects are followed; a circle ends")
def a_source_that_redirects_in_a_circle_is_an_error(service):
    path = STATE["source"].base + "/circle"
    STATE["source"].route("/circle", Reply("", 302, {"Location": path}))
    provider = create("circle", respond=lambda _: Reply("", 302, {"Location": path}))
    info = info_of(service, provider, "circle")
    equal((info["status"], info["found"]), ("error", 0))
    expect(len(STATE["source"].asked("/circle")) <= 20, "redirects", len(STATE["source"].asked("/circle")))


@claim("interface: Errors, a source returns 429: backs off for the period the source reports")
def a_paused_source_recovers_by_itself(service):
    left = [Reply("slow", 429, {"Retry-After": "1"})]
    provider = create("recovering", respond=lambda _: left.pop() if left else {"items": items_for(2)})
    equal(info_of(service, provider, "recovering")["error"]["code"], "rate_limited")
    eventually(lambda: info_of(service, provider, "recovering")["status"] == "ok", 10, "it is never asked again")
