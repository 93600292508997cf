"""How AI summaries are requested, what a summary result contains, and when a stored one is returned."""

import concurrent.futures
import re
import time

from harness import Row, Source, claim, equal, eventually, expect
from harness.answers import SUMMARY_AUTHOR, add_model, add_search, add_source, ask, documents, summary
from harness.model import Model, Says

source, model = Source(), Model()
ids = {}


def prepare(service):
    source.__enter__()
    model.__enter__()
    ids["model"] = add_model(service, model, "Claims", model="gpt-claims")["id"]


def finish():
    source.__exit__()
    model.__exit__()


def qs(service, word, provider, **params):
    return service.admin.search(word, providers=[provider["id"]], **params)


ON = ["true", "1", "yes", "on", "", "TRUE", "maybe"]
OFF = ["false", "0", "no", "off", "False", "OFF"]


@claim("ai-cache 1.1, rule 1", [Row(value or "empty", (value, True)) for value in ON] + [Row(v, (v, False)) for v in OFF])
def rag_is_on_unless_its_value_means_no(service, value, on):
    word = f"vantor{ON.index(value)}" if on else f"nantor{OFF.index(value)}"
    provider = add_source(service, source, word, documents(word))
    response = qs(service, word, provider, rag=value)
    equal(len(response["ai_summary"]), 1 if on else 0)
    equal(len(model.calls(word)), 1 if on else 0, "model calls")


@claim("ai-cache 1.1, rule 1")
def do_rag_means_the_same_as_rag(service):
    provider = add_source(service, source, "dorago", documents("dorago"))
    equal(summary(qs(service, "dorago", provider, do_rag="true"))["body"], "The sources say so [1].")


@claim("ai-cache 1.1: q with rag")
def q_with_rag_redirects_to_results_with_the_summary(service):
    provider = add_source(service, source, "qumaro", documents("qumaro"))
    response = service.admin.get("/svc/search/", params={"q": "qumaro", "rag": "true", "providers": provider["id"]})
    response.expect(302, 303, 307)
    location = response.headers["location"]
    path = location.removeprefix(service.base)

    def with_summary():
        found = service.admin.get(path)
        return found.status == 200 and found.json()["ai_summary"] and found.json()

    equal(summary(eventually(with_summary))["author"], SUMMARY_AUTHOR)


@claim("interface: POST /svc/rag-search/")
def rag_search_summarizes_an_existing_search(service):
    search = add_search(service, source, "pelvon")
    before = len(source.asked("/pelvon"))
    response = ask(service.admin, search)
    equal(summary(response)["body"], "The sources say so [1].")
    equal(len(source.asked("/pelvon")), before, "the source is not asked again")


@claim("decisions 3.6", [Row("qs", ("qs",)), Row("rag-search", ("post",))])
def a_call_that_asked_for_a_summary_has_it_first_in_results(service, kind):
    word = "firsto" + kind
    provider = add_source(service, source, word, documents(word))
    if kind == "qs":
        response = qs(service, word, provider, rag="true")
    else:
        response = ask(service.admin, service.admin.run_search(word, searchprovider_list=[provider["id"]]))
    equal([each["swirl_rank"] for each in response["results"]], [0, 1, 2, 3])
    equal(response["results"][0]["author"], SUMMARY_AUTHOR)
    equal(response["results"][0]["swirl_id"], summary(response)["swirl_id"])
    counts = {name: response["info"]["results"][name] for name in ["retrieved", "retrieved_total", "found_total"]}
    equal(counts, {"retrieved": 3, "retrieved_total": 3, "found_total": 3})


@claim("decisions 3.6")
def other_calls_have_the_summary_only_in_its_block(service):
    search = add_search(service, source, "blocko")
    ask(service.admin, search)
    response = service.admin.results(search["id"])
    equal(summary(response)["author"], SUMMARY_AUTHOR)
    equal([each["swirl_rank"] for each in response["results"]], [1, 2, 3])


@claim("decisions 3.6")
def page_2_has_the_summary_only_in_its_block(service):
    search = add_search(service, source, "secpag", documents("secpag", 12))
    ask(service.admin, search)
    response = service.admin.results(search["id"], page=2, rag="true")
    expect(0 not in [each["swirl_rank"] for each in response["results"]], "rank 0 on page 2", response["results"])
    summary(response)


@claim("interface: RAG, result blocks; ai-cache 1.8")
def the_block_exists_without_a_summary(service):
    search = add_search(service, source, "empblo")
    response = service.admin.results(search["id"])
    equal(response["ai_summary"], [])
    equal(response["info"]["results"]["result_blocks"], ["ai_summary"])


FIELDS = [
    ("swirl_rank", 1), ("swirl_score", 0.0), ("swirl_confidence_score", 0.0), ("author", SUMMARY_AUTHOR),
    ("searchprovider", "Claims-gpt-claims"), ("searchprovider_rank", 1), ("title", "fieldor"), ("url", ""),
    ("body", "The sources say so [1]."), ("result_block", None),
]  # fmt: skip


@claim("ai-cache 1.8, fields of the row", [Row(name, (name, value)) for name, value in FIELDS])
def a_summary_result_has_its_field(service, name, value):
    if "fieldor" not in ids:
        ids["fieldor"] = ask(service.admin, add_search(service, source, "fieldor"))
    equal(summary(ids["fieldor"]).get(name), value)


@claim("ai-cache 1.8, fields of the row")
def a_summary_has_the_time_of_its_generation(service):
    row = summary(ask(service.admin, add_search(service, source, "timgen")))
    for name in ["date_published", "date_retrieved"]:
        expect(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)?", row[name]), name, row[name])
        expect(row[name][:10] in [time.strftime("%Y-%m-%d", time.gmtime(time.time() - s)) for s in (0, 60)], row[name])


@claim("ai-cache 1.8, fields of the row")
def rag_query_items_are_the_ids_of_the_sources_as_texts(service):
    search = add_search(service, source, "itemor")
    row = summary(ask(service.admin, search))
    listed = {str(each["swirl_id"]) for each in service.admin.results(search["id"])["results"]}
    equal(sorted(row["rag_query_items"]), sorted(listed))


@claim("ai-cache 1.8, additional_content")
def additional_content_tells_how_the_summary_was_made(service):
    model.on("adicon", Says("The adicon harbor was measured in section 1 [1].", tokens=(321, 45)))
    row = summary(ask(service.admin, add_search(service, source, "adicon")))
    made = row["additional_content"]
    equal((made["ai_model"], made["ai_provider"]), ("gpt-claims", "Claims"))
    equal((made["tokens_in"], made["tokens_out"]), (321, 45))
    equal((made["fallback_engaged"], made["extractive"], made["not_found"]), (False, False, False))
    equal((made["warnings"], made["follow_ups"]), ([], []))
    equal(made["grounded"], 1.0)
    expect(0 <= made["generation_time"] < 30, "generation_time", made)


@claim("ai-cache 1.8, additional_content")
def sources_are_numbered_and_say_what_was_cited(service):
    model.on("numsrc", "The numsrc bridge was measured [2].")
    search = add_search(service, source, "numsrc")
    row = summary(ask(service.admin, search))
    sources = row["additional_content"]["sources"]
    equal([each["n"] for each in sources], [1, 2, 3])
    equal([each["cited"] for each in sources], [False, True, False])
    equal({each["mode"] for each in sources}, {"snippet"})
    equal({each["searchprovider"] for each in sources}, {"Source numsrc"})
    known = {each["swirl_id"]: each["title"] for each in service.admin.results(search["id"])["results"]}
    equal({each["swirl_id"] for each in sources}, set(known))


@claim("decisions 0013: a swirl_id like any result")
def a_summary_can_be_read_by_its_swirl_id(service):
    row = summary(ask(service.admin, add_search(service, source, "readid")))
    read = service.admin.get(f"/svc/results/{row['swirl_id']}/").expect(200).json()
    equal((read["body"], read["author"]), (row["body"], SUMMARY_AUTHOR))


@claim("ai-cache 1.2, step 8")
def a_summary_is_one_model_call(service):
    ask(service.admin, add_search(service, source, "onecal", documents("onecal", 10)))
    equal(len(model.calls("onecal")), 1)


@claim("ai-cache 1.11, calls")
def a_model_is_called_with_its_key_and_temperature_0(service):
    ask(service.admin, add_search(service, source, "temper"))
    call = model.calls("temper")[0]
    equal((call.path, call.model, call.body.get("temperature")), ("/v1/chat/completions", "gpt-claims", 0))
    equal(call.headers["authorization"], "Bearer sk-claims")


SAME = [
    ("the same request", {}, {}, 1), ("other instructions", {}, {"ai_instructions": "briefly"}, 2),
    ("another list", {}, {"result_list": [1]}, 2), ("renew", {}, {"renew": True}, 2),
    ("another prompt", {}, {"prompt": "search_rag_deeplink"}, 2),
    ("instructions that differ in blanks only", {"ai_instructions": "briefly"}, {"ai_instructions": "  briefly "}, 1),
    ("no list after a list", {"result_list": [1]}, {}, 2), ("the same list", {"result_list": [1, 2]}, {"result_list": [1, 2]}, 1),
    ("another timeout", {"rag_timeout": 30}, {"rag_timeout": 40}, 1),
]  # fmt: skip


@claim("ai-cache 1.1, rule 4; quirks AI", [Row(name, (at, *rest)) for at, (name, *rest) in enumerate(SAME)])
def a_stored_summary_serves_equal_requests_only(service, at, first, second, calls):
    word = f"stored{'abcdefghij'[at]}"
    model.on(word, "First [1].", "Second [1].")
    search = add_search(service, source, word)
    equal(summary(ask(service.admin, search, **first))["body"], "First [1].")
    row = summary(ask(service.admin, search, **second))
    equal(row["body"], "First [1]." if calls == 1 else "Second [1].")
    equal(len(model.calls(word)), calls, "model calls")
    equal(summary(service.admin.results(search["id"]))["body"], row["body"], "the newest one is stored")


@claim("ai-cache 1.1, rule 4: the key includes the AIProvider")
def another_model_generates_another_summary(service):
    model.on("othmod", "First [1].", "Second [1].")
    search = add_search(service, source, "othmod")
    other = add_model(service, model, "Othmod", tags=["rag"])
    equal(summary(ask(service.admin, search))["body"], "First [1].")
    row = summary(ask(service.admin, search, ai_provider=other["id"]))
    equal((row["body"], row["additional_content"]["ai_provider"]), ("Second [1].", "Othmod"))


@claim("ai-cache 1.1, rule 4")
def simultaneous_requests_share_one_model_call(service):
    model.on("simult", Says("Shared [1].", delay_s=0.7))
    search = add_search(service, source, "simult")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = [summary(each) for each in pool.map(lambda _: ask(service.admin, search), range(4))]
    equal({each["body"] for each in rows}, {"Shared [1]."})
    equal(len(model.calls("simult")), 1)


@claim("ai-cache 1.1, rule 5")
def a_rerun_discards_the_summary(service):
    search = add_search(service, source, "rerunn")
    ask(service.admin, search)
    service.admin.get("/svc/search/", params={"rerun": search["id"]}).expect(200, 201, 202, 302, 303)
    service.admin.finished_search(search["id"])
    equal(service.admin.results(search["id"])["ai_summary"], [])


@claim("interface: DELETE of a Search")
def deleting_a_search_deletes_its_summary(service):
    search = add_search(service, source, "delsum")
    row = summary(ask(service.admin, search))
    service.admin.delete(f"/svc/search/{search['id']}/").expect(204)
    service.admin.get(f"/svc/results/{row['swirl_id']}/").expect(404)


@claim("decisions 3.5")
def result_list_selects_by_swirl_id(service):
    search = add_search(service, source, "byidno", documents("byidno", 5))
    chosen = [each["swirl_id"] for each in service.admin.results(search["id"])["results"]][1:3]
    row = summary(ask(service.admin, search, result_list=chosen))
    equal(sorted(row["rag_query_items"]), sorted(str(each) for each in chosen))


@claim("decisions 3.5")
def result_list_without_a_swirl_id_is_read_as_ranks(service):
    add_search(service, source, "rankfi", documents("rankfi", 5))
    search = add_search(service, source, "rankno", documents("rankno", 5))
    results = service.admin.results(search["id"])["results"]
    row = summary(ask(service.admin, search, result_list=[2, 4]))
    equal(sorted(row["rag_query_items"]), sorted(str(results[at]["swirl_id"]) for at in (1, 3)))


@claim("decisions 3.5: unknown numbers are named")
def unknown_numbers_of_result_list_are_named(service):
    search = add_search(service, source, "unknum")
    known = service.admin.results(search["id"])["results"][0]["swirl_id"]
    response = ask(service.admin, search, result_list=[known, 987654321])
    equal(summary(response)["rag_query_items"], [str(known)])
    expect(any("987654321" in each for each in response["messages"]), "messages do not name it", response["messages"])


@claim("ai-cache 1.1, rule 2")
def a_list_of_unknown_numbers_only_has_no_summary(service):
    search = add_search(service, source, "onlunk")
    response = ask(service.admin, search, result_list=[987654321, 987654322])
    equal(response["info"]["ai"]["code"], "no_relevant_results")
    equal(model.calls("onlunk"), [])


@claim("decisions 3.5: swirl_ids of that search")
def ids_of_another_search_select_nothing(service):
    other = add_search(service, source, "fohrei", documents("fohrei", 12), results_per_query=20)
    foreign = service.admin.results(other["id"])["results"][0]["swirl_id"]
    search = add_search(service, source, "ownids")
    response = ask(service.admin, search, result_list=[foreign])
    expect("fohrei" not in "".join(each.text for each in model.calls("ownids")), "a foreign result is in the prompt")
    equal(response["info"]["ai"]["code"], "no_relevant_results")


@claim("ai-cache 1.3, 1.4")
def result_list_ignores_the_threshold(service):
    search = add_search(service, source, "ignthr", threshold=2)
    equal(ask(service.admin, search)["info"]["ai"]["code"], "no_relevant_results")
    equal(len(summary(ask(service.admin, search, result_list=[1, 2]))["rag_query_items"]), 2)


@claim("ai-cache 1.4: cut at N")
def result_list_is_cut_at_the_maximum(service):
    search = add_search(service, source, "cutmax", documents("cutmax", 12), results_per_query=20)
    row = summary(ask(service.admin, search, result_list=list(range(1, 13))))
    equal(len(row["rag_query_items"]), 10)


BAD = [
    ({"search_id": "x"}, "search_id"), ({}, "search_id"), ({"search_id": None}, "search_id"),
    ({"search_id": 1, "result_list": "1,2"}, "result_list"), ({"search_id": 1, "result_list": ["a"]}, "result_list"),
    ({"search_id": 1, "result_list": [1.5]}, "result_list"), ({"search_id": 1, "result_list": [1] * 501}, "result_list"),
    ({"search_id": 1, "rag_timeout": 0}, "rag_timeout"), ({"search_id": 1, "rag_timeout": 181}, "rag_timeout"),
    ({"search_id": 1, "rag_timeout": "x"}, "rag_timeout"), ({"search_id": 1, "rag_timeout": -5}, "rag_timeout"),
]  # fmt: skip


@claim("decisions 3.1: 400 names the field", [Row(f"{at} {field}", (body, field)) for at, (body, field) in enumerate(BAD)])
def a_malformed_request_is_400_and_names_the_field(service, body, field):
    response = service.admin.post("/svc/rag-search/", body).expect(400).json()
    expect(field in str(response.get("errors") or response["detail"]), f"{field} is not named", response)
    expect(response["code"] and response["request_id"], "shape", response)


@claim("decisions 3.1", [Row("unknown", (999999999,)), Row("negative", (-1,)), Row("zero", (0,))])
def an_unknown_search_is_404(service, search_id):
    service.admin.post("/svc/rag-search/", {"search_id": search_id}).expect(404)
    service.admin.get("/svc/sapi/detail-search-rag/", params={"search_id": search_id}).expect(404)


@claim("ai-cache 1.2, step 1")
def a_search_that_still_runs_is_503(service):
    slow = add_source(service, source, "slowno", [])
    source.route("/slowno", lambda _: time.sleep(3) or {"items": documents("slowno")})
    search = service.admin.post("/svc/search/", {"query_string": "slowno", "searchprovider_list": [slow["id"]]}).json()
    response = service.admin.post("/svc/rag-search/", {"search_id": search["id"]}).expect(503)
    expect("retry-after" in response.headers, "no Retry-After", response.headers)
    service.admin.get("/svc/sapi/detail-search-rag/", params={"search_id": search["id"]}).expect(503)
    equal(model.calls("slowno"), [])


@claim("ai-cache 1.2: the query given to the model")
def tags_are_removed_from_the_query_of_the_model(service):
    search = add_search(service, source, "taglos", query="harbor:taglos", tags=["harbor"])
    row = summary(ask(service.admin, search))
    expect("harbor:taglos" not in model.calls("taglos")[0].prompt, "the tag is in the prompt")
    equal(row["title"], "taglos")
