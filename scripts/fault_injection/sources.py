"""Sources that respond, wait, hang or fail on command, and record their responses."""

import http.server
import json
import threading
import time
import urllib.parse

RESULTS = 5
USUAL_SECONDS = 0.05
HANG_SECONDS = 60


class Sources:
    """`count` sources on one port, below /0/, /1/ and so on."""

    def __init__(self, address, count):
        self.count = count
        self.modes = ["ok"] * count
        # Pairs of source and query with a complete response.
        self.responded = set()
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"sources": self})
        self.server = Server((address, 0), handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def set(self, mode, numbers=None):
        for number in range(self.count) if numbers is None else numbers:
            self.modes[number] = mode

    def note(self, source, query):
        with self.lock:
            self.responded.add((source, query))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        """Suppresses errors about clients that were killed or disconnected."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sources = None

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        source = int(parts.path.strip("/"))
        query = urllib.parse.parse_qs(parts.query)["q"][0]
        mode = self.sources.modes[source]
        if mode == "flap":
            mode = "503" if int(time.time()) % 2 else "ok"
        time.sleep({"hang": HANG_SECONDS, "slow": 3}.get(mode, USUAL_SECONDS))
        items = [
            {"title": f"{query} {number}", "url": f"http://example.org/{source}/{number}", "body": f"about {query}"}
            for number in range(RESULTS)
        ]
        body = json.dumps({"items": items}).encode()
        try:
            self.send_response(503 if mode == "503" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            return
        if mode != "503":
            self.sources.note(source, query)

    def log_message(self, *_):
        pass
