"""Searches that ask one provider of their own: what its source was asked, and what became of the response."""

import dataclasses
import functools
import itertools

from .source import Source

NUMBERS = itertools.count(1)


@functools.cache
def shared_source():
    """A source for all claims; each uses a path of its own."""
    return Source().__enter__()


@dataclasses.dataclass
class Asked:
    provider: dict
    path: str
    response: dict

    @property
    def info(self):
        return self.response["info"][self.provider["name"]]

    @property
    def requests(self):
        """What the source was asked at the address of the provider and below, in the order of arrival."""
        source = shared_source()
        with source.lock:
            below = [each for each in source.requests if (each.path + "/").startswith(self.path + "/")]
        return below

    @property
    def request(self):
        requests = self.requests
        if len(requests) != 1:
            raise AssertionError(f"expected one request, got {[each.target for each in requests]}")
        return requests[0]

    @property
    def asked_for(self):
        """The query string of the only request, without decoding."""
        return self.request.target.partition("?")[2]

    @property
    def query(self):
        return self.info["query_string_to_provider"]

    @property
    def status(self):
        return self.info["status"]

    @property
    def error_code(self):
        return (self.info.get("error") or {}).get("code")

    @property
    def results(self):
        """The results by their rank at the source."""
        return sorted(self.response["results"], key=lambda each: each["searchprovider_rank"])

    @property
    def first(self):
        if not self.results:
            raise AssertionError(f"no results: {self.info}; {self.response['messages']}")
        return self.results[0]


def items(count, start=1):
    """Items that differ enough not to be duplicates."""
    words = "alder birch cedar elm fir hazel larch maple oak pine rowan spruce willow yew".split()
    return [
        {
            "title": f"{words[number % 14]} {words[number // 14 % 14]} {number}",
            "body": f"Entry {number} about {words[(number * 5 + 3) % 14]}.",
            "url": f"https://example.org/{number}",
        }
        for number in range(start, start + count)
    ]


def new_path():
    return f"/case{next(NUMBERS)}"


def provider_fields(path, respond=None, **fields):
    """The record of a provider at this path of the shared source, which responds with one item unless told otherwise."""
    source = shared_source()
    url = source.route(path, {"items": items(1)} if respond is None else respond)
    return {"name": f"Case {path.removeprefix('/case')}", "url": url, "default": False, **fields}


def ask(service, query="zinc", respond=None, search=None, path=None, **fields):
    """Creates a provider with these fields and searches it alone: with `qs`, or by POST with the fields of `search`."""
    path = path or new_path()
    provider = service.admin.create_provider(**provider_fields(path, respond, **fields))
    if search is None:
        response = service.admin.search(query, providers=[provider["id"]])
    else:
        created = service.admin.run_search(query, searchprovider_list=[provider["id"]], **search)
        response = service.admin.results(created["id"])
    return Asked(provider, path, response)


def refused(service, **fields):
    """The response to the attempt to create a provider with these fields."""
    record = {
        "connector": "RequestsGet", "active": True, "query_template": "{url}?q={query_string}",
        "response_mappings": "RESULTS=items", "result_mappings": "title=title,body=body,url=url",
        **provider_fields(new_path()), **fields,
    }  # fmt: skip
    return service.admin.post("/svc/searchproviders/", record)
