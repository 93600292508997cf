"""A source of documents for the cache: providers that return them, their pages, and what claims do with them."""

import itertools

from .service import eventually
from .source import Reply, Source

CACHE_NAME = "Files - Tributary Cache"
THINGS = """anchor basalt canyon dairy ember fjord glacier harbor island juniper kettle lantern meadow nectar orchard pebble
quarry ribbon saddle thicket umbrella valley willow yarrow zephyr acorn beacon copper drum eagle flint granite hedge
iron jetty kiln loom marble needle oyster plank quilt reed stable timber urn vessel wagon yoke barley cedar dune elm
fern gable heath inlet jasper kelp lark moss nettle otter pine quartz raven sedge thistle upland vine walnut""".split()
ACTIONS = "carries crosses follows guards holds keeps lifts marks meets moves needs passes reaches supports turns weighs".split()
names = itertools.count(1)


def text_of(seed, words=60):
    """A text of so many words, in sentences of six, which shares few words with the texts of other seeds."""
    own = [THINGS[(seed * 7 + step * (3 + seed % 5)) % len(THINGS)] for step in range(9)]
    found, step = [], 0
    while len(found) < words:
        left, right = own[step % 9], own[(step * 4 + 1) % 9]
        found += ["The", left, ACTIONS[(seed + step * 5) % 16], "the", right, f"number{seed}x{step}."]
        step += 1
    return " ".join(found[:words])


def page_of(title, text):
    return Reply(
        f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body><main><p>{text}</p></main></body></html>",
        headers={"Content-Type": "text/html; charset=utf-8"},
    )


class Documents(Source):
    """`provider` creates a SearchProvider of this source; `add` puts a document into its list and serves its page."""

    def __init__(self):
        super().__init__()
        self.lists = {}

    def provider(self, service, name=None, user_token=None, **fields):
        """With `user_token`, the list and the pages are for requests with one of these bearer tokens only."""
        slug = f"source{next(names)}"
        items = self.lists.setdefault(slug, [])
        self.route(f"/{slug}/list", lambda request: self.allowed(request, user_token) or {"items": items})
        name = name or f"Documents {slug}"
        record = service.admin.create_provider(
            name=name, url=f"{self.base}/{slug}/list", default=False, results_per_query=1000,
            result_processors=["MappingResultProcessor"],
            result_mappings="title=title,body=body,url=url,author=author,date_published=date", **fields,
        )  # fmt: skip
        return {**record, "slug": slug, "user_token": user_token}

    def allowed(self, request, tokens):
        if tokens is not None and request.headers.get("authorization", "").removeprefix("Bearer ") not in tokens:
            return Reply({"error": "sign in"}, 401)
        return None

    def add(self, provider, title, text, path=None, **fields):
        """A document of the provider; returns its address."""
        path = path or f"/{provider['slug']}/doc{next(names)}"
        page, tokens = page_of(title, text), provider["user_token"]
        url = self.route(path, lambda request: self.allowed(request, tokens) or page)
        self.lists[provider["slug"]].append({"title": title, "body": text[:80], "url": url, **fields})
        return url


def result_of(client, provider, url, **fields):
    """A new search of the provider: the id of the search, and its result with this address."""
    fields = {"searchprovider_list": [provider["id"]], "results_requested": 100, **fields}
    # Without the default pipeline, which groups results with equal texts.
    search = client.run_search("documents", post_result_processors=["CosineRelevancyPostResultProcessor"], **fields)
    results = client.results(search["id"])["results"]
    found = [each for each in results if each["url"] == url]
    if not found:
        raise AssertionError(f"{url} is not among the results: {[each['url'] for each in results]}; {search['messages']}")
    return search["id"], found[0]


def ingest(client, provider, url, tags=(), **fields):
    """Stores a document of the provider in the cache and returns the response's body."""
    search_id, result = result_of(client, provider, url)
    body = {"search_id": search_id, "swirl_id": result["swirl_id"], "matter_tags": list(tags), "wait": True, **fields}
    stored = client.post("/svc/ingest/", body, timeout=60).expect(200).json()
    if stored["state"] == "known":
        raise AssertionError(f"not stored: {stored}")
    return stored


def supply(client, url, text, title="", tags=()):
    """Stores a text that the user supplies; it needs 200 words."""
    body = {"url": url, "title": title, "body": text, "matter_tags": list(tags), "wait": True}
    return client.post("/svc/ingest/", body, timeout=60).expect(200).json()


def ingest_typed(client, url, **fields):
    """Stores the page of an address that the user types."""
    return client.post("/svc/ingest/", {"url": url, "wait": True, **fields}, timeout=60).expect(200).json()


def document(client, signal_id):
    return client.get(f"/svc/cache/{signal_id}/").expect(200).json()


def cache_provider(service):
    found = [each for each in service.admin.get("/svc/searchproviders/").expect(200).json() if each["name"] == CACHE_NAME]
    return found[0]


def search_cache(client, query, tags=(), **params):
    """The mixed results of a search of the cache alone."""
    search = client.run_search(query, searchprovider_list=[CACHE_NAME], tags=list(tags), results_requested=100)
    return client.results(search["id"], **params)


def cached_results(client, query, tags=(), **params):
    """Results of the cache by the id of their document."""
    return {each["cache"]["signal_id"]: each for each in search_cache(client, query, tags, **params)["results"]}


def state_becomes(client, signal_id, state):
    return eventually(
        lambda: (found := document(client, signal_id))["state"] == state and found, 30, f"{signal_id} is not {state}"
    )
