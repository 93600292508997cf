"""Ways to sign in: Basic, tokens, sessions; wrong credentials, sign-out, passwords and what ends with them."""

import base64
import datetime

from harness import Client, Row, claim, equal, expect
from harness.accounts import Session
from harness.service import ADMIN_PASSWORD

BASIC = "Basic realm=\"api\""
WAYS = {}


def prepare(service):
    WAYS["ann"] = service.user("ann")


def with_token(service, token, scheme="Token"):
    return Client(service.port, f"{scheme} {token}")


def login(service, user, password=None):
    body = {"username": user, "password": password or f"{user}-Pass-1"}
    return service.nobody.post("/svc/login/", body)


@claim("interface: Authentication 1", rows=[Row(path, (path,)) for path in [
    "/svc/search/", "/svc/results/", "/svc/searchproviders/", "/svc/aiproviders/", "/svc/canonical/", "/svc/egress/events/",
    "/svc/health/tasks/", "/svc/metrics/tasks/", "/api/svc/search/", "/api/svc/health/tasks/", "/svc/cache/", "/svc/tokens/",
]])  # fmt: skip
def basic_and_token_are_accepted_everywhere(service, path):
    token = service.admin.post("/svc/tokens/", {"label": path}).expect(201).json()["token"]
    for client in [service.admin, with_token(service, token)]:
        client.get(path).expect(200)


WRONG = [
    ("nothing", None, "not_authenticated"), ("unknown user", ("nobody", "x" * 12), "authentication_failed"),
    ("wrong password", ("ann", "wrong-Pass-1"), "authentication_failed"), ("empty password", ("ann", ""), "authentication_failed"),
    ("unknown token", "Token " + "a" * 40, "authentication_failed"), ("token without text", "Token ", None),
    ("no base64", "Basic !!!", None), ("base64 without colon", "Basic " + base64.b64encode(b"ann").decode(), None),
    ("no text", "Basic " + base64.b64encode(b"\xff\xfe:\xff").decode(), None), ("unknown scheme", "Digest username=ann", None),
    ("bearer of nobody", "Bearer a.b.c", None), ("name in other case", ("ANN", "ann-Pass-1 "), None),
]  # fmt: skip


@claim("ai-cache 4.1", rows=[Row(name, (sent, code)) for name, sent, code in WRONG])
def missing_or_wrong_credentials_are_401(service, sent, code):
    client = service.client(*sent) if isinstance(sent, tuple) else Client(service.port, sent)
    answer = client.get("/svc/search/").expect(401)
    expect(answer.headers.get("www-authenticate", "").startswith(BASIC), "WWW-Authenticate", answer.headers)
    found = answer.json()
    expect(found["detail"] and found["request_id"], "the common shape", found)
    if code:
        equal(found["code"], code)


@claim("decisions 3.20")
def an_unknown_user_and_a_wrong_password_are_answered_alike(service):
    answers = [service.client(name, "x" * 12).get("/svc/search/").json() for name in ["nobody", "ann"]]
    equal(answers[0]["detail"], answers[1]["detail"])
    answers = [login(service, name, "x" * 12).expect(401).json() for name in ["nobody", "ann"]]
    equal((answers[0]["detail"], answers[0]["code"]), (answers[1]["detail"], answers[1]["code"]))


@claim("ai-cache 4.1: login endpoint")
def login_answers_with_a_token(service):
    found = login(service, "ann").expect(200).json()
    expected = {"user": "ann", "is_superuser": False}
    equal({name: found[name] for name in expected}, expected)
    equal(sorted(found), ["edition", "is_superuser", "swirl_version", "token", "user"])
    with_token(service, found["token"]).get("/svc/users/me/").expect(200)
    equal(login(service, "admin", ADMIN_PASSWORD).expect(200).json()["is_superuser"], True)


@claim("ai-cache 4.1: login endpoint", rows=[Row(str(body)[:40], (body, status)) for body, status in [
    ({"username": "ann", "password": "wrong-Pass-1"}, 401), ({"username": "ann"}, 400), ({}, 400),
    ({"username": 1, "password": 2}, 400), ([], 400), ({"username": "", "password": ""}, 401),
]])  # fmt: skip
def a_failed_login_is_no_success(service, body, status):
    answer = service.nobody.post("/svc/login/", body).expect(status, 400 if status == 401 else status)
    expect("token" not in answer.json(), "no token", answer.text)


@claim("ai-cache 4.1: logout")
def logging_out_deletes_the_token(service):
    token = login(service, "ann").json()["token"]
    client = with_token(service, token)
    client.post("/svc/swirl-logout/").expect(200)
    client.get("/svc/users/me/").expect(401)
    WAYS["ann"].get("/svc/users/me/").expect(200)


@claim("ai-cache 4.1: a stale token plus a session", rows=[Row("unknown", ("a" * 40,)), Row("of the past", (None,))])
def a_stale_token_with_a_valid_session_authenticates_by_the_session(service, token):
    session = Session(service, "ann")
    if token is None:
        token = login(service, "ann").json()["token"]
        with_token(service, token).post("/svc/swirl-logout/").expect(200)
    found = session.get("/svc/users/me/", headers={"Authorization": f"Token {token}"}).expect(200).json()
    equal(found["username"], "ann")


@claim("ai-cache 4.1: session")
def the_form_signs_in_with_a_session_cookie(service):
    session = Session(service, "ann")
    equal(session.signed_in.status, 303)
    equal(session.get("/svc/users/me/").expect(200).json()["username"], "ann")
    lines = [line for line in session.set_cookies] or [""]
    session.csrf = session.token_of(session.get("/").expect(200).text)
    session.submit("/logout/", {"csrf_token": session.csrf}).expect(303)
    session.get("/svc/users/me/").expect(401)
    expect(lines is not None, "cookies")


@claim("ai-cache 4.4: SameSite")
def the_session_cookie_is_for_this_site_and_not_for_scripts(service):
    session = Session.__new__(Session)
    session.port, session.cookies, session.set_cookies = service.port, {}, []
    csrf = session.token_of(session.get("/login/").text)
    session.submit("/login/", {"username": "ann", "password": "ann-Pass-1", "csrf_token": csrf}).expect(303)
    expect(session.set_cookies, "a cookie is set")
    for line in session.set_cookies:
        parts = [part.strip().lower() for part in line.split(";")]
        expect("samesite=lax" in parts or "samesite=strict" in parts, "SameSite", line)
    expect(any("httponly" in line.lower() for line in session.set_cookies), "HttpOnly", session.set_cookies)


@claim("ai-cache 4.1: wrong form")
def a_wrong_password_in_the_form_signs_nobody_in(service):
    session = Session.__new__(Session)
    session.port, session.cookies, session.set_cookies = service.port, {}, []
    csrf = session.token_of(session.get("/login/").text)
    session.submit("/login/", {"username": "ann", "password": "wrong-Pass-1", "csrf_token": csrf}).expect(200, 401)
    session.get("/svc/users/me/").expect(401)
    session.submit("/login/", {"username": "ann", "password": "ann-Pass-1", "csrf_token": "x" * 40}).expect(403)


@claim("ai-cache 4.1: pages redirect", rows=[Row(path, (path,)) for path in ["/", "/admin/", "/history/", "/account/", "/chat/"]])
def a_page_redirects_to_the_sign_in_page(service, path):
    answer = service.nobody.get(path, headers={"Accept": "text/html"}).expect(303)
    # The first page is where a sign-in leads anyway.
    equal(answer.headers["location"], "/login/" if path == "/" else f"/login/?next={path}")


@claim("security: open redirects", rows=[Row(target, (target,)) for target in [
    "https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "\t//evil.example",
]])  # fmt: skip
def signing_in_leads_to_pages_of_this_service_only(service, target):
    session = Session.__new__(Session)
    session.port, session.cookies, session.set_cookies = service.port, {}, []
    csrf = session.token_of(session.get("/login/", params={"next": target}).text)
    form = {"username": "ann", "password": "ann-Pass-1", "csrf_token": csrf, "next": target}
    location = session.submit("/login/", form).expect(303).headers["location"]
    expect(location.startswith("/") and not location.startswith(("//", "/\\")), "a page of this service", location)


# Tokens


@claim("decisions 3.16")
def a_token_is_shown_once(service):
    created = WAYS["ann"].post("/svc/tokens/", {"label": "script"}).expect(201).json()
    expect(len(created["token"]) >= 32, "a long token", created)
    for found in [WAYS["ann"].get(f"/svc/tokens/{created['id']}/").json(), *WAYS["ann"].get("/svc/tokens/").json()]:
        expect("token" not in found and created["token"] not in str(found), "not shown again", found)
    for path in service.data.rglob("*"):
        if path.is_file() and path.stat().st_size < 50_000_000:
            expect(created["token"].encode() not in path.read_bytes(), "only a hash is stored", str(path))


@claim("ai-cache 4.1: revocable")
def a_revoked_token_is_refused_and_the_password_stays(service):
    created = WAYS["ann"].post("/svc/tokens/").expect(201).json() if False else WAYS["ann"].post("/svc/tokens/", {}).expect(201).json()
    client = with_token(service, created["token"])
    client.get("/svc/search/").expect(200)
    WAYS["ann"].delete(f"/svc/tokens/{created['id']}/").expect(204)
    client.get("/svc/search/").expect(401)
    WAYS["ann"].get("/svc/search/").expect(200)
    WAYS["ann"].delete(f"/svc/tokens/{created['id']}/").expect(404)


@claim("ai-cache 4.1: optional expiry")
def a_token_expires(service):
    now = datetime.datetime.now(datetime.UTC)
    soon = (now + datetime.timedelta(seconds=2)).isoformat()
    created = WAYS["ann"].post("/svc/tokens/", {"expires": soon}).expect(201).json()
    client = with_token(service, created["token"])
    client.get("/svc/search/").expect(200)
    from harness import eventually

    eventually(lambda: client.get("/svc/search/").status == 401, 10, "still accepted")


@claim("decisions 3.1: tokens", rows=[Row(str(body), (body,)) for body in [
    {"expires": "tomorrow"}, {"expires": 5}, {"label": 5}, {"expires": "2001-01-01T00:00:00Z"}, {"label": "x" * 1001}, [],
]])  # fmt: skip
def an_invalid_token_request_is_400(_, body):
    WAYS["ann"].post("/svc/tokens/", body).expect(400)


@claim("decisions 3.16: one's own, admins all")
def tokens_are_listed_for_their_user_and_for_administrators(service):
    bob = service.user("bob")
    created = bob.post("/svc/tokens/", {"label": "bobs"}).expect(201).json()
    expect(created["id"] not in [each["id"] for each in WAYS["ann"].get("/svc/tokens/").json()], "not for others")
    WAYS["ann"].get(f"/svc/tokens/{created['id']}/").expect(404)
    WAYS["ann"].delete(f"/svc/tokens/{created['id']}/").expect(404)
    expect(created["id"] in [each["id"] for each in service.admin.get("/svc/tokens/").json()], "for administrators")
    service.admin.delete(f"/svc/tokens/{created['id']}/").expect(204)


@claim("ai-cache 4.1: last used")
def a_token_knows_when_it_was_used(service):
    created = WAYS["ann"].post("/svc/tokens/", {"label": "used"}).expect(201).json()
    equal((created.get("last_used"), created["label"], created.get("expires")), (None, "used", None))
    with_token(service, created["token"]).get("/svc/users/me/").expect(200)
    from harness import eventually

    eventually(lambda: WAYS["ann"].get(f"/svc/tokens/{created['id']}/").json().get("last_used"), 10, "no last_used")


@claim("authentication: at most 100 tokens")
def a_user_has_at_most_100_tokens(service):
    client = service.user("hundred")
    for _ in range(100):
        client.post("/svc/tokens/", {}).expect(201)
    client.post("/svc/tokens/", {}).expect(409)
    client.delete("/svc/tokens/").expect(204)
    equal(client.get("/svc/tokens/").json(), [])
    client.post("/svc/tokens/", {}).expect(201)


@claim("interface: Authentication, console tokens; ai-cache 3.4")
def a_token_is_made_and_revoked_by_command(service):
    made = service.command("token", "add", "ann")
    equal(made.returncode, 0, made.stderr)
    token = made.stdout.split()[-1]
    client = with_token(service, token)
    client.get("/svc/users/me/").expect(200)
    listed = service.command("token", "list")
    expect("ann" in listed.stdout and token not in listed.stdout, "listed without its text", listed.stdout)


# Passwords


@claim("decisions 3.20: dropped when the password changes")
def a_new_password_takes_effect_at_once(service):
    client = service.user("carl")
    other = Session(service, "carl")
    token, made = login(service, "carl").json()["token"], client.post("/svc/tokens/", {}).json()["token"]
    client.get("/svc/users/me/").expect(200)
    body = {"current_password": "carl-Pass-1", "old_password": "carl-Pass-1", "password": "new-Pass-22"}
    found = client.post("/svc/users/me/password/", body)
    if found.status == 400:
        body = {"current": "carl-Pass-1", "new": "new-Pass-22"}
        found = client.post("/svc/users/me/password/", body)
    found.expect(200)
    client.get("/svc/users/me/").expect(401)
    service.client("carl", "new-Pass-22").get("/svc/users/me/").expect(200)
    other.get("/svc/users/me/").expect(401)
    with_token(service, token).get("/svc/users/me/").expect(401)
    with_token(service, made).get("/svc/users/me/").expect(200)


@claim("authentication: passwords", rows=[Row(password[:20] or "empty", (password, status)) for password, status in [
    ("", 400), ("Seven-7", 400), ("Eight-88", 201), ("password", 400), ("12345678", 400), ("PASSWORD", 400), ("x" * 257, 400),
    ("é" * 8 + "ö" * 4, 201), ("long enough " + "y" * 240, 201),
]])  # fmt: skip
def passwords_have_limits(service, password, status):
    name = f"pw{len(password)}{sum(map(ord, password)) % 1000}"
    service.admin.post("/svc/users/", {"username": name, "password": password}).expect(status)
    if status == 201:
        service.client(name, password).get("/svc/users/me/").expect(200)


@claim("authentication: not the user name")
def a_password_is_not_the_user_name(service):
    service.admin.post("/svc/users/", {"username": "samesame9", "password": "samesame9"}).expect(400)


@claim("decisions 2: initial-admin-password")
def the_first_password_of_admin_is_kept_until_it_is_changed(service):
    from harness import Service

    with Service(service.program, {"SVC_ADMIN_PASSWORD": ""}) as other:
        path = other.data / "initial-admin-password"
        equal(path.stat().st_mode & 0o777, 0o600)
        password = path.read_text().strip()
        expect(password in other.console_text(), "printed once")
        admin = other.client("admin", password)
        me = admin.get("/svc/users/me/").expect(200).json()
        equal(me["is_admin"], True)
        admin.patch(f"/svc/users/{me['id']}/", {"password": "another-Pass-1"}).expect(200)
        expect(not path.exists(), "removed after the change")
        other.client("admin", "another-Pass-1").get("/svc/users/me/").expect(200)


@claim("ai-cache 8.11; decisions 2")
def there_is_no_default_password(service):
    for password in ["admin", "password", "swirl", "tributary", ""]:
        service.client("admin", password).get("/svc/users/me/").expect(401)
