"""The cache with its vectors in a Qdrant server: what is stored there, who finds it, and a server that comes back."""

import contextlib
import json
import math

from harness import Reply, Row, Service, claim, equal, eventually, expect
from harness.documents import CACHE_NAME, cached_results, search_cache, supply, text_of
from harness.license import licensed
from harness.source import Request, Source

BASIC = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1"}
NAME = "swirl_corpus"


class Qdrant(Source):
    """A Qdrant server that compares every point. Fields of filters are those that the service uses."""

    def __init__(self):
        super().__init__()
        self.collections, self.is_down = {}, False

    def respond(self, request: Request):
        with self.lock:
            self.requests.append(request)
        if self.is_down:
            return Reply("down", 503)
        if request.headers.get("api-key") != "qdrant-key":
            return Reply({"status": {"error": "Must provide an API key"}}, 401)
        body = json.loads(request.body) if request.body else {}
        parts = request.path.strip("/").split("/")
        with self.lock:
            result = self.step(request.method, parts, body)
        if result is None:
            return Reply({"status": {"error": f"Not found: Collection `{NAME}` doesn't exist!"}, "time": 0.0}, 404)
        return Reply({"result": result, "status": "ok", "time": 0.001})

    def step(self, method, parts, body):
        if parts == ["collections"]:
            return {"collections": [{"name": name} for name in self.collections]}
        name, rest = parts[1], parts[2:]
        if not rest and method == "PUT":
            self.collections[name] = {"config": {"params": body}, "schema": {}, "points": {}}
            return True
        if not rest and method == "DELETE":
            return self.collections.pop(name, None) is not None
        if name not in self.collections:
            return None
        own = self.collections[name]
        points = own["points"]
        if not rest:
            shown = {field: {"data_type": kind} for field, kind in own["schema"].items()}
            return {"status": "green", "config": own["config"], "payload_schema": shown, "points_count": len(points)}
        if rest == ["index"]:
            own["schema"][body["field_name"]] = body["field_schema"]
        elif rest == ["points", "batch"]:
            for operation in body["operations"]:
                if "upsert" in operation:
                    points.update({point["id"]: point for point in operation["upsert"]["points"]})
                else:
                    self.remove(points, operation["delete"]["filter"])
        elif rest == ["points", "delete"]:
            self.remove(points, body["filter"])
        elif rest == ["points", "payload"]:
            for point in points.values():
                if fits(point, body["filter"]):
                    point["payload"].update(body["payload"])
        elif rest == ["points", "query"]:
            return {"points": nearest(points.values(), body)}
        elif rest == ["points", "scroll"]:
            found = [point for _, point in sorted(points.items()) if point["id"] >= (body.get("offset") or 0)]
            page, following = found[: body["limit"]], found[body["limit"] :]
            shown = [{"id": point["id"], "payload": point["payload"] if body.get("with_payload", True) else None} for point in page]
            return {"points": shown, "next_page_offset": following[0]["id"] if following else None}
        elif rest == ["points", "count"]:
            return {"count": len(points)}
        return {"operation_id": 1, "status": "completed"}

    def remove(self, points, condition):
        for identifier in [identifier for identifier, point in points.items() if fits(point, condition)]:
            del points[identifier]

    def points(self):
        with self.lock:
            return list(self.collections.get(NAME, {}).get("points", {}).values())


def fits(point, condition):
    for part in (condition or {}).get("must", []):
        value = point["payload"].get(part["key"])
        if "range" in part:
            if not value >= part["range"]["gte"]:
                return False
        else:
            wanted = part["match"].get("any") or [part["match"].get("value")]
            if not set(value if isinstance(value, list) else [value]) & set(wanted):
                return False
    return True


def nearest(points, body):
    def score(point):
        own, asked = point["vector"].get(body["using"]), body["query"]
        if own is None:
            return 0.0
        if isinstance(asked, list):
            length = math.sqrt(sum(x * x for x in own)) * math.sqrt(sum(x * x for x in asked))
            return sum(x * y for x, y in zip(own, asked, strict=True)) / (length or 1.0)
        weights = dict(zip(own["indices"], own["values"], strict=True))
        return sum(value * weights.get(index, 0.0) for index, value in zip(asked["indices"], asked["values"], strict=True))

    found = [(score(point), point["id"]) for point in points if fits(point, body.get("filter"))]
    if not isinstance(body["query"], list):
        found = [each for each in found if each[0] > 0]
    return [{"id": identifier, "version": 1, "score": value} for value, identifier in sorted(found, reverse=True)[: body["limit"]]]


server = Qdrant()
QDRANT = {"SVC_QDRANT_URL": server.base, "SVC_QDRANT_API_KEY": "qdrant-key"}
SETTINGS = licensed(**BASIC, **QDRANT, SVC_QDRANT_MODE="external")
cleanup = contextlib.ExitStack()


def prepare(service):
    cleanup.enter_context(server)


def finish():
    cleanup.close()


@claim("interface: SVC_QDRANT_MODE, SVC_QDRANT_URL; ai-cache 2.6: payload of a point, collection swirl_corpus")
def documents_are_stored_in_the_collection_and_found(service):
    signal_id = supply(service.admin, "https://q.example/1", text_of(501, 220), "Stored there")["signal_id"]
    expect(signal_id in cached_results(service.admin, text_of(501, 12)), "it is not found")
    own = [point for point in server.points() if point["payload"]["signal_id"] == signal_id]
    expect(own, "no points", server.collections)
    equal(sorted(own[0]["payload"]), ["acl", "chunk", "date", "end", "matter_tags", "mime", "provider_id", "signal_id", "start"])
    equal(len(own[0]["vector"]["dense"]), server.collections[NAME]["config"]["params"]["vectors"]["dense"]["size"])
    expect("number501" not in json.dumps(own), "the text stays in the records")


@claim("ai-cache 2.6: the access list is inside the vector query")
def the_access_list_is_part_of_the_query(service):
    ann, bob = service.user("ann"), service.user("bob")
    signal_id = supply(ann, "https://q.example/2", text_of(502, 220))["signal_id"]
    expect(signal_id in cached_results(ann, text_of(502, 12)), "its owner does not find it")
    equal(signal_id in cached_results(bob, text_of(502, 12)), False)
    asked = [request.json() for request in server.requests if request.path.endswith("/query")]
    expect(all(each["filter"]["must"][0]["key"] == "acl" for each in asked), "a query without an access list", asked[-1])


@claim("ai-cache 2.5: un-index removes vectors")
def a_removed_document_leaves_the_collection(service):
    signal_id = supply(service.admin, "https://q.example/3", text_of(503, 220))["signal_id"]
    service.admin.post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(200)
    eventually(lambda: all(point["payload"]["signal_id"] != signal_id for point in server.points()), 20, "its points are there")


@claim("ai-cache 2.6: a server that does not answer is an error of the cache alone, and it comes back")
def a_server_that_is_down_comes_back(service):
    signal_id = supply(service.admin, "https://q.example/4", text_of(504, 220))["signal_id"]
    server.is_down = True
    try:
        answer = search_cache(service.admin, text_of(504, 12))
        equal((answer["info"][CACHE_NAME]["status"], answer["results"]), ("error", []))
        equal(service.admin.get("/svc/cache/statistics/").expect(200).json()["vector_store"]["ok"], False)
        service.admin.get(f"/svc/cache/{signal_id}/").expect(200)
    finally:
        server.is_down = False
    eventually(lambda: signal_id in cached_results(service.admin, text_of(504, 12)), 60, "it is not found any more")


@claim("ai-cache 2.6: the vector store is an index over the records", rows=[
    Row("collection deleted", (("reindex_corpus",), True)), Row("points deleted", (("reindex_corpus",), False)),
])  # fmt: skip
def lost_vectors_are_made_again(service, command, is_whole):
    seed = 505 + is_whole
    signal_id = supply(service.admin, f"https://q.example/{seed}", text_of(seed, 220))["signal_id"]
    with server.lock:
        if is_whole:
            server.collections.clear()
        else:
            server.collections[NAME]["points"].clear()
    answer = service.command(*command)
    equal(answer.returncode, 0, answer.stdout + answer.stderr)
    expect(any(point["payload"]["signal_id"] == signal_id for point in server.points()), "its points are not there")
    eventually(lambda: signal_id in cached_results(service.admin, text_of(seed, 12)), 40, "it is not found")


@claim("interface: SVC_QDRANT_MODE docker is a server, too; a wrong key is an error", rows=[
    Row("docker", ("docker", "qdrant-key", "ok")), Row("wrong key", ("external", "other", "error")),
])  # fmt: skip
def the_mode_and_the_key_decide(service, mode, key, expected):
    with Service(service.program, licensed(**BASIC, SVC_QDRANT_MODE=mode, SVC_QDRANT_URL=server.base, SVC_QDRANT_API_KEY=key)) as other:
        found = other.admin.get("/svc/cache/statistics/").expect(200).json()["vector_store"]
        equal(found["ok"], expected == "ok", json.dumps(found))
        expect("qdrant-key" not in json.dumps(found), "the key")
