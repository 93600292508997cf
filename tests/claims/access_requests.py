"""Requests of browsers and other sites: CSRF, CORS, hosts, security headers, prefetch, limits of bodies."""

import http.client

from harness import Row, Service, claim, equal, expect
from harness.accounts import Session

PEOPLE = {}
CORS = "https://app.example"
SETTINGS = {"SVC_CORS_ORIGINS": CORS}


def prepare(service):
    PEOPLE["ann"] = service.user("ann")
    PEOPLE["token"] = PEOPLE["ann"].post("/svc/tokens/", {}).expect(201).json()["token"]


def token(service):
    from harness import Client

    return Client(service.port, f"Token {PEOPLE['token']}")


FOREIGN = [
    ("cross-site", {"Sec-Fetch-Site": "cross-site"}), ("same-site", {"Sec-Fetch-Site": "same-site"}),
    ("Origin", {"Origin": "https://evil.example"}), ("null", {"Origin": "null"}),
    ("Referer", {"Referer": "https://evil.example/page"}),
    ("browser without any", {"User-Agent": "Mozilla/5.0 (X11)", "Accept-Language": "en"}),
]  # fmt: skip


@claim("ai-cache 4.4: requests of other sites", rows=[Row(name, (headers,)) for name, headers in FOREIGN])
def another_site_cannot_change_anything_with_basic(_, headers):
    answer = PEOPLE["ann"].post("/svc/search/", {"query_string": "x"}, headers=headers).expect(403).json()
    equal(answer["code"], "csrf_failed")


@claim("ai-cache 4.4: requests of other sites", rows=[Row(name, (headers,)) for name, headers in FOREIGN])
def a_token_is_exempt(service, headers):
    token(service).post("/svc/search/", {"query_string": "x"}, headers=headers).expect(201)


@claim("ai-cache 4.4: own site", rows=[Row(name, (name, value)) for name, value in [
    ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "none"), ("Origin", "own"), ("Referer", "own"),
]])  # fmt: skip
def the_own_site_may(service, name, value):
    value = service.base + ("/page" if name == "Referer" else "") if value == "own" else value
    PEOPLE["ann"].post("/svc/search/", {"query_string": "x"}, headers={name: value}).expect(201)


@claim("ai-cache 4.4: CSRF for sessions", rows=[Row(name, (sent,)) for name, sent in [
    ("none", None), ("empty", ""), ("wrong", "x" * 43), ("of another session", "other"),
]])  # fmt: skip
def a_session_needs_its_csrf_token(service, sent):
    session = Session(service, "ann")
    if sent == "other":
        sent = Session(service, "ann").csrf
    headers = {} if sent is None else {"X-CSRF-Token": sent}
    answer = session.call("POST", "/svc/search/", {"query_string": "x"}, headers=headers).expect(403).json()
    equal(answer["code"], "csrf_failed")


@claim("ai-cache 4.4: CSRF for sessions")
def a_session_with_its_csrf_token_may(service):
    Session(service, "ann").post("/svc/search/", {"query_string": "x"}).expect(201)


SIDE_EFFECTS = ["/svc/search/?rerun={s}", "/svc/search/?update={s}", "/svc/results/?search_id={s}&mark_all_read=true"]


@claim("ai-cache 8; authentication: GET with side effects", rows=[Row(path, (path,)) for path in SIDE_EFFECTS])
def a_link_on_another_site_starts_nothing(_, path):
    search = PEOPLE["ann"].run_search("kept")
    PEOPLE["ann"].get(path.format(s=search["id"]), headers={"Sec-Fetch-Site": "cross-site"}).expect(403)
    equal(PEOPLE["ann"].get(f"/svc/search/{search['id']}/").json()["date_updated"], search["date_updated"])


@claim("ai-cache 8; authentication: q and qs", rows=[Row(name, (name,)) for name in ["q", "qs"]])
def a_link_on_another_site_needs_a_confirmation(_, name):
    before = PEOPLE["ann"].get("/svc/search/", params={"items": 1}).json()["count"]
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
    answer = PEOPLE["ann"].get("/svc/search/", params={name: "foreign"}, headers=headers).expect(200)
    expect("html" in answer.headers.get("content-type", ""), "a page that asks", answer.headers)
    expect("foreign" in answer.text and "<form" in answer.text, "it shows the query", answer.text)
    # An image or a script of the other site shows no page.
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    PEOPLE["ann"].get("/svc/search/", params={name: "foreign"}, headers=headers).expect(403)
    equal(PEOPLE["ann"].get("/svc/search/", params={"items": 1}).json()["count"], before)


@claim("decisions 3.13", rows=[
    Row(f"{header} {name}", (name, header, value)) for name in ["q", "qs"]
    for header, value in [("Sec-Purpose", "prefetch"), ("Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender")]
])  # fmt: skip
def a_prefetch_creates_nothing(_, name, header, value):
    before = PEOPLE["ann"].get("/svc/search/", params={"items": 1}).json()["count"]
    answer = PEOPLE["ann"].get("/svc/search/", params={name: "early"}, headers={header: value}).expect(204)
    equal(answer.body, b"")
    equal(PEOPLE["ann"].get("/svc/search/", params={"items": 1}).json()["count"], before)


# CORS


@claim("ai-cache 4.4: SVC_CORS_ORIGINS", rows=[Row(origin, (origin, allowed)) for origin, allowed in [
    (CORS, True), ("https://evil.example", False), ("https://app.example.evil.example", False), ("http://app.example", False),
    ("https://app.example:8443", False), ("null", False), ("https://APP.example.", False),
]])  # fmt: skip
def only_listed_origins_may_call_from_pages(service, origin, allowed):
    answer = token(service).get("/svc/users/me/", headers={"Origin": origin})
    equal(answer.headers.get("access-control-allow-origin"), origin if allowed else None)
    expect("access-control-allow-credentials" not in answer.headers, "cookies are not allowed", answer.headers)


@claim("ai-cache 4.4: SVC_CORS_ORIGINS")
def a_preflight_of_a_listed_origin_is_answered(service):
    headers = {"Origin": CORS, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    answer = service.nobody.call("OPTIONS", "/svc/search/", headers=headers).expect(200, 204)
    equal(answer.headers.get("access-control-allow-origin"), CORS)
    expect("post" in answer.headers.get("access-control-allow-methods", "").lower(), "methods", answer.headers)
    expect("authorization" in answer.headers.get("access-control-allow-headers", "").lower(), "headers", answer.headers)


@claim("ai-cache 4.4: CORS is empty by default")
def without_the_setting_no_origin_is_allowed(service):
    with Service(service.program) as other:
        answer = other.admin.get("/svc/users/me/", headers={"Origin": CORS})
        expect("access-control-allow-origin" not in answer.headers, "no CORS", answer.headers)


@claim("authentication: cookies of other origins")
def a_listed_origin_cannot_use_the_session(service):
    session = Session(service, "ann")
    session.call("POST", "/svc/search/", {"query_string": "x"},
                 headers={"Origin": CORS, "X-CSRF-Token": session.csrf}).expect(401, 403)  # fmt: skip


# Hosts and headers


def raw(service, text):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=20)
    connection.connect()
    connection.sock.sendall(text.encode())
    answer = http.client.HTTPResponse(connection.sock)
    answer.begin()
    return answer.status


@claim("hardening: hosts", rows=[Row(name, (head, status)) for name, head, status in [
    ("none", "", 400), ("one", "Host: a.example\r\n", 200), ("two", "Host: a.example\r\nHost: b.example\r\n", 400),
    ("two equal ones", "Host: a.example\r\nHost: a.example\r\n", 400),
]])  # fmt: skip
def a_request_names_exactly_one_host(service, head, status):
    equal(raw(service, f"GET /svc/health/live/ HTTP/1.1\r\n{head}Connection: close\r\n\r\n"), status)


@claim("ai-cache 4.4: hosts")
def links_use_the_public_url(service):
    with Service(service.program, {"SVC_PUBLIC_URL": "https://search.example.org"}) as other:
        search = other.admin.run_search("x")
        for host in ["evil.example", "127.0.0.1"]:
            found = other.admin.get(f"/svc/search/{search['id']}/", headers={"Host": host}).json()
            expect(found["result_url"].startswith("https://search.example.org/svc/results/"), "result_url", found["result_url"])
        session = Session.__new__(Session)
        session.port, session.cookies, session.set_cookies = other.port, {}, []
        session.get("/login/").expect(200)
        for line in session.set_cookies:
            expect(line.startswith("__Host-") and "secure" in line.lower(), "Secure and __Host- under https", line)


HEADERS = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
           "cross-origin-resource-policy": "same-origin"}  # fmt: skip


@claim("ai-cache 4.4: security headers", rows=[Row(path, (path,)) for path in [
    "/login/", "/svc/search/", "/svc/health/live/", "/no/such/page/", "/static/tributary.css", "/svc/search/999999999/", "/metrics/",
]])  # fmt: skip
def every_response_has_security_headers(service, path):
    for client in [service.nobody, service.admin]:
        headers = client.get(path).headers
        equal({name: headers.get(name) for name in HEADERS}, HEADERS)
        expect("referrer-policy" in headers and "permissions-policy" in headers, "policies", headers)


@claim("ai-cache 4.4: CSP", rows=[Row(path, (path,)) for path in ["/", "/login/", "/admin/", "/account/", "/svc/api/docs/"]])
def pages_have_a_content_security_policy(service, path):
    policy = service.admin.get(path, headers={"Accept": "text/html"}).expect(200).headers.get("content-security-policy", "")
    expect("default-src" in policy and "frame-ancestors 'none'" in policy, "policy", policy)
    for unsafe in ["'unsafe-eval'", "http://", "https://", " * "]:
        expect(unsafe not in policy, unsafe, policy)
    scripts = [part for part in policy.split(";") if part.strip().startswith("script-src")]
    expect(all("'unsafe-inline'" not in part for part in scripts), "no inline scripts", policy)


@claim("ai-cache 3.3: request id")
def every_response_has_a_request_id(service):
    for client, path in [(service.admin, "/svc/search/"), (service.nobody, "/svc/search/"), (service.nobody, "/nowhere/")]:
        answer = client.get(path)
        expect(len(answer.headers.get("x-request-id", "")) >= 8, "X-Request-Id", answer.headers)
    answer = service.admin.get("/svc/search/999999999/").expect(404)
    equal(answer.json()["request_id"], answer.headers["x-request-id"])


@claim("decisions 3.11: request body 2 MB", rows=[Row(str(size), (size, status)) for size, status in [
    (1_900_000, 400), (2_200_000, 413),
]])  # fmt: skip
def a_body_has_at_most_2_mb(service, size, status):
    service.admin.post("/svc/search/", {"query_string": "x" * size}).expect(status)


@claim("operations: 16 kB without credentials")
def a_body_without_credentials_is_small(service):
    service.nobody.post("/svc/login/", {"username": "a", "password": "x" * 17_000}).expect(413)


@claim("operations: 50,000 values")
def a_body_has_at_most_50000_values(service):
    service.admin.post("/svc/search/", {"query_string": "x", "tags": [1] * 60_000}).expect(413)


@claim("operations: 64 kB head")
def a_head_has_at_most_64_kb(service):
    equal(raw(service, f"GET /svc/health/live/ HTTP/1.1\r\nHost: a\r\nX-Long: {'x' * 70_000}\r\n\r\n"), 431)


@claim("decisions 3.1: 405 and 404", rows=[Row(f"{method} {path}", (method, path, status)) for method, path, status in [
    ("PATCH", "/svc/search/", 405), ("DELETE", "/svc/metrics/tasks/", 405), ("POST", "/svc/health/tasks/", 405),
    ("GET", "/svc/ingest/", 405), ("GET", "/svc/cache/unindex/", 405), ("DELETE", "/svc/canonical/1/", 405),
    ("GET", "/svc/canonical/pin-for-query/", 405), ("GET", "/svc/nothing/", 404), ("GET", "/svc", 404),
    ("PUT", "/svc/egress/events/1/", 405),
]])  # fmt: skip
def wrong_methods_and_paths_are_refused(service, method, path, status):
    found = service.admin.call(method, path, {} if method in ("PATCH", "PUT", "POST") else None).expect(status)
    expect(found.json()["code"], "the common shape", found.text)


@claim("decisions 1: with and without the slash", rows=[Row(path, (path,)) for path in [
    "/svc/search", "/svc/health/tasks", "/svc/metrics/tasks", "/svc/canonical", "/svc/egress/events", "/svc/cache", "/svc/users/me",
    "/api/svc/search", "/api/svc/cache", "/svc/agent/status",
]])  # fmt: skip
def a_path_without_its_last_slash_is_the_same(service, path):
    equal(service.admin.get(path).expect(200).headers["content-type"], service.admin.get(path + "/").expect(200).headers["content-type"])


@claim("decisions 1: SVC_API_ALIASES")
def an_alias_mounts_the_api_again(service):
    service.admin.get("/swirl/search/").expect(404)
    with Service(service.program, {"SVC_API_ALIASES": "swirl"}) as other:
        for path in ["/swirl/search/", "/api/swirl/search/", "/swirl/health/tasks/", "/swirl/users/me/"]:
            other.admin.get(path).expect(200)
            other.nobody.get(path).expect(401)
