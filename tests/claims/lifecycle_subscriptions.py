"""Subscriptions that end, alerts of new results, exported lists, and Google's answer to a wrong key."""

import csv
import hashlib
import hmac
import io
import json

from harness import Reply, Row, Service, Source, claim, equal, eventually, expect
from harness.federation import Providers, item, items_for

SETTINGS = {"SVC_SUBSCRIBE_EVERY": "1", "SVC_OUTBOUND_ALLOW": "127.0.0.1"}
STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def ended(client, search_id):
    """The search, when its subscription has been switched off."""
    def attempt():
        search = client.get(f"/svc/search/{search_id}/").expect(200).json()
        return None if search["subscribe"] else search

    return eventually(attempt, 30, "it is still subscribed")


@claim("core 8.5: on failure subscribe is switched off and a message added; quirks, Updates")
def a_subscription_without_sources_ends_with_a_message(service):
    provider = STATE["providers"].create("leaving", items_for(1))
    search_id = service.admin.run_search("copper", searchprovider_list=[provider], subscribe=True)["id"]
    service.admin.patch(f"/svc/searchproviders/{provider}/", {"active": False}).expect(200)
    search = ended(service.admin, search_id)
    expect(any("disabled updates" in line for line in search["messages"]), "a message", search["messages"])
    equal(len(service.admin.results(search_id)["results"]), 1, "its results stay")


@claim("core 8.5: a search of its owner's rights at the time of the run")
def a_subscription_does_not_reach_sources_that_its_owner_lost(service):
    ann = service.user("ann", ["readers"])
    provider = STATE["providers"].create("group only", items_for(1), shared=False, groups=["readers"])
    search_id = ann.run_search("copper", searchprovider_list=[provider], subscribe=True)["id"]
    user = next(each for each in service.admin.get("/svc/users/").json() if each["username"] == "ann")
    service.admin.patch(f"/svc/users/{user['id']}/", {"groups": []}).expect(200)
    ended(ann, search_id)
    asked = len(STATE["source"].asked(STATE["providers"].path(provider)))
    expect(asked <= 12, "it is asked again and again", asked)
    equal(ann.search("copper", providers=[provider])["results"], [])


@claim("interface: Search.subscribe; a subscription that is taken back is not run again")
def a_search_that_is_unsubscribed_is_updated_no_more(service):
    provider = STATE["providers"].create("unsubscribed", items_for(1))
    search_id = service.admin.run_search("copper", searchprovider_list=[provider], subscribe=True)["id"]
    path = STATE["providers"].path(provider)
    eventually(lambda: len(STATE["source"].asked(path)) > 1, 30, "it was not updated")
    service.admin.patch(f"/svc/search/{search_id}/", {"subscribe": False}).expect(200)
    service.admin.finished_search(search_id)
    asked = len(STATE["source"].asked(path))
    other = STATE["providers"].create("marker", items_for(1))
    service.admin.run_search("copper", searchprovider_list=[other], subscribe=True)
    marker = STATE["providers"].path(other)
    eventually(lambda: len(STATE["source"].asked(marker)) > 3, 30, "the scheduler does not run")
    expect(len(STATE["source"].asked(path)) <= asked + 1, "it is still updated", asked, len(STATE["source"].asked(path)))


@claim("docs/search: alerts")
def new_results_of_a_subscription_are_reported_and_signed(service):
    with Source() as receiver:
        received = []
        url = receiver.route("/hook", lambda request: received.append(request) or Reply("", 204))
        settings = {**SETTINGS, "SVC_ALERT_WEBHOOK_URL": url, "SVC_ALERT_WEBHOOK_SECRET": "claims-alerts"}
        with Service(service.program, settings) as other:
            providers = Providers(other, STATE["source"])
            providers.count = 1000
            provider = providers.create("alerting", items_for(1))
            fields = {"searchprovider_list": [provider], "subscribe": True}
            search_id = other.admin.run_search("copper", **fields, tags=["alert"])["id"]
            other.admin.run_search("copper", **fields)
            providers.answer(provider, {"items": items_for(3)})
            eventually(lambda: received, 40, "no alert")
            request = received[0]
            body = request.json()
            equal((body["event"], body["search"]["id"], body["new_results"]), ("new_results", search_id, 2))
            text = f"{request.headers['x-tributary-timestamp']}.".encode() + request.body
            equal(request.headers["x-tributary-signature"], "sha256=" + hmac.new(b"claims-alerts", text, hashlib.sha256).hexdigest())
            equal({each.json()["search"]["id"] for each in received}, {search_id}, "only the one with the tag")


def exported(service, kind):
    found = [
        item("=cmd|' /C calc'!A0 copper", "First, \"quoted\" & <b>bold</b>", "https://e.example/1"),
        item("Copper {braces} \\ 100%", "Second", "https://e.example/2"), item("Copper three", "Third", "javascript:alert(1)"),
    ]  # fmt: skip
    provider = STATE["providers"].create(f"export {kind}", found)
    search_id = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    response = service.admin.get("/svc/results/export/", params={"search_id": search_id, "format": kind}).expect(200)
    expect("attachment" in response.headers["content-disposition"], "a file", response.headers)
    service.user(f"other-{kind}").get("/svc/results/export/", params={"search_id": search_id, "format": kind}).expect(404)
    return response


@claim("ai-cache 6: export as CSV; cells are no formulas")
def a_list_is_exported_as_csv(service):
    rows = list(csv.DictReader(io.StringIO(exported(service, "csv").text.lstrip("\ufeff"))))
    equal(len(rows), 3)
    expect(not any(str(value).startswith(("=", "+", "@")) for row in rows for value in row.values()), "a formula", rows)


@claim("ai-cache 6: export as JSON")
def a_list_is_exported_as_json(service):
    body = exported(service, "json").json()
    found = body["results"] if isinstance(body, dict) else body
    equal(len(found), 3)
    expect("javascript:" not in json.dumps(found), "a script address", found)


@claim("ai-cache 6: export as BibTeX")
def a_list_is_exported_as_bibtex(service):
    text = exported(service, "bibtex").text
    equal(text.count("@misc{") + text.count("@online{"), 3, text)
    expect("100%" not in text.replace("100\\%", "") and "javascript:" not in text, "escaped", text)


@claim("quirks, Result mappings: script addresses in the RSS export", rows=[Row("rss", ("rss",))])
def a_list_is_exported_as_rss(service, kind):
    text = exported(service, kind).text
    equal(text.count("<item>"), 3)
    expect("javascript:" not in text and "<b>" not in text, "markup or a script address", text)


@claim("decisions 3.1: an unknown format", rows=[Row("unknown", ("exe", 400)), Row("none", ("", 400))])
def an_unknown_format_is_refused(service, kind, status):
    provider = STATE["providers"].create(f"format {kind}", items_for(1))
    search_id = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    service.admin.get("/svc/results/export/", params={"search_id": search_id, "format": kind}).expect(status)


@claim("interface: Errors, a Google-style source answers 400 for a wrong key: in the log viewer; the provider returns nothing")
def a_source_that_answers_400_returns_nothing_and_is_in_the_log(service):
    body = {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}
    provider = STATE["providers"].create("Google style", respond=lambda _: Reply(body, 400), credentials="key=claims-wrong-key",
                                         query_template="{url}?key={key}&q={query_string}")  # fmt: skip
    response = service.admin.search("copper", providers=[provider])
    info = response["info"]["Google style"]
    equal((info["status"], info["found"], info["retrieved"], response["results"]), ("error", 0, 0, []))

    def logged():
        for log in ["tasks-search-worker.log", "tasks-search-orchestrator-worker.log", "django.log"]:
            text = service.admin.get(f"/svc/logs/{log}/", params={"lines": 5000}).text
            if "Google style" in text and "400" in text:
                expect("claims-wrong-key" not in text, "the key is in the log")
                return True
        return False

    eventually(logged, 10, "it is not in the logs")
    expect("claims-wrong-key" not in json.dumps(response), "the key")
