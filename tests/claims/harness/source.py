"""A source of results on loopback: an HTTP server whose responses the claims decide."""

import dataclasses
import http.server
import json
import socket
import threading
import urllib.parse


@dataclasses.dataclass
class Request:
    method: str
    path: str
    query: dict
    target: str
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)


@dataclasses.dataclass
class Reply:
    body: object = b""
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)

    def encoded(self):
        if isinstance(self.body, bytes):
            return self.body, "application/octet-stream"
        if isinstance(self.body, str):
            return self.body.encode(), "text/plain; charset=utf-8"
        return json.dumps(self.body).encode(), "application/json"


class Source:
    """`with Source() as source` runs it. `source.route(path, respond)` sets the response of a path: a Reply, a JSON value,
    or a function from a Request to either. `source.requests` has all requests, in order."""

    def __init__(self):
        self.routes, self.requests, self.lock = {}, [], threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.base = f"http://{self.host}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def route(self, path, respond):
        self.routes[path] = respond
        return self.base + path

    def asked(self, path):
        """The requests for this path so far."""
        with self.lock:
            return [request for request in self.requests if request.path == path]

    def respond(self, request):
        with self.lock:
            self.requests.append(request)
        found = self.routes.get(request.path, Reply("not found", 404))
        found = found(request) if callable(found) else found
        return found if isinstance(found, Reply) else Reply(found)

    def handler(source):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self):
                parts = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = source.respond(Request(self.command, parts.path, query, self.path, headers, body))
                content, kind = reply.encoded()
                self.send_response(reply.status)
                for name, value in {"Content-Type": kind, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer

            def log_message(self, *_):
                pass

        return Handler


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
