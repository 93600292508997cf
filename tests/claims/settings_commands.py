"""Commands of the program, the first start, log files, metrics and the spelling of what people read."""

import json
import os
import pathlib
import re
import subprocess

from harness import Row, Service, Source, claim, equal, expect
from harness.federation import Providers, failing, items_for

ROOT = pathlib.Path(__file__).parents[2]
STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


COMMANDS = [
    "help", "start", "stop", "restart", "migrate", "setup", "status", "watch", "logs", "serve", "search", "demo",
    "load", "load-providers", "settings",
    "upgrade_corpus_to_hybrid", "reset_semantic_cache", "dedup_signal_url_hash", "drop_entity_collection",
    "canonical_diag", "cleanup_stale_canonical_runs",
]  # fmt: skip


@claim("core 10: CLI; interface: Management commands; decisions 2", rows=[Row(name, (name,)) for name in COMMANDS])
def a_command_exists(service, name):
    shown = service.command("help", name) if name != "help" else service.command("help")
    equal(shown.returncode, 0, shown.stderr)
    expect("Usage: tributary" in shown.stdout, "no usage", shown.stdout)


@claim("docs/operations: exit codes", rows=[
    Row("unknown command", (["nonsense"], 2)), Row("unknown option", (["status", "--nonsense"], 2)),
    Row("status without services", (["status"], (0, 1, 3))),
    Row("audit verify", (["audit", "verify"], 0)), Row("migrate", (["migrate"], 0)),
    Row("missing file", (["load", "/no/such/file.json"], 1)),
])  # fmt: skip
def commands_have_these_exit_codes(service, arguments, code):
    done = service.command(*arguments)
    expect(
        done.returncode in (code if isinstance(code, tuple) else (code,)), f"exit code {done.returncode}",
        done.stdout + done.stderr,
    )  # fmt: skip


@claim("docs/operations: status, exit code 3")
def status_without_a_service_is_3(service):
    empty = service.folder / "empty data"
    done = subprocess.run(
        [service.program, "status"], cwd=service.folder, capture_output=True, text=True, timeout=30, check=False,
        env={**service.environment, "SVC_DATA_DIR": str(empty), "SVC_PORT": "1"},
    )  # fmt: skip
    equal(done.returncode, 3, done.stdout + done.stderr)


@claim("decisions 2: tributary search, JSON")
def a_search_from_the_command_line_is_json(service):
    STATE["providers"].create("cli good", items_for(2))
    STATE["providers"].create("cli bad", respond=failing())
    done = service.command("search", "copper", "--providers", "cli good,cli bad", "--json")
    equal(done.returncode, 0, done.stderr)
    response = json.loads(done.stdout)
    equal((len(response["results"]), response["info"]["cli bad"]["status"]), (2, "error"))
    expect("cli bad" in done.stderr, "the source that failed is not named", done.stderr)


@claim("decisions 2: tributary search without a running service")
def a_search_works_without_a_running_service(service):
    with Service(service.program) as other, Source() as source:
        Providers(other, source).create("offline", items_for(1))
        other.stop()
        done = other.command("search", "copper", "--providers", "offline", "--json")
        equal((done.returncode, len(json.loads(done.stdout)["results"])), (0, 1), done.stderr)
        other.start()


@claim("docs/operations: search, exit code 1")
def a_search_that_cannot_run_fails(service):
    done = service.command("search", "copper", "--providers", "no-such-source", "--json")
    equal(done.returncode, 1, done.stdout[-300:] + done.stderr)


@claim("decisions 2: first start")
def the_first_start_writes_a_random_password(service):
    class Fresh(Service):
        def start(self):
            self.environment.pop("SVC_ADMIN_PASSWORD", None)
            super().start()

    with Fresh(service.program) as other:
        path = other.data / "initial-admin-password"
        password = path.read_text().strip()
        equal(oct(path.stat().st_mode & 0o777), "0o600")
        expect(len(password) >= 12, "a short password", len(password))
        equal(other.console_text().count(password), 1, "printed once")
        other.client("admin", password).get("/svc/users/me/").expect(200)
        body = {"current": password, "new": "new-Pass-1234"}
        changed = other.client("admin", password).post("/svc/users/me/password/", body)
        expect(changed.status == 200, "the password cannot be changed", changed.text)
        equal(path.exists(), False, "the file stays after a change")


@claim("decisions 2: SVC_ADMIN_PASSWORD is used only by the first start")
def a_later_start_keeps_the_password(service):
    with Service(service.program) as other:
        other.stop()
        other.environment["SVC_ADMIN_PASSWORD"] = "another-Pass-77"
        other.start()
        other.admin.get("/svc/users/me/").expect(200)
        other.client("admin", "another-Pass-77").get("/svc/users/me/").expect(401)


@claim("interface: log files; decisions 1", rows=[Row(name, (name,)) for name in [
    "django.log", "tasks-search-worker.log", "tasks-search-orchestrator-worker.log", "tasks-interactive-worker.log",
    "tasks-pagefetch-worker.log",
    "tasks-maintenance-worker.log", "tasks-healthcheck-worker.log", "tasks-corpus-worker.log", "tasks-beats.log",
]])  # fmt: skip
def a_log_file_has_this_name(service, name):
    expect((service.data / "logs" / name).is_file(), "no such file", sorted(os.listdir(service.data / "logs")))


@claim("interface: metrics", rows=[Row(name, (name,)) for name in [
    "tasks_queue_depth", "tasks_queue_active_tasks", "tasks_queue_workers", "tasks_queue_total_capacity",
    "tasks_queue_busy_ratio",
]])  # fmt: skip
def a_gauge_has_a_value_for_every_queue(service, name):
    text = service.admin.get("/svc/metrics/tasks/").expect(200).text
    expect(f"# TYPE {name} gauge" in text, "no gauge", text[:500])
    queues = re.findall(rf'^{name}{{[^}}]*queue="(\w+)"[^}}]*}} [0-9.e+-]+$', text, re.MULTILINE)
    equal(sorted(queues), ["corpus", "health_check", "interactive", "maintenance", "page_fetch", "search", "totals"])


@claim("interface: tasks_metrics_collection_error")
def the_collection_of_metrics_reports_errors(service):
    expect(
        re.search(
            r"^tasks_metrics_collection_error(\{[^}]*\})? 0(\.0)?$", service.admin.get("/svc/metrics/tasks/").text,
            re.MULTILINE,
        ),
        "no value 0",
    )  # fmt: skip


@claim(
    "interface: /svc/api/docs/, /admin/; decisions 1: /",
    rows=[Row(path, (path,)) for path in ["/svc/api/docs/", "/api/svc/api/docs/"]],
)  # fmt: skip
def pages_are_served(service, path):
    expect("html" in service.admin.get(path).expect(200).headers["content-type"], "no page")


@claim("decisions 7.12: the served document is the published one")
def the_schema_is_the_published_one(service):
    published = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    served = service.admin.get("/svc/api/schema/").expect(200).json()
    equal(served["openapi"][:3], "3.1")
    equal(sorted(served["paths"]), sorted(published["paths"]))
    equal(served["components"], published["components"])


STATUSES = {
    "ProviderStatus": ["ok", "no_results", "partial", "timeout", "error", "suspended", "not_connected"],
    "SearchStatus": [
        "NEW_SEARCH", "UPDATE_SEARCH", "PRE_PROCESSING", "PRE_QUERY_PROCESSING", "FEDERATING", "POST_RESULT_PROCESSING",
        "FULL_RESULTS_READY", "PARTIAL_RESULTS_READY", "FULL_UPDATE_READY", "PARTIAL_UPDATE_READY",
        "ERR_NO_SEARCHPROVIDERS",
    ],
}  # fmt: skip


@claim("decisions 7.12: status words", rows=[Row(name, (name, words)) for name, words in STATUSES.items()])
def status_words_are_these(service, name, words):
    schema = json.dumps(service.admin.get("/svc/api/schema/").json()["components"]["schemas"][name])
    equal([word for word in words if f'"{word}"' not in schema], [])


BRITISH = (
    r"\b(?:licence|behaviour|colour|favour|honour|catalogue|centre|cancelled|labelled|modelled)s?\b"
    r"|\b(?:organi|recogni|normali|summari|initiali)s(?:e|es|ed|ing|ation)\b"
)
TEXTS = ["schema", "help", "settings", "docs"]


@claim("decisions 7.11: American spelling", rows=[Row(name, (name,)) for name in TEXTS])
def texts_are_american_english(service, name):
    if name == "schema":
        schema = service.admin.get("/svc/api/schema/").json()
        texts = {"schema": " ".join(re.findall(r'"(?:description|summary)": "((?:[^"\\]|\\.)*)"', json.dumps(schema)))}
    elif name == "help":
        texts = {command: service.command("help", command).stdout for command in COMMANDS if command != "help"}
    elif name == "settings":
        texts = {each["name"]: each["meaning"] for each in service.admin.get("/svc/settings/").json()}
    else:
        # What is written as code, and addresses, are names.
        texts = {
            path.name: re.sub(r"`[^`]*`|\([^)\s]*\)|```.*?```", "", path.read_text(), flags=re.DOTALL)
            for path in (ROOT / "docs").glob("*.md")
        }  # fmt: skip
    found = {
        place: words for place, text in texts.items()
        if (words := sorted(set(re.findall(BRITISH, text, re.IGNORECASE))))
    }  # fmt: skip
    equal(found, {})
