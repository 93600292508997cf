"""Query transforms: their kinds and effects, where they may be named, and who may manage them."""

from harness import claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows

source = SampleSource()
PATH = "/svc/querytransforms/"


def prepare(service):
    source.__enter__()
    source.provider(service, "Anything", items(1), query_processors=[])


def finish():
    source.__exit__()


count = iter(range(100_000))


def create(service, kind, rules, **fields):
    """A new transform; returns its reference."""
    name = f"rules{next(count)}"
    service.admin.post(PATH, {"name": name, "qrx_type": kind, "config_content": rules, **fields}).expect(201)
    return f"{name}.{kind}"


def rewritten(service, reference, query):
    search = service.admin.run_search(query, searchprovider_list=["Anything"], pre_query_processors=[reference])
    return service.admin.results(search["id"])["info"]["search"]["query_string_processed"]


@claim("interface: Query Transform, rewrite; core 2.5, Do", rows=rows(
    ("several patterns", "mobiles; ombile; mo bile,mobile", "mobiles phone", "mobile phone"),
    ("the second pattern", "mobiles; ombile; mo bile,mobile", "ombile phone", "mobile phone"),
    ("a pattern of two words", "mobiles; ombile; mo bile,mobile", "mo bile phone", "mobile phone"),
    ("a phrase", "cheapest smartphones,cheap smartphone", "cheapest smartphones now", "cheap smartphone now"),
    ("blank removes whole words", "of,", "off offer of", "off offer"),
    ("blank leaves no spaces", "of,", "bill of rights", "bill rights"), ("one cell removes", "foo", "food foo", "food"),
    ("a wildcard at the end", "tele*,phone", "telephone call", "phone call"),
    ("a wildcard inside", "col*r,colour", "color scheme", "colour scheme"),
    ("a wildcard matches one word only", "tele*,phone", "tele call center", "phone call center"),
    ("an expression is literal", "a.c,x", "abc", "abc"), ("rules in order", "a,b\nb,c", "a", "c"),
    ("a comment", "# a,b\nb,c", "a b", "a c"), ("an empty row", "\n\nb,c", "b", "c"),
    ("a quoted cell", '"a, b",c', "d", "d"),
    ("no match", "foo,bar", "food", "food"), ("a match twice", "tin,zinc", "tin and tin", "zinc and zinc"),
))  # fmt: skip
def a_rewrite_replaces_text(service, rules, query, expected):
    equal(rewritten(service, create(service, "rewrite", rules), query), expected)


@claim("interface: Query Transform, synonym; core 2.5", rows=rows(
    ("one", "notebook,laptop", "notebook", "(notebook OR laptop)"),
    ("several", "laptop,personal computer\nlaptop,notebook", "my laptop",
     "my (laptop OR personal computer OR notebook)"),
    ("case", "notebook,laptop", "Notebook", "Notebook"), ("every occurrence", "pc,laptop", "pc or pc",
     "(pc OR laptop) or (pc OR laptop)"), ("whole terms only", "pc,laptop", "pcs", "pcs"),
    ("only in one direction", "notebook,laptop", "laptop", "laptop"),
    ("several words go on behind the match", "personal computer,pc\nnotebook,laptop",
     "my personal computer and notebook", "my (personal computer OR pc) and (notebook OR laptop)"),
    ("the longest", "a b,x\na,y", "a b", "(a b OR x)"),
))  # fmt: skip
def a_synonym_becomes_alternatives(service, rules, query, expected):
    equal(rewritten(service, create(service, "synonym", rules), query), expected)


@claim("interface: Query Transform, synonym, quoted text; quirks: Query transforms", rows=rows(
    ("a word of a phrase", '"my notebook"', ['"my notebook"', '"my laptop"']),
    ("a phrase of one word", '"notebook"', ["notebook", "laptop"]),
))  # fmt: skip
def a_synonym_applies_in_quoted_text(service, query, expected):
    actual = rewritten(service, create(service, "synonym", "notebook,laptop"), query)
    for part in [*expected, " OR ", "(", ")"]:
        expect(part in actual, f"{part} is missing", actual)


BAG = "car,automobile, ride"


@claim("interface: Query Transform, synonym bag; core 2.5", rows=rows(
    ("the term", BAG, "car", "(car OR automobile OR ride)"),
    ("a member", BAG, "automobile", "(automobile OR car OR ride)"),
    ("the last member", BAG, "ride", "(ride OR car OR automobile)"), ("another word", BAG, "train", "train"),
    ("among words", BAG, "my car key", "my (car OR automobile OR ride) key"),
    ("a later row", "a,b\na,c", "a", "(a OR c)"),
))  # fmt: skip
def a_bag_makes_every_member_alternatives(service, rules, query, expected):
    equal(rewritten(service, create(service, "bag", rules), query), expected)


@claim("interface: Query Transform, synonym bag; quirks: Query transforms")
def a_bag_is_also_called_synonym_bag(service):
    body = {"name": "long", "qrx_type": "synonym bag", "config_content": BAG}
    service.admin.post(PATH, body).expect(201)
    for reference in ["long.synonym bag", "long.bag"]:
        equal(rewritten(service, reference, "ride"), "(ride OR car OR automobile)")


@claim("interface: Query Transform, references",
       rows=rows(("in a provider", "provider"), ("in the address", "address")))  # fmt: skip
def a_transform_is_named_by_name_and_type(service, place):
    reference = create(service, "rewrite", "tin,zinc")
    processors = [reference] if place == "provider" else []
    record = source.provider(service, f"Named {place}", items(1), query_processors=processors)
    params = {"pre_query_processor": reference} if place == "address" else {}
    service.admin.search("tin", providers=[record["id"]], **params)
    equal(source.queries(record), ["zinc"])


@claim("interface: What the service does 4.2, pre-query processors run once")
def a_rewritten_query_is_a_message(service):
    search = service.admin.run_search(
        "tin", searchprovider_list=["Anything"], pre_query_processors=[create(service, "rewrite", "tin,zinc")]
    )
    expect(any("rewrote query to: zinc" in line for line in search["messages"]), "no message", search["messages"])
    equal(search["query_string"], "tin")


@claim("decisions 3.1; quirks: Queries", rows=rows(("unknown", "nosuch.rewrite"), ("another type", "exists.synonym")))
def an_unknown_transform_is_refused_or_told(service, reference):
    service.admin.post(PATH, {"name": "exists", "qrx_type": "rewrite", "config_content": "a,b"}).expect(201, 409)
    body = {"query_string": "tin", "searchprovider_list": ["Anything"], "pre_query_processors": [reference]}
    answer = service.admin.post("/svc/search/", body).expect(201, 400)
    if answer.status == 400:
        error(answer, 400, field="pre_query_processors")
    else:
        search = service.admin.finished_search(answer.json()["id"])
        expect(any(reference in line for line in search["messages"]), "no message", search["messages"])


@claim("core 2.5; quirks: Query transforms", rows=rows(
    ("a leading wildcard", "rewrite", "*phone,mobile", "config_content"), ("unknown type", "nosuch", "a,b", "qrx_type"),
    ("a synonym without its synonym", "synonym", "notebook", "config_content"),
    ("no rules", "rewrite", None, "config_content"), ("rules as a list", "rewrite", ["a,b"], "config_content"),
))  # fmt: skip
def an_invalid_transform_is_refused(service, kind, rules, field):
    body = {"name": f"invalid{next(count)}", "qrx_type": kind, "config_content": rules}
    error(service.admin.post(PATH, body), 400, field=field)


@claim("core 9.5")
def name_and_type_exist_once(service):
    body = {"name": "once", "qrx_type": "rewrite", "config_content": "a,b"}
    service.admin.post(PATH, body).expect(201)
    error(service.admin.post(PATH, body), 409)
    service.admin.post(PATH, {**body, "qrx_type": "synonym"}).expect(201)


@claim("decisions 3.2")
def a_transform_is_read_edited_and_deleted(service):
    path = f"{PATH}{service.admin.post(PATH, {'name': 'edited', 'config_content': 'a,b'}).expect(201).json()['id']}/"
    equal(service.admin.get(path).json()["qrx_type"], "rewrite")
    service.admin.patch(path, {"config_content": "a,c"}).expect(200)
    equal(rewritten(service, "edited.rewrite", "a"), "c")
    service.admin.put(path, {"name": "edited", "qrx_type": "synonym", "config_content": "a,d"}).expect(200)
    equal(rewritten(service, "edited.synonym", "a"), "(a OR d)")
    service.admin.delete(path).expect(204)
    error(service.admin.get(path), 404)


@claim("interface: Query Transform; Authentication 2",
       rows=rows(("POST", "post"), ("PUT", "put"), ("DELETE", "delete")))  # fmt: skip
def only_an_administrator_manages_transforms(service, method):
    user = service.user(f"rules{method}")
    body = {"name": f"forbidden{method}", "qrx_type": "rewrite", "config_content": "a,b"}
    record = service.admin.post(PATH, body).expect(201).json()
    path = PATH if method == "post" else f"{PATH}{record['id']}/"
    options = {} if method == "delete" else {"body": {**body, "name": f"{body['name']}x"}}
    error(user.call(method.upper(), path, **options), 403)


FORM = "/svc/query_transform_form/"


def multipart(fields):
    parts = [
        f'--sep\r\nContent-Disposition: form-data; name="{name}"{attributes}\r\n\r\n{value}\r\n'
        for name, attributes, value in fields
    ]
    return "".join(parts) + "--sep--\r\n", {"Content-Type": "multipart/form-data; boundary=sep"}


def upload(client, name, kind, csv):
    fields = [("name", "", name), ("content_type", "", kind), ("file", '; filename="rules.csv"', csv)]
    body, headers = multipart(fields)
    return client.post(FORM, body, headers=headers)


@claim("interface: Query Transform, uploaded as CSV; core 2.5", rows=rows(
    ("rewrite", "rewrite", "tin,zinc\n", "tin", "zinc"), ("synonym", "synonym", "tin,zinc\n", "tin", "(tin OR zinc)"),
    ("bag", "bag", "tin,zinc\n", "zinc", "(zinc OR tin)"),
    ("quoted cells stay", "bag", '"tin, pure",zinc\n', "zinc", None),
    ("Windows lines", "rewrite", "tin,zinc\r\niron,steel\r\n", "tin iron", "zinc steel"),
    ("byte order mark", "rewrite", "\ufefftin,zinc\n", "tin", "zinc"),
))  # fmt: skip
def an_administrator_uploads_a_csv(service, kind, csv, query, expected):
    name = f"upload{next(count)}"
    upload(service.admin, name, kind, csv).expect(200, 201, 302, 303)
    stored = next(each for each in service.admin.get(PATH).json() if each["name"] == name)
    equal(stored["qrx_type"], kind)
    if expected is None:
        expect('"tin, pure"' in stored["config_content"], "the quotes are lost", stored["config_content"])
    else:
        equal(rewritten(service, f"{name}.{kind}", query), expected)


@claim("interface: Authentication 2; quirks: People", rows=rows(("user", True), ("nobody", False)))
def nobody_else_uploads_a_csv(service, signed_in):
    client = service.user("uploader") if signed_in else service.nobody
    answer = upload(client, "foreign", "rewrite", "a,b\n")
    expect(answer.status in ((403,) if signed_in else (401, 303)), "it was not refused", answer.status)
    expect("foreign" not in [each["name"] for each in service.admin.get(PATH).json()], "it was stored")


@claim("core 2.5, an invalid pattern must not crash the search")
def hostile_patterns_are_text(service):
    for pattern in ["(", "[a", "a{9999999}", "(a+)+$", "\\"]:
        reference = create(service, "rewrite", f"{pattern},x")
        eventually(lambda reference=reference: rewritten(service, reference, "copper wire") == "copper wire", 5)
