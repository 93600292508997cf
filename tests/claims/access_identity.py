"""Sign-in with an identity provider (OpenID Connect), and its tokens as credentials of the API."""

import base64
import hashlib
import json
import time
import urllib.parse

from harness import Reply, Row, Source, claim, equal, expect
from harness.accounts import Session
from harness.license import BASE, encode_point, multiply, sign

source = Source()
SETTINGS = {"SVC_OIDC_API_AUDIENCE": "tributary-api", "SVC_OUTBOUND_ALLOW": "127.0.0.1"}
SEED, OTHER_SEED = b"9" * 32, b"8" * 32
LOGIN, CALLBACK = "/svc/oidc/hub/login/", "/svc/callback/hub-callback"
STATE = {"claims": {}, "form": {}}


def prepare(service):
    source.__enter__()
    base = source.base
    source.route("/.well-known/openid-configuration", {
        "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
        "jwks_uri": f"{base}/keys", "userinfo_endpoint": f"{base}/account", "response_types_supported": ["code"],
        "id_token_signing_alg_values_supported": ["EdDSA"],
    })  # fmt: skip
    key = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": "hub-1", "x": coded(public_key(SEED))}
    source.route("/keys", {"keys": [key]})
    source.route("/token", token)
    source.route("/account", {"sub": "s", "email": "x@hub.example"})
    for group in ["staff", "finance"]:
        service.admin.post("/svc/groups/", {"name": group}).expect(201)
    record = {
        "idp": "hub", "name": "Hub", "client_id": "claims", "client_secret": "claims-secret", "issuer": base,
        "scopes": "openid email profile", "sign_in": True, "groups_claim": "groups",
        "groups_map": {"g-staff": "staff", "g-finance": "finance"},
    }  # fmt: skip
    service.admin.post("/svc/authenticators/", record).expect(201)


def finish():
    source.__exit__()


def public_key(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return encode_point(multiply(BASE, scalar))


def coded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(seed=SEED, head=(), **claims):
    """A token of the identity provider. Claims that are None are left out."""
    now = int(time.time())
    claims = {"iss": source.base, "aud": "claims", "sub": "sub-ann", "iat": now, "exp": now + 600, **claims}
    claims = {name: value for name, value in claims.items() if value is not None}
    parts = [{"alg": "EdDSA", "typ": "JWT", "kid": "hub-1", **dict(head)}, claims]
    text = ".".join(coded(json.dumps(part).encode()) for part in parts)
    return f"{text}.{coded(sign(seed, text.encode()))}"


def token(request):
    """The token endpoint: an ID token with the claims of the moment, for the nonce of the last sign-in."""
    STATE["form"] = dict(urllib.parse.parse_qsl(request.body.decode()))
    change = STATE.get("change", lambda text: text)
    id_token = change(signed(**{"nonce": STATE["nonce"], "seed": SEED, **STATE["claims"]}))
    return {"access_token": "opaque", "token_type": "Bearer", "expires_in": 600, "id_token": id_token}


class Browser(Session):
    """A browser that is not signed in."""

    def __init__(self, service):
        self.port, self.cookies, self.set_cookies, self.csrf = service.port, {}, [], ""

    def begin(self, next_page="/"):
        """Opens the sign-in; returns what the identity provider is asked."""
        location = self.get(LOGIN, params={"next": next_page}).expect(302, 303).headers["location"]
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        STATE["nonce"], STATE["asked"] = asked.get("nonce"), asked
        return asked

    def sign_in(self, next_page="/", **claims):
        """Returns from the identity provider with these claims; the response of the callback."""
        asked = self.begin(next_page)
        STATE["claims"] = claims
        return self.get(CALLBACK, params={"code": "c", "state": asked["state"]})

    def me(self):
        return self.get("/svc/users/me/")


@claim("ai-cache 4.1: server-side code flow with PKCE, nonce and state")
def a_sign_in_uses_the_code_flow_with_pkce(service):
    browser = Browser(service)
    response = browser.sign_in(sub="sub-pkce", preferred_username="pkce")
    expect(response.status in (302, 303), "not signed in", response.status, response.text[:400])
    asked, form = STATE["asked"], STATE["form"]
    equal((asked["response_type"], asked["code_challenge_method"], asked["client_id"]), ("code", "S256", "claims"))
    expect(len(asked["nonce"]) >= 16 and len(asked["state"]) >= 16, "nonce and state", asked)
    equal(coded(hashlib.sha256(form["code_verifier"].encode()).digest()), asked["code_challenge"], "PKCE")
    equal((form["grant_type"], form["code"], form["redirect_uri"]), ("authorization_code", "c", asked["redirect_uri"]))
    equal(browser.me().expect(200).json()["username"], "pkce")


@claim("ai-cache 4.1: the first sign-in creates an ordinary user without a usable password")
def a_new_user_is_ordinary_and_has_no_password(service):
    browser = Browser(service)
    browser.sign_in(sub="sub-new", preferred_username="newcomer", email="new@hub.example")
    me = browser.me().expect(200).json()
    equal((me["username"], me["email"], me["is_admin"]), ("newcomer", "new@hub.example", False))
    for password in ["", "newcomer", "newcomer-Pass-1"]:
        body = {"username": "newcomer", "password": password}
        expect(service.nobody.post("/svc/login/", body).status in (400, 401), "a password is accepted", password)


@claim("ai-cache 4.1: the next sign-in is of the same user, by issuer and subject")
def a_user_is_known_by_issuer_and_subject(service):
    first, second = Browser(service), Browser(service)
    first.sign_in(sub="sub-same", preferred_username="before")
    second.sign_in(sub="sub-same", preferred_username="after", email="other@hub.example")
    equal(second.me().json()["id"], first.me().json()["id"])


@claim("docs/authentication: an existing user is never taken over", rows=[
    Row("administrator", ("admin", "admin@hub.example")), Row("user", ("owned", "owned@hub.example")),
])  # fmt: skip
def a_taken_name_does_not_open_its_user(service, name, email):
    if name != "admin":
        service.admin.post("/svc/users/", {"username": name, "password": "owned-Pass-1", "email": email}).expect(201)
    browser = Browser(service)
    browser.sign_in(sub=f"sub-{name}-thief", preferred_username=name, email=email)
    me = browser.me().expect(200).json()
    equal((me["username"], me["is_admin"]), (f"{name}-2", False))


@claim("ai-cache 4.1: group claim mapping", rows=[
    Row("a list", (["g-staff", "g-unknown"], ["staff"])), Row("a text", ("g-finance", ["finance"])),
    Row("a name that is not mapped", (["staff", "admin", "curators"], [])), Row("none", (None, [])),
])  # fmt: skip
def groups_are_those_of_the_claim(service, claimed, expected):
    browser = Browser(service)
    browser.sign_in(sub="sub-groups", preferred_username="grouped", groups=["g-staff", "g-finance"])
    equal(sorted(browser.me().json()["groups"]), ["finance", "staff"])
    browser.sign_in(sub="sub-groups", preferred_username="grouped", groups=claimed)
    me = browser.me().json()
    equal((me["groups"], me["is_admin"]), (expected, False))


LONG_AGO = 1_600_000_000


@claim("ai-cache 4.1: verified issuer, audience, signature, expiry, nonce", rows=[
    Row("nonce", ({"nonce": "another"}, None)), Row("no nonce", ({"nonce": None}, None)),
    Row("expired", ({"exp": LONG_AGO}, None)), Row("no expiry", ({"exp": None}, None)),
    Row("audience", ({"aud": "another"}, None)), Row("issuer", ({"iss": "https://evil.example"}, None)),
    Row("nobody", ({"sub": ""}, None)), Row("another key", ({"seed": OTHER_SEED}, None)),
    Row("unknown key", ({"head": {"kid": "hub-2"}}, None)), Row("shared secret", ({"head": {"alg": "HS256"}}, None)),
    Row("none", ({"head": {"alg": "none"}}, lambda text: text.rsplit(".", 1)[0] + ".")),
    Row("cut", ({}, lambda text: text.rsplit(".", 1)[0])), Row("no token", ({}, lambda text: "")),
])  # fmt: skip
def an_invalid_id_token_signs_nobody_in(service, claims, change):
    browser = Browser(service)
    if change:
        STATE["change"] = change
    try:
        response = browser.sign_in(**{"sub": "sub-evil", "preferred_username": "evil", **claims})
    finally:
        STATE.pop("change", None)
    expect(response.status >= 400 or "/login/" in response.headers.get("location", ""), "signed in", response.status)
    equal(browser.me().status, 401)


@claim("ai-cache 4.1: a sign-in belongs to the browser that began it and works once", rows=[
    Row("another browser", ("another",)), Row("twice", ("twice",)), Row("unknown state", ("unknown",)),
])  # fmt: skip
def a_callback_belongs_to_its_browser_and_works_once(service, case):
    victim = Browser(service)
    asked = victim.begin()
    STATE["claims"] = {"sub": "sub-once", "preferred_username": "once"}
    params = {"code": "c", "state": "unknown" if case == "unknown" else asked["state"]}
    if case == "twice":
        victim.get(CALLBACK, params=params).expect(302, 303)
    attacker = Browser(service)
    response = attacker.get(CALLBACK, params=params)
    expect(response.status >= 400 or "/login/" in response.headers.get("location", ""), "accepted", response.status)
    equal(attacker.me().status, 401)


@claim("security: open redirects after a sign-in", rows=[
    Row(name, (name, page)) for name, page in [
        ("address", "https://evil.example/"), ("without scheme", "//evil.example/"), ("backslash", "/\\evil.example/"),
    ]
])  # fmt: skip
def a_sign_in_leads_to_pages_of_this_service_only(service, _, page):
    browser = Browser(service)
    response = browser.sign_in(page, sub="sub-next", preferred_username="next")
    location = response.headers.get("location", "")
    expect("evil" not in urllib.parse.urlsplit(location).netloc and not location.startswith(("//", "/\\")), "led away", location)


@claim("ai-cache 4.1: OIDC sign-in; interface: authenticators in the UI configuration")
def the_sign_in_page_and_the_configuration_offer_it(service):
    expect("/svc/oidc/hub/login/" in Browser(service).get("/login/").text.replace("&#x2f;", "/"), "the sign-in page")
    config = service.admin.get("/api/config/default/").expect(200).json()
    equal([each["name"] for each in config["oidcConfig"]], ["Hub"])
    expect("claims-secret" not in json.dumps(config), "the secret")


@claim("ai-cache 4.1: Bearer with verified issuer, audience, signature, expiry", rows=[
    Row("valid", ({}, 200)), Row("several audiences", ({"aud": ["x", "tributary-api"]}, 200)),
    Row("audience of the sign-in", ({"aud": "claims"}, 401)), Row("no audience", ({"aud": None}, 401)),
    Row("expired", ({"exp": LONG_AGO}, 401)), Row("not yet", ({"nbf": 4_000_000_000}, 401)),
    Row("issuer", ({"iss": "https://evil.example"}, 401)), Row("another key", ({"seed": OTHER_SEED}, 401)),
    Row("alg none", ({"head": {"alg": "none"}}, 401)),
])  # fmt: skip
def a_bearer_token_is_verified(service, claims, status):
    text = signed(**{"aud": "tributary-api", "sub": "sub-bearer", "preferred_username": "bearer", **claims})
    for path in ["/svc/search/", "/svc/searchproviders/", "/svc/results/", "/api/svc/search/"]:
        service.nobody.get(path, headers={"Authorization": f"Bearer {text}"}).expect(status)


@claim("ai-cache 4.1: the token maps to its user")
def a_bearer_token_is_its_user(service):
    browser = Browser(service)
    browser.sign_in(sub="sub-both", preferred_username="both")
    sent = {"Authorization": "Bearer " + signed(aud="tributary-api", sub="sub-both")}
    equal(service.nobody.get("/svc/users/me/", headers=sent).expect(200).json()["id"], browser.me().json()["id"])
    service.nobody.get("/svc/users/", headers=sent).expect(403)
    service.nobody.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers={
        **sent, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18",
    }).expect(200)  # fmt: skip


@claim("core 9.7: POST /svc/oidc_authenticate/; ai-cache 4.1", rows=[
    Row("valid", ({}, 200)), Row("expired", ({"exp": LONG_AGO}, 403)), Row("another key", ({"seed": OTHER_SEED}, 403)),
    Row("another audience", ({"aud": "another"}, 403)),
])  # fmt: skip
def a_token_of_the_identity_provider_is_exchanged(service, claims, status):
    text = signed(**{"sub": "sub-exchange", "preferred_username": "exchange", **claims})
    response = service.nobody.post("/svc/oidc_authenticate/", headers={"OIDC-Token": f"Bearer {text}"}).expect(status)
    if status == 200:
        body = response.json()
        equal((body["user"], body["is_superuser"], set(body) >= {"token", "swirl_version", "edition"}), ("exchange", False, True))
        sent = {"Authorization": f"Token {body['token']}"}
        equal(service.nobody.get("/svc/users/me/", headers=sent).expect(200).json()["username"], "exchange")


@claim("core 9.7: without a token it is 403")
def nothing_to_exchange_is_403(service):
    service.nobody.post("/svc/oidc_authenticate/").expect(403)


@claim("ai-cache 4.2: client_secret is never returned; decisions 3.9")
def the_secret_of_an_authenticator_is_never_shown(service):
    response = service.admin.get("/svc/authenticators/").expect(200)
    expect("claims-secret" not in response.text, "the secret")
    record = [each for each in response.json() if each["idp"] == "hub"][0]
    service.admin.patch(f"/svc/authenticators/{record['id']}/", {"client_secret": record["client_secret"]}).expect(200)
    browser = Browser(service)
    browser.sign_in(sub="sub-secret", preferred_username="secret")
    equal((STATE["form"].get("client_secret"), browser.me().status), ("claims-secret", 200), "the stored one is kept")


@claim("ai-cache 4.2: authenticators are for administrators", rows=[
    Row("POST", ("POST", "/svc/authenticators/")), Row("PATCH", ("PATCH", "/svc/authenticators/1/")),
    Row("DELETE", ("DELETE", "/svc/authenticators/1/")),
])  # fmt: skip
def only_administrators_change_authenticators(service, method, path):
    browser = Browser(service)
    browser.sign_in(sub="sub-plain", preferred_username="plain")
    sent = {"Authorization": "Bearer " + signed(aud="tributary-api", sub="sub-plain")}
    service.nobody.call(method, path, {"idp": "x", "name": "X", "issuer": source.base, "client_id": "c"}, headers=sent).expect(403)


@claim("ai-cache 4.1: an authenticator that is switched off signs nobody in")
def an_inactive_authenticator_signs_nobody_in(service):
    record = {"idp": "off", "name": "Off", "client_id": "claims", "issuer": source.base, "sign_in": True, "active": False}
    service.admin.post("/svc/authenticators/", record).expect(201)
    expect(Browser(service).get("/svc/oidc/off/login/").status >= 400, "it begins a sign-in")
    expect("/svc/oidc/off/" not in Browser(service).get("/login/").text.replace("&#x2f;", "/"), "it is offered")


@claim("ai-cache 4.1: errors of the identity provider", rows=[
    Row("refused by the person", ({"error": "access_denied"}, None)), Row("token endpoint fails", ({}, Reply("down", 500))),
    Row("token endpoint refuses", ({}, Reply({"error": "invalid_grant"}, 400))), Row("nonsense", ({}, Reply("<html>"))),
])  # fmt: skip
def a_failure_of_the_identity_provider_is_no_server_error(service, params, reply):
    browser = Browser(service)
    asked = browser.begin()
    if reply is not None:
        source.route("/token", reply)
    try:
        response = browser.get(CALLBACK, params={"code": "c", "state": asked["state"], **params})
    finally:
        source.route("/token", token)
    expect(response.status != 500 and "claims-secret" not in response.text, "the status", response.status, response.text[:300])
    equal(browser.me().status, 401)
