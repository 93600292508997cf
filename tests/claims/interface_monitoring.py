"""Health, metrics, log files, settings and their defaults, and limits of requests."""

import json
import re
import subprocess

from harness import Service, claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows
from harness.service import ADMIN_PASSWORD

source = SampleSource()
QUEUES = ["health_check", "search", "page_fetch", "interactive", "maintenance", "corpus"]


def prepare(service):
    source.__enter__()
    source.provider(service, "Watched", items(1))
    service.admin.search("copper", providers=["Watched"])


def finish():
    source.__exit__()


@claim("interface: Monitoring, health", rows=rows(("/svc/", "/svc"), ("/api/svc/", "/api/svc")))
def a_healthy_service_says_ok(service, prefix):
    body = service.admin.get(f"{prefix}/health/tasks/").expect(200).json()
    equal(set(body), {"status", "message"})
    equal(body["status"], "ok")
    expect(isinstance(body["message"], str) and body["message"], "no message", body)


@claim("interface: Monitoring, health; Errors; quirks: required")
def without_workers_the_health_check_is_a_500_of_its_own_shape(service):
    with Service(service.program) as other:
        other.stop()
        other.console = (other.folder / "console.log").open("ab")
        command = [other.program, "serve", "--roles", "web"]
        other.process = subprocess.Popen(
            command, cwd=other.folder, env=other.environment, stdout=other.console, stderr=other.console
        )
        eventually(other.is_ready, 30)
        answer = eventually(lambda: unhealthy(other), 60, "it stays healthy without workers")
        body = answer.json()
        equal(set(body), {"status", "message"})
        equal(body["status"], "error")
        expect(body["message"], "no message", body)


def unhealthy(service):
    answer = service.admin.get("/svc/health/tasks/", timeout=60)
    return answer if answer.status == 500 else None


@claim("decisions 3.12", rows=rows(("live", "live"), ("ready", "ready")))
def liveness_and_readiness_need_no_credentials_and_say_nothing_else(service, name):
    answer = service.nobody.get(f"/svc/health/{name}/").expect(200)
    expect(len(answer.body) < 40, "it says more", answer.text)


@claim("decisions 3.12", rows=rows(
    ("health", {"SVC_HEALTH_OPEN": "True"}, "/svc/health/tasks/", "/svc/metrics/tasks/"),
    ("metrics", {"SVC_METRICS_OPEN": "True"}, "/svc/metrics/tasks/", "/svc/health/tasks/"),
))  # fmt: skip
def a_setting_opens_health_or_metrics(service, settings, opened, closed):
    error(service.nobody.get(opened), 401)
    with Service(service.program, settings) as other:
        other.nobody.get(opened).expect(200)
        error(other.nobody.get(closed), 401)


METRICS = [
    "tasks_queue_depth", "tasks_queue_active_tasks", "tasks_queue_workers", "tasks_queue_total_capacity",
    "tasks_queue_busy_ratio",
]  # fmt: skip


def samples(service):
    """The samples of the metrics by name and queue."""
    text = service.admin.get("/svc/metrics/tasks/").expect(200).text
    found = re.findall(r'^(\w+)(?:\{queue="(\w+)"\})? ([0-9.e+-]+)$', text, re.MULTILINE)
    return {(name, queue): float(value) for name, queue, value in found}, text


@claim("interface: Metrics", rows=rows(*[(name, name) for name in METRICS]))
def a_metric_has_every_queue_and_totals(service, name):
    found, text = samples(service)
    equal({queue for metric, queue in found if metric == name}, {*QUEUES, "totals"})
    expect(f"# TYPE {name} gauge" in text, "no gauge", text)
    expect(re.search(rf"^# HELP {name} \S", text, re.MULTILINE), "no help", text)


@claim("interface: Metrics, tasks_metrics_collection_error")
def the_metric_of_collection_errors_is_zero(service):
    found, text = samples(service)
    values = [value for (name, _), value in found.items() if name == "tasks_metrics_collection_error"]
    expect(values and not any(values), "missing, or an error", text)


@claim("interface: Metrics, meaning", rows=rows(*[(queue, queue) for queue in [*QUEUES, "totals"]]))
def workers_capacity_and_ratio_agree(service, queue):
    found, _ = samples(service)
    workers, capacity = found["tasks_queue_workers", queue], found["tasks_queue_total_capacity", queue]
    expect(workers >= 1 and capacity >= workers, "no workers", [workers, capacity])
    active = found["tasks_queue_active_tasks", queue]
    expect(abs(found["tasks_queue_busy_ratio", queue] - active / capacity) < 0.1, "ratio", [active, capacity])


@claim("interface: Metrics, totals", rows=rows(*[(name, name) for name in METRICS if "ratio" not in name]))
def totals_are_the_sum_of_the_queues(service, name):
    found, _ = samples(service)
    if name == "tasks_queue_workers":
        expect(found[name, "totals"] >= 1, "no workers", found[name, "totals"])
    else:
        equal(found[name, "totals"], sum(found[name, queue] for queue in QUEUES))


@claim("interface: Metrics, format")
def metrics_have_the_type_of_the_text_format(service):
    answer = service.admin.get("/svc/metrics/tasks/").expect(200)
    expect(answer.headers["content-type"].startswith("text/plain"), "another type", answer.headers)
    expect(answer.body.endswith(b"\n"), "no line end")


LOGS = [
    "django.log", "tasks-search-worker.log", "tasks-search-orchestrator-worker.log", "tasks-interactive-worker.log",
    "tasks-pagefetch-worker.log", "tasks-maintenance-worker.log", "tasks-healthcheck-worker.log",
    "tasks-corpus-worker.log",
    "tasks-beats.log",
]  # fmt: skip


@claim("interface: Log files; decisions 1", rows=rows(*[(name, name) for name in LOGS]))
def a_log_file_exists(service, name):
    logs = service.data / "logs"
    expect((logs / name).is_file(), "missing", sorted(file.name for file in logs.iterdir()))


@claim("interface: Log files, authentication events")
def failed_and_successful_authentication_are_in_the_log(service):
    failed = service.client("admin", "Wrong-Pass-1").get("/svc/search/").expect(401).json()["request_id"]
    service.nobody.post("/svc/login/", {"username": "admin", "password": ADMIN_PASSWORD}).expect(200)
    log = service.data / "logs" / "django.log"

    def logged():
        lines = log.read_text().splitlines()
        failure = [line for line in lines if failed in line and "authentication failed" in line]
        return failure and [line for line in lines if "admin signed in" in line]

    eventually(logged, 10, "the events are not in the log")
    expect("Wrong-Pass-1" not in log.read_text(), "the password is in the log")


@claim("interface: Log files, command logs")
def a_command_merges_all_logs(service):
    shown = service.command("logs", "--no-follow", "--lines", "1000")
    equal(shown.returncode, 0, shown.stderr)
    for text in ["listens on", "GET /svc/search/"]:
        expect(text in shown.stdout, f"{text} is missing", shown.stdout)


DEFAULTS = [
    ("SVC_HOST", "127.0.0.1"), ("SVC_TIMEOUT", "10"), ("SVC_DEDUPE_FIELD", "url"),
    ("SVC_DEDUPE_GROUP_NOT_DROP", "True"),
    ("SVC_DEDUPE_SIMILARITY_MINIMUM", "0.95"), ("SVC_DEFAULT_QUERY_LANGUAGE", "english"),
    ("DOCS_CHAT_THROTTLE_RATE", "15/minute"),
    ("SVC_CORPUS_MIN_SCORE", "0.5"), ("SVC_VERSION_SIMILARITY_THRESHOLD", "0.95"),
    ("SVC_CANONICAL_QUERY_RELEVANCE_MIN", "0.1"),
    ("SVC_CANONICAL_QUERY_RELEVANCE_RATIO", "0.6"), ("SVC_CANONICAL_AUTO_ELECT_ENABLED", "False"),
    ("SVC_CANONICAL_MIXER_PROMOTION", "True"), ("SVC_EAGER_FEDERATED_PROMOTE_ENABLED", "False"),
    ("SVC_EAGER_FEDERATED_PROMOTE_MAX", "5"), ("SVC_CORPUS_HYBRID", "False"),
    ("SVC_CACHE_LIVENESS_PROBE_TIMEOUT", "10"),
    ("SVC_CACHE_LIVENESS_RECHECK_SECONDS", "3600"), ("SVC_CACHE_LIVENESS_SYNC", "False"),
    ("SVC_CACHE_LIVENESS_SYNC_MAX", "10"),
    ("SVC_CACHE_LIVENESS_SYNC_TIMEOUT", "2"), ("SVC_EGRESS_MAX_MESSAGES", "1000"), ("SVC_ORG_INTERNAL_DOMAINS", ""),
    ("SVC_STORAGE_MAX_BODY_MB", "50"), ("SVC_STORAGE_EXPIRATION_DAYS", "90"),
    ("SVC_STORAGE_BUCKET", "swirl-cache-bodies"),
    ("SVC_QDRANT_URL", "http://localhost:6333"), ("SVC_CACHE_DEBUG", "True"), ("SVC_EXPLAIN", "True"),
    ("SVC_MAX_MATCHES", "5"), ("SVC_MIN_SIMILARITY", "0.01"), ("SVC_MIN_SWIRL_SCORE", "500"),
    ("SVC_MAX_FIELD_LEN", "512"),
    ("SVC_RAG_MAX_TO_CONSIDER", "10"), ("SVC_RAG_TOK_MAX", "4000"), ("SVC_SEARCH_HTTP_CONNECT_TIMEOUT", "3"),
    ("SVC_SEARCH_HTTP_READ_TIMEOUT", "10"), ("SVC_MINIMUM_SCORE", "100"), ("SVC_MINIMUM_CONFIDENCE_SCORE", "0.7"),
    ("SVC_OUTBOUND_ALLOW", ""), ("SVC_API_ALIASES", ""), ("SVC_HEALTH_OPEN", "False"), ("SVC_METRICS_OPEN", "False"),
]  # fmt: skip


@claim("interface: Limits, Settings; core 10; decisions 2, 3",
       rows=rows(*[(name, name, value) for name, value in DEFAULTS]))  # fmt: skip
def default_of_the_setting(service, name, value):
    listed = {each["name"]: each for each in service.admin.get("/svc/settings/").expect(200).json()}
    expect(name in listed, "unknown setting")
    equal(listed[name]["default"], value)


@claim("interface: Limits, SVC_CANONICAL_WEIGHTS, SVC_RELEVANCY_CONFIG", rows=rows(
    ("egress_external", "SVC_CANONICAL_WEIGHTS", "egress_external", 1.5),
    ("title", "SVC_RELEVANCY_CONFIG", "title", 1.5),
    ("body", "SVC_RELEVANCY_CONFIG", "body", 1.0), ("author", "SVC_RELEVANCY_CONFIG", "author", 1.0),
))  # fmt: skip
def default_weight_of(service, setting, key, value):
    listed = {each["name"]: each for each in service.admin.get("/svc/settings/").expect(200).json()}
    equal(json.loads(listed[setting]["default"])[key], value)


@claim("interface: Limits, chat endpoint throttle; Errors, 429; decisions 3.1")
def the_chat_endpoint_is_throttled(service):
    with Service(service.program, {"DOCS_CHAT_THROTTLE_RATE": "3/minute"}) as other:
        answers = [other.admin.post("/svc/chat/", {}) for _ in range(6)]
        chat = next((each.json()["id"] for each in answers if each.status == 201), None)
        answers += [other.admin.post(f"/svc/chat/{chat}/messages/", {"content": "Hello"}) for _ in range(6)]
        limited = [each for each in answers if each.status == 429]
        expect(limited, "nothing was limited", [each.status for each in answers])
        error(limited[0], 429)
        expect(int(limited[0].headers["retry-after"]) >= 1, "no Retry-After", limited[0].headers)
        log = (other.data / "logs" / "django.log").read_text()
        expect("Throttled" in log, "the log does not have the word Throttled")
        user = other.user("another")
        user.post("/svc/chat/", {}).expect(201)


@claim("decisions 3.1, 429 with Retry-After", rows=rows(
    ("searches", "SVC_THROTTLE_SEARCH", lambda c: c.post("/svc/search/", {"query_string": "a"})),
    ("summaries", "SVC_THROTTLE_RAG", lambda c: c.get("/svc/search/", params={"qs": "a", "rag": "true"})),
))  # fmt: skip
def a_rate_is_limited_for_each_user(service, setting, call):
    with Service(service.program, {setting: "2/minute"}) as other:
        statuses = [call(other.admin).status for _ in range(4)]
        equal(statuses[2:], [429, 429])
        expect(429 not in statuses[:2], "limited too early", statuses)
        error(call(other.admin), 429)
        expect(call(other.user("fresh")).status != 429, "another user is limited too")


@claim("interface: Versioning 2; core 9.7")
def the_version_is_the_same_everywhere(service):
    version = service.command("--version").stdout.split()[-1]
    answer = service.admin.search("copper", providers=["Watched"])
    equal(answer["messages"][0], f"Tributary {version}")
    equal(service.admin.get("/svc/agent/status/").expect(200).json()["version"], version)


@claim("interface: Semantic cache, features.cache")
def the_agent_status_says_that_the_cache_has_no_license(service):
    equal(service.admin.get("/svc/agent/status/").expect(200).json()["features"]["cache"], False)


@claim("interface: What the service does 9")
def the_cache_is_a_provider_out_of_the_box(service):
    records = service.admin.get("/svc/searchproviders/").json()
    cache = next(record for record in records if record["name"] == "Files - Tributary Cache")
    equal((cache["connector"], cache["active"], cache["default"]), ("TributaryCorpusConnector", True, True))


@claim("interface: Errors, cache unlicensed during search")
def the_unlicensed_cache_returns_zero_results_and_no_error(service):
    search = service.admin.run_search("copper", searchprovider_list=["Files - Tributary Cache", "Watched"])
    equal(search["status"], "FULL_RESULTS_READY")
    info = service.admin.results(search["id"])["info"]["Files - Tributary Cache"]
    equal((info["found"], info["retrieved"], bool(info.get("error"))), (0, 0, False))


@claim("decisions 2, command-line search", rows=rows(("with a running service", True), ("without one", False)))
def the_command_line_searches(service, running):
    with Service(service.program) as other:
        source.provider(other, "Command", items(2))
        if not running:
            other.stop()
        shown = other.command("search", "copper", "--providers", "Command", "--json")
        if not running:
            other.start()
        equal(shown.returncode, 0, shown.stderr)
        equal(len(json.loads(shown.stdout)["results"]), 2)
        expect("Command" in shown.stderr, "no progress of the source", shown.stderr)
