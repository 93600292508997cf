"""What each kind of user may do with every kind of record, and how requests sign in."""

import base64

from harness import Client, Row, Source, claim, equal, expect
from harness.federation import Providers, items_for

STATE = {"count": 0}
KINDS = ["nobody", "wrong", "revoked", "owner", "member", "other", "admin"]


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])
    clients = {
        "nobody": service.nobody, "admin": service.admin, "owner": service.user("owner", groups=["metals"]),
        "member": service.user("member", groups=["metals"]), "other": service.user("other"),
        "wrong": service.client("admin", "wrong-Password-1"),
    }  # fmt: skip
    token = clients["owner"].post("/svc/tokens/", {"label": "to revoke"}).expect(201).json()
    clients["owner"].delete(f"/svc/tokens/{token['id']}/").expect(204)
    clients["revoked"] = Client(service.port, f"Token {token['token']}")
    STATE["clients"] = clients
    STATE["private"] = STATE["providers"].create("private", items_for(2), shared=False, groups=["metals"])


def finish():
    STATE["source"].__exit__()


def unique(word):
    STATE["count"] += 1
    return f"{word}-{STATE['count']}"


def created(path, body):
    return lambda service: f"{path}{service.admin.post(path, body()).expect(201).json()['id']}/"


def owned(path, body):
    return lambda service: f"{path}{STATE['clients']['owner'].post(path, body()).expect(201).json()['id']}/"


def search_id(service):
    return STATE["clients"]["owner"].run_search("copper", searchprovider_list=[STATE["private"]])["id"]


def search_path(service, part=""):
    return f"/svc/search/{search_id(service)}/{part}"


def result_path(service):
    return f"/svc/results/{STATE['clients']['owner'].results(search_id(service))['results'][0]['swirl_id']}/"


def provider_body():
    return {"name": unique("made"), "connector": "RequestsGet", "url": "http://made.example/"}


def private_provider(service, part=""):
    provider = STATE["providers"].create(unique("closed"), [], shared=False, groups=["metals"])
    return f"/svc/searchproviders/{provider}/{part}"


PROVIDER = created("/svc/searchproviders/", provider_body)
TRANSFORM = created(
    "/svc/querytransforms/", lambda: {"name": unique("t"), "qrx_type": "synonym", "config_content": "a,b"}
)
AI = created("/svc/aiproviders/", lambda: {"name": unique("ai"), "model": "gpt-5", "active": False})
USER = created("/svc/users/", lambda: {"username": unique("user"), "password": "long-Pass-77"})
GROUP = created("/svc/groups/", lambda: {"name": unique("group")})
IDP = created(
    "/svc/authenticators/",
    lambda: {"idp": unique("idp"), "name": "Idp", "client_id": "c", "issuer": "https://idp.example"},
)  # fmt: skip
BRANDING = created("/svc/brandings/", lambda: {"name": unique("look")})
TOKEN = owned("/svc/tokens/", lambda: {"label": "x"})
PROMPT = owned("/svc/prompts/", lambda: {"name": unique("prompt"), "prompt": "{query}", "tags": ["search-rag"]})
CHAT = owned("/svc/chat/", lambda: {"title": "x"})

ALL = (200, 200, 200, 200)
MINE = (200, 404, 404, 404)
GONE = (204, 404, 404, 404)
ADMIN = (403, 403, 403, 200)
GROUP_ONLY = (200, 200, 404, 200)
# Each call: method, path or how to create the record, body, and the status for owner, member, other and admin.
CALLS = [
    ("list searches", "GET", "/svc/search/", None, ALL),
    (
        "create search", "POST", "/svc/search/", lambda: {"query_string": "copper", "searchprovider_list": ["none"]},
        (201,) * 4,
    ),
    ("read search", "GET", search_path, None, MINE),
    (
        "replace search", "PUT", search_path, lambda: {"query_string": "copper", "searchprovider_list": ["private"]},
        MINE,
    ),
    ("change search", "PATCH", search_path, lambda: {"tags": ["x"]}, MINE),
    ("delete search", "DELETE", search_path, None, GONE),
    ("follow search", "GET", lambda service: search_path(service, "events/"), None, MINE),
    ("read mixed results", "GET", lambda service: f"/svc/results/?search_id={search_id(service)}", None, MINE),
    ("list results", "GET", "/svc/results/", None, ALL),
    ("read result", "GET", result_path, None, MINE),
    ("replace result", "PUT", result_path, lambda: {"title": "T", "url": "http://x.example/"}, MINE),
    ("change result", "PATCH", result_path, lambda: {"title": "T"}, MINE),
    ("delete result", "DELETE", result_path, None, GONE),
    ("list providers", "GET", "/svc/searchproviders/", None, ALL),
    ("create provider", "POST", "/svc/searchproviders/", provider_body, (403, 403, 403, 201)),
    ("read provider", "GET", PROVIDER, None, ALL),
    ("read provider of a group", "GET", private_provider, None, GROUP_ONLY),
    (
        "test provider of a group", "GET", lambda service: private_provider(service, "test/?dry_run=true&q=x"), None,
        GROUP_ONLY,
    ),
    ("replace provider", "PUT", PROVIDER, provider_body, ADMIN),
    ("change provider", "PATCH", PROVIDER, lambda: {"description": "x"}, ADMIN),
    (
        "change provider of a group", "PATCH", private_provider, lambda: {"description": "x"},
        (403, 403, (403, 404), 200),
    ),
    ("delete provider", "DELETE", PROVIDER, None, (403, 403, 403, 204)),
    ("test unsaved provider", "POST", "/svc/searchproviders/test/?dry_run=true&q=x", provider_body, ADMIN),
    ("list transforms", "GET", "/svc/querytransforms/", None, ALL),
    (
        "create transform", "POST", "/svc/querytransforms/", lambda: {"name": unique("t"), "config_content": "a,b"},
        (403, 403, 403, 201),
    ),
    ("read transform", "GET", TRANSFORM, None, ALL),
    ("replace transform", "PUT", TRANSFORM, lambda: {"name": unique("t"), "config_content": "a,b"}, ADMIN),
    ("change transform", "PATCH", TRANSFORM, lambda: {"config_content": "c,d"}, ADMIN),
    ("delete transform", "DELETE", TRANSFORM, None, (403, 403, 403, 204)),
    ("list AI providers", "GET", "/svc/aiproviders/", None, ALL),
    (
        "create AI provider", "POST", "/svc/aiproviders/", lambda: {"name": unique("ai"), "model": "gpt-5"},
        (403, 403, 403, 201),
    ),
    ("read AI provider", "GET", AI, None, ALL),
    ("change AI provider", "PATCH", AI, lambda: {"model": "gpt-6"}, ADMIN),
    ("delete AI provider", "DELETE", AI, None, (403, 403, 403, 204)),
    ("list users", "GET", "/svc/users/", None, ADMIN),
    (
        "create user", "POST", "/svc/users/", lambda: {"username": unique("u"), "password": "long-Pass-77"},
        (403, 403, 403, 201),
    ),
    ("read user", "GET", USER, None, ADMIN),
    ("change user", "PATCH", USER, lambda: {"is_admin": False}, ADMIN),
    ("delete user", "DELETE", USER, None, (403, 403, 403, 204)),
    ("read own account", "GET", "/svc/users/me/", None, ALL),
    ("list groups", "GET", "/svc/groups/", None, ADMIN),
    ("create group", "POST", "/svc/groups/", lambda: {"name": unique("g")}, (403, 403, 403, 201)),
    ("read group", "GET", GROUP, None, ADMIN),
    ("change group", "PATCH", GROUP, lambda: {"name": unique("g")}, ADMIN),
    ("delete group", "DELETE", GROUP, None, (403, 403, 403, 204)),
    ("list tokens", "GET", "/svc/tokens/", None, ALL),
    ("create token", "POST", "/svc/tokens/", lambda: {"label": "x"}, (201,) * 4),
    ("delete token", "DELETE", TOKEN, None, (204, 404, 404, 204)),
    ("list prompts", "GET", "/svc/prompts/", None, ALL),
    ("read prompt", "GET", PROMPT, None, MINE),
    ("change prompt", "PATCH", PROMPT, lambda: {"note": "x"}, MINE),
    ("delete prompt", "DELETE", PROMPT, None, GONE),
    ("read chat", "GET", CHAT, None, MINE),
    ("delete chat", "DELETE", CHAT, None, GONE),
    ("read authenticator", "GET", IDP, None, ADMIN),
    ("change authenticator", "PATCH", IDP, lambda: {"name": "x"}, ADMIN),
    ("delete authenticator", "DELETE", IDP, None, (403, 403, 403, 204)),
    ("read pipelines", "GET", "/svc/pipelines/", None, ALL),
    (
        "change pipeline", "PATCH", "/svc/pipelines/1/", lambda: {"processors": ["CosineRelevancyPostResultProcessor"]},
        ADMIN,
    ),
    ("read connectors", "GET", "/svc/connectors/", None, ALL),
    ("read processors", "GET", "/svc/processors/", None, ALL),
    ("read mixers", "GET", "/svc/mixers/", None, ALL),
    ("read schedules", "GET", "/svc/schedules/", None, ADMIN),
    ("read settings", "GET", "/svc/settings/", None, ADMIN),
    ("read audit log", "GET", "/svc/audit/", None, ADMIN),
    ("read logs", "GET", "/svc/logs/", None, ADMIN),
    ("read activity", "GET", "/svc/activity/", None, ADMIN),
    ("read license", "GET", "/svc/license/", None, ADMIN),
    ("read branding", "GET", BRANDING, None, ADMIN),
    ("read ready sources", "GET", "/svc/readysources/", None, ADMIN),
    ("health of the workers", "GET", "/svc/health/tasks/", None, ALL),
    ("metrics of the workers", "GET", "/svc/metrics/tasks/", None, ALL),
    ("API documentation", "GET", "/svc/api/docs/", None, ALL),
]  # fmt: skip


@claim(
    "interface: Authentication; decisions 3.1, 3.12, 3.16, 7.9; quirks, People and permissions",
    rows=[Row(call[0], call[1:]) for call in CALLS],
)  # fmt: skip
def calls_have_these_statuses(service, method, path, body, statuses):
    expected = [401, 401, 401, *statuses]
    found = []
    for kind in KINDS:
        target = path(service) if callable(path) else path
        response = STATE["clients"][kind].call(method, target, body() if body else None)
        found.append(response.status)
        if response.status >= 400:
            expect(
                {"detail", "code", "request_id"} <= set(response.json()), f"not the common shape for {kind}",
                response.text,
            )  # fmt: skip
        if response.status == 401:
            equal(response.headers.get("www-authenticate"), 'Basic realm="api"', f"WWW-Authenticate for {kind}")
    right = [status in want if isinstance(want, tuple) else status == want for status, want in zip(found, expected)]
    equal(right, [True] * len(KINDS), f"{KINDS}: {found}, not {expected}")


@claim("decisions 3.12: open paths", rows=[Row(path, (path,)) for path in ["/svc/health/live/", "/svc/health/ready/"]])
def probes_need_no_credentials(service, path):
    response = service.nobody.get(path).expect(200)
    expect(len(response.body) < 100, "it says more than that", response.text)


@claim("interface: shared, groups; core 1: candidate set")
def a_private_source_is_searched_for_its_group_only(service):
    counts = {}
    for kind in ["owner", "member", "other", "admin"]:
        client = STATE["clients"][kind]
        counts[kind] = len(client.search("copper", providers=[STATE["private"]])["results"])
        shown = "private" in [each["name"] for each in client.get("/svc/searchproviders/").json()]
        equal(shown, kind != "other", f"{kind} sees it in the list")
    equal(counts, {"owner": 2, "member": 2, "other": 0, "admin": 2})


@claim("interface: shared, groups; a name does not betray a private source")
def a_private_source_is_unknown_to_others(service):
    other = STATE["clients"]["other"]
    hidden = other.search("copper", providers="private")
    unknown = other.search("copper", providers="no-such")
    lines = [line.split("] ", 1)[-1].replace("private", "X") for line in hidden["messages"]]
    equal(lines, [line.split("] ", 1)[-1].replace("no-such", "X") for line in unknown["messages"]])


@claim("interface: groups; people join and leave them")
def leaving_a_group_ends_access(service):
    client = service.user("leaver", groups=["metals"])
    equal(len(client.search("copper", providers=[STATE["private"]])["results"]), 2)
    ids = {each["username"]: each["id"] for each in service.admin.get("/svc/users/").json()}
    service.admin.patch(f"/svc/users/{ids['leaver']}/", {"groups": []}).expect(200)
    client.get(f"/svc/searchproviders/{STATE['private']}/").expect(404)
    equal(client.search("copper", providers=[STATE["private"]])["results"], [])


@claim("decisions 3.9: credentials are masked for administrators and absent for others")
def credentials_never_leave(service):
    record = {
        **provider_body(), "credentials": "key=s3cret-Value",
        "http_request_headers": {"Authorization": "Bearer s3cret-Header", "X-Plain": "seen"},
        "query_template": "{url}?k={key}&q={query_string}",
    }  # fmt: skip
    provider = service.admin.post("/svc/searchproviders/", record).expect(201)
    path = f"/svc/searchproviders/{provider.json()['id']}/"
    equal(provider.json()["credentials"], "key=••••")
    for kind in ["admin", "owner", "other"]:
        for response in [
            STATE["clients"][kind].get(path).expect(200),
            STATE["clients"][kind].get("/svc/searchproviders/").expect(200),
        ]:
            expect("s3cret" not in response.text, f"{kind} reads a secret", response.text[:300])
    equal("credentials" in STATE["clients"]["owner"].get(path).json(), False, "the field is there for users")
    dry = service.admin.get(path + "test/", params={"q": "copper", "dry_run": "true"}).expect(200)
    expect("s3cret" not in dry.text and "••••" in dry.json()["requests"][0]["url"], "the dry run", dry.text)


@claim(
    "decisions 3.9: what keeps a stored secret",
    rows=[Row("masked", ("key=••••",)), Row("empty", ("",)), Row("nothing", (None,))],
)  # fmt: skip
def the_stored_secret_is_kept(service, sent):
    provider = STATE["providers"].create(
        unique("kept"), items_for(1), credentials="key=s3cret", query_template="{url}?k={key}&q={query_string}"
    )
    edit = {"description": "x"} if sent is None else {"description": "x", "credentials": sent}
    service.admin.patch(f"/svc/searchproviders/{provider}/", edit).expect(200)
    service.admin.search("copper", providers=[provider])
    equal(STATE["source"].asked(STATE["providers"].path(provider))[-1].query["k"], "s3cret")


@claim("decisions 3.9: sealed at rest")
def secrets_are_not_in_the_data_folder(service):
    STATE["providers"].create(
        unique("sealed"), credentials="key=Unfindable-Secret-77", query_template="{url}?k={key}&q={query_string}"
    )
    found = [
        str(path) for path in service.data.rglob("*") if path.is_file() and b"Unfindable-Secret-77" in path.read_bytes()
    ]
    equal(found, [])
    equal(oct((service.data / "secret.key").stat().st_mode & 0o777), "0o600")


@claim("decisions 3.9: api_key of an AI provider", rows=[Row("admin", ("admin",)), Row("user", ("other",))])
def api_keys_never_leave(service, kind):
    path = created(
        "/svc/aiproviders/",
        lambda: {"name": unique("keyed"), "model": "gpt-5", "api_key": "s3cret-Api", "active": False},
    )(service)  # fmt: skip
    record = STATE["clients"][kind].get(path).expect(200)
    expect("s3cret" not in record.text, "the key is readable", record.text)
    # decisions 3.9: masked for administrators, absent for others; quirks, AI: never shown.
    equal(bool(record.json().get("api_key")) and kind == "other", False)


@claim("interface: Token and Basic on every endpoint", rows=[Row(path, (path,)) for path in [
    "/svc/search/", "/svc/results/", "/svc/searchproviders/", "/svc/aiproviders/", "/svc/querytransforms/",
    "/svc/users/", "/svc/health/tasks/",
    "/svc/canonical/", "/svc/egress/events/", "/svc/sapi/searchproviders/", "/api/svc/search/",
]])  # fmt: skip
def both_schemes_are_accepted(service, path):
    if "admin token" not in STATE:
        STATE["admin token"] = service.admin.post("/svc/tokens/", {"label": "both"}).expect(201).json()["token"]
    token = Client(service.port, f"Token {STATE['admin token']}")
    equal([token.get(path).status, service.admin.get(path).status, service.nobody.get(path).status], [200, 200, 401])


@claim("interface: wrong credentials; decisions 3.1", rows=[Row(value or "empty", (value,)) for value in [
    "", "Basic", "Basic !!!", "Token", "Token x", "Token trb_0000", "Bearer x", "Digest x",
    "Basic " + base64.b64encode(b"admin").decode(), "Basic " + base64.b64encode(b"admin:").decode(),
    "Basic " + base64.b64encode(b":x").decode(),
]])  # fmt: skip
def malformed_credentials_are_401(service, value):
    Client(service.port, value or None).get("/svc/search/").expect(401)


@claim("decisions 3.16: tokens are shown once, revocable, and die with their user")
def tokens_end_with_their_user(service):
    client = service.user("token-user")
    token = client.post("/svc/tokens/", {"label": "mine"}).expect(201).json()
    bearer = Client(service.port, f"Token {token['token']}")
    bearer.get("/svc/users/me/").expect(200)
    equal([each for each in client.get("/svc/tokens/").json() if "token" in each and each["token"]], [], "shown again")
    user = client.get("/svc/users/me/").json()["id"]
    service.admin.delete(f"/svc/users/{user}/").expect(204)
    bearer.get("/svc/users/me/").expect(401)
    client.get("/svc/users/me/").expect(401)


@claim("decisions 3.20: a remembered pair ends with the password")
def a_changed_password_ends_the_old_one_at_once(service):
    client = service.user("changer")
    client.get("/svc/users/me/").expect(200)
    user = client.get("/svc/users/me/").json()["id"]
    service.admin.patch(f"/svc/users/{user}/", {"password": "another-Pass-9"}).expect(200)
    client.get("/svc/users/me/").expect(401)
    service.client("changer", "another-Pass-9").get("/svc/users/me/").expect(200)


@claim("core 9.7: POST /svc/login/; quirks, Errors")
def login_returns_a_token(service):
    body = {"username": "owner", "password": "owner-Pass-1"}
    answer = service.nobody.post("/svc/login/", body).expect(200).json()
    expect({"token", "user", "swirl_version", "is_superuser", "edition"} <= set(answer), "fields", answer)
    equal((answer["user"], answer["is_superuser"]), ("owner", False))
    client = Client(service.port, f"Token {answer['token']}")
    client.get("/svc/users/me/").expect(200)
    service.nobody.post("/svc/login/", {**body, "password": "wrong-Pass-1"}).expect(401)
    equal(client.post("/svc/swirl-logout/").expect(200).json(), {"status": "OK"})
    client.get("/svc/users/me/").expect(401)


@claim("decisions 7.9: searches are their own")
def administrators_do_not_read_queries(service):
    word = "privatequeryword"
    STATE["clients"]["owner"].run_search(word, searchprovider_list=["private"])
    STATE["clients"]["owner"].run_search(word + " nothing", searchprovider_list=["none"])
    for path in [
        "/svc/search/", "/svc/results/", "/svc/activity/", "/svc/activity/now/", "/svc/timings/", "/svc/audit/",
        "/metrics/",
    ]:
        expect(word not in service.admin.get(path).expect(200).text, f"{path} shows a query")
