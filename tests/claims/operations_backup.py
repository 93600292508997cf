"""Backup, verification, restore and rotation of the key."""

import contextlib

from harness import Row, Service, Source, claim, equal, expect
from harness.documents import CACHE_NAME, document, supply, text_of
from harness.license import licensed

SETTINGS = licensed(SVC_CORPUS_MIN_SCORE="0")
shared = {}
cleanup = contextlib.ExitStack()


def prepare(service):
    source = shared["source"] = cleanup.enter_context(Source())
    url = source.route("/list", lambda request: {"items": [{"title": request.headers.get("authorization", ""), "url": "https://a.example/"}]})
    ann = service.user("ann")
    service.admin.create_provider(name="Sealed", url=url, default=False, credentials="bearer=BACKUPSECRET")
    shared["search"] = ann.run_search("kept words", searchprovider_list=["Sealed"])
    shared["signal"] = supply(ann, "https://backup.example/", text_of(1, 200), "Kept copy")["signal_id"]
    shared["token"] = ann.post("/svc/tokens/", {}).json()["token"]
    for index in range(12):
        service.admin.post("/svc/groups/", {"name": f"group{index}"}).expect(201)
    shared["plain"], shared["keyed"] = service.folder / "plain.backup", service.folder / "keyed.backup"
    for name, options in [("plain", []), ("keyed", ["--with-key"])]:
        answer = service.command("backup", *options, shared[name])
        expect(answer.returncode == 0, "backup", answer.stdout, answer.stderr)


def finish():
    cleanup.close()


@contextlib.contextmanager
def restored(service, file, *options, **changes):
    """A service that runs on a restored backup."""
    other = Service(service.program, licensed(SVC_CORPUS_MIN_SCORE="0", **changes))
    with other:
        other.stop()
        import shutil

        shutil.rmtree(other.data)
        answer = other.command("restore", file, *options)
        expect(answer.returncode == 0, "restore", answer.stdout, answer.stderr)
        other.start()
        yield other


@claim("operations: a backup is one file for its owner")
def a_backup_is_readable_by_its_owner_only(_):
    for name in ["plain", "keyed"]:
        equal(shared[name].stat().st_mode & 0o777, 0o600)
        data = shared[name].read_bytes()
        expect(data.startswith(b"TRIBUTARY BACKUP 1\n") and data.endswith(b"TRIBUTARY END\n"), "the form", data[:30])


@claim("operations: backup --verify")
def a_backup_is_verified(service):
    equal(service.command("backup", "--verify", shared["plain"]).returncode, 0)


@claim("operations: an existing file")
def a_backup_does_not_overwrite_a_file(service):
    before = shared["plain"].read_bytes()
    equal(service.command("backup", shared["plain"]).returncode, 1)
    equal(shared["plain"].read_bytes(), before)


DAMAGES = [
    ("a changed byte in the middle", lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]),
    ("the first byte", lambda data: b"X" + data[1:]), ("the last byte", lambda data: data[:-1]),
    ("cut in half", lambda data: data[: len(data) // 2]), ("empty", lambda _: b""), ("another file", lambda _: b"hello" * 100),
    ("something appended", lambda data: data + b"x"),
]  # fmt: skip


@claim("operations: integrity", rows=[Row(name, (change,)) for name, change in DAMAGES])
def a_damaged_backup_is_refused(service, change):
    file = service.folder / "damaged.backup"
    file.write_bytes(change(shared["keyed"].read_bytes()))
    equal(service.command("backup", "--verify", file).returncode, 1)
    answer = service.command("--data-dir", service.folder / "empty", "restore", file)
    equal(answer.returncode, 1)
    expect("panicked" not in answer.stderr and len(answer.stderr.strip()) > 5, "one sentence", answer.stderr)
    expect(not (service.folder / "empty" / "tributary.db").exists(), "nothing is created")


@claim("operations: restore")
def everything_comes_back(service):
    with restored(service, shared["keyed"]) as other:
        ann = other.client("ann", "ann-Pass-1")
        equal(ann.get(f"/svc/search/{shared['search']['id']}/").expect(200).json()["query_string"], "kept words")
        equal(len(ann.results(shared["search"]["id"])["results"]), 1)
        equal(document(ann, shared["signal"])["title"], "Kept copy")
        search = ann.run_search(text_of(1, 12), searchprovider_list=[CACHE_NAME])
        equal([each["cache"]["signal_id"] for each in ann.results(search["id"])["results"]], [shared["signal"]])
        from harness import Client

        Client(other.port, f"Token {shared['token']}").get("/svc/users/me/").expect(200)
        search = ann.run_search("x", searchprovider_list=["Sealed"])
        equal(ann.results(search["id"])["results"][0]["title"], "Bearer ••••", "the secret works and is masked")
        equal(other.admin.get("/svc/audit/verify/").expect(200).json()["ok"], True)


@claim("operations: encryption key")
def credentials_in_a_backup_are_sealed(service):
    import zlib

    for name in ["plain", "keyed"]:
        data, text, start = shared[name].read_bytes(), b"", 0
        while (start := data.find(b"\x1f\x8b\x08", start)) >= 0:
            with contextlib.suppress(zlib.error):
                text += zlib.decompressobj(31).decompress(data[start:])
            start += 3
        expect(b"kept words" in text, "the records are there")
        expect(b"BACKUPSECRET" not in text and b"ann-Pass-1" not in text, "without secrets")


@claim("operations: without the key")
def restore_needs_the_key_unless_it_is_forced(service):
    other = service.folder / "nokey"
    answer = service.command("--data-dir", other, "restore", shared["plain"])
    equal(answer.returncode, 1, answer.stdout)
    expect("key" in answer.stderr.lower(), "says what is missing", answer.stderr)


@claim("operations: restoring without the key")
def a_forced_restore_without_the_key_can_be_repaired(service):
    with restored(service, shared["plain"], "--force") as other:
        listed = other.admin.get("/svc/searchproviders/").expect(200).json()
        sealed = next(each for each in listed if each["name"] == "Sealed")
        equal(sealed["unreadable_fields"], ["credentials"])
        search = other.admin.run_search("x", searchprovider_list=["Sealed"])
        equal(other.admin.results(search["id"])["info"]["Sealed"]["error"]["code"], "secrets_unreadable")
        other.admin.patch(f"/svc/searchproviders/{sealed['id']}/", {"credentials": "bearer=NEWSECRET"}).expect(200)
        search = other.admin.run_search("x", searchprovider_list=["Sealed"])
        equal(other.admin.results(search["id"])["info"]["Sealed"]["status"], "ok")


@claim("operations: existing data", rows=[Row("running", (True,)), Row("stopped", (False,))])
def restore_refuses_to_replace_data(service, is_running):
    with Service(service.program) as other:
        if not is_running:
            other.stop()
        answer = other.command("restore", shared["keyed"], *(["--force"] if is_running else []))
        equal(answer.returncode, 1, answer.stdout + answer.stderr)
        if not is_running:
            other.start()
        other.admin.get("/svc/users/me/").expect(200)


@claim("operations: passphrase", rows=[Row(name, (text, status)) for name, text, status in [
    ("right", "twelve chars and more", 0), ("wrong", "another passphrase!", 1), ("none", None, 1), ("in another case", "Twelve chars and more", 1),
]])  # fmt: skip
def an_encrypted_backup_needs_its_passphrase(service, text, status):
    file = service.folder / "encrypted.backup"
    if not file.exists():
        made = service.command("backup", "--passphrase-stdin", file, stdin="twelve chars and more")
        equal(made.returncode, 0, made.stderr)
        expect(not file.read_bytes().startswith(b"TRIBUTARY BACKUP 1\n") or b"tables" not in file.read_bytes(), "encrypted")
    options = ["--passphrase-stdin"] if text else []
    equal(service.command("backup", "--verify", *options, file, stdin=text or "").returncode, status)


@claim("operations: passphrase of at least 12 characters")
def a_short_passphrase_is_refused(service):
    answer = service.command("backup", "--passphrase-stdin", service.folder / "short.backup", stdin="eleven char")
    equal((answer.returncode != 0, (service.folder / "short.backup").exists()), (True, False))


@claim("operations: rekey")
def the_key_is_replaced_while_the_service_runs(service):
    with restored(service, shared["keyed"]) as other:
        before = (other.data / "secret.key").read_text()
        answer = other.command("rekey")
        equal(answer.returncode, 0, answer.stderr)
        expect((other.data / "secret.key").read_text() != before, "a new key")
        for name in ["secret.key", "secret.key.before-rekey"]:
            equal((other.data / name).stat().st_mode & 0o777, 0o600)
        search = other.admin.run_search("x", searchprovider_list=["Sealed"])
        equal(other.admin.results(search["id"])["info"]["Sealed"]["status"], "ok", "credentials work")
        equal(other.admin.get("/svc/audit/verify/").json()["ok"], True)
        other.stop()
        other.start()
        search = other.admin.run_search("x", searchprovider_list=["Sealed"])
        equal(other.admin.results(search["id"])["info"]["Sealed"]["status"], "ok", "after a restart")


@claim("settings: SVC_BACKUP_DIR")
def scheduled_backups_are_written_and_pruned(service):
    import time

    with Service(service.program, {"SVC_BACKUP_DIR": "data/backups", "SVC_BACKUP_EVERY": "1", "SVC_BACKUP_KEEP": "2"}) as other:
        from harness import eventually

        folder = other.data / "backups"
        first = eventually(lambda: folder.exists() and sorted(folder.glob("tributary-*.backup")), 30, "none is written")[0]
        eventually(lambda: not first.exists(), 30, "the oldest is not removed")
        time.sleep(0.1)
        expect(len(list(folder.glob("*.backup"))) <= 3, "only the newest are kept", [str(each) for each in folder.iterdir()])
        text = other.admin.get("/metrics/").text
        expect("tributary_backup_last_success_timestamp_seconds" in text, "in the metrics")


@claim("operations: audit entries of backups")
def backups_are_in_the_audit_log(service):
    found = service.admin.get("/svc/audit/", params={"items": 100}).json()["results"]
    expect(any((each["action"], each["kind"]) == ("backed up", "database") for each in found), "an entry", found[:2])
