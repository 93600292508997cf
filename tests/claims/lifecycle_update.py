"""Rerun, update, edits, subscription, expiry and deletion of searches."""

import datetime
import re
import sqlite3
import threading

from harness import Row, Service, Source, claim, equal, eventually, expect
from harness.federation import Providers, failing, item, items_for, messages_with, titles

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def started(service, name, items, **fields):
    """A provider and a finished search of it."""
    provider = STATE["providers"].create(name, items)
    search = service.admin.run_search("copper", searchprovider_list=[provider], **fields)
    return provider, search["id"]


def asked(provider):
    return len(STATE["source"].asked(STATE["providers"].path(provider)))


def restart(service, parameter, search):
    response = service.admin.get("/svc/search/", params={parameter: search}).expect(302)
    expect(f"search_id={search}" in response.headers["location"], "location", response.headers)
    return service.admin.finished_search(search)


@claim("interface: rerun; core 8.5")
def rerun_discards_the_results(service):
    provider, search = started(service, "rerun", items_for(3))
    old = [each["swirl_id"] for each in service.admin.results(search)["results"]]
    STATE["providers"].answer(provider, {"items": items_for(2, "copper", 50)})
    again = restart(service, "rerun", search)
    equal((again["id"], again["status"]), (search, "FULL_RESULTS_READY"))
    response = service.admin.results(search)
    equal(sorted(titles(response)), sorted(each["title"] for each in items_for(2, "copper", 50)))
    equal([each for each in response["results"] if each.get("new")], [])
    for swirl_id in old:
        service.admin.get(f"/svc/results/{swirl_id}/").expect(404)


@claim("core 8.5: rerun resets the messages")
def rerun_resets_the_log(service):
    _, search = started(service, "rerun log", items_for(1))
    again = restart(service, "rerun", search)
    equal(len(messages_with(again, "Rerun requested")), 1)
    equal(len(messages_with(again, "Retrieved 1 of 1 results from: rerun log")), 1)


@claim("interface: rerun from any status")
def rerun_repairs_a_search_that_failed(service):
    provider = STATE["providers"].create("rerun failed", respond=failing())
    search = service.admin.run_search("copper", searchprovider_list=[provider])
    equal(search["status"], "PARTIAL_RESULTS_READY")
    STATE["providers"].answer(provider, {"items": items_for(1)})
    equal(restart(service, "rerun", search["id"])["status"], "FULL_RESULTS_READY")


@claim("interface: update; core 8.5")
def update_keeps_old_results_and_marks_new_ones(service):
    provider, search = started(service, "update", items_for(2))
    old = {each["swirl_id"] for each in service.admin.results(search)["results"]}
    STATE["providers"].answer(provider, {"items": items_for(2, "copper", 5) + items_for(2)})
    updated = restart(service, "update", search)
    equal((updated["status"], updated["sort"]), ("FULL_UPDATE_READY", "date"))
    results = service.admin.results(search)["results"]
    equal(len(results), 4)
    equal({each["swirl_id"] for each in results if not each.get("new")}, old)
    equal([each["new"] for each in results if each.get("new")], [1, 1])


@claim("interface: update de-duplicates by url")
def results_that_come_again_are_counted_once(service):
    provider, search = started(service, "update same", items_for(3))
    updated = restart(service, "update", search)
    equal(updated["status"], "FULL_UPDATE_READY")
    response = service.admin.results(search)
    equal(
        (
            len(response["results"]), response["info"]["update same"]["retrieved"],
            response["info"]["update same"]["found"],
        ),
        (3, 3, 3),
    )  # fmt: skip
    equal([each for each in response["results"] if each.get("new") or each.get("duplicates")], [])
    equal(asked(provider), 2, "requests")


@claim("core 8.5: found is the largest")
def found_is_the_largest_of_all_runs(service):
    provider = STATE["providers"].create(
        "update found", respond={"items": items_for(1), "total": 50}, response_mappings="FOUND=total,RESULTS=items"
    )
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    STATE["providers"].answer(provider, {"items": items_for(1, "copper", 7), "total": 9})
    restart(service, "update", search)
    info = service.admin.results(search)["info"]["update found"]
    equal((info["found"], info["retrieved"]), (50, 2))


@claim("interface: update sends the sort by date")
def update_asks_for_the_newest_results(service):
    provider = STATE["providers"].create(
        "update sort", items_for(1), query_template="{url}?a=1&q={query_string}", query_mappings="DATE_SORT=s=newest"
    )
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    restart(service, "update", search)
    requests = STATE["source"].asked(STATE["providers"].path(provider))
    equal([request.query.get("s") for request in requests], [None, "newest"])


@claim("quirks, Updates: a source that fails during an update; decisions 3.7")
def a_source_that_fails_keeps_its_saved_results(service):
    provider, search = started(service, "update fails", items_for(2))
    STATE["providers"].answer(provider, failing())
    equal(restart(service, "update", search)["status"], "PARTIAL_UPDATE_READY")
    response = service.admin.results(search)
    equal(len(response["results"]), 2)
    expect(response["info"]["update fails"].get("error"), "its error is not said", response["info"]["update fails"])


@claim("quirks, Updates: a source that failed once")
def a_source_that_failed_can_be_updated(service):
    provider = STATE["providers"].create("update repaired", respond=failing())
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    STATE["providers"].answer(provider, {"items": items_for(2)})
    equal(restart(service, "update", search)["status"], "FULL_UPDATE_READY")
    response = service.admin.results(search)
    equal((len(response["results"]), response["info"]["update repaired"]["status"]), (2, "ok"))
    equal(response["info"]["results"]["found_total"], 2)


@claim("core 8.3: Retrieved N new results")
def the_log_counts_new_results(service):
    provider, search = started(service, "update log", items_for(1))
    STATE["providers"].answer(provider, {"items": items_for(3)})
    updated = restart(service, "update", search)
    equal(len(messages_with(updated, "Retrieved 2 new results from: update log")), 1)


@claim("core 8.5: rerun and update of others", rows=[Row("rerun", ("rerun",)), Row("update", ("update",))])
def searches_of_others_cannot_be_started(service, parameter):
    provider, search = started(service, f"others {parameter}", items_for(1))
    other = service.user(f"other-{parameter}")
    other.get("/svc/search/", params={parameter: search}).expect(404)
    service.admin.get("/svc/search/", params={parameter: 999999}).expect(404)
    service.admin.get("/svc/search/", params={parameter: "x"}).expect(400)
    equal(asked(provider), 1)


EDITS = [
    Row("query", (lambda fields: {"query_string": "tin"}, True)),
    Row("sources", (lambda fields: {"searchprovider_list": [fields["other"]]}, True)),
    Row("query processors", (lambda fields: {"pre_query_processors": ["GenericQueryProcessor"]}, True)),
    Row("result processors", (lambda fields: {"result_processors": ["DateFinderResultProcessor"]}, True)),
    Row(
        "post-result processors",
        (lambda fields: {"post_result_processors": ["CosineRelevancyPostResultProcessor"]}, True),
    ),
    Row("tags", (lambda fields: {"tags": ["mine"]}, False)),
    Row("mixer", (lambda fields: {"result_mixer": "RelevancyMixer"}, False)),
    Row("page size", (lambda fields: {"results_requested": 5}, False)),
    Row("retention", (lambda fields: {"retention": 2}, False)),
    Row("subscribe", (lambda fields: {"subscribe": True}, False)),
    Row("same query", (lambda fields: {"query_string": "copper"}, False)),
]  # fmt: skip


@claim("decisions 3.21: edits that run a search again", rows=EDITS)
def edits_of_the_question_run_it_again(service, change, runs):
    name = f"edit {[row.values[0] for row in EDITS].index(change)}"
    provider, search = started(service, name, items_for(2))
    other = STATE["providers"].create(f"{name} other", items_for(1, "tin"))
    before = {each["swirl_id"] for each in service.admin.results(search)["results"]}
    changes = change({"other": other})
    edited = service.admin.patch(f"/svc/search/{search}/", changes).expect(200).json()
    equal({key: edited[key] for key in changes}, changes)
    service.admin.finished_search(search)
    after = {each["swirl_id"] for each in service.admin.results(search)["results"]}
    equal(bool(after & before), not runs, "old results are there")
    equal(asked(provider) + asked(other), 2 if runs else 1, "requests")


@claim("decisions 3.2: PUT replaces")
def put_replaces_what_is_not_given(service):
    provider, search = started(service, "put", items_for(1), tags=["a"], retention=1, result_mixer="RelevancyMixer")
    replaced = service.admin.put(
        f"/svc/search/{search}/", {"query_string": "copper", "searchprovider_list": [provider]}
    ).expect(200).json()
    equal((replaced["tags"], replaced["retention"], replaced["result_mixer"]), ([], 0, "RelevancyConfidenceMixer"))
    equal(asked(provider), 1, "an edit of other fields does not run it again")
    service.admin.put(f"/svc/search/{search}/", {"tags": []}).expect(400)


@claim("interface: DELETE of a search")
def deleting_a_search_deletes_its_results(service):
    _, search = started(service, "delete", items_for(3))
    results = [each["swirl_id"] for each in service.admin.results(search)["results"]]
    equal(service.admin.delete(f"/svc/search/{search}/").expect(204).body, b"")
    service.admin.get(f"/svc/search/{search}/").expect(404)
    service.admin.delete(f"/svc/search/{search}/").expect(404)
    service.admin.get("/svc/results/", params={"search_id": search}).expect(404)
    for swirl_id in results:
        service.admin.get(f"/svc/results/{swirl_id}/").expect(404)


@claim("interface: a search that is deleted while it runs")
def deleting_a_running_search_wins(service):
    release = threading.Event()
    provider = STATE["providers"].create(
        "delete running", respond=lambda request: release.wait(8) and {"items": items_for(2)}
    )
    search = service.admin.post(
        "/svc/search/", {"query_string": "copper", "searchprovider_list": [provider]}
    ).expect(201).json()["id"]
    eventually(lambda: asked(provider))
    service.admin.delete(f"/svc/search/{search}/").expect(204)
    release.set()
    equal(service.admin.run_search("copper", searchprovider_list=[provider])["status"], "FULL_RESULTS_READY")
    service.admin.get(f"/svc/search/{search}/").expect(404)
    equal([each for each in service.admin.get("/svc/results/").json() if each["search_id"] == search], [])


@claim("interface: GET, PUT and DELETE of one Result; decisions 3.4")
def a_result_can_be_read_and_replaced(service):
    provider, search = started(service, "result", [item("copper wire", "All about copper wire.", note=1)])
    swirl_id = service.admin.results(search)["results"][0]["swirl_id"]
    path = f"/svc/results/{swirl_id}/"
    saved = service.admin.get(path).expect(200).json()
    equal(
        (saved["id"], saved["swirl_id"], saved["search_id"], saved["provider_id"]),
        (swirl_id, swirl_id, search, provider),
    )  # fmt: skip
    expect(
        any("Retrieved 1 of 1 results from: result" in line for line in saved["messages"]), "messages of its provider",
        saved["messages"],
    )  # fmt: skip
    expect(re.match(r"\d{4}-\d\d-\d\dT.*Z$", saved["date_created"]) and saved["date_updated"], "dates", saved)
    replaced = service.admin.put(
        path, {"title": "Other title", "url": "http://new.example/", "body": "Other"}
    ).expect(200).json()
    equal((replaced["title"], replaced["swirl_id"], replaced["searchprovider"]), ("Other title", swirl_id, "result"))
    equal(service.admin.results(search)["results"][0]["title"].replace("<em>", ""), "Other title")


@claim("interface: subscription; core 8.5")
def subscribed_searches_are_updated_by_the_scheduler(service):
    with Service(service.program, {"SVC_SUBSCRIBE_EVERY": "1"}) as other, Source() as source:
        providers = Providers(other, source)
        news, still = providers.create("news", items_for(1)), providers.create("still", items_for(1))
        fragile = providers.create("fragile", items_for(1))
        subscribed = other.admin.run_search("copper", searchprovider_list=[news], subscribe=True)["id"]
        unsubscribed = other.admin.run_search("copper", searchprovider_list=[still])["id"]
        failing_one = other.admin.run_search("copper", searchprovider_list=[fragile], subscribe=True)["id"]
        providers.answer(fragile, failing())
        providers.answer(news, {"items": items_for(3)})

        def is_updated():
            search = other.admin.get(f"/svc/search/{subscribed}/").json()
            return search["status"] == "FULL_UPDATE_READY" and search

        search = eventually(is_updated, 30, "it was not updated")
        equal((search["sort"], search["subscribe"]), ("date", True))
        results = eventually(
            lambda: (lambda found: len(found) == 3 and found)(other.admin.results(subscribed)["results"]), 10
        )
        equal(sorted(each.get("new") or 0 for each in results), [0, 1, 1])
        requests = len(source.asked(providers.path(news)))
        eventually(lambda: len(source.asked(providers.path(news))) > requests + 1, 20, "it was not updated again")
        equal(len(source.asked(providers.path(still))), 1, "requests of the search without a subscription")
        equal(other.admin.get(f"/svc/search/{unsubscribed}/").json()["status"], "FULL_RESULTS_READY")
        # quirks, Updates: a failing source does not end a subscription.
        broken = other.admin.get(f"/svc/search/{failing_one}/").json()
        equal((broken["status"], broken["subscribe"]), ("PARTIAL_UPDATE_READY", True))


RETENTION = [(1, 3600), (2, 86400), (3, 31 * 86400), (4, 300)]


@claim("interface: Search, retention; core 8.5: date_updated; quirks, Updates")
def searches_expire_after_their_retention(service):
    with Service(service.program, {"SVC_EXPIRE_EVERY": "1"}) as other, Source() as source:
        provider = Providers(other, source).create("kept", items_for(1))

        def search(**fields):
            return other.admin.run_search("copper", searchprovider_list=[provider], **fields)["id"]

        expired = {search(retention=value): seconds + 60 for value, seconds in RETENTION}
        kept = {
            search(retention=value): seconds - 60 for value, seconds in RETENTION if value != 3
        } | {search(retention=3): 27 * 86400}
        kept |= {
            search(): 400 * 86400, search(retention=1, subscribe=True): 400 * 86400,
            search(retention=4, tags=["saved"]): 400 * 86400,
        }  # fmt: skip
        results = {each: other.admin.results(each)["results"][0]["swirl_id"] for each in expired}
        for each, age in (expired | kept).items():
            make_older(other, each, age)
        for each in expired:
            eventually(
                lambda: other.admin.get(f"/svc/search/{each}/").status == 404, 20,
                f"retention {expired[each]} did not expire",
            )  # fmt: skip
            other.admin.get(f"/svc/results/{results[each]}/").expect(404)
        equal(
            [kept[each] for each in kept if other.admin.get(f"/svc/search/{each}/").status != 200], [],
            "deleted too early",
        )  # fmt: skip


def make_older(service, search, seconds):
    """Moves the last change of a search into the past, in the database of the service."""
    with sqlite3.connect(service.data / "tributary.db", timeout=20) as database:
        text = database.execute("select date_updated from searches where id = ?", (search,)).fetchone()[0]
        older = (datetime.datetime.fromisoformat(text) - datetime.timedelta(seconds=seconds)).isoformat()
        database.execute("update searches set date_updated = ? where id = ?", (older, search))


@claim("interface: retention is 0 to 4", rows=[Row(str(value), (value,)) for value in [-1, 5, "x", 1.5]])
def other_retentions_are_refused(service, value):
    problem = service.admin.post("/svc/search/", {"query_string": "copper", "retention": value}).expect(400).json()
    expect("retention" in str(problem), "the field is not named", problem)


@claim("interface: retention, default 0")
def searches_are_kept_by_default(service):
    _, search = started(service, "default kept", items_for(1))
    equal(service.admin.get(f"/svc/search/{search}/").json()["retention"], 0)
