"""Credentials and headers of requests to sources, and to whom they are sent."""

import base64
import hashlib
import re

from harness import Reply, Row, Source, claim, equal, expect
from harness.one_provider import ask, items, new_path, refused, shared_source

SETTINGS = {"SVC_OUTBOUND_ALLOW": "127.0.0.1"}
SECRET = "Hush-4711"


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@claim("core 3.6, table of credentials", rows=[
    Row("empty", ("", {"authorization": None, "x-api-key": None, "proxy-authorization": None})),
    Row("basic", ("HTTPBasicAuth('anna','Hush-4711')", {"authorization": basic("anna", SECRET)})),
    Row("basic with spaces", ("HTTPBasicAuth( 'anna' , 'Hush-4711' )", {"authorization": basic("anna", SECRET)})),
    Row("basic with a comma in the password", ("HTTPBasicAuth('anna','Hush,4711')", {"authorization": basic("anna", "Hush,4711")})),
    Row("basic with a colon in the password", ("HTTPBasicAuth('anna','Hush:4711')", {"authorization": basic("anna", "Hush:4711")})),
    Row("basic in UTF-8", ("HTTPBasicAuth('jürg','Grüezi-4711')", {"authorization": basic("jürg", "Grüezi-4711")})),
    Row("proxy, one P", ("HTTProxyAuth('anna','Hush-4711')", {"proxy-authorization": basic("anna", SECRET), "authorization": None})),
    Row("proxy", ("HTTPProxyAuth('anna','Hush-4711')", {"proxy-authorization": basic("anna", SECRET), "authorization": None})),
    Row("bearer", ("bearer=Hush-4711", {"authorization": "Bearer Hush-4711"})),
    Row("bearer with verification", ("bearer=Hush-4711,verify_certs=true", {"authorization": "Bearer Hush-4711"})),
    Row("bearer without verification", ("bearer=Hush-4711,verify_certs=no", {"authorization": "Bearer Hush-4711"})),
    Row("bearer with an equals sign", ("bearer=abc==", {"authorization": "Bearer abc=="})),
    Row("header", ("X-Api-Key=Hush-4711", {"x-api-key": SECRET, "authorization": None})),
    Row("header with an equals sign", ("X-Api-Key=Hush=4711=", {"x-api-key": "Hush=4711="})),
    Row("for the template", ("key=Hush-4711", {"authorization": None, "x-api-key": None})),
])  # fmt: skip
def credentials_become_headers(service, credentials, expected):
    asked = ask(service, credentials=credentials)
    equal(asked.status, "ok", str(asked.info.get("error")))
    for name, value in expected.items():
        found = asked.request.headers.get(name)
        # http.server reads headers as Latin-1; Base64 is ASCII anyway.
        equal(found, value, name)
    expect(SECRET not in str(asked.response), "the secret is in the response")


@claim("core 3.6: credentials with a class are not bound into the template")
def classes_are_not_bound_into_the_template(service):
    asked = ask(service, credentials="HTTPBasicAuth('anna','Hush-4711')", query_template="{url}?a=1&q={query_string}")
    equal(asked.asked_for, "a=1&q=zinc")


@claim("core 3.6: digest")
def digest_credentials_answer_a_challenge(service):
    realm, nonce = "claims", "dcd98b7102dd2f0e"

    def respond(request):
        if "authorization" not in request.headers:
            challenge = f'Digest realm="{realm}", nonce="{nonce}", qop="auth", algorithm=MD5'
            return Reply("who?", 401, {"WWW-Authenticate": challenge})
        return {"items": items(1)}

    asked = ask(service, respond=respond, credentials="HTTPDigestAuth('anna','Hush-4711')")
    equal(asked.status, "ok", str(asked.info.get("error")))
    request = asked.requests[-1]
    sent = dict(re.findall(r'(\w+)="?([^",]+)"?', request.headers["authorization"].removeprefix("Digest ")))
    digest = lambda text: hashlib.md5(text.encode()).hexdigest()  # noqa: E731
    first, second = digest(f"anna:{realm}:{SECRET}"), digest(f"GET:{request.target}")
    equal(sent["uri"], request.target)
    equal(sent["response"], digest(f"{first}:{nonce}:{sent['nc']}:{sent['cnonce']}:{sent['qop']}:{second}"))
    expect(SECRET not in request.headers["authorization"], "the password itself was sent")


@claim("core 3.6 and quirks: credentials that can never work", rows=[
    Row("unknown class", ("HTTPFooAuth('a','b')",)), Row("class without arguments", ("HTTPBasicAuth()",)),
    Row("class with one argument", ("HTTPBasicAuth('a')",)), Row("class without its end", ("HTTPBasicAuth('a','b'",)),
    Row("verify_certs is no truth value", ("bearer=abc,verify_certs=<true-or-false>",)),
    Row("unknown piece beside bearer", ("bearer=abc,verify=true",)),
])  # fmt: skip
def credentials_that_can_never_work_fail(service, credentials):
    answer = refused(service, credentials=credentials)
    if answer.status == 201:
        record = answer.json()
        response = service.admin.search("zinc", providers=[record["id"]])
        equal(response["info"][record["name"]]["status"], "error")
    else:
        answer.expect(400)
        expect("credentials" in answer.text, "the field is not named", answer.text)


@claim("core 3.6: headers", rows=[
    Row("own header", ({"X-Claims": "one"}, "", {"x-claims": "one"})),
    Row("own User-Agent", ({"User-Agent": "claims/1"}, "", {"user-agent": "claims/1"})),
    Row("bearer is stronger", ({"Authorization": "Basic zzz"}, "bearer=Hush-4711", {"authorization": "Bearer Hush-4711"})),
    Row("bearer is stronger in any case", ({"authorization": "Basic zzz"}, "bearer=Hush-4711", {"authorization": "Bearer Hush-4711"})),
    Row("key is stronger", ({"x-api-key": "old"}, "X-Api-Key=Hush-4711", {"x-api-key": SECRET})),
    Row("beside a credential", ({"X-Claims": "one"}, "bearer=Hush-4711", {"x-claims": "one", "authorization": "Bearer Hush-4711"})),
    Row("own Accept", ({"Accept": "application/vnd.x+json"}, "", {"accept": "application/vnd.x+json"})),
])  # fmt: skip
def headers_of_the_provider_are_sent(service, headers, credentials, expected):
    asked = ask(service, http_request_headers=headers, credentials=credentials)
    for name, value in expected.items():
        equal(asked.request.headers.get(name), value, name)


@claim("quirks: sources are asked as Tributary and its version")
def the_user_agent_names_the_product(service):
    agent = ask(service).request.headers["user-agent"]
    expect(re.fullmatch(r"Tributary/\d+\.\d+\.\d+.*", agent), "unexpected", agent)


@claim("core 3.6 and security: header values cannot add headers", rows=[
    Row("line break in a header", ({"http_request_headers": {"X-A": "1\r\nX-B: 2"}},)),
    Row("line break in bearer", ({"credentials": "bearer=abc\r\nX-B: 2"},)),
    Row("line break in a key", ({"credentials": "X-Api-Key=abc\nX-B: 2"},)),
])  # fmt: skip
def line_breaks_never_become_headers(service, fields):
    answer = refused(service, **fields)
    if answer.status == 201:
        record = answer.json()
        service.admin.search("zinc", providers=[record["id"]])
        path = "/" + record["url"].partition("127.0.0.1")[2].partition("/")[2]
        expect(all("x-b" not in each.headers for each in shared_source().asked(path)), "a header was added")
    else:
        answer.expect(400)


def redirected(service, location, credentials, status=302):
    """Asks a provider whose source redirects there."""
    return ask(service, respond=lambda request: Reply("", status, {"Location": location}), credentials=credentials)


CREDENTIALS = ["HTTPBasicAuth('anna','Hush-4711')", "bearer=Hush-4711", "X-Api-Key=Hush-4711"]


@claim("core 3.8: redirects are followed; decisions 6: credentials stay at the origin",
       rows=[Row(each.partition("=")[0].partition("(")[0], (each,)) for each in CREDENTIALS])  # fmt: skip
def credentials_do_not_follow_a_redirect_to_another_origin(service, credentials):
    with Source() as other:
        location = other.route("/elsewhere", {"items": items(2)})
        asked = redirected(service, location, credentials)
        equal(asked.status, "ok", str(asked.info.get("error")))
        for request in other.asked("/elsewhere"):
            expect(SECRET not in str(request.headers) and "authorization" not in request.headers, "sent elsewhere", request.headers)
        expect(len(other.asked("/elsewhere")) == 1, "not followed")


@claim("decisions 6: credentials go to the provider's own origin", rows=[Row(each.partition("=")[0].partition("(")[0], (each,)) for each in CREDENTIALS])
def credentials_follow_a_redirect_within_the_origin(service, credentials):
    path = new_path() + "-moved"
    location = shared_source().route(path, {"items": items(2)})
    asked = redirected(service, location, credentials)
    equal(asked.status, "ok", str(asked.info.get("error")))
    headers = shared_source().asked(path)[0].headers
    expect(SECRET in str(headers) or basic("anna", SECRET) in str(headers), "not sent", headers)


@claim("core 3.8: redirects", rows=[Row(str(each), (each,)) for each in (301, 302, 303, 307, 308)])
def redirects_are_followed(service, status):
    path = new_path() + "-moved"
    asked = redirected(service, shared_source().route(path, {"items": items(2)}), "", status)
    equal((asked.status, asked.info["retrieved"]), ("ok", 2))


@claim("quirks: secrets of the template go only to the host of url", rows=[
    Row("template with another host", ("http://127.0.0.1:9/x?k={key}&q={query_string}",)),
    Row("host behind an at sign", ("{url}@127.0.0.1:9/?k={key}&q={query_string}",)),
])  # fmt: skip
def a_template_cannot_send_secrets_elsewhere(service, template):
    with Source() as other:
        other.route("/x", {"items": items(1)})
        answer = refused(service, query_template=template.replace("127.0.0.1:9", other.host), credentials="key=Hush-4711")
        if answer.status == 201:
            service.admin.search("zinc", providers=[answer.json()["id"]])
        expect(all(SECRET not in request.target for request in other.requests), "sent elsewhere", [r.target for r in other.requests])


@claim("decisions 3.9: secrets are masked", rows=[
    Row("key", ("key=Hush-4711", "key=••••")), Row("bearer", ("bearer=Hush-4711", "bearer=••••")),
    Row("header", ("X-Api-Key=Hush-4711", "X-Api-Key=••••")),
])  # fmt: skip
def secrets_are_masked(service, credentials, masked):
    asked = ask(service, credentials=credentials)
    equal(asked.provider["credentials"], masked)
    url = f"/svc/searchproviders/{asked.provider['id']}/"
    for sent in [masked, ""]:
        service.admin.patch(url, {"credentials": sent}).expect(200)
        equal(service.admin.get(url).json()["credentials"], masked)
    service.admin.search("zinc again", providers=[asked.provider["id"]])
    if not credentials.startswith("key"):
        expect(SECRET in str(asked.requests[-1].headers), "the stored secret was lost")
    dry = service.admin.get(url + "test/", params={"q": "zinc", "dry_run": "true"}).expect(200)
    expect(SECRET not in dry.text, "the secret is in the dry run", dry.text)
