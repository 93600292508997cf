"""The tools, resources, and the prompt of the MCP server, and whose records they show."""

import json
import re
import time

from harness import Reply, Row, Source, claim, equal, expect
from harness.answers import add_model, add_source, documents
from harness.mcp import Mcp, text_of
from harness.model import Fails, Model, Says

source, model = Source(), Model()
people = {}


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Mcp model", roles=["rag", "chat"], model="gpt-mcp")
    people.update(anna=service.user("anna"), cora=service.user("cora", groups=["curators"]))


def finish():
    source.__exit__()
    model.__exit__()


def tools(client):
    return {each["name"]: each for each in Mcp(client).result("tools/list")["tools"]}


def searched(service, word, found=None, client=None, **arguments):
    provider = add_source(service, source, word, documents(word) if found is None else found, results_per_query=60)
    return Mcp(client or service.admin).data("search", query=word, providers=[provider["id"]], **arguments)


NAMES = ["search", "get_search_results", "search_rag", "read_document", "score_document", "chat", "list_providers", "list_searches",
         "list_versions"]  # fmt: skip


@claim("ai-cache 5: tools", [Row(name, (name,)) for name in NAMES])
def a_tool_is_listed_with_its_schemas(service, name):
    tool = tools(people["anna"])[name]
    equal(tool["inputSchema"]["type"], "object")
    equal(tool["outputSchema"]["type"], "object")
    expect(len(tool["description"]) > 20, "description", tool)
    equal(tool["annotations"].get("readOnlyHint"), name != "chat")


@claim("docs/mcp: curators and administrators only", [Row(w, (w, ok)) for w, ok in [("anna", False), ("cora", True), ("admin", True)]])
def pin_for_query_is_listed_for_those_who_may_pin(service, who, listed):
    equal("pin_for_query" in tools(people.get(who, service.admin)), listed)


@claim("docs/mcp: curators and administrators only")
def pin_for_query_is_refused_for_others(service):
    Mcp(people["anna"]).error("pin_for_query", signal_id=1, query="x")


ALIASES = [("create_search", "search", {"query": "aliasx"}), ("get_results", "get_search_results", {"search_id": 999999}),
           ("rag_answer", "search_rag", {"query": "aliasx"})]  # fmt: skip


@claim("ai-cache 5: aliases", [Row(alias, (alias, name, sent)) for alias, name, sent in ALIASES])
def an_alias_works_and_is_not_listed(service, alias, name, sent):
    equal(alias in tools(service.admin), False)
    by_alias, by_name = Mcp(service.admin).call(alias, **sent), Mcp(service.admin).call(name, **sent)
    equal(by_alias.get("isError", False), by_name.get("isError", False))
    equal(set(by_alias.get("structuredContent") or {}), set(by_name.get("structuredContent") or {}))


SEARCH = ["search_id", "status", "total", "took", "results", "providers"]
RESULT = ["swirl_id", "rank", "title", "snippet", "url", "source", "date", "confidence"]


@claim("ai-cache 5: search", [Row(name, (name,)) for name in SEARCH + ["query"] + ["results." + each for each in RESULT]])
def a_search_has_its_field(service, name):
    if "fields" not in people:
        people["fields"] = searched(service, "fieldm")
    data = people["fields"]
    found = data["results"][0] if name.startswith("results.") else data
    expect(name.removeprefix("results.") in found, "it is missing", found)


@claim("ai-cache 5: search")
def a_search_reports_its_sources_without_addresses(service):
    data = searched(service, "srcrep")
    equal((data["status"], data["total"], [each["rank"] for each in data["results"]]), ("FULL_RESULTS_READY", 3, [1, 2, 3]))
    provider = data["providers"][0]
    equal((len(data["providers"]), provider["name"], provider["found"], provider["retrieved"], provider["status"]),
          (1, "Source srcrep", 3, 3, "ok"))  # fmt: skip
    expect(source.host not in json.dumps(data), "the address is shown", data)


@claim("ai-cache 5: both structured and Markdown")
def a_search_is_also_markdown(service):
    provider = add_source(service, source, "markdo", documents("markdo"))
    result = Mcp(service.admin).call("search", query="markdo", providers=[provider["id"]])
    text = text_of(result)
    for each in result["structuredContent"]["results"]:
        expect(each["title"] in text or each["title"].split()[0] in text, "a title is missing", text)


MAXIMA = [("default", {}, 10), ("3", {"max_results": 3}, 3), ("50", {"max_results": 50}, 50), ("capped", {"max_results": 500}, 50)]


@claim("ai-cache 5: max_results 10, at most 50", [Row(name, (at, sent, count)) for at, (name, sent, count) in enumerate(MAXIMA)])
def max_results_limits_the_results(service, at, sent, count):
    provider = add_source(service, source, "maxmcp" + "abcd"[at], documents("maxmcp" + "abcd"[at], 60), results_per_query=60)
    message = Mcp(service.admin).call("search", query="maxmcp" + "abcd"[at], providers=[provider["id"]], **sent)
    if message.get("isError"):
        expect(sent.get("max_results") == 500 and "50" in text_of(message), "error", message)
    else:
        equal(len(message["structuredContent"]["results"]), count)


@claim("ai-cache 5: snippets of at most 600 characters")
def a_snippet_has_at_most_600_characters(service):
    found = documents("snippe", 1)
    found[0]["body"] = "snippe " + "öäü word " * 300
    data = searched(service, "snippe", found)
    expect(500 < len(data["results"][0]["snippet"]) <= 600, "length", len(data["results"][0]["snippet"]))


BAD = [("search", {}), ("search", {"query": ""}), ("search", {"query": 5}), ("search", {"query": "x", "max_results": "many"}),
       ("search", {"query": "x", "sort": "up"}), ("search", {"query": "x" * 2049}), ("get_search_results", {}),
       ("get_search_results", {"search_id": "x"}), ("search_rag", {}), ("search_rag", {"query": "x", "timeout": 0}),
       ("search_rag", {"query": "x", "timeout": 181}), ("read_document", {}), ("read_document", {"search_id": 1}),
       ("score_document", {"query": "x"}), ("score_document", {"text": "x"}), ("chat", {}), ("list_searches", {"limit": "all"})]  # fmt: skip


@claim("docs/mcp: arguments", [Row(f"{at} {tool}", (tool, sent)) for at, (tool, sent) in enumerate(BAD)])
def an_invalid_argument_is_an_error(service, tool, sent):
    expect(len(Mcp(service.admin).error(tool, **sent)) > 10, "no message")


@claim("ai-cache 5: get_search_results")
def further_pages_can_be_read(service):
    data = searched(service, "pagesm", documents("pagesm", 25))
    mcp = Mcp(service.admin)
    second = mcp.data("get_search_results", search_id=data["search_id"], page=2)
    equal([each["rank"] for each in second["results"]], list(range(11, 21)))
    third = mcp.data("get_search_results", search_id=data["search_id"], page=3)
    equal((len(third["results"]), third.get("next_page")), (5, None))
    expect(data["next_page"], "next_page", data)


@claim("ai-cache 5: a running search is not_ready")
def a_running_search_is_not_ready_and_no_error(service):
    provider = add_source(service, source, "notrea", [])
    source.route("/notrea", lambda _: time.sleep(3) or {"items": []})
    search = service.admin.post("/svc/search/", {"query_string": "notrea", "searchprovider_list": [provider["id"]]}).json()
    data = Mcp(service.admin).data("get_search_results", search_id=search["id"])
    equal(data["status"], "not_ready")
    expect(data["retry_in_seconds"] >= 1, "retry_in_seconds", data)


@claim("docs/mcp: provider_id")
def results_of_one_source_can_be_read(service):
    ids = [add_source(service, source, "onesrc", documents("onesrc", 2, label), label=label)["id"] for label in "AB"]
    data = Mcp(service.admin).data("search", query="onesrc", providers=ids)
    one = Mcp(service.admin).data("get_search_results", search_id=data["search_id"], provider_id=ids[1])
    equal({each["source"] for each in one["results"]}, {"Source onesrcB"})


@claim("docs/mcp: explain")
def explain_is_given_on_request(service):
    data = searched(service, "explai", explain=True)
    expect(data["results"][0].get("explain"), "it is missing", data["results"][0])
    plain = Mcp(service.admin).data("get_search_results", search_id=data["search_id"])
    expect("explain" not in plain["results"][0], "it is there without a request", plain["results"][0])


@claim("docs/mcp: private to their owner", [Row("get_search_results", ("get_search_results",)), Row("search_rag", ("search_rag",)),
                                            Row("read_document", ("read_document",)), Row("resource", ("resource",))])  # fmt: skip
def the_search_of_somebody_else_does_not_exist(service, tool):
    word = "privat" + tool[0] + tool[-1]
    data = searched(service, word)
    mcp = Mcp(people["anna"])
    if tool == "resource":
        message = mcp.request("resources/read", {"uri": f"svc://search/{data['search_id']}"})
        expect("error" in message, "it is readable", message)
        return
    sent = {"search_id": data["search_id"]} | ({"swirl_id": data["results"][0]["swirl_id"]} if tool == "read_document" else {})
    expect("harbor" not in mcp.error(tool, **sent), "contents are shown")


@claim("ai-cache 5: search_rag", [Row("query", ("query",)), Row("search", ("search",))])
def search_rag_answers_with_citations(service, kind):
    word = "mcprag" + kind[0]
    model.on(word, f"The {word} harbor was measured in section 1 [1].")
    provider = add_source(service, source, word, documents(word))
    if kind == "query":
        sent = {"query": word, "providers": [provider["id"]]}
    else:
        sent = {"search_id": service.admin.run_search(word, searchprovider_list=[provider["id"]])["id"]}
    data = Mcp(service.admin).data("search_rag", **sent)
    equal((data["answer"], data["ai_model"], data["grounded"]), (f"The {word} harbor was measured in section 1 [1].", "gpt-mcp", 1.0))
    equal((data["extractive"], data["warnings"], data["follow_ups"]), (False, [], []))
    equal([each["n"] for each in data["citations"]], [1])
    equal({"n", "title", "url", "swirl_id", "quote"} - set(data["citations"][0]), set())
    expect(isinstance(data["search_id"], int), "search_id", data)


@claim("docs/mcp: search_rag, result_ids and instructions")
def search_rag_takes_results_and_instructions(service):
    data = searched(service, "ragarg")
    chosen = data["results"][1]["swirl_id"]
    Mcp(service.admin).data("search_rag", search_id=data["search_id"], result_ids=[chosen], instructions="as a haiku")
    prompt = model.calls("ragarg")[0].prompt
    expect("as a haiku" in prompt, "the instructions are missing")
    equal(prompt.count("was measured in section"), 1)


@claim("docs/mcp: errors are results with a next step", [Row("failing", (Fails(500), {})), Row("late", (Says("x", delay_s=8), {"timeout": 1}))])
def a_failing_summary_is_an_error_of_the_tool(service, reply, sent):
    word = "ragfaz" if sent else "ragfay"
    model.on(word, reply)
    provider = add_source(service, source, word, documents(word))
    result = Mcp(service.admin).call("search_rag", query=word, providers=[provider["id"]], **sent)
    equal(result.get("isError"), True)
    expect("sk-claims" not in json.dumps(result), "the key is shown")


@claim("ai-cache 5: list_providers")
def list_providers_shows_no_secrets(service):
    add_source(service, source, "listpr", [], tags=["listpr-tag"], description="About mail.", credentials="key=hush-1",
               http_request_headers={"X-Secret": "hush-2"})  # fmt: skip
    data = Mcp(service.admin).data("list_providers", tag="listpr-tag")
    listed = data.get("providers", data)
    equal(len(listed), 1, json.dumps(data))
    provider = listed[0]
    equal((provider["name"], provider["description"], provider["tags"]), ("Source listpr", "About mail.", ["listpr-tag"]))
    equal((provider["active"], provider["default"], provider["connected"]), (True, False, True))
    expect("hush" not in json.dumps(data) and source.host not in json.dumps(data), "secrets or addresses", data)
    equal(set(provider) <= {"id", "name", "description", "tags", "active", "default", "connected"}, True, str(set(provider)))


@claim("ai-cache 5: include_inactive")
def inactive_sources_are_listed_on_request(service):
    add_source(service, source, "inacti", [], tags=["inacti-tag"], active=False)
    counts = [len(Mcp(service.admin).data("list_providers", tag="inacti-tag", **sent)["providers"]) for sent in ({}, {"include_inactive": True})]
    equal(counts, [0, 1])


@claim("interface: shared and groups")
def sources_of_other_groups_are_not_listed(service):
    service.admin.post("/svc/groups/", {"name": "mcp-hidden"})
    add_source(service, source, "hidmcp", [], shared=False, groups=["mcp-hidden"], tags=["hidmcp-tag"])
    equal(Mcp(people["anna"]).data("list_providers", tag="hidmcp-tag")["providers"], [])
    resource = Mcp(people["anna"]).result("resources/read", {"uri": "svc://providers"})
    expect("hidmcp" not in json.dumps(resource), "the resource lists it", resource)


@claim("docs/mcp: list_searches")
def list_searches_lists_ones_own(service):
    searched(service, "ownlis")
    mine = Mcp(service.admin).data("list_searches", limit=5)["searches"]
    equal((mine[0]["query"] if "query" in mine[0] else mine[0]["query_string"]), "ownlis")
    expect("ownlis" not in json.dumps(Mcp(people["anna"]).data("list_searches", limit=50)), "others see it")


def long_page(word):
    text = " ".join(f"Sentence {n} of the {word} report." for n in range(900))
    return Reply(f"<html><body><p>{text}</p></body></html>".encode(), headers={"Content-Type": "text/html"})


def with_page(service, word, page=None):
    source.route(f"/page/{word}", page or long_page(word))
    found = [{"title": f"{word} report", "url": source.base + f"/page/{word}", "body": f"The {word} report in short, as listed by its source."}]
    provider = add_source(service, source, word, found, page_fetch_config_json={"cache": "false"})
    data = Mcp(service.admin).data("search", query=word, providers=[provider["id"]])
    return {"search_id": data["search_id"], "swirl_id": data["results"][0]["swirl_id"]}


@claim("ai-cache 5: read_document")
def a_document_can_be_read_in_windows(service):
    place, mcp = with_page(service, "windmc"), Mcp(service.admin)
    first = mcp.data("read_document", **place, length=1000)
    equal((first["offset"], len(first["text"]), first["source"]), (0, 1000, "page"))
    expect(first["total"] > 20_000 and first["next_offset"] == 1000, "total, next_offset", {**first, "text": ""})
    second = mcp.data("read_document", **place, offset=first["next_offset"], length=1000)
    equal(second["offset"], 1000)
    last = mcp.data("read_document", **place, offset=first["total"] - 10, length=1000)
    equal((len(last["text"]), last.get("next_offset")), (10, None))


@claim("ai-cache 5: length at most 8000")
def a_window_has_at_most_8000_characters(service):
    place, mcp = with_page(service, "lenmcp"), Mcp(service.admin)
    result = mcp.call("read_document", **place, length=9000)
    expect(result.get("isError") or len(result["structuredContent"]["text"]) <= 8000, "length")
    equal(len(mcp.data("read_document", **place, length=8000)["text"]), 8000)


@claim("docs/mcp: a document that cannot be fetched")
def a_page_that_fails_gives_the_text_of_the_result_and_the_reason(service):
    place = with_page(service, "failmc", Reply("no", 500))
    result = Mcp(service.admin).call("read_document", **place)
    data = result["structuredContent"]
    equal((data["source"], data["text"]), ("result", "The failmc report in short, as listed by its source."))
    expect("500" in json.dumps(result), "the reason is missing", result)


@claim("ai-cache 5: read_document refuses arbitrary addresses", [Row(str(sent), (sent,)) for sent in [
    {"url": "http://127.0.0.1/"}, {"signal_id": 999999}, {"search_id": 999999, "swirl_id": 1}, {"swirl_id": 1}, {"search_id": 0, "swirl_id": 0}]])  # fmt: skip
def read_document_reads_nothing_else(service, sent):
    Mcp(service.admin).error("read_document", **sent)


@claim("ai-cache 5: score_document")
def a_text_can_be_scored(service):
    mcp = Mcp(service.admin)
    good = mcp.data("score_document", query="river sensors", text="River sensors measure the level of a river. Sensors of rivers.")
    bad = mcp.data("score_document", query="river sensors", text="A recipe for cake with butter and sugar.")
    expect(1 >= good["confidence"] > bad["confidence"] >= 0 and good["explain"] and good["score"] > bad["score"], "scores", good, bad)


@claim("ai-cache 5: score_document of a result")
def a_result_can_be_scored(service):
    data = searched(service, "scorer")
    result = data["results"][0]
    scored = Mcp(service.admin).data("score_document", query="scorer", search_id=data["search_id"], swirl_id=result["swirl_id"])
    expect(0 < scored["confidence"] <= 1, "confidence", scored)


@claim("ai-cache 5: chat")
def a_chat_goes_on_by_its_id(service):
    model.on("mcpcha", "A reply.")
    mcp = Mcp(service.admin)
    first = mcp.data("chat", message="mcpcha one")
    equal((first["content"], first["citations"]), ("A reply.", []))
    second = mcp.data("chat", message="mcpcha two", chat_id=first["chat_id"])
    equal(second["chat_id"], first["chat_id"])
    expect("mcpcha one" in model.calls("mcpcha two")[0].text, "the history is missing")
    equal(len(service.admin.get(f"/svc/chat/{first['chat_id']}/").expect(200).json()["messages"]), 4)
    Mcp(people["anna"]).error("chat", message="x", chat_id=first["chat_id"])


HOSTILE = ["[click](https://evil.example/a)", "![x](https://evil.example/a)", "<script>x</script>", "<img src=//evil.example>",
           "```\nend\n```", "# Heading"]  # fmt: skip


@claim("docs/mcp: Markdown cannot contain links, images or tags of a source", [Row(t, (at, t)) for at, t in enumerate(HOSTILE)])
def texts_of_sources_are_no_markdown(service, at, text):
    word = "hostmc" + "abcdef"[at]
    found = [{"title": f"{word} {text}", "url": "https://fine.example/", "body": f"The {word} says {text} and more words for a snippet."}]
    provider = add_source(service, source, word, found)
    markdown = text_of(Mcp(service.admin).call("search", query=word, providers=[provider["id"]]))
    for mark in [r"(?<!\\)\]\(https?://evil", r"(?<!\\)!\[x", r"(?<!\\)<script", r"(?<!\\)<img", r"(?m)^```\nend", r"(?m)^# Heading"]:
        expect(not re.search(mark, markdown), f"{mark} is there", markdown)


RESOURCES = ["svc://providers", "svc://health", "svc://license"]


@claim("ai-cache 5: resources", [Row(uri, (uri,)) for uri in RESOURCES])
def a_resource_is_listed_and_readable(service, uri):
    mcp = Mcp(people["anna"])
    expect(uri in [each["uri"] for each in mcp.result("resources/list")["resources"]], "it is not listed")
    contents = mcp.result("resources/read", {"uri": uri})["contents"]
    equal(contents[0]["uri"], uri)
    expect(source.host not in json.dumps(contents) and json.loads(contents[0]["text"]) is not None, "contents", contents)


@claim("ai-cache 5: svc://search/<id>")
def a_search_is_a_resource(service):
    data = searched(service, "resour")
    templates = Mcp(service.admin).result("resources/templates/list")["resourceTemplates"]
    expect(any(each["uriTemplate"].startswith("svc://search/") for each in templates), "template", templates)
    contents = Mcp(service.admin).result("resources/read", {"uri": f"svc://search/{data['search_id']}"})["contents"]
    expect("resour" in contents[0]["text"], "contents", contents)


@claim("docs/mcp: states of svc://health", [Row("unknown", ("unknown",)), Row("ok", ("ok",))])
def health_has_the_state_of_a_source(service, state):
    word = "health" + state[0]
    provider = add_source(service, source, word, documents(word))
    if state == "ok":
        Mcp(service.admin).data("search", query=word, providers=[provider["id"]])
    text = Mcp(service.admin).result("resources/read", {"uri": "svc://health"})["contents"][0]["text"]
    entry = [each for each in entries(json.loads(text)) if each.get("name") == f"Source {word}"]
    equal([each.get("state") or each.get("health") or each.get("status") for each in entry], [state])


def entries(value):
    """All objects inside a JSON value."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from entries(each)
    elif isinstance(value, list):
        for each in value:
            yield from entries(each)


@claim("ai-cache 5: the prompt research")
def the_prompt_contains_the_question(service):
    mcp = Mcp(service.admin)
    listed = mcp.result("prompts/list")["prompts"]
    equal([each["name"] for each in listed], ["research"])
    equal([(each["name"], each["required"]) for each in listed[0]["arguments"]], [("question", True)])
    text = json.dumps(mcp.result("prompts/get", {"name": "research", "arguments": {"question": "Who owns the dam?"}}))
    expect("Who owns the dam?" in text and "search" in text, "text", text)
