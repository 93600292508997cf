"""Query transforms: rules of each type, their records, and who can use them."""

import itertools

from harness import Row, claim, equal, expect
from harness.one_provider import ask, refused

NUMBERS = itertools.count(1)


def transform(service, kind, content, **fields):
    record = {"name": f"rules{next(NUMBERS)}", "qrx_type": kind, "config_content": content, **fields}
    return service.admin.post("/svc/querytransforms/", record).expect(201).json()


def transformed(service, kind, content, query):
    """The query as a provider with only this transform gets it."""
    made = transform(service, kind, content)
    return ask(service, query, query_processors=[f"{made['name']}.{kind}"]).query


@claim("core 2.5, rewrite, with the differences of quirks", rows=[
    Row("first of several patterns", ("mobiles; ombile; mo bile,mobile", "mobiles phone", "mobile phone")),
    Row("second pattern", ("mobiles; ombile; mo bile,mobile", "ombile phone", "mobile phone")),
    Row("pattern of two words", ("mobiles; ombile; mo bile,mobile", "mo bile phone", "mobile phone")),
    Row("removed word", ("of,", "off offer of", "off offer")),
    Row("removed word in the middle", ("of,", "piece of cake", "piece cake")),
    Row("one cell", ("foo", "food foo", "food")),
    Row("phrase of two words", ("cheapest smartphones,cheap smartphone", "cheapest smartphones now", "cheap smartphone now")),
    Row("wildcard", ("tele*,phone", "telephone telegram tele x", "phone phone phone x")),
    Row("wildcard inside", ("col*r,hue", "colour color collar cold", "hue hue hue cold")),
    Row("wildcard stops at the end of the word", ("tele*,phone", "telephone call", "phone call")),
    Row("every occurrence", ("tin,zinc", "tin and tin", "zinc and zinc")),
    Row("order of the rules", ("tin,zinc\nzinc,lead", "tin", "lead")),
    Row("order of the rules, reversed", ("zinc,lead\ntin,zinc", "tin", "zinc")),
    Row("lower case matches any case", ("tin,zinc", "Tin TIN tin", "zinc zinc zinc")),
    Row("capital matches exactly", ("Tin,zinc", "Tin TIN tin", "zinc TIN tin")),
    Row("comments and empty rows", ("# tin,comment\n\ntin,zinc\n", "tin", "zinc")),
    Row("no header", ("pattern,replacement\ntin,zinc", "pattern tin", "replacement zinc")),
    Row("comma in a quoted cell", ('big,"huge, really"', "big", "huge, really")),
    Row("cells after the second", ("tin,zinc,lead", "tin", "zinc")),
    Row("spaces around cells", ("  tin  ,  zinc  ", "tin", "zinc")),
    Row("no rule matches", ("tin,zinc", "copper,  wire <i>x</i>!", "copper,  wire <i>x</i>!")),
    Row("parenthesis is literal", ("f(x),function", "f(x) plot", "function plot")),
    Row("plus signs are literal", ("c++,cpp", "c++ code", "cpp code")),
    Row("dot is literal", ("a.c,abc", "abc a.c", "abc abc")),
    Row("bracket is literal", ("[a-z],word", "q [a-z] q", "q word q")),
    Row("capturing group in a replacement", ("tin,$1 \\1", "tin", "$1 \\1")),
    Row("other script", ("ванна,душ", "ванна комната", "душ комната")),
    Row("inside a word of another script", ("кот,пёс", "который кот", "который пёс")),
    Row("line ends of Windows", ("tin,zinc\r\nlead,iron\r\n", "tin lead", "zinc iron")),
])  # fmt: skip
def rewrite_replaces_whole_words(service, content, query, expected):
    equal(transformed(service, "rewrite", content, query), expected)


@claim("core 2.5, synonym, with the differences of quirks", rows=[
    Row("one", ("notebook,laptop", "notebook", "(notebook OR laptop)")),
    Row("two rows of one term", ("laptop,personal computer\nlaptop,notebook", "my laptop",
                                 "my (laptop OR personal computer OR notebook)")),
    Row("phrase that is a term", ("pc,personal computer", '"pc"', '" (pc OR personal computer) "')),
    Row("scan goes on behind a match", ("personal computer,pc\nnotebook,laptop", "my personal computer and notebook",
                                        "my (personal computer OR pc) and (notebook OR laptop)")),
    Row("longest match first", ("new,fresh\nnew york,NYC", "new york new", "(new york OR NYC) (new OR fresh)")),
    Row("in a phrase", ("notebook,laptop", '"my notebook"', '("my notebook" OR "my laptop")')),
    Row("behind a tag", ("notebook,laptop", "news:notebook", "news:(notebook OR laptop)")),
    Row("only whole terms", ("notebook,laptop", "notebooks subnotebook", "notebooks subnotebook")),
    Row("every occurrence", ("notebook,laptop", "notebook and notebook", "(notebook OR laptop) and (notebook OR laptop)")),
    Row("cells after the second", ("car,automobile,ride", "car", "(car OR automobile)")),
    Row("only in one direction", ("notebook,laptop", "laptop", "laptop")),
    Row("term in parentheses", ("notebook,laptop", "(notebook OR tablet)", "((notebook OR laptop) OR tablet)")),
    Row("excluded term", ("notebook,laptop", "tablet -notebook", "tablet -notebook")),
])  # fmt: skip
def synonym_adds_alternatives(service, content, query, expected):
    # Spaces beside parentheses mean nothing.
    found = transformed(service, "synonym", content, query)
    equal(found.replace("( ", "(").replace(" )", ")"), expected)


@claim("core 2.5, bag", rows=[
    Row("member in the middle", ("car,automobile, ride", "automobile", "(automobile OR car OR ride)")),
    Row("first member", ("car,automobile, ride", "my car", "my (car OR automobile OR ride)")),
    Row("last member", ("car,automobile, ride", "ride", "(ride OR car OR automobile)")),
    Row("member of a later row", ("car,automobile\ncar,wagon", "car", "(car OR wagon)")),
    Row("member of an earlier row only", ("car,automobile\ncar,wagon", "automobile", "(automobile OR car)")),
    Row("member of two words", ("pc,personal   computer", "my personal computer", "my (personal computer OR pc)")),
    Row("no member", ("car,automobile", "cars", "cars")), Row("row of one cell", ("car\nbus,coach", "car bus", "car (bus OR coach)")),
])  # fmt: skip
def bag_adds_the_other_members(service, content, query, expected):
    equal(transformed(service, "bag", content, query), expected)


@claim("quirks: operators and parts of times, URLs and names are no words", rows=[
    Row("operator", ("or,oder", "tin OR lead", "tin OR lead")),
    Row("operator in capitals", ("OR,AND", "tin OR lead", "tin AND lead")),
    Row("time", ("10,ten", "10:30 train", "10:30 train")), Row("name with two colons", ("vector,array", "std::vector x", "std::vector x")),
    Row("URL", ("example,sample", "https://example.org/ example", "https://example.org/ sample")),
])  # fmt: skip
def rules_leave_operators_and_names_alone(service, content, query, expected):
    equal(transformed(service, "rewrite", content, query), expected)


@claim("core 2.5: patterns that cannot work are refused, with their line", rows=[
    Row("leading wildcard", ("rewrite", "*phone,phone")), Row("leading wildcard in a later pattern", ("rewrite", "tin; *phone,phone")),
    Row("leading wildcard in a later row", ("rewrite", "tin,zinc\n*x,y")), Row("wildcard alone", ("rewrite", "*,x")),
    Row("synonym of one cell", ("synonym", "notebook")),
])  # fmt: skip
def rules_that_cannot_work_are_refused(service, kind, content):
    record = {"name": f"bad{next(NUMBERS)}", "qrx_type": kind, "config_content": content}
    answer = service.admin.post("/svc/querytransforms/", record).expect(400).json()
    expect("config_content" in (answer.get("errors") or {}), "the field is not named", answer)
    line = content.count("\n") + 1
    expect(str(line) in str(answer["errors"]["config_content"]), f"line {line} is not named", answer)


@claim("core 2.5: rows that are skipped", rows=[
    Row("empty first cell", (",zinc\ntin,lead",)), Row("comment", ("#*x,y\ntin,lead",)), Row("empty rows", ("\n\n,\ntin,lead\n\n",)),
])  # fmt: skip
def some_rows_are_skipped(service, content):
    equal(transformed(service, "rewrite", content, "zinc tin"), "zinc lead")


@claim("core 2.5: invalid expressions never break a search", rows=[Row(each, (each,)) for each in [
    "(", "[", "a{2", "?x", "+", "\\", "(?P<a>x)", "x|y", "^", "$",
]])  # fmt: skip
def odd_patterns_are_harmless(service, pattern):
    record = {"name": f"odd{next(NUMBERS)}", "qrx_type": "rewrite", "config_content": f"{pattern},z"}
    made = service.admin.post("/svc/querytransforms/", record).expect(201, 400)
    if made.status == 201:
        asked = ask(service, "aab copper", query_processors=[f"{record['name']}.rewrite"])
        equal(asked.query, "aab copper")
        equal(asked.status, "ok")


@claim("core 2.1 and decisions: the type is bag or synonym bag", rows=[
    Row("saved and named bag", ("bag", "bag")), Row("saved as bag, named synonym bag", ("bag", "synonym bag")),
    Row("saved as synonym bag, named bag", ("synonym bag", "bag")), Row("saved and named synonym bag", ("synonym bag", "synonym bag")),
])  # fmt: skip
def both_spellings_of_bag_work(service, saved, named):
    made = transform(service, saved, "car,automobile")
    for search, processors in [({"pre_query_processors": [f"{made['name']}.{named}"]}, []), (None, [f"{made['name']}.{named}"])]:
        equal(ask(service, "car", search=search, query_processors=processors).query, "(car OR automobile)")


@claim("core 2.5: unknown types", rows=[Row(str(each), (each,)) for each in ["nosuch", "", None, 5, "Rewrite", "synonyms"]])
def unknown_types_are_refused(service, kind):
    record = {"name": f"kind{next(NUMBERS)}", "qrx_type": kind, "config_content": "a,b"}
    service.admin.post("/svc/querytransforms/", record).expect(400)


@claim("core 2.5: name and type are unique together")
def name_and_type_are_unique_together(service):
    record = {"name": "unique", "qrx_type": "synonym", "config_content": "a,b"}
    service.admin.post("/svc/querytransforms/", record).expect(201)
    service.admin.post("/svc/querytransforms/", record).expect(409)
    service.admin.post("/svc/querytransforms/", {**record, "qrx_type": "rewrite"}).expect(201)
    equal(ask(service, "a", query_processors=["unique.synonym"]).query, "(a OR b)")
    equal(ask(service, "a", query_processors=["unique.rewrite"]).query, "b")


@claim("core 2.1: a name with a dot could not be referred to", rows=[Row(each, (each,)) for each in ["a.b", ".", "", "  "]])
def names_that_cannot_be_referred_to_are_refused(service, name):
    record = {"name": name, "qrx_type": "rewrite", "config_content": "a,b"}
    answer = service.admin.post("/svc/querytransforms/", record).expect(400).json()
    expect("name" in (answer.get("errors") or {}), "the field is not named", answer)


@claim("core 2.1: spaces around name and type")
def spaces_around_name_and_type_are_removed(service):
    made = transform(service, "rewrite", "tin,zinc")
    equal(ask(service, "tin", search={"pre_query_processors": [f" {made['name']} . rewrite "]}).query, "zinc")


@claim("core 2.1: the name must match exactly")
def the_case_of_the_name_matters(service):
    transform(service, "rewrite", "tin,zinc", name="CaseMatters")
    refused(service, query_processors=["casematters.rewrite"]).expect(400)


@claim("quirks: usable by the owner, by all if shared, and by administrators", rows=[
    Row("shared", ("reader1", {"shared": True}, 201, "zinc")), Row("shared unless it is set", ("reader2", {}, 201, "zinc")),
    Row("not shared", ("reader3", {"shared": False}, 400, None)),
])  # fmt: skip
def transforms_that_are_not_shared_are_their_owners(service, name, fields, status, expected):
    client, made = service.user(name), transform(service, "rewrite", "tin,zinc", **fields)
    body = {"query_string": "tin", "pre_query_processors": [f"{made['name']}.rewrite"]}
    created = client.post("/svc/search/", body).expect(status).json()
    if expected:
        search = client.finished_search(created["id"])
        expect(any(line.endswith(f"rewrote query to: {expected}") for line in search["messages"]), "not used", search["messages"])


@claim("core 2.5: upload, with the differences of quirks")
def an_uploaded_file_is_stored_as_it_is(service):
    for content, expected in [('tin,"zinc, pure"\n', "zinc, pure"), ("tin,lead\n", "lead")]:
        upload(service.admin, "uploaded", "rewrite", content).expect(200, 201, 302, 303)
        equal(ask(service, "tin", query_processors=["uploaded.rewrite"]).query, expected)
        saved = [each for each in service.admin.get("/svc/querytransforms/").json() if each["name"] == "uploaded"]
        equal([each["config_content"] for each in saved], [content])


@claim("core 2.5: upload, permission")
def only_administrators_upload(service):
    upload(service.user("uploader"), "mine", "rewrite", "a,b").expect(403)
    upload(service.nobody, "mine", "rewrite", "a,b").expect(401)


def upload(client, name, kind, content):
    mark = "----claims"
    parts = [("name", "", name), ("content_type", "", kind), ("file", '; filename="rules.csv"', content)]
    body = "".join(f'--{mark}\r\nContent-Disposition: form-data; name="{field}"{more}\r\n\r\n{value}\r\n' for field, more, value in parts)
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    return client.post("/svc/query_transform_form/", f"{body}--{mark}--\r\n", headers=headers)
