"""Relevancy score, confidence, their explanation, and highlights."""

import math
import re

from harness import Row, Service, claim, equal, expect
from harness.one_provider import ask, new_path, provider_fields

FIELDS = ["title", "body", "author"]
WEIGHTS = {"title": 1.5, "body": 1.0, "author": 1.0}
ADJUSTS = {"result_length_adjust", "query_length_adjust"}
MAPPINGS = "title=title,body=body,author=author,url=url"


def scored(service, query, *texts, **fields):
    """The results of a source with these items by their rank at the source. A text is an item with only a title."""
    given = [{"title": each} if isinstance(each, str) else each for each in texts]
    listed = [{"url": f"https://example.org/{number}", **each} for number, each in enumerate(given)]
    fields = {"result_mappings": MAPPINGS, **fields}
    asked = ask(service, query, respond={"items": listed}, **fields)
    equal(len(asked.results), len(listed), "results")
    return asked


def keys(result, field):
    return set(result["explain"].get(field, {})) - ADJUSTS


@claim("core 5.1, targets, with the keys of 5.2", rows=[
    Row("four words", ("new electric cars today", "new electric cars today", {
        "new_electric_cars_today_*", "new_electric_cars_today_0", "new_electric_0", "electric_cars_1", "cars_today_2", "new_0", "electric_1",
        "cars_2", "today_3"})),
    Row("two words", ("electric cars", "Electric cars win", {"electric_cars_*", "Electric_cars_0", "Electric_0", "cars_1"})),
    Row("one word", ("cars", "Old cars win", {"cars_*", "cars_1"})),
    Row("one of two words", ("electric cars", "Old cars win", {"electric_cars_*", "cars_1"})),
    Row("other order", ("electric cars", "Cars electric", {"electric_cars_*", "electric_1", "Cars_0"})),
    Row("same stem", ("electric cars", "Electricity and a car", None)),
    Row("word twice", ("cars", "Cars beside cars", {"cars_*", "Cars_0", "cars_2"})),
    Row("operators are no words", ("electric OR cars", "Electric cars win", {"electric_cars_*", "Electric_cars_0", "Electric_0", "cars_1"})),
    Row("inside another word", ("art", "A cart on the street", set())),
    Row("stopword is no single target", ("history of cars", "history of cars", {
        "history_of_cars_*", "history_of_cars_0", "history_of_0", "of_cars_1", "history_0", "cars_2"})),
])  # fmt: skip
def keys_name_what_matched(service, query, title, expected):
    result = scored(service, query, title).first
    if expected is None:
        expect("cars" in str(result["explain"]["stems"]) or "car" in result["explain"]["stems"], "stems", result["explain"])
        expect(any(key.startswith("car_") for key in keys(result, "title")), "no match by stem", result["explain"])
        return
    equal(sorted(keys(result, "title")), sorted(expected))


@claim("core 5.1: stems", rows=[
    Row("worked example", ("electric cars", "electr car")), Row("one", ("rivers", "river")), Row("operators", ("rivers AND lakes", "river lake")),
    Row("excluded", ("rivers NOT lakes", "river")), Row("phrase", ('"flooded rivers"', "flood river")),
])  # fmt: skip
def stems_are_explained(service, query, expected):
    equal(scored(service, query, "Cars and rivers, electric").first["explain"]["stems"], expected)


@claim("core 5.2: a field without scores is not explained")
def a_field_without_scores_is_not_explained(service):
    explain = scored(service, "cars", {"title": "Old cars", "body": "Nothing here", "author": ""}).first["explain"]
    expect("title" in explain and "body" not in explain and "author" not in explain, "fields", explain)


@claim("interface, postfixes; quirks: sentences end at every end of a sentence")
def the_best_of_several_sentences_counts(service):
    explain = scored(service, "cars", {"title": "A", "body": "It rains today. Cars are fast! Who knows?"}).first["explain"]
    equal(sorted(keys({"explain": explain}, "body")), ["Cars_3", "cars_s*"])
    explain = scored(service, "cars", {"title": "A", "body": "Cars are fast when it rains"}).first["explain"]
    equal(sorted(keys({"explain": explain}, "body")), ["Cars_0", "cars_*"])


@claim("core 5.2, with the difference of quirks: SVC_MAX_MATCHES matches count")
def five_matches_count(service):
    result = scored(service, "cars", "cars and " * 7).first
    equal(sorted(keys(result, "title")), ["cars_*", "cars_0", "cars_2", "cars_4", "cars_6", "cars_8"])
    equal(result["explain"]["hits"]["title"], {"cars": [0, 2, 4, 6, 8, 10, 12]})


@claim("interface, hits, with the difference of quirks: an object without entries", rows=[
    Row("title", ({"title": "Electric cars, electric"}, {"title": {"electric": [0, 2], "cars": [1]}, "body": {}, "author": {}})),
    Row("body", ({"title": "x", "body": "Buy electric. Buy CARS!"}, {"title": {}, "body": {"electric": [1], "cars": [3]}, "author": {}})),
    Row("author", ({"title": "x", "author": "Cars Magazine"}, {"title": {}, "body": {}, "author": {"cars": [0]}})),
    Row("underscore separates", ({"title": "old_electric_thing"}, {"title": {"electric": [1]}, "body": {}, "author": {}})),
    Row("none", ({"title": "x"}, {"title": {}, "body": {}, "author": {}})),
])  # fmt: skip
def hits_have_positions(service, item, expected):
    equal(scored(service, "electric cars", item).first["explain"]["hits"], expected)


@claim("core 5.2, highlighting, with the differences of quirks", rows=[
    Row("worked example", ("ai", "AI AIR ai", "<em>AI</em> AIR <em>ai</em>")),
    Row("punctuation", ("cars", "Cars, cars.", "<em>Cars</em>, <em>cars</em>.")),
    Row("stopword", ("the cars", "The cars", "The <em>cars</em>")),
    Row("marks of the source", ("cars", "<em>Old</em> <em>cars</em>", "Old <em>cars</em>")),
    Row("other markup", ("cars", "<b>Old</b> <i>cars</i>", "Old <em>cars</em>")),
    Row("script", ("cars", "Cars<script>alert(1)</script> here", "<em>Cars</em> here")),
    Row("angle bracket", ("cars", "cars < 5 > 3", "<em>cars</em> < 5 > 3", "<em>cars</em> &lt; 5 > 3", "<em>cars</em> &lt; 5 &gt; 3")),
    Row("possessive", ("sarah", "Sarah's cars", "<em>Sarah</em>'s cars", "<em>Sarah's</em> cars")),
    Row("same stem", ("sensors", "One sensor", "One <em>sensor</em>")),
    Row("inside a word", ("art", "cart party art", "cart party <em>art</em>")),
    Row("accents", ("zürich", "Zürich ZÜRICH", "<em>Zürich</em> <em>ZÜRICH</em>")),
    Row("excluded word is not highlighted", ("cars -vans", "Cars only", "<em>Cars</em> only")),
])  # fmt: skip
def matched_words_are_highlighted(service, query, title, *accepted):
    found = scored(service, query, title).first["title"]
    expect(found in accepted, f"expected {' or '.join(accepted)}, got {found}")


@claim("decisions 6: no markup but our own", rows=[Row(each, (each,)) for each in [
    "cars <img src=x onerror=alert(1)>", "cars <svg/onload=alert(1)>", "cars <em onclick=alert(1)>x</em>", "cars <a href='javascript:x'>y</a>",
    "cars &lt;script&gt;alert(1)&lt;/script&gt;", "cars <scr<script>ipt>alert(1)</script>", "cars <iframe src=//x>", "cars <!--<em>--><b onx=y>",
]])  # fmt: skip
def hostile_markup_never_survives(service, text):
    result = scored(service, "cars", {"title": text, "body": text}).first
    for field in ["title", "body"]:
        rest = re.sub(r"</?em>", "", result[field])
        expect(not re.search(r"<[a-zA-Z/!]", rest), "a tag survived", result[field])


@claim("core 5.2 and 5.3: excluded words", rows=[
    Row("word", ("copper NOT tin", "Copper and tin", {"title": "tin"})),
    Row("sign", ("copper -tin", "Copper and Tin", {"title": "tin"})),
    Row("in the body", ("copper -tin", {"title": "Copper", "body": "also tin"}, {"body": "tin"})),
    Row("not inside a word", ("copper -tin", "Copper tint", None)), Row("absent", ("copper -tin", "Copper and zinc", None)),
    Row("phrase", ('copper -"tin foil"', "Copper with tin foil", True)), Row("only part of a phrase", ('copper -"tin foil"', "Copper with tin", None)),
])  # fmt: skip
def excluded_words_lower_the_score(service, query, item, expected):
    for mappings in ["", "NOT=True", "NOT_CHAR=-"]:
        result = scored(service, query, item, query_mappings=mappings).first
        if expected is None:
            expect("NOT" not in result["explain"] and result["swirl_score"] > 0, "counted as excluded", result)
            continue
        equal(round(result["swirl_score"], 4), -0.6667)
        equal(result["swirl_confidence_score"], 0)
        equal(list(result["explain"]), ["NOT"])
        if expected is not True:
            equal({name: text.lower() for name, text in result["explain"]["NOT"].items()}, expected)


@claim("core 5.3: the message counts what was scored")
def the_message_counts_without_excluded(service):
    asked = scored(service, "copper -tin", "Copper and tin", "Copper and zinc", "Copper alone")
    expect(any(line.endswith("CosineRelevancyPostResultProcessor updated 2 results") for line in asked.response["messages"]), "message",
           asked.response["messages"])  # fmt: skip


def points(result, weights=None):
    """swirl_score again, from what is explained."""
    weights, total = weights or WEIGHTS, 0
    for field in FIELDS:
        explained = result["explain"].get(field)
        for key, value in (explained or {}).items():
            if key in ADJUSTS:
                continue
            part = weights[field] * value * len(key) ** 2
            if not key.endswith(("_*", "_s*")):
                part *= explained["result_length_adjust"] * explained["query_length_adjust"] * (1 + 1 / math.sqrt(result["searchprovider_rank"]))
            total += part
    return total


POOL = [
    {"title": "Electric cars win", "body": "The race was won by electric cars. Nobody expected it.", "author": "Anna"},
    {"title": "Cars", "body": "About cars, electric or not, and their batteries.", "author": "Cars Weekly"},
    {"title": "A long title about electric trains and other electric vehicles", "body": "", "author": ""},
    {"title": "Gardening", "body": "Roses need water.", "author": "Electric Garden"},
]  # fmt: skip


@claim("core 5.3: the score is recomputed from explain", rows=[Row(query, (query,)) for query in
       ["electric cars", "cars", "electric cars race", '"electric cars"', "electric OR cars"]])  # fmt: skip
def the_score_follows_from_explain(service, query):
    for result in scored(service, query, *POOL).results:
        expected = points(result)
        expect(abs(result["swirl_score"] - expected) <= 0.001 * max(1, expected), f"expected {expected}", result)
        for field in FIELDS:
            for key, value in result["explain"].get(field, {}).items():
                expect(key in ADJUSTS or 0.01 <= value <= 1, f"similarity of {key}", result["explain"])


@claim("core 5.3, worked example: lengths of titles 3 and 2")
def lengths_are_adjusted_by_their_median(service):
    first, second = scored(service, "electric cars", "Electric cars win", "Electric cars").results
    equal(round(first["explain"]["title"]["result_length_adjust"], 4), 0.8333)
    equal(second["explain"]["title"]["result_length_adjust"], 1.25)
    for result in (first, second):
        equal(result["explain"]["title"]["query_length_adjust"], 1)


@claim("core 5.3: the median is that of distinct lengths")
def equal_lengths_count_once(service):
    results = scored(service, "cars", "Cars", "Red cars", "Blue cars", "Green cars", "Cars are really fast").results
    # 1, 2 and 4 words: the median is 2.
    equal([each["explain"]["title"]["result_length_adjust"] for each in results], [2, 1, 1, 1, 0.5])


@claim("core 5.3: queries of several providers")
def query_length_adjust_compares_providers(service):
    rule = {"name": "shorten", "qrx_type": "rewrite", "config_content": "electric,"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    providers = []
    for title, processors in [("Cars here", ["NoModQueryProcessor"]), ("Cars there", ["shorten.rewrite"])]:
        respond = {"items": [{"title": title, "url": f"https://example.org/{title[5:]}"}]}
        providers.append(service.admin.create_provider(**provider_fields(new_path(), respond, query_processors=processors)))
    response = service.admin.search("electric cars", providers=[each["id"] for each in providers])
    found = {each["searchprovider"]: each["explain"]["title"]["query_length_adjust"] for each in response["results"]}
    # Two words and one: the median is 1.5.
    equal(found, {providers[0]["name"]: 0.75, providers[1]["name"]: 1.5})


@claim("core 5.3: FILE_SYSTEM raises the weight of the body")
def file_system_raises_the_weight_of_the_body(service):
    item = {"title": "report.txt", "body": "About electric cars"}
    plain = scored(service, "electric cars", item).first
    boosted = scored(service, "electric cars", item, result_mappings=MAPPINGS + ",FILE_SYSTEM").first
    expect("boosts" not in plain["explain"], "boosted without the word", plain["explain"])
    expect("FILE_SYSTEM" in str(boosted["explain"].get("boosts")), "boosts", boosted["explain"])
    expect(abs(boosted["swirl_score"] / plain["swirl_score"] - 1.5) < 0.001, "weight", [plain["swirl_score"], boosted["swirl_score"]])
    item = {"title": "Electric cars", "body": "About electric cars"}
    boosted = scored(service, "electric cars", item, result_mappings=MAPPINGS + ",FILE_SYSTEM").first
    expect("boosts" not in boosted["explain"], "the title has scores", boosted["explain"])


@claim("core 5, settings: weights and number of matches")
def settings_change_weights_and_matches(service):
    settings = {"SVC_RELEVANCY_CONFIG": '{"title": 3.0}', "SVC_MAX_MATCHES": "2"}
    with Service(service.program, settings) as other:
        result = scored(other, "cars", {"title": "cars cars cars cars", "body": "cars", "author": "x"}).first
        equal(sorted(keys(result, "title")), ["cars_*", "cars_0", "cars_1"])
        expected = points(result, {**WEIGHTS, "title": 3.0})
        expect(abs(result["swirl_score"] - expected) <= 0.001 * expected, f"expected {expected}", result)


@claim("core 5, settings: similarities below SVC_MIN_SIMILARITY do not count")
def the_minimum_similarity_drops_keys(service):
    with Service(service.program, {"SVC_MIN_SIMILARITY": "1"}) as other:
        explain = scored(other, "electric cars", POOL[0]).first["explain"]
        for field in FIELDS:
            expect(all(value >= 1 for key, value in explain.get(field, {}).items() if key not in ADJUSTS), field, explain)


@claim("core 5.1, with the difference of quirks: a query of stopwords is asked and matched")
def a_query_of_stopwords_is_scored(service):
    asked = scored(service, "to be or not to be", "To be or not to be", "Something else")
    equal(asked.status, "ok")
    expect(asked.results[0]["swirl_score"] > asked.results[1]["swirl_score"] >= 0, "scores", [each["swirl_score"] for each in asked.results])


@claim("quirks: words that the source highlighted have no weight")
def highlights_of_the_source_have_no_weight(service):
    plain = {"title": "Red vans drive", "body": "Many cars", "h": [], "url": "https://example.org/a"}
    scores = []
    for highlights in [[], ["<em>Red</em> <em>vans</em>"]]:
        result = scored(service, "cars", {**plain, "h": highlights}, result_mappings=MAPPINGS + ",title_hit_highlights=h,NO_PAYLOAD").first
        scores.append((result["swirl_score"], result["swirl_confidence_score"]))
    equal(scores[0], scores[1])


@claim("quirks: internal values are not shown")
def internal_values_are_not_shown(service):
    for result in scored(service, "electric cars", *POOL).results:
        expect(not {"dict_score", "dict_len", "hits", "_relevancy_model"} & set(result), "shown", list(result))


@claim("decisions 3.10: without explain, nothing but explain is missing")
def without_explain_the_scores_stay(service):
    asked = ask(service, "electric cars", respond={"items": POOL}, result_mappings=MAPPINGS, search={})
    search_id = service.admin.get("/svc/search/").json()[0]["id"]
    for value in ["False", "false"]:
        bare = service.admin.results(search_id, explain=value)["results"]
        equal([{name: each[name] for name in each if name != "explain"} for each in asked.response["results"]], bare)


@claim("decisions 4: confidence is 0 to 1 and the sum of its parts", rows=[Row(query, (query,)) for query in ["electric cars", "cars", "zebra", "roses water"]])
def confidence_is_the_sum_of_its_parts(service, query):
    for result in scored(service, query, *POOL).results:
        found, parts = result["swirl_confidence_score"], dict(result["explain"]["confidence"])
        expect(0 <= found <= 1, "range", found)
        equal(round(parts.pop("total") * 1e6), round(found * 1e6), "total")
        equal(sum(round(value * 1e6) for value in parts.values()), round(found * 1e6), str(parts))
        expect(all(0 <= value <= 1 for value in result["explain"]["evidence"].values()), "evidence", result["explain"])


# Weights of the kinds of evidence, and the evidence at which confidence is 0.7.
EVIDENCE = {"bm25_pool": 1.5, "bm25_background": 0.45, "cosine": 1.0, "coverage": 0.05, "proximity": 0.2, "company": 0.6, "source_rank": 0.06}


@claim("decisions 4: confidence follows from the evidence that is shown")
def confidence_follows_from_its_evidence(service):
    for result in scored(service, "electric cars", *POOL).results:
        evidence = result["explain"]["evidence"]
        total = sum(weight * evidence.get(kind, 0) for kind, weight in EVIDENCE.items())
        expect(abs(1 - math.exp(-1.204 * (total / 1.7) ** 2) - result["swirl_confidence_score"]) < 0.001, "formula", result["explain"])
        expect(abs(evidence["source_rank"] - 1 / math.sqrt(result["searchprovider_rank"])) < 0.001, "source rank", evidence)


@claim("decisions 4: 0.7 separates good from doubtful")
def confidence_separates_good_from_doubtful(service):
    good, doubtful, bad = scored(
        service, "river sensors", {"title": "River sensors", "body": "How to place sensors that measure a river."},
        {"title": "Parking", "body": "Parking sensors for many cars."}, {"title": "Cake", "body": "Butter, flour and sugar."},
    ).results  # fmt: skip
    expect(good["swirl_confidence_score"] > 0.7 > doubtful["swirl_confidence_score"] > bad["swirl_confidence_score"], "order",
           [each["swirl_confidence_score"] for each in (good, doubtful, bad)])  # fmt: skip
    expect(good["swirl_score"] > 100 and bad["swirl_score"] < 100, "scale", [good["swirl_score"], bad["swirl_score"]])


@claim("decisions 4: confidence is the default order")
def confidence_is_the_default_order(service):
    asked = scored(service, "electric cars", *reversed(POOL))
    found = [each["swirl_confidence_score"] for each in asked.response["results"]]
    equal(found, sorted(found, reverse=True))
    equal([each["swirl_rank"] for each in asked.response["results"]], [1, 2, 3, 4])
    expect("RelevancyConfidenceMixer" in asked.response["messages"][-1], "mixer", asked.response["messages"])


@claim("decisions 4: the rank at the source is a feature, not the basis")
def the_best_text_wins_from_the_last_rank(service):
    texts = [{"title": f"Garden number {number}", "body": f"Flowers of kind {number}."} for number in range(9)]
    asked = scored(service, "electric cars", *texts, {"title": "Electric cars", "body": "All about electric cars."})
    equal(asked.response["results"][0]["searchprovider_rank"], 10)


@claim("decisions 4: repeated text gains nothing")
def repetition_gains_nothing(service):
    honest = {"title": "Electric cars", "body": "A guide to electric cars and how they are charged at home."}
    stuffed = {"title": "electric cars " * 30, "body": "electric cars " * 300}
    first, second = scored(service, "electric cars", honest, stuffed).results
    expect(second["swirl_confidence_score"] < first["swirl_confidence_score"], "stuffing pays",
           [first["swirl_confidence_score"], second["swirl_confidence_score"]])  # fmt: skip


@claim("core 5.3: without pass 1, scores are 0")
def without_scoring_of_the_provider_results_stay(service):
    asked = scored(service, "electric cars", "Electric cars", result_processors=["MappingResultProcessor"])
    equal(asked.status, "ok")
    expect(asked.first["swirl_score"] >= 0, "score", asked.first)
