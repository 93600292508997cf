"""Health checks, metrics of queues, general metrics and log files."""

import json
import os
import re
import signal

from harness import Row, Service, claim, equal, eventually, expect
from harness.license import licensed

QUEUES = ["health_check", "search", "page_fetch", "interactive", "maintenance", "corpus", "totals"]
METRICS = ["tasks_queue_depth", "tasks_queue_active_tasks", "tasks_queue_workers", "tasks_queue_total_capacity",
           "tasks_queue_busy_ratio"]  # fmt: skip
CAPACITY = {"health_check": 1, "search": 1024, "page_fetch": 64, "interactive": 16, "maintenance": 4, "corpus": 4}
SETTINGS = licensed()
PEOPLE = {}


def prepare(service):
    PEOPLE["ann"] = service.user("ann")
    PEOPLE["ann"].run_search("first search")


def samples(text):
    """Values by name and labels."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


def queue_metrics(client):
    return samples(client.get("/svc/metrics/tasks/").expect(200).text)


@claim("interface: Monitoring, health", rows=[Row(path, (path,)) for path in [
    "/svc/health/tasks/", "/api/svc/health/tasks/", "/svc/health/tasks", "/api/svc/health/tasks",
]])  # fmt: skip
def the_workers_answer(service, path):
    for client in [service.admin, PEOPLE["ann"]]:
        answer = client.get(path).expect(200)
        found = answer.json()
        equal((sorted(found), found["status"]), (["message", "status"], "ok"))
        expect(isinstance(found["message"], str) and found["message"], "a message", found)
    service.nobody.get(path).expect(401)


@claim("interface: Errors, task-worker ping fails")
def without_a_worker_the_check_is_500(service):
    with Service(service.program) as other:
        other.stop()
        other.environment["SVC_HEALTH_CHECK_CONCURRENCY"] = "1"
        web = Service(service.program)
        web.__dict__.update(other.__dict__)
        serve = web.program
        import subprocess

        web.console = (web.folder / "console.log").open("ab")
        web.process = subprocess.Popen([serve, "serve", "--roles", "web"], cwd=web.folder, env=web.environment,
                                       stdin=subprocess.DEVNULL, stdout=web.console, stderr=web.console)  # fmt: skip
        other.process, other.console = web.process, web.console
        eventually(web.is_ready, 30)
        answer = web.admin.get("/svc/health/tasks/", timeout=30).expect(500).json()
        equal((sorted(answer), answer["status"]), (["message", "status"], "error"))
        expect(len(answer["message"]) > 10, "describes the failure", answer)
        web.nobody.get("/svc/health/live/").expect(200)
        web.nobody.get("/svc/health/ready/").expect(200)
        found = queue_metrics(web.admin)
        equal(found['tasks_queue_workers{queue="totals"}'], 0.0)
        equal(found['tasks_queue_busy_ratio{queue="search"}'], 0.0, "0 without capacity")


@claim("decisions 3.12", rows=[Row(path, (path,)) for path in ["/svc/health/live/", "/svc/health/ready/", "/api/svc/health/live/"]])
def live_and_ready_are_open_and_say_nothing_else(service, path):
    found = service.nobody.get(path).expect(200).json()
    equal(list(found), ["status"])


OPEN = [
    ("SVC_HEALTH_OPEN", "/svc/health/tasks/", "/svc/metrics/tasks/"), ("SVC_METRICS_OPEN", "/svc/metrics/tasks/", "/svc/health/tasks/"),
    ("SVC_METRICS_OPEN", "/metrics/", "/svc/search/"),
]  # fmt: skip


@claim("decisions 3.12", rows=[Row(f"{setting} {path}", (setting, path, closed)) for setting, path, closed in OPEN])
def a_setting_opens_health_or_metrics(service, setting, path, closed):
    service.nobody.get(path).expect(401)
    with Service(service.program, {setting: "True"}) as other:
        other.nobody.get(path).expect(200)
        other.nobody.get(closed).expect(401)


@claim("ai-cache 3.2: every queue appears for every metric", rows=[Row(name, (name,)) for name in METRICS])
def each_metric_has_each_queue(service, name):
    answer = service.admin.get("/svc/metrics/tasks/").expect(200)
    equal(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
    expect(f"# TYPE {name} gauge" in answer.text and f"# HELP {name} " in answer.text, "TYPE and HELP", answer.text)
    found = [key for key in samples(answer.text) if key.startswith(name + "{")]
    equal(sorted(found), sorted(f'{name}{{queue="{queue}"}}' for queue in QUEUES))


@claim("ai-cache 3.2: totals", rows=[Row(name, (name,)) for name in METRICS[:4]])
def totals_are_the_sum_of_the_queues(service, name):
    found = queue_metrics(service.admin)
    equal(found[f'{name}{{queue="totals"}}'], sum(found[f'{name}{{queue="{queue}"}}'] for queue in QUEUES[:-1]))


@claim("ai-cache 7.2: capacity", rows=[Row(queue, (queue, capacity)) for queue, capacity in CAPACITY.items()])
def a_queue_has_its_capacity(service, queue, capacity):
    found = queue_metrics(service.admin)
    equal(found[f'tasks_queue_workers{{queue="{queue}"}}'], 1.0)
    equal(found[f'tasks_queue_total_capacity{{queue="{queue}"}}'], float(capacity), "settings: default concurrency")


@claim("interface: tasks_metrics_collection_error")
def there_is_no_collection_error(service):
    equal(queue_metrics(service.admin)["tasks_metrics_collection_error"], 0.0)


@claim("interface: no duration and no memory metric")
def the_queue_metrics_are_those_of_the_interface(service):
    names = {key.split("{")[0] for key in queue_metrics(service.admin)}
    # `tasks_queue_waiting_…` are additions that docs/operations.md describes.
    equal(names - {"tasks_queue_waiting_users", "tasks_queue_waiting_most"}, {*METRICS, "tasks_metrics_collection_error"})


@claim("interface: tasks_queue_active_tasks, tasks_queue_busy_ratio")
def a_running_search_is_active(service):
    from harness import Source

    with Source() as source, Service(service.program, {"SVC_SEARCH_CONCURRENCY": "2"}) as other:
        import threading

        released = threading.Event()
        url = source.route("/slow", lambda _: released.wait(8) and {"items": []} or {"items": []})
        provider = other.admin.create_provider(name="Slow", url=url)
        for _ in range(5):
            other.admin.post("/svc/search/", {"query_string": "x", "searchprovider_list": [provider["id"]]}).expect(201)

        def busy():
            found = queue_metrics(other.admin)
            return (found['tasks_queue_active_tasks{queue="search"}'], found['tasks_queue_depth{queue="search"}'],
                    found['tasks_queue_busy_ratio{queue="search"}']) == (2.0, 3.0, 1.0)  # fmt: skip

        try:
            eventually(busy, 7, "two active, three waiting, ratio 1")
        finally:
            released.set()


# General metrics

NAMES = [
    "tributary_http_requests_total", "tributary_http_request_duration_seconds", "tributary_searches_total",
    "tributary_federation_duration_seconds", "tributary_cache_signals", "tributary_cache_chunks", "tributary_cache_licensed",
    "tributary_cache_liveness", "tributary_cache_store_up", "tributary_egress_scans", "tributary_canonical_pins",
    "tributary_canonical_runs", "tributary_license_", "tributary_database_up", "process_resident_memory_bytes", "process_cpu_seconds_total",
    "tributary_build_info", "tributary_queue_depth", "tributary_provider_", "tributary_sign_in_failures_total",
]  # fmt: skip


@claim("ai-cache 3.2: general metrics", rows=[Row(name, (name,)) for name in NAMES])
def the_general_metrics_have_a_family(service, name):
    text = service.admin.get("/metrics/").expect(200).text
    expect(re.search(rf"^# TYPE {name}", text, re.MULTILINE), name, text[:1500])


@claim("ai-cache 2.7: admins see counts; hardening: metrics")
def general_metrics_are_for_administrators(service):
    service.nobody.get("/metrics/").expect(401)
    PEOPLE["ann"].get("/metrics/").expect(403)
    PEOPLE["ann"].get("/svc/metrics/tasks/").expect(200)
    expect("cache" not in PEOPLE["ann"].get("/svc/metrics/tasks/").text, "no counts of the cache for users")


@claim("ai-cache 3.2: OpenMetrics")
def openmetrics_is_served_on_request(service):
    kind = "application/openmetrics-text; version=1.0.0"
    answer = service.admin.get("/metrics/", headers={"Accept": kind}).expect(200)
    expect(answer.headers["content-type"].startswith(kind), "type", answer.headers)
    expect(answer.text.endswith("# EOF\n"), "the end", answer.text[-100:])
    equal(service.admin.get("/metrics/").headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")


@claim("operations: exact counts")
def searches_and_requests_are_counted(service):
    def count(name):
        found = samples(service.admin.get("/metrics/").text)
        return sum(value for key, value in found.items() if key.startswith(name))

    before = count("tributary_searches_total")
    for _ in range(3):
        PEOPLE["ann"].run_search("counted")
    eventually(lambda: count("tributary_searches_total") == before + 3, 10, "three searches more")
    route = 'tributary_http_requests_total{method="GET",route="/svc/mixers/"'
    before = count(route)
    for _ in range(4):
        PEOPLE["ann"].get("/svc/mixers/").expect(200)
    eventually(lambda: count(route) == before + 4, 10, f"four requests more: {before}")


@claim("operations: no user data in metrics")
def metrics_hold_no_words_of_searches(service):
    PEOPLE["ann"].run_search("zyxgate words")
    for path in ["/metrics/", "/svc/metrics/tasks/"]:
        text = service.admin.get(path).text
        expect("zyxgate" not in text and "ann" not in re.findall(r'"([^"]*)"', text), "no words, no users")


# Logs

LOGS = ["django.log", "tasks-search-worker.log", "tasks-search-orchestrator-worker.log", "tasks-interactive-worker.log",
        "tasks-pagefetch-worker.log", "tasks-maintenance-worker.log", "tasks-healthcheck-worker.log", "tasks-corpus-worker.log",
        "tasks-beats.log"]  # fmt: skip


@claim("interface: log files", rows=[Row(name, (name,)) for name in LOGS])
def each_part_has_its_log_file(service, name):
    eventually((service.data / "logs" / name).exists, 10, f"{name} is missing: {sorted(os.listdir(service.data / 'logs'))}")
    listed = [each["name"] for each in service.admin.get("/svc/logs/").expect(200).json()]
    expect(name in listed, "listed", listed)
    found = service.admin.get(f"/svc/logs/{name}/", params={"lines": 50}).expect(200).json()
    equal((found["name"], len(found["lines"]) <= 50), (name, True))


@claim("ai-cache 4.5: log viewer, whitelist only", rows=[Row(path, (path,)) for path in [
    "../secret.key", "..%2Fsecret.key", "%2e%2e%2fsecret.key", "secret.key", "/etc/passwd", "%2Fetc%2Fpasswd", "django.log%00",
    "nothing.log",
]])  # fmt: skip
def only_log_files_are_read(service, path):
    answer = service.admin.get(f"/svc/logs/{path}/")
    expect(answer.status in (400, 404), "refused", answer.status, answer.text[:200])


@claim("ai-cache 4.5: log viewer, 50 to 5000 lines", rows=[Row(str(lines), (lines, status)) for lines, status in [
    (50, 200), (5000, 200), (0, 400), (5001, 400), ("many", 400), (-1, 400),
]])  # fmt: skip
def the_log_viewer_has_limits(service, lines, status):
    service.admin.get("/svc/logs/django.log/", params={"lines": lines}).expect(status)


def log_lines(service, *names):
    return "".join((service.data / "logs" / name).read_text(errors="replace") for name in names or LOGS if
                   (service.data / "logs" / name).exists())  # fmt: skip


@claim("ai-cache 3.3: one line per search")
def a_search_is_one_line_with_user_status_and_count(service):
    search = PEOPLE["ann"].run_search("logged words")

    def ended():
        lines = [line for line in log_lines(service).splitlines() if re.search(rf"search.{{0,5}}\b{search['id']}\b.*ended", line)]
        return lines and lines[0]

    line = eventually(ended, 10, "no line at the end of the search")
    ann = PEOPLE["ann"].get("/svc/users/me/").json()["id"]
    for part in [f"user {ann}", "FULL_RESULTS_READY", "INFO", "0 results in"]:
        expect(part in line, part, line)
    expect("logged words" not in line, "without the query", line)


@claim("ai-cache 3.3: authentication events")
def a_failed_sign_in_is_logged_without_the_password(service):
    service.client("ann", "S3cretTyped").get("/svc/users/me/").expect(401)
    eventually(lambda: re.search(r"WARN.*(sign|auth|credential)", log_lines(service, "django.log"), re.IGNORECASE), 10, "not logged")
    expect("S3cretTyped" not in log_lines(service), "the password is not logged")


@claim("ai-cache 3.3: request id on every line")
def a_request_is_found_by_its_id(service):
    request_id = service.admin.get("/svc/mixers/").headers["x-request-id"]
    eventually(lambda: request_id in log_lines(service, "django.log"), 10, "not logged")
    answer = service.command("logs", "--request", request_id, "--no-follow")
    expect(answer.returncode == 0 and "/svc/mixers/" in answer.stdout, "by command", answer.stdout, answer.stderr)


@claim("ai-cache 3.3: SVC_LOG_FORMAT=json")
def logs_may_be_json(service):
    with Service(service.program, {"SVC_LOG_FORMAT": "json"}) as other:
        other.admin.run_search("x")
        text = eventually(lambda: "ended" in (found := log_lines(other)) and found, 10)
        for line in text.splitlines():
            expect(isinstance(json.loads(line), dict), "an object on each line", line)


@claim("ai-cache 3.3: credentials are not logged")
def secrets_are_not_logged(service):
    token = PEOPLE["ann"].post("/svc/tokens/", {}).json()["token"]
    from harness import Client

    Client(service.port, f"Token {token}").get("/svc/mixers/").expect(200)
    service.nobody.post("/svc/login/", {"username": "ann", "password": "ann-Pass-1"}).expect(200)
    text = log_lines(service) + service.console_text()
    for secret in [token, "ann-Pass-1", "claims-Admin-1"]:
        expect(secret not in text, "not logged")


# Stop and start


@claim("ai-cache 7.4: graceful drain on TERM")
def the_service_ends_at_once_when_idle(service):
    with Service(service.program) as other:
        other.process.send_signal(signal.SIGTERM)
        equal(other.process.wait(10), 0)
        other.start()


@claim("ai-cache 7.2: tasks survive restarts")
def a_killed_service_finishes_its_searches_after_the_restart(service):
    from harness import Source

    with Source() as source, Service(service.program, {"SVC_TASK_LEASE": "2"}) as other:
        state = {"slow": True}
        import time

        url = source.route("/list", lambda _: (state["slow"] and time.sleep(3)) or {"items": [{"title": "A", "url": "http://a.example/"}]})
        provider = other.admin.create_provider(name="Killed", url=url)
        body = {"query_string": "x", "searchprovider_list": [provider["id"]]}
        search = other.admin.post("/svc/search/", body).expect(201).json()
        eventually(lambda: source.asked("/list"), 10)
        other.process.kill()
        other.process.wait()
        state["slow"] = False
        other.start()
        found = other.admin.finished_search(search["id"])
        equal((found["status"], len(other.admin.results(search["id"])["results"])), ("FULL_RESULTS_READY", 1))


@claim("interface: messages name the version; ai-cache 2.9")
def the_version_is_the_same_everywhere(service):
    version = service.admin.get("/svc/agent/status/").json()["version"]
    equal(PEOPLE["ann"].run_search("x")["messages"][0], f"Tributary {version}")
    equal(service.command("--version").stdout.split()[-1], version)
