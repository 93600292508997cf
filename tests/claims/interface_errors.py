"""Errors: one shape for every cause, the right status, and nothing internal in them."""

import http.client
import json
import socket

from harness import claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows

source = SampleSource()
SEARCH = "/svc/search/"


def prepare(service):
    source.__enter__()
    source.provider(service, "Errors source", items(1))


def finish():
    source.__exit__()


JSON = {"Content-Type": "application/json"}
MALFORMED = [
    ("no JSON", "{", JSON), ("empty", "", JSON), ("an array", "[]", JSON), ("a text", '"copper"', JSON),
    ("null", "null", JSON),
    ("two values", '{"query_string": "a"} {}', JSON), ("no UTF-8", b'{"query_string": "\xff"}', JSON),
    ("a lone surrogate", '{"query_string": "\\ud800"}', JSON), ("a NUL", '{"query_string": "a\x00b"}', JSON),
    ("NaN", '{"query_string": "a", "retention": NaN}', JSON), ("deep", "[" * 100_000, JSON),
    ("a huge number", '{"query_string": "a", "results_requested": 1' + "0" * 400 + "}", JSON),
]  # fmt: skip


@claim("decisions 3.1, 400 malformed or invalid", rows=rows(*MALFORMED))
def a_malformed_body_is_refused(service, body, headers):
    for path in [SEARCH, "/svc/searchproviders/", "/svc/rag-search/"]:
        error(service.admin.post(path, body, headers=headers), 400)


@claim("decisions 3.1, 415", rows=rows(
    ("text", "text/plain"), ("XML", "application/xml"), ("none", None), ("form", "application/x-www-form-urlencoded"),
))  # fmt: skip
def a_body_of_another_type_is_refused(service, kind):
    answer = service.admin.post(SEARCH, '{"query_string": "a"}', headers={"Content-Type": kind} if kind else {})
    error(answer, 415)


@claim("decisions 3.1, 415", rows=rows(("charset", "application/json; charset=utf-8"), ("case", "Application/JSON")))
def json_with_a_charset_is_accepted(service, kind):
    body = '{"query_string": "a", "searchprovider_list": ["Errors source"]}'
    service.admin.post(SEARCH, body, headers={"Content-Type": kind}).expect(201)


NO_RECORD = [
    "search", "results", "searchproviders", "aiproviders", "querytransforms", "users", "groups", "tokens", "canonical",
]  # fmt: skip


@claim("decisions 3.1, 404 unknown", rows=rows(*[(f"{k} {i}", k, i) for k in NO_RECORD for i in ["99999999", "0"]]))
def an_unknown_id_is_not_found(service, kind, record_id):
    error(service.admin.get(f"/svc/{kind}/{record_id}/"), 404)


@claim("decisions 3.1, 404 unknown", rows=rows(*[(value, value) for value in [
    "/svc/nosuch/", "/svc/", "/svc/search/abc/", "/svc/search/-1/", "/svc/search/9999999999999999999999/",
    "/svc/search/1/nosuch/",
    "/api/svc/nosuch", "/svc/search/1%00/", "/svc/results/1.5/", "/svc/%2e%2e/etc/passwd",
]]))  # fmt: skip
def an_unknown_path_is_not_found(service, path):
    answer = service.admin.get(path)
    error(answer, answer.status if answer.status == 400 and "%00" in path else 404)


@claim("decisions 3.1, 405", rows=rows(
    ("PUT on searches", "PUT", SEARCH), ("DELETE on searches", "DELETE", SEARCH),
    ("POST on results", "POST", "/svc/results/"),
    ("GET of a summary", "GET", "/svc/rag-search/"), ("POST on connectors", "POST", "/svc/connectors/"),
    ("POST on health", "POST", "/svc/health/tasks/"), ("DELETE on metrics", "DELETE", "/svc/metrics/tasks/"),
    ("PATCH on providers", "PATCH", "/svc/searchproviders/"), ("TRACE", "TRACE", SEARCH),
))  # fmt: skip
def a_method_that_does_not_exist_here_is_refused(service, method, path):
    answer = service.admin.call(method, path, {} if method in ("PUT", "POST", "PATCH") else None)
    error(answer, 405)
    expect(method not in answer.headers["allow"] and answer.headers["allow"], "allow", answer.headers)


@claim("decisions 3.1, 413; 3.11, request body 2 MB", rows=rows(
    ("search", SEARCH, 2 * 1024 * 1024 + 1), ("provider", "/svc/searchproviders/", 3_000_000),
    ("user", "/svc/users/", 3_000_000),
))  # fmt: skip
def a_body_above_the_limit_is_refused(service, path, size):
    error(service.admin.post(path, " " * size, headers=JSON), 413)


@claim("decisions 3.11, request body 2 MB")
def a_body_below_the_limit_is_read(service):
    body = json.dumps({"query_string": "a", "searchprovider_list": ["Errors source"]})
    service.admin.post(SEARCH, body + " " * (1_990_000 - len(body)), headers=JSON).expect(201)


@claim("decisions 3.1, request_id")
def every_error_has_an_id_of_its_own_that_the_log_knows(service):
    first, second = (error(service.admin.get("/svc/nosuch/"), 404)["request_id"] for _ in range(2))
    expect(first != second, "two errors have one id")
    log = service.data / "logs" / "django.log"
    eventually(lambda: first in log.read_text(), 5, "the log does not have the id")


@claim("decisions 3.1, 409", rows=rows(
    ("provider", "/svc/searchproviders/",
     {"name": "Errors source", "connector": "RequestsGet", "url": "http://a.example/"}),
    ("AIProvider", "/svc/aiproviders/", {"name": "local", "model": "x"}), ("user", "/svc/users/",
     {"username": "admin", "password": "Long-Pass-1"}),
))  # fmt: skip
def a_taken_name_is_a_conflict(service, path, body):
    error(service.admin.post(path, body), 409)


@claim("decisions 3.1, shape", rows=rows(*[(str(status), status, method, path, body) for status, method, path, body in [
    (400, "POST", SEARCH, {}), (404, "GET", "/svc/search/99999999/", None), (405, "PUT", SEARCH, {}),
    (400, "GET", "/svc/results/?search_id=x", None),
]]))  # fmt: skip
def an_error_is_json_without_internals(service, status, method, path, body):
    answer = service.admin.call(method, path, body)
    detail = error(answer, status)["detail"]
    expect(answer.headers["content-type"].startswith("application/json"), "no JSON", answer.headers)
    expect(detail[0].isupper() or ":" in detail, "no sentence", detail)
    for sign in ["panicked", ".rs:", "SQL", "sqlite", "thread '", "serde", "backtrace"]:
        expect(sign not in answer.text, f"{sign} is in the error", answer.text)


@claim("decisions 3.1; API, unknown fields")
def an_unknown_field_is_ignored(service):
    body = {"query_string": "a", "searchprovider_list": ["Errors source"], "nosuch": {"a": [1]}}
    expect("nosuch" not in service.admin.post(SEARCH, body).expect(201).json(), "it was stored")


@claim("interface: Errors, provider yields no results", rows=rows(
    ("nothing listens", "http://127.0.0.1:1/"), ("no such host", "http://nosuch.invalid/"), ("no address", "http://"),
))  # fmt: skip
def an_unreachable_source_is_an_error_of_the_source_only(service, url):
    body = {"name": f"Unreachable {url}", "connector": "RequestsGet", "url": url, "default": False}
    answer = service.admin.post("/svc/searchproviders/", body).expect(201, 400)
    if answer.status == 400:
        error(answer, 400, field="url")
        return
    found = service.admin.search("copper", providers=[answer.json()["id"], "Errors source"])
    info = found["info"][body["name"]]
    equal((info["status"], info["found"], info["retrieved"], len(found["results"])), ("error", 0, 0, 1))
    expect(info["error"]["message"], "no sentence", info)


@claim("interface: Errors, POST /svc/rag-search/", rows=rows(
    ("missing", {}, 400), ("text", {"search_id": "abc"}, 400), ("null", {"search_id": None}, 400),
    ("unknown", {"search_id": 99999999}, 404), ("list as text", {"search_id": 1, "result_list": "1,2"}, 400),
    ("list of texts", {"search_id": 1, "result_list": ["x"]}, 400), ("fraction", {"search_id": 1.5}, 400),
))  # fmt: skip
def an_invalid_request_of_a_summary_is_refused(service, body, status):
    error(service.admin.post("/svc/rag-search/", body), status)


@claim("decisions 6; hostile requests", rows=rows(
    ("a bad request line", b"NOT HTTP\r\n\r\n"),
    ("a bad header", b"GET /svc/search/ HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n"),
    ("two lengths", b"POST /svc/search/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
    ("a long line", b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n"),
))  # fmt: skip
def a_request_that_is_no_http_ends_the_connection_only(service, content):
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        try:
            connection.sendall(content)
            first = connection.recv(100)
        except (BrokenPipeError, ConnectionResetError):
            first = b""
    expect(not first or first.startswith(b"HTTP/1.1 4"), "it was answered", first.decode(errors="replace"))
    service.admin.get(SEARCH).expect(200)


@claim("interface: Endpoints, HTTP")
def head_is_get_without_a_body(service):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    connection.request("HEAD", SEARCH, headers={"Authorization": service.admin.authorization})
    answer = connection.getresponse()
    equal((answer.status, answer.read()), (200, b""))
    connection.close()
