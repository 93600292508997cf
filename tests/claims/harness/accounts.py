"""Connected accounts for claims: browser sessions, and an OAuth 2.0 server whose tokens are `token-<account>`."""

import http.client
import json
import re
import urllib.parse

from .service import ADMIN_PASSWORD, Response
from .source import Reply


class Session:
    """A browser that is signed in: it keeps cookies and sends the CSRF token of its pages."""

    def __init__(self, service, user, password=None):
        self.port, self.cookies, self.set_cookies = service.port, {}, []
        self.csrf = self.token_of(self.get("/login/").expect(200).text)
        password = password or (ADMIN_PASSWORD if user == "admin" else f"{user}-Pass-1")
        form = {"username": user, "password": password, "csrf_token": self.csrf}
        self.signed_in = self.submit("/login/", form)
        if self.signed_in.status == 303:
            self.csrf = self.token_of(self.get("/account/").expect(200).text)

    def token_of(self, page):
        found = re.search(r'name="csrf_token" value="([^"]+)"', page) or re.search(r'csrf-token" content="([^"]+)"', page)
        if not found:
            raise AssertionError("the page has no CSRF token")
        return found.group(1)

    def call(self, method, path, body=None, headers=None, params=None):
        if params:
            path += "?" + urllib.parse.urlencode(params)
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **(headers or {})}
        if isinstance(body, dict):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            content, lines = answer.read(), answer.getheaders()
        finally:
            connection.close()
        self.set_cookies = [value for name, value in lines if name.lower() == "set-cookie"]
        for line in self.set_cookies:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return Response(answer.status, {name.lower(): value for name, value in lines}, content)

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def submit(self, path, form, **headers):
        kind = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return self.call("POST", path, urllib.parse.urlencode(form), headers=kind)

    def post(self, path, body=None, **options):
        return self.call("POST", path, body, headers={"X-CSRF-Token": self.csrf}, **options)


def add_authenticator(service, source, idp, **fields):
    """An authenticator whose server is `source`: the code of a sign-in is the account's name."""

    def token(request):
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        account = form.get("code") or form.get("refresh_token", "").removeprefix("refresh-")
        return {
            "access_token": f"token-{account}", "refresh_token": f"refresh-{account}", "token_type": "Bearer",
            "expires_in": 3600,
        }  # fmt: skip

    def account(request):
        return {"mail": request.headers.get("authorization", "").removeprefix("Bearer token-")}

    source.route(f"/{idp}/token", token)
    source.route(f"/{idp}/account", account)
    record = {
        "idp": idp, "name": idp.title(), "client_id": "claims", "client_secret": "claims-secret", "scopes": "read",
        "auth_uri": f"{source.base}/{idp}/authorize", "token_uri": f"{source.base}/{idp}/token",
        "user_data_url": f"{source.base}/{idp}/account", **fields,
    }  # fmt: skip
    return service.admin.post("/svc/authenticators/", record).expect(201).json()


def connect(service, user, idp, account=None):
    """Connects the account `account` of the user; afterwards the user's searches send `token-<account>`."""
    session = Session(service, user)
    auth_url = session.post(f"/svc/authenticators/{idp}/connect/").expect(200).json()["auth_url"]
    sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(auth_url).query))
    path = urllib.parse.urlsplit(sent["redirect_uri"]).path
    response = session.get(path, params={"code": account or user, "state": sent["state"]})
    if response.status >= 400:
        raise AssertionError(f"the account was not connected: {response.status} {response.text[:300]}")
    return sent


def unauthorized(_request):
    return Reply({"error": "sign in"}, 401)
