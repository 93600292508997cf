"""The command line: starting and stopping, exit codes, users, tokens, loading records, searching, settings."""

import json
import os
import re
import subprocess
import zipfile

from harness import Client, Row, Service, Source, claim, equal, eventually, expect

shared = {}


def prepare(service):
    service.user("ann")


def run(service, status, *arguments, **options):
    answer = service.command(*arguments, **options)
    expect(answer.returncode == status, f"exit code {status}: {' '.join(map(str, arguments))}", answer.returncode, answer.stdout,
           answer.stderr)  # fmt: skip
    expect("panicked" not in answer.stderr, "no panic", answer.stderr)
    return answer


COMMANDS = ["serve", "start", "stop", "restart", "status", "watch", "logs", "setup", "migrate", "user", "token", "load", "reload-prompts",
            "load-authenticators", "load-branding", "license", "doctor", "upgrade_corpus_to_hybrid", "reset_semantic_cache",
            "dedup_signal_url_hash", "drop_entity_collection", "canonical_diag", "cleanup_stale_canonical_runs", "init_qdrant",
            "init_storage", "reindex_corpus", "backup", "restore", "sync-providers", "search", "demo", "mcp", "settings", "audit",
            "support-bundle", "tasks", "rekey", "health", "providers", "completions"]  # fmt: skip


@claim("ai-cache 3.4; interface: management commands", rows=[Row(name, (name,)) for name in COMMANDS])
def a_command_explains_itself(service, name):
    found = run(service, 0, name, "--help").stdout
    expect("Usage:" in found and len(found) > 100, "help", found)


@claim("operations: exit code 2", rows=[Row(" ".join(arguments), (arguments,)) for arguments in [
    ["nothing"], ["serve", "--rolls", "web"], ["serve", "--roles", "kitchen"], ["user", "add"], ["backup"], ["token", "revoke", "word"],
    ["logs", "--lines", "many"], ["cleanup_stale_canonical_runs", "--days", "-1"],
]])  # fmt: skip
def a_usage_error_is_2(service, arguments):
    answer = run(service, 2, *arguments)
    expect(answer.stderr.strip(), "says what is wrong")


@claim("operations: exit code 1", rows=[Row(" ".join(arguments), (arguments,)) for arguments in [
    ["user", "password", "nobody"], ["user", "delete", "nobody"], ["token", "add", "nobody"], ["token", "revoke", "999999"],
    ["load", "/no/such/file.json"], ["load-providers", "/no/such/file.json"], ["backup", "--verify", "/no/such/file"],
    ["restore", "/no/such/file"], ["providers", "add", "no-such-source"], ["search", ""],
]])  # fmt: skip
def a_failure_is_1_with_one_sentence(service, arguments):
    answer = run(service, 1, *arguments, stdin="")
    expect(0 < len(answer.stderr.strip().splitlines()) <= 4, "a short reason", answer.stderr)


@claim("operations: health")
def the_health_command_asks_the_running_service(service):
    for options in [[], ["--ready"]]:
        run(service, 0, "health", *options)
    from harness import free_port

    run(service, 1, "health", "--port", free_port())


@claim("operations: doctor")
def the_doctor_reports_each_part(service):
    found = run(service, 0, "doctor", "--offline").stdout
    for part in ["settings", "data", "database", "queue", "audit", "license", "cache"]:
        expect(part in found.lower(), part, found)
    for line in found.splitlines():
        if line and not line.startswith(" "):
            expect(re.match(r"(ok|warn|fail)\b", line) or line[0].isalnum(), "ok, warn or fail", line)
    expect("fail" not in [line.split()[0] for line in found.splitlines() if line.split()], "no failure", found)


@claim("operations: settings")
def settings_are_shown_without_secrets(service):
    found = run(service, 0, "settings").stdout
    expect("SVC_PORT" in found and str(service.port) in found and "SVC_TIMEOUT" in found, "values", found[:800])
    expect("claims-Admin-1" not in found, "secrets are masked")
    listed = {each["name"]: each for each in service.admin.get("/svc/settings/").expect(200).json()}
    equal((listed["SVC_TIMEOUT"]["value"], listed["SVC_TIMEOUT"]["default"]), ("10", "10"))
    expect("claims-Admin-1" not in json.dumps(listed), "secrets are masked in the API")


@claim("quirks: an unknown setting is reported")
def an_unknown_setting_is_reported(service):
    with Service(service.program, {"SVC_TIMEOUTT": "5"}) as other:
        expect("SVC_TIMEOUTT" in other.console_text() + other.command("doctor", "--offline").stdout, "named")


WRONG_SETTINGS = [
    ("SVC_PORT", "99999"), ("SVC_PORT", "http"), ("SVC_TIMEOUT", "-1"), ("SVC_TIMEOUT", "soon"), ("SVC_EXPLAIN", "perhaps"),
    ("SVC_DEDUPE_SIMILARITY_MINIMUM", "1.5"), ("SVC_CORPUS_MIN_SCORE", "2"), ("SVC_VERSION_SIMILARITY_THRESHOLD", "x"),
    ("SVC_QDRANT_MODE", "cloud"), ("SVC_STORAGE_BACKEND", "tape"), ("SVC_DEFAULT_RETENTION", "7"), ("SVC_LOG_FORMAT", "xml"),
    ("SVC_TRUSTED_PROXIES", "everybody"), ("SVC_OUTBOUND_ALLOW", "10.0.0.0/99"), ("SVC_RAG_DISTRIBUTION_STRATEGY", "random"),
    ("SVC_CANONICAL_QUERY_RELEVANCE_MIN", "-0.1"), ("SVC_PUBLIC_URL", "no address"), ("SVC_BACKUP_KEEP", "0"),
]  # fmt: skip


@claim("settings: kinds", rows=[Row(f"{name}={value}", (name, value)) for name, value in WRONG_SETTINGS])
def a_wrong_setting_stops_the_start_and_is_named(service, name, value):
    environment = {**service.environment, "SVC_DATA_DIR": str(service.folder / "wrong"), name: value}
    answer = subprocess.run([service.program, "serve"], env=environment, cwd=service.folder, capture_output=True, text=True, timeout=20)
    expect(answer.returncode != 0 and name in answer.stderr + answer.stdout, "named", answer.returncode, answer.stderr)


@claim("ai-cache 3.4: start, stop, restart, status")
def services_run_in_the_background(service):
    with Service(service.program) as other:
        other.stop()
        run(other, 3, "status")
        run(other, 0, "start", timeout=90)
        state = json.loads((other.data / "services.json").read_text())
        equal((other.data / "services.json").stat().st_mode & 0o777, 0o600)
        expect("all" in json.dumps(state), "a map of services", state)
        try:
            run(other, 0, "status")
            other.admin.get("/svc/users/me/").expect(200)
            expect(run(other, 1, "start").stderr.strip(), "it is already running")
            run(other, 0, "restart", timeout=120)
            other.admin.get("/svc/users/me/").expect(200)
        finally:
            run(other, 0, "stop", timeout=90)
        run(other, 3, "status")
        other.start()


@claim("ai-cache 3.4: services by role")
def services_are_started_by_role(service):
    with Service(service.program) as other:
        other.stop()
        run(other, 0, "start", "web", "search", timeout=90)
        try:
            found = run(other, 0, "status").stdout
            expect("web" in found and "search" in found, "both", found)
            run(other, 0, "stop", "search", timeout=90)
            run(other, 1, "status", "web", "search")
        finally:
            run(other, 0, "stop", timeout=90)
        other.start()


@claim("decisions 2: serve --roles")
def a_worker_of_its_own_runs_searches(service):
    with Service(service.program) as other, Source() as source:
        url = source.route("/list", lambda _: {"items": [{"title": "A", "url": "http://a.example/"}]})
        provider = other.admin.create_provider(name="P", url=url)
        other.stop()
        started = []
        for roles in ["web", "search,health_check"]:
            console = (other.folder / "console.log").open("ab")
            started.append(subprocess.Popen([other.program, "serve", "--roles", roles], cwd=other.folder, env=other.environment,
                                            stdin=subprocess.DEVNULL, stdout=console, stderr=console))  # fmt: skip
        other.process, other.console = started[0], console
        try:
            eventually(other.is_ready, 30)
            found = other.admin.run_search("x", searchprovider_list=[provider["id"]])
            equal(found["status"], "FULL_RESULTS_READY")
            equal(other.admin.get("/svc/health/tasks/").expect(200).json()["status"], "ok")
        finally:
            started[1].terminate()
            started[1].wait(40)


@claim("decisions 2: setup")
def setup_creates_the_database_and_the_administrator_once(service):
    environment = {**service.environment, "SVC_DATA_DIR": str(service.folder / "fresh"), "SVC_ADMIN_PASSWORD": ""}

    def setup():
        return subprocess.run([service.program, "setup", "--default-retention", "3"], env=environment, cwd=service.folder,
                              capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)  # fmt: skip

    first = setup()
    equal(first.returncode, 0, first.stderr)
    password = (service.folder / "fresh" / "initial-admin-password").read_text().strip()
    expect(password in first.stdout + first.stderr, "the password is printed", first.stdout)
    second = setup()
    equal(second.returncode, 0, second.stderr)
    expect(password not in second.stdout + second.stderr, "only once", second.stdout)
    (service.folder / "tributary.toml").unlink(missing_ok=True)


@claim("ai-cache 3.4: migrate")
def migrating_again_changes_nothing(service):
    run(service, 0, "migrate")


@claim("ai-cache 3.4: token create, list, revoke")
def tokens_are_managed_by_command(service):
    token = run(service, 0, "token", "add", "ann", "--label", "cli", "--days", "2").stdout.split()[-1]
    client = Client(service.port, f"Token {token}")
    client.get("/svc/users/me/").expect(200)
    listed = run(service, 0, "token", "list").stdout
    line = next(line for line in listed.splitlines() if "cli" in line)
    run(service, 0, "token", "revoke", re.search(r"\d+", line).group())
    client.get("/svc/users/me/").expect(401)


@claim("ai-cache 3.4: changepassword")
def a_password_is_set_by_command(service):
    service.user("pat")
    run(service, 0, "user", "password", "pat", "--password-stdin", stdin="from-Stdin-1\n")
    service.client("pat", "from-Stdin-1").get("/svc/users/me/").expect(200)
    service.client("pat", "pat-Pass-1").get("/svc/users/me/").expect(401)
    run(service, 1, "user", "password", "pat", "--password-stdin", stdin="short\n")


@claim("ai-cache 3.4: user add")
def a_user_is_added_by_command(service):
    run(service, 0, "user", "add", "quinn", "--email", "q@example.org", "--group", "newgroup", "--password-stdin", stdin="Quinn-Pass-1\n")
    me = service.client("quinn", "Quinn-Pass-1").get("/svc/users/me/").expect(200).json()
    equal((me["email"], me["groups"], me["is_admin"]), ("q@example.org", ["newgroup"], False))
    run(service, 1, "user", "add", "quinn", "--password-stdin", stdin="Quinn-Pass-1\n")


RECORDS = [
    ("SearchProvider", {"name": "Loaded P", "connector": "RequestsGet", "url": "http://127.0.0.1:9/"}, "/svc/searchproviders/"),
    ("AIProvider", {"name": "Loaded M", "model": "openai/x", "tags": ["rag"], "defaults": []}, "/svc/aiproviders/"),
    ("prompt", {"name": "loaded_pr", "prompt": "Say {query}", "tags": ["search-rag"]}, "/svc/prompts/"),
    ("query transform", {"name": "Loaded T", "qrx_type": "rewrite", "config_content": "a,b\n"}, "/svc/querytransforms/"),
    ("authenticator", {"idp": "loaded", "name": "Loaded A", "client_id": "c", "auth_uri": "https://a.example/a",
                       "token_uri": "https://a.example/t"}, "/svc/authenticators/"),
]  # fmt: skip


@claim("ai-cache 3.4: load", rows=[Row(kind, (record, path)) for kind, record, path in RECORDS])
def a_record_of_each_kind_is_loaded(service, record, path):
    file = service.folder / "record.json"
    file.write_text(json.dumps(record))
    run(service, 0, "load", file)
    names = [each.get("name") for each in service.admin.get(path, params={"items": 100}).json()["results"]]
    expect(record["name"] in names, "loaded", names)


@claim("ai-cache 3.4: load reports counts")
def loading_names_rejected_records_and_loads_the_others(service):
    file = service.folder / "mixed.json"
    file.write_text(json.dumps([
        {"name": "Good one", "connector": "RequestsGet", "url": "http://127.0.0.1:9/"}, {"name": "Bad one", "connector": "NoSuchConnector"},
    ]))  # fmt: skip
    answer = run(service, 1, "load", file)
    expect(f"{file}, record 2, SearchProvider: connector:" in answer.stderr, "the rejected record is named", answer.stderr)
    expect("1 rejected" in answer.stdout and "1 added" in answer.stdout, "counts", answer.stdout)
    names = [each["name"] for each in service.admin.get("/svc/searchproviders/", params={"items": 100}).json()["results"]]
    equal(("Good one" in names, "Bad one" in names), (True, False))


@claim("decisions 2: command-line search")
def a_search_from_the_command_line_is_json(service):
    with Source() as source:
        url = source.route("/list", lambda _: {"items": [{"title": "Command result", "url": "http://a.example/"}]})
        service.admin.create_provider(name="Command", url=url, default=False)
        found = json.loads(run(service, 0, "search", "result", "--providers", "Command", "--json").stdout)
        equal([each["title"] for each in found["results"]], ["Command <em>result</em>"], "as in the mixed list of the API")
        expect("Command" in run(service, 0, "search", "result", "--providers", "Command").stdout, "for people")
        off = source.route("/off", lambda _: {"items": 1 / 0})
        expect(off, "a route")


@claim("operations: support bundle")
def a_support_bundle_has_no_secrets_and_no_queries(service):
    service.admin.run_search("bundlequery words")
    file = service.folder / "bundle.zip"
    run(service, 0, "support-bundle", "--output", file)
    equal(file.stat().st_mode & 0o777, 0o600)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        for name in ["versions.json", "settings.json", "database.json", "services.json", "doctor.txt", "tasks.json", "metrics.txt",
                     "contents.json"]:  # fmt: skip
            expect(any(each.endswith(name) for each in names), name, names)
        text = b"".join(archive.read(name) for name in names)
    for secret in [b"claims-Admin-1", b"bundlequery", (service.data / "secret.key").read_bytes().strip()]:
        expect(secret not in text, f"without {secret[:20]!r}")


@claim("ai-cache 3.4: completions", rows=[Row(shell, (shell,)) for shell in ["bash", "zsh", "fish", "powershell", "elvish"]])
def completions_are_printed(service, shell):
    expect("tributary" in run(service, 0, "completions", shell).stdout, "a script")


@claim("operations: files are for their owner")
def files_of_the_data_folder_are_private(service):
    equal((service.data / "secret.key").stat().st_mode & 0o777, 0o600)
    for path in service.data.iterdir():
        equal(os.stat(path).st_mode & 0o007, 0, f"{path.name} is not for others")


@claim("operations: two services on one folder")
def a_second_service_on_the_same_port_stops_with_a_reason(service):
    answer = subprocess.run([service.program, "serve"], cwd=service.folder, env=service.environment, capture_output=True, text=True,
                            timeout=60, stdin=subprocess.DEVNULL)  # fmt: skip
    expect(answer.returncode == 1 and str(service.port) in answer.stderr + answer.stdout, "the port is named", answer.stderr)
    service.admin.get("/svc/users/me/").expect(200)
