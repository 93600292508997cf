"""The MCP server over HTTP and over standard input and output: versions, credentials, origins, errors, and limits."""

import json
import socket
import time

from harness import Client, Row, Service, Source, claim, equal, eventually, expect
from harness.answers import add_source, documents, events_of
from harness.mcp import Mcp, Pipe

source = Source()
tokens = {}


def prepare(service):
    source.__enter__()
    made = service.admin.post("/svc/tokens/", {"label": "mcp"}).expect(201).json()
    tokens["admin"] = made["token"]


def finish():
    source.__exit__()


def hello(version):
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "claims", "version": "1"}}


VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@claim("docs/mcp: protocol versions", [Row(each, (each,)) for each in VERSIONS])
def a_known_version_is_accepted(service, version):
    message = Mcp(service.admin).request("initialize", hello(version))
    result = message["result"]
    equal(result["protocolVersion"], version)
    expect(result["serverInfo"]["name"] and result["serverInfo"]["version"], "serverInfo", result)
    equal({"tools", "resources", "prompts"} - set(result["capabilities"]), set())


@claim("docs/mcp: protocol versions")
def an_unknown_version_is_answered_with_a_known_one(service):
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("1999-01-01")}
    response = service.admin.post("/mcp", body, headers={"Accept": "application/json, text/event-stream"}).expect(200).json()
    expect(response["result"]["protocolVersion"] in VERSIONS + ["2026-07-28"], "version", response)


@claim("docs/mcp: no sessions")
def there_are_no_sessions(service):
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-06-18")}
    response = Mcp(service.admin).post(body).expect(200)
    expect("mcp-session-id" not in response.headers, "a session was made", response.headers)
    Mcp(service.admin).post({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, {"Mcp-Session-Id": "x"}).expect(404)
    equal(len(Mcp(service.admin).result("tools/list")["tools"]) > 5, True, "without initialize")


@claim("docs/mcp: GET and DELETE", [Row(method, (method,)) for method in ["GET", "DELETE"]])
def other_methods_are_405(service, method):
    service.admin.call(method, "/mcp", headers={"Accept": "text/event-stream"}).expect(405)


@claim("docs/mcp: plain JSON", [Row(path, (path,)) for path in ["/mcp", "/mcp/"]])
def a_response_is_json(service, path):
    response = Mcp(service.admin, path).post({"jsonrpc": "2.0", "id": 7, "method": "ping"}).expect(200)
    equal(response.headers["content-type"].split(";")[0], "application/json")
    equal(response.json(), {"jsonrpc": "2.0", "id": 7, "result": {}})


@claim("MCP: notifications")
def a_notification_is_202_without_a_body(service):
    response = Mcp(service.admin).post({"jsonrpc": "2.0", "method": "notifications/initialized"}).expect(202)
    equal(response.body, b"")


ERRORS = [
    ("unknown method", {"jsonrpc": "2.0", "id": 1, "method": "nothing/here"}, -32601, (200, 404)),
    ("unknown tool", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop_tables"}}, -32602, (200, 400)),
    ("unknown prompt", {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "x"}}, -32602, (200, 400)),
]  # fmt: skip


@claim("JSON-RPC 2.0: errors", [Row(name, (body, code, statuses)) for name, body, code, statuses in ERRORS])
def a_malformed_request_has_its_error_code(service, body, code, statuses):
    response = Mcp(service.admin).post(body)
    expect(response.status in statuses, "status", response.status)
    equal(response.json()["error"]["code"], code)


MALFORMED = [("no JSON", b"{"), ("no method", b'{"jsonrpc": "2.0"}'), ("another version", b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}'),
             ("array", b"[]"), ("empty", b""), ("text", b'"ping"')]  # fmt: skip


@claim("decisions 3.1: one shape of errors", [Row(name, (body,)) for name, body in MALFORMED])
def what_is_no_json_rpc_message_is_400_in_the_common_shape(service, body):
    response = Mcp(service.admin).post(body, {"Content-Type": "application/json"}).expect(400).json()
    expect(response["detail"] and response["code"] and response["request_id"], "shape", response)


@claim("MCP: resources")
def an_unknown_resource_is_an_error(service):
    for uri in ["svc://nothing", "file:///etc/passwd", "http://127.0.0.1/", "svc://search/999999999"]:
        message = Mcp(service.admin).request("resources/read", {"uri": uri})
        expect(message["error"]["code"] in (-32002, -32602), uri, message)


@claim("docs/mcp: credentials", [Row("none", (None,)), Row("wrong token", ("Token trb_wrong",)), Row("wrong bearer", ("Bearer x.y.z",))])
def without_credentials_it_is_401(service, authorization):
    response = Mcp(Client(service.port, authorization)).post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).expect(401)
    expect(response.headers.get("www-authenticate"), "WWW-Authenticate", response.headers)


@claim("docs/mcp: credentials", [Row("Token", ("Token",)), Row("Basic", ("Basic",))])
def credentials_of_the_api_are_accepted(service, kind):
    client = Client(service.port, f"Token {tokens['admin']}") if kind == "Token" else service.admin
    equal(Mcp(client).result("ping"), {})


@claim("ai-cache 5: protected-resource metadata")
def protected_resource_metadata_names_the_issuer(service):
    service.nobody.get("/.well-known/oauth-protected-resource").expect(404)
    with Service(service.program, {"SVC_OIDC_API_AUDIENCE": "api://claims"}) as other:
        record = {"idp": "hub", "name": "Hub", "active": True, "client_id": "c", "issuer": "https://hub.example",
                  "jwks_uri": "https://hub.example/jwks", "auth_uri": "https://hub.example/auth",
                  "token_uri": "https://hub.example/token", "audience": "api://claims"}  # fmt: skip
        made = other.admin.post("/svc/authenticators/", record)
        expect(made.status == 201, "authenticator", made.text)
        body = other.nobody.get("/.well-known/oauth-protected-resource").expect(200).json()
        equal(body["authorization_servers"], ["https://hub.example"])
        expect(body["resource"].endswith("/mcp"), "resource", body)
        refused = Mcp(other.nobody).post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).expect(401)
        expect("resource_metadata=" in refused.headers["www-authenticate"], "WWW-Authenticate", refused.headers)


ORIGINS = [("https://evil.example", 403), ("http://localhost.evil.example", 403), ("null", 403), ("http://127.0.0.1:{port}", 200),
           ("http://localhost:{port}", 200), ("http://127.0.0.1:1", 403)]  # fmt: skip


@claim("ai-cache 5: origin check", [Row(origin, (origin, status)) for origin, status in ORIGINS])
def a_web_page_of_another_origin_is_refused(service, origin, status):
    headers = {"Origin": origin.replace("{port}", str(service.port))}
    if "localhost:" in headers["Origin"]:
        headers["Host"] = f"localhost:{service.port}"
    Mcp(service.admin).post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers).expect(status)


@claim("docs/mcp: origins of settings")
def origins_of_settings_are_accepted(service):
    settings = {"SVC_PUBLIC_URL": "https://search.example", "SVC_CORS_ORIGINS": "https://tools.example"}
    with Service(service.program, settings) as other:
        for origin, status in [("https://search.example", 200), ("https://tools.example", 200), ("https://evil.example", 403)]:
            Mcp(other.admin).post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Origin": origin}).expect(status)


@claim("ai-cache 5: rate limit; docs/mcp: limits")
def requests_are_limited_by_their_rate(service):
    with Service(service.program, {"SVC_THROTTLE_MCP": "3/minute"}) as other:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        equal([Mcp(other.admin).post(body).status for _ in range(4)], [200, 200, 200, 429])
        expect(int(Mcp(other.admin).post(body).headers["retry-after"]) > 0, "Retry-After")
        Mcp(other.user("anna")).post(body).expect(200)


LIMITED = [("SVC_THROTTLE_SEARCH", "search", {"query": "x"}), ("DOCS_CHAT_THROTTLE_RATE", "chat", {"message": "x"}),
           ("SVC_THROTTLE_RAG", "search_rag", {"query": "x"})]  # fmt: skip


@claim("docs/mcp: limits of what tools start", [Row(name, (name, tool, sent)) for name, tool, sent in LIMITED])
def what_a_tool_starts_has_its_own_limit(service, setting, tool, sent):
    with Service(service.program, {setting: "1/minute"}) as other:
        Mcp(other.admin).call(tool, **sent)
        text = Mcp(other.admin).error(tool, **sent)
        expect("too many" in text.lower() or "limit" in text.lower() or "throttled" in text.lower(), "error", text)


@claim("docs/mcp: a message is at most SVC_REQUEST_BODY_MAX_MB large")
def a_message_that_is_too_large_is_413(service):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 2_100_000}})
    Mcp(service.admin).post(body, {"Content-Type": "application/json"}).expect(413)


@claim("ai-cache 5: progress during federation")
def a_search_reports_its_progress(service):
    ids = [add_source(service, source, "progre", documents("progre", 1, label), label=label)["id"] for label in "AB"]
    params = {"name": "search", "arguments": {"query": "progre", "providers": ids}, "_meta": {"progressToken": "tok-1"}}
    response = Mcp(service.admin).post({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}).expect(200)
    expect(response.headers["content-type"].startswith("text/event-stream"), "media type", response.headers)
    messages = [json.loads(data) for _, data in events_of(response.text)]
    progress = [each["params"] for each in messages if each.get("method") == "notifications/progress"]
    expect(len(progress) >= 2 and {each["progressToken"] for each in progress} == {"tok-1"}, "progress", messages)
    values = [each["progress"] for each in progress]
    equal(values, sorted(values), "progress increases")
    equal((messages[-1]["id"], "result" in messages[-1]), (5, True))


@claim("docs/mcp: closing the connection cancels a call")
def closing_the_connection_ends_the_search(service):
    provider = add_source(service, source, "cancmc", [])
    source.route("/cancmc", lambda _: time.sleep(4) or {"items": []})
    params = {"name": "search", "arguments": {"query": "cancmc", "providers": [provider["id"]]}}
    body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}).encode()
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: "
            f"{service.admin.authorization}\r\nAccept: application/json, text/event-stream\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        )  # fmt: skip
        eventually(lambda: source.asked("/cancmc"))
    equal(Mcp(service.admin).result("ping"), {}, "the service goes on")


# Standard input and output.

@claim("ai-cache 5: stdio", [Row("SVC_MCP_TOKEN", ("token",)), Row("--user", ("user",))])
def the_command_serves_a_user(service, how):
    settings = {"SVC_MCP_TOKEN": tokens["admin"]} if how == "token" else {}
    with Pipe(service, settings, () if how == "token" else ("--user", "admin")) as pipe:
        equal(pipe.request("initialize", hello("2025-06-18"))["result"]["protocolVersion"], "2025-06-18")
        pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        names = [each["name"] for each in pipe.request("tools/list")["result"]["tools"]]
        expect("search" in names, "tools", names)


@claim("docs/mcp: the user is looked up for every request")
def a_revoked_token_stops_working_at_once(service):
    made = service.admin.post("/svc/tokens/", {"label": "short"}).expect(201).json()
    with Pipe(service, {"SVC_MCP_TOKEN": made["token"]}) as pipe:
        expect("result" in pipe.request("initialize", hello("2025-06-18")), "initialize")
        expect("result" in pipe.request("tools/list"), "tools/list")
        service.admin.delete(f"/svc/tokens/{made['id']}/").expect(204)
        message = pipe.request("tools/call", {"name": "list_searches", "arguments": {}})
        expect("error" in message or message["result"].get("isError"), "it works on", message)


@claim("docs/mcp: standard input and output", [Row("no user", ({}, ())), Row("wrong token", ({"SVC_MCP_TOKEN": "trb_x"}, ())),
                                               Row("unknown user", ({}, ("--user", "nobody")))])  # fmt: skip
def without_a_valid_user_the_command_fails(service, settings, arguments):
    with Pipe(service, settings, arguments) as pipe:
        try:
            message = pipe.request("tools/call", {"name": "list_searches", "arguments": {}})
        except (json.JSONDecodeError, BrokenPipeError):
            equal(pipe.process.wait(20) != 0, True, "exit code")
            return
        expect("error" in message or message["result"].get("isError"), "it works", message)


@claim("docs/mcp: standard output is reserved for the protocol")
def a_broken_line_does_not_end_the_command_and_only_messages_are_printed(service):
    with Pipe(service, {"SVC_MCP_TOKEN": tokens["admin"]}) as pipe:
        pipe.request("initialize", hello("2025-06-18"))
        pipe.send("this is no JSON")
        pipe.send({"jsonrpc": "2.0"})
        equal(pipe.request("ping")["result"], {})


@claim("docs/mcp: stdio searches as its user")
def the_command_searches_without_the_server(service):
    provider = add_source(service, source, "stdios", documents("stdios", 2))
    with Pipe(service, {"SVC_MCP_TOKEN": tokens["admin"]}) as pipe:
        pipe.request("initialize", hello("2025-06-18"))
        arguments = {"query": "stdios", "providers": [provider["id"]]}
        result = pipe.request("tools/call", {"name": "search", "arguments": arguments})["result"]["structuredContent"]
        equal((result["total"], len(result["results"])), (2, 2))
        listed = service.admin.get(f"/svc/search/{result['search_id']}/").expect(200).json()
        equal(listed["query_string"], "stdios")
