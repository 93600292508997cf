"""SearchProviders in use: who may use them, what they are sent, credentials, and tests of one provider."""

import base64
import json

from harness import Reply, Service, Source, claim, equal, expect
from harness.sample import MASK, SampleSource, error, items, rows, titles
from harness.service import ADMIN_PASSWORD

source = SampleSource()


def prepare(service):
    source.__enter__()


def finish():
    source.__exit__()


def create(service, **fields):
    return service.admin.post("/svc/searchproviders/", {"connector": "RequestsGet", "url": source.base, **fields})


@claim("interface: SearchProvider, active")
def an_inactive_provider_gets_no_query_even_if_listed(service):
    record = source.provider(service, "Off", items(1), active=False)
    for providers in [["Off"], [record["id"]]]:
        service.admin.search("copper", providers=providers)
    equal(source.queries(record), [])


@claim("interface: SearchProvider, default")
def a_provider_without_default_is_asked_only_if_listed(service):
    records = [source.provider(service, f"default {flag}", items(1), default=flag) for flag in (True, False)]
    service.admin.search("copper")
    equal([source.queries(record) for record in records], [["copper"], []])
    service.admin.search("tin", providers=[records[1]["id"]])
    equal([source.queries(record) for record in records], [["copper"], ["tin"]])
    service.admin.patch(f"/svc/searchproviders/{records[0]['id']}/", {"default": False}).expect(200)


@claim("interface: Limits, results_per_query", rows=rows(("default", None, 10), ("3", 3, 3), ("20", 20, 15)))
def results_per_query_limits_what_is_taken(service, value, expected):
    fields = {} if value is None else {"results_per_query": value}
    record = source.provider(service, f"Takes {value}", items(15), **fields)
    answer = service.admin.search("copper", providers=[record["id"]])
    equal(answer["info"][record["name"]]["retrieved"], expected)


@claim("interface: config.swirl, connector_use; Endpoints, qs", rows=rows(
    ("configured", {}, 13), ("in the address", {"single_provider_results_requested": 14}, 14),
    ("by name", {"by_name": True}, 13), ("two providers", {"two": True}, 10),
))  # fmt: skip
def a_search_of_one_provider_takes_its_own_number(service, options, expected):
    config = {"swirl": {"connector_use": {"single_provider_results_requested": 13}}}
    name = f"Single {'-'.join(options) or 'configured'}"
    record = source.provider(service, name, items(15), config=config)
    other = source.provider(service, f"{name} beside", [])
    providers = [record["name"] if options.get("by_name") else record["id"]]
    providers += [other["id"]] if options.get("two") else []
    params = {key: value for key, value in options.items() if key not in ("two", "by_name")}
    answer = service.admin.search("copper", providers=providers, **params)
    equal(answer["info"][name]["retrieved"], expected)


@claim("interface: config.swirl, removing the key")
def without_the_key_results_per_query_applies_again(service):
    config = {"swirl": {"connector_use": {"single_provider_results_requested": 13}}}
    record = source.provider(service, "Key removed", items(15), config=config)
    removed = {"swirl": {"connector_use": {"single_provider_results_requested": None}}}
    service.admin.patch(f"/svc/searchproviders/{record['id']}/", {"config": removed}).expect(200)
    answer = service.admin.search("copper", providers=[record["id"]])
    equal(answer["info"]["Key removed"]["retrieved"], 10)


@claim("interface: SearchProvider, http_request_headers")
def request_headers_are_sent(service):
    record = source.provider(service, "Headers", items(1), http_request_headers={"X-One": "1", "Accept-Language": "de"})
    service.admin.search("copper", providers=[record["id"]])
    headers = source.last_request(record).headers
    equal((headers["x-one"], headers["accept-language"]), ("1", "de"))


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@claim("interface: Authentication 3; core 3.6", rows=rows(
    ("bearer", "RequestsGet", "bearer=tok.en=1", "authorization", "Bearer tok.en=1"),
    ("bearer, POST", "RequestsPost", "bearer=token1", "authorization", "Bearer token1"),
    ("X-Api-Key", "RequestsGet", "X-Api-Key=secret1", "x-api-key", "secret1"),
    ("X-Api-Key, POST", "RequestsPost", "X-Api-Key=secret1", "x-api-key", "secret1"),
    ("HTTPBasicAuth", "RequestsGet", "HTTPBasicAuth('ann','pass1')", "authorization", basic("ann", "pass1")),
    ("password with a comma", "RequestsGet", "HTTPBasicAuth('ann','pa,ss1')", "authorization", basic("ann", "pa,ss1")),
    ("HTTPProxyAuth", "RequestsGet", "HTTPProxyAuth('ann','pass1')", "proxy-authorization", basic("ann", "pass1")),
    ("HTTProxyAuth", "RequestsGet", "HTTProxyAuth('ann','pass1')", "proxy-authorization", basic("ann", "pass1")),
))  # fmt: skip
def credentials_become_a_header(service, connector, credentials, header, value):
    fields = {"connector": connector, "credentials": credentials, "http_request_headers": {"Authorization": "own"}}
    record = source.provider(service, f"{connector} {credentials}", items(1), **fields)
    service.admin.search("copper", providers=[record["id"]])
    equal(source.last_request(record).headers.get(header), value)


@claim("interface: Authentication 3, digest")
def digest_credentials_respond_to_the_challenge(service):
    def respond(request):
        if "authorization" not in request.headers:
            return Reply("who", 401, {"WWW-Authenticate": 'Digest realm="r", nonce="n1", qop="auth", algorithm=MD5'})
        return {"items": items(1)}

    record = source.provider(service, "Digest", respond, credentials="HTTPDigestAuth('ann','pass1')")
    service.admin.search("copper", providers=[record["id"]])
    header = source.last_request(record).headers.get("authorization", "")
    expect(header.startswith("Digest ") and 'username="ann"' in header and "response=" in header, "no digest", header)


@claim("interface: Authentication 3, key=", rows=rows(
    ("one", "key=abc1", {"key": "abc1"}), ("several", "key=abc1,login=ann", {"key": "abc1", "login": "ann"}),
    ("with an equals sign", "key=ab=c1", {"key": "ab=c1"}),
))  # fmt: skip
def credentials_fill_the_template(service, credentials, expected):
    template = "{url}?" + "".join(f"{name}={{{name}}}&" for name in expected) + "q={query_string}"
    record = source.provider(service, f"In {credentials}", items(1), query_template=template, credentials=credentials)
    service.admin.search("copper", providers=[record["id"]])
    query = source.last_request(record).query
    equal({name: query.get(name) for name in expected}, expected)


@claim("decisions 6; quirks: Requests to sources")
def credentials_do_not_follow_a_redirect_to_another_host(service):
    with Source() as other:
        target = other.route("/elsewhere", {"items": items(1)})
        reply = Reply("", 302, {"Location": target})
        record = source.provider(service, "Redirected", reply, credentials="bearer=token1")
        service.admin.search("copper", providers=[record["id"]])
        for request in other.requests:
            expect("authorization" not in request.headers, "the token was sent to another host", request.headers)


@claim("decisions 3.19, 6", rows=rows(
    ("nothing", "", "error"), ("host and port", "127.0.0.1:{port}", "ok"), ("host", "127.0.0.1", "ok"),
    ("network", "127.0.0.0/8", "ok"), ("another port", "127.0.0.1:1", "error"),
    ("another network", "10.0.0.0/8", "error"),
    ("a list", "10.0.0.0/8, 127.0.0.1:{port}", "ok"),
))  # fmt: skip
def a_redirect_to_this_machine_needs_permission(service, allowed, status):
    with Source() as target:
        port = target.host.rsplit(":", 1)[1]
        with Service(service.program, {"SVC_OUTBOUND_ALLOW": allowed.format(port=port)}) as other:
            reply = Reply("", 302, {"Location": target.route("/inside", {"items": items(1)})})
            record = source.provider(other, "Redirects inside", reply)
            info = other.admin.search("copper", providers=[record["id"]])["info"]["Redirects inside"]
        equal(info["status"], status)
        equal(len(target.requests), 1 if status == "ok" else 0, "requests that arrived")


@claim("decisions 3.9", rows=rows(
    ("key", "key=abc12345"), ("bearer", "bearer=abc12345"), ("basic", "HTTPBasicAuth('ann','abc12345')"),
    ("plain", "abc12345"),
))  # fmt: skip
def credentials_are_returned_masked(service, credentials):
    record = create(service, name=f"Masked {credentials[:5]}", credentials=credentials).expect(201).json()
    for shown in [record, service.admin.get(f"/svc/searchproviders/{record['id']}/").json()]:
        expect(MASK in shown["credentials"] and "abc12345" not in str(shown), "not masked", shown["credentials"])
    if credentials.startswith("key"):
        equal(record["credentials"], f"key={MASK}")


@claim("decisions 3.9",
       rows=rows(("masked", MASK), ("key masked", f"key={MASK}"), ("empty", ""), ("missing", ...)))  # fmt: skip
def a_masked_or_empty_secret_keeps_the_stored_one(service, sent):
    name = f"Keeps {sent}"
    fields = {"query_template": "{url}?key={key}&q={query_string}", "credentials": "key=abc12345"}
    record = source.provider(service, name, items(1), **fields)
    path = f"/svc/searchproviders/{record['id']}/"
    body = {**service.admin.get(path).json(), "credentials": sent}
    body = {field: value for field, value in body.items() if value is not ...}
    service.admin.put(path, body).expect(200)
    service.admin.search("copper", providers=[record["id"]])
    equal(source.last_request(record).query["key"], "abc12345")


@claim("decisions 3.9")
def credentials_are_absent_for_others(service):
    user = service.user("credless")
    record = create(service, name="Absent", credentials="key=abc12345").expect(201).json()
    shown = [user.get(f"/svc/searchproviders/{record['id']}/").expect(200).json()]
    shown += [each for each in user.get("/svc/searchproviders/").json() if each["id"] == record["id"]]
    for each in shown:
        expect("credentials" not in each and "eval_credentials" not in each, "credentials are there", each)


@claim("decisions 3.9")
def credentials_are_sealed_in_the_data_folder(service):
    headers = {"X-Key": "Zx82secretZx82"}
    create(service, name="Sealed", credentials="key=Zx81secretZx81", http_request_headers=headers).expect(201)
    for file in service.data.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            expect(b"Zx81secretZx81" not in content, f"the secret is in {file.name}")
            expect(b"Zx82secretZx82" not in content, f"the header is in {file.name}")
    equal((service.data / "secret.key").stat().st_mode & 0o777, 0o600)


@claim("interface: SearchProvider, shared and groups; Authentication 2")
def a_private_provider_is_for_its_groups_only(service):
    member, stranger = service.user("privmember", ["privstaff"]), service.user("privstranger")
    record = source.provider(service, "Private", items(1), shared=False, groups=["privstaff"])
    path = f"/svc/searchproviders/{record['id']}/"
    member.get(path).expect(200)
    error(stranger.get(path), 404)
    for user, visible in [(member, True), (stranger, False)]:
        names = [each["name"] for each in user.get("/svc/searchproviders/").expect(200).json()]
        equal("Private" in names, visible, "in the list")
        found = titles(user.search("copper", providers=[record["id"]]))
        equal(found, ["copper report 1"] if visible else [])
    equal(len(source.queries(record)), 1)


@claim("decisions 3.14")
def a_dry_run_shows_one_request_for_each_page_and_sends_none(service):
    fields = {"query_mappings": "PAGE=start=RESULT_INDEX,DATE_SORT=order=new", "results_per_query": 30}
    template = "{url}?key={key}&q={query_string}"
    record = source.provider(service, "Dry", items(1), query_template=template, credentials="key=abc12345", **fields)
    path = f"/svc/searchproviders/{record['id']}/test/"
    answer = service.admin.get(path, params={"q": "solid state", "sort": "date", "dry_run": "true"}).expect(200).json()
    equal([request["method"] for request in answer["requests"]], ["GET"] * 3)
    for request, start in zip(answer["requests"], [1, 11, 21], strict=True):
        expect(f"start={start}" in request["url"] and "order=new" in request["url"], "another page", request["url"])
        expect(request["url"].endswith("q=solid+state"), "another query", request["url"])
        expect("abc12345" not in str(request), "the secret is shown", request)
        expect(set(request) >= {"method", "url", "headers"}, "fields are missing", request)
    equal(source.queries(record), [])


@claim("decisions 3.14")
def a_dry_run_of_a_post_shows_its_body(service):
    fields = {"query_template": "{url}", "post_query_template": {"query": "{query_string}"}}
    record = source.provider(service, "Dry post", items(1), connector="RequestsPost", **fields)
    path = f"/svc/searchproviders/{record['id']}/test/"
    request = service.admin.get(path, params={"q": "tin", "dry_run": "true"}).expect(200).json()["requests"][0]
    equal((request["method"], request["body"]), ("POST", {"query": "tin"}))


@claim("decisions 3.14")
def a_test_is_one_real_query(service):
    record = source.provider(service, "Tested", items(2))
    answer = service.admin.get(f"/svc/searchproviders/{record['id']}/test/", params={"q": "copper"}).expect(200).json()
    equal((answer["status"], answer["provider"], answer["found"], answer["retrieved"]), ("OK", "Tested", 2, 2))
    equal(answer["sample"]["url"], "http://items.example/copper/1")
    expect(isinstance(answer["time"], (int, float)), "no time", answer)
    equal(source.queries(record), ["copper"])


@claim("decisions 3.14")
def a_test_of_a_broken_source_fails(service):
    record = source.provider(service, "Tested broken", Reply("no", 500))
    answer = service.admin.get(f"/svc/searchproviders/{record['id']}/test/", params={"q": "copper"}).expect(200).json()
    equal((answer["status"], answer["retrieved"]), ("FAIL", 0))
    expect(answer["error"], "no error", answer)


@claim("interface: Configuration, bulk loader; docs: operations")
def a_file_of_providers_is_loaded_with_admin_credentials(service):
    record = {"name": "Bulk", "connector": "RequestsGet", "url": source.base}
    (service.folder / "sources.json").write_text(json.dumps([record]))
    (service.folder / "password").write_text(ADMIN_PASSWORD)
    loaded = service.command(
        "load-providers", "sources.json", "--url", service.base, "--user", "admin", "--password-file", "password"
    )
    equal(loaded.returncode, 0, loaded.stderr)
    expect("Bulk" in [each["name"] for each in service.admin.get("/svc/searchproviders/").json()], "it was not loaded")
