"""The request that a provider's record makes of a query: templates, mappings, sort, and bodies of POST."""

import urllib.parse

from harness import Row, claim, equal, expect
from harness.one_provider import ask, items, new_path, provider_fields, refused, shared_source

PLAIN = ["NoModQueryProcessor"]


def target(service, query="solid state", sort=None, **fields):
    """Path below the provider's address and query string of the request, without decoding."""
    path = new_path()
    shared_source().route(f"{path}/solid+state", {"items": items(1)})
    asked = ask(service, query, search={"sort": sort} if sort else None, path=path, **fields)
    equal(asked.status, "ok", str(asked.info.get("error")))
    return asked.request.target.removeprefix(asked.path)


@claim("core 3.1 and 3.2", rows=[
    Row("value", ("{url}?a={k}&q={query_string}", "k=5", "?a=5&q=solid+state")),
    Row("equals sign in a value", ("{url}?a={k}&q={query_string}", "k=x=y=z", "?a=x=y=z&q=solid+state")),
    Row("spaces around a piece", ("{url}?a={k}&b={l}&q={query_string}", " k=5 , l=6 ", "?a=5&b=6&q=solid+state")),
    Row("value verbatim", ("{url}?a={k}&q={query_string}", "k=x%20y:z+w", "?a=x%20y:z+w&q=solid+state")),
    Row("same placeholder twice", ("{url}?a={k}&b={k}&q={query_string}", "k=5", "?a=5&b=5&q=solid+state")),
    Row("query twice", ("{url}?a={query_string}&q={query_string}", "", "?a=solid+state&q=solid+state")),
    Row("empty value", ("{url}?a={k}&q={query_string}", "k=", "?a=&q=solid+state")),
    Row("flag without a value", ("{url}?q={query_string}", "NO_URL_ENCODE_X", "?q=solid+state")),
    Row("order of the mappings", ("{url}?a={k}&q={query_string}", "k={l},l=7", "?a=7&q=solid+state")),
    Row("query in the path", ("{url}/{query_string}", "", "/solid+state")),
    Row("control keys leave no trace", ("{url}?q={query_string}", "NOT=True,NOT_CHAR=-,DATE_SORT=s=d", "?q=solid+state")),
    Row("number of the credentials", ("{url}?token={key}&q={query_string}", "", "?token=abcd1234&q=solid+state")),
])  # fmt: skip
def mappings_are_bound_into_the_template(service, template, mappings, expected):
    credentials = "key=abcd1234" if "{key}" in template else ""
    equal(target(service, query_template=template, query_mappings=mappings, credentials=credentials), expected)


@claim("core 3.2: the address is bound first")
def placeholders_in_the_url_are_bound(service):
    path = new_path()
    fields = provider_fields(path)
    shared_source().route(f"{path}/books/select", {"items": [{"title": "A", "url": "https://example.org/a"}]})
    asked = ask(service, path=path, **{**fields, "url": fields["url"] + "/{collection}/select"}, query_mappings="collection=books")
    equal(asked.request.path, f"{path}/books/select")


@claim("core 3.2: several pieces of credentials")
def every_piece_of_the_credentials_is_bound(service):
    template = "{url}?u={login}&p={password}&q={query_string}"
    found = target(service, query_template=template, credentials="login=anna,password=s=e%20c")
    equal(found, "?u=anna&p=s=e%20c&q=solid+state")


@claim("core 3.2: form encoding of the query", rows=[
    Row("space", ("solid state", "solid+state")), Row("unreserved", ("a-b_c.d~e9", "a-b_c.d~e9")),
    Row("reserved", ("a/b&c=d?e#f", "a%2Fb%26c%3Dd%3Fe%23f")), Row("plus and percent", ("1+1 5%", "1%2B1+5%25")),
    Row("quotation marks", ('"a b"', "%22a+b%22")), Row("parentheses and asterisk", ("(a*)!", "%28a%2A%29%21")),
    Row("UTF-8", ("ü 北 🎸", "%C3%BC+%E5%8C%97+%F0%9F%8E%B8")), Row("apostrophe", ("o'b", "o%27b")),
    Row("braces", ("{key} {url} {x}", "%7Bkey%7D+%7Burl%7D+%7Bx%7D")), Row("at and colon", ("@a:b,c;d", "%40a%3Ab%2Cc%3Bd")),
    Row("backslash and angle brackets", ("a\\b<c>d", "a%5Cb%3Cc%3Ed")), Row("a host", ("@evil.example/x", "%40evil.example%2Fx")),
])  # fmt: skip
def the_query_is_form_encoded(service, query, expected):
    equal(target(service, query, query_processors=PLAIN, query_mappings="x=5", credentials="key=abcd"), f"?q={expected}")


@claim("quirks: braces in a secret are no placeholders")
def braces_in_a_secret_are_no_placeholders(service):
    found = target(service, query_template="{url}?t={key}&q={query_string}", credentials="key=ab{cd}", query_mappings="cd=9")
    expect(found in ("?t=ab{cd}&q=solid+state", "?t=ab%7Bcd%7D&q=solid+state"), "bound or lost", found)


BOTH_SORTS = "DATE_SORT=s=d,RELEVANCY_SORT=s=r"


@claim("core 3.3, with the difference of quirks for addresses without &", rows=[
    Row("worked example", ("{url}?a=1&q={query_string}", "DATE_SORT=s=d,PAGE=start=RESULT_INDEX", "date", "?a=1&s=d&start=1&q=solid+state")),
    Row("date", ("{url}?a=1&q={query_string}", BOTH_SORTS, "date", "?a=1&s=d&q=solid+state")),
    Row("relevancy", ("{url}?a=1&q={query_string}", BOTH_SORTS, "relevancy", "?a=1&s=r&q=solid+state")),
    Row("no sort is relevancy", ("{url}?a=1&q={query_string}", BOTH_SORTS, None, "?a=1&s=r&q=solid+state")),
    Row("date without its mapping", ("{url}?a=1&q={query_string}", "RELEVANCY_SORT=s=r", "date", "?a=1&q=solid+state")),
    Row("relevancy without its mapping", ("{url}?a=1&q={query_string}", "DATE_SORT=s=d", None, "?a=1&q=solid+state")),
    Row("before the last of several", ("{url}?a=1&b=2&q={query_string}", "DATE_SORT=s=d", "date", "?a=1&b=2&s=d&q=solid+state")),
    Row("relevancy without &", ("{url}?q={query_string}", "RELEVANCY_SORT=sort=1", None, "?q=solid+state&sort=1")),
    Row("date without &", ("{url}?q={query_string}", "DATE_SORT=sort=1", "date", "?q=solid+state&sort=1")),
    Row("page without &", ("{url}?q={query_string}", "PAGE=p=RESULT_PAGE", None, "?q=solid+state&p=1")),
    Row("date and page without &", ("{url}?q={query_string}", "DATE_SORT=s=d,PAGE=p=RESULT_PAGE", "date",
                                    "?q=solid+state&s=d&p=1", "?q=solid+state&p=1&s=d", "?s=d&q=solid+state&p=1", "?q=solid+state&p=1&s=d")),
    Row("neither ? nor &", ("{url}/{query_string}", "RELEVANCY_SORT=sort=1", None, "/solid+state?sort=1")),
    Row("snippet with an equals sign", ("{url}?a=1&q={query_string}", "DATE_SORT=sort=date:desc=1", "date", "?a=1&sort=date:desc=1&q=solid+state")),
    Row("first of repeated keys", ("{url}?a=1&q={query_string}", "DATE_SORT=s=x,DATE_SORT=s=y", "date", "?a=1&s=x&q=solid+state")),
])  # fmt: skip
def sort_and_page_go_before_the_last_parameter(service, template, mappings, sort, *accepted):
    found = target(service, query_template=template, query_mappings=mappings, sort=sort)
    expect(found in accepted, f"expected {' or '.join(accepted)}, got {found}")


@claim("quirks: an ampersand of the query is no separator for sort and page")
def an_ampersand_of_the_query_is_no_separator(service):
    found = target(service, "a&b", query_processors=PLAIN, query_mappings="RELEVANCY_SORT=s=r")
    equal(found, "?q=a%26b&s=r")


@claim("interface: sort", rows=[Row(str(each), (each,)) for each in ["newest", "", "Date ", 5, "DATE;"]])
def other_values_of_sort_are_refused(service, sort):
    answer = service.admin.post("/svc/search/", {"query_string": "x", "sort": sort}).expect(400).json()
    expect("sort" in str(answer), "the field is not named", answer)


@claim("core 3.4: GET with a placeholder that nothing binds", rows=[
    Row("no mapping", ("{url}?k={key}&q={query_string}", "")), Row("mapping of another name", ("{url}?k={key}&q={query_string}", "keys=5")),
    Row("brace alone", ("{url}?k={&q={query_string}", "")), Row("control key", ("{url}?k={NOT}&q={query_string}", "")),
])  # fmt: skip
def an_unbound_placeholder_is_an_error(service, template, mappings):
    record = {**provider_fields(new_path()), "connector": "RequestsGet", "query_template": template, "query_mappings": mappings,
              "response_mappings": "RESULTS=items", "result_mappings": "title=title"}  # fmt: skip
    made = service.admin.post("/svc/searchproviders/", record).expect(201, 400)
    if made.status == 201:
        response = service.admin.search("solid state", providers=[made.json()["id"]])
        equal(response["info"][record["name"]]["status"], "error")
        equal(shared_source().asked(record["url"].partition("127.0.0.1")[2].partition("/")[2]), [])


@claim("core 3.4: nothing to ask")
def an_empty_template_is_refused(service):
    refused(service, query_template="").expect(400)


def body_of(service, query="solid state", **fields):
    fields = {"connector": "RequestsPost", "query_template": "{url}", "query_processors": PLAIN, **fields}
    asked = ask(service, query, **fields)
    equal(asked.status, "ok", str(asked.info.get("error")))
    equal(asked.request.method, "POST")
    return asked.request


@claim("core 3.7", rows=[
    Row("form encoding by default", ({"query": "{query_string}"}, "", "solid state", {"query": "solid+state"})),
    Row("flag", ({"query": "{query_string}"}, "NO_URL_ENCODE", "solid state", {"query": "solid state"})),
    Row("flag among others", ({"query": "{query_string}", "n": "{n}"}, "n=5,NO_URL_ENCODE", "solid state", {"query": "solid state", "n": "5"})),
    Row("quotation mark", ({"query": "{query_string}"}, "NO_URL_ENCODE", 'a "b c" d', {"query": 'a "b c" d'})),
    Row("backslash", ({"query": "{query_string}"}, "NO_URL_ENCODE", "a\\b", {"query": "a\\b"})),
    Row("query that looks like JSON", ({"query": "{query_string}"}, "NO_URL_ENCODE", 'x","size":"9', {"query": 'x","size":"9'})),
    Row("other script", ({"query": "{query_string}"}, "NO_URL_ENCODE", "ü 北 🎸", {"query": "ü 北 🎸"})),
    Row("nested", ({"a": [{"b": "title:({query_string})"}]}, "NO_URL_ENCODE", "x y", {"a": [{"b": "title:(x y)"}]})),
    Row("other types stay", ({"q": "{query_string}", "n": 5, "t": True, "z": None, "f": 1.5}, "", "x", {"q": "x", "n": 5, "t": True, "z": None, "f": 1.5})),
    Row("braces of the query", ({"q": "{query_string}", "k": "{k}"}, "NO_URL_ENCODE,k=5", "{k}", {"q": "{k}", "k": "5"})),
    Row("credentials are not bound", ({"q": "{query_string}", "k": "{key}"}, "", "x", {"q": "x", "k": "{key}"})),
    Row("twice", ({"a": "{query_string}", "b": "{query_string} {query_string}"}, "NO_URL_ENCODE", "x", {"a": "x", "b": "x x"})),
    Row("form encoding of marks", ({"q": "{query_string}"}, "", 'a"b&c', {"q": "a%22b%26c"})),
])  # fmt: skip
def bodies_hold_the_query(service, template, mappings, query, expected):
    credentials = "key=abcd1234" if "{key}" in str(template) else ""
    request = body_of(service, query, post_query_template=template, query_mappings=mappings, credentials=credentials)
    equal(request.json(), expected)
    equal(request.headers["content-type"].partition(";")[0], "application/json")


@claim("core 3.7: the address in a body")
def the_url_is_bound_in_bodies(service):
    request = body_of(service, post_query_template={"u": "{url}", "q": "{query_string}"})
    equal(request.json(), {"u": f"http://{request.headers['host']}{request.path}", "q": "solid+state"})


@claim("core 3.7: without a template, the body is the query as a JSON text")
def without_a_template_the_body_is_the_query(service):
    expect(body_of(service, query_mappings="NO_URL_ENCODE").json() in ("solid state",), "not the query")


@claim("quirks and decisions 3.17: query_template_json serves where post_query_template is empty")
def query_template_json_serves_as_the_body(service):
    equal(body_of(service, query_template_json={"j": "{query_string}"}, query_mappings="NO_URL_ENCODE").json(), {"j": "solid state"})
    both = {"query_template_json": {"j": "{query_string}"}, "post_query_template": {"p": "{query_string}"}}
    equal(body_of(service, query_mappings="NO_URL_ENCODE", **both).json(), {"p": "solid state"})


@claim("core 3.7: the address of POST is form-encoded, too")
def the_address_of_post_is_form_encoded(service):
    request = body_of(service, query_template="{url}?q={query_string}", post_query_template={"a": "{query_string}"}, query_mappings="NO_URL_ENCODE")
    equal(request.target.partition("?")[2], "q=solid+state")
    equal(request.json(), {"a": "solid state"})


@claim("core 3.6: the provider's own Content-Type replaces that of POST")
def headers_replace_the_content_type(service):
    headers = {"Content-Type": "application/vnd.example+json"}
    request = body_of(service, post_query_template={"a": "{query_string}"}, http_request_headers=headers)
    equal(request.headers["content-type"], "application/vnd.example+json")


@claim("core 3.5: POST is paged in its address", rows=[Row("index", ("RESULT_INDEX", ["1", "11"])), Row("page", ("RESULT_PAGE", ["1", "2"]))])
def post_is_paged(service, variable, values):
    asked = ask(service, connector="RequestsPost", query_template="{url}?a=1&b=2", post_query_template={"q": "{query_string}"},
                query_mappings=f"PAGE=p={variable}", results_per_query=20,
                respond=lambda request: {"items": items(10, {"1": 1}.get(request.query["p"], 11))})  # fmt: skip
    equal(sorted(urllib.parse.parse_qs(each.target.partition("?")[2])["p"][0] for each in asked.requests), sorted(values))
    equal(asked.info["retrieved"], 20)
