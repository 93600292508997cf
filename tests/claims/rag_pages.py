"""Pages behind results: when and how they are fetched for AI summaries, what of them reaches the model, and which are not."""

import json
import time

from harness import Reply, Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_source, ask, summary
from harness.model import Model

source, elsewhere, model = Source(), Source(), Model()
SNIPPET = "This snippet about the {} harbor is what the source itself returned, and nothing else."
PAGE = "The page about the {} harbor has far more to tell: it was deepened twice and its pier is made of oak."


def prepare(service):
    source.__enter__()
    elsewhere.__enter__()
    model.__enter__()
    add_model(service, model, "Pages")


def finish():
    source.__exit__()
    elsewhere.__exit__()
    model.__exit__()


def html(text):
    return Reply(f"<html><head><title>A page</title></head><body><main><p>{text}</p></main></body></html>".encode(),
                 headers={"Content-Type": "text/html; charset=utf-8"})  # fmt: skip


def summarized(service, word, fetch, page=None, url=None, rag=None, snippet=None, extra=None, **fields):
    """(source in the prompt or None, text of the prompt, response) for one result with a page."""
    address = url or source.base + f"/page/{word}"
    source.route(f"/page/{word}", page or html(PAGE.format(word)))
    found = [{"title": f"{word} harbor", "url": address, "body": snippet or SNIPPET.format(word), **(extra or {})}]
    provider = add_source(service, source, word, found, rag=rag, page_fetch_config_json=fetch, **fields)
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    response = ask(service.admin, search)
    calls = model.calls(word)
    sources = response["ai_summary"][0]["additional_content"]["sources"] if response["ai_summary"] else []
    return (sources or [None])[0], calls[0].prompt if calls else "", response


def uses_page(word, outcome):
    equal(outcome[0] and outcome[0]["mode"], "page")
    expect("made of oak" in outcome[1], f"the page of {word} is not in the prompt", outcome[1])


def uses_snippet(word, outcome):
    equal(outcome[0] and outcome[0]["mode"], "snippet")
    expect(SNIPPET.format(word) in outcome[1], f"the snippet of {word} is not in the prompt", outcome[1])


CACHE = [("text true", "true"), ("text false", "false"), ("true", True), ("false", False), ("null", None)]


@claim("ai-cache 1.5: cache must be present", [Row(name, (at, value)) for at, (name, value) in enumerate(CACHE)])
def the_key_cache_enables_fetching_whatever_its_value(service, at, value):
    word = "cache" + "vwxyz"[at] * 2
    uses_page(word, summarized(service, word, {"cache": value}))


@claim("ai-cache 1.5: cache must be present")
def without_the_key_cache_no_page_is_fetched(service):
    uses_snippet("nokeyc", summarized(service, "nokeyc", {"timeout": 5}))
    equal(source.asked("/page/nokeyc"), [])


FAILURES = [
    ("404", Reply("no", 404)), ("500", Reply("no", 500)), ("204", Reply(b"", 204)), ("201", Reply(b"made", 201)),
    ("empty", Reply(b"", 200)), ("unreadable", Reply(b"\x00\x01\x02" * 99, headers={"Content-Type": "application/pdf"})),
    ("redirect loop", Reply("", 302, {"Location": "/page/failf"})),
]  # fmt: skip


@claim("ai-cache 1.5, step 3", [Row(name, (at, reply)) for at, (name, reply) in enumerate(FAILURES)])
def a_page_that_fails_falls_back_to_the_snippet(service, at, reply):
    word = "fail" + "zabcdef"[at]
    uses_snippet(word, summarized(service, word, {"cache": "true"}, page=reply))


@claim("ai-cache 1.5, step 3: SVC_ALWAYS_FALL_BACK_TO_SUMMARY")
def without_the_fallback_a_result_whose_page_fails_is_left_out(service):
    with Service(service.program, {"SVC_ALWAYS_FALL_BACK_TO_SUMMARY": "False"}) as other:
        add_model(other, model, "Pages")
        used, _, response = summarized(other, "nofall", {"cache": "true"}, page=Reply("no", 404))
        equal((used, response["info"]["ai"]["code"]), (None, "no_source_text"))


@claim("ai-cache 1.5, step 1")
def a_result_without_an_address_uses_its_snippet(service):
    word = "nourla"
    found = [{"title": f"{word} harbor", "body": SNIPPET.format(word)}]
    provider = add_source(service, source, word, found, page_fetch_config_json={"cache": "true"})
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    equal(summary(ask(service.admin, search))["additional_content"]["sources"][0]["mode"], "snippet")


LATE = [
    ("timeout", {"timeout": 1}, {}), ("host", {"timeout": 30, "127.0.0.1": {"timeout": 1}}, {}),
    ("swirl_rag_fetch_timeout", {}, {"swirl_rag_fetch_timeout": 1}),
]


@claim("ai-cache 1.5: time limits of a page", [Row(name, (at, fetch, rag)) for at, (name, fetch, rag) in enumerate(LATE)])
def a_late_page_falls_back_to_the_snippet(service, at, fetch, rag):
    word = "late" + "abc"[at] * 3
    slow = lambda _: time.sleep(2.5) or html(PAGE.format(word))  # noqa: E731
    uses_snippet(word, summarized(service, word, {"cache": "true", **fetch}, page=slow, rag=rag))


@claim("ai-cache 1.5: per-host timeout, exact host match")
def the_time_limit_of_another_host_does_not_apply(service):
    slow = lambda _: time.sleep(1.5) or html(PAGE.format("othhos"))  # noqa: E731
    fetch = {"cache": "true", "timeout": 20, "0.0.1": {"timeout": 1}, "127.0.0.1.example": {"timeout": 1}}
    uses_page("othhos", summarized(service, "othhos", fetch, page=slow))


@claim("quirks, requests to sources: pages are asked as Tributary")
def pages_are_requested_with_the_name_of_the_service(service):
    summarized(service, "agentn", {"cache": "true"})
    agent = source.asked("/page/agentn")[0].headers.get("user-agent", "")
    expect(agent.startswith("Tributary/"), "User-Agent", agent)


@claim("ai-cache 1.5: headers")
def headers_are_added_and_empty_ones_removed(service):
    summarized(service, "headad", {"cache": "true", "headers": {"User-Agent": "", "X-Reader": "yes"}})
    headers = source.asked("/page/headad")[0].headers
    equal((headers.get("user-agent"), headers.get("x-reader")), (None, "yes"))


@claim("ai-cache 1.5: content_url")
def content_url_is_filled_from_the_payload(service):
    source.route("/content/d 7/x", html(PAGE.format("conurl")))
    source.route("/content/d%207%2Fx", html(PAGE.format("conurl")))
    fetch = {"cache": "true", "content_url": source.base + "/content/{doc.id}"}
    outcome = summarized(service, "conurl", fetch, page=Reply("no", 404), extra={"doc": {"id": "d 7/x"}})
    uses_page("conurl", outcome)
    asked = [each.target for each in source.requests if each.path.startswith("/content/d")]
    equal(asked, ["/content/d%207%2Fx"])


@claim("docs/page-fetching: a value cannot change the rest of the address", [Row(v, (at, v)) for at, v in enumerate(
    ["../../admin", "a?x=1", "a#b", "@evil.example/", "%2e%2e/x"])])  # fmt: skip
def a_hostile_payload_cannot_leave_its_part_of_content_url(service, at, value):
    word = "hospay" + "abcde"[at]
    fetch = {"cache": "true", "content_url": source.base + "/keep/{id}/end"}
    summarized(service, word, fetch, page=Reply("no", 404), extra={"id": value})
    asked = [each for each in source.requests[-6:] if each.target.startswith("/keep/")]
    expect(asked, "the template was not used", [each.target for each in source.requests[-6:]])
    for each in asked:
        expect(each.target.endswith("/end") and each.target.count("/") == 3 and "?" not in each.target, each.target)


@claim("docs/page-fetching: without the value there is no page")
def a_missing_value_of_content_url_means_no_page(service):
    fetch = {"cache": "true", "content_url": source.base + "/missing/{id}"}
    uses_snippet("misval", summarized(service, "misval", fetch))
    equal([each for each in source.requests if each.path.startswith("/missing")], [])


TYPES = [("text/html", "text/html", True), ("text/*", "text/html", True), ("list", ["application/pdf", "text/html"], True),
         ("pdf only", "application/pdf", False), ("text/plain", ["text/plain"], False)]  # fmt: skip


@claim("ai-cache 1.5: mimetype_whitelist", [Row(name, (at, value, ok)) for at, (name, value, ok) in enumerate(TYPES)])
def only_listed_media_types_are_read(service, at, value, read):
    word = "mimety" + "abcde"[at]
    outcome = summarized(service, word, {"cache": "true", "mimetype_whitelist": value})
    (uses_page if read else uses_snippet)(word, outcome)


@claim("ai-cache 1.5: look up the type first", [Row("listed", ("text/html", True)), Row("other", ("video/mp4", False))])
def the_media_type_is_looked_up_before_the_page(service, kind, read):
    word = "lookup" + ("in" if read else "ex")
    source.route(f"/type/{word}", {"file": {"mime": kind}})
    fetch = {"cache": "true", "mimetype_url": source.base + "/type/{id}", "mimetype_path": "file.mime",
             "mimetype_whitelist": "text/html"}  # fmt: skip
    outcome = summarized(service, word, fetch, extra={"id": word})
    (uses_page if read else uses_snippet)(word, outcome)
    equal(len(source.asked(f"/page/{word}")), 1 if read else 0, "requests for the page")


@claim("decisions 6: credentials go to the own origin")
def pages_on_the_own_origin_get_the_credentials(service):
    summarized(service, "creown", {"cache": "true"}, credentials="bearer=own-secret")
    equal(source.asked("/page/creown")[0].headers.get("authorization"), "Bearer own-secret")


@claim("decisions 6; docs/page-fetching: other hosts are fetched anonymously")
def pages_on_an_allowed_other_origin_get_no_credentials(service):
    with Service(service.program, {"SVC_OUTBOUND_ALLOW": elsewhere.host}) as other:
        add_model(other, model, "Pages")
        elsewhere.route("/anon", html(PAGE.format("creoth")))
        fetch = {"cache": "true", "headers": {"X-Api-Key": "own-secret", "X-Reader": "yes"}}
        outcome = summarized(other, "creoth", fetch, url=elsewhere.base + "/anon", credentials="bearer=own-secret")
        uses_page("creoth", outcome)
        headers = elsewhere.asked("/anon")[0].headers
        expect("own-secret" not in json.dumps(headers), "the secret left its origin", headers)


REFUSED = [
    ("another loopback port", lambda: elsewhere.base + "/secret"), ("localhost", lambda: elsewhere.base.replace("127.0.0.1", "localhost")),
    ("metadata", lambda: "http://169.254.169.254/latest/meta-data/"), ("private", lambda: "http://10.0.0.1/"),
    ("IPv6 loopback", lambda: elsewhere.base.replace("127.0.0.1", "[::1]")), ("file", lambda: "file:///etc/passwd"),
    ("ftp", lambda: "ftp://127.0.0.1/x"), ("decimal", lambda: elsewhere.base.replace("127.0.0.1", "2130706433")),
    ("mapped", lambda: elsewhere.base.replace("127.0.0.1", "[::ffff:127.0.0.1]")), ("zero", lambda: elsewhere.base.replace("127.0.0.1", "0")),
]  # fmt: skip


@claim("decisions 6: addresses that are refused", [Row(name, (at, address)) for at, (name, address) in enumerate(REFUSED)])
def a_source_cannot_make_the_service_fetch_a_private_address(service, at, address):
    word = "refus" + "abcdefghij"[at]
    before = len(elsewhere.requests)
    uses_snippet(word, summarized(service, word, {"cache": "true"}, url=address()))
    equal(len(elsewhere.requests), before, "requests to the private address")


@claim("decisions 6: after every redirect")
def a_redirect_to_a_private_address_is_refused(service):
    before = len(elsewhere.requests)
    page = Reply("", 302, {"Location": elsewhere.base + "/secret"})
    uses_snippet("redpri", summarized(service, "redpri", {"cache": "true"}, page=page))
    equal(len(elsewhere.requests), before)


@claim("ai-cache 1.5: redirects are capped at 5", [Row("5", (5, True)), Row("6", (6, False))])
def a_page_may_redirect_five_times(service, count, read):
    word = "hops" + ("in" if read else "ex")
    for n in range(1, count + 1):
        source.route(f"/hop/{word}/{n}", Reply("", 302, {"Location": f"/hop/{word}/{n + 1}"}) if n < count else html(PAGE.format(word)))
    outcome = summarized(service, word, {"cache": "true"}, page=Reply("", 302, {"Location": f"/hop/{word}/1"}))
    (uses_page if read else uses_snippet)(word, outcome)


@claim("decisions 7.8: only unedited addresses")
def an_edited_address_is_not_fetched_with_the_rights_of_the_source(service):
    word = "edited"
    found = [{"title": f"{word} harbor", "url": "https://edited.example/x", "body": SNIPPET.format(word)}]
    source.route("/page/edited-target", html(PAGE.format(word)))
    provider = add_source(service, source, word, found, page_fetch_config_json={"cache": "true"}, credentials="bearer=own-secret")
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    result = service.admin.results(search["id"])["results"][0]["swirl_id"]
    service.admin.patch(f"/svc/results/{result}/", {"url": source.base + "/page/edited-target"}).expect(200)
    ask(service.admin, search)
    equal(source.asked("/page/edited-target"), [])


@claim("ai-cache 1.5, step 4")
def scripts_styles_and_comments_of_a_page_are_not_text(service):
    hidden = "<script>var secretscript = 1</script><style>.secretstyle{}</style><!-- secretcomment -->"
    page = html(PAGE.format("htmlex") + hidden)
    used, prompt, _ = summarized(service, "htmlex", {"cache": "true"}, page=page)
    equal(used["mode"], "page")
    for word in ["secretscript", "secretstyle", "secretcomment", "<p>"]:
        expect(word not in prompt, f"{word} is in the prompt")


@claim("ai-cache 1.6: TOO SHORT")
def a_page_that_is_too_short_falls_back_to_the_snippet(service):
    # A text needs the words of the query and five more.
    uses_snippet("tooshp", summarized(service, "tooshp", {"cache": "true"}, page=html("Only tooshp and four more")))


@claim("ai-cache 1.6: NO TERMS")
def a_page_without_a_word_of_the_query_falls_back_to_the_snippet(service):
    page = html("This page is about something else entirely, and has no word of the query at all in any form.")
    uses_snippet("noterm", summarized(service, "noterm", {"cache": "true"}, page=page))


LENGTHS = [("one word below", 5, False), ("enough", 6, True)]


@claim("ai-cache 1.6: TOO SHORT", [Row(name, (words, ok)) for name, words, ok in LENGTHS])
def a_text_needs_five_words_more_than_the_query(service, words, accepted):
    word = "length" + ("in" if accepted else "ex")
    text = " ".join([word, "is", "a", "small", "old", "harbor"][:words])
    used, _, response = summarized(service, word, {}, snippet=text)
    equal(used is not None, accepted)
    if not accepted:
        equal(response["info"]["ai"]["code"], "no_source_text")


@claim("ai-cache 1.6: a rejected text is a warning")
def a_result_whose_text_is_rejected_is_named_in_a_warning(service):
    word = "warnq"
    found = [
        {"title": f"{word} harbor", "url": "https://warnq.example/long", "body": SNIPPET.format(word)},
        {"title": f"{word} quay", "url": "https://warnq.example/short", "body": f"{word} quay"},
    ]
    provider = add_source(service, source, word, found)
    row = summary(ask(service.admin, service.admin.run_search(word, searchprovider_list=[provider["id"]])))
    made = row["additional_content"]
    equal([each["url"] for each in made["sources"]], ["https://warnq.example/long"], "sources list what was in the prompt")
    warning = [each for each in made["warnings"] if "https://warnq.example/short" in each]
    equal(len(warning), 1, f"warnings {made['warnings']}")


@claim("ai-cache 1.6, 1.7: passages of a long page")
def the_relevant_passage_of_a_long_page_reaches_the_model(service):
    filler = " ".join(f"Sentence number {n} tells of gardens, weather and tea." for n in range(4000))
    fact = "The longpa sluice was opened by the mayor in the presence of nine engineers."
    page = html(filler[: len(filler) // 2] + " " + fact + " " + filler[len(filler) // 2 :])
    used, prompt, _ = summarized(service, "longpa", {"cache": "true"}, page=page)
    equal(used["mode"], "page")
    expect(fact in prompt, "the relevant sentence is missing", prompt)
    expect(len(prompt) < 40_000, "the prompt is over its budget", len(prompt))
