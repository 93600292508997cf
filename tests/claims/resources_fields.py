"""Fields of the resources: defaults, limits, uniqueness and what cannot be written."""

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers

STATE = {"count": 0}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def unique(word):
    STATE["count"] += 1
    return f"{word} {STATE['count']}"


PROVIDER_DEFAULTS = {
    "shared": True, "active": True, "default": True, "authenticator": "", "connector": "RequestsGet",
    "query_template": "{url}?q={query_string}",
    "http_request_headers": {}, "query_processors": ["AdaptiveQueryProcessor"], "query_mappings": "",
    "result_grouping_field": "",
    "result_processors": ["MappingResultProcessor", "DateFinderResultProcessor", "CosineRelevancyResultProcessor"],
    "response_mappings": "", "result_mappings": "", "results_per_query": 10, "tags": [], "groups": [],
    "description": "", "config": {},
}  # fmt: skip


@claim(
    "core 9.2; interface: SearchProvider; decisions 3.17",
    rows=[Row(name, (name, value)) for name, value in PROVIDER_DEFAULTS.items()],
)  # fmt: skip
def a_provider_has_this_default(service, name, value):
    if "defaults" not in STATE:
        body = {"name": "defaults", "url": "http://x.example/"}
        STATE["defaults"] = service.admin.post("/svc/searchproviders/", body).expect(201).json()
    equal(STATE["defaults"][name], value)


SEARCH_DEFAULTS = {
    "sort": "relevancy", "results_requested": 10, "searchprovider_list": [], "subscribe": False, "status": "NEW_SEARCH",
    "pre_query_processors": [],
    "query_processors": [], "result_processors": [], "post_result_processors": [],
    "result_mixer": "RelevancyConfidenceMixer", "retention": 0, "tags": [],
    "query_string": "copper", "owner": "admin",
}  # fmt: skip


@claim("core 9.3; interface: Search", rows=[Row(name, (name, value)) for name, value in SEARCH_DEFAULTS.items()])
def a_search_has_this_default(service, name, value):
    if "search" not in STATE:
        STATE["search"] = service.admin.post("/svc/search/", {"query_string": "copper"}).expect(201).json()
    equal(STATE["search"][name], value)


def provider(**fields):
    return {"name": unique("limit"), "connector": "RequestsGet", "url": "http://x.example/", **fields}


@claim("core 9.2; decisions 3.11, 3.17: limits of a provider", rows=[
    Row("name 200", ("name", "n" * 200, 201)), Row("name 201", ("name", "n" * 201, 400)),
    Row("name blank", ("name", "  ", 400)),
    Row("url 2048", ("url", "http://x.example/" + "u" * 2031, 201)),
    Row("url 2049", ("url", "http://x.example/" + "u" * 2032, 400)),
    Row("description 2000", ("description", "d" * 2000, 201)),
    Row("description 2001", ("description", "d" * 2001, 400)),
    Row("results 1000", ("results_per_query", 1000, 201)), Row("results 1001", ("results_per_query", 1001, 400)),
    Row("results 0", ("results_per_query", 0, 400)), Row("results text", ("results_per_query", "many", 400)),
    Row("tags text", ("tags", "news", 400)), Row("groups text", ("groups", "metals", 400)),
    Row("active text", ("active", "maybe", 400)),
    Row("headers list", ("http_request_headers", ["a"], 400)),
    Row("connector unknown", ("connector", "NoSuchConnector", 400)),
    Row("connector case", ("connector", "requestsget", 400)),
    Row("connector Vespa rest", ("connector", "VespaRestSearch", 400)),
    Row("connector ChatGPT", ("connector", "ChatGPT", 400)),
    Row("query processor unknown", ("query_processors", ["NoSuchProcessor"], 400)),
    Row("path with ..", ("response_mappings", "RESULTS=a..b", 400)),
    Row("path unclosed", ("result_mappings", "title=a[0", 400)),
    Row("found alone", ("response_mappings", "FOUND=total", 400)),
    Row("page without variable", ("query_mappings", "PAGE=start=1", 400)),
    Row("command unknown", ("result_mappings", "title=title,NO_PAYLOADS", 400)),
    Row("config rag", ("config", {"swirl": {"rag": {"swirl_rag_max_to_consider": "x"}}}, 400)),
    Row("config strategy", ("config", {"swirl": {"rag": {"swirl_rag_distribution_strategy": "any"}}}, 400)),
    Row("config calendar", ("config", {"swirl": {"google_calendar": {"calendar_lookback_days": "x"}}}, 400)),
    Row("config method", ("config", {"swirl": {"fetch_url_body": {"body_pagefetch_generation_method": "NONE"}}}, 400)),
    Row("config allowed", ("config", {"swirl": {"rag": {"swirl_rag_distribution_strategy": "roundrobin"}}}, 201)),
    Row("no url", ("url", "", 400)), Row("url of a file", ("url", "file:///etc/passwd", 400)),
])  # fmt: skip
def fields_of_a_provider_are_checked(service, field, value, status):
    response = service.admin.post("/svc/searchproviders/", provider(**{field: value})).expect(status)
    if status == 400:
        expect(
            field in response.json().get("errors", {}) or field in response.json()["detail"], "the field is not named",
            response.text,
        )  # fmt: skip


@claim(
    "interface: names are unique",
    rows=[
        Row("equal", (lambda name: name,)), Row("other case", (str.upper,)),
        Row("spaces around", (lambda name: f" {name} ",)),
    ],
)  # fmt: skip
def names_of_providers_are_unique(service, change):
    body = provider(name=unique("twin"))
    service.admin.post("/svc/searchproviders/", body).expect(201)
    service.admin.post("/svc/searchproviders/", {**body, "name": change(body["name"])}).expect(409)
    equal(
        len(
            [
                each for each in service.admin.get("/svc/searchproviders/").json()
                if each["name"].strip().lower() == body["name"]
            ]
        ),
        1,
    )  # fmt: skip


@claim("interface: POST takes one provider or a list of them")
def a_list_of_providers_can_be_created(service):
    created = service.admin.post("/svc/searchproviders/", [provider(), provider()]).expect(201).json()
    equal([isinstance(each["id"], int) for each in created], [True, True])
    names = [unique("all or none"), ""]
    service.admin.post("/svc/searchproviders/", [provider(name=name) for name in names]).expect(400)
    equal(
        [each for each in service.admin.get("/svc/searchproviders/").json() if each["name"] == names[0]], [],
        "half of the list was saved",
    )  # fmt: skip


@claim(
    "core 11.2: unknown members are accepted",
    rows=[
        Row(name, (name,))
        for name in [
            "query_processor", "result_processor", "post_query_template_json", "query_language",
            "ephemeral_store_config_json", "swirl",
        ]
    ],
)  # fmt: skip
def unknown_members_are_ignored(service, name):
    service.admin.post("/svc/searchproviders/", provider(**{name: "x"})).expect(201)


@claim("interface: Search; decisions 3.11: limits of a search", rows=[
    Row("query 2048", ("query_string", "q" * 2048, 201)), Row("query 2049", ("query_string", "q" * 2049, 400)),
    Row("query blank", ("query_string", " \t\n", 400)),
    Row("query empty", ("query_string", "", 400)), Row("query number", ("query_string", 7, 400)),
    Row("query null", ("query_string", None, 400)),
    Row("sort", ("sort", "newest", 400)), Row("requested 0", ("results_requested", 0, 400)),
    Row("requested -1", ("results_requested", -1, 400)),
    Row("requested 1000", ("results_requested", 1000, 201)), Row("list text", ("searchprovider_list", "a", 400)),
    Row("list object", ("searchprovider_list", [{}], 400)),
    Row("mixed list", ("searchprovider_list", ["a", 7], 201)), Row("subscribe text", ("subscribe", "often", 400)),
    Row("pre-query processor", ("pre_query_processors", ["NoSuch"], 400)),
    Row("pre-query transform", ("pre_query_processors", ["nosuch.rewrite"], (201, 400))),
    Row("query processor", ("query_processors", ["NoSuch"], 400)),
    Row("result processor", ("result_processors", ["NoSuch"], 400)), Row("tags", ("tags", "x", 400)),
])  # fmt: skip
def fields_of_a_search_are_checked(service, field, value, status):
    body = {"query_string": "copper", "searchprovider_list": ["none"], field: value}
    service.admin.post("/svc/search/", body).expect(*(status if isinstance(status, tuple) else (status,)))


@claim("interface: query_string is required")
def a_search_needs_a_query(service):
    problem = service.admin.post("/svc/search/", {}).expect(400).json()
    equal(list(problem["errors"]), ["query_string"])


@claim("decisions 3.11: results_requested above 1000")
def too_many_results_are_cut_with_a_message(service):
    search = service.admin.run_search("copper", searchprovider_list=["none"], results_requested=5000)
    equal(search["results_requested"], 1000)
    expect(any("1000" in line or "1,000" in line for line in search["messages"]), "no message", search["messages"])


@claim(
    "core 1: a blank query",
    rows=[Row(f"{name} {value!r}", (name, value)) for name in ("q", "qs") for value in ("", " ", "\t")],
)  # fmt: skip
def a_blank_query_in_a_url_is_refused(service, name, value):
    before = len(service.admin.get("/svc/search/").json())
    service.admin.get("/svc/search/", params={name: value}).expect(400)
    equal(len(service.admin.get("/svc/search/").json()), before, "a search was created")


@claim(
    "core 9.1: read-only fields",
    rows=[
        Row(name, (name, value))
        for name, value in {
            "id": 99999, "owner": "other", "date_created": "2001-01-01T00:00:00Z",
            "date_updated": "2001-01-01T00:00:00Z",
        }.items()
    ],
)  # fmt: skip
def read_only_fields_are_not_written(service, name, value):
    created = service.admin.post("/svc/searchproviders/", provider(**{name: value})).expect(201).json()
    expect(created[name] != value, "it was written", created[name])
    changed = service.admin.patch(f"/svc/searchproviders/{created['id']}/", {name: value}).expect(200).json()
    expect(changed[name] != value, "it was changed", changed[name])


@claim("core 9.5: transforms", rows=[
    Row("no name", ({"name": ""}, 400)), Row("dot in the name", ({"name": "a.b"}, 400)),
    Row("type", ({"qrx_type": "other"}, 400)),
    Row("synonym bag", ({"qrx_type": "synonym bag", "config_content": "a,b,c"}, 201)),
    Row("leading star", ({"config_content": "*x,y"}, 400)),
    Row("short row", ({"qrx_type": "synonym", "config_content": "a"}, 400)),
    Row("comment", ({"config_content": "# a,b\nc,d"}, 201)),
])  # fmt: skip
def transforms_are_checked(service, fields, status):
    body = {"name": unique("tr"), "qrx_type": "rewrite", "config_content": "a,b", **fields}
    service.admin.post("/svc/querytransforms/", body).expect(status)


@claim("core 9.5: (name, type) is unique")
def name_and_type_of_a_transform_are_unique(service):
    body = {"name": unique("once"), "qrx_type": "rewrite", "config_content": "a,b"}
    service.admin.post("/svc/querytransforms/", body).expect(201)
    service.admin.post("/svc/querytransforms/", body).expect(400, 409)
    service.admin.post("/svc/querytransforms/", {**body, "qrx_type": "synonym"}).expect(201)


@claim("interface: AIProvider; core 9.6")
def an_ai_provider_is_activated_by_patch(service):
    body = {"name": unique("ai"), "model": "gpt-5", "active": False, "config": {"roles": ["rag"]}}
    created = service.admin.post("/svc/aiproviders/", body).expect(201).json()
    changed = service.admin.patch(
        f"/svc/aiproviders/{created['id']}/", {"active": True, "api_key": "k"}
    ).expect(200).json()
    equal((changed["active"], changed["model"], changed["config"]["roles"]), (True, "gpt-5", ["rag"]))
    listed = [each for each in service.admin.get("/svc/aiproviders/").json() if each["id"] == created["id"]][0]
    expect({"id", "name", "model", "config"} <= set(listed), "fields", listed)
