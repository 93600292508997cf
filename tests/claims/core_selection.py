"""Which providers a search asks: by list, default, tags of the query, and permission."""

from harness import Row, Source, claim, equal, eventually, expect

# The providers of the tables, in the order of their ids: name, default, tags, active.
PROVIDERS = [
    ("A", True, ["News"], True), ("B", True, ["Web"], True), ("C", False, ["Company"], True), ("D", False, ["News"], True),
    ("Digits", False, ["10", "http", "std", "2025"], True), ("2024", False, [], True), ("Off", True, ["News", "Off"], False),
]  # fmt: skip
IDS = {}
SOURCE = Source()


def prepare(service):
    SOURCE.__enter__()
    for provider in service.admin.get("/svc/searchproviders/").json():
        service.admin.patch(f"/svc/searchproviders/{provider['id']}/", {"active": False}).expect(200)
    for name, default, tags, active in PROVIDERS:
        IDS[name] = create(service, name, default=default, tags=tags, active=active)["id"]


def finish():
    SOURCE.__exit__()


def create(service, name, **fields):
    path = f"/{name.replace(' ', '-')}"
    url = SOURCE.route(path, {"items": [{"title": f"About {name}", "body": "x", "url": f"https://example.org/{name}"}]})
    return service.admin.create_provider(name=name, url=url, **fields)


def asked(response):
    """The names of the providers that the response reports about."""
    return sorted(name for name, entry in response["info"].items() if isinstance(entry, dict) and "filter_url" in entry)


def selected(service, query, chosen):
    search = service.admin.run_search(query, searchprovider_list=chosen)
    response = service.admin.results(search["id"])
    return search, response


@claim("core 1b, worked example", rows=[
    Row("no tag", ("rates", [], "AB")),
    Row("tag at the beginning", ("news:rates", [], "AD")),
    Row("tag in capitals with a space", ("NEWS: rates", [], "AD")),
    Row("tag of a provider that is no default", ("rates company:acme", [], "ABC")),
    Row("two tags", ("news:rates company:acme", [], "ACD")),
    Row("misspelled tag", ("nwes:rates", [], "AB")),
    Row("list with a tag", ("rates", ["company"], "C")),
    Row("list with a name and a tag in the query", ("news:rates", ["B"], "ABD")),
])  # fmt: skip
def the_tables_of_selection_hold(service, query, chosen, names):
    search, response = selected(service, query, chosen)
    equal(asked(response), sorted(names), f"{query} {chosen}")
    equal(response["info"]["completeness"]["asked"], len(names))
    equal(search["status"], "FULL_RESULTS_READY")
    equal(sorted(each["searchprovider"] for each in response["results"]), sorted(names))


@claim("core 1a and 1b", rows=[
    Row("tag only of one default", ("web:rates", [], ["B"])),
    Row("text after a second colon", ("rates company:acme:b", [], ["A", "B", "C"])),
    Row("tag in mixed case", ("rates cOmPaNy:acme", [], ["A", "B", "C"])),
    Row("later tag of a default excludes nobody", ("rates web:x", [], ["A", "B"])),
    Row("colon alone at the end", ("rates company:", [], ["A", "B", "C"])),
    Row("tag inside parentheses", ("rates (company:acme OR company:apex)", [], ["A", "B", "C"])),
    Row("name in lower case", ("rates", ["a"], ["A"])),
    Row("id as a text", ("rates", [lambda: str(IDS["C"])], ["C"])),
    Row("id as a number", ("rates", [lambda: IDS["C"]], ["C"])),
    Row("number first, then a tag and a name", ("rates", [lambda: IDS["B"], "company", "a"], ["A", "B", "C"])),
    Row("text first, then a number", ("rates", ["company", lambda: IDS["B"]], ["B", "C"])),
    Row("tag that two providers have", ("rates", ["NEWS"], ["A", "D"])),
    Row("all forms of one provider", ("rates", ["A", "a", lambda: IDS["A"], lambda: str(IDS["A"])], ["A"])),
    Row("number that is a name", ("rates", [2024], ["2024"])),
    Row("number that is a tag", ("rates", [2025], ["Digits"])),
    Row("a tag of the query adds to a list", ("company:acme", ["A"], ["A", "C"])),
    Row("default does not matter in a list", ("rates", ["D"], ["D"])),
    Row("inactive beside an active one", ("rates", [lambda: IDS["Off"], "A"], ["A"])),
])  # fmt: skip
def lists_and_tags_are_compared_in_every_form(service, query, chosen, names):
    chosen = [each() if callable(each) else each for each in chosen]
    _, response = selected(service, query, chosen)
    equal(asked(response), sorted(names), f"{query} {chosen}")


@claim("core 1, with the differences of quirks: words in quotes, schemes, times and names have no tags", rows=[
    Row("in quotes", ('rates "company:acme"',)),
    Row("scheme of a URL", ("rates http://example.org/x",)),
    Row("time", ("rates 10:30",)),
    Row("name with two colons", ("rates std::vector",)),
    Row("quotes at the beginning", ('"news:fed" rates',)),
    Row("URL at the beginning", ("http://example.org/x rates",)),
    Row("time at the beginning", ("10:30 rates",)),
])  # fmt: skip
def words_without_tags_select_nobody(service, query):
    _, response = selected(service, query, [])
    equal(asked(response), ["A", "B"], query)


@claim("core 1a: an inactive provider never matches; decisions 3.7: a search that cannot run says why", rows=[
    Row("id of an inactive provider", (lambda: IDS["Off"],)),
    Row("name of an inactive provider", ("Off",)),
    Row("tag of an inactive provider only", ("off",)),
    Row("unknown name", ("Nobody",)),
    Row("unknown id", (987654321,)),
    Row("id zero", (0,)),
    Row("negative id", (-1,)),
])  # fmt: skip
def a_search_without_providers_ends_in_an_error_status(service, chosen):
    search, response = selected(service, "rates", [chosen() if callable(chosen) else chosen])
    equal(search["status"], "ERR_NO_SEARCHPROVIDERS")
    equal(response["results"], [])
    equal(response["info"]["results"]["found_total"], 0)
    expect(any("provider" in line.lower() or "source" in line.lower() for line in response["messages"]),
           "no message says why", response["messages"])  # fmt: skip


@claim("core 1, with the difference of quirks: a message names what no source has")
def a_message_names_an_unknown_entry_of_the_list(service):
    _, response = selected(service, "rates", ["Nobodi", "A"])
    equal(asked(response), ["A"])
    expect(any("Nobodi" in line for line in response["messages"]), "not named", response["messages"])


@claim("core 1: URL form, with the difference of quirks about spaces", rows=[
    Row("names", ("A,C", ["A", "C"])),
    Row("space after the comma", ("A, C", ["A", "C"])),
    Row("tags", ("news,company", ["A", "C", "D"])),
    Row("one name", ("B", ["B"])),
    Row("empty", ("", ["A", "B"])),
    Row("empty pieces", ("A,,C,", ["A", "C"])),
])  # fmt: skip
def the_parameter_providers_is_a_list(service, providers, names):
    equal(asked(service.admin.search("rates", providers=providers)), names, providers)


@claim("core 1: the raw query selects, before pre-query processing")
def a_tag_that_a_transform_adds_selects_nobody(service):
    rule = {"name": "adds-tag", "qrx_type": "rewrite", "config_content": "zebra,company:zebra"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    search = service.admin.run_search("zebra", pre_query_processors=["adds-tag.rewrite"])
    response = service.admin.results(search["id"])
    equal(asked(response), ["A", "B"])
    equal(response["info"]["A"]["query_string_to_provider"], "company:zebra")


@claim("core 1: the raw query selects, before pre-query processing")
def a_tag_that_a_transform_removes_still_selects(service):
    rule = {"name": "drops-tag", "qrx_type": "rewrite", "config_content": "acme,apex"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    search = service.admin.run_search("rates company:acme", pre_query_processors=["drops-tag.rewrite"])
    equal(asked(service.admin.results(search["id"])), ["A", "B", "C"])


@claim("core 1: a blank query is a 400 in every form", rows=[
    Row("q", ("GET", {"q": " "}, None)), Row("qs", ("GET", {"qs": " "}, None)), Row("empty qs", ("GET", {"qs": ""}, None)),
    Row("tab and line break", ("GET", {"qs": "\t\n"}, None)), Row("no-break space", ("GET", {"qs": "\u00a0"}, None)),
    Row("POST", ("POST", None, {"query_string": "  "})), Row("POST empty", ("POST", None, {"query_string": ""})),
    Row("POST null", ("POST", None, {"query_string": None})), Row("POST number", ("POST", None, {"query_string": 5})),
    Row("POST nothing", ("POST", None, {})),
])  # fmt: skip
def blank_queries_are_refused(service, method, params, body):
    answer = service.admin.call(method, "/svc/search/", body, params=params).expect(400).json()
    expect(answer.get("detail") and answer.get("code") and answer.get("request_id"), "not the shape of errors", answer)


@claim("core 1: own or shared providers; interface: shared false is for members of groups", rows=[
    Row("member by name", ("member", ["Circle"], ["Circle"])),
    Row("member by tag", ("member", ["inner"], ["Circle"])),
    Row("member by id", ("member", [lambda: IDS["Circle"]], ["Circle"])),
    Row("stranger by name", ("stranger", ["Circle"], [])),
    Row("stranger by tag", ("stranger", ["inner"], [])),
    Row("stranger by id", ("stranger", [lambda: IDS["Circle"]], [])),
    Row("stranger by a tag of the query", ("stranger", None, ["A", "B"])),
    Row("member by a tag of the query", ("member", None, ["A", "B", "Circle"])),
    Row("administrator", ("admin", ["Circle"], ["Circle"])),
])  # fmt: skip
def groups_decide_who_can_ask_a_provider(service, who, chosen, names):
    if "Circle" not in IDS:
        service.admin.post("/svc/groups/", {"name": "circle"}).expect(201)
        IDS["member"], IDS["stranger"] = service.user("member", groups=["circle"]), service.user("stranger")
        fields = {"shared": False, "groups": ["circle"], "tags": ["inner"], "default": False}
        IDS["Circle"] = create(service, "Circle", **fields)["id"]
    client = service.admin if who == "admin" else IDS[who]
    chosen = [each() if callable(each) else each for each in chosen or []]
    search = client.run_search("rates inner:x" if not chosen else "rates", searchprovider_list=chosen)
    response = client.results(search["id"])
    equal(asked(response), names)
    equal(search["status"], "FULL_RESULTS_READY" if names else "ERR_NO_SEARCHPROVIDERS")


@claim("core 1a: default has no meaning in a list; the source itself sees one request for each run")
def a_provider_that_is_listed_twice_is_asked_once(service):
    before = len(SOURCE.asked("/C"))
    selected(service, "once only", ["C", "company", IDS["C"], str(IDS["C"]), "c"])
    eventually(lambda: len(SOURCE.asked("/C")) > before, 5, "C was not asked")
    equal(len(SOURCE.asked("/C")) - before, 1)
