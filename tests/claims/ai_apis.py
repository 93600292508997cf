"""The APIs of model vendors: requests, whole and streamed replies, reasoning, embeddings, and rerankings."""

import base64
import json

from harness import Row, Source, claim, equal, eventually, expect
from harness.answers import add_model, add_search, ask, summary
from harness.model import Fails, Model, Says

source, model = Source(), Model()


def prepare(service):
    source.__enter__()
    model.__enter__()


def finish():
    source.__exit__()
    model.__exit__()


def bearer(call):
    return call.headers.get("authorization") == "Bearer sk-vendor"


VENDORS = {
    # name: (model of the record, path of the request, whether the key is where the vendor expects it, further config)
    "openai": ("gpt-4o", "/chat/completions", bearer, {}),
    "compatible": ("openai/org/llama-3", "/chat/completions", bearer, {}),
    "azure": ("azure/deploy1", "/openai/deployments/deploy1/chat/completions", lambda c: c.headers.get("api-key") == "sk-vendor", {}),
    "anthropic": ("anthropic/claude-3-5-sonnet", "/v1/messages", lambda c: c.headers.get("x-api-key") == "sk-vendor", {}),
    "gemini": ("gemini/gemini-2.0-flash", "enerateContent",
               lambda c: "sk-vendor" in (c.headers.get("x-goog-api-key"), c.query.get("key")), {}),
    "ollama": ("ollama/llama3.2", "/api/chat", bearer, {}),
    "cohere": ("cohere/command-r", "/v2/chat", bearer, {}),
    "command": ("command-r-plus", "/v2/chat", bearer, {}),
    "bedrock": ("bedrock/anthropic.claude-3-haiku-v1:0", "/model/anthropic.claude-3-haiku-v1:0/converse", bearer, {}),
    "bedrock without stream": ("bedrock/anthropic.claude-3-haiku-v1:0", "/model/anthropic.claude-3-haiku-v1:0/converse", bearer, {"stream": False}),
    "amazon": ("amazon.nova-lite-v1:0", "/model/amazon.nova-lite-v1:0/converse", bearer, {"stream": False}),
    "huggingface": ("huggingface/org/mistral", "/chat/completions", bearer, {}),
    "vertex": ("vertex_ai/gemini-2.0-flash", "enerateContent", bearer, {"VERTEX_PROJECT": "p1", "VERTEX_LOCATION": "europe-west1"}),
    "custom_llm": ("my-own-name", "/v1/messages", lambda c: c.headers.get("x-api-key") == "sk-vendor", {"custom_llm": "anthropic"}),
}  # fmt: skip

ORDER = list(VENDORS)


def answered(service, name, word, reply=None):
    vendor_model, _, _, config = VENDORS[name]
    base = model.api_base if name in ("openai", "compatible", "huggingface") else model.base
    record = add_model(service, model, f"{name} {word}", model=vendor_model, api_key="sk-vendor", config={"api_base": base, **config})
    model.on(word, reply or Says(f"The {word} harbor was measured in section 1 [1].", tokens=(123, 45)))
    search = add_search(service, source, word)
    row = summary(ask(service.admin, search, ai_provider=record["id"]))
    return row, next(each for each in model.calls(word))


@claim("ai-cache 1.11: model families", [Row(name, (name,)) for name in VENDORS])
def a_vendor_is_asked_in_its_own_form(service, name):
    word = "vendor" + chr(97 + ORDER.index(name))
    row, call = answered(service, name, word)
    equal(row["body"], f"The {word} harbor was measured in section 1 [1].")
    path = VENDORS[name][1]
    expect(path in call.path, f"expected {path}", call.path)
    expect(VENDORS[name][2](call), "the key is not where it belongs", call.headers)
    made = row["additional_content"]
    equal((made["tokens_in"], made["tokens_out"]), (123, 45), "tokens")


SYSTEM = {
    "anthropic": lambda body: json.dumps(body.get("system")),
    "gemini": lambda body: json.dumps(body.get("systemInstruction") or body.get("system_instruction")),
    "bedrock": lambda body: json.dumps(body.get("system")),
    "openai": lambda body: json.dumps([each for each in body["messages"] if each["role"] in ("system", "developer")]),
    "ollama": lambda body: json.dumps([each for each in body["messages"] if each["role"] == "system"]),
    "cohere": lambda body: json.dumps([each for each in body["messages"] if each["role"] == "system"]),
}


@claim("ai-cache 1.11: the system message of a vendor", [Row(name, (name,)) for name in SYSTEM])
def the_system_message_is_where_the_vendor_expects_it(service, name):
    word = "sysmes" + chr(97 + ORDER.index(name))
    _, call = answered(service, name, word)
    text = SYSTEM[name](call.body)
    expect(len(text) > 50 and "source" in text.lower(), "no system message", call.body)


TEMPERATURES = {
    "openai": lambda body: body.get("temperature"), "anthropic": lambda body: body.get("temperature"),
    "gemini": lambda body: body.get("generationConfig", {}).get("temperature"),
    "ollama": lambda body: body.get("options", {}).get("temperature"), "cohere": lambda body: body.get("temperature"),
    "bedrock": lambda body: body.get("inferenceConfig", {}).get("temperature"),
}  # fmt: skip


@claim("ai-cache 1.11: temperature 0", [Row(name, (name,)) for name in TEMPERATURES])
def the_temperature_is_0(service, name):
    word = "tempve" + chr(97 + ORDER.index(name))
    _, call = answered(service, name, word)
    equal(TEMPERATURES[name](call.body), 0)


@claim("ai-cache 1.11: anthropic_version", [Row("default", ({}, "2023-06-01")), Row("set", ({"anthropic_version": "2099-01-01"}, "2099-01-01"))])
def anthropic_gets_its_version(service, config, version):
    word = "anthve" + version[2]
    record = add_model(service, model, word, model="anthropic/claude-3", config={"api_base": model.base, **config})
    ask(service.admin, add_search(service, source, word), ai_provider=record["id"])
    equal(model.calls(word)[0].headers.get("anthropic-version"), version)


@claim("ai-cache 1.11: api_version, organization")
def azure_gets_its_api_version_and_openai_its_organization(service):
    azure = add_model(service, model, "azvers", model="azure/d", config={"api_base": model.base, "api_version": "2024-12-01"})
    ask(service.admin, add_search(service, source, "azvers"), ai_provider=azure["id"])
    equal(model.calls("azvers")[0].query.get("api-version"), "2024-12-01")
    openai = add_model(service, model, "oaiorg", model="gpt-4o", config={"organization": "org-1"})
    ask(service.admin, add_search(service, source, "oaiorg"), ai_provider=openai["id"])
    equal(model.calls("oaiorg")[0].headers.get("openai-organization"), "org-1")


@claim("docs/ai-providers: Amazon Bedrock")
def bedrock_requests_are_signed_with_the_keys_of_config(service):
    config = {"api_base": model.base, "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "very-secret",
              "AWS_REGION_NAME": "eu-west-3", "AWS_SESSION_TOKEN": "session-1", "stream": False}  # fmt: skip
    record = add_model(service, model, "awssig", model="bedrock/anthropic.claude-v2", api_key="", config=config)
    ask(service.admin, add_search(service, source, "awssig"), ai_provider=record["id"])
    headers = model.calls("awssig")[0].headers
    expect(headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "signature", headers)
    expect("/eu-west-3/bedrock/aws4_request" in headers["authorization"], "scope", headers)
    equal(headers.get("x-amz-security-token"), "session-1")
    expect("very-secret" not in json.dumps(headers), "the secret is sent")


@claim("ai-cache 1.11: requestpost")
def requestpost_sends_the_messages_to_the_address_as_it_is(service):
    own = {"headers": {"X-Own": "yes"}, "body": {"project": "p1"}}
    record = add_model(service, model, "reqpos", model="anything", config={"api_base": model.base + "/own/path", "requestpost": own})
    ask(service.admin, add_search(service, source, "reqpos"), ai_provider=record["id"])
    call = model.calls("reqpos")[0]
    equal((call.path, call.headers.get("x-own"), call.body.get("project")), ("/own/path", "yes", "p1"))
    expect(call.messages and not call.body.get("stream"), "messages, no stream", call.body)


@claim("ai-cache 1.11: unsupported parameters are dropped")
def a_parameter_that_a_model_does_not_support_is_dropped(service):
    def picky(call):
        if "temperature" in call.body:
            return Fails(400, {"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model.",
                                         "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}})  # fmt: skip
        return Says("Fine [1].")

    model.on("droppa", picky)
    record = add_model(service, model, "droppa", model="gpt-picky")
    equal(summary(ask(service.admin, add_search(service, source, "droppa"), ai_provider=record["id"]))["body"], "Fine [1].")


REASONING = [("o3-mini", 8000), ("deepseek-r1", 8000), ("qwen3-32b", 8000), ("gpt-oss-20b", 8000), ("gpt-4o", 0)]


@claim("docs/ai-providers: models that reason", [Row(name, (at, name, more)) for at, (name, more) in enumerate(REASONING)])
def known_reasoning_models_get_8000_tokens_more(service, at, name, more):
    def limit_of(word, **config):
        record = add_model(service, model, word, model=f"openai/{name}", config=config)
        ask(service.admin, add_search(service, source, word), ai_provider=record["id"])
        body = model.calls(word)[0].body
        return body.get("max_completion_tokens") or body.get("max_tokens")

    suffix = "abcde"[at]
    equal(limit_of(f"reasod{suffix}") - limit_of(f"reason{suffix}", reasoning_tokens=0), more)


@claim("docs/ai-providers: config.reasoning_tokens")
def reasoning_tokens_are_added_for_any_model(service):
    record = add_model(service, model, "reaset", model="openai/anything", config={"reasoning_tokens": 1234})
    plain = add_model(service, model, "reapla", model="openai/anything")
    limits = []
    for word, each in (("reaset", record), ("reapla", plain)):
        ask(service.admin, add_search(service, source, word), ai_provider=each["id"])
        body = model.calls(word)[0].body
        limits.append(body.get("max_completion_tokens") or body.get("max_tokens"))
    equal(limits[0] - limits[1], 1234)


@claim("docs/ai-providers: a server that cannot hold the tokens of reasoning")
def a_server_with_a_small_limit_is_asked_again_without_them(service):
    def small(call):
        tokens = call.body.get("max_completion_tokens") or call.body.get("max_tokens")
        if tokens > 8000:
            return Fails(400, {"error": {"message": f"This model's maximum context length is 8192 tokens, but {tokens} were requested.",
                                         "code": "context_length_exceeded"}})  # fmt: skip
        return Says("Fine [1].")

    model.on("smallq", small)
    record = add_model(service, model, "smallq", model="openai/qwen3-8b")
    equal(summary(ask(service.admin, add_search(service, source, "smallq"), ai_provider=record["id"]))["body"], "Fine [1].")


THINKING = [
    ("gemini-2.0-flash", {}, None, 0), ("gemini-2.5-flash", {}, {"thinkingBudget": 8000}, 0),
    ("gemini-2.5-flash", {"reasoning_tokens": 0}, {"thinkingBudget": 0}, 0),
    ("gemini-2.5-pro", {"reasoning_tokens": 0}, {"thinkingBudget": 128}, 0),
    ("gemini-3-pro", {}, {"thinkingLevel": "low"}, None), ("gemini-flash-latest", {}, {"thinkingBudget": 8000}, None),
]


@claim("docs/ai-providers: Gemini's thinking", [Row(f"{at} {t[0]}", (at, *t)) for at, t in enumerate(THINKING)])
def the_thinking_of_gemini_is_limited(service, at, name, config, thinking, temperature):
    word = "thinkq" + "abcdef"[at]
    record = add_model(service, model, word, model=f"gemini/{name}", config={"api_base": model.base, **config})
    ask(service.admin, add_search(service, source, word), ai_provider=record["id"])
    sent = model.calls(word)[0].body["generationConfig"]
    equal(sent.get("thinkingConfig"), thinking)
    equal(sent.get("temperature"), temperature)


READERS = {
    "openai": ("text-embedding-3-small", "/v1/embeddings"), "azure": ("azure/emb", "/openai/deployments/emb/embeddings"),
    "ollama": ("ollama/nomic-embed-text", "/api/embed"), "cohere": ("embed-english-v3.0", "/v2/embed"),
    "gemini": ("gemini/text-embedding-004", "mbedContent"),
}  # fmt: skip


@claim("ai-cache 1.11: embeddings", [Row(name, (name,)) for name in READERS])
def a_vendor_embeds_in_its_own_form(service, name):
    vendor_model, path = READERS[name]
    base = model.api_base if name == "openai" else model.base
    record = add_model(service, model, f"reader {name}", roles=["reader"], model=vendor_model, config={"api_base": base}, active=False)
    before = len(model.calls())
    body = service.admin.post(f"/svc/aiproviders/{record['id']}/test/").expect(200).json()
    equal((body["status"], body["role"]), ("OK", "reader"), str(body))
    expect(path in model.calls()[before].path, f"expected {path}", model.calls()[before].path)


@claim("docs/ai-providers: dimensions")
def vectors_of_another_length_than_required_are_an_error(service):
    record = add_model(service, model, "dimens", roles=["reader"], config={"dimensions": 33}, active=False)
    body = service.admin.post(f"/svc/aiproviders/{record['id']}/test/").expect(200).json()
    equal(body["status"], "FAIL")
    expect("32" in body["error"] and "33" in body["error"], "the lengths are not named", body)


@claim("docs/ranking: rerankers")
def a_reranker_counts_one_half_of_the_confidence(service):
    record = add_model(service, model, "rerank", roles=["reranker"], model="cohere/rerank-v3.5", config={"api_base": model.base})
    found = [
        {"title": f"rankme {n}", "url": f"https://rankme.example/{n}", "body": f"The rankme canal {n} is {text} of all canals."}
        for n, text in enumerate(["an ordinary one", "the best", "the longest"])
    ]
    pipeline = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"]
    search = add_search(service, source, "rankme", found, query="rankme canal")
    provider = search["searchprovider_list"]
    plain = {each["url"]: each["swirl_confidence_score"] for each in service.admin.results(search["id"])["results"]}

    def reranked():
        # Changes of rerankers take effect within 3 seconds.
        again = service.admin.run_search("rankme canal", searchprovider_list=provider, post_result_processors=pipeline)
        found = service.admin.results(again["id"])["results"]
        return found if "reranker" in found[0]["explain"]["evidence"] else None

    ranked = eventually(reranked, 5, "results are not reranked")
    equal(ranked[0]["url"], "https://rankme.example/1")
    for each in ranked:
        score = 0.9 if each["url"].endswith("1") else 0.1
        equal(each["explain"]["evidence"]["reranker"], score)
        expected = plain[each["url"]] + 0.5 * (score - plain[each["url"]])
        expect(abs(each["swirl_confidence_score"] - expected) < 0.00001, "confidence", each["swirl_confidence_score"], expected)
    service.admin.delete(f"/svc/aiproviders/{record['id']}/").expect(204)


@claim("docs/ranking: rerankers: a message reports a failure")
def a_failing_reranker_changes_nothing_and_is_reported(service):
    record = add_model(service, model, "rerfai", roles=["reranker"], model="cohere/rerank-v3.5", config={"api_base": model.base})
    model.on("rerqua", Fails(500))
    pipeline = ["CosineRelevancyPostResultProcessor", "RerankPostResultProcessor"]
    plain = add_search(service, source, "rerqua")

    def reranked():
        # Changes of rerankers take effect within 3 seconds.
        fields = {"searchprovider_list": plain["searchprovider_list"], "post_result_processors": pipeline}
        found = service.admin.run_search("rerqua", **fields)
        return found if [each for each in model.calls("rerqua") if "rerank" in each.path] else None

    search = eventually(reranked, 5, "the reranker is not asked")
    scores = [[each["swirl_confidence_score"] for each in service.admin.results(one["id"])["results"]] for one in (plain, search)]
    equal(scores[1], scores[0])
    expect(any("Rerank" in each for each in search["messages"]), "no message", search["messages"])
    service.admin.delete(f"/svc/aiproviders/{record['id']}/").expect(204)


@claim("docs/ai-providers: secrets", [Row("basic", ("basic",))])
def a_key_in_the_address_of_a_model_is_not_shown(service, _):
    record = service.admin.post("/svc/aiproviders/", {
        "name": "userinfo", "model": "gpt-4o", "tags": ["rag"], "active": False,
        "config": {"api_base": model.api_base.replace("//", "//user:hush-31337@")},
    })  # fmt: skip
    record.expect(201, 400)
    hidden = base64.b64encode(b"user:hush-31337").decode()
    expect("hush-31337" not in record.text and hidden not in record.text, "the password is shown", record.text)
