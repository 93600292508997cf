"""How fields of a source become fields and payload of a result."""

import json

from harness import Row, claim, equal, expect
from harness.one_provider import ask, items, refused

MAPPED = ["MappingResultProcessor"]


def mapped(service, mappings, *source_items, query="zinc", **fields):
    asked = ask(service, query, respond={"items": list(source_items)}, result_mappings=mappings,
                **{"result_processors": MAPPED, **fields})  # fmt: skip
    equal(asked.status, "ok", str(asked.info.get("error")))
    return asked


def has(result, expected, payload):
    equal({name: result[name] for name in expected}, expected)
    equal(result["payload"], payload, "payload")


@claim("core 4.1 and interface, Result: values of a result that has only a title")
def fields_without_values_have_their_types(service):
    asked = mapped(service, "title=t", {"t": "Entry"}, {"t": "Other"})
    has(asked.first, {
        "title": "Entry", "body": "", "url": "", "author": "", "date_published": "unknown", "date_published_display": "",
        "searchprovider": asked.provider["name"], "searchprovider_rank": 1,
    }, {})  # fmt: skip
    equal([each["searchprovider_rank"] for each in asked.results], [1, 2])
    for name, kind in [("swirl_rank", int), ("swirl_id", int), ("swirl_score", (int, float)), ("swirl_confidence_score", (int, float)),
                       ("date_retrieved", str)]:  # fmt: skip
        expect(isinstance(asked.first[name], kind), name, asked.first)


@claim("core 4.3, text of values, with the differences of quirks", rows=[
    Row("text", ("x", "x")), Row("integer", (5, "5")), Row("fraction", (1.5, "1.5")), Row("true", (True, "true")), Row("false", (False, "false")),
    Row("null", (None, "")), Row("list", (["a", "b"], "a b")), Row("list of one", (["a"], "a")), Row("empty list", ([], "")),
    Row("list with null", (["a", None, "b"], "a b")), Row("list of numbers", ([1, 2.5], "1 2.5")), Row("empty text", ("", "")),
    Row("zero", (0, "0")), Row("large integer", (2**62, str(2**62))), Row("other scripts", ("ü 北 🎸", "ü 北 🎸")),
])  # fmt: skip
def values_become_text(service, value, expected):
    result = mapped(service, "title=t,author=v,NO_PAYLOAD", {"t": "Entry", "v": value}).first
    has(result, {"author": expected}, {})


@claim("core 4.3, with the difference of quirks: an object is JSON")
def an_object_becomes_json(service):
    result = mapped(service, "title=t,author=v,NO_PAYLOAD", {"t": "Entry", "v": {"x": 1, "y": ["a"]}}).first
    equal(json.loads(result["author"]), {"x": 1, "y": ["a"]})


@claim("core 4.3, native types in payload", rows=[Row(json.dumps(each), (each,)) for each in
       [5, 1.5, True, False, "5", ["a", 1], {"x": {"y": None}}, 0, 2**53 + 1]])  # fmt: skip
def payload_keeps_types(service, value):
    equal(mapped(service, "title=t,k=v", {"t": "Entry", "v": value, "w": value}).first["payload"], {"k": value, "w": value})


E1 = {"content": "C", "description": "D"}


@claim("core 4.3 and 4.4, with the differences of quirks", rows=[
    Row("worked example", ("title='T',body=content|description,NO_PAYLOAD", E1, {"body": "C"}, {"body_description": "D"})),
    Row("first is null", ("title='T',body=content|description", {"content": None, "description": "D"}, {"body": "D"}, {})),
    Row("first is empty", ("title='T',body=content|description", {"content": "", "description": "D"}, {"body": "D"}, {})),
    Row("first is missing", ("title='T',body=content|description", {"description": "D"}, {"body": "D"}, {})),
    Row("none", ("title='T',body=content|description", {"x": 1}, {"body": ""}, {"x": 1})),
    Row("three", ("title='T',body=a|b|c,NO_PAYLOAD", {"a": "A", "b": "B", "c": "C"}, {"body": "A"}, {"body_b": "B", "body_c": "C"})),
    Row("three, first missing", ("title='T',body=a|b|c,NO_PAYLOAD", {"b": "B", "c": "C"}, {"body": "B"}, {"body_c": "C"})),
    Row("two mappings of one key", ("title=t,title=u,NO_PAYLOAD", {"t": "A", "u": "B"}, {"title": "A"}, {"title_u": "B"})),
    Row("alternative with a path", ("title='T',body=a|b.c,NO_PAYLOAD", {"a": "A", "b": {"c": "C"}}, {"body": "A"}, {"body_b.c": "C"})),
    Row("several matches are joined", ("title='T',author=a[*].n,NO_PAYLOAD", {"a": [{"n": "x"}, {"n": "y"}]}, {"author": "x y"}, {})),
    Row("several matches come later", ("title='T',author=b|a[*].n,NO_PAYLOAD", {"b": "B", "a": [{"n": "x"}, {"n": "y"}]}, {"author": "B"}, None)),
    Row("mapped fields are not repeated", ("title=t,body=b", {"t": "T", "b": "B", "x": 1}, {"title": "T", "body": "B"}, {"x": 1})),
    Row("bare name with NO_PAYLOAD", ("title=t,x,NO_PAYLOAD", {"t": "T", "x": 1, "y": 2}, {"title": "T"}, {"x": 1})),
    Row("bare path", ("title=t,a.b,NO_PAYLOAD", {"t": "T", "a": {"b": 1}}, {"title": "T"}, {"a.b": 1})),
    Row("bare path of several", ("title=t,people[*].n,NO_PAYLOAD", {"t": "T", "people": [{"n": "x"}, {"n": "y"}]}, {}, {"people[*].n": ["x", "y"]})),
    Row("bare quoted path", ("title=t,['a:b'][*].['#text'],NO_PAYLOAD", {"t": "T", "a:b": {"#text": "x"}}, {}, {"['a:b'][*].['#text']": "x"})),
    Row("name of its own", ("title=t,price=p,NO_PAYLOAD", {"t": "T", "p": 5}, {"title": "T"}, {"price": 5})),
    Row("name in capitals", ("title=t,ISBN=i,NO_PAYLOAD", {"t": "T", "i": "978"}, {"title": "T"}, {"ISBN": "978"})),
    Row("quoted name in capitals", ("title=t,['WORD'],NO_PAYLOAD", {"t": "T", "WORD": "x"}, {"title": "T"}, None)),
    Row("bare name that is missing", ("title=t,x,NO_PAYLOAD", {"t": "T"}, {"title": "T"}, {})),
    Row("bare name that is null", ("title=t,x,NO_PAYLOAD", {"t": "T", "x": None}, {"title": "T"}, {})),
    Row("bare name that is empty", ("title=t,x,NO_PAYLOAD", {"t": "T", "x": ""}, {"title": "T"}, {})),
    Row("NO_PAYLOAD", ("title=t,NO_PAYLOAD", {"t": "T", "x": 1, "y": {"z": 2}}, {"title": "T"}, {})),
    Row("NO_PAYLOAD only as a piece", ("title=t,author=my_NO_PAYLOAD_x", {"t": "T", "my_NO_PAYLOAD_x": "A", "x": 1}, {"author": "A"}, {"x": 1})),
    Row("spaces around pieces", (" title=t , body= b ,NO_PAYLOAD", {"t": "T", "b": "B"}, {"title": "T", "body": "B"}, {})),
    Row("equals sign in a quoted name", ("title=['a=b'],NO_PAYLOAD", {"a=b": "T"}, {"title": "T"}, {})),
])  # fmt: skip
def mappings_fill_fields_and_payload(service, mappings, item, expected, payload):
    result = mapped(service, mappings, item).first
    has(result, expected, result["payload"] if payload is None else payload)


@claim("core 4.5, with the differences of quirks", rows=[
    Row("address", ("url='https://x.example/{id}/v'", {"id": 7}, {"url": "https://x.example/7/v"})),
    Row("several variables", ("title='{a} and {b.c}'", {"a": "A", "b": {"c": "C"}}, {"title": "A and C"})),
    Row("comma", ("title='{a}, {b}'", {"a": "A", "b": "B"}, {"title": "A, B"})),
    Row("missing value", ("title='[{a}]{z}.'", {"a": "A"}, {"title": "[A]."})),
    Row("null value", ("title='x{a}y'", {"a": None}, {"title": "xy"})),
    Row("several matches", ("title='{a[*].n}!'", {"a": [{"n": "x"}, {"n": "y"}]}, {"title": "x y!"})),
    Row("unclosed brace", ("title='{a} {b'", {"a": "A", "b": "B"}, {"title": "A {b"})),
    Row("template overwrites", ("title=t,title='New {a}'", {"t": "Old", "a": "A"}, {"title": "New A"})),
    Row("constant", ("author='Somebody'", {"a": 1}, {"author": "Somebody"})),
    Row("value with braces", ("title='{a}-{b}'", {"a": "{b}", "b": "B"}, {"title": "{b}-B"})),
    Row("quoted name inside", ("title='{['og:x']}'", {"og:x": "A"}, {"title": "A"})),
    Row("equals sign", ("url='https://x.example/?a={a}&b=2'", {"a": 1}, {"url": "https://x.example/?a=1&b=2"})),
    Row("function", ("url='https://x.example/{sw_urlencode(a)}'", {"a": "b c/ü"}, {"url": "https://x.example/b%20c%2F%C3%BC"})),
])  # fmt: skip
def templates_build_texts(service, mappings, item, expected):
    if "title" not in mappings:
        mappings = "title='T'," + mappings
    result = mapped(service, mappings + ",NO_PAYLOAD", item).first
    has(result, expected, result["payload"])


@claim("quirks: a template with a name of its own is kept in payload")
def a_template_of_an_own_name_is_in_payload(service):
    has(mapped(service, "title=t,label='No. {n}',NO_PAYLOAD", {"t": "T", "n": 7}).first, {"title": "T"}, {"label": "No. 7"})


@claim("quirks: fields that only a template uses stay in payload")
def fields_of_templates_stay_in_payload(service):
    has(mapped(service, "title=t,url='https://x.example/{id}'", {"t": "T", "id": 7}).first, {"url": "https://x.example/7"}, {"id": 7})


@claim("core 4.5: sw_urlencode", rows=[
    Row("space", ("a b", "a%20b")), Row("unreserved", ("Az09_.-~", "Az09_.-~")), Row("reserved", ("a/b?c&d=e#f", "a%2Fb%3Fc%26d%3De%23f")),
    Row("UTF-8", ("ü北", "%C3%BC%E5%8C%97")), Row("percent", ("5%", "5%25")), Row("plus", ("a+b", "a%2Bb")), Row("number", (7, "7")),
    Row("quotation marks", ("\"'", "%22%27")), Row("other marks", ("!*()@:,;", "%21%2A%28%29%40%3A%2C%3B")),
])  # fmt: skip
def sw_urlencode_encodes(service, value, expected):
    equal(mapped(service, "title=t,author=sw_urlencode(v),NO_PAYLOAD", {"t": "T", "v": value}).first["author"], expected)


@claim("core 4.5: sw_btcconvert, with the difference of quirks: other texts are no value", rows=[
    Row("whole", ("100000000", "1")), Row("fraction", ("150000000", "1.5")), Row("all digits", ("123456789", "1.23456789")),
    Row("tiny", ("10", "1E-7")), Row("number", (250000000, "2.5")), Row("characters", ("12a", "")), Row("sign", ("-5", "")),
    Row("fraction as input", ("1.5", "")), Row("empty", ("", "")), Row("one", ("1", "1E-8")), Row("small", ("1000", "0.00001")),
])  # fmt: skip
def sw_btcconvert_divides(service, value, expected):
    equal(mapped(service, "title=t,author=sw_btcconvert(v),NO_PAYLOAD", {"t": "T", "v": value}).first["author"], expected)


@claim("core 4.5: functions apply to each match")
def functions_apply_to_each_match(service):
    item = {"t": "T", "a": [{"n": "x y"}, {"n": "z/w"}]}
    equal(mapped(service, "title=t,author=sw_urlencode(a[*].n),NO_PAYLOAD", item).first["author"], "x%20y z%2Fw")


@claim("core 4.7, with the differences of quirks", rows=[
    Row("field of the same name", ("title=t", {"t": "T", "author": "Anna", "x": 1}, {"author": "Anna"}, {"x": 1})),
    Row("also with NO_PAYLOAD", ("title=t,NO_PAYLOAD", {"t": "T", "author": "Anna", "x": 1}, {"author": "Anna"}, {})),
    Row("mapped field is stronger", ("title=t,NO_PAYLOAD", {"t": "T", "title": "Other"}, {"title": "T"}, {})),
    Row("null title", ("body=b", {"b": "B", "title": None, "url": "https://x.example/"}, {"body": "B", "title": "https://x.example/"}, {})),
    Row("null in payload", ("title=t", {"t": "T", "x": None, "y": 0}, {}, {"y": 0})),
    Row("score cannot be set", ("title=t,NO_PAYLOAD", {"t": "T", "swirl_rank": 77}, {"swirl_rank": 1}, None)),
    Row("rank at the source cannot be set", ("title=t,NO_PAYLOAD", {"t": "T", "searchprovider_rank": 77}, {"searchprovider_rank": 1}, None)),
    Row("object with a field's name", ("title=t,NO_PAYLOAD", {"t": "T", "payload": {"a": 1}}, {"title": "T"}, None)),
])  # fmt: skip
def fields_left_over(service, mappings, item, expected, payload):
    result = mapped(service, mappings, item).first
    has(result, expected, result["payload"] if payload is None else payload)


@claim("quirks: scores and the name of the provider cannot be set", rows=[
    Row("left over", ("title=t",)), Row("mapped", ("title=t,swirl_score=swirl_score,searchprovider=searchprovider",)),
])  # fmt: skip
def a_source_cannot_score_itself(service, mappings):
    item = {"t": "Entry", "swirl_score": 99999, "swirl_confidence_score": 99, "searchprovider": "Forged", "date_retrieved": "1999", "swirl_id": 1, "new": 1}
    answer = refused(service, result_mappings=mappings)
    if "swirl" in mappings and answer.status == 400:
        return
    asked = mapped(service, mappings, item)
    expect(asked.first["swirl_score"] < 9999 and asked.first["swirl_confidence_score"] <= 1, "scores itself", asked.first)
    equal(asked.first["searchprovider"], asked.provider["name"])
    expect(not asked.first["date_retrieved"].startswith("1999"), "sets its date", asked.first)


@claim("core 4.8, with the differences of quirks", rows=[
    Row("empty title is the url", ("url=u,NO_PAYLOAD", {"u": "https://x.example/a"}, {"title": "https://x.example/a"})),
    Row("empty title is the author", ("author=a,NO_PAYLOAD", {"a": "Anna"}, {"title": "Anna"})),
    Row("url before author", ("url=u,author=a,NO_PAYLOAD", {"u": "https://x.example/a", "a": "Anna"}, {"title": "https://x.example/a"})),
    Row("matched_term", ("title=t,NO_PAYLOAD", {"t": "A <matched_term>good</matched_term> title"}, {"title": "A good title"})),
    Row("LC_URL", ("title=t,url=u,LC_URL,NO_PAYLOAD", {"t": "T", "u": "HTTPS://X.example/ABC"}, {"url": "https://x.example/abc"})),
    Row("case without LC_URL", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "https://x.example/ABC"}, {"url": "https://x.example/ABC"})),
    Row("LC_URL only as a piece", ("title=t,url=u,author=XLC_URLX,NO_PAYLOAD", {"t": "T", "u": "https://x.example/ABC"}, {"url": "https://x.example/ABC"})),
    Row("script address", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "javascript:alert(1)"}, {"url": ""})),
    Row("script address with a tab", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": " java\tscript:alert(1)"}, {"url": ""})),
    Row("script address in capitals", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "JaVaScRiPt:alert(1)"}, {"url": ""})),
    Row("data address", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "data:text/html,<script>"}, {"url": ""})),
    Row("vbscript address", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "vbscript:x"}, {"url": ""})),
    Row("mail address", ("title=t,url=u,NO_PAYLOAD", {"t": "T", "u": "mailto:a@x.example"}, {"url": "mailto:a@x.example"})),
])  # fmt: skip
def results_are_finished(service, mappings, item, expected):
    result = mapped(service, mappings, item).first
    has(result, expected, {})


@claim("quirks: titles are cut at 1,000 characters")
def long_titles_are_cut(service):
    equal(mapped(service, "title=t,NO_PAYLOAD", {"t": "a" * 1000}).first["title"], "a" * 1000)
    long = mapped(service, "title=t,NO_PAYLOAD", {"t": "ü" * 352144}).first["title"]
    expect(len(long) <= 1001 and long.startswith("ü" * 900), "not cut", len(long))


@claim("core 4.1: no more than results_per_query items")
def items_end_at_results_per_query(service):
    asked = mapped(service, "title=title", *items(20), results_per_query=7)
    equal([each["searchprovider_rank"] for each in asked.results], [1, 2, 3, 4, 5, 6, 7])


@claim("core 4.3: lists of highlights")
def highlights_of_the_source_are_copied(service):
    item = {"t": "T", "h": ["a <em>word</em>", "b"], "b": ["c"]}
    result = mapped(service, "title=t,title_hit_highlights=h,body_hit_highlights=b,NO_PAYLOAD", item).first
    has(result, {"title_hit_highlights": ["a <em>word</em>", "b"], "body_hit_highlights": ["c"]}, {})


@claim("interface, BLOCK; quirks: in the block, not in the list")
def block_puts_results_into_a_block(service):
    asked = mapped(service, "title=t,BLOCK=side_notes", {"t": "A"}, {"t": "B"})
    equal(asked.response["results"], [])
    equal([each["title"] for each in asked.response["side_notes"]], ["A", "B"])
    expect("side_notes" in asked.response["info"]["results"]["result_blocks"], "not named", asked.response["info"]["results"])


@claim("interface, DATASET; quirks: one header, the first item carries it")
def dataset_makes_one_result(service):
    rows = [{"city": "Bern", "people": 134}, {"city": "Basel", "people": 178}]
    asked = mapped(service, "DATASET,city,people", *rows, query="cities")
    equal(len(asked.results), 1)
    equal((asked.first["title"], asked.first["searchprovider_rank"]), ("<em>cities</em>", 1))
    equal(asked.first["payload"]["dataset"], [["city", "people"], ["Bern", 134], ["Basel", 178]])


@claim("core 4.8: GenericResultProcessor")
def generic_takes_fields_of_the_same_name(service):
    item = {"title": "T", "body": "B", "url": "https://x.example/", "author": "A", "extra": 1}
    result = mapped(service, "title=extra", item, result_processors=["GenericResultProcessor"]).first
    has(result, {"title": "T", "body": "B", "url": "https://x.example/", "author": "A", "date_published": "unknown"}, {})


@claim("quirks: mappings that can never work are refused", rows=[Row(each, (each,)) for each in [
    "title=t,NOPAYLOAD", "title=t,FILESYSTEM", "title='{a", "title=sw_nosuch(a)", "title=sw_urlencode(a", "title=a..b", "=t", "title='{a b}'",
]])  # fmt: skip
def mappings_that_can_never_work_are_refused(service, mappings):
    answer = refused(service, result_mappings=mappings).expect(400).json()
    expect("result_mappings" in (answer.get("errors") or {}), "the field is not named", answer)
