"""Result mappings: every form of them, what goes to the payload, dates, blocks and datasets."""

from harness import Reply, claim, equal, expect
from harness.sample import SampleSource, only_result, rows

source = SampleSource()
PLAIN = ["MappingResultProcessor"]


def prepare(service):
    source.__enter__()


def finish():
    source.__exit__()


count = iter(range(100_000))


def mapped(service, item, mappings, **fields):
    """The only result of a source with this item. Words of the query, copper, would be highlighted in its texts."""
    record = source.provider(
        service, f"Mapped {next(count)}", [item], result_mappings=mappings, **{"result_processors": PLAIN, **fields}
    )
    return only_result(service.admin.search("copper", providers=[record["id"]]))


def check(result, expected):
    for name, value in expected.items():
        equal(result.get(name), value, name)


@claim("interface: result_mappings; core 4.3; quirks: Result mappings", rows=rows(
    ("a field", {"t": "A", "u": "http://a/"}, "title=t,url=u", {"title": "A", "url": "http://a/"}),
    ("every standard field", {"a": "A", "b": "B", "c": "http://c/", "d": "D"}, "title=a,body=b,url=c,author=d",
     {"title": "A", "body": "B", "url": "http://c/", "author": "D"}),
    ("a path", {"a": {"b": {"c": "C"}}}, "title=a.b.c", {"title": "C"}),
    ("an index", {"a": ["x", "y"]}, "title=a[0]", {"title": "x"}),
    ("a negative index", {"a": ["x", "y"]}, "title=a[-1]", {"title": "y"}),
    ("an index out of range", {"a": ["x"], "u": "http://u/"}, "title=a[3],url=u", {"title": "http://u/"}),
    ("a quoted name", {"og:title": "T"}, "title=['og:title']", {"title": "T"}),
    ("a name with signs", {"@id": "T", "b-c_d": "B"}, "title=@id,body=b-c_d", {"title": "T", "body": "B"}),
    ("a space after the sign", {"t": "T"}, "title= t", {"title": "T"}),
    ("aggregated", {"p": [{"n": "Ann"}, {"n": "Bob"}], "t": "T"}, "title=t,author=p[*].n", {"author": "Ann Bob"}),
    ("aggregated one", {"p": [{"n": "Ann"}], "t": "T"}, "title=t,author=p[*].n", {"author": "Ann"}),
    ("aggregated texts", {"p": ["a", "b", "c"], "t": "T"}, "title=t,body=p[*]", {"body": "a b c"}),
    ("all of a single value", {"p": "a", "t": "T"}, "title=t,body=p[*]", {"body": "a"}),
    ("a whole list", {"p": ["a", "b"], "t": "T"}, "title=t,body=p", {"body": "a b"}),
    ("a number", {"t": 5}, "title=t", {"title": "5"}), ("a fraction", {"t": 1.5}, "title=t", {"title": "1.5"}),
    ("true", {"t": True}, "title=t", {"title": "true"}),
    ("null is no value", {"t": None, "u": "http://u/"}, "title=t,url=u", {"title": "http://u/"}),
    ("a missing field", {"u": "http://u/"}, "title=t,url=u", {"title": "http://u/", "body": ""}),
    ("no title, no url", {"a": "Ann"}, "author=a", {"title": "Ann"}),
    ("LC_URL", {"u": "HTTP://A.example/B", "t": "T"}, "title=t,url=u,LC_URL", {"url": "http://a.example/b"}),
    ("without LC_URL", {"u": "http://a.example/B", "t": "T"}, "title=t,url=u", {"url": "http://a.example/B"}),
))  # fmt: skip
def a_mapping_fills_fields(service, item, mappings, expected):
    check(mapped(service, item, mappings), expected)


ALTERNATIVES = "title=t,body=content|description,NO_PAYLOAD"


@claim("interface: result_mappings, alternatives; core 4.4, worked example", rows=rows(
    ("both", {"t": "T", "content": "C", "description": "D"}, "C", {"body_description": "D"}),
    ("only the first", {"t": "T", "content": "C"}, "C", {}),
    ("only the second", {"t": "T", "description": "D"}, "D", {}),
    ("first empty", {"t": "T", "content": "", "description": "D"}, "D", {}),
    ("first null", {"t": "T", "content": None, "description": "D"}, "D", {}), ("none", {"t": "T"}, "", {}),
))  # fmt: skip
def the_first_populated_alternative_is_mapped(service, item, body, payload):
    check(mapped(service, item, ALTERNATIVES), {"body": body, "payload": payload})


@claim("core 4.4")
def a_third_alternative_goes_to_the_payload_too(service):
    result = mapped(service, {"t": "T", "a": "A", "b": "B", "c": "C"}, "title=t,body=a|b|c,NO_PAYLOAD")
    check(result, {"body": "A", "payload": {"body_b": "B", "body_c": "C"}})


@claim("interface: result_mappings, templates; core 4.5", rows=rows(
    ("one value", {"id": 7}, "title='Report {id}'", {"title": "Report 7"}),
    ("two values", {"a": "x", "b": "y"}, "title='{a}-{b}'", {"title": "x-y"}),
    ("an address", {"id": 7, "t": "T"}, "title=t,url='http://a.example/{id}/view'", {"url": "http://a.example/7/view"}),
    ("a path", {"a": {"b": "C"}}, "title='[{a.b}]'", {"title": "[C]"}),
    ("a missing value", {"a": "x"}, "title='{a}{none}!'", {"title": "x!"}),
    ("several values", {"p": ["a", "b"]}, "title='{p[*]}'", {"title": "a b"}),
    ("a comma", {"a": "x", "b": "y"}, "title='{a}, {b}'", {"title": "x, y"}),
    ("over an earlier value", {"a": "x", "b": "y"}, "title=a,title='{b}'", {"title": "y"}),
    ("sw_urlencode inside", {"a": "x y&z"}, "title=a,url='http://a/{sw_urlencode(a)}'", {"url": "http://a/x%20y%26z"}),
))  # fmt: skip
def a_template_builds_a_text(service, item, mappings, expected):
    check(mapped(service, item, mappings), expected)


@claim("interface: sw_urlencode; core 4.5", rows=rows(
    ("space", "a b", "a%20b"), ("slash", "a/b", "a%2Fb"), ("kept", "a_b.c-d~e", "a_b.c-d~e"), ("umlaut", "ü", "%C3%BC"),
    ("plus", "a+b", "a%2Bb"), ("percent", "100%", "100%25"), ("quote", '"', "%22"),
))  # fmt: skip
def sw_urlencode_encodes(service, value, expected):
    equal(mapped(service, {"a": value, "t": "T"}, "title=t,author=sw_urlencode(a)")["author"], expected)


@claim("interface: sw_btcconvert; core 4.5", rows=rows(
    ("one bitcoin", "100000000", "1"), ("a part", "150000000", "1.5"), ("tiny", "10", "1E-7"),
    ("number", 250000000, "2.5"),
    ("not a number", "abc", ""), ("zero", "0", "0"),
))  # fmt: skip
def sw_btcconvert_converts_satoshi(service, value, expected):
    equal(mapped(service, {"a": value, "t": "T"}, "title=t,author=sw_btcconvert(a)")["author"], expected)


FULL = {"t": "T", "extra": "E", "number": 5, "flag": False, "list": ["a", "b"], "object": {"x": 1}, "nothing": None}


@claim("interface: payload; decisions 7.2; core 4.7", rows=rows(
    ("text", "extra", "E"), ("number", "number", 5), ("list", "list", ["a", "b"]), ("object", "object", {"x": 1}),
    ("mapped field", "t", None),
))  # fmt: skip
def unmapped_fields_are_in_the_payload_and_mapped_ones_are_not(service, name, value):
    equal(mapped(service, FULL, "title=t")["payload"].get(name), value, name)


@claim("interface: NO_PAYLOAD", rows=rows(
    ("nothing", "title=t,NO_PAYLOAD", {}), ("a field that is copied", "title=t,extra,NO_PAYLOAD", {"extra": "E"}),
    ("two fields", "title=t,extra,number,NO_PAYLOAD", {"extra": "E", "number": 5}),
    ("a path", "title=t,object.x,NO_PAYLOAD", {"object.x": 1}), ("a name of its own", "title=t,mine=extra,NO_PAYLOAD",
     {"mine": "E"}),
))  # fmt: skip
def without_payload_only_named_fields_are_copied(service, mappings, payload):
    equal(mapped(service, FULL, mappings)["payload"], payload)


@claim("core 4.2; quirks: Result mappings", rows=rows(
    ("a name in capitals", {"t": "T", "isbn": "1"}, "title=t,ISBN=isbn,NO_PAYLOAD", {"ISBN": "1"}),
    ("a command inside a name", {"t": "T", "NO_PAYLOAD_x": "1"}, "title=t,mine=NO_PAYLOAD_x", {"mine": "1"}),
))  # fmt: skip
def commands_are_whole_pieces(service, item, mappings, payload):
    equal(mapped(service, item, mappings)["payload"], payload)


DATES = [
    ("day", "2021-03-04", "2021-03-04 00:00:00"), ("instant", "2021-03-04T05:06:07Z", "2021-03-04 05:06:07+00:00"),
    ("offset", "2021-03-04T05:06:07+02:00", "2021-03-04 05:06:07+02:00"), ("year", "2021", "2021-01-01 00:00:00"),
    ("mail", "Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05 10:00:00+00:00"),
    ("compact", "20210304", "2021-03-04 00:00:00"),
    ("seconds", 1700000000, "2023-11-14 22:13:20+00:00"), ("milliseconds", 1700000000000, "2023-11-14 22:13:20+00:00"),
    ("month first", "3/4/2021", "2021-03-04 00:00:00"), ("dots, month first", "04.03.2021", "2021-04-03 00:00:00"),
    ("month", "March 2020", "2020-03-01 00:00:00"), ("compact month", "202103", "2021-03-01 00:00:00"),
    ("no date", "Spring 2022", "Spring 2022"), ("missing", None, "unknown"), ("empty", "", "unknown"),
]  # fmt: skip


@claim("interface: Result, date_published; core 4.6; quirks: Dates", rows=rows(*DATES))
def a_date_is_normalized(service, value, expected):
    equal(mapped(service, {"t": "T", "d": value}, "title=t,date_published=d")["date_published"], expected)


@claim("interface: date_published_display")
def value_and_display_form_are_separate(service):
    item = {"t": "T", "d": "2021-03-04", "s": "4th of March"}
    result = mapped(service, item, "title=t,date_published=d,date_published_display=s")
    check(result, {"date_published": "2021-03-04 00:00:00", "date_published_display": "4th of March"})


@claim("interface: title_hit_highlights, body_hit_highlights", rows=rows(
    ("title", "title_hit_highlights", ["a <em>copper</em> b"]), ("body", "body_hit_highlights", ["x", "y <em>z</em>"]),
))  # fmt: skip
def highlights_of_the_source_are_kept(service, field, value):
    equal(mapped(service, {"t": "T", "h": value}, f"title=t,{field}=h[*]")[field], value)


@claim("core 4.7; quirks: Result mappings", rows=rows(
    ("title", {"title": "S", "m": "M"}, "body=m", "title", "S"), ("a null title", {"title": None, "u": "http://u/"},
     "url=u", "title", "http://u/"), ("a score", {"t": "T", "swirl_score": 9999}, "title=t", "swirl_score", 0.0),
    ("a provider", {"t": "T", "swirl_rank": 77}, "title=t", "swirl_rank", 1),
    ("a date", {"t": "T", "date_published": "2021"}, "title=t", "date_published", "2021-01-01 00:00:00"),
))  # fmt: skip
def unmapped_fields_with_names_of_results(service, item, mappings, field, value):
    equal(mapped(service, item, mappings)[field], value)


@claim("quirks: Result mappings", rows=rows(
    ("javascript", "javascript:alert(1)"), ("mixed case", "JavaScript:alert(1)"), ("data", "data:text/html,<script>"),
    ("with a tab", "java\tscript:alert(1)"), ("leading space", " javascript:alert(1)"), ("vbscript", "vbscript:x"),
))  # fmt: skip
def an_address_that_runs_code_is_removed(service, url):
    equal(mapped(service, {"t": "T", "u": url}, "title=t,url=u,NO_PAYLOAD")["url"], "")


@claim("quirks: Result mappings")
def a_title_is_cut_at_1000_characters(service):
    for title in ["x" * 5000, "word " * 5000, "ä" * 1001]:
        shown = mapped(service, {"t": title}, "title=t,NO_PAYLOAD")["title"]
        expect(990 <= len(shown) <= 1001 and shown[:900] == title[:900], "another length", len(shown))
    equal(mapped(service, {"t": "ä" * 1000}, "title=t,NO_PAYLOAD")["title"], "ä" * 1000)


@claim("interface: BLOCK")
def results_of_a_block_are_outside_the_list(service):
    items = [{"t": f"T{n}"} for n in range(2)]
    record = source.provider(service, "Facts", items, result_mappings="title=t,BLOCK=facts")
    answer = service.admin.search("copper", providers=[record["id"]])
    equal((answer["results"], [result["title"] for result in answer["facts"]]), ([], ["T0", "T1"]))
    expect("facts" in answer["info"]["results"]["result_blocks"], "it is not named", answer["info"]["results"])
    equal(answer["info"]["results"]["result_blocks"][0], "ai_summary")


@claim("interface: FILE_SYSTEM")
def a_file_system_weighs_the_body_like_a_title(service):
    item = {"t": "Quarterly numbers", "b": "The copper price of today", "u": "http://a/"}
    scores = []
    for command in ["", ",FILE_SYSTEM"]:
        mappings = "title=t,body=b,url=u,NO_PAYLOAD" + command
        processors = [*PLAIN, "CosineRelevancyResultProcessor"]
        scores.append(mapped(service, item, mappings, result_processors=processors)["swirl_score"])
    expect(scores[1] > scores[0] > 0, "the weight of the body did not rise", scores)
    expect(abs(scores[1] / scores[0] - 1.5) < 0.01, "it is not the weight of a title", scores)


DATA = [{"city": "A", "year": "2020", "n": 1}, {"city": "B", "year": "2021", "n": 2}]


@claim("interface: DATASET; core 6; quirks: Result mappings", rows=rows(
    ("alone", "DATASET"), ("with NO_PAYLOAD", "DATASET,NO_PAYLOAD"), ("with fields", "city,year,n,DATASET,NO_PAYLOAD"),
))  # fmt: skip
def a_dataset_is_one_result(service, mappings):
    processors = ["MappingResultProcessor", "AutomaticPayloadMapperResultProcessor", "CosineRelevancyResultProcessor"]
    name = f"Data {mappings}"
    record = source.provider(service, name, DATA, result_mappings=mappings, result_processors=processors)
    result = only_result(service.admin.search("cities", providers=[record["id"]]))
    dataset = result["payload"]["dataset"]
    equal(len(dataset), 3, "one header and a row for each item")
    equal(sorted(dataset[0]), ["city", "n", "year"])
    for row, item in zip(dataset[1:], DATA, strict=True):
        actual = dict(zip(dataset[0], map(str, row), strict=True))
        equal(actual, {name: str(value) for name, value in item.items()})


@claim("interface: HTML of sources; decisions 6")
def markup_of_a_source_is_no_markup_of_a_result(service):
    item = {"t": "<b>copper</b> <img src=x onerror=alert(1)>", "b": "<script>alert(1)</script>copper", "u": "http://a/"}
    processors = [*PLAIN, "CosineRelevancyResultProcessor"]
    result = mapped(service, item, "title=t,body=b,url=u,NO_PAYLOAD", result_processors=processors)
    for field in ["title", "body"]:
        expect("<em>copper</em>" in result[field], f"no highlight in {field}", result[field])
        for sign in ["<script", "<img", "<b>"]:
            expect(sign not in result[field], f"{sign} is in {field}", result[field])


@claim("interface: What the service does 1")
def an_invalid_item_spoils_no_other(service):
    response = {"items": [{"t": "First"}, None, "text", 5, {"t": "Last"}]}
    record = source.provider(service, "Mixed items", Reply(response), result_mappings="title=t")
    answer = service.admin.search("copper", providers=[record["id"]])
    names = [result["title"] for result in answer["results"]]
    expect({"First", "Last"} <= set(names), "results are missing", [names, answer["messages"]])
