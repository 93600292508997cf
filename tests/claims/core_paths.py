"""The paths of response and result mappings."""

from harness import Row, claim, equal, expect
from harness.one_provider import ask, refused


def looked_up(service, path, item):
    """The author that this path finds in an item; the title is constant."""
    asked = ask(service, respond={"items": [item]}, result_mappings=f"title='T',author={path},NO_PAYLOAD",
                result_processors=["MappingResultProcessor"])  # fmt: skip
    equal(asked.status, "ok", str(asked.info.get("error")))
    return asked.first["author"]


@claim("core 3.10, table, with the differences of quirks", rows=[
    Row("name", ("a", {"a": "x"}, "x")), Row("dotted", ("a.b.c", {"a": {"b": {"c": "x"}}}, "x")),
    Row("hyphen", ("a-b.c-d", {"a-b": {"c-d": "x"}}, "x")), Row("underscore first", ("_source._id", {"_source": {"_id": "x"}}, "x")),
    Row("at sign first", ("header.@attributes.total_documents", {"header": {"@attributes": {"total_documents": "x"}}}, "x")),
    Row("digits inside", ("h1.b2b", {"h1": {"b2b": "x"}}, "x")),
    Row("name on a list", ("a.b", {"a": [{"b": "x"}]}, "")),
    Row("name on a text", ("a.b", {"a": "x"}, "")),
    Row("missing", ("a.z", {"a": {"b": "x"}}, "")),
    Row("index", ("a[1]", {"a": ["x", "y", "z"]}, "y")), Row("index zero", ("a[0].b", {"a": [{"b": "x"}, {"b": "y"}]}, "x")),
    Row("negative index", ("a[-1]", {"a": ["x", "y", "z"]}, "z")), Row("slice", ("a[0:2]", {"a": ["x", "y", "z"]}, "x y")),
    Row("slice from", ("a[1:]", {"a": ["x", "y", "z"]}, "y z")), Row("slice to", ("a[:1]", {"a": ["x", "y", "z"]}, "x")),
    Row("negative slice", ("a[-2:]", {"a": ["x", "y", "z"]}, "y z")), Row("slice beyond the end", ("a[1:9]", {"a": ["x", "y"]}, "y")),
    Row("index beyond the end", ("a[3]", {"a": ["x"]}, "")), Row("negative index beyond the start", ("a[-3]", {"a": ["x"]}, "")),
    Row("index of null", ("a[0]", {"a": None}, "")), Row("index of an object", ("a[0].b", {"a": {"b": "x"}}, "x")),
    Row("index one of an object", ("a[1].b", {"a": {"b": "x"}}, "")), Row("index of a text", ("a[0]", {"a": "xyz"}, "xyz")),
    Row("all of a list", ("a[*]", {"a": ["x", "y"]}, "x y")), Row("all of objects", ("a[*].b", {"a": [{"b": "x"}, {"b": "y"}]}, "x y")),
    Row("all of all", ("a[*].b[*].c", {"a": [{"b": [{"c": "x"}, {"c": "y"}]}, {"b": [{"c": "z"}]}]}, "x y z")),
    Row("all, some missing", ("a[*].b", {"a": [{"b": "x"}, {"c": "n"}, {"b": "y"}]}, "x y")),
    Row("all of an object", ("a[*].b", {"a": {"b": "x"}}, "x")), Row("all of a text", ("a[*]", {"a": "x"}, "x")),
    Row("all of null", ("a[*]", {"a": None}, "")), Row("all of an empty list", ("a[*]", {"a": []}, "")),
    Row("object values are not iterated", ("a[*].v.w", {"a": {"k": {"v": {"w": "x"}}}}, "")),
    Row("quoted name", ("a[*].['og:type']", {"a": [{"og:type": "x"}]}, "x")), Row("quoted name without a dot", ("a['b c']", {"a": {"b c": "x"}}, "x")),
    Row("quoted name first", ("['arxiv:comment'][*].['#text']", {"arxiv:comment": {"#text": "x"}}, "x")),
    Row("quoted with dots", ("['a.b'].c", {"a.b": {"c": "x"}}, "x")), Row("quoted in another script", ("['名']", {"名": "x"}, "x")),
    Row("dollar and brackets", ("$['x'][0]['#text']", {"x": [{"#text": "y"}]}, "y")), Row("dollar", ("$.a[0].b", {"a": [{"b": "x"}]}, "x")),
    Row("name in brackets", ("a[description].b[*].c", {"a": {"description": {"b": [{"c": "x"}]}}}, "x")),
    Row("space behind the equals sign", (" a", {"a": "x"}, "x")), Row("quoted word of the grammar", ("['where'].b", {"where": {"b": "x"}}, "x")),
    Row("quoted comma", ("['a,b']", {"a,b": "x"}, "x")),
])  # fmt: skip
def paths_find_values(service, path, item, expected):
    equal(looked_up(service, path, item), expected)


@claim("core 3.10 and quirks: paths that are refused", rows=[Row(each, (each,)) for each in [
    "a b", "a:b", "a#b", "a..b", "a.*", "*", "a[", "a]", "a['b", "a[b", "a[?(@.b)]", "a[1:2:0]", "a[x:y]", "a.", ".a", "a[]", "`parent`",
]])  # fmt: skip
def paths_that_cannot_work_are_refused(service, path):
    for fields in [{"result_mappings": f"title=title,author={path}"}, {"response_mappings": f"RESULTS={path}"}]:
        answer = refused(service, **fields).expect(400).json()
        expect(next(iter(fields)) in (answer.get("errors") or {}), "the field is not named", answer)
