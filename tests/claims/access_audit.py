"""The audit log: what is recorded, what is masked, filters, and the detection of changes."""

import json
import sqlite3

from harness import Row, Service, claim, equal, expect
from harness.service import ADMIN_PASSWORD


def entries(service, **params):
    return service.admin.get("/svc/audit/", params={"items": 100, **params}).expect(200).json()["results"]


CHANGES = [
    ("searchprovider", "/svc/searchproviders/", {"name": "P", "connector": "RequestsGet", "url": "http://127.0.0.1:9/"},
     {"description": "changed"}),
    ("user", "/svc/users/", {"username": "audited", "password": "Good-Pass-1"}, {"email": "a@example.org"}),
    ("group", "/svc/groups/", {"name": "audited"}, {"name": "renamed"}),
    ("querytransform", "/svc/querytransforms/", {"name": "T", "qrx_type": "rewrite", "config_content": "a,b\n"},
     {"config_content": "a,c\n"}),
    ("aiprovider", "/svc/aiproviders/", {"name": "M", "model": "openai/x", "api_key": "SECRETKEY123"}, {"active": False}),
    ("authenticator", "/svc/authenticators/", {"idp": "aud", "name": "A", "client_id": "c", "client_secret": "SECRETKEY123",
     "auth_uri": "https://a.example/a", "token_uri": "https://a.example/t"}, {"name": "B"}),
    ("prompt", "/svc/prompts/", {"name": "Pr", "prompt": "Say {query}", "tags": ["search-rag"]}, {"note": "n"}),
]  # fmt: skip


@claim("decisions: audit log; ai-cache 4.5", rows=[Row(kind, (kind, path, body, change)) for kind, path, body, change in CHANGES])
def each_change_is_an_entry(service, kind, path, body, change):
    made = service.admin.post(path, body).expect(201).json()
    record = f"{path}{made['id']}/"
    service.admin.patch(record, change).expect(200)
    service.admin.delete(record).expect(204)
    found = [each for each in entries(service, kind=kind) if each["record_id"] == made["id"]]
    expect(len(found) == 3, "created, changed, deleted", found)
    expect(len({each["action"] for each in found}) == 3, "three actions", [each["action"] for each in found])
    for each in found:
        equal(each["actor"], "admin")
        expect(each["client_address"].startswith("127.0.0.1") and each["request_id"] and each["time"], "by whom and when", each)
    changed = next(each for each in found if "update" in each["action"] or "chang" in each["action"])
    name, value = next(iter(change.items()))
    equal(changed["changes"][name]["to"], value)
    expect("SECRETKEY123" not in json.dumps(found) and "Good-Pass-1" not in json.dumps(found), "secrets are masked", found)


@claim("operations: searches are not recorded")
def a_search_is_no_entry(service):
    before = len(entries(service))
    service.admin.run_search("not recorded")
    equal(len(entries(service)), before)


@claim("operations: filters", rows=[Row(str(params), (params,)) for params in [
    {"kind": "group"}, {"actor": "admin"}, {"actor": "nobody"}, {"since": "2999-01-01T00:00:00Z"}, {"until": "2001-01-01T00:00:00Z"},
]])  # fmt: skip
def entries_are_filtered(service, params):
    service.admin.post("/svc/groups/", {"name": f"g{abs(hash(str(params)))}"}).expect(201)
    found = entries(service, **params)
    if "kind" in params:
        expect(found and {each["kind"] for each in found} == {"group"}, "of the kind", found)
    elif params.get("actor") == "admin":
        expect(found and {each["actor"] for each in found} == {"admin"}, "of the actor", found)
    else:
        equal(found, [])


@claim("operations: filters")
def a_wrong_filter_is_400(service):
    service.admin.get("/svc/audit/", params={"since": "yesterday"}).expect(400)


@claim("operations: an edit that changes nothing")
def an_edit_that_changes_nothing_is_no_entry(service):
    group = service.admin.post("/svc/groups/", {"name": "unchanged"}).expect(201).json()
    before = len(entries(service))
    service.admin.patch(f"/svc/groups/{group['id']}/", {"name": "unchanged"}).expect(200)
    equal(len(entries(service)), before)


@claim("operations: the command line is an actor")
def a_command_is_an_actor(service):
    equal(service.command("user", "add", "bycommand").returncode, 0)
    found = [each for each in entries(service, kind="user") if each["record_name"] == "bycommand"]
    equal([each["actor"] for each in found], ["command line"])


@claim("operations: a failed edit is no entry")
def a_refused_edit_is_no_entry(service):
    before = len(entries(service))
    service.admin.post("/svc/groups/", {"name": ""}).expect(400)
    equal(len(entries(service)), before)


@claim("operations: audit verify")
def an_intact_log_is_verified(service):
    found = service.admin.get("/svc/audit/verify/").expect(200).json()
    equal((found["ok"], found.get("broken_at")), (True, None))
    equal(found["entries"], service.admin.get("/svc/audit/", params={"items": 1}).json()["count"])
    equal(service.command("audit", "verify").returncode, 0)


TAMPERING = [
    ("changed", "UPDATE {t} SET {c} = replace({c}, 'admin', 'other') WHERE id = 3"), ("removed", "DELETE FROM {t} WHERE id = 2"),
    ("last removed", "DELETE FROM {t} WHERE id = (SELECT max(id) FROM {t})"), ("all removed", "DELETE FROM {t}"),
]  # fmt: skip


@claim("operations: audit log, detection", rows=[Row(name, (sql,)) for name, sql in TAMPERING])
def a_changed_log_is_detected(service, sql):
    with Service(service.program) as other:
        for number in range(4):
            other.admin.post("/svc/groups/", {"name": f"g{number}"}).expect(201)
        other.stop()
        file = next(path for path in other.data.iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3"))
        database = sqlite3.connect(file)
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%audit%'")]
        table = max(tables, key=lambda name: len(database.execute(f"PRAGMA table_info({name})").fetchall()))
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = next(each for each in columns if "actor" in each and not each.endswith("id")) if "{c}" in sql else ""
        changed = database.execute(sql.format(t=table, c=column)).rowcount
        database.commit()
        database.close()
        expect(changed, "the log was changed", table, columns)
        answer = other.command("audit", "verify")
        equal(answer.returncode, 4, answer.stdout + answer.stderr)
        other.start()
        found = other.client("admin", ADMIN_PASSWORD).get("/svc/audit/verify/").expect(200).json()
        equal(found["ok"], False)


@claim("operations: audit list")
def the_log_is_read_by_command(service):
    service.admin.post("/svc/groups/", {"name": "listed-group"}).expect(201)
    answer = service.command("audit", "list", "--kind", "group")
    expect(answer.returncode == 0 and "listed-group" in answer.stdout, "listed", answer.stdout, answer.stderr)
