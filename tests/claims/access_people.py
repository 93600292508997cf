"""Users, groups, roles and what belongs to whom."""

from harness import Row, claim, equal, expect

PEOPLE = {}


def prepare(service):
    PEOPLE["ann"], PEOPLE["bob"] = service.user("ann", ["blue"]), service.user("bob")


def user_of(service, name):
    return next(each for each in service.admin.get("/svc/users/").json() if each["username"] == name)


def create(service, status, **fields):
    return service.admin.post("/svc/users/", {"password": "Good-Pass-1", **fields}).expect(status).json()


ADMIN_ONLY = [
    ("GET", "/svc/users/"), ("POST", "/svc/users/"), ("GET", "/svc/users/1/"), ("PUT", "/svc/users/1/"),
    ("PATCH", "/svc/users/1/"), ("DELETE", "/svc/users/1/"), ("GET", "/svc/groups/"), ("POST", "/svc/groups/"),
    ("GET", "/svc/groups/1/"), ("PUT", "/svc/groups/1/"), ("PATCH", "/svc/groups/1/"), ("DELETE", "/svc/groups/1/"),
    ("GET", "/svc/audit/"), ("GET", "/svc/audit/verify/"), ("GET", "/svc/settings/"), ("GET", "/svc/logs/"),
    ("GET", "/svc/logs/django.log/"), ("GET", "/svc/schedules/"), ("PATCH", "/svc/schedules/expire/"), ("GET", "/svc/license/"),
    ("GET", "/svc/activity/"), ("GET", "/svc/activity/now/"), ("GET", "/svc/timings/"), ("GET", "/svc/lockouts/"),
    ("DELETE", "/svc/lockouts/"), ("GET", "/metrics/"), ("GET", "/svc/cache/statistics/"), ("GET", "/svc/readysources/"),
    ("POST", "/svc/searchproviders/"), ("PATCH", "/svc/searchproviders/1/"), ("DELETE", "/svc/searchproviders/1/"),
    ("POST", "/svc/aiproviders/"), ("PATCH", "/svc/aiproviders/1/"), ("DELETE", "/svc/aiproviders/1/"),
    ("POST", "/svc/querytransforms/"), ("GET", "/svc/query_transform_form/"), ("POST", "/svc/authenticators/"),
    ("PATCH", "/svc/pipelines/1/"), ("POST", "/svc/brandings/"), ("GET", "/svc/brandings/"), ("GET", "/admin/"),
    ("GET", "/admin/searchproviders/"), ("POST", "/svc/searchproviders/doctor/"), ("POST", "/svc/searchproviders/test/"),
]  # fmt: skip


@claim("ai-cache 4.3; decisions 3.16", rows=[Row(f"{method} {path}", (method, path)) for method, path in ADMIN_ONLY])
def administration_is_for_administrators(service, method, path):
    body = {} if method in ("POST", "PUT", "PATCH") else None
    answer = PEOPLE["ann"].call(method, path, body).expect(403)
    if path.startswith("/svc/") and "form" not in path:
        equal(answer.json()["code"], "permission_denied")
    if not path.startswith("/admin/") and "form" not in path:
        service.nobody.call(method, path, body).expect(401)


@claim("decisions 3.16")
def a_user_is_created_without_showing_the_password(service):
    service.admin.post("/svc/groups/", {"name": "red"}).expect(201)
    answer = service.admin.post("/svc/users/", {
        "username": "carl", "password": "Good-Pass-1", "email": "carl@example.org", "groups": ["red"], "is_admin": False,
    }).expect(201)  # fmt: skip
    found = answer.json()
    expected = {"username": "carl", "email": "carl@example.org", "groups": ["red"], "is_admin": False}
    equal({name: found[name] for name in expected}, expected)
    expect("password" not in found and "Good-Pass-1" not in answer.text, "write-only", found)
    expect("password" not in service.admin.get(f"/svc/users/{found['id']}/").text, "not when read")


BAD_USERS = [
    ("no name", {"username": ""}, 400), ("blank name", {"username": "   "}, 400), ("number", {"username": 5}, 400),
    ("colon", {"username": "a:b"}, 400), ("line break", {"username": "a\nb"}, 400), ("control", {"username": "a\u0007"}, 400),
    ("too long", {"username": "u" * 151}, 400), ("unknown group", {"username": "dora", "groups": ["nowhere"]}, 400),
    ("groups as text", {"username": "dora", "groups": "blue"}, 400), ("admin as text", {"username": "dora", "is_admin": "yes"}, 400),
    ("no password", {"username": "dora", "password": None}, 400), ("taken", {"username": "ann"}, 409),
    ("taken in another case", {"username": "ANN"}, 409), ("wrong mail", {"username": "dora", "email": "no mail"}, 400),
]  # fmt: skip


@claim("decisions 3.1: users", rows=[Row(name, (fields, status)) for name, fields, status in BAD_USERS])
def an_invalid_user_is_refused(service, fields, status):
    answer = service.admin.post("/svc/users/", {"password": "Good-Pass-1", **fields}).expect(status).json()
    expect(answer["detail"] and answer["code"], "the common shape", answer)


@claim("decisions 3.2: users")
def users_are_replaced_changed_and_deleted(service):
    made = create(service, 201, username="edit", email="a@example.org", groups=["blue"])
    path = f"/svc/users/{made['id']}/"
    changed = service.admin.patch(path, {"email": "b@example.org"}).expect(200).json()
    equal((changed["email"], changed["groups"]), ("b@example.org", ["blue"]))
    replaced = service.admin.put(path, {"username": "edit"}).expect(200).json()
    equal((replaced["email"], replaced["groups"], replaced["is_admin"]), ("", [], False))
    service.client("edit", "Good-Pass-1").get("/svc/users/me/").expect(200)
    service.admin.delete(path).expect(204)
    service.admin.get(path).expect(404)
    service.client("edit", "Good-Pass-1").get("/svc/users/me/").expect(401)


@claim("ai-cache 4.3: users/me")
def everybody_reads_and_edits_themselves(_):
    me = PEOPLE["ann"].get("/svc/users/me/").expect(200).json()
    equal((me["username"], me["groups"], me["is_admin"]), ("ann", ["blue"], False))
    equal(PEOPLE["ann"].patch("/svc/users/me/", {"email": "ann@example.org"}).expect(200).json()["email"], "ann@example.org")


@claim("ai-cache 4.3: rights", rows=[Row(str(body), (body,)) for body in [
    {"is_admin": True}, {"groups": ["curators"]}, {"username": "root"}, {"id": 1}, {"password": "Other-Pass-1"},
]])  # fmt: skip
def nobody_promotes_themselves(_, body):
    PEOPLE["ann"].patch("/svc/users/me/", body)
    me = PEOPLE["ann"].get("/svc/users/me/").expect(200).json()
    equal((me["username"], me["groups"], me["is_admin"]), ("ann", ["blue"], False))


@claim("edits: last administrator")
def the_last_administrator_stays(service):
    path = f"/svc/users/{user_of(service, 'admin')['id']}/"
    service.admin.patch(path, {"is_admin": False}).expect(400, 403, 409, 422)
    service.admin.delete(path).expect(400, 403, 409, 422)
    equal(service.admin.get("/svc/users/me/").expect(200).json()["is_admin"], True)


@claim("decisions 3.16: groups")
def groups_are_created_renamed_and_deleted(service):
    made = service.admin.post("/svc/groups/", {"name": "green"}).expect(201).json()
    service.admin.post("/svc/groups/", {"name": "green"}).expect(409)
    service.admin.post("/svc/groups/", {"name": "GREEN"}).expect(409)
    gail = create(service, 201, username="gail", groups=["green"])
    provider = service.admin.create_provider(name="Green", url="http://127.0.0.1:9/", default=False, shared=False, groups=["green"])
    path = f"/svc/groups/{made['id']}/"
    equal(service.admin.patch(path, {"name": "olive"}).expect(200).json()["name"], "olive")
    equal(service.admin.get(f"/svc/users/{gail['id']}/").json()["groups"], ["olive"])
    equal(service.admin.get(f"/svc/searchproviders/{provider['id']}/").json()["groups"], ["olive"])
    service.admin.delete(path).expect(204)
    equal(service.admin.get(f"/svc/users/{gail['id']}/").json()["groups"], [])
    service.client("gail", "Good-Pass-1").get(f"/svc/searchproviders/{provider['id']}/").expect(404)


@claim("decisions 3.1: groups", rows=[Row(str(body)[:30], (body,)) for body in [
    {}, {"name": ""}, {"name": "  "}, {"name": 5}, {"name": "x" * 151}, {"name": "a\nb"}, [],
]])  # fmt: skip
def an_invalid_group_is_refused(service, body):
    service.admin.post("/svc/groups/", body).expect(400)


@claim("interface: shared and groups", rows=[Row(name, (shared, groups, ann, bob)) for name, shared, groups, ann, bob in [
    ("shared", True, [], True, True), ("shared with a group", True, ["blue"], True, True), ("group", False, ["blue"], True, False),
    ("nobody", False, [], False, False),
]])  # fmt: skip
def providers_are_visible_by_sharing_and_groups(service, shared, groups, ann, bob):
    provider = service.admin.create_provider(
        name=f"Shared {shared} {groups}", url="http://127.0.0.1:9/", default=False, shared=shared, groups=groups
    )
    for name, sees in [("ann", ann), ("bob", bob)]:
        client = PEOPLE[name]
        client.get(f"/svc/searchproviders/{provider['id']}/").expect(200 if sees else 404)
        listed = [each["id"] for each in client.get("/svc/searchproviders/", params={"items": 100}).json()["results"]]
        equal(provider["id"] in listed, sees, f"{name}'s list")
        search = client.run_search("x", searchprovider_list=[provider["id"]])
        asked = provider["name"] in client.results(search["id"])["info"]
        equal(asked, sees, f"{name}'s search")
    service.admin.get(f"/svc/searchproviders/{provider['id']}/").expect(200)


@claim("ai-cache 4.3: private", rows=[Row(f"{method} {path}", (method, path, body)) for method, path, body in [
    ("GET", "/svc/search/{s}/", None), ("PUT", "/svc/search/{s}/", {"query_string": "x"}), ("PATCH", "/svc/search/{s}/", {}),
    ("DELETE", "/svc/search/{s}/", None), ("GET", "/svc/results/?search_id={s}", None), ("GET", "/svc/search/?rerun={s}", None),
    ("GET", "/svc/search/?update={s}", None), ("GET", "/svc/search/{s}/events/", None), ("GET", "/svc/search/{s}/runs/", None),
    ("GET", "/svc/results/export/?search_id={s}&format=csv", None), ("POST", "/svc/rag-search/", {"search_id": "{s}"}),
    ("GET", "/svc/sapi/detail-search-rag/?search_id={s}", None), ("DELETE", "/svc/rag-search/{s}/", None),
]])  # fmt: skip
def a_search_is_for_its_owner_alone(service, method, path, body):
    search = PEOPLE.get("search") or PEOPLE.setdefault("search", PEOPLE["ann"].run_search("private words"))
    path = path.format(s=search["id"])
    body = {name: search["id"] if value == "{s}" else value for name, value in body.items()} if body else body
    for client in [PEOPLE["bob"], service.admin]:
        answer = client.call(method, path, body).expect(404)
        expect("private words" not in answer.text, "nothing of it", answer.text)
    PEOPLE["ann"].get(f"/svc/search/{search['id']}/").expect(200)


@claim("decisions 7.9")
def administrators_see_counts_without_queries(service):
    PEOPLE["bob"].run_search("unfindable zyx words")
    for path in ["/svc/activity/", "/svc/activity/now/", "/svc/timings/"]:
        text = service.admin.get(path).expect(200).text
        expect("unfindable" not in text, path, text)
    listed = service.admin.get("/svc/search/").text
    expect("unfindable" not in listed, "not in the list of searches")


@claim("ai-cache 4.3: delete")
def a_deleted_user_cannot_act_any_more(service):
    client = service.user("dead")
    token = client.post("/svc/tokens/", {}).json()["token"]
    search = client.run_search("gone")
    service.admin.delete(f"/svc/users/{user_of(service, 'dead')['id']}/").expect(204)
    from harness import Client

    Client(service.port, f"Token {token}").get("/svc/users/me/").expect(401)
    again = service.user("dead")
    again.get(f"/svc/search/{search['id']}/").expect(404)
    equal(again.get("/svc/tokens/").json(), [])


@claim("decisions 7.7", rows=[Row(kind, (kind,)) for kind in ["users", "groups"]])
def edits_of_an_old_version_are_412(service, kind):
    body = {"username": "versions", "password": "Good-Pass-1"} if kind == "users" else {"name": "versions"}
    made = service.admin.post(f"/svc/{kind}/", body).expect(201)
    path, tag = f"/svc/{kind}/{made.json()['id']}/", made.headers["etag"]
    change = {"email": "v@example.org"} if kind == "users" else {"name": "versions2"}
    service.admin.patch(path, change, headers={"If-Match": tag}).expect(200)
    answer = service.admin.patch(path, change, headers={"If-Match": tag}).expect(412).json()
    equal(answer["code"], "precondition_failed")
    service.admin.delete(path, headers={"If-Match": tag}).expect(412)
    service.admin.patch(path, change, headers={"If-Match": "nonsense"}).expect(400)
    service.admin.delete(path, headers={"If-Match": "*"}).expect(204)


@claim("ai-cache 3.4: createsuperuser, changepassword")
def users_are_managed_by_command(service):
    made = service.command("user", "add", "cliuser", "--admin")
    equal(made.returncode, 0, made.stderr)
    password = next(word for word in made.stdout.split() if len(word) >= 12 and word.isascii() and "cliuser" not in word)
    expect("cliuser" in service.command("user", "list").stdout, "listed")
    found = service.client("cliuser", password.strip("'\".,:")).get("/svc/users/me/")
    equal(found.expect(200).json()["is_admin"], True)
    equal(service.command("user", "delete", "cliuser").returncode, 0)
    equal(service.command("user", "delete", "cliuser").returncode, 1)


@claim("ai-cache 4.2: credentials are masked")
def secrets_of_a_provider_never_leave(service):
    provider = service.admin.create_provider(name="Secret", url="http://127.0.0.1:9/", default=False, credentials="key=S3CRETKEY99")
    path = f"/svc/searchproviders/{provider['id']}/"
    equal(provider["credentials"], "key=••••")
    for client in [service.admin, PEOPLE["ann"]]:
        expect("S3CRETKEY99" not in client.get(path).expect(200).text, "masked")
    expect("credentials" not in PEOPLE["ann"].get(path).json(), "absent for others")
    for sent in ["key=••••", "", None]:
        body = {"credentials": sent} if sent is not None else {"description": "x"}
        equal(service.admin.patch(path, body).expect(200).json()["credentials"], "key=••••", "kept")
    for file in service.data.rglob("*"):
        if file.is_file():
            expect(b"S3CRETKEY99" not in file.read_bytes(), "sealed at rest", str(file))
