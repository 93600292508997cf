"""Fills the demo of a program over its HTTP API, and saves its database, key and responses.

Called by release_data.sh: release_data.py PROGRAM FOLDER
"""

import base64
import gzip
import http.server
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

PASSWORD = "a password for tests"
USER_PASSWORD = "the password of anna"
API_KEY = "opened-by-the-key-of-the-release"
ENDED = re.compile("_READY$|^ERR_")


class Rivers(http.server.BaseHTTPRequestHandler):
    """A source that requires a key."""

    def do_GET(self):
        is_known = self.headers.get("X-Api-Key") == API_KEY
        items = [
            {
                "title": f"River number {number}",
                "body": f"A text about the river, the {number}th of its kind.",
                "url": f"https://rivers.example/{number}",
                "date": f"2024-03-{number + 1:02}",
                "author": "A. Writer",
            }
            for number in range(5)
        ]
        body = json.dumps({"total": len(items), "items": items}).encode()
        self.send_response(200 if is_known else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Client:
    def __init__(self, base, authorization):
        self.base, self.authorization = base, authorization

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refusal:
            raise SystemExit(f"{method} {path}: {refusal.code} {refusal.read().decode()}") from None

    def get(self, path):
        return self.send("GET", path)

    def search(self, draft):
        search = self.send("POST", "/svc/search/", draft)["id"]
        for _ in range(600):
            if ENDED.search(self.get(f"/svc/search/{search}/")["status"]):
                return search
            time.sleep(0.1)
        raise SystemExit(f"search {search} does not finish")


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def start(program, folder):
    environment = {"SVC_ADMIN_PASSWORD": PASSWORD, "PATH": os.environ["PATH"]}
    demo = subprocess.Popen(
        [program, "demo", "--port", "0"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    for line in demo.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return demo, found.group()
    raise SystemExit("the demo did not start")


def fill(base, source):
    """Creates users, providers, a transform and searches; returns the readers and paths."""
    admin = Client(base, basic("admin", PASSWORD))
    admin.send("POST", "/svc/groups/", {"name": "research"})
    anna = {"username": "anna", "email": "anna@rivers.example", "password": USER_PASSWORD, "groups": ["research"]}
    admin.send("POST", "/svc/users/", anna)
    rivers = admin.send(
        "POST",
        "/svc/searchproviders/",
        {
            "name": "Rivers",
            "url": source,
            "query_template": "{url}?q={query_string}",
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": "title=title,body=body,url=url,date_published=date,author=author",
            "credentials": f"X-Api-Key={API_KEY}",
            "tags": ["Water"],
        },
    )
    transform = {"name": "waters", "qrx_type": "synonym", "config_content": "river,stream\nflood,high water"}
    admin.send("POST", "/svc/querytransforms/", transform)
    anna = Client(base, basic("anna", USER_PASSWORD))
    token = anna.send("POST", "/svc/tokens/", {"label": "laptop"})["token"]
    searches = [
        admin.search({"query_string": "flood warning"}),
        admin.search({"query_string": "battery life", "sort": "date"}),
        admin.search({"query_string": "river", "searchprovider_list": [rivers["id"]], "tags": ["kept"]}),
        admin.search({"query_string": "sediment NOT gravel", "retention": 4}),
    ]
    subscribed = admin.search({"query_string": "river level"})
    admin.send("PATCH", f"/svc/search/{subscribed}/", {"subscribe": True})
    searches.append(subscribed)
    reads = ["/svc/search/", "/svc/searchproviders/", "/svc/querytransforms/", "/svc/users/", "/svc/groups/"]
    reads += ["/svc/pipelines/", "/svc/tokens/", "/svc/results/?page=1&items=3"]
    for search in searches:
        reads += [f"/svc/search/{search}/", f"/svc/results/?search_id={search}"]
    reads += [f"/svc/results/?search_id={searches[0]}&page=1&result_mixer=DateMixer"]
    own = anna.search({"query_string": "river level"})
    for_anna = ["/svc/search/", "/svc/searchproviders/", f"/svc/search/{own}/", f"/svc/results/?search_id={own}"]
    return {
        "admin_password": PASSWORD,
        "user_password": USER_PASSWORD,
        "user_token": token,
        "api_key": API_KEY,
        "sealed_provider": rivers["id"],
        "admin": {path: admin.get(path) for path in reads},
        "user": {path: anna.get(path) for path in for_anna},
    }


def main(program, folder):
    source = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rivers)
    threading.Thread(target=source.serve_forever, daemon=True).start()
    demo, base = start(program, folder)
    try:
        answers = fill(base, f"http://127.0.0.1:{source.server_port}/")
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait(60)
    data = os.path.join(folder, "data", "demo")
    compact = os.path.join(folder, "compact.db")
    with sqlite3.connect(os.path.join(data, "tributary.db")) as database:
        database.execute("VACUUM INTO ?", (compact,))
    with open(compact, "rb") as file, open(os.path.join(folder, "tributary.db.gz"), "wb") as packed:
        packed.write(gzip.compress(file.read(), 9, mtime=0))
    with open(os.path.join(data, "secret.key")) as key, open(os.path.join(folder, "secret.txt"), "w") as copy:
        copy.write(key.read())
    with open(os.path.join(folder, "answers.json.gz"), "wb") as packed:
        # Replace the address of the service in responses.
        text = json.dumps(answers, ensure_ascii=False).replace(base, "")
        packed.write(gzip.compress(text.encode(), 9, mtime=0))


main(*sys.argv[1:])
