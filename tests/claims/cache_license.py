"""The license of the cache: its form, its commands, and what the service does without a valid one."""

import base64
import contextlib
import datetime
import json

from harness import Row, Service, claim, equal, eventually, expect
from harness.documents import CACHE_NAME, Documents, cached_results, ingest, search_cache, supply, text_of
from harness.license import Issuer, is_signed, issuer, signed_text

TODAY = datetime.datetime.now(datetime.UTC).date()
open_services = contextlib.ExitStack()
services, kept = {}, {}


def day(offset):
    return (TODAY + datetime.timedelta(days=offset)).isoformat()


def changed(field, value):
    return json.dumps({**json.loads(issuer().issue()), field: value})


def license_texts():
    """Licenses that do not enable the cache, each by another mistake."""
    return {
        "none": "",
        "without cache": issuer().issue("--expiration", day(90)),
        "cache false": issuer().signed(owner="A", expiration=day(90), cache=False),
        "cache expired": issuer().signed(owner="A", expiration=day(90), cache=True, cache_expiration=day(-1)),
        "expired": issuer().signed(owner="A", expiration=day(-1), cache=True),
        "field changed": changed("expiration", day(4000)),
        "other issuer": Issuer(issuer().program).issue(),
    }


UNLICENSED = ["none", "without cache", "cache false", "cache expired", "expired", "field changed", "other issuer"]


def prepare(service):
    source = open_services.enter_context(Documents())
    for name, text in {**license_texts(), "valid": issuer().issue()}.items():
        settings = issuer().settings(text, SVC_CORPUS_MIN_SCORE="0")
        services[name] = open_services.enter_context(Service(service.program, settings))
    kept["source"] = source
    for name in UNLICENSED:
        provider = source.provider(services[name])
        kept[name] = provider, source.add(provider, "A page", text_of(1))


def finish():
    open_services.close()


def rows(names=UNLICENSED):
    return [Row(name, (name,)) for name in names]


@claim("ai-cache 2.12", rows=rows())
def curation_without_a_license_for_the_cache_is_402(_, name):
    for body in [{"url": "https://a.example/x"}, {"url": "https://a.example/x", "body": text_of(1, 200)}]:
        answer = services[name].admin.post("/svc/ingest/", body).expect(402).json()
        expect(len(answer["detail"]) > 20, "402 explains itself", answer)
        expect(answer["code"] and answer["request_id"], "the common shape", answer)


@claim("interface: Errors, cache unlicensed during search", rows=rows())
def the_cache_provider_finds_nothing_without_error(_, name):
    answer = search_cache(services[name].admin, "anything at all")
    info = answer["info"][CACHE_NAME]
    equal((info["found"], info["retrieved"], info["status"], answer["results"]), (0, 0, "no_results", []))
    expect(not info.get("error"), "no error", info)


@claim("ai-cache 2.9", rows=rows())
def the_agent_status_says_that_the_cache_is_off(_, name):
    features = services[name].admin.get("/svc/agent/status/").expect(200).json()["features"]
    equal((features["cache"], features["egress"]), (False, False))


CALLS = [
    ("POST", "/svc/canonical/pin-for-query/", {"signal_id": 1, "query": "a"}),
    ("POST", "/svc/canonical/1/approve/", {}),
    ("POST", "/svc/canonical/1/reject/", {"reason": "other"}),
    ("POST", "/svc/canonical/1/unpin/", {}),
    ("POST", "/svc/canonical/elect/", {"search_id": 1}),
    ("POST", "/svc/cache/check_liveness/", {"signal_id": 1}),
    ("POST", "/svc/egress/scan/", {}),
]


@claim("ai-cache 2.12", rows=[Row(path, (method, path, body)) for method, path, body in CALLS])
def licensed_calls_are_402(_, method, path, body):
    answer = services["none"].admin.call(method, path, body).expect(402).json()
    equal(answer["code"], "cache_unlicensed")


@claim("ai-cache 2.12", rows=[Row(path, (path,)) for path in [
    "/svc/canonical/", "/svc/canonical/pins/", "/svc/canonical/pins/history/", "/svc/egress/scan/", "/svc/egress/events/",
    "/svc/cache/", "/svc/cache/statistics/",
]])  # fmt: skip
def reading_needs_no_license(_, path):
    services["none"].admin.get(path).expect(200)


@claim("interface: Semantic cache records, license", rows=[
    Row(name, (name, status, cache)) for name, status, cache in [
        ("none", "none", False), ("without cache", "valid", False), ("cache false", "valid", False),
        ("cache expired", "valid", False), ("expired", "expired", False), ("field changed", "invalid", False),
        ("other issuer", "invalid", False), ("valid", "valid", True),
    ]
])  # fmt: skip
def the_status_of_a_license_is_told(_, name, status, cache):
    answer = services[name].admin.get("/svc/license/").expect(200).json()
    equal((answer["status"], answer["cache"]), (status, cache), answer["message"])


@claim("interface: Semantic cache, default provider")
def the_cache_provider_ships_active_and_default(service):
    found = [each for each in service.admin.get("/svc/searchproviders/").json() if each["name"] == CACHE_NAME]
    equal(len(found), 1)
    equal((found[0]["connector"], found[0]["active"], found[0]["default"]), ("TributaryCorpusConnector", True, True))


@claim("ai-cache 2.12")
def live_results_are_not_affected(_):
    provider, url = kept["none"]
    search = services["none"].admin.run_search("page", searchprovider_list=[provider["id"], CACHE_NAME])
    equal(search["status"], "FULL_RESULTS_READY")
    equal([each["url"] for each in services["none"].admin.results(search["id"])["results"]], [url])


@claim("ai-cache 2.12")
def a_license_that_ends_hides_cached_results_and_deletes_nothing(_):
    valid = services["valid"]
    stored = supply(valid.admin, "https://a.example/kept", text_of(3, 200), "Kept")["signal_id"]
    search = valid.admin.run_search(text_of(3, 12), searchprovider_list=[CACHE_NAME])
    equal(len(valid.admin.results(search["id"])["results"]), 1, "found under the license")
    valid.stop()
    with_license = valid.environment["SVC_LICENSE"]
    valid.environment["SVC_LICENSE"] = license_texts()["cache expired"]
    valid.start()
    answer = valid.admin.results(search["id"])
    equal((answer["results"], answer["info"]["results"]["retrieved_total"]), ([], 0), "hidden")
    valid.stop()
    valid.environment["SVC_LICENSE"] = with_license
    valid.start()
    equal([each["cache"]["signal_id"] for each in valid.admin.results(search["id"])["results"]], [stored], "found again")


@claim("ai-cache 2.9")
def a_valid_license_is_shown_to_agents(_):
    answer = services["valid"].admin.get("/svc/agent/status/").expect(200).json()
    equal((answer["features"]["cache"], answer["license"]["owner"]), (True, "Claims Ltd"))
    expect(360 <= answer["license"]["days_left"] <= 366, "one year by default", answer["license"])


@claim("ai-cache 2.12, page bodies")
def ingest_is_accepted_with_a_license(_):
    provider = kept["source"].provider(services["valid"])
    url = kept["source"].add(provider, "Licensed", text_of(8))
    signal_id = ingest(services["valid"].admin, provider, url)["signal_id"]
    expect(signal_id in cached_results(services["valid"].admin, text_of(8, 12)), "found in the cache")


# Commands


@claim("ai-cache 2.12, license text")
def a_license_is_signed_json_on_one_line(_):
    text = issuer().issue("--cache", "--expiration", day(40), "--cache-expiration", day(20))
    expect("\n" not in text, "one line", text)
    fields = json.loads(text)
    key = base64.b64decode(fields.pop("key"))
    equal(fields, {"owner": "Claims Ltd", "issued": TODAY.isoformat(), "expiration": day(40), "cache": True,
                   "cache_expiration": day(20)})  # fmt: skip
    expect(is_signed(issuer().public_key, signed_text(fields), key), "Ed25519 over the sorted fields")


@claim("interface: Semantic cache records, license")
def a_license_without_the_cache_has_no_field_for_it(_):
    expect("cache" not in json.loads(issuer().issue("--expiration", day(9))), "absent means not licensed")


@claim("license: issue")
def a_license_lasts_a_year_unless_it_says_otherwise(_):
    days = (datetime.date.fromisoformat(json.loads(issuer().issue())["expiration"]) - TODAY).days
    expect(364 <= days <= 366, "one year", days)


@claim("license: keygen")
def the_private_key_is_for_its_owner_and_never_overwritten(service):
    folder = issuer().folder
    equal((folder / "private.pem").stat().st_mode & 0o777, 0o600)
    before = (folder / "private.pem").read_text()
    answer = service.command("license", "keygen", "--out", folder)
    equal(answer.returncode, 1, answer.stderr)
    equal((folder / "private.pem").read_text(), before)


def verified(service, text):
    public = service.folder / "public.pem"
    public.write_text(issuer().public_key)
    return service.command("license", "verify", "-", "--public-key", public, stdin=text)


@claim("license: verify", rows=[Row(name, (name,)) for name in ["expired", "field changed", "other issuer"]])
def verify_refuses_a_license_that_cannot_be_used(service, name):
    equal(verified(service, license_texts()[name]).returncode, 1)


@claim("interface: editing any field invalidates it", rows=[
    Row(field, (field, value)) for field, value in [
        ("owner", "Other Ltd"), ("issued", day(-3)), ("expiration", day(366)), ("cache", False),
        ("cache_expiration", day(900)), ("features", {"chat_api": True}), ("new", 1), ("key", "AAAA"),
    ]
])  # fmt: skip
def a_changed_field_makes_a_license_invalid(service, field, value):
    equal(verified(service, issuer().issue()).returncode, 0, "unchanged")
    answer = verified(service, changed(field, value))
    equal(answer.returncode, 1, answer.stdout + answer.stderr)


@claim("license: verify", rows=[Row(text or "empty", (text,)) for text in ["", "{}", "[]", "null", "no json", '{"key": 1}']])
def verify_refuses_what_is_no_license(service, text):
    equal(verified(service, text).returncode, 1)


@claim("ai-cache 2.12", rows=[Row("30 days", (29, "expiring")), Row("31 days", (31, "valid")), Row("today", (0, "expiring"))])
def a_license_warns_in_its_last_month(service, days, status):
    text = issuer().signed(owner="A", expiration=day(days), cache=True)
    with Service(service.program, issuer().settings(text)) as other:
        answer = other.admin.get("/svc/license/").expect(200).json()
        equal((answer["status"], answer["days_left"], answer["cache"]), (status, days, True))
        shown = other.command("license", "show", "--json")
        equal((shown.returncode, json.loads(shown.stdout)), (0, answer))


@claim("license: clock changes")
def a_clock_before_the_day_of_issue_is_wrong(service):
    text = issuer().signed(owner="A", issued=day(10), expiration=day(5), cache=True)
    with Service(service.program, issuer().settings(text)) as other:
        equal(other.admin.get("/svc/license/").json()["status"], "expired", "the day of issue counts")


@claim("license: install")
def the_service_does_not_start_with_a_key_that_cannot_be_read(service):
    environment = {"SVC_LICENSE": issuer().issue(), "SVC_LICENSE_PUBLIC_KEY": "/no/such/file.pem"}
    other = Service(service.program, environment)
    try:
        with other:
            raise AssertionError("it started")
    except SystemExit:
        pass


@claim("license: install")
def the_public_key_may_be_in_the_data_folder(service):
    with Service(service.program) as other:
        equal(other.admin.get("/svc/license/").json()["status"], "none")
        other.stop()
        (other.data / "public_key.pem").write_text(issuer().public_key)
        other.environment["SVC_LICENSE"] = issuer().issue()
        other.start()
        equal(other.admin.get("/svc/license/").json()["status"], "valid")


@claim("license: install")
def a_change_of_the_license_is_logged(_):
    def logged():
        text = "".join(path.read_text(errors="replace") for path in (services["expired"].data / "logs").glob("*.log"))
        return [line for line in text.splitlines() if "license" in line.lower()]

    lines = eventually(logged, 20, "no line about the license in logs/")
    expect(not any(issuer().issue()[-60:] in line for line in lines), "without the license itself", lines)
