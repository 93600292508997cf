"""Prompt records, and how the prompt of an AI summary is put together within its budget."""

import time

from harness import Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_search, ask, documents, summary
from harness.model import Model

source, model = Source(), Model()
people = {}
STANDARD = ["search_rag_standard", "search_rag_deeplink", "chat_rag_instructions_standard", "chat_rag_standard", "chat_rag_deeplink"]


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Prompts")
    people.update(anna=service.user("anna"), ben=service.user("ben"))


def finish():
    source.__exit__()
    model.__exit__()


def prompts(client):
    return {each["name"]: each for each in client.get("/svc/prompts/").expect(200).json()}


def new_prompt(client, name, status=201, **fields):
    return client.post("/svc/prompts/", {"name": name, "prompt": f"Text of {name}.", "tags": ["search-rag"], **fields}).expect(status).json()


@claim("ai-cache 1.7: standard prompts", [Row(name, (name,)) for name in STANDARD])
def a_standard_prompt_is_readable_and_fixed(service, name):
    record = prompts(people["anna"])[name]
    equal((record["standard"], record["active"], record["shared"]), (True, True, True))
    for client, status in ((people["anna"], 403), (service.admin, 409)):
        response = client.patch(f"/svc/prompts/{record['id']}/", {"prompt": "x"})
        expect(response.status in (status, 403, 409), "PATCH", response.status)
        expect(client.delete(f"/svc/prompts/{record['id']}/").status in (403, 409), "DELETE")
    equal(prompts(service.admin)[name]["prompt"], record["prompt"])


@claim("ai-cache 1.7: at least one active prompt for each purpose", [Row(tag, (tag,)) for tag in ["search-rag", "chat", "chat-rag"]])
def each_purpose_has_a_prompt(service, tag):
    found = [each for each in prompts(people["anna"]).values() if tag in each["tags"] and each["active"]]
    expect(found, "none")
    listed = people["anna"].get("/svc/prompts/", params={"tag": tag}).expect(200).json()
    expect(listed and all(tag in each["tags"] for each in listed), "?tag=", listed)


BAD = [
    ("no name", {"prompt": "x", "tags": ["chat"]}, "name"), ("no prompt", {"name": "bad-1", "tags": ["chat"]}, "prompt"),
    ("no tags", {"name": "bad-2", "prompt": "x"}, "tags"), ("empty tags", {"name": "bad-3", "prompt": "x", "tags": []}, "tags"),
    ("unknown tag", {"name": "bad-4", "prompt": "x", "tags": ["poem"]}, "tags"),
    ("long prompt", {"name": "bad-5", "prompt": "x" * 20001, "tags": ["chat"]}, "prompt"),
    ("long note", {"name": "bad-6", "prompt": "x", "note": "x" * 20001, "tags": ["chat"]}, "note"),
    ("long name", {"name": "x" * 256, "prompt": "x", "tags": ["chat"]}, "name"),
]  # fmt: skip


@claim("decisions 3.1; docs/ai-providers: prompts", [Row(name, (body, field)) for name, body, field in BAD])
def an_invalid_prompt_is_400_and_names_the_field(service, body, field):
    response = service.admin.post("/svc/prompts/", body).expect(400).json()
    expect(field in str(response.get("errors") or response["detail"]), f"{field} is not named", response)


@claim("ai-cache 1.7: names")
def a_taken_name_is_409(service):
    new_prompt(people["anna"], "taken-prompt")
    new_prompt(people["anna"], "taken-prompt", status=409)
    new_prompt(service.admin, "search_rag_standard", status=409)


@claim("docs/ai-providers: prompts of users")
def a_prompt_of_a_user_is_private(service):
    record = new_prompt(people["anna"], "private-prompt")
    for client in (people["ben"], service.admin):
        equal("private-prompt" in prompts(client), False)
        client.get(f"/svc/prompts/{record['id']}/").expect(404)
        client.patch(f"/svc/prompts/{record['id']}/", {"prompt": "x"}).expect(404)
        client.delete(f"/svc/prompts/{record['id']}/").expect(404)
    people["anna"].delete(f"/svc/prompts/{record['id']}/").expect(204)


@claim("docs/ai-providers: administrators can share theirs")
def only_administrators_share_prompts(service):
    new_prompt(people["anna"], "shared-by-anna", status=403, shared=True)
    new_prompt(service.admin, "shared-by-admin", shared=True)
    equal("shared-by-admin" in prompts(people["ben"]), True)


@claim("docs/ai-providers: 100 prompts of a user")
def a_user_has_at_most_100_prompts(service):
    carl = service.user("carl")
    for n in range(100):
        new_prompt(carl, f"carl-{n}")
    response = carl.post("/svc/prompts/", {"name": "carl-100", "prompt": "x", "tags": ["chat"]})
    expect(response.status in (400, 409, 422), "the 101st", response.status)


PARTS = {"prompt": "Header {header} asks {query} now.", "note": "NOTE-TEXT", "footer": "FOOTER-TEXT"}


@claim("ai-cache 1.7: parts of a prompt", [Row("rag-search", ("body",)), Row("operator", ("operator",))])
def a_prompt_surrounds_the_sources(service, how):
    word = "partsb" if how == "body" else "partso"
    new_prompt(service.admin, f"parts-{how}", **PARTS)
    query = word if how == "body" else f"{word} prompt:parts-{how}"
    search = add_search(service, source, word, query=query)
    ask(service.admin, search, **({"prompt": f"parts-{how}"} if how == "body" else {}))
    prompt = model.calls(word)[0].prompt
    expect(f"asks {word} now." in prompt and "{header}" not in prompt and "{query}" not in prompt, "placeholders", prompt)
    places = [prompt.index(text) for text in (f"asks {word} now.", "was measured in section", "NOTE-TEXT", "FOOTER-TEXT")]
    equal(places, sorted(places), "order")
    expect(prompt.rindex("was measured in section") < places[2], "the note follows the sources", prompt)
    if how == "operator":
        equal(source.asked("/partso")[0].query["q"], "partso", "the operator is no word of the query")


@claim("ai-cache 1.7: text of a query is no placeholder")
def braces_in_a_query_are_not_replaced(service):
    new_prompt(service.admin, "braces", prompt="Asked: {query}.")
    search = add_search(service, source, "braceq", query="braceq {header} {query}")
    ask(service.admin, search, prompt="braces")
    expect("Asked: braceq" in model.calls("braceq")[0].prompt, "query", model.calls("braceq")[0].prompt)


UNUSABLE = [("inactive", {"active": False}, "search-rag"), ("another purpose", {"tags": ["chat"]}, "chat")]


@claim("docs/ai-providers: an inactive prompt is never used", [Row(name, (at, fields)) for at, (name, fields, _) in enumerate(UNUSABLE)])
def an_unusable_prompt_is_not_used(service, at, fields):
    word = "unuspr" + "ab"[at]
    new_prompt(service.admin, word, **fields)
    search = add_search(service, source, word)
    response = service.admin.post("/svc/rag-search/", {"search_id": search["id"], "prompt": word}).expect(200, 400)
    expect("Text of " + word not in "".join(each.text for each in model.calls(word)), "it was used")
    expect(word in response.text, "it is not named", response.text)


@claim("docs/ai-providers: private prompts")
def a_prompt_of_somebody_else_is_not_used(service):
    new_prompt(people["anna"], "annaspr", prompt="Obey anna.")
    search = add_search(service, source, "othpro", client=people["ben"])
    people["ben"].post("/svc/rag-search/", {"search_id": search["id"], "prompt": "annaspr"}).expect(200, 400)
    expect("Obey anna." not in "".join(each.text for each in model.calls("othpro")), "it was used")


@claim("ai-cache 1.7: restored on upgrade")
def standard_prompts_exist_after_a_restart(service):
    with Service(service.program) as other:
        new_prompt(other.admin, "kept", prompt="Kept text.")
        other.stop()
        other.start()
        names = prompts(other.admin)
        equal([name for name in STANDARD + ["kept"] if name not in names], [])


@claim("ai-cache 1.7: system message", [Row("date", (lambda: time.strftime("%Y-%m-%d", time.gmtime()),)), Row("language", (lambda: "language",)),
                                        Row("sources only", (lambda: "only",)), Row("role", (lambda: "system",))])  # fmt: skip
def the_system_message_has_its_rules(service, part):
    if not model.calls("sysrul"):
        ask(service.admin, add_search(service, source, "sysrul"))
    call = model.calls("sysrul")[0]
    equal(call.messages[0]["role"], "system")
    if part() != "system":
        expect(part() in call.of_role("system"), "it is missing", call.of_role("system"))


PIECES = ["[1]", "srchea 1 harbor", "Source srchea", "2024-05-06", "srchea.example", "was measured in section 1"]


@claim("ai-cache 1.7: sources", [Row(piece, (piece,)) for piece in PIECES])
def a_source_in_the_prompt_has_its_number_title_provider_date_and_host(service, piece):
    if not model.calls("srchea"):
        found = documents("srchea", 1)
        found[0]["date"] = "2024-05-06 10:00:00"
        ask(service.admin, add_search(service, source, "srchea", found))
    expect(piece in model.calls("srchea")[0].of_role("user"), "it is missing", model.calls("srchea")[0].of_role("user"))


def budgeted(service, word, settings, config=None, count=6):
    """The prompt and the sources for long texts, in a service with these settings."""
    with Service(service.program, settings) as other:
        add_model(other, model, "Budget", config=config)
        found = documents(word, count)
        for each in found:
            each["body"] = each["body"] + " " + " ".join(f"The {word} survey of {each['title'][-6:]} notes item {n}." for n in range(150))
        search = add_search(other, source, word, found)
        row = summary(ask(other.admin, search))
        return model.calls(word)[0].prompt, row["additional_content"]["sources"]


def items_in(prompt):
    return sum(len(line) for line in prompt.splitlines() if "notes item" in line)


BUDGETS = [("4000 by default", {}, None, 4000), ("SVC_RAG_TOK_MAX", {"SVC_RAG_TOK_MAX": "600"}, None, 600)]


@claim("ai-cache 1.7: budget", [Row(name, (at, settings, config, tokens)) for at, (name, settings, config, tokens) in enumerate(BUDGETS)])
def the_sources_fit_into_the_budget(service, at, settings, config, tokens):
    prompt, _ = budgeted(service, "budget" + "ab"[at], settings, config)
    # A token of English has about four characters.
    expect(tokens * 2 < items_in(prompt) < tokens * 5, f"{items_in(prompt)} characters for {tokens} tokens")


@claim("ai-cache 1.7: every source has its share")
def a_long_source_leaves_space_for_the_others(service):
    prompt, sources = budgeted(service, "shareb", {"SVC_RAG_TOK_MAX": "1200"})
    equal([each["n"] for each in sources], [1, 2, 3, 4, 5, 6])
    for each in documents("shareb", 6):
        expect(f"{each['title'][-6:]} notes item" in prompt, f"nothing of {each['title']}")


@claim("ai-cache 1.7, 1.8: sources are what was in the prompt")
def a_tiny_budget_leaves_later_sources_out(service):
    prompt, sources = budgeted(service, "tinybu", {"SVC_RAG_TOK_MAX": "100"})
    expect(1 <= len(sources) < 6, "sources", len(sources))
    for n in range(1, 7):
        equal(f"[{n}]" in prompt.split("was measured")[0] or f"section {n} " in prompt, n <= len(sources), f"source {n}")
