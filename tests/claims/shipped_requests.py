"""Records that ship with the peer: which of them load here, and the request that each makes for a query."""

import json
import pathlib
import re

from harness import Row, claim, equal, expect

# The records are not part of this repository: without the file there are only the claims that need none.
FILE = pathlib.Path(__file__).parents[3] / "shared" / "eval" / "provider-requests.json"
RECORDS = json.loads(FILE.read_text()) if FILE.exists() else []
# quirks, Records: what has to be edited before it can be loaded, by the field that is named.
REFUSED = {
    "Company Funding Records - PostgreSQL)": "url", "Records - Snowflake": "credentials",
    "Free Public DB - Oracle": "url",
    "Curated Documents - SQLite3": "url", "Vectors - Qdrant": "url", "Email - Elasticsearch": "credentials",
    "Records - Google BigQuery": "url",
}  # fmt: skip
HTTP = ("RequestsGet", "RequestsPost")
MASK = "••••"
STATE = {"count": 0}


def rows(wanted):
    return [
        Row(f"{number} {each['provider']['name']}", (each["provider"], each["expect"]))
        for number, each in enumerate(RECORDS) if wanted(each)
    ]  # fmt: skip


def filled(record):
    """The record with a value in every blank, so that nothing is left to fill in."""
    return json.loads(re.sub(r"<([^<>]*)>", lambda found: re.sub(r"[^A-Za-z]", "", found[1]), json.dumps(record)))


def saved(service, record):
    STATE["count"] += 1
    record = {**filled(record), "name": f"{record['name']} {STATE['count']}"}
    response = service.admin.post("/svc/searchproviders/", record)
    return record, response


def request(service, provider, sort):
    params = {"q": "solid state", "dry_run": "true", "sort": sort}
    found = service.admin.get(f"/svc/searchproviders/{provider['id']}/test/", params=params).expect(200).json()
    expect(found["requests"], "no request", found)
    return found["requests"][0]


def without_secrets(url, record):
    """The address with the values of the credentials and of keys in it masked, as a dry run shows it."""
    for pair in record.get("credentials", "").split(","):
        name, _, value = pair.partition("=")
        if value and not record["credentials"].startswith("HTTP"):
            url = url.replace(f"={value}", f"={MASK}")
    return re.sub(r"\b(key|token|apikey)=[^&]*", rf"\1={MASK}", url)


def same(url):
    """An address in the form of both programs: the case of the host and the encoding of quotes do not matter."""
    scheme, host, rest = re.fullmatch(r"(\w+://)([^/]*)(.*)", url).groups()
    return scheme + host.lower() + rest.replace("%27", "'").replace("%E2%80%A2" * 4, MASK)


@claim(
    "core 11.2 and 3: requests of the records that ship with the peer",
    rows=rows(lambda each: each["provider"]["connector"] in HTTP),
)  # fmt: skip
def a_record_makes_the_same_request(service, record, expected):
    expected, (record, response) = filled(expected), saved(service, record)
    provider = response.expect(201).json()
    for sort in ("relevancy", "date"):
        sent = request(service, provider, sort)
        equal(sent["method"], expected["method"])
        wanted = without_secrets(expected[f"url_{sort}_page1"], record)
        equal(same(sent["url"]), same(wanted), f"sort {sort}")
        if "json_body" in expected:
            equal(sent["body"], expected["json_body"], "body")
    headers = {name.lower(): value for name, value in sent["headers"].items()}
    for name, value in expected["headers"].items():
        secret = re.search("authorization|token|key", name.lower())
        found = headers.get(name.lower(), "").split(" ")[-1 if secret else 0]
        equal(found, MASK if secret else value, f"header {name}")
    if expected["auth"] in ("Authorization: Bearer", "HTTPBasicAuth"):
        expect(MASK in headers["authorization"], "credentials", headers)
    if expected["auth"] == "X-Api-Key header":
        equal(headers["x-api-key"], MASK)


@claim(
    "core 11.2: records of other connectors; quirks, Records",
    rows=rows(lambda each: each["provider"]["connector"] not in HTTP and each["provider"]["name"] in REFUSED),
)  # fmt: skip
def a_record_that_needs_an_edit_names_its_field(service, record, _):
    _, response = saved(service, {**record, "active": True})
    response.expect(400)
    expect(response.json().get("errors"), "no field is named", response.text)


@claim(
    "core 11.2: records of other connectors load",
    rows=rows(lambda each: each["provider"]["connector"] not in HTTP and each["provider"]["name"] not in REFUSED),
)  # fmt: skip
def a_record_of_another_connector_loads(service, record, expected):
    record, response = saved(service, {**record, "active": False})
    provider = response.expect(201).json()
    equal(provider["connector"], record["connector"])
    equal(provider["result_mappings"], record["result_mappings"])


@claim("core 11.2: record that needs no edit", rows=[Row(name, (query, expected)) for name, query, expected in [
    ("query in the path", "{url}{query_string}", "http://x.example/rawtx/solid+state"),
    ("after other parameters", "{url}?a=1&q={query_string}", "http://x.example/rawtx/?a=1&q=solid+state"),
    ("before other parameters", "{url}?q={query_string}&a=1", "http://x.example/rawtx/?q=solid+state&a=1"),
    ("with a wildcard", "{url}?q={query_string}*", "http://x.example/rawtx/?q=solid+state*"),
    ("in quotes", "{url}?jql=text~'{query_string}'", "http://x.example/rawtx/?jql=text~'solid+state'"),
    ("with a condition", "{url}?q={query_string}+is%3Aissue", "http://x.example/rawtx/?q=solid+state+is%3Aissue"),
]])  # fmt: skip
def templates_of_records_make_these_requests(service, template, expected):
    _, response = saved(
        service,
        {"name": "template", "connector": "RequestsGet", "url": "http://x.example/rawtx/", "query_template": template},
    )  # fmt: skip
    equal(same(request(service, response.expect(201).json(), "relevancy")["url"]), expected)


@claim("core 11.1 and 11.2: Microsoft 365; quirks, Records", rows=[Row(name, (name,)) for name in [
    "M365OutlookMessages", "M365OutlookCalendar", "M365OneDrive", "M365SharePointSites", "MicrosoftTeams",
]])  # fmt: skip
def microsoft_sources_need_an_account_of_the_user(service, connector):
    if "microsoft" not in STATE:
        body = {"idp": "microsoft", "name": "Microsoft", "client_id": "c", "issuer": "https://idp.example"}
        STATE["microsoft"] = service.admin.post("/svc/authenticators/", body).expect(201)
    _, response = saved(
        service, {"name": connector, "connector": connector, "default": False, "query_mappings": "NOT=true,NOT_CHAR=-"}
    )
    provider = response.expect(201).json()
    info = service.admin.search("copper", providers=[provider["id"]])["info"][provider["name"]]
    equal((info["status"], info["found"]), ("not_connected", 0))
