#!/usr/bin/env python3
"""Measures the capacity of one installation, for docs/capacity.md.

    python3 scripts/capacity.py target/release/tributary [--database-url postgres://…/empty]

Starts the program in a scratch folder and ten sources on loopback, and stops by itself. Reports the CPU time and disk
space of a search, and the memory of a waiting search, an open event stream and an idle connection.
"""

import argparse
import base64
import http.server
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from fairness import PASSWORD, Server, call, create, free_port, provider, wait_until_ready

SOURCES = 10
RESULTS = 10
WARM_UP = 50
SEARCHES = 400
CLIENTS = 8
WAITING = 800
STREAMS = 400
CONNECTIONS = 400
SLOW_SECONDS = 25
BODY = "The gauge at the old bridge shows how the river level moved during the week, in meters above the datum. " * 2
TICKS = os.sysconf("SC_CLK_TCK")


class Source(http.server.BaseHTTPRequestHandler):
    """Returns ten results of about 300 bytes; below /slow after most of a minute."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/slow"):
            time.sleep(SLOW_SECONDS)
        query = self.path.rpartition("=")[2]
        one = lambda n: {"title": f"River level {n} {query}", "url": f"http://example.org{self.path}/{n}", "body": f"{n} {BODY}"}
        body = json.dumps({"items": [one(n) for n in range(RESULTS)]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except BrokenPipeError:
            pass  # the service was stopped while it waited

    def log_message(self, *_):
        pass


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def database_bytes(base):
    status, answer = call(base, "admin", "GET", "/svc/activity/")
    return answer["totals"]["storage"]["used_bytes"] if status == 200 else sys.exit(f"activity: {status} {answer}")


def in_threads(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure_searches(base, pid, names):
    """Concurrent searches: time, CPU time, bytes in the database."""
    left, lock, times = list(range(SEARCHES)), threading.Lock(), []

    def client(_):
        while True:
            with lock:
                if not left:
                    return
                number = left.pop()
            started = time.monotonic()
            status, answer = call(base, "admin", "GET", f"/svc/search/?qs=river+level+{number}&providers={names}")
            assert status == 200 and answer["info"]["results"]["retrieved"] > 0, (status, answer)
            with lock:
                times.append(time.monotonic() - started)

    before, cpu, started = database_bytes(base), cpu_seconds(pid), time.monotonic()
    in_threads(CLIENTS, client)
    elapsed, cpu = time.monotonic() - started, cpu_seconds(pid) - cpu
    grown = database_bytes(base) - before
    times.sort()
    p = lambda q: times[int(len(times) * q)] * 1000
    print(f"{SEARCHES} searches of {SOURCES} sources by {CLIENTS} clients: {SEARCHES / elapsed:.0f} a second on this machine,")
    print(f"  p50 {p(0.5):.0f} ms, p95 {p(0.95):.0f} ms, {1000 * cpu / SEARCHES:.1f} ms CPU each,")
    print(f"  {grown / SEARCHES / 1000:.1f} kB each in the database")


def measure_waiting(base, pid, slow):
    """Searches that wait for their source."""
    users = [f"waiter{number}" for number in range(8)]
    for user in users:
        create(base, "/svc/users/", {"username": user, "password": PASSWORD})
    before, posted = memory(pid), [0] * len(users)

    def post(number):
        for turn in range(WAITING // len(users)):
            draft = {"query_string": f"river {number} {turn}", "searchprovider_list": [str(slow)]}
            status, _ = call(base, users[number], "POST", "/svc/search/", draft)
            posted[number] += status == 201

    in_threads(len(users), post)
    after = memory(pid)
    print(f"{sum(posted)} searches waiting: {(after - before) / max(1, sum(posted)) / 1000:.0f} kB each")


def measure_connections(base, pid, streams):
    """Open connections: idle, or event streams of waiting searches."""
    host, port = base.removeprefix("http://").split(":")
    token = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
    head = f"GET {streams} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {token}\r\nAccept: text/event-stream\r\n\r\n"
    for name, count, text in [("idle connections", CONNECTIONS, ""), ("event streams", STREAMS, head)]:
        before, held = memory(pid), []
        for _ in range(count):
            held.append(socket.create_connection((host, int(port))))
            held[-1].sendall(text.encode())
        time.sleep(2)
        if text:
            answers = [link.recv(64).split(b"\r\n")[0] for link in held]
            is_open = sum(b" 200 " in answer for answer in answers)
        else:
            is_open = count
        print(f"{is_open} {name}: {(memory(pid) - before) / max(1, is_open) / 1000:.0f} kB each")
        for link in held:
            link.close()
        time.sleep(1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program")
    arguments.add_argument("--database-url")
    arguments = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    source = Server(("127.0.0.1", 0), Source)
    threading.Thread(target=source.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{source.server_address[1]}"
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "SVC_ADMIN_PASSWORD": PASSWORD, "SVC_PORT": str(port), "SVC_DATA_DIR": folder,
            "SVC_TIMEOUT": "60", "SVC_CONNECTIONS_PER_ADDRESS": "2000", "SVC_EVENT_STREAMS_PER_USER": "1000",
        }
        if arguments.database_url:
            environment["SVC_DATABASE_URL"] = arguments.database_url
        program = os.path.abspath(arguments.program)
        with open(os.path.join(folder, "console.log"), "wb") as log:
            service = subprocess.Popen([program, "serve"], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            wait_until_ready(base)
            fast = [provider(base, f"Fast {number}", f"{origin}/fast/{number}") for number in range(SOURCES)]
            slow = provider(base, "Slow", origin + "/slow")
            names = ",".join(str(one) for one in fast)
            for number in range(WARM_UP):
                call(base, "admin", "GET", f"/svc/search/?qs=warm+{number}&providers={names}")
            print(f"memory after {WARM_UP} searches: {memory(service.pid) / 1e6:.0f} MB")
            draft = {"query_string": "river", "searchprovider_list": [str(slow)]}
            _, search = call(base, "admin", "POST", "/svc/search/", draft)
            measure_connections(base, service.pid, f"/svc/search/{search['id']}/events/")
            measure_searches(base, service.pid, names)
            print(f"memory after {SEARCHES} more: {memory(service.pid) / 1e6:.0f} MB")
            measure_waiting(base, service.pid, slow)
        finally:
            service.terminate()
            service.wait(60)


if __name__ == "__main__":
    main()
