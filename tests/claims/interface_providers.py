"""SearchProviders as records: fields, defaults, checks when saved, and edits."""

from concurrent.futures import ThreadPoolExecutor

from harness import claim, equal, expect
from harness.sample import SampleSource, error, rows

source = SampleSource()


def prepare(service):
    source.__enter__()


def finish():
    source.__exit__()


def create(service, **fields):
    return service.admin.post("/svc/searchproviders/", {"connector": "RequestsGet", "url": source.base, **fields})


DEFAULTS = [
    ("active", True), ("default", True), ("shared", True), ("results_per_query", 10), ("tags", []), ("groups", []),
    ("query_template", "{url}?q={query_string}"), ("query_template_json", {}), ("http_request_headers", {}),
    ("query_processors", ["AdaptiveQueryProcessor"]), ("query_mappings", ""), ("response_mappings", ""),
    ("result_mappings", ""), ("credentials", ""), ("eval_credentials", ""), ("post_query_template", {}),
    ("page_fetch_config_json", {}), ("result_grouping_field", ""), ("authenticator", ""), ("description", ""),
    ("config", {}),
    ("result_processors", ["MappingResultProcessor", "DateFinderResultProcessor", "CosineRelevancyResultProcessor"]),
]  # fmt: skip


@claim("interface: SearchProvider; core 9.2; decisions 3.17",
       rows=rows(*[(name, name, value) for name, value in DEFAULTS]))  # fmt: skip
def default_of(service, field, value):
    record = create(service, name=f"Default of {field}").expect(201).json()
    equal(record.get(field, "missing"), value, field)


@claim("decisions 3.17", rows=rows(("owner", "owner", "admin"), ("connector", "connector", "RequestsGet")))
def a_new_provider_has(service, field, value):
    equal(create(service, name=f"Has {field}").expect(201).json()[field], value)


@claim("decisions 3.17", rows=rows(("date_created", "date_created"), ("date_updated", "date_updated")))
def a_new_provider_has_the_time(service, field):
    value = create(service, name=f"Time {field}").expect(201).json()[field]
    expect(value.endswith("Z") and "T" in value, "not in UTC", value)


REFUSED = [
    ("name missing", {"name": ...}, "name"), ("name empty", {"name": ""}, "name"),
    ("name blank", {"name": "  "}, "name"),
    ("name number", {"name": 5}, "name"), ("name too long", {"name": "n" * 201}, "name"),
    ("unknown connector", {"connector": "NoSuch"}, "connector"), ("active text", {"active": "perhaps"}, "active"),
    ("groups text", {"groups": "staff"}, "groups"), ("groups object", {"groups": {"name": "staff"}}, "groups"),
    ("tags text", {"tags": "news"}, "tags"), ("headers list", {"http_request_headers": ["a"]}, "http_request_headers"),
    ("results_per_query 0", {"results_per_query": 0}, "results_per_query"),
    ("results_per_query text", {"results_per_query": "ten"}, "results_per_query"),
    ("results_per_query 1001", {"results_per_query": 1001}, "results_per_query"),
    ("unknown query processor", {"query_processors": ["NoSuchQueryProcessor"]}, "query_processors"),
    ("unknown result processor", {"result_processors": ["NoSuchResultProcessor"]}, "result_processors"),
    ("no RESULTS", {"response_mappings": "FOUND=total"}, "response_mappings"),
    ("invalid path", {"response_mappings": "RESULTS=a[[b"}, "response_mappings"),
    ("RESULTS without a path", {"response_mappings": "RESULTS="}, "response_mappings"),
    ("invalid mapping", {"result_mappings": "title=a[[b"}, "result_mappings"),
    ("unclosed template", {"result_mappings": "title='{a} and"}, "result_mappings"),
    ("unknown command", {"result_mappings": "title=a,NO_PAYLOADS"}, "result_mappings"),
    ("PAGE without a variable", {"query_mappings": "PAGE=start=1"}, "query_mappings"),
    ("description too long", {"description": "d" * 2001}, "description"),
    ("query_template_json number", {"query_template_json": 5}, "query_template_json"),
    ("config list", {"config": [1]}, "config"),
]  # fmt: skip


@claim("interface: SearchProvider; decisions 3.17; quirks: Records",
       rows=rows(*[(name, fields, field) for name, fields, field in REFUSED]))  # fmt: skip
def an_invalid_field_is_refused_by_name(service, fields, field):
    body = {"name": f"Refused {fields}"[:100], "connector": "RequestsGet", "url": source.base, **fields}
    body = {name: value for name, value in body.items() if value is not ...}
    error(service.admin.post("/svc/searchproviders/", body), 400, field=field)


SWIRL = {
    "rag": {
        "swirl_rag_max_to_consider": 5, "swirl_rag_fetch_timeout": 3, "swirl_rag_score_inclusion_threshold": 0.5,
        "swirl_rag_distribution_strategy": "distributed", "swirl_rag_inclusion_field": "swirl_score",
    },
    "fetch_url_body": {
        "body_pagefetch_min_tokens": 10, "body_pagefetch_token_length": 100, "body_pagefetch_fallback_token_length": 50,
        "body_pagefetch_generation_method": "TERM_VECTOR", "body_pagefetch_text_extract_timeout": 5,
    },
    "google_calendar": {"calendar_lookback_days": 7, "calendar_lookahead_days": 30},
    "connector_use": {"single_provider_results_requested": 25},
}  # fmt: skip


@claim("interface: config.swirl, keys",
       rows=rows(*[(f"{b}.{k}", b, k, v) for b, keys in SWIRL.items() for k, v in keys.items()]))  # fmt: skip
def a_key_of_the_configuration_is_stored(service, block, key, value):
    record = create(service, name=f"Key {key}", config={"swirl": {block: {key: value}}}).expect(201).json()
    equal(record["config"]["swirl"][block][key], value)


ALLOWED = {
    ("rag", "swirl_rag_distribution_strategy"): ["distributed", "roundrobin", "sorted", "roundrobinthreshold"],
    ("rag", "swirl_rag_inclusion_field"): ["swirl_confidence_score", "swirl_score"],
    ("fetch_url_body", "body_pagefetch_generation_method"): ["TERM_COUNT", "TERM_VECTOR"],
}


@claim("interface: config.swirl, allowed values",
       rows=rows(*[(f"{key}={value}", block, key, value) for (block, key), each in ALLOWED.items() for value in each]))
def an_allowed_value_is_accepted(service, block, key, value):
    create(service, name=f"Allowed {key} {value}", config={"swirl": {block: {key: value}}}).expect(201)


WRONG = [(b, k, "x" if type(v) is not str else "nonsense") for b, keys in SWIRL.items() for k, v in keys.items()]
WRONG += [("rag", "swirl_rag_max_to_consider", 1.5), ("connector_use", "single_provider_results_requested", "many")]


@claim("interface: config.swirl, types and allowed values",
       rows=rows(*[(f"{b}.{k}={v}", b, k, v) for b, k, v in WRONG]))  # fmt: skip
def a_wrong_value_of_the_configuration_is_refused(service, block, key, value):
    error(create(service, name=f"Wrong {key} {value}", config={"swirl": {block: {key: value}}}), 400, field="config")


@claim("interface: SearchProvider, name unique; quirks: Records",
       rows=rows(("same", "Twin same"), ("case", "tWIN SAME")))  # fmt: skip
def a_name_exists_once(service, second):
    create(service, name="Twin same").expect(201, 409)
    error(create(service, name=second), 409)


@claim("interface: Endpoints, POST a list")
def several_providers_are_created_at_once(service):
    records = [{"name": f"Listed {n}", "connector": "RequestsGet", "url": source.base} for n in range(2)]
    answer = service.admin.post("/svc/searchproviders/", records).expect(201).json()
    equal([record["name"] for record in answer], ["Listed 0", "Listed 1"])
    expect(all(type(record["id"]) is int for record in answer), "no ids", answer)


@claim("interface: Endpoints, POST a list; decisions 3.17")
def a_list_with_an_invalid_record_saves_nothing(service):
    good = {"name": "Beside a bad one", "connector": "RequestsGet", "url": source.base}
    error(service.admin.post("/svc/searchproviders/", [good, {**good, "name": "Bad", "connector": "NoSuch"}]), 400)
    names = [record["name"] for record in service.admin.get("/svc/searchproviders/").json()]
    expect("Beside a bad one" not in names, "the valid one was saved")


@claim("decisions 3.2", rows=rows(("PUT", "put"), ("PATCH", "patch")))
def put_replaces_and_patch_keeps(service, method):
    record = create(service, name=f"Edit by {method}", tags=["a"], results_per_query=20).expect(201).json()
    body = {"name": f"Edit by {method}", "connector": "RequestsGet", "url": source.base, "description": "new"}
    path = f"/svc/searchproviders/{record['id']}/"
    getattr(service.admin, method)(path, body if method == "put" else {"description": "new"}).expect(200)
    after = service.admin.get(path).json()
    kept = (["a"], 20) if method == "patch" else ([], 10)
    equal((after["description"], after["tags"], after["results_per_query"]), ("new", *kept))


@claim("decisions 3.2")
def a_deleted_provider_is_gone(service):
    path = f"/svc/searchproviders/{create(service, name='Deleted').expect(201).json()['id']}/"
    equal(service.admin.delete(path).expect(204).body, b"")
    error(service.admin.get(path), 404)
    error(service.admin.delete(path), 404)


@claim("decisions 7.7")
def edits_of_different_fields_at_once_both_hold(service):
    path = f"/svc/searchproviders/{create(service, name='Edited by two').expect(201).json()['id']}/"
    with ThreadPoolExecutor(2) as pool:
        for n in range(15):
            edits = [{"tags": [f"t{n}"]}, {"description": f"d{n}"}]
            for answer in pool.map(lambda edit: service.admin.patch(path, edit), edits):
                answer.expect(200)
            after = service.admin.get(path).json()
            equal((after["tags"], after["description"]), ([f"t{n}"], f"d{n}"), f"round {n}")


@claim("decisions 7.7", rows=rows(("PATCH", "patch"), ("PUT", "put"), ("DELETE", "delete")))
def an_outdated_version_is_refused(service, method):
    body = {"name": f"Version {method}", "connector": "RequestsGet", "url": source.base}
    path = f"/svc/searchproviders/{service.admin.post('/svc/searchproviders/', body).expect(201).json()['id']}/"
    old = service.admin.get(path).headers["etag"]
    service.admin.patch(path, {"description": "newer"}).expect(200)
    options = {} if method == "delete" else {"body": body}
    error(service.admin.call(method.upper(), path, headers={"If-Match": old}, **options), 412)
    equal(service.admin.get(path).json()["description"], "newer")
    current = service.admin.get(path).headers["etag"]
    service.admin.call(method.upper(), path, headers={"If-Match": current}, **options).expect(200, 204)
