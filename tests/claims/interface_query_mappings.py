"""Query and response mappings: what a source is sent, and where its response has the results."""

from harness import Reply, claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows, titles

source = SampleSource()


def prepare(service):
    source.__enter__()


def finish():
    source.__exit__()


def sent(service, name, query="solid state", response=None, search=None, **fields):
    """The last request for this query to a provider with these fields."""
    record = source.provider(service, name, items(1) if response is None else response, **fields)
    service.admin.run_search(query, searchprovider_list=[record["id"]], **(search or {}))
    return source.last_request(record)


@claim("interface: query_mappings; core 3.2", rows=rows(
    ("a key", "{url}?cx={cx}&q={query_string}", "cx=abc", "cx=abc&q=solid+state"),
    ("two keys", "{url}?a={a}&b={b}&q={query_string}", "a=1,b=2", "a=1&b=2&q=solid+state"),
    ("a value with an equals sign", "{url}?{f}&q={query_string}", "f=x=1", "x=1&q=solid+state"),
    ("spaces around pieces", "{url}?a={a}&b={b}&q={query_string}", " a=1 , b=2 ", "a=1&b=2&q=solid+state"),
    ("a value twice", "{url}?a={a}&b={a}&q={query_string}", "a=1", "a=1&b=1&q=solid+state"),
))  # fmt: skip
def a_key_fills_the_template(service, template, mappings, expected):
    request = sent(service, f"Key {mappings}{template}"[:90], query_template=template, query_mappings=mappings)
    equal(request.target.split("?", 1)[1], expected)


@claim("core 3.2, worked example; interface: query_string", rows=rows(
    ("spaces", "solid state", "solid+state"), ("ampersand", "AT&T", "AT%26T"), ("umlaut", "Zürich", "Z%C3%BCrich"),
    ("plus", "C++", "C%2B%2B"), ("quotes", '"solid state"', "%22solid+state%22"), ("percent", "3.5%", "3.5%25"),
    ("kept signs", "a-b_c.d~e", "a-b_c.d~e"),
))  # fmt: skip
def the_query_is_form_encoded(service, query, expected):
    request = sent(service, f"Encoded {query}", query, query_processors=[])
    equal(request.target.split("?q=", 1)[1], expected)


SORTED = "DATE_SORT=order=new,RELEVANCY_SORT=order=best"


@claim("interface: query_mappings, DATE_SORT and RELEVANCY_SORT; core 3.3", rows=rows(
    ("date", "date", SORTED, "{url}?a=1&q={query_string}", "a=1&order=new&q=solid+state"),
    ("relevancy", "relevancy", SORTED, "{url}?a=1&q={query_string}", "a=1&order=best&q=solid+state"),
    ("date, not mapped", "date", "RELEVANCY_SORT=order=best", "{url}?a=1&q={query_string}", "a=1&q=solid+state"),
    ("relevancy, not mapped", "relevancy", "DATE_SORT=order=new", "{url}?a=1&q={query_string}", "a=1&q=solid+state"),
    ("no ampersand", "date", SORTED, "{url}?q={query_string}", "q=solid+state&order=new"),
    ("no ampersand, relevancy", "relevancy", SORTED, "{url}?q={query_string}", "q=solid+state&order=best"),
))  # fmt: skip
def a_sort_is_inserted(service, sort, mappings, template, expected):
    name = f"Sort {sort} {len(mappings)} {len(template)}"
    request = sent(service, name, query_mappings=mappings, query_template=template, search={"sort": sort})
    equal(request.target.split("?", 1)[1], expected)


@claim("core 3.3, worked example")
def sort_and_page_are_inserted_before_the_query(service):
    mappings = "DATE_SORT=s=d,PAGE=start=RESULT_INDEX"
    template = "{url}?a=1&q={query_string}"
    request = sent(service, "Both", query_mappings=mappings, query_template=template, search={"sort": "date"})
    equal(request.target.split("?", 1)[1], "a=1&s=d&start=1&q=solid+state")


@claim("interface: query_mappings, PAGE; core 3.5", rows=rows(
    ("RESULT_INDEX", "RESULT_INDEX", ["1", "11", "21"]), ("RESULT_ZERO_INDEX", "RESULT_ZERO_INDEX", ["0", "10", "20"]),
    ("RESULT_PAGE", "RESULT_PAGE", ["1", "2", "3"]), ("PAGE_INDEX", "PAGE_INDEX", ["1", "2", "3"]),
))  # fmt: skip
def a_page_variable_counts(service, variable, expected):
    pages = dict(zip(expected, [items(10, first=first) for first in (1, 11, 21)], strict=True))
    fields = {"query_mappings": f"PAGE=start={variable}", "results_per_query": 30}
    record = source.provider(service, variable, lambda request: {"items": pages[request.query["start"]]}, **fields)
    answer = service.admin.search("copper", providers=[record["id"]])
    starts = [request.query["start"] for request in source.requests_of(record)]
    equal(sorted(starts, key=int), expected)
    equal(answer["info"][variable]["retrieved"], 30)


@claim("core 3.5", rows=rows(
    ("10 results", 10, 1, 10), ("11 results", 11, 2, 11), ("25 results", 25, 3, 25), ("30 results", 30, 3, 30),
))  # fmt: skip
def pages_are_asked_until_enough(service, wanted, pages, expected):
    def respond(request):
        return {"items": items(10, first=int(request.query["start"]))}

    fields = {"query_mappings": "PAGE=start=RESULT_INDEX", "results_per_query": wanted}
    record = source.provider(service, f"Pages {wanted}", respond, **fields)
    answer = service.admin.search("copper", providers=[record["id"]])
    equal((len(source.queries(record)), answer["info"][record["name"]]["retrieved"]), (pages, expected))


@claim("core 3.5", rows=rows(
    ("first page short", {1: 4}, 1, 4), ("second page short", {1: 10, 11: 4}, None, 14),
    ("second empty", {1: 10}, None, 10),
))  # fmt: skip
def a_short_page_is_the_last_and_earlier_pages_stay(service, counts, pages, expected):
    def respond(request):
        start = int(request.query["start"])
        return {"items": items(counts.get(start, 0), first=start)}

    fields = {"query_mappings": "PAGE=start=RESULT_INDEX", "results_per_query": 20}
    record = source.provider(service, f"Short {counts}", respond, **fields)
    info = service.admin.search("copper", providers=[record["id"]])["info"][record["name"]]
    equal((info["retrieved"], info["status"]), (expected, "ok"))
    if pages:
        equal(len(source.queries(record)), pages)


NOT_TABLE = [
    ("NOT", "copper NOT tin", "NOT=True", "copper NOT tin"),
    ("NOT for a minus", "copper -tin", "NOT=True", "copper NOT tin"),
    ("NOT_CHAR", "copper NOT tin", "NOT_CHAR=-", "copper -tin"),
    ("NOT_CHAR !", "copper -tin", "NOT_CHAR=!", "copper !tin"),
    ("both", "copper -tin", "NOT=True,NOT_CHAR=-", "copper -tin"), ("neither", "copper NOT tin", "", "copper"),
    ("neither for a minus", "copper -tin", "", "copper"), ("NOT=false", "copper NOT tin", "NOT=false", "copper"),
    ("phrase", '"file not found" windows', "NOT_CHAR=-", '"file not found" windows'),
    ("negated phrase", 'copper -"tin foil"', "NOT_CHAR=-", 'copper -"tin foil"'),
    ("in parentheses", "(copper NOT tin) OR zinc", "NOT_CHAR=-", "(copper -tin) OR zinc"),
    ("in parentheses, neither", "(copper NOT tin) OR zinc", "", "(copper) OR zinc"),
    ("lower case is a word", "why not copper", "NOT=True", "why not copper"),
]  # fmt: skip


@claim("interface: query_mappings, NOT and NOT_CHAR; decisions 7.1", rows=rows(*NOT_TABLE))
def exclusions_are_written_for_the_source(service, query, mappings, expected):
    actual = sent(service, f"Not {query} {mappings}", query, query_mappings=mappings).query["q"]
    if expected == "(copper) OR zinc":
        expect(actual in (expected, "copper OR zinc"), "not well-formed", actual)
    else:
        equal(actual, expected)


@claim("decisions 7.1", rows=rows(
    ("signs", "C++ C# .NET AT&T user@example.com 3.5%"), ("Hindi", "हिन्दी"), ("Thai", "น้ำ"),
    ("decomposed", "Zu\u0308rich"),
    ("ZWNJ", "می\u200cخواهم"), ("emoji", "🙂"), ("unbalanced in a phrase", '"to be or not to be" hamlet'),
))  # fmt: skip
def words_reach_the_source_as_typed(service, query):
    equal(sent(service, f"Typed {query}", query).query["q"], query)


@claim("decisions 7.1", rows=rows(
    ("typographic quotes", "“copper wire”", '"copper wire"'), ("low quotes", "„copper wire“", '"copper wire"'),
    ("dash", "supply—demand", "supply demand"), ("slash", "a/b", "a b"),
))  # fmt: skip
def other_signs_become(service, query, expected):
    equal(sent(service, f"Becomes {query}", query).query["q"], expected)


@claim("interface: Errors; core 3.4, validation; quirks: Records", rows=rows(
    ("GET", "RequestsGet", "{url}?key={key}&q={query_string}"), ("POST", "RequestsPost", "{url}?key={key}"),
))  # fmt: skip
def an_unbound_placeholder_is_refused_when_saved(service, connector, template):
    body = {"name": f"Unbound {connector}", "connector": connector, "url": source.base, "query_template": template}
    error(service.admin.post("/svc/searchproviders/", body), 400, field="query_template")


@claim("interface: SearchProvider, RequestsPost; core 3.7", rows=rows(
    ("template", {"post_query_template": {"text": "{query_string}", "size": 9}}, {"text": "solid+state", "size": 9}),
    ("not encoded", {"post_query_template": {"query": "{query_string}"}, "query_mappings": "NO_URL_ENCODE"},
     {"query": "solid state"}),
    ("query_template_json", {"query_template_json": {"text": "{query_string}"}}, {"text": "solid+state"}),
    ("nested with a key", {"post_query_template": {"a": [{"b": "{k}:{query_string}"}]}, "query_mappings": "k=v"},
     {"a": [{"b": "v:solid+state"}]}),
    ("none", {}, "solid state"),
))  # fmt: skip
def a_post_has_the_body(service, fields, expected):
    request = sent(service, f"Post {fields}", connector="RequestsPost", query_template="{url}", **fields)
    equal((request.method, request.headers["content-type"]), ("POST", "application/json"))
    equal(request.json(), expected)


@claim("core 3.7, Do: escape the raw variant",
       rows=rows(("quote", 'say "hi"'), ("backslash", "a\\b"), ("braces", "{url}")))  # fmt: skip
def a_query_cannot_break_the_body(service, query):
    fields = {"post_query_template": {"query": "{query_string}", "n": 1}, "query_mappings": "NO_URL_ENCODE"}
    fields = {**fields, "connector": "RequestsPost", "query_template": "{url}", "query_processors": []}
    request = sent(service, f"Body {query}", query, **fields)
    equal(request.json(), {"query": query, "n": 1})


# Responses.


def found(service, name, response, mappings, **fields):
    record = source.provider(service, name, response, response_mappings=mappings, **fields)
    answer = service.admin.search("copper", providers=[record["id"]])
    return answer["info"][name], sorted(titles(answer))


TWO = items(2)
TITLES = ["copper report 1", "copper report 2"]
WRAPPED = [{"document": item, "score": 1} for item in TWO]


@claim("interface: response_mappings", rows=rows(
    ("RESULTS", {"a": TWO}, "RESULTS=a", 2, 2), ("nested", {"a": {"b": TWO}}, "RESULTS=a.b", 2, 2),
    ("with $", {"a": {"b": TWO}}, "RESULTS=$.a.b", 2, 2), ("index", {"a": [{"b": TWO}]}, "RESULTS=a[0].b", 2, 2),
    ("quoted name", {"a b": TWO}, "RESULTS=['a b']", 2, 2), ("FOUND", {"a": TWO, "n": 77}, "FOUND=n,RESULTS=a", 77, 2),
    ("FOUND as text", {"a": TWO, "n": "77"}, "FOUND=n,RESULTS=a", 77, 2),
    ("FOUND defaults to RETRIEVED", {"a": TWO, "r": 2}, "RETRIEVED=r,RESULTS=a", 2, 2),
    ("all three", {"a": TWO, "n": 9, "r": 2}, "FOUND=n,RETRIEVED=r,RESULTS=a", 9, 2),
    ("RESULT", {"a": WRAPPED}, "RESULTS=a,RESULT=document", 2, 2), ("no mappings", TWO, "", 2, 2),
    ("a single object", {"a": TWO[0]}, "RESULTS=a", 1, 1), ("whole response", {**TWO[0]}, "RESULTS=$", 1, 1),
))  # fmt: skip
def results_are_found_at_their_path(service, response, mappings, number, retrieved):
    info, names = found(service, f"Path {mappings} {number} {len(str(response))}", lambda _: Reply(response), mappings)
    equal((info["found"], info["retrieved"], info["status"]), (number, retrieved, "ok"))
    equal(names, TITLES[:retrieved])


@claim("core 3.9; quirks: Responses", rows=rows(
    ("empty list", {"a": []}, "RESULTS=a"), ("missing", {"b": 1}, "RESULTS=a"), ("null", {"a": None}, "RESULTS=a"),
    ("FOUND is 0", {"a": TWO, "n": 0}, "FOUND=n,RESULTS=a"),
    ("RETRIEVED is 0", {"a": TWO, "n": 0}, "RETRIEVED=n,RESULTS=a"),
    ("empty body", b"", "RESULTS=a"), ("null response", None, "RESULTS=a"), ("empty object", {}, "RESULTS=a"),
    ("empty array", [], "RESULTS=a"),
))  # fmt: skip
def a_response_without_results_has_none(service, response, mappings):
    info, names = found(service, f"None {mappings} {response}"[:100], lambda _: Reply(response), mappings)
    equal((info["found"], info["retrieved"], info["status"], names), (0, 0, "no_results", []))


@claim("core 3.8; quirks: Responses", rows=rows(
    ("HTML", Reply("<html><body>Sign in", headers={"Content-Type": "text/html"})),
    ("broken JSON", Reply('{"items": [')),
    ("404", Reply("no", 404)), ("500", Reply("no", 500)), ("401", Reply("no", 401)),
))  # fmt: skip
def a_response_that_cannot_be_used_is_an_error(service, reply):
    info, names = found(service, f"Unusable {reply.status} {reply.body}", reply, "RESULTS=items")
    equal((info["status"], info["found"], names), ("error", 0, []))
    expect(info["error"]["message"], "no sentence", info)


@claim("quirks: Responses", rows=rows(("201", 201), ("203", 203)))
def every_success_is_read(service, status):
    equal(found(service, f"Status {status}", Reply({"items": TWO}, status), "RESULTS=items")[1], TITLES)


XML = "<r><n>7</n>" + "".join(f'<doc id="{n}"><title>copper report {n}</title></doc>' for n in (1, 2)) + "</r>"


@claim("interface: XML responses are converted; core 3.8", rows=rows(
    ("text/xml", "text/xml", XML), ("application/xml", "application/xml; charset=utf-8", XML),
    ("atom", "application/atom+xml", XML), ("rss", "application/rss+xml", XML),
    ("declaration only", "text/plain", '<?xml version="1.0"?>' + XML),
))  # fmt: skip
def xml_is_converted(service, kind, text):
    reply = Reply(text, headers={"Content-Type": kind})
    mapping = {"result_mappings": "title=title,id=@id"}
    name = f"XML {kind}"
    info, names = found(service, name, reply, "FOUND=r.n,RESULTS=r.doc", **mapping)
    equal((info["found"], names), (7, TITLES))


@claim("core 3.8")
def a_single_xml_element_is_one_result(service):
    text = "<r><doc><title>copper report 1</title><name lang='en'>Ann</name></doc></r>"
    record = source.provider(
        service, "XML single", Reply(text, headers={"Content-Type": "text/xml"}), response_mappings="RESULTS=r.doc",
        result_mappings="title=title,author=name['#text']",
    )  # fmt: skip
    result = service.admin.search("copper", providers=[record["id"]])["results"][0]
    equal((result["title"].replace("<em>", "").replace("</em>", ""), result["author"]), (TITLES[0], "Ann"))


TABLE = [["title", "url"], ["copper report 1", "http://a/1"], ["copper report 2", "http://a/2"]]


@claim("interface: list of lists; core 3.8",
       rows=rows(("whole response", TABLE, ""), ("whole response, $", TABLE, "RESULTS=$")))  # fmt: skip
def a_table_with_a_header_becomes_objects(service, response, mappings):
    name = f"Table {mappings}"
    info, names = found(service, name, lambda _: Reply(response), mappings, result_mappings="title=title,url=url")
    equal((info["retrieved"], names), (2, TITLES))


@claim("decisions 7.10", rows=rows(
    ("ERROR", {"items": [], "error": "invalid_auth"}, "RESULTS=items,ERROR=error", "error"),
    ("ERROR empty", {"items": TWO, "error": ""}, "RESULTS=items,ERROR=error", "ok"),
    ("ERROR null", {"items": TWO, "error": None}, "RESULTS=items,ERROR=error", "ok"),
    ("ERROR_IF", {"items": [], "ok": False, "error": "invalid_auth"}, "RESULTS=items,ERROR=error,ERROR_IF=ok=false",
     "error"),
    ("ERROR_IF does not hold", {"items": TWO, "ok": True}, "RESULTS=items,ERROR=error,ERROR_IF=ok=false", "ok"),
))  # fmt: skip
def a_success_that_says_it_failed_is_a_failure(service, response, mappings, status):
    info, _ = found(service, f"Says {mappings} {status} {len(str(response))}", response, mappings)
    equal(info["status"], status)
    if status == "error":
        expect("invalid_auth" in str(info["error"]), "the reason is missing", info["error"])


@claim("interface: Errors, a source returns 429", rows=rows(("seconds", "600"), ("no header", None)))
def a_source_that_returns_429_is_left_alone(service, after):
    reply = Reply("slow down", 429, {"Retry-After": after} if after else {})
    record = source.provider(service, f"Limited {after}", reply)
    for _ in range(3):
        info = service.admin.search("copper", providers=[record["id"]])["info"][record["name"]]
    equal((len(source.queries(record)), info["status"]), (1, "suspended"))


@claim("interface: Errors, a source returns 429")
def a_source_is_asked_again_after_its_own_period(service):
    replies = iter([Reply("slow down", 429, {"Retry-After": "1"})])
    record = source.provider(service, "Limited shortly", lambda request: next(replies, Reply({"items": TWO})))
    service.admin.search("copper", providers=[record["id"]])

    def status():
        return service.admin.search("copper", providers=[record["id"]])["info"]["Limited shortly"]["status"]

    equal(status(), "suspended")
    eventually(lambda: status() == "ok", 5)
