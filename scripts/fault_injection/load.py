"""The load: clients that post searches, wait for them and record the responses."""

import base64
import http.client
import json
import random
import threading
import time
import uuid

from cluster import HERE, PASSWORD

FINAL_WAIT = 300
POST_WAIT = 300


class Search:
    def __init__(self, number, query, posted):
        self.number, self.query, self.posted = number, query, posted
        self.ended = None
        self.status = None


class Client:
    """One user, on any web process that responds."""

    def __init__(self, ports, seed):
        self.ports, self.random = list(ports), random.Random(seed)
        token = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}

    def call(self, method, path, body=None, headers=None):
        """Status and JSON; (None, None) without a response."""
        line = http.client.HTTPConnection(HERE, self.random.choice(self.ports), timeout=15)
        try:
            line.request(method, path, json.dumps(body) if body is not None else None, self.headers | (headers or {}))
            answer = line.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError):
            return None, None
        finally:
            line.close()


class Load:
    def __init__(self, ports, clients, seed):
        self.ports, self.seed = ports, seed
        self.searches, self.refusals, self.errors = [], {}, []
        self.lock = threading.Lock()
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.search_on, args=(number,)) for number in range(clients)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def search_on(self, client_number):
        client, count = Client(self.ports, self.seed * 1000 + client_number), 0
        while not self.is_over.is_set():
            count += 1
            search = self.post(client, f"river{client_number}x{count}")
            if search:
                self.follow(client, search)

    def post(self, client, query):
        """Retries with the same idempotency key until there is a definite response."""
        key, end = {"Idempotency-Key": str(uuid.uuid4())}, time.monotonic() + POST_WAIT
        while time.monotonic() < end:
            posted = time.monotonic()
            status, body = client.call("POST", "/svc/search/", {"query_string": query}, key)
            if status == 201:
                search = Search(body["id"], query, posted)
                with self.lock:
                    self.searches.append(search)
                return search
            with self.lock:
                self.refusals[status] = self.refusals.get(status, 0) + 1
                if status not in (None, 409, 429, 503, 507):
                    self.errors.append(f"POST returned {status}: {body}")
            time.sleep(0.5)
        self.errors.append(f"a search was rejected for {POST_WAIT} s")
        return None

    def follow(self, client, search):
        end = time.monotonic() + FINAL_WAIT
        while time.monotonic() < end:
            status, body = client.call("GET", f"/svc/search/{search.number}/")
            if status == 200 and is_final(body["status"]):
                search.ended, search.status = time.monotonic(), body["status"]
                return
            if status == 404:
                self.errors.append(f"search {search.number} is lost")
                return
            time.sleep(0.2)

    def ended_between(self, start, end):
        with self.lock:
            return [one for one in self.searches if one.ended and start <= one.ended < end]


def is_final(status):
    return status.endswith("_READY") or status.startswith("ERR_")
