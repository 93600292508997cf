"""Sources that every user searches with an account of their own: Microsoft 365, Google and Box, and renewed tokens."""

import base64
import datetime
import json
import time

from harness import Reply, Row, Source, claim, equal, expect
from harness.accounts import Session, add_authenticator, connect
from harness.federation import plain, titles

source = Source()
SETTINGS = {
    "SVC_MICROSOFT_GRAPH_URL": source.base, "SVC_GOOGLE_API_URL": source.base, "SVC_BOX_API_URL": source.base,
    "SVC_OUTBOUND_ALLOW": "127.0.0.1",
}  # fmt: skip
GRAPH, CALENDAR, BOX = "/v1.0/search/query", "/calendar/v3/calendars/primary/events", "/2.0/search"
STATE = {"hits": [], "events": []}


def prepare(service):
    source.__enter__()
    STATE["ann"], STATE["bob"] = service.user("ann"), service.user("bob")
    for idp, connector in [("microsoft", "M365OneDrive"), ("google", "GoogleCalendar"), ("box", "BoxStorage")]:
        add_authenticator(service, source, idp)
        # Only accounts that a source needs can be connected.
        create(service, f"needs {idp}", connector)
        connect(service, "ann", idp)
    source.route(GRAPH, lambda _: {"value": [{"hitsContainers": [{"total": 31, "hits": STATE["hits"]}]}]})
    source.route(CALENDAR, lambda _: {"items": STATE["events"]})
    file = {
        "type": "file", "id": "7", "name": "Copper.pdf", "description": "About copper", "modified_at": "2024-02-03T04:05:06Z",
        "created_at": "2024-01-01T00:00:00Z", "owned_by": {"name": "Ann Reed"}, "size": 10,
    }  # fmt: skip
    source.route(BOX, {"total_count": 9, "entries": [file]})


def finish():
    source.__exit__()


def create(service, name, connector, **fields):
    record = {"name": name, "connector": connector, "default": False, "result_mappings": "", **fields}
    return service.admin.post("/svc/searchproviders/", record).expect(201).json()["id"]


def sent(path):
    return source.asked(path)[-1]


def hit(**resource):
    return {"hitId": "h1", "rank": 1, "summary": "The <c0>copper</c0> roof", "resource": resource}


NAMED = {"emailAddress": {"name": "Ann Reed", "address": "ann@example.org"}}
MESSAGE = {
    "subject": "Copper", "webLink": "https://o.example/1", "bodyPreview": "x", "sender": NAMED, "from": NAMED,
    "receivedDateTime": "2024-02-03T04:05:06Z",
}  # fmt: skip
EVENT = {
    "subject": "Copper", "webLink": "https://o.example/1", "organizer": NAMED,
    "start": {"dateTime": "2024-02-03T04:05:06", "timeZone": "UTC"},
}  # fmt: skip
USER = {"user": {"displayName": "Ann Reed"}}
FILE = {"name": "Copper", "webUrl": "https://o.example/1", "createdBy": USER, "lastModifiedDateTime": "2024-02-03T04:05:06Z"}
SITE = {**FILE, "displayName": "Copper"}
CHAT = {"subject": "Copper", "webLink": "https://o.example/1", "from": NAMED, "createdDateTime": "2024-02-03T04:05:06Z"}
KINDS = [
    Row("M365OutlookMessages", ("M365OutlookMessages", "message", MESSAGE)),
    Row("M365OutlookCalendar", ("M365OutlookCalendar", "event", EVENT)),
    Row("M365OneDrive", ("M365OneDrive", "driveItem", FILE)),
    Row("M365SharePointSites", ("M365SharePointSites", "site", SITE)),
    Row("MicrosoftTeams", ("MicrosoftTeams", "chatMessage", CHAT)),
]


@claim("core 11.1: Microsoft 365, entity types, default mappings; quirks, Records: version 1.0 of Graph", rows=KINDS)
def microsoft_is_searched_for_its_kind_of_item(service, connector, entity, resource):
    STATE["hits"] = [hit(**resource)]
    provider = create(service, connector, connector, url="https://elsewhere.example/", credentials="bearer=other")
    response = STATE["ann"].search("copper roof", providers=[provider])
    request = sent(GRAPH)
    equal((request.method, request.headers["authorization"]), ("POST", "Bearer token-ann"))
    asked = request.json()["requests"][0]
    equal(asked["entityTypes"], [entity])
    expect("copper" in asked["query"]["queryString"] and "roof" in asked["query"]["queryString"], "the query", asked)
    equal("NOT contenttype:folder" in asked["query"]["queryString"], entity == "driveItem", "folders are left out of files")
    info, result = response["info"][connector], response["results"][0]
    equal((info["status"], info["found"], info["retrieved"]), ("ok", 31, 1))
    equal((plain(result["title"]), result["url"], result["author"]), ("Copper", "https://o.example/1", "Ann Reed"))
    expect(result["date_published"].startswith("2024-02-03 04:05:06"), "the date", result["date_published"])


@claim("core 11.1: NOT_CHAR and NOT of Microsoft 365; quirks, Queries: words are no operators", rows=[
    Row("excluded", ("copper NOT tin", "copper AND NOT tin")), Row("phrase", ('"copper roof"', '"copper roof"')),
    Row("a property is a word", ("from:boss copper", None)),
])  # fmt: skip
def operators_of_the_query_are_those_of_microsoft(service, query, expected):
    STATE["hits"] = []
    provider = create(service, f"operators {query}", "M365OutlookMessages", query_mappings="NOT=true")
    STATE["ann"].search(query, providers=[provider])
    asked = sent(GRAPH).json()["requests"][0]["query"]["queryString"]
    if expected:
        equal(asked.replace("(", "").replace(")", ""), expected)
    else:
        expect("from:boss" not in asked.replace('"from:boss"', ""), "from: is an operator", asked)


@claim("core 11.1: date sort of Microsoft 365", rows=[
    Row("default", ("", "lastModifiedDateTime")), Row("DATE_SORT", ("DATE_SORT=createdDateTime", "createdDateTime")),
])  # fmt: skip
def files_of_microsoft_are_sorted_by_date(service, mappings, expected):
    STATE["hits"] = []
    provider = create(service, f"by date {mappings}", "M365OneDrive", query_mappings=mappings)
    STATE["ann"].run_search("copper", searchprovider_list=[provider], sort="date")
    equal(sent(GRAPH).json()["requests"][0]["sortProperties"], [{"name": expected, "isDescending": True}])


@claim("core 11.1: only if the provider's post_query_template is empty")
def the_body_of_a_source_replaces_the_own_one(service):
    STATE["hits"] = []
    template = {"requests": [{"entityTypes": ["list"], "query": {"queryString": "{query_string} AND x"}}]}
    provider = create(service, "own body", "M365SharePointSites", post_query_template=template)
    STATE["ann"].search("copper", providers=[provider])
    equal(sent(GRAPH).json(), {"requests": [{"entityTypes": ["list"], "query": {"queryString": "copper AND x"}}]})


@claim("core 9.7: never another user's token; core 8.4: NO_AUTH; decisions 3.7, 3.8", rows=[
    Row("another user", ("bob",)), Row("administrator", ("admin",)),
])  # fmt: skip
def nobody_searches_with_the_token_of_another_user(service, name):
    client = service.admin if name == "admin" else STATE[name]
    provider = create(service, f"not connected {name}", "M365OutlookMessages")
    before = len(source.asked(GRAPH))
    search = client.run_search("copper", searchprovider_list=[provider])
    equal(search["status"], "PARTIAL_RESULTS_READY")
    info = client.results(search["id"])["info"][f"not connected {name}"]
    equal((info["status"], info["error"]["code"], info["found"], info["retrieved"]), ("not_connected", "not_connected", 0, 0))
    equal(len(source.asked(GRAPH)), before, "requests")


@claim("quirks, People and permissions: the header Authorizationmicrosoft is ignored")
def a_token_in_a_header_is_ignored(service):
    provider = create(service, "token in a header", "M365OutlookMessages")
    params = {"qs": "copper", "providers": str(provider)}
    response = STATE["bob"].get("/svc/search/", params=params, headers={"Authorizationmicrosoft": "token-ann"})
    equal(response.expect(200).json()["info"]["token in a header"]["status"], "not_connected")


@claim("core 9.7: authenticators that visible providers need; ai-cache 4.2")
def the_authenticators_that_sources_need_are_listed(service):
    found = STATE["ann"].get("/svc/sapi/authenticators/").expect(200).json()
    names = {each["name"] for each in found}
    expect("Microsoft" in names, "names", found)
    mine = {each["idp"]: each for each in STATE["ann"].get("/svc/authenticators/").expect(200).json()}
    equal((mine["microsoft"]["connected"], mine["google"]["connected"]), (True, True))
    others = {each["idp"]: each for each in STATE["bob"].get("/svc/authenticators/").expect(200).json()}
    equal(others["microsoft"]["connected"], False)
    expect("claims-secret" not in json.dumps([mine, others]) and "token-ann" not in json.dumps([mine, others]), "secrets")


@claim("ai-cache 4.2: a connection is removed by its user")
def a_disconnected_account_is_used_no_more(service):
    service.user("cat")
    connect(service, "cat", "microsoft")
    client, provider = service.client("cat", "cat-Pass-1"), create(service, "leaving", "M365OutlookMessages")
    equal(client.search("copper", providers=[provider])["info"]["leaving"]["status"] != "not_connected", True)
    client.delete("/svc/authenticators/microsoft/connection/").expect(204)
    equal(client.search("copper", providers=[provider])["info"]["leaving"]["status"], "not_connected")


@claim("interface: SearchProvider, config.swirl.google_calendar", rows=[
    Row("days", ({"calendar_lookback_days": 30, "calendar_lookahead_days": 90}, 30, 90)), Row("default", ({}, 365, 365)),
])  # fmt: skip
def the_days_of_a_calendar_are_those_of_the_configuration(service, block, back, ahead):
    name = f"calendar {back}"
    provider = create(service, name, "GoogleCalendar", config={"swirl": {"google_calendar": block}})
    STATE["events"] = [
        {
            "id": "1", "status": "confirmed", "summary": "Copper day", "htmlLink": "https://c.example/1",
            "start": {"dateTime": "2024-02-03T04:05:06Z"}, "organizer": {"displayName": "Ann Reed"},
        },
        {"id": "2", "status": "cancelled", "summary": "Copper night", "start": {"date": "2024-02-04"}},
    ]  # fmt: skip
    response = STATE["ann"].search("copper", providers=[provider])
    request = sent(CALENDAR)
    equal((request.query["q"], request.headers["authorization"]), ("copper", "Bearer token-ann"))
    today = datetime.datetime.now(datetime.timezone.utc).date()
    first, last = (datetime.date.fromisoformat(request.query[each][:10]) for each in ["timeMin", "timeMax"])
    expect(abs((today - first).days - back) <= 1, "days back", request.query)
    expect(abs((last - today).days - ahead) <= 1, "days ahead", request.query)
    equal(titles(response), ["Copper day"])
    equal(response["results"][0]["author"], "Ann Reed")


@claim("interface: connectors, a file-storage service through an authenticator", rows=[
    Row("relevancy", ("relevancy", None)), Row("date", ("date", "modified_at")),
])  # fmt: skip
def a_file_storage_service_is_searched_with_the_users_account(service, sort, expected):
    name = f"Box {sort}"
    provider = create(service, name, "BoxStorage")
    search = STATE["ann"].run_search("copper", searchprovider_list=[provider], sort=sort)
    response, request = STATE["ann"].results(search["id"]), sent(BOX)
    equal((request.query["query"], request.query["type"]), ("copper", "file"))
    equal((request.query.get("sort"), request.headers["authorization"]), (expected, "Bearer token-ann"))
    info, result = response["info"][name], response["results"][0]
    equal((info["found"], plain(result["title"]), result["author"]), (9, "Copper.pdf", "Ann Reed"))
    expect(result["url"].endswith("/7"), "the address of the file", result["url"])


def renewable(service, idp, renewal):
    """A source with an authenticator whose first token was valid for a second, and what a renewal responds."""

    def token(request):
        if b"grant_type=refresh_token" in request.body:
            return renewal
        return {"access_token": "first", "refresh_token": "again", "token_type": "Bearer", "expires_in": 1}

    add_authenticator(service, source, idp)
    source.route(f"/{idp}/token", token)
    source.route(f"/{idp}/account", {"mail": "ann@example.org"})
    url = source.route(f"/{idp}/list", {"items": [{"title": "Copper", "body": "b", "url": "https://r.example/"}]})
    fields = {"response_mappings": "RESULTS=items", "result_mappings": "title=title,url=url", "authenticator": idp}
    provider = create(service, idp, "RequestsGet", url=url, query_template="{url}?q={query_string}", **fields)
    connect(service, "ann", idp)
    time.sleep(1.5)
    return provider


@claim("ai-cache 4.2: expired tokens are renewed silently")
def an_expired_token_is_renewed(service):
    renewed = {"access_token": "second", "refresh_token": "again", "token_type": "Bearer", "expires_in": 3600}
    provider = renewable(service, "renewing", renewed)
    equal(STATE["ann"].search("copper", providers=[provider])["info"]["renewing"]["status"], "ok")
    equal(sent("/renewing/list").headers["authorization"], "Bearer second")


@claim("ai-cache 4.2: on failure the provider is not connected, the search goes on and says so")
def a_token_that_cannot_be_renewed_ends_the_connection(service):
    provider = renewable(service, "ending", Reply({"error": "invalid_grant"}, 400))
    other = service.admin.create_provider(
        name="beside", default=False, url=source.route("/beside", {"items": [{"title": "Copper", "url": "https://b.example/"}]})
    )["id"]
    response = STATE["ann"].search("copper", providers=[provider, other])
    equal((response["info"]["ending"]["status"], response["info"]["beside"]["status"]), ("not_connected", "ok"))
    expect(any("ending" in line for line in response["messages"]), "a message names the source", response["messages"])
    equal(source.asked("/ending/list"), [])


@claim("ai-cache 4.2: one account for each user and authenticator; the callback belongs to who began", rows=[
    Row("another user", ("bob",)), Row("used twice", ("ann",)),
])  # fmt: skip
def a_consent_is_for_who_asked_and_once(service, who):
    begun = Session(service, "ann")
    auth_url = begun.post("/svc/authenticators/google/connect/").expect(200).json()["auth_url"]
    state = dict(part.split("=", 1) for part in auth_url.partition("?")[2].split("&"))["state"]
    path = "/svc/callback/google-callback"
    if who == "ann":
        expect(begun.get(path, params={"code": "ann", "state": state}).status < 400, "the first time")
    response = (begun if who == "ann" else Session(service, "bob")).get(path, params={"code": "bob", "state": state})
    expect(response.status >= 400, "accepted", response.status, response.text[:300])
    others = {each["idp"]: each for each in STATE["bob"].get("/svc/authenticators/").expect(200).json()}
    equal(others["google"]["connected"], False)


@claim("ai-cache 4.1: the code flow has PKCE and a state; ai-cache 4.2: scopes")
def a_consent_is_asked_for_with_pkce_and_the_scopes(service):
    auth_url = Session(service, "ann").post("/svc/authenticators/box/connect/").expect(200).json()["auth_url"]
    for part in ["code_challenge_method=S256", "code_challenge=", "state=", "scope=read", "response_type=code", "client_id=claims"]:
        expect(part in auth_url, f"{part} is missing", auth_url)
    expect("claims-secret" not in auth_url, "the secret", auth_url)


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@claim("interface: eval_credentials, a session-held token in credentials at query time; core 3.6", rows=[
    Row("bearer", ("bearer={credentials}", "session['microsoft_access_token']", ("authorization", "Bearer token-ann"))),
    Row("bare key", ("bearer={credentials}", "microsoft_access_token", ("authorization", "Bearer token-ann"))),
    Row("double quotes", ("bearer={credentials}", 'session["token"]', ("authorization", "Bearer token-ann"))),
    Row("X-Api-Key", ("X-Api-Key={credentials}", "session['token']", ("x-api-key", "token-ann"))),
    Row("basic", ("HTTPBasicAuth('u','{credentials}')", "token", ("authorization", basic("u", "token-ann")))),
    Row("in the template", ("key={credentials}", "token", None)),
    Row("without credentials", ("", "", ("authorization", "Bearer token-ann"))),
    Row("not used", ("bearer=own", "token", ("authorization", "Bearer own"))),
])  # fmt: skip
def a_session_value_is_inserted_into_credentials(service, credentials, expression, header):
    name = f"session {credentials} {expression}"
    path = f"/session/{len(source.routes)}"
    url = source.route(path, {"items": [{"title": "Copper", "url": "https://s.example/"}]})
    template = "{url}?key={key}&q={query_string}" if header is None else "{url}?q={query_string}"
    provider = create(
        service, name, "RequestsGet", url=url, query_template=template, response_mappings="RESULTS=items",
        result_mappings="title=title,url=url", authenticator="microsoft", credentials=credentials, eval_credentials=expression,
    )  # fmt: skip
    equal(STATE["ann"].search("copper", providers=[provider])["info"][name]["status"], "ok")
    if header is None:
        equal(sent(path).query["key"], "token-ann")
    else:
        equal(sent(path).headers[header[0]], header[1])
    if "{credentials}" in credentials:
        asked = len(source.asked(path))
        equal(STATE["bob"].search("copper", providers=[provider])["info"][name]["status"], "not_connected")
        equal(len(source.asked(path)), asked, "a user without the value sends nothing")


@claim("quirks, Requests to sources: a record does not execute code", rows=[Row(text, (text,)) for text in [
    "session['token'] or exit()", "__import__('os').system('id')", "session['a']['b']", "session.get('token')", "1 + 1", "session[token]",
]])  # fmt: skip
def an_expression_is_refused_when_it_is_saved(service, expression):
    record = {
        "name": "expression", "url": "https://x.example/", "credentials": "bearer={credentials}", "eval_credentials": expression,
    }  # fmt: skip
    expect("eval_credentials" in service.admin.post("/svc/searchproviders/", record).expect(400).json()["errors"], "the field")


@claim("interface: eval_credentials; {credentials} needs the name of a value")
def a_place_without_a_value_is_refused_when_it_is_saved(service):
    record = {"name": "no value", "url": "https://x.example/", "credentials": "bearer={credentials}"}
    expect("eval_credentials" in service.admin.post("/svc/searchproviders/", record).expect(400).json()["errors"], "the field")
