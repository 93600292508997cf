"""Models and sources for claims about AI: every claim searches for a word of its own, which its model recognizes."""

SUMMARY_AUTHOR = "Tributary RAG AI Results Processor"


def add_model(service, server, name, roles=("rag",), config=None, **fields):
    """An AIProvider for the stand-in, as an OpenAI-compatible server."""
    record = {
        "name": name, "model": f"openai/{name.lower().replace(' ', '-')}", "api_key": "sk-claims", "active": True,
        "tags": list(roles), "config": {"api_base": server.api_base, **(config or {})}, **fields,
    }  # fmt: skip
    return service.admin.post("/svc/aiproviders/", record).expect(201).json()


def documents(word, count=3, label=""):
    """Results of a source that are about the word, and differ in words and numbers."""
    subjects = ["harbor", "reservoir", "bridge", "mill", "canal", "lock", "weir", "pier", "quay", "dam", "dike", "ferry"]
    return [
        {
            "title": f"{word} {label}{n} {subjects[(n - 1) % 12]}", "url": f"https://{word}{label.lower()}.example/{n}",
            "body": f"The {word} {subjects[(n - 1) % 12]} {label} was measured in section {n} and is {n * 7} meters long "
                    f"after the repair of its {subjects[n % 12]}.",
        }
        for n in range(1, count + 1)
    ]  # fmt: skip


def add_source(service, source, word, found, label="", rag=None, threshold=0, **fields):
    """A SearchProvider, asked only when selected, that finds these results. `threshold` None keeps the global one."""
    path = f"/{word}{label}"
    source.route(path, {"items": found})
    block = {} if threshold is None else {"swirl_rag_score_inclusion_threshold": threshold}
    record = {
        "name": f"Source {word}{label}", "url": source.base + path, "default": False,
        "result_mappings": "title=title,body=body,url=url,author=author,date_published=date",
        "config": {"swirl": {"rag": {**block, **(rag or {})}}}, **fields,
    }  # fmt: skip
    return service.admin.create_provider(**record)


def add_search(service, source, word, found=None, client=None, query=None, **fields):
    """A finished search for the word in a source of its own, with three documents."""
    provider = add_source(service, source, word, documents(word) if found is None else found, **fields)
    return (client or service.admin).run_search(query or word, searchprovider_list=[provider["id"]])


def ask(client, search, status=200, **body):
    """The response of rag-search."""
    search_id = search["id"] if isinstance(search, dict) else search
    return client.post("/svc/rag-search/", {"search_id": search_id, **body}).expect(status).json()


def summary(response):
    """The summary in a response with results."""
    if len(response["ai_summary"]) != 1:
        raise AssertionError(f"expected one summary, got {len(response['ai_summary'])}; info.ai {response['info'].get('ai')}")
    return response["ai_summary"][0]


def events_of(text):
    """(name, data) of server-sent events, with data as text; comments are left out."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        name = next((line[6:].strip() for line in lines if line.startswith("event:")), "message")
        data = "\n".join(line[5:].removeprefix(" ") for line in lines if line.startswith("data:"))
        if lines:
            found.append((name, data))
    return found
