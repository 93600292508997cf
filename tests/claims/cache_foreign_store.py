"""Stores that the service shares with other programs: a foreign Qdrant collection, and an S3 bucket."""

import contextlib
import hashlib
import hmac
import json
import urllib.parse

from harness import Reply, Row, Service, claim, equal, eventually, expect
from harness.documents import CACHE_NAME, search_cache, supply, text_of
from harness.license import licensed
from harness.source import Request, Source

BASIC = {"SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1"}
POINTS = [{"id": number, "payload": {"page": number, "text": "somebody else's"}} for number in range(1, 6)]
cleanup = contextlib.ExitStack()
STATE = {}


class ForeignQdrant(Source):
    """A Qdrant server whose collection `swirl_corpus` another program made."""

    def respond(self, request: Request):
        with self.lock:
            self.requests.append(request)
        path, body = request.path, {"status": "ok", "time": 0.001}
        if path == "/collections/swirl_corpus":
            params = {"vectors": {"size": 4, "distance": "Cosine"}}
            body["result"] = {
                "status": "green", "points_count": len(POINTS), "payload_schema": {}, "config": {"params": params}
            }
        elif path == "/collections":
            body["result"] = {"collections": [{"name": "swirl_corpus"}]}
        elif path.endswith(("/scroll", "/query")):
            body["result"] = {"points": POINTS, "next_page_offset": None}
        elif path.endswith("/count"):
            body["result"] = {"count": len(POINTS)}
        else:
            body["result"] = {"operation_id": 1, "status": "completed"}
        return Reply(body)

    def changes(self):
        """Requests that would change something of the other program."""
        return [
            f"{each.method} {each.path}" for each in self.requests
            if each.method in ("PUT", "PATCH", "DELETE") or each.path.rsplit("/", 1)[-1] in ("delete", "batch", "payload", "vectors")
        ]  # fmt: skip


foreign = ForeignQdrant()
SETTINGS = licensed(**BASIC, SVC_QDRANT_MODE="external", SVC_QDRANT_URL=foreign.base)


def prepare(service):
    cleanup.enter_context(foreign)


def finish():
    cleanup.close()


@claim("ai-cache 2.6: a foreign collection stops cache search with a clear message")
def a_foreign_collection_is_an_error_of_the_cache(service):
    info = search_cache(service.admin, "anything")["info"][CACHE_NAME]
    equal((info["status"], info["retrieved"]), ("error", 0))
    expect("swirl_corpus" in info["error"]["message"], "the message names the collection", info["error"])
    equal(foreign.changes(), [])


@claim("docs/cache: a request does not say that a document is stored which no search can find")
def a_document_is_not_said_to_be_stored(service):
    body = {"url": "https://foreign.example/1", "title": "X", "body": text_of(1, 210), "wait": True}
    response = service.admin.post("/svc/ingest/", body, timeout=60)
    expect(response.status != 200 or response.json()["state"] == "known", "it says that the document is in the cache", response.text)
    equal(foreign.changes(), [])


@claim("docs/cache: statistics and doctor name it")
def statistics_and_doctor_name_a_foreign_collection(service):
    found = service.admin.get("/svc/cache/statistics/").expect(200).json()
    equal(found["vector_store"]["ok"], False)
    answer = service.command("doctor")
    expect("swirl_corpus" in answer.stdout + answer.stderr, "doctor", answer.stdout, answer.stderr)
    expect("put right" not in answer.stdout and "repaired" not in answer.stdout, "it repairs", answer.stdout)
    equal(foreign.changes(), [])


@claim("docs/cache: another program's collection is left alone", rows=[
    Row(" ".join(words), (words,)) for words in [
        ("reindex_corpus",), ("upgrade_corpus_to_hybrid",), ("init_qdrant",), ("reset_semantic_cache", "--yes"),
        ("drop_entity_collection",),
    ]
])  # fmt: skip
def a_command_leaves_a_foreign_collection_alone(service, words):
    answer = service.command(*words)
    expect("panicked" not in answer.stderr, "it panics", answer.stderr)
    if words[0] in ("reindex_corpus", "upgrade_corpus_to_hybrid", "init_qdrant"):
        expect(answer.returncode != 0 and "swirl_corpus" in answer.stdout + answer.stderr, "it is refused", answer.stdout, answer.stderr)
    equal(foreign.changes(), [])


KEY, SECRET, BUCKET = "claims-key", "claims-secret", "claims-bodies"


class Bucket(Source):
    """An S3 server with one bucket, addressed by path. It checks signatures of version 4."""

    def __init__(self):
        super().__init__()
        self.objects, self.refused, self.exists = {}, [], False

    def respond(self, request: Request):
        with self.lock:
            self.requests.append(request)
        if not self.is_signed(request):
            self.refused.append(f"{request.method} {request.target}")
            return Reply("<Error><Code>SignatureDoesNotMatch</Code></Error>", 403)
        bucket, _, key = urllib.parse.unquote(request.path).lstrip("/").partition("/")
        if bucket != BUCKET or not self.exists and not (request.method == "PUT" and not key):
            return Reply("<Error><Code>NoSuchBucket</Code></Error>", 404)
        if not key:
            self.exists = True
            return self.listing(request) if request.method == "GET" else Reply("")
        if request.method == "PUT":
            self.objects[key] = request.body
            return Reply("", 200, {"ETag": '"x"'})
        if request.method == "DELETE":
            self.objects.pop(key, None)
            return Reply("", 204)
        return Reply(self.objects[key]) if key in self.objects else Reply("<Error><Code>NoSuchKey</Code></Error>", 404)

    def listing(self, request):
        keys = sorted(key for key in self.objects if key.startswith(request.query.get("prefix", "")))
        parts = "".join(f"<Contents><Key>{key}</Key><Size>1</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>" for key in keys)
        return Reply(f"<ListBucketResult><IsTruncated>false</IsTruncated>{parts}</ListBucketResult>", 200, {"Content-Type": "application/xml"})

    def is_signed(self, request):
        head = request.headers.get("authorization", "")
        if not head.startswith("AWS4-HMAC-SHA256 "):
            return False
        fields = dict(part.strip().split("=", 1) for part in head.removeprefix("AWS4-HMAC-SHA256 ").split(","))
        key, day, region, service, _ = fields["Credential"].split("/")
        query = sorted(part if "=" in part else part + "=" for part in request.target.partition("?")[2].split("&") if part)
        names = fields["SignedHeaders"].split(";")
        canonical = "\n".join([
            request.method, request.path, "&".join(query), *(f"{name}:{request.headers[name].strip()}" for name in names), "",
            ";".join(names), request.headers["x-amz-content-sha256"],
        ])  # fmt: skip
        scope = f"{day}/{region}/{service}/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signing = f"AWS4{SECRET}".encode()
        for part in [day, region, service, "aws4_request"]:
            signing = hmac.digest(signing, part.encode(), "sha256")
        body = request.headers["x-amz-content-sha256"]
        is_whole = body in ("UNSIGNED-PAYLOAD", hashlib.sha256(request.body).hexdigest())
        return key == KEY and is_whole and hmac.new(signing, text.encode(), "sha256").hexdigest() == fields["Signature"]


@contextlib.contextmanager
def with_bucket(service, **settings):
    with Bucket() as bucket:
        storage = {
            "SVC_STORAGE_BACKEND": "s3", "SVC_STORAGE_ENDPOINT": bucket.base, "SVC_STORAGE_BUCKET": BUCKET,
            "SVC_STORAGE_ACCESS_KEY": KEY, "SVC_STORAGE_SECRET_KEY": SECRET,
        }  # fmt: skip
        with Service(service.program, licensed(**BASIC, **storage, **settings)) as other:
            yield bucket, other


@claim("interface: Limits, SVC_STORAGE_BACKEND=s3 with SVC_STORAGE_ENDPOINT, SVC_STORAGE_BUCKET; ai-cache 2.12: bodies")
def bodies_are_stored_in_a_bucket_under_their_hash(service):
    with with_bucket(service) as (bucket, other):
        signal_id = supply(other.admin, "https://s3.example/1", text_of(2, 210))["signal_id"]
        equal(bucket.refused, [], "signatures")
        bodies = {key: data for key, data in bucket.objects.items() if key.endswith(".zst")}
        equal(len(bodies), 1)
        [(key, data)] = bodies.items()
        folder, _, name = key.rpartition("/")
        equal(folder[-2:], name[:2], "the folder is the first two characters of the hash")
        equal(data[:4], b"\x28\xb5\x2f\xfd", "zstd")
        equal(list((other.data / "bodies").rglob("*.zst")) if (other.data / "bodies").exists() else [], [], "nothing on the disk")
        other.admin.post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(200)
        other.admin.get(f"/svc/cache/{signal_id}/").expect(404)


@claim("ai-cache 2.1: init_storage creates the bucket; without it the start warns and goes on")
def the_bucket_is_created(service):
    with with_bucket(service) as (bucket, other):
        eventually(lambda: bucket.exists, 20, "the bucket is not created")
        bucket.exists = False
        answer = other.command("init_storage")
        equal((answer.returncode, bucket.exists), (0, True), answer.stdout + answer.stderr)


@claim("ai-cache 2.12: a bucket that does not answer stores nothing, and says so")
def a_bucket_that_fails_is_told(service):
    with with_bucket(service) as (bucket, other):
        bucket.respond = lambda request: Reply("<Error><Code>InternalError</Code></Error>", 500)
        body = {"url": "https://s3.example/2", "body": text_of(3, 210), "wait": True}
        response = other.admin.post("/svc/ingest/", body, timeout=60)
        expect(response.status != 200 or response.json()["state"] == "known", "it says that it is stored", response.text)
        expect(SECRET not in response.text and SECRET not in json.dumps(other.admin.get("/svc/cache/").json()), "the secret")
        other.admin.search("copper")
