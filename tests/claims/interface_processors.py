"""The processors and mixers that the interface names, the default pipeline, and their settings."""

from harness import Service, claim, equal, expect
from harness.sample import SampleSource, items, only_result, rows, titles

source = SampleSource()


def prepare(service):
    source.__enter__()


def finish():
    source.__exit__()


NAMED = {
    "query_processor": [
        "AdaptiveQueryProcessor", "SpellcheckQueryProcessor", "RemovePIIQueryProcessor", "GenAIQueryProcessor",
    ],
    "result_processor": [
        "MappingResultProcessor", "CosineRelevancyResultProcessor", "DateFinderResultProcessor",
        "RequireQueryStringInTitleResultProcessor", "AutomaticPayloadMapperResultProcessor", "RedactPIIResultProcessor",
    ],
    "post_result_processor": [
        "CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor",
        "DedupeBySimilarityPostResultProcessor",
        "VersionClusteringPostResultProcessor", "DateFinderResultProcessor", "RedactPIIPostResultProcessor",
    ],
}  # fmt: skip
MIXERS = [
    "RelevancyMixer", "RelevancyConfidenceMixer", "DateMixer", "Stack1Mixer", "Stack2Mixer", "RoundRobinMixer",
    "RelevancyNewItemsMixer", "DateNewItemsMixer",
]  # fmt: skip


@claim("interface: Processors named; decisions 3.18",
       rows=rows(*[(f"{kind} {name}", kind, name) for kind, names in NAMED.items() for name in names]))  # fmt: skip
def the_catalog_has_processor(service, kind, name):
    found = service.admin.get("/svc/processors/").expect(200).json()
    entry = [each for each in found if (each["kind"], each["name"]) == (kind, name)]
    equal(len(entry), 1, "entries")
    expect(entry[0]["summary"], "no summary", entry)


@claim("interface: Mixers named; decisions 3.18", rows=rows(*[(name, name) for name in MIXERS]))
def the_catalog_has_mixer(service, name):
    expect(name in [each["name"] for each in service.admin.get("/svc/mixers/").expect(200).json()], "missing")
    record = source.provider(service, f"Mixed by {name}", items(2))
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]], result_mixer=name)
    messages = service.admin.results(search["id"])["messages"]
    expect(messages[-1].endswith(name), "another mixer", messages)


CONNECTORS = [
    "RequestsGet", "RequestsPost", "Elastic", "OpenSearch", "PostgreSQL", "Sqlite3", "QdrantDB", "PineconeDB",
    "MongoDB",
    "TributaryCorpusConnector", "BoxStorage", "GenAI",
]  # fmt: skip


@claim("interface: SearchProvider, connector; decisions 3.18", rows=rows(*[(name, name) for name in CONNECTORS]))
def the_catalog_has_connector(service, name):
    entry = [each for each in service.admin.get("/svc/connectors/").expect(200).json() if each["name"] == name]
    equal(len(entry), 1, "entries")
    equal(entry[0]["kind"], "connector")
    expect(entry[0]["summary"] and entry[0]["settings"], "no summary or settings", entry)
    equal(set(entry[0]["capability"]), {"page", "date_sort", "not"})


DEFAULT_PIPELINE = [
    "CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor", "DedupeBySimilarityPostResultProcessor",
    "VersionClusteringPostResultProcessor",
]  # fmt: skip


@claim("interface: Post-result, the system default")
def the_default_pipeline_is_a_record(service):
    pipelines = service.admin.get("/svc/pipelines/").expect(200).json()
    found = [each for each in pipelines if each["name"] == "System Default Post-Result Pipeline"]
    equal([each["processors"] for each in found], [DEFAULT_PIPELINE])


@claim("interface: Post-result, the pipeline record decides")
def the_record_of_the_pipeline_decides(service):
    with Service(service.program) as other:
        record = source.provider(other, "Pipeline", items(2))
        pipeline = other.admin.get("/svc/pipelines/").json()[0]
        path = f"/svc/pipelines/{pipeline['id']}/"
        for processors, scored in [([], False), (DEFAULT_PIPELINE[:1], True)]:
            other.admin.patch(path, {"processors": processors}).expect(200)
            results = other.admin.search("copper", providers=[record["id"]])["results"]
            equal([result["swirl_score"] > 0 for result in results], [scored, scored])


@claim("interface: Search, post_result_processors; quirks: Processors")
def a_search_may_have_its_own_pipeline(service):
    names = ["Own pipeline A", "Own pipeline B"]
    for name in names:
        source.provider(service, name, items(2))
    own = {"post_result_processors": ["CosineRelevancyPostResultProcessor"]}
    for fields, expected in [({}, 2), (own, 4)]:
        search = service.admin.run_search("copper", searchprovider_list=names, **fields)
        equal(len(service.admin.results(search["id"])["results"]), expected)


def answer_of(service, name, response, query, processors, **fields):
    fields = {"result_mappings": "title=title,body=body,url=url,NO_PAYLOAD", **fields}
    record = source.provider(service, name, response, result_processors=processors, **fields)
    return service.admin.search(query, providers=[record["id"]])


@claim("interface: RequireQueryStringInTitleResultProcessor; core 6", rows=rows(
    ("same words", "solid state", "Solid State drives", 1), ("a hyphen", "solid state", "Solid-State stuff", 1),
    ("another order", "solid state", "State solid", 0), ("only one word", "solid state", "A solid wall", 0),
    ("not there", "solid state", "Drives", 0), ("case", "SOLID state", "solid STATE", 1),
    ("in the body", "solid state", "x", 0),
))  # fmt: skip
def a_result_needs_the_query_in_its_title(service, query, title, expected):
    item = {"title": title, "body": "solid state", "url": "http://a/"}
    processors = ["MappingResultProcessor", "RequireQueryStringInTitleResultProcessor"]
    answer = answer_of(service, f"Title {title} {query}", [item], query, processors)
    equal(len(answer["results"]), expected)


@claim("interface: DateFinderResultProcessor; core 6", rows=rows(
    ("slashes", "Made 3/4/2021 by us", "2021-03-04 00:00:00"), ("dots", "Made 3.4.2021 by us", "2021-03-04 00:00:00"),
    ("hyphens", "Made 03-04-2021.", "2021-03-04 00:00:00"),
    ("month", "Made March 4, 2021 by us", "2021-03-04 00:00:00"),
    ("short month", "Made Mar 4, 2021", "2021-03-04 00:00:00"), ("short year", "Made 5-6-21", "unknown"),
    ("none", "Made today", "unknown"), ("first", "1/2/2020 and 3/4/2021", "2020-01-02 00:00:00"),
    ("not a date", "99/99/2021", "unknown"),
))  # fmt: skip
def a_date_is_found_in_the_body(service, body, expected):
    processors = ["MappingResultProcessor", "DateFinderResultProcessor"]
    answer = answer_of(service, f"Date {body}", [{"title": "T 7/7/2007", "body": body}], "copper", processors)
    equal(only_result(answer)["date_published"], expected)


@claim("interface: AutomaticPayloadMapperResultProcessor; core 6")
def an_unmapped_source_is_profiled(service):
    response = [
        {"headline": f"Copper prices rise again in week {n}", "summary": "A long text about copper. " * 9,
         "link": f"http://a/{n}", "pub_date": f"2021-03-0{n}", "size": n}
        for n in range(1, 4)
    ]  # fmt: skip
    processors = ["MappingResultProcessor", "AutomaticPayloadMapperResultProcessor"]
    answer = answer_of(service, "Profiled", response, "bread", processors, result_mappings="")
    result = min(answer["results"], key=lambda each: each["searchprovider_rank"])
    equal(result["title"], "headline: Copper prices rise again in week 1")
    equal((result["url"], result["date_published"]), ("http://a/1", "2021-03-01 00:00:00"))
    expect(result["body"].startswith("summary: A long text"), "body", result["body"])
    equal(result["payload"], {"size": 1})


PERSONAL = "Mail ann.lee@example.com or Dr. John Smith"


@claim("interface: RedactPII", rows=rows(("of a provider", True), ("of a search", False)))
def personal_data_in_results_is_replaced(service, per_provider):
    item = {"title": "Copper", "body": PERSONAL, "url": "http://a/"}
    processors = ["MappingResultProcessor", *(["RedactPIIResultProcessor"] if per_provider else [])]
    fields = {"result_mappings": "title=title,body=body,url=url", "result_processors": processors}
    record = source.provider(service, f"Redacted {per_provider}", [item], **fields)
    own = {} if per_provider else {"post_result_processors": ["RedactPIIPostResultProcessor"]}
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]], **own)
    body = only_result(service.admin.results(search["id"]))["body"]
    expect("ann.lee" not in body and "Smith" not in body, "personal data is there", body)
    expect("[EMAIL_ADDRESS]" in body and "[PERSON]" in body, "no kinds", body)


@claim("interface: RemovePIIQueryProcessor, SpellcheckQueryProcessor; core 2.4", rows=rows(
    ("mail address", "RemovePIIQueryProcessor", "invoice ann.lee@example.com", "invoice"),
    ("nothing personal", "RemovePIIQueryProcessor", "copper wire", "copper wire"),
    ("spelling", "SpellcheckQueryProcessor", "electrc cars", "electric cars"),
    ("spelled well", "SpellcheckQueryProcessor", "electric cars", "electric cars"),
    ("no model", "GenAIQueryProcessor", "copper wire", "copper wire"),
))  # fmt: skip
def a_query_processor_changes_the_query(service, processor, query, expected):
    record = source.provider(service, f"{processor} {query}", items(1), query_processors=[processor])
    service.admin.search(query, providers=[record["id"]])
    equal(source.queries(record), [expected])


@claim("interface: Settings, dedupe", rows=rows(
    ("grouped", {}, 1, 1), ("dropped", {"SVC_DEDUPE_GROUP_NOT_DROP": "False"}, 1, 0),
    ("another field", {"SVC_DEDUPE_FIELD": "isbn", "SVC_DEDUPE_SIMILARITY_MINIMUM": "1"}, 2, 0),
))  # fmt: skip
def duplicates_are_handled_by_settings(service, settings, shown, copies):
    with Service(service.program, settings) as other:
        names = ["Same A", "Same B"]
        for name, title, body in zip(names, ["Mine", "Copper wire"], ["Deep below.", "Made of metal."], strict=True):
            source.provider(other, name, [{"title": title, "body": body, "url": "http://a/1", "isbn": title}])
        answer = other.admin.search("copper", providers=names)
        equal(len(answer["results"]), shown)
        equal(len(answer["results"][0].get("duplicates") or []), copies)


@claim("interface: Settings, SVC_RELEVANCY_CONFIG")
def the_weight_of_a_field_is_a_setting(service):
    scores = []
    for settings in [None, {"SVC_RELEVANCY_CONFIG": '{"title": 3.0, "body": 1.0, "author": 1.0}'}]:
        with Service(service.program, settings) as other:
            record = source.provider(other, "Weighted", [{"title": "Copper", "body": "", "url": "http://a/"}])
            scores.append(only_result(other.admin.search("copper", providers=[record["id"]]))["swirl_score"])
    expect(abs(scores[1] / scores[0] - 2) < 0.01, "twice the weight is not twice the score", scores)


# Mixers.


def mixed(service, name, mixer, **per_source):
    providers = []
    for source_name, response in per_source.items():
        fields = {"result_mappings": "title=title,body=body,url=url,date_published=date"}
        providers.append(source.provider(service, f"{name} {source_name}", response, **fields)["id"])
    return service.admin.search("copper", providers=providers, result_mixer=mixer)


def dated(n, title, date=None):
    return {"title": title, "body": "", "url": f"http://a/{title}/{n}", "date": date}


@claim("interface: Mixers, order", rows=rows(
    ("RelevancyMixer", "RelevancyMixer", "swirl_score"),
    ("RelevancyConfidenceMixer", "RelevancyConfidenceMixer", "swirl_confidence_score"),
))  # fmt: skip
def a_mixer_orders_by_its_score(service, mixer, field):
    texts = ["Bread", "Copper", "Copper wire and more of many other things", "The copper", "Iron"]
    answer = mixed(service, mixer, mixer, one=[dated(n, text) for n, text in enumerate(texts)])
    scores = [result[field] for result in answer["results"]]
    equal(scores, sorted(scores, reverse=True))
    expect(len(set(scores)) >= 3, "the scores do not differ", scores)


@claim("interface: RelevancyMixer, ties; decisions 7.3")
def equal_scores_are_ordered_by_the_rank_of_the_source(service):
    response = [dated(n, "Bread", f"200{n}-01-01") for n in range(5)]
    own = {"post_result_processors": ["CosineRelevancyPostResultProcessor"]}
    fields = {"result_mappings": "title=title,url=url,date_published=date"}
    record = source.provider(service, "Ties", response, **fields)
    own["result_mixer"] = "RelevancyMixer"
    search = service.admin.run_search("copper", searchprovider_list=[record["id"]], **own)
    results = service.admin.results(search["id"])["results"]
    equal({result["swirl_score"] for result in results}, {results[0]["swirl_score"]})
    equal([result["searchprovider_rank"] for result in results], [1, 2, 3, 4, 5])


@claim("interface: DateMixer; core 7.3; quirks: Mixers")
def the_newest_comes_first_by_instant(service):
    dates = ["2021-03-04T23:00:00-05:00", "2021-03-05T01:00:00+00:00", "2019", None, "2021-03-05T06:00:00+02:00"]
    answer = mixed(service, "Dates", "DateMixer", one=[dated(n, f"t{n}", date) for n, date in enumerate(dates)])
    equal(titles(answer), ["t0", "t4", "t1", "t2"])


STACKS = {"Stack1Mixer": "ABABAB", "RoundRobinMixer": "ABABAB", "Stack2Mixer": "AABBAB"}


@claim("interface: Mixers, round-robin; core 7.3", rows=rows(*[(name, name, order) for name, order in STACKS.items()]))
def sources_take_turns(service, mixer, order):
    strong = [dated(n, title) for n, title in enumerate(["Copper wire", "Copper wire", "Copper wire"])]
    weak = [dated(n, title) for n, title in enumerate(["Bread", "Butter", "Salt"])]
    fields = {"result_mappings": "title=title,url=url"}
    names = {source.provider(service, f"{mixer} {key}", response, **fields)["name"]: key
             for key, response in [("A", strong), ("B", weak)]}  # fmt: skip
    own = {"post_result_processors": ["CosineRelevancyPostResultProcessor"], "result_mixer": mixer}
    search = service.admin.run_search("copper wire", searchprovider_list=list(names), **own)
    answer = service.admin.results(search["id"])
    equal("".join(names[result["searchprovider"]] for result in answer["results"]), order)
