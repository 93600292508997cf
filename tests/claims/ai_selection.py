"""Which AIProvider serves a role, and which ones replace it when it fails."""

import time

from harness import Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_search, ask, summary
from harness.model import Fails, Model, Says

source, model = Source(), Model()


def prepare(service):
    source.__enter__()
    model.__enter__()


def finish():
    source.__exit__()
    model.__exit__()


def used(response):
    return summary(response)["additional_content"]["ai_provider"]


CASES = [
    # name of the case, records in the order of their ids, expected
    ("lowest id", [{}, {}, {}], "M0"), ("default before lower id", [{}, {"defaults": ["rag"]}], "M1"),
    ("lowest of two defaults", [{}, {"defaults": ["rag"]}, {"defaults": ["rag"]}], "M1"),
    ("inactive default", [{"defaults": ["rag"], "active": False}, {}], "M1"),
    ("other role", [{"tags": ["chat"]}, {}], "M1"), ("default of another role", [{}, {"defaults": ["chat"]}], "M0"),
    ("extractive last", [{"model": "local/extractive"}, {}], "M1"),
    ("role in another case", [{"tags": ["RAG"]}, {}], "M0"),
]  # fmt: skip


@claim("ai-cache 1.11: selection", [Row(name, (records, want)) for name, records, want in CASES])
def a_role_is_served_by_the_right_model(service, records, want):
    with Service(service.program) as other:
        made = [add_model(other, model, f"M{at}", **fields) for at, fields in enumerate(records)]
        # An edit must not change the choice.
        other.admin.patch(f"/svc/aiproviders/{made[-1]['id']}/", {"config": {"family": "edited"}}).expect(200)
        equal(used(ask(other.admin, add_search(other, source, "choose"))), want)


@claim("ai-cache 1.11: active providers that are shared or owned")
def a_model_that_is_not_shared_serves_its_owner_only(service):
    with Service(service.program) as other:
        add_model(other, model, "Private", shared=False, defaults=["rag"])
        add_model(other, model, "Public")
        anna = other.user("anna")
        equal(used(ask(other.admin, add_search(other, source, "private"))), "Private")
        equal(used(ask(anna, add_search(other, source, "public", client=anna))), "Public")
        private = next(e["id"] for e in other.admin.get("/svc/aiproviders/").json() if e["name"] == "Private")
        response = ask(anna, add_search(other, source, "asking", client=anna), ai_provider=private)
        equal(used(response), "Public")


@claim("ai-cache 1.11: an explicit provider wins")
def a_requested_model_wins(service):
    with Service(service.program) as other:
        add_model(other, model, "First", defaults=["rag"])
        second = add_model(other, model, "Second")
        equal(used(ask(other.admin, add_search(other, source, "wanted"), ai_provider=second["id"])), "Second")


UNUSABLE = [("inactive", {"active": False}), ("another role", {"roles": ["chat"]})]


@claim("docs/answers: the stored summary; messages name it", [Row(name, (fields,)) for name, fields in UNUSABLE])
def a_requested_model_that_cannot_be_used_is_named_with_its_replacement(service, fields):
    with Service(service.program) as other:
        add_model(other, model, "Replacement")
        wanted = add_model(other, model, "Wanted", **fields)
        response = ask(other.admin, add_search(other, source, "unusab"), ai_provider=wanted["id"])
        equal(used(response), "Replacement")
        text = " ".join(response["messages"])
        expect("Wanted" in text or str(wanted["id"]) in text, "the requested model is not named", response["messages"])
        expect("Replacement" in text, "the model that was used is not named", response["messages"])


FALLBACKS = [
    # families of the primary and of the second model, further config of the primary, is the second one asked
    ("same family", "a", "a", {}, True), ("same family in another case", "Ab", "aB", {}, True), ("other family", "a", "b", {}, False),
    ("no families", None, None, {}, False), ("cross_family_fallback", "a", "b", {"cross_family_fallback": True}, True),
    ("named like the family", "Second fallba", None, {}, True), ("second without a family", "a", None, {}, False),
]  # fmt: skip


@claim("ai-cache 1.11: fallback families", [Row(case[0], (at, *case[1:])) for at, case in enumerate(FALLBACKS)])
def a_failing_model_is_replaced_within_its_family(service, at, family, second_family, config, replaced):
    word = "fallba" + "abcdefg"[at]
    with Service(service.program) as other:
        first = {"family": family, **config} if family else config
        # The names of providers stand in for families that are not set.
        if family and family.startswith("Second"):
            first["family"] = f"second {word}"
        add_model(other, model, f"First {word}", config=first, model=f"openai/one-{word}")
        second = {"family": second_family} if second_family else {}
        add_model(other, model, f"Second {word}", config=second, model=f"openai/two-{word}")
        model.on(word, lambda call: Fails(500) if call.model.startswith("one-") else Says("From the second [1]."))
        search = add_search(other, source, word)
        if not replaced:
            equal(other.admin.post("/svc/rag-search/", {"search_id": search["id"]}).expect(502).json()["code"], "ai_provider_error")
            return
        made = summary(ask(other.admin, search))["additional_content"]
        equal((made["ai_provider"], made["fallback_engaged"]), (f"Second {word}", True))
        expect(made["ai_model"].endswith(f"two-{word}") and made["requested_model"].endswith(f"one-{word}"), "models", made)


@claim("ai-cache 1.11: remaining candidates")
def all_models_of_a_family_are_tried(service):
    with Service(service.program) as other:
        for at in range(3):
            add_model(other, model, f"Try {at}", config={"family": "f"}, model=f"openai/try{at}")
        model.on("tryall", lambda call: Says("From the third [1].") if call.model == "try2" else Fails(429))
        made = summary(ask(other.admin, add_search(other, source, "tryall")))["additional_content"]
        equal((made["ai_provider"], [each.model for each in model.calls("tryall")][-1]), ("Try 2", "try2"))


@claim("ai-cache 1.11: prompt_overrides")
def prompt_overrides_replace_parts_of_the_prompt(service):
    with Service(service.program) as other:
        overrides = {"search-rag": {"footer": "FOOTER-OVERRIDE", "note": "NOTE-OVERRIDE"}, "chat": {"footer": "CHAT-OVERRIDE"}}
        add_model(other, model, "Overrides", prompt_overrides=overrides)
        ask(other.admin, add_search(other, source, "overri"))
        prompt = model.calls("overri")[0].prompt
        expect("FOOTER-OVERRIDE" in prompt and "NOTE-OVERRIDE" in prompt, "the overrides are missing", prompt)
        expect("CHAT-OVERRIDE" not in prompt, "a part for another purpose is there")


@claim("docs/ai-providers: readers; docs/ranking: external embedding models")
def the_default_reader_embeds_the_query_and_the_results(service):
    with Service(service.program) as other:
        add_model(other, model, "Vectors", roles=["reader"], defaults=["reader"], config={"query_prefix": "query: "})
        for record in other.admin.get("/svc/aiproviders/", params={"tag": "reader"}).json():
            if record["name"] == "local":
                other.admin.patch(f"/svc/aiproviders/{record['id']}/", {"defaults": []}).expect(200)
        time.sleep(3.2)  # Changes of readers take effect within 3 seconds.
        add_search(other, source, "embedr")
        calls = [each for each in model.calls("embedr") if each.path == "/v1/embeddings"]
        texts = [text for each in calls for text in each.body["input"]]
        expect(any(text == "query: embedr" for text in texts), "the query is missing", texts)
        expect(sum("was measured in section" in text for text in texts) == 3, "the results are missing", texts)


@claim("docs/ai-providers: limits of vectors", [Row("failing", (Fails(500),)), Row("of another length", (None,))])
def a_reader_that_fails_leaves_the_ranking_to_the_built_in_one(service, reply):
    with Service(service.program) as other:
        config = {} if reply else {"dimensions": 77}
        add_model(other, model, "failread", roles=["reader"], defaults=["reader"], config=config)
        for record in other.admin.get("/svc/aiproviders/", params={"tag": "reader"}).json():
            if record["name"] == "local":
                other.admin.patch(f"/svc/aiproviders/{record['id']}/", {"defaults": []}).expect(200)
        time.sleep(3.2)  # Changes of readers take effect within 3 seconds.
        if reply:
            model.on("failread", reply)
        else:
            model.scripts.pop("failread", None)
        search = add_search(other, source, "readfa")
        results = other.admin.results(search["id"])
        expect(all(each["swirl_confidence_score"] > 0 for each in results["results"]), "no scores", results["results"])
        text = " ".join(search["messages"] + results["messages"])
        expect("failread" in text or "model" in text.lower(), "no message", search["messages"])
