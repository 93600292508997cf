"""A service in an empty folder, started as an operator starts it, and HTTP clients for it."""

import base64
import dataclasses
import http.client
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.parse

from .source import free_port

READY_WAIT_S = 60
STOP_WAIT_S = 30
SEARCH_WAIT_S = 30
ADMIN_PASSWORD = "claims-Admin-1"
# Requests are not limited, unless a module is about limits.
UNLIMITED = {
    name: "None"
    for name in ["SVC_THROTTLE_LOGIN", "SVC_THROTTLE_SEARCH", "SVC_THROTTLE_RAG", "SVC_THROTTLE_MCP", "DOCS_CHAT_THROTTLE_RATE"]
}


@dataclasses.dataclass
class Response:
    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)

    def expect(self, *statuses):
        """This response, if its status is one of these."""
        if self.status not in statuses:
            raise AssertionError(f"expected HTTP {' or '.join(map(str, statuses))}, got {self.status}: {self.text[:800]}")
        return self


class Client:
    """Calls the service as one user. Paths begin with a slash; parameters are encoded."""

    def __init__(self, port, authorization=None):
        self.port, self.authorization = port, authorization

    def call(self, method, path, body=None, params=None, headers=None, timeout=60):
        if params:
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(params, doseq=True)
        sent = {"Authorization": self.authorization} if self.authorization else {}
        if body is not None and not isinstance(body, (bytes, str)):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, sent)
            answer = connection.getresponse()
            content = answer.read()
            return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)
        finally:
            connection.close()

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.call("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.call("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.call("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.call("DELETE", path, **options)

    def create_provider(self, **fields):
        """A SearchProvider with these fields; its RequestsGet defaults fit a Source that responds {"items": […]}."""
        record = {
            "connector": "RequestsGet", "active": True, "default": True, "query_template": "{url}?q={query_string}",
            "response_mappings": "RESULTS=items", "result_mappings": "title=title,body=body,url=url",
            "query_processors": ["AdaptiveQueryProcessor"],
            "result_processors": ["MappingResultProcessor", "CosineRelevancyResultProcessor"],
            **fields,
        }  # fmt: skip
        return self.post("/svc/searchproviders/", record).expect(201).json()

    def search(self, query, **params):
        """The mixed results of `qs`. `providers` may be a list of ids."""
        if isinstance(params.get("providers"), (list, tuple)):
            params["providers"] = ",".join(str(each) for each in params["providers"])
        return self.get("/svc/search/", params={"qs": query, **params}).expect(200).json()

    def run_search(self, query_string, **fields):
        """Creates a Search by POST, waits for its end and returns it."""
        created = self.post("/svc/search/", {"query_string": query_string, **fields}).expect(201).json()
        return self.finished_search(created["id"])

    def finished_search(self, search_id):
        def finished():
            search = self.get(f"/svc/search/{search_id}/").expect(200).json()
            return search if search["status"].endswith("_READY") or search["status"].startswith("ERR_") else None

        return eventually(finished, SEARCH_WAIT_S, f"search {search_id} did not end")

    def results(self, search_id, **params):
        return self.get("/svc/results/", params={"search_id": search_id, **params}).expect(200).json()


def eventually(attempt, wait_s=SEARCH_WAIT_S, message="it did not happen in time"):
    """The first true value of `attempt`, which is called until then."""
    end = time.monotonic() + wait_s
    while time.monotonic() < end:
        value = attempt()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(message)


class Service:
    """`with Service(program, settings) as service` runs `tributary serve` in an empty folder."""

    def __init__(self, program, settings=None):
        self.program, self.settings = os.path.abspath(program), settings or {}

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="tributary-claims-")
        self.folder = pathlib.Path(self.temporary.name)
        self.data, self.port = self.folder / "data", free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "SVC_DATA_DIR": str(self.data), "SVC_PORT": str(self.port),
            "SVC_ADMIN_PASSWORD": ADMIN_PASSWORD, **UNLIMITED, **self.settings,
        }  # fmt: skip
        self.admin = self.client("admin", ADMIN_PASSWORD)
        self.nobody = Client(self.port)
        self.start()
        return self

    def start(self):
        self.console = (self.folder / "console.log").open("ab")
        self.process = subprocess.Popen(
            [self.program, "serve"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=self.console, stderr=self.console,
        )  # fmt: skip
        try:
            eventually(self.is_ready, READY_WAIT_S)
        except AssertionError:
            raise SystemExit(f"the service did not start:\n{self.console_text()}") from None

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError
        try:
            return self.nobody.get("/svc/health/ready/").status == 200
        except OSError:
            return False

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.console.close()

    def __exit__(self, *_):
        self.stop()
        self.temporary.cleanup()

    def console_text(self):
        return (self.folder / "console.log").read_text(errors="replace")

    def client(self, user, password):
        return Client(self.port, "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode())

    def user(self, name, groups=(), is_admin=False):
        """A new user and a client of theirs."""
        password = f"{name}-Pass-1"
        for group in groups:
            self.admin.post("/svc/groups/", {"name": group}).expect(201, 400, 409)
        body = {"username": name, "password": password, "groups": list(groups), "is_admin": is_admin}
        self.admin.post("/svc/users/", body).expect(201)
        return self.client(name, password)

    def command(self, *arguments, stdin=None, timeout=60):
        """Runs a command of the program on the data folder of this service."""
        return subprocess.run(
            [self.program, *map(str, arguments)], cwd=self.folder, env=self.environment, input=stdin,
            capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
