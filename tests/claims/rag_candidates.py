"""Which results an AI summary may use: thresholds, distribution over sources, and settings of sources."""

from harness import Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_search, add_source, ask, documents, summary
from harness.model import Model

source, model = Source(), Model()


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Candidates")


def finish():
    source.__exit__()
    model.__exit__()


def two_sources(service, word, sizes, rag=None, threshold=0, each_rag=None):
    """A search over sources A, B, … with so many results each; their titles begin with `<word> A1`."""
    ids = []
    for at, size in enumerate(sizes):
        label = "ABCDEF"[at]
        block = {**(rag or {}), **((each_rag or {}).get(label, {}))}
        found = documents(word, size, label)
        provider = add_source(
            service, source, word, found, label=label, rag=block, threshold=threshold, results_per_query=max(size, 1)
        )
        ids.append(provider["id"])
    return service.admin.run_search(word, searchprovider_list=ids)


def chosen(response):
    """The second words of the titles of the sources in the prompt, in order: A1, B3, …"""
    titles = [each["title"] for each in summary(response)["additional_content"]["sources"]]
    return [title.replace("<em>", "").replace("</em>", "").split()[1] for title in titles]


STRATEGIES = [
    # strategy, results of each source, selected in order of the prompt
    ("distributed", (8, 8), ["A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5"]),
    ("distributed", (2, 20), ["A1", "A2", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8"]),
    ("distributed", (5, 5, 5), ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "C1", "C2", "C3"]),
    ("distributed", (1, 0, 12), ["A1"] + [f"C{n}" for n in range(1, 10)]),
    ("distributed", (3, 2), ["A1", "A2", "A3", "B1", "B2"]),
    ("Distributed", (6, 6), ["A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5"]),
    ("roundrobin", (8, 8), ["A1", "B1", "A2", "B2", "A3", "B3", "A4", "B4", "A5", "B5"]),
    ("roundrobin", (1, 4, 2), ["A1", "B1", "C1", "B2", "C2", "B3", "B4"]),
    ("RoundRobin", (2, 2), ["A1", "B1", "A2", "B2"]),
]


@claim("ai-cache 1.4", [Row(f"{name} of {sizes}", (at, name, sizes, want)) for at, (name, sizes, want) in enumerate(STRATEGIES)])
def a_strategy_selects_in_its_order(service, at, strategy, sizes, want):
    word = "strategyq" + "abcdefghij"[at] * 2
    # A threshold that nothing reaches shows that neither strategy has one.
    search = two_sources(service, word, sizes, {"swirl_rag_distribution_strategy": strategy}, threshold=5)
    equal(chosen(ask(service.admin, search)), want)


@claim("ai-cache 1.4: sorted")
def sorted_takes_the_best_by_confidence(service):
    search = two_sources(service, "sorbes", (8, 8))
    results = [each for page in (1, 2) for each in service.admin.results(search["id"], page=page)["results"]]
    equal(len(results), 16)
    by_score = sorted(results, key=lambda each: -each["swirl_confidence_score"])
    row = summary(ask(service.admin, search))
    scores = {str(each["swirl_id"]): each["swirl_confidence_score"] for each in by_score}
    selected = [scores[each] for each in row["rag_query_items"]]
    equal(selected, [each["swirl_confidence_score"] for each in by_score[:10]])


@claim("ai-cache 1.4: sorted; peer defect: unknown dates first")
def sorted_breaks_ties_by_date_with_unknown_dates_last(service):
    text = "The tiedat pier was measured again and again for the yearly survey of all piers."
    dates = [None, "2021-05-01 00:00:00", "2024-05-01 00:00:00", None, "2023-05-01 00:00:00"]
    found = [{"title": "tiedat pier", "url": f"https://tiedat{n}.example/", "body": text, **({"date": date} if date else {})}
             for n, date in enumerate(dates)]  # fmt: skip
    # Five sources, so that all have rank 1 and equal scores; grouping of copies is off in this pipeline.
    ids = [add_source(service, source, "tiedat", [each], label="abcde"[n])["id"] for n, each in enumerate(found)]
    pipeline = ["CosineRelevancyPostResultProcessor"]
    search = service.admin.run_search("tiedat", searchprovider_list=ids, post_result_processors=pipeline)
    scores = {each["swirl_confidence_score"] for each in service.admin.results(search["id"])["results"]}
    equal(len(scores), 1, "the scores are equal")
    sources = summary(ask(service.admin, search))["additional_content"]["sources"]
    order = [int(each["url"].removeprefix("https://tiedat")[0]) for each in sources]
    equal(order, [2, 4, 1, 0, 3])


@claim("ai-cache 1.4: roundrobinthreshold")
def roundrobinthreshold_filters_each_source_by_its_own_threshold(service):
    each_rag = {"B": {"swirl_rag_score_inclusion_threshold": 5}}
    rag = {"swirl_rag_distribution_strategy": "roundrobinthreshold"}
    search = two_sources(service, "rrthre", (3, 3, 3), rag, each_rag=each_rag)
    equal(chosen(ask(service.admin, search)), ["A1", "C1", "A2", "C2", "A3", "C3"])


@claim("ai-cache 1.3: a threshold of 0.7 of confidence", [Row("of the source", (0.7,))])
def with_a_threshold_only_results_above_it_are_used(service, threshold):
    good = documents("defthr", 2)
    weak = [{"title": "Pastry", "url": "https://weak.example/", "body": "Flour and butter for defthr bakers and many more words."}]
    search = add_search(service, source, "defthr", good + weak, query="defthr harbor measured", threshold=threshold)
    scores = {str(each["swirl_id"]): each["swirl_confidence_score"] for each in service.admin.results(search["id"])["results"]}
    expect(min(scores.values()) < threshold < max(scores.values()), f"the scores do not straddle {threshold}", scores)
    row = summary(ask(service.admin, search))
    equal(set(row["rag_query_items"]), {name for name, score in scores.items() if score > threshold})


@claim("ai-cache 1.3; docs/answers: by default, results that are likely to contain an answer")
def by_default_only_results_likely_to_contain_an_answer_are_used(service):
    good = documents("likely", 2)
    weak = [{"title": "Pastry", "url": "https://weak.example/", "body": "Flour and butter for bakers, and many more words about bread."}]
    search = add_search(service, source, "likely", good + weak, query="likely harbor measured", threshold=None)
    row = summary(ask(service.admin, search))
    urls = {each["url"].split("#")[0] for each in row["additional_content"]["sources"]}
    expect(urls and "https://weak.example/" not in urls, "what the summary is made from", urls)


@claim("ai-cache 1.3: strict", [Row("equal to the threshold", (0.0, False)), Row("just below it", (0.000002, True))])
def a_score_must_be_above_the_threshold(service, below, included):
    word = "strict" + ("in" if included else "ex")
    provider = add_source(service, source, word, documents(word, 1), threshold=0)
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    score = service.admin.results(search["id"])["results"][0]["swirl_confidence_score"]
    block = {"swirl": {"rag": {"swirl_rag_score_inclusion_threshold": score - below}}}
    service.admin.patch(f"/svc/searchproviders/{provider['id']}/", {"config": block}).expect(200)
    code = (ask(service.admin, search)["info"].get("ai") or {}).get("code")
    equal(code, None if included else "no_relevant_results")


@claim("ai-cache 1.3; interface: config.swirl.rag", [Row("above", (-1, True)), Row("below", (1, False))])
def a_source_may_use_swirl_score(service, offset, included):
    word = "swsco" + ("in" if included else "ex")
    rag = {"swirl_rag_inclusion_field": "swirl_score"}
    provider = add_source(service, source, word, documents(word, 1), rag=rag)
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    score = service.admin.results(search["id"])["results"][0]["swirl_score"]
    expect(score > 5, "swirl_score is on its own scale", score)
    rag["swirl_rag_score_inclusion_threshold"] = score + offset
    service.admin.patch(f"/svc/searchproviders/{provider['id']}/", {"config": {"swirl": {"rag": rag}}}).expect(200)
    equal(ask(service.admin, search)["info"].get("ai", {}).get("code"), None if included else "no_relevant_results")


@claim("ai-cache 1.4, settings of sources")
def the_threshold_of_a_source_applies_to_its_results_only(service):
    search = two_sources(service, "ownthr", (2, 2), each_rag={"A": {"swirl_rag_score_inclusion_threshold": 5}})
    equal(sorted(chosen(ask(service.admin, search))), ["B1", "B2"])


@claim("ai-cache 1.4, settings of sources", [Row("less", (3, 3)), Row("more", (14, 14)), Row("1", (1, 1))])
def the_maximum_of_the_only_source_replaces_the_global_one(service, maximum, count):
    word = f"onlmax{'abc'[(3, 14, 1).index(maximum)]}"
    search = two_sources(service, word, (16,), {"swirl_rag_max_to_consider": maximum})
    equal(len(chosen(ask(service.admin, search))), count)


@claim("ai-cache 1.4, settings of sources", [Row(s, (s,)) for s in ["sorted", "distributed", "roundrobin", "roundrobinthreshold"]])
def the_maximum_of_a_source_limits_its_share(service, strategy):
    word = "shrmax" + strategy[:1] + strategy[-1:]
    rag = {"swirl_rag_distribution_strategy": strategy}
    search = two_sources(service, word, (8, 8), rag, each_rag={"A": {"swirl_rag_max_to_consider": 2}})
    titles = chosen(ask(service.admin, search))
    equal(len([each for each in titles if each[0] == "A"]), 2, f"A in {titles}")
    equal(len([each for each in titles if each[0] == "B"]), 8, f"B in {titles}")


@claim("ai-cache 1.4, settings of sources: the global maximum still caps")
def the_maximum_of_one_of_several_sources_does_not_raise_the_total(service):
    each_rag = {"A": {"swirl_rag_max_to_consider": 50}, "B": {"swirl_rag_max_to_consider": 50}}
    search = two_sources(service, "totmax", (9, 9), each_rag=each_rag)
    equal(len(chosen(ask(service.admin, search))), 10)


@claim("ai-cache 1.4, settings of sources")
def sources_that_disagree_on_a_strategy_use_the_global_one_with_a_message(service):
    each_rag = {"A": {"swirl_rag_distribution_strategy": "roundrobin"}, "B": {"swirl_rag_distribution_strategy": "distributed"}}
    search = two_sources(service, "disagr", (3, 3), threshold=5, each_rag=each_rag)
    response = ask(service.admin, search)
    equal(response["info"]["ai"]["code"], "no_relevant_results", "sorted has a threshold")
    expect(any("strateg" in each.lower() for each in response["messages"]), "no message", response["messages"])


@claim("ai-cache 1.4, settings of sources: all that set it agree")
def a_source_without_a_strategy_does_not_disagree(service):
    each_rag = {"A": {"swirl_rag_distribution_strategy": "roundrobin"}}
    search = two_sources(service, "agreeo", (2, 2), threshold=5, each_rag=each_rag)
    equal(chosen(ask(service.admin, search)), ["A1", "B1", "A2", "B2"])


@claim("ai-cache 1.3: no AI rows")
def replies_of_genai_sources_are_never_sources(service):
    add_model(service, model, "Connector model", roles=["connector"])
    genai = service.admin.create_provider(
        name="Genai norows", connector="GenAI", url="", query_template="", result_mappings="", response_mappings="", default=False,
        config={"swirl": {"rag": {"swirl_rag_score_inclusion_threshold": -1}}},
    )  # fmt: skip
    plain = add_source(service, source, "norows", documents("norows", 2))
    search = service.admin.run_search("norows", searchprovider_list=[genai["id"], plain["id"]])
    equal(service.admin.results(search["id"])["info"]["results"]["retrieved_total"], 3)
    sources = summary(ask(service.admin, search))["additional_content"]["sources"]
    equal({each["searchprovider"] for each in sources}, {"Source norows"})
    # By number it is no candidate either.
    listed = service.admin.results(search["id"])["results"]
    reply = next(each["swirl_id"] for each in listed if each["searchprovider"] == "Genai norows")
    equal(ask(service.admin, search, result_list=[reply])["info"]["ai"]["code"], "no_relevant_results")


@claim("ai-cache 1.3: grouped copies count once")
def duplicates_are_one_source(service):
    found = documents("dupone", 2)
    ids = [add_source(service, source, "dupone", found, label=label)["id"] for label in "AB"]
    search = service.admin.run_search("dupone", searchprovider_list=ids)
    equal(len(summary(ask(service.admin, search))["additional_content"]["sources"]), 2)


@claim("ai-cache 1.9: text names threshold and best score")
def no_relevant_results_names_the_global_threshold_and_the_best_score(service):
    found = [{"title": "Pastry", "url": "https://pastry.example/", "body": "Flour and butter and sugar for the bakers of the town."}]
    search = add_search(service, source, "glothr", found, threshold=None)
    best = service.admin.results(search["id"])["results"][0]["swirl_confidence_score"]
    info = ask(service.admin, search)["info"]["ai"]
    equal((info["status"], info["code"]), ("error", "no_relevant_results"))
    expect("0.7" in info["message"] and f"{best:.2f}" in info["message"], f"best {best:.2f}", info)


@claim("ai-cache 1.9: text names threshold and best score; config.swirl.rag takes precedence")
def no_relevant_results_names_the_threshold_of_the_source(service):
    search = add_search(service, source, "srcthr", threshold=1.125)
    best = service.admin.results(search["id"])["results"][0]["swirl_confidence_score"]
    message = ask(service.admin, search)["info"]["ai"]["message"]
    expect("1.1" in message and "0.7 " not in message, "the threshold of the source is 1.125", message)
    expect(f"{best:.2f}" in message, f"the best score is {best:.2f}", message)


CONFIG = [
    ("swirl_rag_max_to_consider", "x"), ("swirl_rag_max_to_consider", 1.5), ("swirl_rag_fetch_timeout", "x"),
    ("swirl_rag_score_inclusion_threshold", "x"), ("swirl_rag_distribution_strategy", "random"),
    ("swirl_rag_inclusion_field", "title"), ("swirl_rag_inclusion_field", 1),
]  # fmt: skip


@claim("interface: config.swirl, rag", [Row(f"{name}={value}", (name, value)) for name, value in CONFIG])
def a_source_with_an_invalid_rag_setting_is_refused(service, name, value):
    record = {"name": f"Bad {name} {value}", "connector": "RequestsGet", "url": "https://bad.example/",
              "response_mappings": "RESULTS=items", "config": {"swirl": {"rag": {name: value}}}}  # fmt: skip
    response = service.admin.post("/svc/searchproviders/", record).expect(400).json()
    expect(name in str(response), "the key is not named", response)


GLOBAL = [
    ({"SVC_RAG_DISTRIBUTION_STRATEGY": "RoundRobin"}, ["A1", "B1", "A2", "B2", "A3", "B3"]),
    ({"SVC_RAG_DISTRIBUTION_STRATEGY": "distributed", "SVC_RAG_MAX_TO_CONSIDER": "2"}, ["A1", "B1"]),
    ({"SVC_RAG_SCORE_INCLUSION_THRESHOLD": "5"}, None),
    ({"SVC_RAG_INCLUSION_FIELD": "swirl_score", "SVC_RAG_SCORE_INCLUSION_THRESHOLD": "100000"}, None),
]


@claim("ai-cache 1.3, 1.4: settings", [Row(" ".join(settings.values()), (settings, want)) for settings, want in GLOBAL])
def a_setting_applies_to_all_sources(service, settings, want):
    with Service(service.program, settings) as other:
        add_model(other, model, "Candidates")
        response = ask(other.admin, two_sources(other, "global", (3, 3), threshold=None))
        if want is None:
            equal(response["info"]["ai"]["code"], "no_relevant_results")
        else:
            equal(chosen(response), want)
