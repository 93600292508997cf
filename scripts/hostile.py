#!/usr/bin/env python3
"""Measures the impact of hostile input on a running server: process memory and latency of others.

Needs only Python. The server must listen on loopback, and the user must be an administrator:

    scripts/hostile.py --base http://127.0.0.1:8000 --pid 4711 --user admin --password … [answers] [sign-ins] [ingests]

By default all three run. `answers` adds SearchProviders for a source inside this script and deletes them afterwards;
`ingests` needs a license for the cache. Each measurement prints the memory of the process (RSS) before,
at its peak and after, and the slowest responses of /svc/health/live/ meanwhile.
"""

import argparse
import base64
import gzip
import http.server
import json
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

SEARCHES = 64
ANSWER_BYTES = 9_600_000
SIGN_INS = 150
SIGN_IN_BYTES = 1_900_000
INGESTS = 3
INGEST_BYTES = 16_000_000
SAMPLE_EVERY_S = 0.02
SETTLE_S = 3


class Service:
    """The server under measurement."""

    def __init__(self, arguments):
        self.base, self.pid = arguments.base.rstrip("/"), arguments.pid
        pair = f"{arguments.user}:{arguments.password}".encode()
        self.authorization = "Basic " + base64.b64encode(pair).decode()
        address = urllib.parse.urlsplit(self.base)
        self.address = (address.hostname, address.port or 80)
        if self.address[0] not in ("127.0.0.1", "localhost", "::1"):
            raise SystemExit("The server must be on this machine.")

    def call(self, method, path, body=None, timeout=120):
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        request.add_header("Authorization", self.authorization)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else text.decode(errors="replace")
        except OSError as error:
            return 0, str(error)

    def rss_mb(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0.0


class Watch:
    """Samples memory and the time of a health check while something runs."""

    def __init__(self, service):
        self.service, self.is_over = service, threading.Event()
        self.before, self.peak, self.times = service.rss_mb(), 0.0, []
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.memory, self.health)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def memory(self):
        while not self.is_over.is_set():
            self.peak = max(self.peak, self.service.rss_mb())
            time.sleep(SAMPLE_EVERY_S)

    def health(self):
        while not self.is_over.is_set():
            started = time.monotonic()
            self.service.call("GET", "/svc/health/live/")
            self.times.append(time.monotonic() - started)
            time.sleep(SAMPLE_EVERY_S)

    def report(self, name, words):
        time.sleep(SETTLE_S)
        times = sorted(self.times) or [0.0]
        middle, high = times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]
        print(
            f"{name}: RSS {self.before:.0f} MB before, {self.peak:.0f} MB at the peak (+{self.peak - self.before:.0f}), "
            f"{self.service.rss_mb():.0f} MB after; health p50 {middle * 1000:.0f} ms, p99 {high * 1000:.0f} ms, "
            f"max {times[-1] * 1000:.0f} ms. {words}",
            flush=True,
        )


def lists(bytes_max):
    """The text with the most values for its bytes: `[0],[0],…`"""
    return b"[" + b"[0]," * (bytes_max // 4) + b"[0]]"


class Source(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same few kilobytes, which decompress to many megabytes."""

    protocol_version = "HTTP/1.1"
    body = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def hostile_answers(service):
    Source.body = gzip.compress(b'{"items":' + lists(ANSWER_BYTES) + b"}", 9)
    listener = Listener(("127.0.0.1", 0), Source)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    port = listener.server_address[1]
    # One source per search, because the circuit breaker of a failed source opens.
    providers = []
    for number in range(SEARCHES):
        spec = {
            "name": f"Hostile source {port} {number}",
            "connector": "RequestsGet",
            "url": f"http://127.0.0.1:{port}/{number}",
            "query_template": "{url}?q={query_string}",
            "response_mappings": "RESULTS=items",
            "result_mappings": "title=title",
        }
        status, provider = service.call("POST", "/svc/searchproviders/", spec)
        if status != 201:
            print(f"answers: the source could not be added: {status} {provider}")
            return
        providers.append(provider)
    responses = []

    def search(provider):
        query = urllib.parse.urlencode({"qs": "river", "providers": str(provider["id"])})
        status, answer = service.call("GET", f"/svc/search/?{query}")
        info = answer.get("info", {}).get(provider["name"], {}) if isinstance(answer, dict) else {}
        responses.append((status, (info.get("error") or {}).get("message", "")))

    with Watch(service) as watch:
        threads = [threading.Thread(target=search, args=(provider,)) for provider in providers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for provider in providers:
        service.call("DELETE", f"/svc/searchproviders/{provider['id']}/")
    listener.shutdown()
    watch.report(f"{SEARCHES} hostile responses of {len(Source.body)} bytes", f"Responses: {counted(responses)}.")


def half_sent_sign_ins(service):
    head = (
        "POST /svc/login/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        f"Content-Length: {SIGN_IN_BYTES + 1}\r\n\r\n"
    ).encode()
    short = head.replace(str(SIGN_IN_BYTES + 1).encode(), b"16384")
    for name, text in [("long", head + b" " * SIGN_IN_BYTES), ("short", short + b" " * 16_000)]:
        held, responses = [], []
        with Watch(service) as watch:
            for _ in range(SIGN_INS):
                client = socket.create_connection(service.address, timeout=10)
                held.append(client)
                try:
                    client.sendall(text)
                except OSError:
                    pass
            time.sleep(2)
            for client in held:
                client.setblocking(False)
                try:
                    responses.append(client.recv(15).decode(errors="replace"))
                except BlockingIOError:
                    responses.append("waiting for the rest")
                except OSError as error:
                    responses.append(type(error).__name__)
        for client in held:
            client.close()
        watch.report(f"{SIGN_INS} half-sent {name} sign-ins", f"Responses: {counted(responses)}.")


def large_ingests(service):
    body = b'{"url":"https://a.example/","title":"x","unknown":' + lists(INGEST_BYTES) + b"}"
    text = json.dumps({"url": "https://a.example/", "title": "x", "body": "word " * (INGEST_BYTES // 5)}).encode()
    for name, data in [("hostile", body), ("plain", text)]:
        responses = []

        def ingest(data=data, responses=responses):
            responses.append(service.call("POST", "/svc/ingest/", data)[0])

        with Watch(service) as watch:
            threads = [threading.Thread(target=ingest) for _ in range(INGESTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        watch.report(f"{INGESTS} {name} ingests of {len(data) // 1_000_000} MB", f"Responses: {counted(responses)}.")


def counted(responses):
    counts = {}
    for one in responses:
        counts[one] = counts.get(one, 0) + 1
    return ", ".join(f"{count} × {one}" for one, count in sorted(counts.items(), key=str))


MEASUREMENTS = {"answers": hostile_answers, "sign-ins": half_sent_sign_ins, "ingests": large_ingests}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="http://127.0.0.1:8000")
    parser.add_argument("--pid", type=int, required=True, help="process of the server")
    parser.add_argument("--user", default="admin")
    parser.add_argument("--password", required=True)
    parser.add_argument("measurements", nargs="*", help=", ".join(MEASUREMENTS))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.measurements if name not in MEASUREMENTS]
    if unknown:
        parser.error(f"no measurement {unknown[0]}; there are {', '.join(MEASUREMENTS)}")
    service = Service(arguments)
    status, _ = service.call("GET", "/svc/users/me/")
    if status != 200:
        raise SystemExit(f"{arguments.user} cannot sign in ({status}).")
    for name in arguments.measurements or MEASUREMENTS:
        MEASUREMENTS[name](service)


if __name__ == "__main__":
    main()
