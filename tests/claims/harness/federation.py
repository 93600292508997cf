"""Providers with items of their own, and reading of the responses that name them."""

import re
import threading
import urllib.parse

from .source import Reply


class Providers:
    """Creates providers that are queried only when a search names them, each at a path of its own of one Source."""

    def __init__(self, service, source):
        self.service, self.source, self.lock, self.count = service, source, threading.Lock(), 0

    def create(self, name, items=None, respond=None, **fields):
        """A provider whose source responds with these items, or with what `respond` says. Returns its id."""
        with self.lock:
            self.count += 1
            path = f"/{self.count}"
        url = self.source.route(path, respond or {"items": items or [], "total": len(items or [])})
        fields = {"name": name, "url": url, "default": False, **fields}
        return self.service.admin.create_provider(**fields)["id"]

    def path(self, provider_id):
        """The path at which this provider asks the source."""
        url = self.service.admin.get(f"/svc/searchproviders/{provider_id}/").expect(200).json()["url"]
        return urllib.parse.urlsplit(url).path

    def answer(self, provider_id, respond):
        """Changes what the source of this provider responds."""
        self.source.route(self.path(provider_id), respond)


def item(title, body="", url=None, **fields):
    """An item of a source, with an address of its own unless it is given."""
    address = url or "http://items.example/" + urllib.parse.quote(title.lower().replace(" ", "-") or "untitled")
    return {"title": title, "body": body, "url": address, **fields}


def items_for(count, word="copper", start=1):
    """This many different items about a word."""
    names = ["mine", "wire", "coin", "pipe", "roof", "kettle", "cable", "alloy", "ore", "plate", "nail", "statue"]
    return [
        item(f"{word} {names[number % 12]} number {number}", f"The {names[number % 12]} of region {number} has {word}.")
        for number in range(start, start + count)
    ]  # fmt: skip


def titles(response):
    """The titles of the list, without highlights."""
    return [plain(each["title"]) for each in response["results"]]


def plain(text):
    return re.sub(r"</?em>", "", text)


def messages_with(response, text):
    return [line for line in response["messages"] if text in line]


def failing(status=500):
    return Reply("broken", status)


def path_and_query(url):
    """A URL as its path and its parameters."""
    parts = urllib.parse.urlsplit(url)
    return parts.path, dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
