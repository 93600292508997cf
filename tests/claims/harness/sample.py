"""A source with sample items, and checks of the parts of responses that many claims look at."""

import re

from .claim import Row, equal, expect
from .source import Source

MASK = "••••"


def rows(*tuples):
    """Rows of a table from tuples that begin with the name of the row."""
    return [Row(name, tuple(values)) for name, *values in tuples]


def items(count, word="copper", first=1, **fields):
    """Items with numbered titles, bodies and addresses, and these further fields."""
    return [numbered(word, n, fields) for n in range(first, first + count)]


def numbered(word, n, fields):
    item = {"title": f"{word} report {n}", "body": f"Body {n} about {word}.", "url": f"http://items.example/{word}/{n}"}
    return {**item, **fields}


class SampleSource(Source):
    """A source with one path for each provider."""

    def provider(self, service, name, response, **fields):
        """A provider that is asked only if it is chosen. A list as its response becomes {"items": […]}."""
        path = f"/{len(self.routes)}"
        self.route(path, {"items": response} if isinstance(response, list) else response)
        return service.admin.create_provider(**{"name": name, "url": self.base + path, "default": False, **fields})

    def requests_of(self, record):
        """The requests of the provider of this record so far."""
        return self.asked(record["url"].removeprefix(self.base))

    def queries(self, record):
        return [request.query.get("q") for request in self.requests_of(record)]

    def last_request(self, record):
        return self.requests_of(record)[-1]


def error(response, status, code=None, field=None):
    """The body of an error, after a check of its shape."""
    response.expect(status)
    body = response.json()
    for name in ["detail", "code", "request_id"]:
        expect(isinstance(body.get(name), str) and body[name], f"the error has no {name}", body)
    expect(set(body) <= {"detail", "code", "request_id", "errors", "retry_after"}, "the error has further fields", body)
    expect(re.fullmatch(r"[a-z][a-z0-9_]*", body["code"]), "code is no machine word", body)
    if code is not None:
        equal(body["code"], code, "code")
    if field is not None:
        # A part of the field is named by its path.
        found = [texts for name, texts in (body.get("errors") or {}).items() if re.split(r"[.\[]", name)[0] == field]
        expect(found, f"errors do not name {field}", body)
        for messages in found:
            expect(isinstance(messages, list) and messages and isinstance(messages[0], str), "no texts", body)
    return body


def only_result(answer):
    """The result of a response that must have exactly one."""
    equal(len(answer["results"]), 1, f"number of results ({answer['messages']})")
    return answer["results"][0]


def titles(answer):
    return [result["title"].replace("<em>", "").replace("</em>", "") for result in answer["results"]]
