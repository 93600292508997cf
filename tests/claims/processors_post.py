"""Processors of the results of a whole search: duplicates, low scores, dates, personal data, and their pipeline."""

from harness import Row, Service, Source, claim, equal, expect
from harness.federation import Providers, item, messages_with, plain, titles

DEFAULT_PIPELINE = [
    "CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor", "DedupeBySimilarityPostResultProcessor",
    "VersionClusteringPostResultProcessor",
]  # fmt: skip
STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def create(name, items, **fields):
    return STATE["providers"].create(name, items, **fields)


def run(service, providers, pipeline, query="copper", **fields):
    """The search and its results with this pipeline."""
    search = service.admin.run_search(query, searchprovider_list=providers, post_result_processors=pipeline, **fields)
    return search, service.admin.results(search["id"])


@claim("interface: system default post-result pipeline")
def the_default_pipeline_has_four_processors_in_order(service):
    pipelines = service.admin.get("/svc/pipelines/").expect(200).json()
    found = [each for each in pipelines if each["name"] == "System Default Post-Result Pipeline"]
    equal([each["processors"] for each in found], [DEFAULT_PIPELINE])


SAME = "http://dup.example/a"


@claim("interface: SVC_DEDUPE_FIELD url; quirks, Processors", rows=[
    Row("equal", (SAME, SAME, True)),
    Row("default port", (SAME, "http://dup.example:80/a", True)),
    Row("slash at the end", (SAME, SAME + "/", True)),
    Row("fragment", (SAME, SAME + "#part", True)),
    Row("tracking parameter", (SAME, SAME + "?utm_source=mail", True)),
    Row("case of the host", (SAME, "http://DUP.example/a", True)),
    Row("case of the path", (SAME, "http://dup.example/A", False)),
    Row("other parameter", (SAME + "?id=1", SAME + "?id=2", False)),
    Row("other port", (SAME, "http://dup.example:8080/a", False)),
    Row("other host", (SAME, "http://dup2.example/a", False)),
    Row("no address", ("", "", False)),
])  # fmt: skip
def results_of_one_address_are_grouped(service, first, second, grouped):
    name = f"{first}|{second}|{grouped}".replace("DUP", "capitals").replace("/A", "/capital")
    one = create(f"one {name}", [item("copper roofs", "Roofs of old towers.") | {"url": first}])
    two = create(f"two {name}", [item("Trade report", "Prices of copper in spring.") | {"url": second}])
    response = service.admin.search("copper", providers=[one, two])
    equal(len(response["results"]), 1 if grouped else 2, "results in the list")
    duplicates = [copy for result in response["results"] for copy in result.get("duplicates", [])]
    equal(len(duplicates), 1 if grouped else 0, "grouped copies")


def grouped_search(service, name):
    """A search of two providers with two copies of each of three documents."""
    items = [item(f"copper {name} {word}", url=f"http://{name}.example/{word}") for word in ["ax", "bowl", "cup"]]
    first, second = create(f"{name} 1", items), create(f"{name} 2", items)
    search, response = run(service, [first, second], [])
    equal(len(response["results"]), 3, "results in the list")
    return search["id"], first, second, response


@claim("decisions 7.6: filter_url")
def the_filter_of_a_source_shows_its_grouped_copies(service):
    search, first, second, response = grouped_search(service, "filtered")
    for name, provider in [("filtered 1", first), ("filtered 2", second)]:
        equal(response["info"][name]["retrieved"], 3, f"info.{name}.retrieved")
        found = service.admin.results(search, provider=provider)
        equal({each["searchprovider"] for each in found["results"]}, {name}, "sources of the filtered list")
        equal(len(found["results"]), 3, f"results of {name}")
        equal(found["info"]["results"]["retrieved_total"], 3, "retrieved_total")


@claim("decisions 7.6: facets")
def facets_count_grouped_copies_for_their_source(service):
    search, first, second, _ = grouped_search(service, "faceted")
    facets = service.admin.results(search, facets="true")["info"]["facets"]
    equal({each["provider_id"]: each["count"] for each in facets["sources"]}, {first: 3, second: 3})


@claim("decisions 7.6: swirl_id; decisions 3.4")
def a_grouped_copy_is_addressable(service):
    _, _, _, response = grouped_search(service, "addressed")
    for result in response["results"]:
        copy = result["duplicates"][0]
        expect(copy["swirl_id"] != result["swirl_id"], "the copy has the id of the first", copy)
        saved = service.admin.get(f"/svc/results/{copy['swirl_id']}/").expect(200).json()
        equal(
            (saved["swirl_id"], saved["searchprovider"], saved["url"]),
            (copy["swirl_id"], copy["searchprovider"], copy["url"]),
        )  # fmt: skip


@claim("decisions 7.6: deleting the first of a group")
def after_the_first_is_deleted_the_next_one_is_first(service):
    search, _, _, response = grouped_search(service, "deleted")
    first = response["results"][0]
    service.admin.delete(f"/svc/results/{first['swirl_id']}/").expect(204)
    left = service.admin.results(search)["results"]
    equal(len(left), 3, "results in the list")
    same = [each for each in left if each["url"] == first["url"]]
    equal([each["swirl_id"] for each in same], [first["duplicates"][0]["swirl_id"]])
    equal(same[0].get("duplicates", []), [])


@claim("decisions 7.6: deleting a copy")
def a_deleted_copy_leaves_its_group(service):
    search, _, _, response = grouped_search(service, "copydeleted")
    first = response["results"][0]
    service.admin.delete(f"/svc/results/{first['duplicates'][0]['swirl_id']}/").expect(204)
    left = [each for each in service.admin.results(search)["results"] if each["url"] == first["url"]]
    equal([(each["swirl_id"], each.get("duplicates", [])) for each in left], [(first["swirl_id"], [])])


@claim("interface: SVC_DEDUPE_GROUP_NOT_DROP True")
def the_best_copy_is_in_the_list(service):
    good = create("best good", [item("copper roof repair", "Copper roof repair.", SAME)])
    bad = create("best bad", [item("About us", "Welcome to our page.", SAME)])
    result = service.admin.search("copper roof repair", providers=[bad, good])["results"][0]
    equal((result["searchprovider"], result["duplicates"][0]["searchprovider"]), ("best good", "best bad"))


@claim("core 6: DedupeByField (post), info keeps what was retrieved")
def grouping_does_not_change_what_a_source_retrieved(service):
    twins = [item("copper x", url="http://t.example/1"), item("copper y", url="http://t.example/1")]
    response = service.admin.search("copper", providers=[create("twins", twins)])
    equal(response["info"]["twins"]["retrieved"], 2)
    equal(len(response["results"]), 1)


NEWS = "The council of the river towns met on Monday and talked about copper roofs, new pipes and the price of repairs."


@claim("core 6: DedupeBySimilarity; quirks, Processors", rows=[
    Row("same text", (NEWS, NEWS, True)),
    Row("markup and case", (NEWS, f"<p>{NEWS}</p>", True)),
    Row("another number", ("Invoice 1042 for copper pipes of March", "Invoice 1043 for copper pipes of March", False)),
    Row("another text", (NEWS, "A copper mine in the mountains opened after ten years of planning.", False)),
])  # fmt: skip
def nearly_equal_texts_are_grouped(service, first, second, grouped):
    items = [item("Copper news", first, "http://s1.example/x"), item("Copper news", second, "http://s2.example/y")]
    pipeline = ["CosineRelevancyPostResultProcessor", "DedupeBySimilarityPostResultProcessor"]
    _, response = run(service, [create(f"similar {first[:9]} {second[:9]}", items)], pipeline)
    equal(len(response["results"]), 1 if grouped else 2)


@claim("core 6: DropIrrelevant (post), MIN_SWIRL_SCORE 500")
def only_results_above_the_minimum_stay(service):
    items = [
        item("copper roof repair", "All about copper roof repair."), item("copper", ""), item("roof tiles", "Clay."),
        item("Welcome", "Nothing here."), item("How to repair", "Anything."),
    ]  # fmt: skip
    provider = create("relevant", items)
    search, response = run(
        service, [provider], ["CosineRelevancyPostResultProcessor", "DropIrrelevantPostResultProcessor"],
        "copper roof repair",
    )  # fmt: skip
    _, everything = run(service, [provider], ["CosineRelevancyPostResultProcessor"], "copper roof repair")
    above = {plain(each["title"]) for each in everything["results"] if each["swirl_score"] > 500}
    expect(
        0 < len(above) < 5, "the items do not tell scores apart",
        [each["swirl_score"] for each in everything["results"]],
    )  # fmt: skip
    equal(set(titles(response)), above)
    line = f"DropIrrelevantPostResultProcessor deleted {5 - len(above)} results"
    equal(len(messages_with(search, line)), 1, "lines of the log")


@claim("core 6: DropIrrelevant needs scores; quirks, Processors")
def without_scores_nothing_is_dropped(service):
    search, response = run(
        service, [create("unscored", [item("copper"), item("x")])], ["DropIrrelevantPostResultProcessor"]
    )
    equal(len(response["results"]), 2)
    expect(messages_with(search, "DropIrrelevantPostResultProcessor"), "the log does not say so", search["messages"])


@claim("interface: post-result DateFinderResultProcessor")
def dates_can_be_found_after_all_sources(service):
    provider = create(
        "late dates", [item("copper", "Melted on 5/6/2021")], result_processors=["MappingResultProcessor"]
    )
    _, response = run(service, [provider], ["DateFinderResultProcessor"])
    equal(response["results"][0]["date_published"], "2021-05-06 00:00:00")


@claim("core 6: RedactPII (post)")
def personal_data_can_be_redacted_after_all_sources(service):
    provider = create("late pii", [item("copper", "Ask anna@example.com about copper")])
    _, response = run(service, [provider], ["CosineRelevancyPostResultProcessor", "RedactPIIPostResultProcessor"])
    body = response["results"][0]["body"]
    expect("[EMAIL_ADDRESS]" in body and "anna" not in body, "not redacted", body)


@claim("core 8.3: post processors write to Search.messages")
def post_processors_write_their_lines(service):
    search, _ = run(service, [create("line post", [item("copper a"), item("copper b")])], [])
    equal(len(messages_with(search, "CosineRelevancyPostResultProcessor updated 2 results")), 1)


@claim("core 5.3: without pass 1 all scores are 0")
def without_relevancy_there_are_no_scores(service):
    _, response = run(service, [create("no scores", [item("copper")])], ["DedupeByFieldPostResultProcessor"])
    equal([each["swirl_score"] for each in response["results"]], [0])


@claim("quirks: a search that lists some uses these in its order")
def a_search_uses_its_own_list(service):
    provider = create("own list", [item("copper a", url=SAME), item("copper b", url=SAME)])
    search, response = run(service, [provider], ["CosineRelevancyPostResultProcessor"])
    equal(len(response["results"]), 2)
    equal(search["post_result_processors"], ["CosineRelevancyPostResultProcessor"])


@claim("decisions 3.17; quirks, Records", rows=[
    Row("unknown", (["NoSuchPostResultProcessor"],)), Row("result processor", (["CosineRelevancyResultProcessor"],)),
    Row("no text", ([7],)), Row("no list", ("CosineRelevancyPostResultProcessor",)),
])  # fmt: skip
def wrong_post_processors_are_refused(service, pipeline):
    body = {"query_string": "copper", "post_result_processors": pipeline}
    problem = service.admin.post("/svc/search/", body).expect(400).json()
    equal(problem["code"] in ("invalid", "malformed"), True, problem["code"])


@claim("interface: the pipeline record, not code, decides the order")
def the_record_decides_the_pipeline(service):
    with Service(service.program) as other, Source() as source:
        provider = Providers(other, source).create("edited", [item("copper a", url=SAME), item("copper b", url=SAME)])
        pipeline = next(each for each in other.admin.get("/svc/pipelines/").json() if "Default" in each["name"])
        path = f"/svc/pipelines/{pipeline['id']}/"
        equal(len(other.admin.search("copper", providers=[provider])["results"]), 1, "before")
        other.admin.patch(path, {"processors": DEFAULT_PIPELINE[:1]}).expect(200)
        equal(len(other.admin.search("copper", providers=[provider])["results"]), 2, "after")
        other.admin.patch(path, {"processors": ["NoSuchProcessor"]}).expect(400)
        equal(other.admin.get(path).json()["processors"], DEFAULT_PIPELINE[:1])


@claim("interface: SVC_DEDUPE_FIELD, SVC_DEDUPE_GROUP_NOT_DROP; core 6: payload")
def settings_choose_the_field_and_delete_duplicates(service):
    with Service(
        service.program, {"SVC_DEDUPE_FIELD": "isbn", "SVC_DEDUPE_GROUP_NOT_DROP": "False"}
    ) as other, Source() as source:
        items = [
            item("copper a", isbn="1", url=SAME), item("copper b", isbn="1", url="http://b.example/"),
            item("copper c", isbn="2", url=SAME), item("copper d", url=SAME), item("copper e", isbn="", url=SAME),
        ]  # fmt: skip
        provider = Providers(other, source).create("books", items)
        pipeline = ["CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor"]
        search, response = run(other, [provider], pipeline)
        equal(len(response["results"]), 4)
        equal([each.get("duplicates", []) for each in response["results"]], [[], [], [], []])
        equal(len(messages_with(search, "DedupeByFieldPostResultProcessor deleted 1 results")), 1)
