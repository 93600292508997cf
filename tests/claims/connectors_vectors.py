"""Vector databases as sources: Qdrant and Pinecone, asked with the vector of the query."""

import json

from harness import Reply, Row, Source, claim, equal, expect
from harness.federation import titles

source = Source()
SETTINGS = {"SVC_OUTBOUND_ALLOW": "127.0.0.1"}
DIMENSIONS = 256
POINTS = [
    {"id": 1, "score": 0.9, "payload": {"title": "Copper roof", "body": "About roofs", "url": "https://v.example/1", "published": "2024-01-01"}},
    {"id": "b-2", "score": 0.5, "payload": {"title": "Copper coin", "body": "About coins", "url": "https://v.example/2", "published": "2025-01-01"}},
]  # fmt: skip
MATCHES = [{"id": str(each["id"]), "score": each["score"], "metadata": each["payload"]} for each in POINTS]


def prepare(service):
    source.__enter__()
    server = service.admin.post("/svc/aiproviders/", {
        "name": "Vectors", "model": "openai/embedding-small", "api_key": "sk-claims", "active": True, "tags": ["reader"],
        "config": {"api_base": f"{source.base}/v1"},
    })  # fmt: skip
    server.expect(201)
    source.route("/v1/embeddings", lambda request: {
        "object": "list", "model": "embedding-small", "usage": {"prompt_tokens": 1, "total_tokens": 1},
        "data": [{"object": "embedding", "index": n, "embedding": [1.0, 0.0, 0.0]} for n in range(inputs(request))],
    })  # fmt: skip


def finish():
    source.__exit__()


def inputs(request):
    text = request.json()["input"]
    return 1 if isinstance(text, str) else len(text)


def qdrant(service, name, respond=None, **fields):
    """A provider of the collection with this name; names of collections have no hyphens."""
    body = {"result": {"points": POINTS}, "status": "ok", "time": 0.001}
    source.route(f"/collections/{name}/points/query", body if respond is None else respond)
    return create(service, name, connector="QdrantDB", url=f"{source.base}-{name}", credentials="qdrant-key", **fields)


def pinecone(service, name, respond=None, **fields):
    """A provider of an index on the host of the source, at the path of all indexes."""
    source.route("/query", {"matches": MATCHES, "namespace": ""} if respond is None else respond)
    return create(service, name, connector="PineconeDB", url=source.base, credentials="pinecone-key", **fields)


def create(service, name, **fields):
    record = {"name": name, "default": False, "result_mappings": "title=title,body=body,url=url", **fields}
    return service.admin.post("/svc/searchproviders/", record).expect(201).json()["id"]


def sent(path):
    return source.asked(path)[-1]


@claim("core 11.1: QdrantDB")
def a_collection_is_asked_with_the_vector_of_the_query(service):
    response = service.admin.search("copper", providers=[qdrant(service, "reports")])
    request = sent("/collections/reports/points/query")
    body = request.json()
    equal((request.method, request.headers["api-key"]), ("POST", "qdrant-key"))
    equal((len(body["query"]), body["with_payload"]), (DIMENSIONS, True))
    expect(body["limit"] >= 10, "the number of results", body["limit"])
    equal(sorted(titles(response)), ["Copper coin", "Copper roof"])
    equal((response["info"]["reports"]["status"], response["info"]["reports"]["retrieved"]), ("ok", 2))


@claim("core 11.1: PineconeDB")
def an_index_is_asked_with_the_vector_of_the_query(service):
    response = service.admin.search("copper", providers=[pinecone(service, "index one")])
    request = sent("/query")
    body = request.json()
    equal((request.method, request.headers["api-key"]), ("POST", "pinecone-key"))
    equal((len(body["vector"]), body["includeMetadata"]), (DIMENSIONS, True))
    expect(body["topK"] >= 10, "the number of results", body["topK"])
    equal(sorted(titles(response)), ["Copper coin", "Copper roof"])


@claim("core 11.1: payload or metadata with id and similarity", rows=[
    Row("QdrantDB", (qdrant, "mapped", "b-2")), Row("PineconeDB", (pinecone, "mapped index", "b-2")),
])  # fmt: skip
def results_have_an_id_and_a_similarity(service, make, name, second):
    provider = make(service, name, result_mappings="title=title,url=url,number=id,nearness=similarity,NO_PAYLOAD")
    found = {each["url"][-1]: each["payload"] for each in service.admin.search("copper", providers=[provider])["results"]}
    equal((found["1"]["nearness"], found["2"]["nearness"], found["2"]["number"]), (0.9, 0.5, second))


@claim("interface: AutomaticPayloadMapper after blank mappings; core 11.2: Vectors - Qdrant, Vectors - Pinecone", rows=[
    Row("QdrantDB", (qdrant, "unmapped")), Row("PineconeDB", (pinecone, "unmapped index")),
])  # fmt: skip
def unmapped_payloads_become_results(service, make, name):
    processors = ["MappingResultProcessor", "AutomaticPayloadMapperResultProcessor", "CosineRelevancyResultProcessor"]
    provider = make(service, name, result_mappings="", result_processors=processors)
    equal(sorted(titles(service.admin.search("copper", providers=[provider]))), ["Copper coin", "Copper roof"])


@claim("core 11.1: the vector of the model that a tag names", rows=[
    Row("QdrantDB", (qdrant, "named", "/collections/named/points/query", "query")),
    Row("PineconeDB", (pinecone, "named index", "/query", "vector")),
])  # fmt: skip
def a_tag_names_the_model_of_the_vector(service, make, name, path, key):
    provider = make(service, name, tags=["model:Vectors"])
    service.admin.search("copper roof", providers=[provider])
    equal(sent(path).json()[key], [1.0, 0.0, 0.0])
    expect("copper roof" in json.dumps(sent("/v1/embeddings").json()["input"]), "the query", sent("/v1/embeddings").json())


@claim("core 11.1: a model that does not exist is an error")
def a_tag_that_names_no_model_is_an_error(service):
    record = {
        "name": "no such model", "connector": "QdrantDB", "url": f"{source.base}-nomodel", "default": False,
        "tags": ["model:Nobody"], "result_mappings": "title=title",
    }  # fmt: skip
    response = service.admin.post("/svc/searchproviders/", record)
    if response.status == 400:
        return
    provider = response.expect(201).json()["id"]
    equal(service.admin.search("copper", providers=[provider])["info"]["no such model"]["status"], "error")
    equal(source.asked("/collections/nomodel/points/query"), [])


@claim("core 11.1: the last hyphen of the address; quirks, Records: collection=", rows=[
    Row("host with a hyphen", ("-last_part", "", "last_part")),
    Row("collection with a hyphen", ("", "collection=my-reports", "my-reports")),
])  # fmt: skip
def the_collection_is_behind_the_last_hyphen_or_named(service, suffix, mappings, collection):
    path = f"/collections/{collection}/points/query"
    source.route(path, {"result": {"points": POINTS}})
    name = f"hyphen {collection}"
    provider = create(
        service, name, connector="QdrantDB", url=source.base + suffix, credentials="k", query_mappings=mappings
    )
    equal(service.admin.search("copper", providers=[provider])["info"][name]["retrieved"], 2)
    equal(len(source.asked(path)), 1)


@claim("interface: vector database connectors, the key may be empty")
def a_key_may_be_missing(service):
    source.route("/collections/open/points/query", {"result": {"points": POINTS}})
    provider = create(service, "open", connector="QdrantDB", url=f"{source.base}-open", credentials="")
    equal(service.admin.search("copper", providers=[provider])["info"]["open"]["status"], "ok")
    expect("api-key" not in sent("/collections/open/points/query").headers, "a key was sent")


@claim("docs: distance=l2, the nearest result is the most similar", rows=[
    Row("QdrantDB", (qdrant, "euclid")), Row("PineconeDB", (pinecone, "euclid index")),
])  # fmt: skip
def small_distances_are_great_similarities(service, make, name):
    provider = make(service, name, query_mappings="distance=l2", result_mappings="title=title,url=url,nearness=similarity")
    found = {each["url"][-1]: each["payload"] for each in service.admin.search("copper", providers=[provider])["results"]}
    expect(found["2"]["nearness"] > found["1"]["nearness"], "score 0.5 is nearer than 0.9", found)
    expect(0 < found["2"]["nearness"] <= 1, "between 0 and 1", found)


@claim("interface: date sort", rows=[
    Row("QdrantDB", (qdrant, "dated")), Row("PineconeDB", (pinecone, "dated index")),
])  # fmt: skip
def the_newest_of_the_nearest_come_first(service, make, name):
    provider = make(
        service, name, query_mappings="sort_by_date=published",
        result_mappings="title=title,url=url,date_published=published",
    )
    search = service.admin.run_search("copper", searchprovider_list=[provider], sort="date")
    found = sorted(service.admin.results(search["id"])["results"], key=lambda each: each["searchprovider_rank"])
    equal([each["url"][-1] for each in found], ["2", "1"])


@claim("decisions 3.8: a source that fails", rows=[
    Row("unknown collection", ("lost", Reply({"status": {"error": "Not found: Collection `lost` doesn't exist!"}}, 404))),
    Row("wrong key", ("locked", Reply("Must provide an API key", 401))),
    Row("other dimensions", ("small", Reply({"status": {"error": "Wrong input: Vector dimension error: expected dim: 3, got 256"}}, 400))),
    Row("nonsense", ("odd", Reply({"other": 1}))), Row("limited", ("busy", Reply("", 429, {"Retry-After": "30"}))),
])  # fmt: skip
def a_failing_vector_database_is_an_error_of_its_source(service, name, reply):
    response = service.admin.search("copper", providers=[qdrant(service, name, reply)])
    info = response["info"][name]
    expect(info["status"] in ["error", "suspended"] and info["error"]["code"], "the status", info)
    equal((info["found"], info["retrieved"], response["results"]), (0, 0, []))
    expect("qdrant-key" not in json.dumps(response), "the key")
