"""Responses of sources: status, format, tables, counts, and failures with status 200."""

import json

from harness import Reply, Row, claim, equal, expect
from harness.one_provider import ask, items, refused

MAPPED = ["MappingResultProcessor"]


def typed(body, kind, status=200):
    return Reply(body if isinstance(body, (bytes, str)) else json.dumps(body), status, {"Content-Type": kind})


@claim("core 3.8, with the difference of quirks: every 2xx is a success", rows=[
    Row(str(status), (status,)) for status in (200, 201, 202, 203, 206)
])  # fmt: skip
def every_2xx_is_a_success(service, status):
    asked = ask(service, respond=Reply({"items": items(2)}, status))
    equal((asked.status, asked.info["retrieved"]), ("ok", 2))


@claim("core 3.8: other statuses; decisions 3.7 and 3.8", rows=[Row(str(status), (status,)) for status in
       (300, 304, 400, 401, 402, 403, 404, 405, 406, 410, 415, 418, 422, 451, 500, 501, 502, 503, 599)])  # fmt: skip
def other_statuses_are_errors(service, status):
    asked = ask(service, respond=Reply({"items": items(2)}, status))
    equal((asked.status, asked.info["found"], asked.info["retrieved"]), ("error", 0, 0))
    expect(str(status) in str(asked.info["error"]), "the status is not named", asked.info["error"])
    counts = asked.response["info"]["completeness"]
    equal((counts["asked"], counts["answered"], counts["failed"]), (1, 0, 1))
    equal(service.admin.get("/svc/search/").json()[0]["status"], "PARTIAL_RESULTS_READY")
    line = [each for each in asked.response["messages"] if asked.provider["name"] in each and str(status) in each]
    expect(line, "no message", asked.response["messages"])


@claim("core 3.8 and decisions 3.8: a source that reports a timeout timed out", rows=[Row(str(each), (each,)) for each in (408, 504)])
def reported_timeouts_are_timeouts(service, status):
    asked = ask(service, respond=Reply({"items": items(2)}, status))
    equal((asked.status, asked.info["found"], asked.info["retrieved"]), ("timeout", 0, 0))
    expect(str(status) in str(asked.info["error"]), "the status is not named", asked.info["error"])
    equal(asked.response["info"]["completeness"]["timed_out"], 1)


XML = "<?xml version='1.0'?><root><total>2</total><entry><title>First</title></entry><entry><title>Second</title></entry></root>"


@claim("core 3.8, with the difference of quirks: XML by type or declaration", rows=[
    Row(each, (each, XML)) for each in [
        "text/xml", "application/xml", "application/atom+xml", "application/rss+xml", "application/vnd.example+xml",
        "Text/XML; charset=utf-8", "application/xml;charset=UTF-8",
    ]
] + [Row("declaration with text/plain", ("text/plain", XML)), Row("declaration with text/html", ("text/html", XML))])  # fmt: skip
def xml_becomes_json(service, kind, body):
    asked = ask(service, respond=typed(body, kind), response_mappings="FOUND=root.total,RESULTS=root.entry", result_mappings="title=title")
    equal([each["title"] for each in asked.results], ["First", "Second"])
    equal(asked.info["found"], 2)


def payload_of_xml(service, inner, **fields):
    body = f"<root xmlns:dc='http://purl.org/dc/' xmlns:a='urn:a'><entry>{inner}</entry></root>"
    asked = ask(service, respond=typed(body, "text/xml"), response_mappings="RESULTS=root.entry",
                result_mappings="title='Entry'", result_processors=MAPPED, **fields)  # fmt: skip
    equal(len(asked.results), 1, "a single child is one result")
    return asked.first["payload"]


@claim("core 3.8, XML", rows=[
    Row("text", ("<k>word</k>", {"k": "word"})), Row("repeated", ("<k>a</k><k>b</k>", {"k": ["a", "b"]})),
    Row("repeated with others between", ("<k>a</k><x>y</x><k>b</k>", {"k": ["a", "b"], "x": "y"})),
    Row("nested", ("<k><l>a</l></k>", {"k": {"l": "a"}})), Row("attribute", ("<k n='5'/>", {"k": {"@n": "5"}})),
    Row("attribute and text", ("<k n='5'>word</k>", {"k": {"@n": "5", "#text": "word"}})),
    Row("namespace", ("<dc:creator>Anna</dc:creator>", {"dc:creator": "Anna"})),
    Row("CDATA", ("<k><![CDATA[a < b]]></k>", {"k": "a < b"})), Row("entities", ("<k>a &amp; b &#252;</k>", {"k": "a & b ü"})),
    Row("numbers stay texts", ("<k>007</k>", {"k": "007"})), Row("attribute of a namespace", ("<k a:b='1'>x</k>", {"k": {"@a:b": "1", "#text": "x"}})),
    Row("comment", ("<!-- no --><k>x</k>", {"k": "x"})),
])  # fmt: skip
def elements_become_objects(service, inner, expected):
    equal(payload_of_xml(service, inner), expected)


@claim("core 3.8, XML: an empty element is null, and null is no value")
def an_empty_element_is_no_value(service):
    asked = ask(service, respond=typed("<r><e><title/><alt>Other</alt></e></r>", "text/xml"), response_mappings="RESULTS=r.e",
                result_mappings="title=title|alt", result_processors=MAPPED)  # fmt: skip
    equal((asked.first["title"], asked.first["payload"]), ("Other", {}))


@claim("core 3.8 and decisions 6: hostile XML", rows=[
    Row("external entity", ("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><r><e><title>a&x;b</title></e></r>",)),
    Row("entities that multiply", ("<!DOCTYPE r [<!ENTITY a 'lollol'>" + "".join(
        f"<!ENTITY {new} '{f'&{old};' * 10}'>" for old, new in zip("abcdefgh", "bcdefghi")) + "]><r><e><title>&i;</title></e></r>",)),
    Row("not closed", ("<?xml version='1.0'?><r><e><title>a",)),
    Row("deep", ("<?xml version='1.0'?>" + "<a>" * 100000,)),
])  # fmt: skip
def hostile_xml_is_an_error_or_text(service, body):
    asked = ask(service, respond=typed(body, "text/xml"), response_mappings="RESULTS=r.e")
    expect("root:" not in str(asked.response) and len(str(asked.response)) < 20000, "expanded", asked.response)
    expect(asked.status in ("error", "ok", "no_results"), "status", asked.info)
    equal(ask(service).status, "ok", "the service goes on")


@claim("core 3.8: JSON regardless of the type", rows=[Row(each, (each,)) for each in
       ["application/json", "text/html", "text/plain", "application/octet-stream", "application/vnd.api+json", "text/javascript"]])  # fmt: skip
def json_is_read_whatever_its_type(service, kind):
    equal(ask(service, respond=typed({"items": items(2)}, kind)).info["retrieved"], 2)


@claim("core 3.8, with the difference of quirks: a body that is no JSON is an error", rows=[
    Row("HTML", ("<html><body>Sign in</body></html>", "text/html")), Row("text", ("Service is down", "text/plain")),
    Row("cut off", ('{"items": [{"title": "a"', "application/json")), Row("two documents", ('{"items": []}{"items": []}', "application/json")),
    Row("NaN", ('{"items": [NaN]}', "application/json")),
    Row("nested too deeply", ("[" * 200000, "application/json")),
])  # fmt: skip
def unreadable_bodies_are_errors(service, body, kind):
    asked = ask(service, respond=typed(body, kind))
    equal((asked.status, asked.error_code, asked.info["retrieved"]), ("error", "unreadable", 0))


@claim("core 3.8: empty data is zero results, not an error", rows=[
    Row("null", ("null",)), Row("empty object", ("{}",)), Row("empty list", ("[]",)), Row("empty results", ('{"items": []}',)),
    Row("null results", ('{"items": null}',)), Row("missing results", ('{"other": [{"title": "a"}]}',)),
    Row("empty object as results", ('{"items": {}}',)), Row("empty text as results", ('{"items": ""}',)),
    Row("spaces around null", ("  null\n",)),
])  # fmt: skip
def empty_data_is_no_results(service, body):
    asked = ask(service, respond=typed(body, "application/json"))
    equal((asked.status, asked.info["found"], asked.info["retrieved"]), ("no_results", 0, 0))
    equal(service.admin.get("/svc/search/").json()[0]["status"], "FULL_RESULTS_READY")


@claim("core 3.8, with quirks: 204 is a success without results")
def no_content_is_no_results(service):
    equal(ask(service, respond=Reply(b"", 204)).status, "no_results")


@claim("core 3.8: a byte order mark")
def a_byte_order_mark_is_no_error(service):
    equal(ask(service, respond=typed(b"\xef\xbb\xbf" + json.dumps({"items": items(2)}).encode(), "application/json")).info["retrieved"], 2)


@claim("core 3.8: lists of lists", rows=[
    Row("complete", ([["title", "n"], ["A", 1], ["B", 2]], [("A", {"n": 1}), ("B", {"n": 2})])),
    Row("short row", ([["title", "n", "m"], ["A", 1], ["B"]], [("A", {"n": 1}), ("B", {})])),
    Row("long row", ([["title"], ["A", 1]], [("A", {})])),
    Row("only field names", ([["title", "n"]], [])),
])  # fmt: skip
def rows_get_the_names_of_the_first_row(service, body, expected):
    for respond, mappings in [(body, ""), ({"table": body}, "RESULTS=table")]:
        if mappings == "RESULTS=table":
            continue
        asked = ask(service, respond=Reply(body), response_mappings=mappings, result_mappings="title=title", result_processors=MAPPED)
        equal([(each["title"], each["payload"]) for each in asked.results], expected)


@claim("core 3.8: contents with column_names and data_rows")
def tables_in_contents_become_objects(service):
    body = {"contents": [{"column_names": ["Page Title", "Net Sum"], "data_rows": [["A", 5], ["B", 7]]}]}
    asked = ask(service, respond=body, response_mappings="", result_mappings="title=Page_Title,Net_Sum", result_processors=MAPPED)
    equal([(each["title"], each["payload"]) for each in asked.results], [("A", {"Net_Sum": 5}), ("B", {"Net_Sum": 7})])


@claim("core 3.8: other contents are no table")
def other_contents_are_no_table(service):
    body = {"contents": [{"title": "A"}, {"title": "B", "column_names": ["x"]}]}
    asked = ask(service, respond=body, response_mappings="RESULTS=contents", result_mappings="title=title")
    equal([each["title"] for each in asked.results], ["A", "B"])


TWO = [{"title": "A"}, {"title": "B"}]


@claim("core 3.9", rows=[
    Row("counts default to the items", ("RESULTS=items", {"items": TWO}, "ok", 2, 2)),
    Row("FOUND", ("FOUND=n,RESULTS=items", {"items": TWO, "n": 90}, "ok", 90, 2)),
    Row("FOUND as a text", ("FOUND=n,RESULTS=items", {"items": TWO, "n": "90"}, "ok", 90, 2)),
    Row("FOUND missing", ("FOUND=n,RESULTS=items", {"items": TWO}, "ok", 2, 2)),
    Row("FOUND in a path", ("FOUND=meta.page[0].n,RESULTS=items", {"items": TWO, "meta": {"page": [{"n": 90}]}}, "ok", 90, 2)),
    Row("leading dollar", ("FOUND=$.n,RESULTS=$.data.items", {"data": {"items": TWO}, "n": 90}, "ok", 90, 2)),
    Row("spaces around pieces", (" FOUND=n , RESULTS=items ", {"items": TWO, "n": 90}, "ok", 90, 2)),
    Row("FOUND is 0", ("FOUND=n,RESULTS=items", {"items": TWO, "n": 0}, "no_results", 0, 0)),
    Row("RETRIEVED is 0", ("RETRIEVED=n,RESULTS=items", {"items": TWO, "n": 0}, "no_results", 0, 0)),
    Row("empty RESULTS", ("FOUND=n,RESULTS=items", {"items": [], "n": 90}, "no_results", 0, 0)),
    Row("RESULTS is an object", ("RESULTS=items", {"items": TWO[0]}, "ok", 1, 1)),
    Row("RESULTS is the whole response", ("RESULTS=$", TWO, "ok", 2, 2)),
    Row("whole response is an object", ("RESULTS=$", TWO[0], "ok", 1, 1)),
    Row("no mappings, a list", ("", TWO, "ok", 2, 2)),
    Row("RESULTS not there", ("RESULTS=rows", {"items": TWO}, "no_results", 0, 0)),
    Row("RESULTS is null", ("RESULTS=items", {"items": None, "title": "x"}, "no_results", 0, 0)),
    Row("several matches", ("RESULTS=items[*]", {"items": TWO}, "error", 0, 0)),
    Row("several matches for FOUND", ("FOUND=items[*].title,RESULTS=items", {"items": TWO}, "error", 0, 0)),
    Row("FOUND is no number", ("FOUND=n,RESULTS=items", {"items": TWO, "n": "many"}, "error", 0, 0)),
])  # fmt: skip
def response_mappings_find_counts_and_results(service, mappings, body, status, found, retrieved):
    asked = ask(service, respond=Reply(body), response_mappings=mappings, result_mappings="title=title")
    equal((asked.status, asked.info["found"], asked.info["retrieved"]), (status, found, retrieved), str(asked.info.get("error")))
    equal(len(asked.results), retrieved)


@claim("core 3.9: RESULT", rows=[
    Row("wrapped", ([{"doc": {"title": "A"}}, {"doc": {"title": "B"}}], "doc", ["A", "B"])),
    Row("missing in one", ([{"doc": {"title": "A"}}, {"other": 1}, {"doc": {"title": "C"}}], "doc", ["A", "C"])),
    Row("path", ([{"a": {"b": [{"title": "A"}]}}], "a.b[0]", ["A"])),
    Row("several", ([{"doc": [{"title": "A"}, {"title": "B"}]}], "doc[*]", None)),
])  # fmt: skip
def result_unwraps_items(service, body, path, titles):
    asked = ask(service, respond={"items": body}, response_mappings=f"RESULTS=items,RESULT={path}", result_mappings="title=title")
    equal(asked.status, "ok" if titles else "error")
    equal([each["title"] for each in asked.results], titles or [])


@claim("interface: RESULTS is required; quirks", rows=[Row(each, (each,)) for each in
       ["FOUND=n", "RETRIEVED=n", "RESULT=doc", "FOUND=n,RETRIEVED=m", "RESULTS=", "RESULTS=items,RESULTS=a..b", "ROWS=items",
        "RESULTS=a b", "RESULTS=items[", "FOUND=,RESULTS=items"]])  # fmt: skip
def response_mappings_that_cannot_work_are_refused(service, mappings):
    answer = refused(service, response_mappings=mappings).expect(400).json()
    expect("response_mappings" in (answer.get("errors") or {}), "the field is not named", answer)


@claim("decisions 7.10: a 200 that says it failed", rows=[
    Row("text", ("ERROR=error", {"error": "bad key"}, "error", "bad key")),
    Row("text beside results", ("ERROR=error", {"error": "bad key", "items": TWO}, "error", "bad key")),
    Row("object with a message", ("ERROR=error", {"error": {"message": "bad key", "code": 7}}, "error", "bad key")),
    Row("path", ("ERROR=meta.errors[0].detail", {"meta": {"errors": [{"detail": "bad key"}]}}, "error", "bad key")),
    Row("true", ("ERROR=failed", {"failed": True, "items": TWO}, "error", "")),
    Row("false", ("ERROR=failed", {"failed": False, "items": TWO}, "ok", "")),
    Row("null", ("ERROR=error", {"error": None, "items": TWO}, "ok", "")),
    Row("empty text", ("ERROR=error", {"error": "", "items": TWO}, "ok", "")),
    Row("empty list", ("ERROR=errors", {"errors": [], "items": TWO}, "ok", "")),
    Row("zero", ("ERROR=status", {"status": 0, "items": TWO}, "ok", "")),
    Row("missing", ("ERROR=error", {"items": TWO}, "ok", "")),
    Row("condition met", ("ERROR=error,ERROR_IF=ok=false", {"ok": False, "error": "invalid_auth"}, "error", "invalid_auth")),
    Row("condition met without a text", ("ERROR_IF=ok=false", {"ok": False, "items": TWO}, "error", "")),
    Row("condition not met", ("ERROR=error,ERROR_IF=ok=false", {"ok": True, "items": TWO}, "ok", "")),
    Row("condition not met beside a text", ("ERROR=error,ERROR_IF=ok=false", {"ok": True, "error": "note", "items": TWO}, "ok", "")),
    Row("number as a condition", ("ERROR_IF=code=7", {"code": 7, "items": TWO}, "error", "")),
    Row("text as a condition", ("ERROR_IF=state=failed,ERROR=why", {"state": "failed", "why": "no index"}, "error", "no index")),
    Row("condition on a missing field", ("ERROR_IF=ok=false", {"items": TWO}, "ok", "")),
])  # fmt: skip
def a_failure_with_status_200_is_a_failure(service, mappings, body, status, text):
    asked = ask(service, respond=body, response_mappings=f"RESULTS=items,{mappings}", result_mappings="title=title")
    equal(asked.status, status, str(asked.info.get("error")))
    expect(text in str(asked.info.get("error")), f"{text} is not said", asked.info)
    equal(asked.info["retrieved"], 0 if status == "error" else 2)
    equal(asked.response["info"]["completeness"]["failed"], int(status == "error"))


@claim("quirks: PARTIAL and PARTIAL_IF", rows=[
    Row("text", ("PARTIAL=warning", {"warning": "two shards failed", "items": TWO}, "partial", "two shards failed")),
    Row("condition", ("PARTIAL_IF=timed_out=true", {"timed_out": True, "items": TWO}, "partial", "")),
    Row("condition not met", ("PARTIAL_IF=timed_out=true", {"timed_out": False, "items": TWO}, "ok", "")),
    Row("zero failures", ("PARTIAL=shards.failed", {"shards": {"failed": 0}, "items": TWO}, "ok", "")),
])  # fmt: skip
def a_response_that_says_it_is_incomplete_is_partial(service, mappings, body, status, text):
    asked = ask(service, respond=body, response_mappings=f"RESULTS=items,{mappings}", result_mappings="title=title")
    equal((asked.status, len(asked.results)), (status, 2))
    equal(asked.response["info"]["completeness"]["partial"], int(status == "partial"))
    expect(text in str(asked.info.get("error")), f"{text} is not said", asked.info)
