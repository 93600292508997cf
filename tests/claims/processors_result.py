"""Result processors of one provider: duplicates, dates, titles, lengths, automatic mapping and personal data."""

import datetime

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers, item, messages_with, plain, titles

MAPPED = ["MappingResultProcessor"]
STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def create(name, items, processors, **fields):
    return STATE["providers"].create(name, items, result_processors=MAPPED + processors, **fields)


def processed(service, name, items, processors, query="copper", search=None, **fields):
    """The response of a search of one provider with these items and result processors."""
    return service.admin.search(query, providers=[create(name, items, processors, **fields)], **(search or {}))


def only_result(response):
    equal(len(response["results"]), 1, "number of results")
    return response["results"][0]


def titles_in_rank_order(response):
    return titles({"results": sorted(response["results"], key=lambda each: each["searchprovider_rank"])})


GROUPED = [
    item("copper one", thread="a"), item("copper two", thread="a"), item("copper three", thread="b"),
    item("copper four", thread=""), item("copper five", thread=""), item("copper six"),
]  # fmt: skip


@claim("core 6: DedupeByField (result)")
def without_a_grouping_field_nothing_is_deleted(service):
    response = processed(service, "group none", GROUPED, ["DedupeByFieldResultProcessor"])
    equal(response["info"]["group none"]["retrieved"], 6)
    equal(messages_with(response, "deleted"), [])


@claim("core 6: DedupeByField (result); core 8.3", rows=[
    Row("top level", ("thread", GROUPED)),
    Row("path", ("meta.thread", [{**each, "meta": {"thread": each.get("thread")}} for each in GROUPED])),
])  # fmt: skip
def the_first_result_of_each_group_stays(service, field, items):
    name = f"group by {field}"
    response = processed(service, name, items, ["DedupeByFieldResultProcessor"], result_grouping_field=field)
    equal(titles_in_rank_order(response), ["copper one", "copper three", "copper four", "copper five", "copper six"])
    equal(response["info"][name]["retrieved"], 5)
    expected = f"DedupeByFieldResultProcessor deleted 1 results from: {name}"
    equal(len(messages_with(response, expected)), 1, "lines of the log")


@claim("core 6: SW_RESULT_PROCESSOR_SKIP")
def a_tag_of_the_search_skips_a_processor(service):
    tag = "SW_RESULT_PROCESSOR_SKIP:DedupeByFieldResultProcessor"
    response = processed(
        service, "group skipped", GROUPED, ["DedupeByFieldResultProcessor"],
        result_grouping_field="thread", search={"search_tags": tag},
    )  # fmt: skip
    equal(response["info"]["group skipped"]["retrieved"], 6)


@claim("core 6: SW_RESULT_PROCESSOR_SKIP")
def the_skip_tag_of_another_processor_changes_nothing(service):
    tag = "SW_RESULT_PROCESSOR_SKIP:CleanTextResultProcessor"
    response = processed(
        service, "group not skipped", GROUPED, ["DedupeByFieldResultProcessor"],
        result_grouping_field="thread", search={"search_tags": tag},
    )  # fmt: skip
    equal(response["info"]["group not skipped"]["retrieved"], 5)


@claim("core 6: DateFinder (result)", rows=[
    Row("slashes", ("Melted on 5/6/2021 here", "2021-05-06 00:00:00")),
    Row("dashes", ("Melted on 5-6-2021 here", "2021-05-06 00:00:00")),
    Row("dots", ("Melted on 5.6.2021 here", "2021-05-06 00:00:00")),
    Row("month name", ("Melted on March 5, 2021 here", "2021-03-05 00:00:00")),
    Row("short month", ("Melted on Mar 5, 2021 here", "2021-03-05 00:00:00")),
    Row("two-digit year", ("Melted on 5-6-21 here", "unknown")),
    Row("first that is a date", ("From 99/99/2021 to 3/4/2020", "2020-03-04 00:00:00")),
    Row("first of several", ("On 1/2/2003 and on 4/5/2006", "2003-01-02 00:00:00")),
    Row("no date", ("Copper melts at 1085 degrees", "unknown")),
])  # fmt: skip
def a_missing_date_is_taken_from_the_body(service, body, expected):
    response = processed(service, f"dates {body}", [item("copper", body)], ["DateFinderResultProcessor"])
    equal(only_result(response)["date_published"], expected)


@claim("core 6: DateFinder (result)")
def a_date_in_the_title_is_ignored(service):
    response = processed(service, "dates title", [item("copper of 5/6/2021")], ["DateFinderResultProcessor"])
    equal(only_result(response)["date_published"], "unknown")


@claim("core 6: DateFinder (result)")
def a_date_of_the_source_stays(service):
    dated = [item("copper", "Melted on 5/6/2021", date="2019-01-02")]
    mappings = "title=title,body=body,url=url,date_published=date"
    response = processed(service, "dates kept", dated, ["DateFinderResultProcessor"], result_mappings=mappings)
    equal(only_result(response)["date_published"], "2019-01-02 00:00:00")


@claim("core 6: DateFinder (result); core 8.3")
def the_log_counts_the_dates_that_were_found(service):
    dated = [item("copper a", "On 5/6/2021"), item("copper b", "no date"), item("copper c", "On 7/8/2021")]
    response = processed(service, "dates counted", dated, ["DateFinderResultProcessor"])
    equal(len(messages_with(response, "DateFinderResultProcessor updated 2 results from: dates counted")), 1)


@claim("core 6: RequireQueryStringInTitle; quirks, Processors", rows=[
    Row("hyphen and case", ("solid state", "Solid-State stuff", True)),
    Row("in the middle", ("solid state", "The solid state of copper", True)),
    Row("markup", ("solid state", "<b>Solid</b> state", True)),
    Row("other order", ("solid state", "State solid", False)),
    Row("words apart", ("solid state", "solid or other state", False)),
    Row("part missing", ("solid state", "solid matter", False)),
    Row("signs of words", ("C++", "Electric cars", False)),
    Row("signs kept", ("C++", "C++ for engineers", True)),
    Row("first alternative", ("copper OR zinc", "About copper", True)),
    Row("second alternative", ("copper OR zinc", "About zinc", True)),
    Row("no alternative", ("copper OR zinc", "About gold", False)),
])  # fmt: skip
def titles_need_the_query(service, query, title, kept):
    name = f"title {query} {title}"
    response = processed(service, name, [item(title)], ["RequireQueryStringInTitleResultProcessor"], query=query)
    equal(response["info"][name]["retrieved"], 1 if kept else 0, "retrieved")
    equal(len(response["results"]), 1 if kept else 0, "in the list")
    expected = f"RequireQueryStringInTitleResultProcessor deleted 1 results from: {name}"
    equal(len(messages_with(response, expected)), 0 if kept else 1, "lines of the log")


@claim("core 6: CleanText; quirks, Processors", rows=[
    Row("symbols", ("copper @ 50% #1 & more*", "copper 50 1 more")),
    Row("hyphen", ("copper-clad", "copper clad")),
    Row("kept punctuation", ("copper (new). Why? Yes! 'a' \"b\", c", "copper (new). Why? Yes! 'a' \"b\", c")),
    Row("dots", ("copper..... end", "copper... end")),
    Row("three dots", ("copper... end", "copper... end")),
    Row("two dots", ("copper.. end", "copper.. end")),
    Row("markup", ("<p>copper <i>wire</i></p>", "copper wire")),
    Row("other scripts", ("copper медь 銅 Kühlung", "copper медь 銅 Kühlung")),
])  # fmt: skip
def titles_and_bodies_are_cleaned(service, text, expected):
    response = processed(
        service, f"clean {text}", [item(text, text, "http://x.example/")], ["CleanTextResultProcessor"]
    )
    result = only_result(response)
    equal(" ".join(plain(result["title"]).split()), expected, "title")
    equal(" ".join(plain(result["body"]).split()), expected, "body")


LONG = "word " * 200 + "copper " + "more " * 200


@claim("core 6: LenLimiting")
def a_long_body_is_cut_around_the_query(service):
    result = only_result(processed(service, "cut", [item("copper", LONG)], ["LenLimitingResultProcessor"]))
    body = plain(result["body"])
    expect(body.startswith("...") and body.endswith("..."), "no dots around the text", body)
    expect(body.strip(". ").startswith("copper"), "does not begin with the word of the query", body)
    expect(400 < len(body.strip(".")) <= 512, "not cut at 512 characters", len(body))
    equal(result["payload"].get("body_full", "").strip(), LONG.strip(), "payload.body_full")
    expect("title_full" not in result["payload"], "a short title has a full text", result["payload"])


@claim("core 6: LenLimiting")
def a_long_body_without_the_query_keeps_its_beginning(service):
    text = "word " * 300
    result = only_result(processed(service, "cut at end", [item("copper", text)], ["LenLimitingResultProcessor"]))
    expect(result["body"].startswith("word word") and result["body"].endswith("..."), "wrong ends", result["body"])
    expect(480 < len(result["body"]) <= 512, "not cut at 512 characters", len(result["body"]))
    expect(
        not result["body"].removesuffix("...").rstrip().endswith(("wor", "wo", " w")), "a word is cut", result["body"]
    )


@claim("core 6: LenLimiting", rows=[Row("511", (511,)), Row("512", (512,))])
def a_body_within_the_limit_is_unchanged(service, length):
    text = ("a" * 9 + " ") * 60
    text = text[: length - 1] + "z"
    result = only_result(processed(service, f"fits {length}", [item("copper", text)], ["LenLimitingResultProcessor"]))
    equal(result["body"], text)
    expect("body_full" not in result.get("payload", {}), "payload has a full text", result.get("payload"))


@claim("core 6: LenLimiting")
def a_long_title_is_cut_too(service):
    result = only_result(
        processed(service, "cut title", [item(LONG, "", "http://x.example/")], ["LenLimitingResultProcessor"])
    )
    expect(len(plain(result["title"])) <= 520, "title is not cut", len(result["title"]))
    expect(result["payload"]["title_full"].startswith("word word"), "payload.title_full", result["payload"])


@claim("core 6: LenLimiting, tag max_length:N")
def a_tag_sets_the_length(service):
    items, processors = [item("copper", LONG)], ["LenLimitingResultProcessor"]
    result = only_result(processed(service, "cut by tag", items, processors, tags=["max_length:60"]))
    expect(len(plain(result["body"])) <= 66, "not cut at 60 characters", result["body"])
    expect("copper" in result["body"], "without the word of the query", result["body"])


LONG_TEXT = "A long text about the copper roofs of old towers. " * 4
MIDDLE_TEXT = "Copper roofs of old towers by the river and sea"


@claim("core 6: AutomaticPayloadMapper", rows=[
    Row("short text", ({"headline": "Copper wire"}, {"title": "headline: Copper wire"})),
    Row("long text", ({"story": LONG_TEXT}, {"body": f"story: {LONG_TEXT}"})),
    Row(
        "two texts",
        ({"story": LONG_TEXT, "head": MIDDLE_TEXT}, {"title": f"head: {MIDDLE_TEXT}", "body": f"story: {LONG_TEXT}"}),
    ),
    Row(
        "url",
        ({"head": "Copper", "link": "https://a.example/1"}, {"title": "head: Copper", "url": "https://a.example/1"}),
    ),
    Row(
        "date",
        (
            {"head": "Copper", "pub_date": "2021-03-04"},
            {"title": "head: Copper", "date_published": "2021-03-04 00:00:00"},
        ),
    ),
    Row("number", ({"size": 5}, {"title": "size: 5"})),
    Row("fraction", ({"size": 2.5}, {"title": "size: 2.5"})),
    Row("end of a name", ({"page_title": "Copper wire"}, {"title": "Copper wire"})),
    Row("start of a name", ({"body_text": "Copper wire"}, {"body": "Copper wire"})),
    Row("objects are ignored", ({"head": "Copper", "more": {"a": 1}}, {"title": "head: Copper"})),
])  # fmt: skip
def fields_of_unmapped_items_are_found(service, source_item, expected):
    name = "auto " + " ".join(f"{key}{str(value)[:3]}" for key, value in source_item.items())
    processors = ["AutomaticPayloadMapperResultProcessor"]
    result = only_result(processed(service, name, [source_item], processors, result_mappings=""))
    for field, value in expected.items():
        equal(" ".join(plain(result[field]).split()), " ".join(value.split()), field)


@claim("core 6: AutomaticPayloadMapper")
def used_fields_leave_the_payload(service):
    items = [{"head": "Copper", "story": LONG_TEXT, "count": 7, "list": ["a"], "object": {"a": 1}}]
    processors = ["AutomaticPayloadMapperResultProcessor"]
    payload = only_result(processed(service, "auto payload", items, processors, result_mappings=""))["payload"]
    equal(payload, {"count": 7, "list": ["a"]})


@claim("core 6: AutomaticPayloadMapper, MAX_TITLE_LEN")
def a_tag_sets_the_longest_title(service):
    result = only_result(processed(
        service, "auto tag", [{"head": "Copper wire is long"}], ["AutomaticPayloadMapperResultProcessor"],
        result_mappings="", tags=["MAX_TITLE_LEN:10"],
    ))  # fmt: skip
    equal(plain(result["body"]), "head: Copper wire is long")


@claim(
    "core 6: DATASET; interface: result_mappings",
    rows=[Row("with payload", ("DATASET",)), Row("without", ("DATASET,NO_PAYLOAD",))],
)  # fmt: skip
def a_table_becomes_one_result(service, mappings):
    rows = [{"metal": "copper", "tons": 5}, {"metal": "tin", "tons": 7}]
    processors = ["AutomaticPayloadMapperResultProcessor"]
    name = f"table {mappings}"
    result = only_result(processed(service, name, rows, processors, result_mappings=mappings))
    equal(plain(result["title"]), "copper")
    equal(result["payload"]["dataset"], [["metal", "tons"], ["copper", 5], ["tin", 7]])


@claim("core 6: RedactPII (result)", rows=[
    Row("mail", ("Ask anna@example.com about copper", "[EMAIL_ADDRESS]", "anna")),
    Row("person with a title", ("Ask Dr. John Smith about copper", "[PERSON]", "Smith")),
    Row("address of a machine", ("Copper at 192.0.2.17 today", "[IP_ADDRESS]", "192.0.2")),
    Row("card", ("Copper paid with 4111 1111 1111 1111", "[CREDIT_CARD]", "4111")),
    Row("social security", ("Copper of 219-09-9999 sold", "[US_SSN]", "9999")),
])  # fmt: skip
def personal_data_is_replaced_by_its_kind(service, text, kind, secret):
    items = [item(text, text, "http://x.example/", note=text)]
    result = only_result(processed(service, f"pii {kind}", items, ["RedactPIIResultProcessor"]))
    for field, value in [("title", result["title"]), ("body", result["body"]), ("note", result["payload"]["note"])]:
        expect(kind in value and secret not in value, f"{field} is not redacted", value)


@claim("core 6: RedactPII (result)")
def text_without_personal_data_is_unchanged(service):
    items = [item("copper roof", "The roof of 1842 has copper.", note="kept <i>as it is</i>")]
    result = only_result(processed(service, "pii none", items, ["RedactPIIResultProcessor"]))
    equal(plain(result["body"]), "The roof of 1842 has copper.")
    equal(result["payload"]["note"], "kept <i>as it is</i>")


@claim("core 6: RemovePII deletes")
def personal_data_is_deleted_from_queries(service):
    fields = {"query_processors": ["RemovePIIQueryProcessor"]}
    response = processed(service, "pii query", [item("copper")], [], query="copper anna@example.com", **fields)
    equal(response["info"]["pii query"]["query_string_to_provider"].strip(), "copper")


@claim("core 4.8: GenericResultProcessor")
def the_generic_processor_copies_fields_of_the_same_name(service):
    provider = STATE["providers"].create(
        "generic", [{"title": "Copper", "body": "b", "other": 1}, {"url": "http://u.example/", "body": "copper"}],
        result_processors=["GenericResultProcessor"], result_mappings="",
    )  # fmt: skip
    found = sorted(
        service.admin.search("copper", providers=[provider])["results"], key=lambda each: each["searchprovider_rank"]
    )
    equal([plain(each["title"]) for each in found], ["Copper", "http://u.example/"])
    equal([each.get("payload", {}) for each in found], [{}, {}])
    equal(found[0]["date_published"], "unknown")


@claim("core 6: if found is 0 no processors run; core 8.3")
def without_results_no_processor_runs(service):
    response = processed(service, "none found", [], ["CleanTextResultProcessor"])
    equal(len(messages_with(response, "Retrieved 0 of 0 results from: none found")), 1)
    equal(messages_with(response, "ResultProcessor updated"), [])


@claim("core 6; quirks, Records", rows=[Row(name, (name,)) for name in [
    "FetchURLForBodyResultProcessor", "DuplicateHalfResultProcessor", "TestResultProcessor", "mappingresultprocessor",
    "DropIrrelevantPostResultProcessor", "AdaptiveQueryProcessor", "",
]])  # fmt: skip
def unknown_result_processors_are_refused_when_saved(service, processor):
    record = {
        "name": f"unknown {processor}", "connector": "RequestsGet", "url": "http://x.example/",
        "result_processors": [processor],
    }  # fmt: skip
    problem = service.admin.post("/svc/searchproviders/", record).expect(400).json()
    equal(list(problem["errors"]), ["result_processors"])


@claim("interface: Result, date_retrieved; quirks, Dates")
def results_say_when_they_were_retrieved(service):
    value = only_result(processed(service, "retrieved", [item("copper")], []))["date_retrieved"]
    utc = datetime.timezone.utc
    age = datetime.datetime.now(utc) - datetime.datetime.fromisoformat(value).replace(tzinfo=utc)
    expect(abs(age.total_seconds()) < 60, "not a time in UTC", value)


@claim("core 6: all return a count; core 8.3")
def every_processor_writes_its_line(service):
    response = processed(service, "lines", [item("copper a"), item("copper b")], ["CosineRelevancyResultProcessor"])
    for processor in ["MappingResultProcessor", "CosineRelevancyResultProcessor"]:
        equal(len(messages_with(response, f"{processor} updated 2 results from: lines")), 1, processor)
