"""Concurrent edits: versions of every record, If-Match, and edits at the same time."""

import concurrent.futures

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers, items_for

STATE = {"count": 0}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def unique(word):
    STATE["count"] += 1
    return f"{word} {STATE['count']}"


def posted(path, body):
    def create(service):
        return f"{path}{service.admin.post(path, body()).expect(201).json()['id']}/"

    return create


def searched(service):
    provider = STATE["providers"].create(unique("searched"), items_for(2))
    return service.admin.run_search("copper", searchprovider_list=[provider])["id"]


def result_path(service):
    return f"/svc/results/{service.admin.results(searched(service))['results'][0]['swirl_id']}/"


def pipeline_path(service):
    return f"/svc/pipelines/{service.admin.get('/svc/pipelines/').json()[0]['id']}/"


def schedule_path(service):
    return f"/svc/schedules/{service.admin.get('/svc/schedules/').json()[0]['name']}/"


# Each record: how to create one and its path, and two edits of different fields.
RECORDS = {
    "provider": (
        lambda service: f"/svc/searchproviders/{STATE['providers'].create(unique('p'), [])}/", {"description": "d"},
        {"tags": ["t"]},
    ),
    "transform": (
        posted("/svc/querytransforms/", lambda: {"name": unique("t"), "qrx_type": "synonym", "config_content": "a,b"}),
        {"config_content": "c,d"}, {"shared": False},
    ),
    "AI provider": (
        posted("/svc/aiproviders/", lambda: {"name": unique("ai"), "model": "gpt-5", "active": False}),
        {"model": "gpt-6"}, {"tags": ["rag"]},
    ),
    "authenticator": (
        posted("/svc/authenticators/", lambda: {
            "idp": unique("idp").replace(" ", ""), "name": "Idp", "client_id": "c", "issuer": "https://idp.example",
        }),
        {"name": "Other"}, {"client_id": "d"},
    ),
    "prompt": (
        posted(
            "/svc/prompts/",
            lambda: {"name": unique("prompt").replace(" ", "-"), "prompt": "{query}", "tags": ["search-rag"]},
        ),
        {"note": "n"}, {"footer": "f"},
    ),
    "user": (
        posted("/svc/users/", lambda: {"username": unique("u").replace(" ", "-"), "password": "long-Pass-77"}),
        {"email": "a@example.com"}, {"is_admin": True},
    ),
    "search": (lambda service: f"/svc/search/{searched(service)}/", {"tags": ["x"]}, {"retention": 2}),
    "result": (result_path, {"title": "T"}, {"author": "A"}),
    "chat": (posted("/svc/chat/", lambda: {"title": "c"}), {"title": "d"}, {"searchprovider_list": ["x"]}),
}  # fmt: skip
SINGLE = {
    "group": (posted("/svc/groups/", lambda: {"name": unique("g")}), lambda: {"name": unique("renamed")}),
    "pipeline": (pipeline_path, lambda: {"processors": ["CosineRelevancyPostResultProcessor"]}),
    "schedule": (schedule_path, lambda: {"every_seconds": 7200 + int(unique("x")[2:])}),
    "own account": (lambda service: "/svc/users/me/", lambda: {"email": "root@example.com"}),
}
EVERY = {name: (create, lambda first=first: first) for name, (create, first, _) in RECORDS.items()} | SINGLE
NAMES = [Row(name, (name,)) for name in EVERY]


def version(service, path):
    return service.admin.get(path).expect(200).headers["etag"]


@claim("decisions 7.7: ETag", rows=NAMES)
def every_record_has_a_version_that_edits_change(service, name):
    create, edit = EVERY[name]
    path = create(service)
    before = version(service, path)
    expect(before.startswith('"') and before.endswith('"') and len(before) > 2, "not a version", before)
    equal(version(service, path), before, "reading does not change it")
    changed = service.admin.patch(path, edit()).expect(200)
    expect(changed.headers["etag"] != before, "the edit did not change it", before)
    equal(version(service, path), changed.headers["etag"], "version of the response")


@claim("decisions 7.7: If-Match", rows=NAMES)
def an_edit_of_an_old_version_is_refused(service, name):
    create, edit = EVERY[name]
    path = create(service)
    old = version(service, path)
    service.admin.patch(path, edit(), headers={"If-Match": old}).expect(200)
    now = service.admin.get(path)
    problem = service.admin.patch(path, edit(), headers={"If-Match": old}).expect(412).json()
    equal(problem["code"], "precondition_failed")
    expect(problem["detail"] and problem["request_id"], "not the common shape", problem)
    after = service.admin.get(path)
    equal((after.json(), after.headers["etag"]), (now.json(), now.headers["etag"]), "nothing changes")


DELETED = [row for row in NAMES if row.name not in ("pipeline", "schedule", "own account")]


@claim("decisions 7.7: If-Match of DELETE", rows=DELETED)
def a_delete_of_an_old_version_is_refused(service, name):
    create, edit = EVERY[name]
    path = create(service)
    old = version(service, path)
    new = service.admin.patch(path, edit()).expect(200).headers["etag"]
    service.admin.delete(path, headers={"If-Match": old}).expect(412)
    service.admin.get(path).expect(200)
    service.admin.delete(path, headers={"If-Match": new}).expect(204)
    service.admin.get(path).expect(404)


@claim("decisions 7.7: If-Match, forms", rows=[
    Row("any", ("*", 200)), Row("list with it", ('"999", {etag}', 200)), Row("list without it", ('"998", "999"', 412)),
    Row("no quotes", ("7", 400)), Row("word", ("x", 400)), Row("weak never matches", ("W/{etag}", 412)),
    Row("empty", ("", 400)),
])  # fmt: skip
def if_match_has_these_forms(service, value, status):
    path = RECORDS["provider"][0](service)
    header = value.format(etag=version(service, path))
    service.admin.patch(path, {"description": "new"}, headers={"If-Match": header}).expect(status)
    equal(service.admin.get(path).json()["description"], "new" if status == 200 else "")


@claim("decisions 7.7: PUT with If-Match")
def put_honors_if_match(service):
    path = RECORDS["provider"][0](service)
    record = service.admin.get(path).json()
    old = version(service, path)
    service.admin.put(path, {**record, "description": "a"}, headers={"If-Match": old}).expect(200)
    service.admin.put(path, {**record, "description": "b"}, headers={"If-Match": old}).expect(412)
    equal(service.admin.get(path).json()["description"], "a")


@claim(
    "decisions 7.7: POST returns the version",
    rows=[Row("provider", ("provider",)), Row("prompt", ("prompt",)), Row("user", ("user",))],
)  # fmt: skip
def creating_returns_the_version(service, name):
    bodies = {
        "provider": (
            "/svc/searchproviders/", {"name": unique("etag"), "connector": "RequestsGet", "url": "http://x.example/"}
        ),
        "prompt": ("/svc/prompts/", {"name": unique("etag").replace(" ", "-"), "prompt": "x", "tags": ["chat"]}),
        "user": ("/svc/users/", {"username": unique("etag").replace(" ", ""), "password": "long-Pass-77"}),
    }
    path, body = bodies[name]
    created = service.admin.post(path, body).expect(201)
    equal(created.headers["etag"], version(service, f"{path}{created.json()['id']}/"))


@claim("decisions 7.7: edits of different fields both hold", rows=[Row(name, (name,)) for name in RECORDS])
def edits_of_different_fields_at_once_both_hold(service, name):
    create, first, second = RECORDS[name]
    path, fields = create(service), [*first, *second]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number in range(8):
            edits = [{field: value_of(name, field, number)} for field in fields]
            for response in pool.map(lambda edit: service.admin.patch(path, edit), edits):
                response.expect(200)
            after = service.admin.get(path).json()
            equal({field: after[field] for field in fields}, edits[0] | edits[1], f"round {number}")


def value_of(record, field, number):
    """A new value of a field in each round."""
    special = {
        "shared": number % 2 == 0, "is_admin": number % 2 == 0, "retention": 1 + number % 4,
        "searchprovider_list": [f"s{number}"],
        "config_content": f"a{number},b", "email": f"a{number}@example.com",
        "tags": ["rag", "chat"][: number % 3] if record == "AI provider" else [f"t{number}"],
    }  # fmt: skip
    return special.get(field, f"value {number}")


@claim("decisions 7.7: six edits at once")
def six_edits_of_a_provider_at_once_all_hold(service):
    path = RECORDS["provider"][0](service)
    for number in range(6):
        edits = [
            {"description": f"d{number}"}, {"tags": [f"t{number}"]}, {"results_per_query": 10 + number},
            {"active": bool(number % 2)},
            {"result_grouping_field": f"f{number}"}, {"query_mappings": f"a={number}"},
        ]  # fmt: skip
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            equal([each.status for each in pool.map(lambda edit: service.admin.patch(path, edit), edits)], [200] * 6)
        after = service.admin.get(path).json()
        wanted = {key: value for edit in edits for key, value in edit.items()}
        equal({key: after[key] for key in wanted}, wanted)


@claim("decisions 7.7: one of two edits of the same version")
def of_two_edits_of_one_version_one_holds(service):
    path = RECORDS["provider"][0](service)
    for number in range(6):
        old = version(service, path)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            edits = [{"description": f"{number}.{each}"} for each in range(4)]
            tries = [pool.submit(service.admin.patch, path, edit, headers={"If-Match": old}) for edit in edits]
            statuses = [each.result().status for each in tries]
        equal(sorted(statuses), [200, 412, 412, 412])


@claim("docs/edits: config is merged at every depth")
def config_is_merged(service):
    path = RECORDS["provider"][0](service)
    service.admin.patch(path, {"config": {"swirl": {"connector_use": {"timeout": 5, "retry_count": 1}}}}).expect(200)
    merged = service.admin.patch(
        path, {"config": {"swirl": {"connector_use": {"timeout": 7}, "rag": {"swirl_rag_max_to_consider": 3}}}}
    ).expect(200).json()
    equal(
        merged["config"],
        {"swirl": {"connector_use": {"timeout": 7, "retry_count": 1}, "rag": {"swirl_rag_max_to_consider": 3}}},
    )  # fmt: skip
    removed = service.admin.patch(
        path, {"config": {"swirl": {"connector_use": {"retry_count": None}}}}
    ).expect(200).json()
    equal(removed["config"]["swirl"]["connector_use"], {"timeout": 7})


@claim("docs/edits: preferences")
def preferences_have_a_version(service):
    user = service.user("prefers")
    path = "/svc/preferences/"
    equal(user.get(path).expect(200).headers["etag"], '"0"')
    first = user.put(path, {"domains": [], "sources": []}, headers={"If-Match": '"0"'}).expect(200).headers["etag"]
    user.put(path, {"domains": []}, headers={"If-Match": '"0"'}).expect(412)
    equal(user.get(path).headers["etag"], first)


@claim("docs/edits: the last administrator")
def the_last_administrator_stays_one(service):
    me = service.admin.get("/svc/users/me/").json()["id"]
    body = {"username": "second-admin", "password": "long-Pass-77", "is_admin": True}
    ids = [me, service.admin.post("/svc/users/", body).expect(201).json()["id"]]
    others = [
        each["id"] for each in service.admin.get("/svc/users/").json() if each["is_admin"] and each["id"] not in ids
    ]
    for each in others:
        service.admin.patch(f"/svc/users/{each}/", {"is_admin": False}).expect(200)
    second = service.client("second-admin", "long-Pass-77")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first_try = pool.submit(second.patch, f"/svc/users/{ids[0]}/", {"is_admin": False})
        second_try = pool.submit(service.admin.patch, f"/svc/users/{ids[1]}/", {"is_admin": False})
        statuses = [first_try.result().status, second_try.result().status]
    clients = [service.admin, second]
    admins = [client for client in clients if client.get("/svc/users/").status == 200]
    expect(len(admins) >= 1, "nobody is an administrator", statuses)
    # Leaves the module's administrator as it was.
    admins[0].patch(f"/svc/users/{ids[0]}/", {"is_admin": True}).expect(200)
