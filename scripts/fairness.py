#!/usr/bin/env python3
"""Measures fairness between users: some queue slow searches while the searches of another are timed.

    scripts/fairness.py target/release/tributary [--queued 300] [--users 1] [--rounds 100]

Starts the program in a scratch folder and two sources on loopback, and stops by itself.
"""

import argparse
import base64
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PASSWORD = "measured-river-stone-41"
SLOW_SECONDS = 8


class Source(http.server.BaseHTTPRequestHandler):
    """Returns one result, below /slow after eight seconds."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/slow"):
            time.sleep(SLOW_SECONDS)
        body = json.dumps({"items": [{"title": "river level", "url": "http://example.org/1", "body": "river"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(base, user, method, path, body=None):
    """Status and JSON of one request."""
    request = urllib.request.Request(base + path, method=method)
    token = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
    request.add_header("Authorization", f"Basic {token}")
    data = None
    if body is not None:
        request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, data, timeout=120) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def wait_until_ready(base):
    for _ in range(200):
        try:
            with urllib.request.urlopen(base + "/svc/health/ready/", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("the service did not start")


def create(base, path, body):
    status, answer = call(base, "admin", "POST", path, body)
    if status != 201:
        sys.exit(f"POST {path}: {status} {answer}")
    return answer["id"]


def provider(base, name, url):
    return create(base, "/svc/searchproviders/", {
        "name": name, "connector": "RequestsGet", "url": url, "query_template": "{url}?q={query_string}",
        "response_mappings": "RESULTS=items", "result_mappings": "title=title,url=url,body=body",
        "active": True, "default": False, "shared": True,
    })


def measure(base, name, rounds):
    """Sorted durations of bob's searches, and the number of responses other than 200."""
    times, failures = [], 0
    for n in range(rounds):
        started = time.monotonic()
        status, _ = call(base, "bob", "GET", f"/svc/search/?qs=river+{n}&providers={name}")
        times.append(time.monotonic() - started)
        failures += status != 200
    return sorted(times), failures


def show(label, times, failures):
    p = lambda q: times[min(len(times) - 1, int(len(times) * q))] * 1000
    print(f"{label:<34} p50 {p(0.5):8.1f} ms   p99 {p(0.99):8.1f} ms   not 200: {failures}")
    return p(0.99)


def post_all(base, users, provider_id, count):
    """All users post concurrently; counts responses by status."""
    statuses, lock = {}, threading.Lock()

    def post(user):
        for n in range(count // len(users)):
            draft = {"query_string": f"river {user} {n}", "searchprovider_list": [str(provider_id)]}
            status, _ = call(base, user, "POST", "/svc/search/", draft)
            with lock:
                statuses[status] = statuses.get(status, 0) + 1

    threads = [threading.Thread(target=post, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def in_progress(base):
    """Searches that the service has started but not finished."""
    request = urllib.request.Request(base + "/svc/metrics/tasks/")
    request.add_header("Authorization", "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return [line.split()[-1] for line in lines if line.startswith('tasks_queue_active_tasks{queue="search"}')][0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("--queued", type=int, default=300)
    arguments.add_argument("--users", type=int, default=1, help="number of users who queue the slow searches")
    arguments.add_argument("--rounds", type=int, default=100)
    arguments = arguments.parse_args()
    source = Server(("127.0.0.1", 0), Source)
    threading.Thread(target=source.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{source.server_address[1]}"
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SVC_ADMIN_PASSWORD": PASSWORD, "SVC_PORT": str(port), "SVC_DATA_DIR": folder}
        program = os.path.abspath(arguments.program)
        with open(os.path.join(folder, "console.log"), "wb") as log:
            service = subprocess.Popen([program, "serve"], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            wait_until_ready(base)
            users = [f"ann{number}" for number in range(arguments.users)]
            for name in [*users, "bob"]:
                create(base, "/svc/users/", {"username": name, "password": PASSWORD})
            slow, fast = provider(base, "Slow", origin + "/slow"), provider(base, "Fast", origin + "/fast")
            measure(base, fast, 20)
            alone = show("alone", *measure(base, fast, arguments.rounds))
            started = time.monotonic()
            statuses = post_all(base, users, slow, arguments.queued)
            print(f"{arguments.queued} searches posted in {time.monotonic() - started:.1f} s: {statuses}")
            print(f"in progress: {in_progress(base)}")
            beside = show("beside the queued searches", *measure(base, fast, arguments.rounds))
            print(f"in progress at the end: {in_progress(base)}")
            print(f"p99 ratio: {beside / alone:.2f}")
        finally:
            service.terminate()
            service.wait(60)


if __name__ == "__main__":
    main()
