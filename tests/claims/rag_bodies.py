"""Result bodies that are filled from their pages during a search, the choice of their passage, and Diffbot as fallback."""

import re
import time

from harness import Reply, Row, Source, claim, equal, expect
from harness.answers import add_model, add_source, ask, summary
from harness.model import Model

source, model = Source(), Model()


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Bodies")


def finish():
    source.__exit__()
    model.__exit__()


def page(text):
    return Reply(f"<html><body><main><p>{text}</p></main></body></html>".encode(), headers={"Content-Type": "text/html"})


def body_of(service, word, text, block, body="", query=None, respond=None, **fields):
    """The body of the one result whose page has this text."""
    source.route(f"/page/{word}", respond or page(text))
    found = [{"title": f"{word} title", "url": source.base + f"/page/{word}", "body": body}]
    config = {"swirl": {"fetch_url_body": block}} if block is not None else {}
    provider = add_source(service, source, word, found, **{"config": config, **fields})
    response = service.admin.search(query or word, providers=[provider["id"]])
    return re.sub("</?em>", "", response["results"][0]["body"])


def numbered(count, word="w"):
    return " ".join(f"{word}{n}" for n in range(count))


@claim("ai-cache 1.5: without the block nothing is fetched")
def without_the_block_the_body_stays(service):
    equal(body_of(service, "noblok", "Text of the noblok page.", None, "short"), "short")
    equal(source.asked("/page/noblok"), [])


WORDS = [("4 of 5", 4, {}, True), ("5 of 5", 5, {}, False), ("2 of 3", 2, {"body_pagefetch_min_tokens": 3}, True),
         ("3 of 3", 3, {"body_pagefetch_min_tokens": 3}, False), ("0 of 0", 0, {"body_pagefetch_min_tokens": 0}, False)]  # fmt: skip


@claim("ai-cache 1.5: body_pagefetch_min_tokens, 5", [Row(w[0], (at, *w[1:])) for at, w in enumerate(WORDS)])
def a_body_with_fewer_words_is_replaced(service, at, count, block, replaced):
    word = "minto" + "abcde"[at]
    body = body_of(service, word, f"The page of {word} tells more.", block, numbered(count))
    equal(body, f"The page of {word} tells more." if replaced else numbered(count))


WINDOWS = [("64 by default", {}, 64), ("20", {"body_pagefetch_token_length": 20}, 20)]


@claim("ai-cache 1.5: body_pagefetch_token_length, 64", [Row(n, (at, b, c)) for at, (n, b, c) in enumerate(WINDOWS)])
def the_body_becomes_the_best_window(service, at, block, count):
    word = "window" + "ab"[at]
    text = numbered(400) + f" {word} {word} " + numbered(400, "v")
    body = body_of(service, word, text, block)
    equal(len(body.split()), count)
    expect(word in body, "the query is not in the window", body)


FALLBACKS = [("128 by default", {}, 128), ("30", {"body_pagefetch_fallback_token_length": 30}, 30)]


@claim("ai-cache 1.5: body_pagefetch_fallback_token_length, 128", [Row(n, (at, b, c)) for at, (n, b, c) in enumerate(FALLBACKS)])
def without_a_related_window_the_body_becomes_the_beginning(service, at, block, count):
    word = "fallbo" + "ab"[at]
    equal(body_of(service, word, numbered(500), block), numbered(count))


@claim("ai-cache 1.6: TERM_COUNT")
def the_window_with_more_words_of_the_query_wins(service):
    first = "The countq canal was dug long ago and is now a park with benches."
    second = "The countq toll of the canal was two coins, and the countq toll rose each year."
    filler = " ".join(f"Sentence {n} is about the weather in the hills." for n in range(40))
    text = f"{first} {filler} {second} {filler}"
    body = body_of(service, "countq", text, {"body_pagefetch_token_length": 24}, query="countq canal toll")
    expect("two coins" in body, "the better window", body)


@claim("ai-cache 1.6: at most three occurrences count")
def repeating_one_word_does_not_win(service):
    spam = "canal " * 60
    good = "The spamq canal has a lock with a toll bridge."
    filler = numbered(200)
    block = {"body_pagefetch_token_length": 30}
    body = body_of(service, "spamqx", f"{spam} {filler} {good} {filler}", block, query="canal lock toll bridge")
    expect("lock with a toll bridge" in body, "the better window", body[:200])


@claim("ai-cache 1.6: ties go to the earlier window")
def the_earlier_of_equal_windows_wins(service):
    filler = numbered(150)
    text = f"{filler} earlier tiesqx sentence here. {filler} later tiesqx sentence here. {filler}"
    body = body_of(service, "tiesqx", text, {"body_pagefetch_token_length": 30})
    expect("earlier tiesqx" in body and "later tiesqx" not in body, "window", body)


@claim("ai-cache 1.6: TERM_VECTOR")
def term_vector_finds_a_window_by_its_meaning(service):
    filler = " ".join(f"The bakery sells bread number {n} with butter and jam every morning." for n in range(40))
    good = "The physician examined the sick child in the hospital and prescribed a medicine."
    block = {"body_pagefetch_token_length": 24, "body_pagefetch_generation_method": "TERM_VECTOR"}
    body = body_of(service, "vectqx", f"{filler} {good} {filler}", block, query="doctor treats ill patient medicine")
    expect("physician" in body, "window", body)


BAD = [("body_pagefetch_min_tokens", "x"), ("body_pagefetch_token_length", 1.5), ("body_pagefetch_fallback_token_length", "x"),
       ("body_pagefetch_generation_method", "TERM_MAGIC"), ("body_pagefetch_text_extract_timeout", "x")]  # fmt: skip


@claim("interface: config.swirl, fetch_url_body", [Row(f"{name}={value}", (name, value)) for name, value in BAD])
def an_invalid_setting_is_refused(service, name, value):
    record = {"name": f"Bad {name}", "connector": "RequestsGet", "url": "https://bad.example/", "response_mappings": "RESULTS=items",
              "config": {"swirl": {"fetch_url_body": {name: value}}}}  # fmt: skip
    response = service.admin.post("/svc/searchproviders/", record).expect(400).json()
    expect(name in str(response), "the key is not named", response)


FAILURES = [("404", Reply("no", 404)), ("late", None)]


@claim("ai-cache 1.5: on expiry the original body stays", [Row(name, (at, reply)) for at, (name, reply) in enumerate(FAILURES)])
def a_page_that_fails_or_is_late_leaves_the_body(service, at, reply):
    word = "bodfa" + "ab"[at]
    respond = reply or (lambda _: time.sleep(3) or page("late text"))
    started = time.monotonic()
    body = body_of(service, word, "", {"body_pagefetch_text_extract_timeout": 1}, "kept", respond=respond)
    equal(body, "kept")
    expect(time.monotonic() - started < 2.8, "it waited for the page")


@claim("docs/page-fetching: pages are fetched eight at a time")
def all_results_of_a_source_are_filled(service):
    found = []
    for n in range(10):
        source.route(f"/many/{n}", page(f"The manyqx page number {n} is here."))
        found.append({"title": f"manyqx {n}", "url": source.base + f"/many/{n}", "body": ""})
    config = {"swirl": {"fetch_url_body": {}}}
    provider = add_source(service, source, "manyqx", found, config=config)
    bodies = {re.sub("</?em>", "", e["body"]) for e in service.admin.search("manyqx", providers=[provider["id"]])["results"]}
    equal(bodies, {f"The manyqx page number {n} is here." for n in range(10)})


# Diffbot.

def with_diffbot(service, word, fetch, reply, respond=None):
    source.route(f"/page/{word}", respond or Reply("no", 403))
    source.route("/diffbot/article", reply)
    source.route("/diffbot/analyze", reply)
    found = [{"title": f"{word} harbor", "url": f"{source.base}/page/{word}", "body": f"The {word} snippet of the harbor by its source."}]
    fetch = {"cache": "false", "fallback": "diffbot", "diffbot": {"token": "diff-token", "url": source.base + "/diffbot"}, **fetch}
    provider = add_source(service, source, word, found, page_fetch_config_json=fetch)
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    return summary(ask(service.admin, search))["additional_content"]["sources"][0]


@claim("docs/page-fetching: addresses on the own origin are never sent to Diffbot")
def an_address_on_the_own_origin_is_not_sent_to_diffbot(service):
    reply = {"objects": [{"type": "article", "text": "The ownqxx harbor as Diffbot reads it, with many words."}]}
    equal(with_diffbot(service, "ownqxx", {}, reply)["mode"], "snippet")
    equal([each.path for each in source.requests if each.path.startswith("/diffbot")], [])


@claim("decisions 3.9: credentials are masked")
def the_token_of_diffbot_is_masked(service):
    fetch = {"cache": "false", "fallback": "diffbot", "diffbot": {"token": "hush-diff-31337"}}
    provider = add_source(service, source, "maskqx", [], page_fetch_config_json=fetch)
    for response in (service.admin.get(f"/svc/searchproviders/{provider['id']}/"), service.admin.get("/svc/searchproviders/")):
        expect("hush-diff-31337" not in response.text, "the token is shown")
    kept = service.admin.get(f"/svc/searchproviders/{provider['id']}/").json()["page_fetch_config_json"]
    expect(kept["diffbot"]["token"], "the masked token", kept)
