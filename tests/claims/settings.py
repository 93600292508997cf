"""Settings: the default, the checks and the effect of each, and where values come from."""

import json
import pathlib
import re
import subprocess
import time

from harness import Client, Reply, Row, Source, claim, equal, eventually, expect
from harness.federation import Providers, item, items_for, plain

SETTINGS = {
    "SVC_EXPLAIN": "False", "SVC_API_ALIASES": "swirl,finder", "SVC_PUBLIC_URL": "https://search.example",
    "SVC_DEFAULT_RETENTION": "3",
    "SVC_HEALTH_OPEN": "True", "SVC_METRICS_OPEN": "True", "SVC_MAX_FIELD_LEN": "100", "SVC_REQUEST_BODY_MAX_MB": "1",
    "SVC_OUTBOUND_BODY_MAX_MB": "1", "SVC_OUTBOUND_REDIRECTS_MAX": "1", "SVC_SEARCH_HTTP_READ_TIMEOUT": "1",
    "SVC_SOURCE_BACKOFF": "1",
    "SVC_CORS_ORIGINS": "https://app.example", "SVC_MIN_SWIRL_SCORE": "0", "SVC_RELEVANCY_CONFIG": '{"title": 0.0}',
    "SVC_MAX_MATCHES": "2",
    "SVC_DEFAULT_QUERY_LANGUAGE": "german", "SVC_SECRET_KEY": "secret-key-of-the-claims-0123456789abcdef",
    "SVC_SEARCHES_KEPT_MAX": "200",
    "SVC_LOG_FORMAT": "json", "SVC_NO_SUCH_SETTING": "1",
}  # fmt: skip
STATE = {}
DOCUMENTED = re.findall(
    r"^\| `(\w+)` \| ([^|]+) \| (empty|`[^|]*`) \|",
    (pathlib.Path(__file__).parents[2] / "docs" / "settings.md").read_text().replace("\\|", "¦"), re.MULTILINE,
)  # fmt: skip


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])
    STATE["listed"] = {each["name"]: each for each in service.admin.get("/svc/settings/").expect(200).json()}


def finish():
    STATE["source"].__exit__()


def settings_command(service, environment=None, arguments=(), folder=None):
    """`tributary settings` with nothing but these variables."""
    return subprocess.run(
        [service.program, "settings", *arguments], cwd=folder or service.folder, text=True, capture_output=True,
        timeout=30, check=False,
        env={"PATH": service.environment["PATH"], "HOME": str(service.folder), **(environment or {})},
    )  # fmt: skip


DEFAULTS = {
    "SVC_TIMEOUT": "10", "SVC_EXPLAIN": "True", "SVC_MIN_SIMILARITY": "0.01", "SVC_MAX_MATCHES": "5",
    "SVC_MIN_SWIRL_SCORE": "500",
    "SVC_MAX_FIELD_LEN": "512", "SVC_RELEVANCY_CONFIG": {"title": 1.5, "body": 1.0, "author": 1.0},
    "SVC_DEDUPE_FIELD": "url",
    "SVC_DEDUPE_GROUP_NOT_DROP": "True", "SVC_DEDUPE_SIMILARITY_MINIMUM": "0.95",
    "SVC_DEFAULT_QUERY_LANGUAGE": "english",
    "SVC_RAG_TOK_MAX": "4000", "SVC_RAG_TOK_DEFAULT": "4000", "SVC_RAG_MAX_TO_CONSIDER": "10",
    "SVC_ALWAYS_FALL_BACK_TO_SUMMARY": "True",
    "SVC_AI_TIMEOUT": "90", "SVC_SEARCH_HTTP_CONNECT_TIMEOUT": "3", "SVC_SEARCH_HTTP_READ_TIMEOUT": "10",
    "SVC_LOG_DEBUG": "",
    "SVC_HOST": "127.0.0.1", "SVC_PORT": "8000", "SVC_DATA_DIR": "./data", "SVC_API_ALIASES": "",
    "SVC_HEALTH_OPEN": "False",
    "SVC_METRICS_OPEN": "False", "SVC_OUTBOUND_ALLOW": "", "SVC_ACTIVITY_SHOWS_QUERIES": "False",
    "DOCS_CHAT_THROTTLE_RATE": "15/minute",
    "SVC_CORPUS_MIN_SCORE": "0.5", "SVC_VERSION_SIMILARITY_THRESHOLD": "0.95",
    "SVC_CANONICAL_QUERY_RELEVANCE_MIN": "0.1",
    "SVC_CANONICAL_QUERY_RELEVANCE_RATIO": "0.6", "SVC_CANONICAL_AUTO_ELECT_ENABLED": "False",
    "SVC_CANONICAL_MIXER_PROMOTION": "True",
    "SVC_EAGER_FEDERATED_PROMOTE_ENABLED": "False", "SVC_EAGER_FEDERATED_PROMOTE_MAX": "5",
    "SVC_CORPUS_HYBRID": "False",
    "SVC_CACHE_LIVENESS_PROBE_TIMEOUT": "10", "SVC_CACHE_LIVENESS_RECHECK_SECONDS": "3600",
    "SVC_CACHE_LIVENESS_SYNC": "False",
    "SVC_CACHE_LIVENESS_SYNC_MAX": "10", "SVC_CACHE_LIVENESS_SYNC_TIMEOUT": "2", "SVC_EGRESS_MAX_MESSAGES": "1000",
    "SVC_ORG_INTERNAL_DOMAINS": "",
    "SVC_STORAGE_MAX_BODY_MB": "50", "SVC_STORAGE_EXPIRATION_DAYS": "90", "SVC_STORAGE_BUCKET": "swirl-cache-bodies",
    "SVC_QDRANT_URL": "http://localhost:6333", "SVC_CACHE_DEBUG": "True", "SVC_MINIMUM_SCORE": "100",
    "SVC_MINIMUM_CONFIDENCE_SCORE": "0.7",
    "SVC_SUBSCRIBE_EVERY": "14400", "SVC_EXPIRE_EVERY": "60", "SVC_DEFAULT_RETENTION": "0",
    "SVC_REQUEST_BODY_MAX_MB": "2",
    "SVC_DATABASE_URL": "", "SVC_ADMIN_PASSWORD": "", "SVC_SECRET_KEY": "", "SVC_LICENSE": "",
}  # fmt: skip


@claim(
    "core 10; interface: Limits; decisions 2 and 3; core 8.5",
    rows=[Row(name, (name, value)) for name, value in DEFAULTS.items()],
)  # fmt: skip
def a_setting_has_this_default(service, name, value):
    expect(name in STATE["listed"], "there is no such setting")
    found = STATE["listed"][name]["default"]
    equal(json.loads(found) if isinstance(value, dict) else found, value)


@claim("interface: SVC_CANONICAL_WEIGHTS")
def the_weight_of_sharing_outside_is_one_and_a_half(service):
    equal(json.loads(STATE["listed"]["SVC_CANONICAL_WEIGHTS"]["default"])["egress_external"], 1.5)


@claim("docs/settings: the table is complete")
def every_setting_is_documented(service):
    equal([name for name, _, _ in DOCUMENTED], list(STATE["listed"]))


WRONG = {
    "whole number": ["x", "-1", "1.5"], "True or False": ["perhaps"], "seconds": ["soon", "-1"], "number": ["x", "nan"],
    "number from 0 to 1": ["1.5", "-0.1"],
    "object": ["{", "[]"], "rate": ["often", "5/week", "-1/minute"], "0 to 4": ["5", "-1", "x"], "word": ["nonsense"],
}  # fmt: skip


@claim(
    "docs/settings: every row",
    rows=[Row(name, (name, kind.strip(), default.strip("`"))) for name, kind, default in DOCUMENTED],
)  # fmt: skip
def a_documented_setting_is_as_documented(service, name, kind, default):
    shown = STATE["listed"][name]
    equal((shown["kind"], shown["default"]), (kind, "" if default == "empty" else default.replace("¦", "|")))
    expect(len(shown["meaning"]) > 10, "no meaning", shown)
    for value in WRONG.get(kind, []):
        refused = settings_command(service, {name: value})
        expect(refused.returncode != 0, f"{value!r} was accepted", refused.stdout[-300:])
        expect(name in refused.stderr and len(refused.stderr.strip()) < 1000, "no sentence names it", refused.stderr)


@claim(
    "core 10: an empty text is the default",
    rows=[Row(name, (name,)) for name in ["SVC_TIMEOUT", "SVC_EXPLAIN", "SVC_RELEVANCY_CONFIG", "SVC_PORT"]],
)  # fmt: skip
def an_empty_value_is_the_default(service, name):
    shown = settings_command(service, {name: ""}, [name])
    equal(shown.returncode, 0, shown.stderr)
    expect("default" in shown.stdout, "not the default", shown.stdout)


@claim("docs/settings: environment, then file, then default")
def the_environment_takes_precedence_over_the_file(service):
    folder = service.folder / "precedence"
    folder.mkdir(exist_ok=True)
    (folder / "tributary.toml").write_text('SVC_TIMEOUT = 7\nSVC_EXPLAIN = "False"\n')

    def line(name, environment=None):
        shown = settings_command(service, environment, [name], folder)
        return next(each for each in shown.stdout.splitlines() if each.strip().startswith(name))

    expect(
        re.search(r"\b7\b", line("SVC_TIMEOUT")) and "file" in line("SVC_TIMEOUT"), "value of the file",
        line("SVC_TIMEOUT"),
    )  # fmt: skip
    expect("False" in line("SVC_EXPLAIN"), "text in the file", line("SVC_EXPLAIN"))
    found = line("SVC_TIMEOUT", {"SVC_TIMEOUT": "5"})
    expect(re.search(r"\b5\b", found) and "environment" in found, "value of the environment", found)


@claim("docs/settings: origin")
def the_api_says_where_values_come_from(service):
    origins = {name: STATE["listed"][name]["origin"] for name in ["SVC_EXPLAIN", "SVC_TIMEOUT"]}
    equal(origins, {"SVC_EXPLAIN": "environment", "SVC_TIMEOUT": "default"})
    equal(STATE["listed"]["SVC_MAX_FIELD_LEN"]["value"], "100")


@claim(
    "docs/settings: a wrong file",
    rows=[
        Row("broken", ("SVC_TIMEOUT = ",)), Row("wrong value", ('SVC_TIMEOUT = "soon"',)),
        Row("list", ("SVC_TIMEOUT = [1, 2]",)),
    ],
)  # fmt: skip
def a_wrong_file_is_refused(service, text):
    folder = service.folder / f"wrong{len(text)}"
    folder.mkdir(exist_ok=True)
    (folder / "tributary.toml").write_text(text)
    refused = settings_command(service, folder=folder)
    expect(
        refused.returncode != 0 and ("SVC_TIMEOUT" in refused.stderr or "tributary.toml" in refused.stderr),
        "not refused", refused.stderr + refused.stdout[:200],
    )  # fmt: skip


@claim("decisions 3.9; docs/settings: secrets")
def secrets_are_not_shown(service):
    equal(STATE["listed"]["SVC_SECRET_KEY"]["value"], "***")
    expect("secret-key-of-the-claims" not in service.command("settings").stdout, "the command shows it")
    expect("secret-key-of-the-claims" not in service.console_text(), "the log shows it")
    equal(list(service.data.glob("secret.key")), [], "a key was generated although one is set")


@claim("quirks, Operation: an unknown name that begins with SVC_ is reported")
def unknown_settings_are_reported(service):
    expect(
        "SVC_NO_SUCH_SETTING" in service.console_text() + service.command("settings").stderr, "not reported",
        service.console_text()[:500],
    )  # fmt: skip


@claim("core 10: SVC_EXPLAIN")
def explanations_are_off(service):
    made = STATE["providers"].create("explain", items_for(1))
    search = service.admin.run_search("copper", searchprovider_list=[made])["id"]
    equal("explain" in service.admin.results(search)["results"][0], False)
    equal("explain" in service.admin.results(search, explain="true")["results"][0], True)


@claim(
    "decisions 1: SVC_API_ALIASES",
    rows=[Row(path, (path,)) for path in ["/swirl/", "/api/swirl/", "/finder/", "/api/finder/", "/svc/"]],
)  # fmt: skip
def aliases_serve_the_same_api(service, prefix):
    equal(service.admin.get(prefix + "mixers/").expect(200).json(), service.admin.get("/svc/mixers/").json())
    service.nobody.get(prefix + "mixers/").expect(401)


@claim("quirks, API: SVC_PUBLIC_URL")
def links_begin_with_the_public_address(service):
    made = STATE["providers"].create("public", items_for(3))
    search = service.admin.run_search("copper", searchprovider_list=[made], results_requested=2)
    info = service.admin.results(search["id"])["info"]
    urls = [
        search["result_url"], search["new_result_url"], info["results"]["next_page"], info["public"]["filter_url"],
        info["search"]["rerun_url"],
    ]  # fmt: skip
    equal([url for url in urls if not url.startswith("https://search.example/svc/")], [])


@claim("docs/settings: SVC_DEFAULT_RETENTION")
def searches_have_the_default_retention(service):
    equal(service.admin.run_search("copper", searchprovider_list=["none"])["retention"], 3)
    equal(service.admin.run_search("copper", searchprovider_list=["none"], retention=0)["retention"], 0)


@claim(
    "decisions 3.12: SVC_HEALTH_OPEN, SVC_METRICS_OPEN",
    rows=[Row(path, (path,)) for path in ["/svc/health/tasks/", "/svc/metrics/tasks/", "/metrics/"]],
)  # fmt: skip
def open_paths_need_no_credentials(service, path):
    service.nobody.get(path).expect(200)


@claim("decisions 3.12: nothing else is open")
def other_paths_stay_closed(service):
    for path in ["/svc/search/", "/svc/settings/", "/svc/searchproviders/", "/svc/activity/"]:
        service.nobody.get(path).expect(401)


@claim("core 6: SVC_MAX_FIELD_LEN")
def long_texts_are_cut_at_the_setting(service):
    made = STATE["providers"].create(
        "cut", [item("copper", "word " * 100)],
        result_processors=["MappingResultProcessor", "LenLimitingResultProcessor"],
    )  # fmt: skip
    body = plain(service.admin.search("copper", providers=[made])["results"][0]["body"])
    expect(60 < len(body) <= 100, "not cut at 100 characters", body)


@claim("decisions 3.11: SVC_REQUEST_BODY_MAX_MB")
def large_requests_are_refused(service):
    def body(size):
        return {"query_string": "copper", "searchprovider_list": ["none"], "x": "a" * size}

    service.admin.post("/svc/search/", body(900_000)).expect(201)
    equal(service.admin.post("/svc/search/", body(1_100_000)).expect(413).json()["code"] != "", True)


@claim("docs/settings: SVC_OUTBOUND_BODY_MAX_MB")
def large_responses_are_refused(service):
    large = STATE["providers"].create("large", respond={"items": [item("copper", "x" * 1_200_000)]})
    fits = STATE["providers"].create("fits", respond={"items": [item("copper", "x" * 800_000)]})
    info = service.admin.search("copper", providers=[large, fits])["info"]
    equal((info["large"]["status"], info["fits"]["status"]), ("error", "ok"))


@claim("docs/settings: SVC_OUTBOUND_REDIRECTS_MAX")
def only_so_many_redirects_are_followed(service):
    source = STATE["source"]
    source.route("/end", {"items": items_for(1)})
    source.route("/once", Reply("", 302, {"Location": "/end?q=x"}))
    source.route("/twice", Reply("", 302, {"Location": "/once?q=x"}))
    ids = [
        service.admin.create_provider(name=name, url=f"{source.base}/{name}", default=False)["id"]
        for name in ("once", "twice")
    ]  # fmt: skip
    info = service.admin.search("copper", providers=ids)["info"]
    equal((info["once"]["status"], info["twice"]["status"]), ("ok", "error"))


@claim("core 3.6: SVC_SEARCH_HTTP_READ_TIMEOUT")
def a_request_has_its_own_limit(service):
    def respond(request):
        time.sleep(2.5)
        return {"items": []}

    started = time.monotonic()
    info = service.admin.search("copper", providers=[STATE["providers"].create("slow", respond=respond)])["info"]
    expect(0.9 < time.monotonic() - started < 2.3, "not after a second", time.monotonic() - started)
    equal(info["slow"]["status"], "timeout")


@claim("interface: Errors, 429; SVC_SOURCE_BACKOFF")
def a_source_is_asked_again_after_the_pause(service):
    made = STATE["providers"].create("limited", respond=Reply("", 429))
    service.admin.search("copper", providers=[made])
    equal(service.admin.search("copper", providers=[made])["info"]["limited"]["status"], "suspended")
    STATE["providers"].answer(made, {"items": items_for(1)})

    def status():
        return service.admin.search("copper", providers=[made])["info"]["limited"]["status"]

    eventually(lambda: status() != "suspended", 5, "it was not asked again")
    equal(status(), "ok")


@claim(
    "docs/settings: SVC_CORS_ORIGINS",
    rows=[Row("allowed", ("https://app.example", "https://app.example")), Row("other", ("https://evil.example", None))],
)  # fmt: skip
def pages_of_these_origins_may_call(service, origin, expected):
    headers = {
        "Origin": origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"
    }
    equal(
        service.nobody.call("OPTIONS", "/svc/mixers/", headers=headers).headers.get("access-control-allow-origin"),
        expected,
    )  # fmt: skip
    equal(
        service.admin.get("/svc/mixers/", headers={"Origin": origin}).headers.get("access-control-allow-origin"),
        expected,
    )  # fmt: skip


@claim("core 6: MIN_SWIRL_SCORE")
def the_minimum_score_is_the_setting(service):
    items = [item("Welcome", "copper of the river"), item("Garden", "Nothing of it")]
    made = STATE["providers"].create("minimum", items)
    pipeline = ["CosineRelevancyPostResultProcessor", "DropIrrelevantPostResultProcessor"]
    search = service.admin.run_search("copper", searchprovider_list=[made], post_result_processors=pipeline)["id"]
    equal([plain(each["title"]) for each in service.admin.results(search)["results"]], ["Welcome"])


@claim("core 10: SVC_RELEVANCY_CONFIG; omitted fields keep their defaults")
def a_field_without_weight_does_not_count(service):
    items = [item("copper", "", "http://t.example/"), item("Roof", "copper", "http://b.example/")]
    made = STATE["providers"].create("weights", items)
    scores = {each["url"]: each["swirl_score"] for each in service.admin.search("copper", providers=[made])["results"]}
    equal(scores["http://t.example/"], 0)
    expect(scores["http://b.example/"] > 0, "the body does not count", scores)


@claim("core 5.2: SVC_MAX_MATCHES")
def so_many_matches_of_a_word_count(service):
    made = STATE["providers"].create("matches", [item("Roof", "copper and copper, then copper with copper")])
    search = service.admin.run_search("copper", searchprovider_list=[made])["id"]
    explain = service.admin.results(search, explain="true")["results"][0]["explain"]
    keys = [key for key in explain["body"] if re.fullmatch(r"copper_\d+", key)]
    equal(len(keys), 2)


@claim("core 5: SVC_DEFAULT_QUERY_LANGUAGE")
def stems_are_those_of_the_language(service):
    made = STATE["providers"].create("german", [item("Die Katzen", "Viele Katzen schlafen in Häusern.")])
    search = service.admin.run_search("Katze Haus", searchprovider_list=[made])["id"]
    explain = service.admin.results(search, explain="true")["results"][0]["explain"]
    equal(explain["stems"], "katz haus")
    expect(any("katzen" in word for word in explain["hits"]["title"]), "the plural is no hit", explain["hits"])


@claim("docs/settings: SVC_LOG_FORMAT json; interface: log files")
def the_log_is_json(service):
    lines = (service.data / "logs" / "django.log").read_text().splitlines()
    expect(lines and all(isinstance(json.loads(line), dict) for line in lines), "not JSON", lines[:2])


@claim("docs/settings: SVC_SEARCHES_KEPT_MAX")
def old_searches_give_way_to_new_ones(service):
    client = service.user("keeper")
    saved = client.run_search("copper saved", searchprovider_list=["none"], tags=["saved"])["id"]
    first = client.run_search("copper first", searchprovider_list=["none"])["id"]
    for number in range(205):
        client.post("/svc/search/", {"query_string": f"copper {number}", "searchprovider_list": ["none"]}).expect(201)
    expect(len(client.get("/svc/search/").json()) <= 200, "more are stored", len(client.get("/svc/search/").json()))
    client.get(f"/svc/search/{first}/").expect(404)
    client.get(f"/svc/search/{saved}/").expect(200)


@claim("interface: Limits: other users are not affected by aliases")
def tokens_work_with_aliases(service):
    token = service.admin.post("/swirl/tokens/", {"label": "alias"}).expect(201).json()["token"]
    Client(service.port, f"Token {token}").get("/api/swirl/users/me/").expect(200)
