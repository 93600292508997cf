"""Credentials, users, groups and tokens: who may do what, and what never leaves the service."""

import base64
import re
import time

from harness import Client, Service, claim, equal, expect
from harness.sample import SampleSource, error, items, rows
from harness.service import ADMIN_PASSWORD

source = SampleSource()
count = iter(range(100_000))


def prepare(service):
    source.__enter__()
    source.provider(service, "Shared", items(1))


def finish():
    source.__exit__()


PATHS = [
    "/svc/search/", "/svc/results/", "/svc/searchproviders/", "/svc/aiproviders/", "/svc/querytransforms/",
    "/svc/pipelines/",
    "/svc/connectors/", "/svc/processors/", "/svc/mixers/", "/svc/users/", "/svc/users/me/", "/svc/groups/",
    "/svc/tokens/",
    "/svc/health/tasks/", "/svc/metrics/tasks/", "/svc/canonical/", "/svc/egress/events/", "/svc/api/schema/",
    "/api/svc/search/", "/svc/search/?qs=copper", "/svc/search/?q=copper",
]  # fmt: skip


@claim("interface: Authentication 1; decisions 3.1, 3.12", rows=rows(*[(path, path) for path in PATHS]))
def nobody_is_asked_for_credentials(service, path):
    answer = service.nobody.get(path)
    error(answer, 401)
    equal(answer.headers["www-authenticate"], 'Basic realm="api"')


@claim("interface: Authentication 1", rows=rows(*[
    (f"{method} {path}", method, path) for method, path in [
        ("POST", "/svc/search/"), ("POST", "/svc/searchproviders/"), ("POST", "/svc/rag-search/"),
        ("POST", "/svc/ingest/"),
        ("PATCH", "/svc/aiproviders/1/"), ("DELETE", "/svc/search/1/"), ("PUT", "/svc/results/1/"),
    ]
]))  # fmt: skip
def nobody_changes_anything(service, method, path):
    error(service.nobody.call(method, path, {}), 401)


BAD = [
    ("wrong password", "Basic " + base64.b64encode(b"admin:wrong").decode()),
    ("unknown user", "Basic " + base64.b64encode(b"nobody:x").decode()),
    ("no base64", "Basic !!!"), ("no colon", "Basic " + base64.b64encode(b"admin").decode()), ("empty", "Basic "),
    ("unknown token", "Token trb_unknown"), ("empty token", "Token "), ("unknown scheme", "Magic abc"),
    ("bearer", "Bearer abc"),
    ("password in another case", "Basic " + base64.b64encode(b"admin:CLAIMS-ADMIN-1").decode()),
]  # fmt: skip


@claim("decisions 3.1", rows=rows(*BAD))
def wrong_credentials_are_refused(service, authorization):
    answer = Client(service.port, authorization).get("/svc/search/")
    error(answer, 401)
    expect("www-authenticate" in answer.headers, "no challenge", answer.headers)


@claim("interface: Authentication 1, two schemes", rows=rows(*[
    (f"{scheme} {path}", scheme, path) for scheme in ["Basic", "Token"]
    for path in ["/svc/search/", "/svc/searchproviders/", "/svc/results/", "/svc/aiproviders/", "/api/svc/search/"]
]))  # fmt: skip
def both_schemes_are_accepted(service, scheme, path):
    client = service.admin
    if scheme == "Token":
        token = client.post("/svc/tokens/", {"label": f"for {path}"}).expect(201).json()["token"]
        client = Client(service.port, f"Token {token}")
    client.get(path).expect(200)


def token_client(service, owner, **fields):
    created = owner.post("/svc/tokens/", fields).expect(201).json()
    return created, Client(service.port, f"Token {created['token']}")


@claim("interface: Authentication 1, tokens can be revoked")
def a_revoked_token_is_refused_and_the_password_stays(service):
    user = service.user("revoker")
    created, client = token_client(service, user)
    client.get("/svc/users/me/").expect(200)
    user.delete(f"/svc/tokens/{created['id']}/").expect(204)
    error(client.get("/svc/users/me/"), 401)
    user.get("/svc/users/me/").expect(200)


@claim("decisions 3.16")
def a_token_is_shown_once(service):
    created, _ = token_client(service, service.user("once"), label="mine")
    equal(created["label"], "mine")
    user = service.client("once", "once-Pass-1")
    for shown in [*user.get("/svc/tokens/").json(), user.get(f"/svc/tokens/{created['id']}/").json()]:
        expect(created["token"] not in str(shown) and "token" not in shown, "the token is shown", shown)


@claim("decisions 3.16")
def a_token_ends_when_it_expires(service):
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    _, client = token_client(service, service.user("expirer"), expires=soon)
    client.get("/svc/users/me/").expect(200)
    end = time.monotonic() + 6
    while client.get("/svc/users/me/").status != 401:
        expect(time.monotonic() < end, "the token is still accepted")
        time.sleep(0.2)


@claim("decisions 3.16", rows=rows(("past", "2001-01-01T00:00:00Z"), ("no date", "soon"), ("number", 5)))
def an_invalid_expiry_is_refused(service, expires):
    error(service.admin.post("/svc/tokens/", {"expires": expires}), 400, field="expires")


@claim("decisions 3.16, list and delete of one's own, admins all")
def tokens_are_ones_own_except_for_administrators(service):
    owner, other = service.user("tokenowner"), service.user("tokenother")
    created, _ = token_client(service, owner)
    path = f"/svc/tokens/{created['id']}/"
    expect(created["id"] not in [each["id"] for each in other.get("/svc/tokens/").json()], "another user sees it")
    error(other.get(path), 404)
    error(other.delete(path), 404)
    expect(created["id"] in [each["id"] for each in service.admin.get("/svc/tokens/").json()], "admin does not see it")
    service.admin.delete(path).expect(204)


@claim("decisions 3.16")
def a_user_sees_themselves(service):
    me = service.user("selfish", ["selfgroup"]).get("/svc/users/me/").expect(200).json()
    equal((me["username"], me["groups"], me["is_admin"]), ("selfish", ["selfgroup"], False))


@claim("decisions 3.16, the password is write-only")
def a_password_is_never_shown(service):
    body = {"username": "shown", "password": "Shown-Pass-1", "email": "shown@example.com"}
    created = service.admin.post("/svc/users/", body).expect(201).json()
    for shown in [created, service.admin.get(f"/svc/users/{created['id']}/").json()]:
        expect("password" not in shown and "Shown-Pass-1" not in str(shown), "the password is shown", shown)
        equal(shown["email"], "shown@example.com")


@claim("decisions 3.16, admin only", rows=rows(*[
    (f"{method} {path}", method, path) for method, path in [
        ("GET", "/svc/users/"), ("POST", "/svc/users/"), ("GET", "/svc/groups/"), ("POST", "/svc/groups/"),
        ("GET", "/svc/users/1/"), ("PATCH", "/svc/users/1/"), ("DELETE", "/svc/users/1/"),
    ]
]))  # fmt: skip
def people_are_for_administrators(service, method, path):
    user = service.user(f"plain{next(count)}")
    error(user.call(method, path, {"username": "x", "name": "x"}), 403)


REFUSED = [
    ("no name", {"password": "Long-Pass-1"}, "username"),
    ("empty name", {"username": "", "password": "Long-Pass-1"}, "username"),
    ("blank in a name", {"username": "a b", "password": "Long-Pass-1"}, "username"),
    ("no password", {"username": "refused1"}, "password"),
    ("short", {"username": "refused2", "password": "short"}, "password"),
    ("as the name", {"username": "refused33", "password": "refused33"}, "password"),
    ("common", {"username": "refused4", "password": "password"}, "password"),
    ("groups as text", {"username": "refused5", "password": "Long-Pass-1", "groups": "staff"}, "groups"),
    ("unknown group", {"username": "refused6", "password": "Long-Pass-1", "groups": ["nosuch"]}, "groups"),
    ("is_admin as text", {"username": "refused7", "password": "Long-Pass-1", "is_admin": "perhaps"}, "is_admin"),
]  # fmt: skip


@claim("decisions 3.16, 3.1", rows=rows(*REFUSED))
def an_invalid_user_is_refused(service, body, field):
    error(service.admin.post("/svc/users/", body), 400, field=field)


@claim("decisions 3.1, conflict", rows=rows(
    ("user", "/svc/users/", {"username": "twice", "password": "Long-Pass-1"}),
    ("group", "/svc/groups/", {"name": "twice"}),
))  # fmt: skip
def a_name_exists_once(service, path, body):
    service.admin.post(path, body).expect(201)
    error(service.admin.post(path, body), 409)


@claim("decisions 3.20, dropped when the password changes")
def a_changed_password_ends_the_old_one_at_once(service):
    user = service.user("changer")
    me = user.get("/svc/users/me/").expect(200).json()
    service.admin.patch(f"/svc/users/{me['id']}/", {"password": "Other-Pass-2"}).expect(200)
    error(user.get("/svc/users/me/"), 401)
    service.client("changer", "Other-Pass-2").get("/svc/users/me/").expect(200)


@claim("decisions 3.20")
def a_deleted_user_is_refused_at_once(service):
    user = service.user("leaver")
    _, client = token_client(service, user)
    me = user.get("/svc/users/me/").expect(200).json()
    service.admin.delete(f"/svc/users/{me['id']}/").expect(204)
    error(user.get("/svc/users/me/"), 401)
    error(client.get("/svc/users/me/"), 401)


def seconds(call, times=5):
    spent = []
    for _ in range(times):
        started = time.monotonic()
        call()
        spent.append(time.monotonic() - started)
    return sorted(spent)[times // 2]


@claim("decisions 3.20, a verified pair is remembered")
def basic_credentials_are_cheap_after_the_first_call(service):
    user = service.user("cheap")
    user.get("/svc/users/me/").expect(200)
    again = seconds(lambda: user.get("/svc/users/me/").expect(200))
    wrong = seconds(lambda: service.client("cheap", "Wrong-Pass-1").get("/svc/users/me/").expect(401), 3)
    expect(again < 0.05 and again < wrong / 2, "the password hash is paid again", [again, wrong])


@claim("decisions 3.20, unknown user and wrong password cost the same")
def an_unknown_user_takes_as_long_as_a_wrong_password(service):
    service.user("timed")
    known = seconds(lambda: service.client("timed", f"Wrong-{time.monotonic_ns()}").get("/svc/users/me/"), 7)
    unknown = seconds(lambda: service.client(f"ghost{time.monotonic_ns()}", "Wrong-1").get("/svc/users/me/"), 7)
    expect(0.5 < known / unknown < 2, "the times differ", [known, unknown])


@claim("interface: Authentication 2; decisions 3.16", rows=rows(*[
    (f"{method} {path}", method, path) for method, path in [
        ("POST", "/svc/searchproviders/"), ("PATCH", "/svc/aiproviders/1/"), ("PUT", "/svc/aiproviders/1/"),
        ("DELETE", "/svc/aiproviders/1/"), ("POST", "/svc/aiproviders/"), ("PATCH", "/svc/pipelines/1/"),
    ]
]))  # fmt: skip
def configuration_is_for_administrators(service, method, path):
    user = service.user(f"config{next(count)}")
    error(user.call(method, path, {"name": "x", "active": True, "processors": []}), 403)


@claim("interface: Authentication 2", rows=rows(("PUT", "PUT"), ("PATCH", "PATCH"), ("DELETE", "DELETE")))
def a_visible_provider_is_not_a_users_to_edit(service, method):
    user = service.user(f"provedit{method.lower()}")
    record = source.provider(service, f"Not yours {method}", items(1))
    error(user.call(method, f"/svc/searchproviders/{record['id']}/", {"name": "Mine now"}), 403)
    equal(service.admin.get(f"/svc/searchproviders/{record['id']}/").json()["name"], f"Not yours {method}")


@claim("decisions 3.1, 404 for someone else's; 7.9", rows=rows(
    ("search", "/svc/search/{search}/", "GET"), ("edit of a search", "/svc/search/{search}/", "PATCH"),
    ("deletion of a search", "/svc/search/{search}/", "DELETE"), ("results", "/svc/results/?search_id={search}", "GET"),
    ("result", "/svc/results/{result}/", "GET"), ("deletion of a result", "/svc/results/{result}/", "DELETE"),
    ("rerun", "/svc/search/?rerun={search}", "GET"), ("update", "/svc/search/?update={search}", "GET"),
    ("events", "/svc/search/{search}/events/", "GET"), ("summary", "/svc/rag-search/", "POST"),
))  # fmt: skip
def a_search_is_its_owners_alone(service, path, method):
    owner, other = service.user(f"owner{next(count)}"), service.user(f"other{next(count)}")
    search = owner.run_search("copper", searchprovider_list=["Shared"])
    result = owner.results(search["id"])["results"][0]["swirl_id"]
    body = None if method in ("GET", "DELETE") else {"search_id": search["id"], "retention": 1}
    for client in [other, service.admin]:
        error(client.call(method, path.format(search=search["id"], result=result), body), 404)
    expect(search["id"] not in [each["id"] for each in service.admin.get("/svc/search/").json()], "listed for admin")
    owner.get(f"/svc/results/{result}/").expect(200)


@claim("interface: Authentication 2, console")
def the_console_is_for_administrators(service):
    service.admin.get("/admin/").expect(200)
    expect(service.user("noconsole").get("/admin/").status == 403, "a user may use the console")
    answer = service.nobody.get("/admin/", headers={"Accept": "text/html"})
    expect(answer.status in (303, 401), "nobody may use the console", answer.status)


@claim("decisions 2, first start", rows=rows(("given password", True), ("random password", False)))
def the_first_start_creates_admin(service, given):
    if given:
        service.client("admin", ADMIN_PASSWORD).get("/svc/users/me/").expect(200)
        expect(not (service.data / "initial-admin-password").exists(), "the given password is in a file")
        return
    with Service(service.program, {"SVC_ADMIN_PASSWORD": ""}) as other:
        file = other.data / "initial-admin-password"
        password = file.read_text().strip()
        equal(file.stat().st_mode & 0o777, 0o600)
        expect(len(password) >= 12, "the password is short")
        equal(other.console_text().count(password), 1, "times that it is printed")
        other.client("admin", password).get("/svc/users/me/").expect(200)


@claim("decisions 7.9",
       rows=rows(("by default", None, False), ("with the setting", {"SVC_ACTIVITY_SHOWS_QUERIES": "True"}, True)))  # fmt: skip
def an_administrator_sees_counts_and_no_names(service, settings, shown):
    with Service(service.program, settings) as other:
        source.provider(other, "Empty", [])
        user = other.user("private-person")
        user.search("Zq77unheard", providers=["Empty"])
        text = other.admin.get("/svc/activity/").expect(200).text
        equal("zq77unheard" in text.lower(), shown, "the query is shown")
        expect("private-person" not in text, "the user is named", text)
        error(user.get("/svc/activity/"), 403)


@claim("decisions 3.9; interface: AIProvider, api_key (write)")
def no_secret_is_in_the_logs_or_the_database(service):
    secret = "Zy93secretZy93"
    service.user("logged")
    body = {"name": "Secretive", "model": "gpt-x", "api_key": secret, "tags": ["rag"], "active": False}
    shown = service.admin.post("/svc/aiproviders/", body).expect(201).text
    shown += service.admin.get("/svc/aiproviders/").text
    expect(secret not in shown, "the key is shown")
    created, _ = token_client(service, service.admin)
    for file in service.data.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            for text in [secret, created["token"], "logged-Pass-1", ADMIN_PASSWORD]:
                expect(text.encode() not in content, f"{re.sub('.', '*', text)} is in {file.name}")
