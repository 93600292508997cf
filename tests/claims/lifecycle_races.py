"""Searches whose provider, record or owner changes while they run or between runs, and boundary values of requests."""

import concurrent.futures
import threading

from harness import Row, Source, claim, equal, eventually, expect
from harness.federation import Providers, items_for, messages_with, titles

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def held(name, items=None, **fields):
    """A provider whose source responds only after the returned event."""
    release = threading.Event()
    body = {"items": items_for(2) if items is None else items}
    provider = STATE["providers"].create(name, respond=lambda request: release.wait(8) and body, **fields)
    return provider, release


def started(service, provider, client=None, **fields):
    """The id of a search that waits for this provider."""
    body = {"query_string": "copper", "searchprovider_list": [provider], **fields}
    search = (client or service.admin).post("/svc/search/", body).expect(201).json()["id"]
    path = STATE["providers"].path(provider)
    eventually(lambda: STATE["source"].asked(path), 10, "the source was not asked")
    return search


@claim("decisions 3.21: an edit of the query while it runs")
def an_edit_of_the_query_wins_over_the_running_search(service):
    provider, release = held("edited")
    search = started(service, provider)
    service.admin.patch(f"/svc/search/{search}/", {"query_string": "tin"}).expect(200)
    release.set()
    equal(service.admin.finished_search(search)["status"], "FULL_RESULTS_READY")
    info = service.admin.results(search)["info"]
    equal((info["search"]["query_string"], info["edited"]["query_string_to_provider"]), ("tin", "tin"))
    asked = [request.query["q"] for request in STATE["source"].asked(STATE["providers"].path(provider))]
    equal(asked, ["copper", "tin"])


@claim("decisions 7.7: an edit of other fields while it runs")
def an_edit_of_tags_while_it_runs_is_kept(service):
    provider, release = held("tagged")
    search = started(service, provider)
    service.admin.patch(f"/svc/search/{search}/", {"tags": ["kept"], "results_requested": 1}).expect(200)
    release.set()
    finished = service.admin.finished_search(search)
    equal((finished["status"], finished["tags"]), ("FULL_RESULTS_READY", ["kept"]))
    equal(len(service.admin.results(search)["results"]), 1)


@claim("interface: rerun restarts from any status")
def a_rerun_of_a_running_search_leaves_one_run(service):
    provider, release = held("rerun running")
    search = started(service, provider)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        rerun = pool.submit(service.admin.get, "/svc/search/", params={"rerun": search})
        # The source need not be asked again: equal requests at the same time become one.
        record = f"/svc/search/{search}/"
        eventually(lambda: messages_with(service.admin.get(record).json(), "Rerun requested"), 5, "it was not restarted")
        release.set()
        rerun.result().expect(302)
    finished = service.admin.finished_search(search)
    equal((finished["status"], len(service.admin.results(search)["results"])), ("FULL_RESULTS_READY", 2))
    equal(len(messages_with(finished, "Retrieved 2 of 2 results from: rerun running")), 1)


@claim("interface: update; several at once")
def updates_at_once_double_nothing(service):
    provider = STATE["providers"].create("updates", items_for(2))
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    STATE["providers"].answer(provider, {"items": items_for(4)})
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(service.admin.get, "/svc/search/", params={"update": search}) for _ in range(4)]
        for call in calls:
            call.result().expect(302, 409)
    equal(service.admin.finished_search(search)["status"], "FULL_UPDATE_READY")
    response = service.admin.results(search)
    equal(sorted(titles(response)), sorted(each["title"] for each in items_for(4)))
    equal(len({each["swirl_id"] for each in response["results"]}), 4)
    equal(response["info"]["updates"]["retrieved"], 4)


@claim("core 8: a provider that is deleted while it is asked")
def a_provider_deleted_during_its_search_does_not_hold_it_up(service):
    provider, release = held("deleted during")
    good = STATE["providers"].create("stays", items_for(1, "copper stays"))
    search = service.admin.post("/svc/search/", {"query_string": "copper", "searchprovider_list": [provider, good]})
    search = search.expect(201).json()["id"]
    path = STATE["providers"].path(provider)
    eventually(lambda: STATE["source"].asked(path), 10)
    service.admin.delete(f"/svc/searchproviders/{provider}/").expect(204)
    release.set()
    finished = service.admin.finished_search(search)
    expect(finished["status"] in ("FULL_RESULTS_READY", "PARTIAL_RESULTS_READY"), "status", finished["status"])
    expect("stays" in str(service.admin.results(search)["results"]), "the other results are lost")


@claim("interface: mixers operate on saved results")
def results_outlive_their_provider(service):
    provider = STATE["providers"].create("outlived", items_for(2))
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    service.admin.delete(f"/svc/searchproviders/{provider}/").expect(204)
    response = service.admin.results(search)
    equal((len(response["results"]), response["info"]["outlived"]["retrieved"]), (2, 2))
    equal(len(service.admin.results(search, provider=provider)["results"]), 2)


@claim("core 8.5; decisions 3.7: an update without its source", rows=[Row("deleted", ("deleted",)), Row("inactive", ("inactive",))])
def an_update_without_its_source_keeps_the_results(service, change):
    provider = STATE["providers"].create(f"lost {change}", items_for(2))
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    path = f"/svc/searchproviders/{provider}/"
    if change == "deleted":
        service.admin.delete(path).expect(204)
    else:
        service.admin.patch(path, {"active": False}).expect(200)
    service.admin.get("/svc/search/", params={"update": search}).expect(302)
    equal(service.admin.finished_search(search)["status"], "ERR_NO_SEARCHPROVIDERS")
    service.admin.patch(path, {"active": True})
    rerun = service.admin.get("/svc/search/", params={"rerun": search}).expect(302)
    expect(rerun.headers["location"], "location")


@claim("interface: names of saved results; a renamed provider")
def a_renamed_provider_keeps_its_saved_results(service):
    provider = STATE["providers"].create("old name", items_for(2))
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    service.admin.patch(f"/svc/searchproviders/{provider}/", {"name": "new name"}).expect(200)
    response = service.admin.results(search)
    names = {each["searchprovider"] for each in response["results"]}
    equal(len(names), 1)
    expect(names <= set(response["info"]), "info has another name", [names, list(response["info"])])
    equal(len(service.admin.results(search, provider=provider)["results"]), 2)


@claim("interface: a rerun after its owner lost the source")
def a_rerun_uses_the_present_permissions(service):
    client = service.user("racer", groups=["racers"])
    provider = STATE["providers"].create("closed later", items_for(2), shared=False, groups=["racers"])
    search = client.run_search("copper", searchprovider_list=[provider])["id"]
    service.admin.patch(f"/svc/searchproviders/{provider}/", {"groups": []}).expect(200)
    client.get("/svc/search/", params={"rerun": search}).expect(302)
    equal(client.finished_search(search)["status"], "ERR_NO_SEARCHPROVIDERS")
    equal(client.results(search)["results"], [])
    equal(len(STATE["source"].asked(STATE["providers"].path(provider))), 1, "requests")


@claim("decisions 3.15: events of a search that is deleted")
def events_end_when_the_search_is_deleted(service):
    provider, release = held("followed")
    search = started(service, provider)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        stream = pool.submit(service.admin.get, f"/svc/search/{search}/events/", timeout=20)
        service.admin.delete(f"/svc/search/{search}/").expect(204)
        release.set()
        stream.result(20).expect(200, 404)


@claim("interface: deleting a user")
def searches_of_a_deleted_user_are_gone(service):
    client = service.user("leaving")
    provider = STATE["providers"].create("leaving", items_for(1))
    search = client.run_search("copper", searchprovider_list=[provider])["id"]
    swirl_id = client.results(search)["results"][0]["swirl_id"]
    user = client.get("/svc/users/me/").json()["id"]
    service.admin.delete(f"/svc/users/{user}/").expect(204)
    again = service.user("leaving")
    again.get(f"/svc/search/{search}/").expect(404)
    again.get(f"/svc/results/{swirl_id}/").expect(404)
    equal((again.get("/svc/search/").json(), again.get("/svc/results/").json()), ([], []))


HUGE = [Row(str(value), (value,)) for value in [2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**30]]


@claim("decisions 3.1: numbers of any size", rows=HUGE)
def huge_numbers_are_no_server_errors(service, value):
    if "sized" not in STATE:
        provider = STATE["providers"].create("sized", items_for(3))
        STATE["sized"] = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    search, admin = STATE["sized"], service.admin
    page = admin.get("/svc/results/", params={"search_id": search, "page": value})
    expect(page.status == 400 or page.json()["results"] == [], "page", page.text[:300])
    calls = {
        "search_id": admin.get("/svc/results/", params={"search_id": value}).expect(400, 404),
        "provider": admin.get("/svc/results/", params={"search_id": search, "provider": value}).expect(200, 400),
        "list": admin.get("/svc/search/", params={"page": value, "items": 2}).expect(200, 400),
        "items": admin.get("/svc/search/", params={"items": value}).expect(200, 400),
        "rerun": admin.get("/svc/search/", params={"rerun": value}).expect(400, 404),
        "retention": admin.post("/svc/search/", {"query_string": "copper", "retention": value}).expect(400),
        "results": admin.post(
            "/svc/search/", {"query_string": "copper", "results_requested": value, "searchprovider_list": ["none"]}
        ).expect(201, 400),
        "provider list": admin.post("/svc/search/", {"query_string": "copper", "searchprovider_list": [value]}).expect(
            201, 400
        ),
        "results per query": admin.post(
            "/svc/searchproviders/", {"name": f"n{value}", "url": "http://x.example/", "results_per_query": value}
        ).expect(400),
    }
    for name, response in calls.items():
        expect(response.status == 200 or response.json(), f"{name}: no body")


@claim("decisions 3.15; core 8.2: many searches at once")
def many_searches_at_once_all_end(service):
    provider = STATE["providers"].create("many", items_for(3))
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        created = list(pool.map(lambda _: service.admin.post(
            "/svc/search/", {"query_string": "copper", "searchprovider_list": [provider]}
        ).expect(201).json()["id"], range(60)))  # fmt: skip
    equal({service.admin.finished_search(each)["status"] for each in created}, {"FULL_RESULTS_READY"})
    ids = [result["swirl_id"] for each in created for result in service.admin.results(each)["results"]]
    equal((len(ids), len(set(ids))), (180, 180), "ids are unique over the service")
