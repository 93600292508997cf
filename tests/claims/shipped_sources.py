"""The sources that ship with the program: every one loads, and a dry run builds its request."""

import json
import pathlib
import re

from harness import Row, claim, equal, expect

FOLDER = pathlib.Path(__file__).parents[2] / "config" / "providers"
FILES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
ROWS = [Row(slug, (slug, record)) for slug, record in FILES.items()]
# Sources that are asked with the user's own account.
ACCOUNTS = {
    "box": ["box"],
    "dropbox": ["dropbox"],
    "google": ["gmail", "google-calendar", "google-drive"],
    "microsoft": ["onedrive", "outlook-calendar", "outlook-messages", "sharepoint-sites", "teams"],
}
# Sources that look for the meaning of a query send its vector, not its words.
VECTORS = {"QdrantDB", "PineconeDB", "Milvus", "Weaviate", "Chroma", "PgVector"}
STATE = {}


def filled(record):
    """The record with every value that its reader has to fill in."""
    text = json.dumps(record)
    text = re.sub(r"<your-[^>]*>", "example", text)
    text = re.sub(r"YOUR_\\w+", "example", text)
    return json.loads(text)


def prepare(service):
    STATE["listed"] = {each["slug"]: each for each in service.admin.get("/svc/readysources/").expect(200).json()}


def created(service, slug):
    """The id of this source, saved as its file has it, with its values filled in."""
    if slug not in STATE:
        record = filled(FILES[slug])
        record["name"] = f"filled {slug}"
        response = service.admin.post("/svc/searchproviders/", record).expect(201)
        STATE[slug] = response.json()
    return STATE[slug]


@claim("core 11.2; docs/sources: ready sources", rows=ROWS)
def a_shipped_source_is_listed(service, slug, record):
    shown = STATE["listed"].get(slug)
    expect(shown, "not in the list of ready sources")
    equal((shown["name"], shown["connector"], shown["tags"]), (record["name"], record["connector"], record["tags"]))
    expect(len(shown["description"]) > 20 and shown["tags"], "no description or group", shown)
    fields = json.dumps({**record, "description": ""})
    expect(shown["needs"] or not re.search("<your-|YOUR_", fields), "what it needs is not said", shown)


LOCAL = {"Sqlite3", "FileSystem"}


@claim(
    "core 11.2: every record loads",
    rows=[row for row in ROWS if row.values[1]["connector"] not in LOCAL | {"TributaryCorpusConnector"}],
)  # fmt: skip
def a_shipped_source_can_be_saved(service, slug, record):
    saved = created(service, slug)
    for field in ["connector", "query_template", "result_mappings", "response_mappings", "results_per_query", "tags"]:
        if field in record:
            unchanged = saved[field] == filled(record)[field] or "••••" in str(saved[field])
            expect(unchanged, f"{field} changed", saved[field])


@claim("decisions 3.14; core 11.2: a dry run of every source", rows=[
    row for row in ROWS if row.values[1]["connector"] not in LOCAL | {"TributaryCorpusConnector", "GenAI"} and not any(
        row.name in slugs for slugs in ACCOUNTS.values()
    )
])  # fmt: skip
def a_shipped_source_builds_its_request(service, slug, record):
    provider = created(service, slug)
    for sort in ("relevancy", "date"):
        params = {"q": "solid state", "dry_run": "true", "sort": sort}
        found = service.admin.get(f"/svc/searchproviders/{provider['id']}/test/", params=params).expect(200).json()
        expect(not found.get("error") and found["requests"], f"no request with sort {sort}", found)
        text = json.dumps(found["requests"][-1], ensure_ascii=False)
        address = found["requests"][-1]["url"]
        expect(
            "{query_string" not in text and "{url}" not in text and not re.search(r"[{}]", address),
            "an unbound placeholder", text,
        )  # fmt: skip
        expect(record["connector"] in VECTORS or re.search(r"solid.{1,12}state", text), "not the query", text)


@claim(
    "core 8.4: NO_AUTH; decisions 3.8: not_connected",
    rows=[Row(slug, (idp, slug)) for idp, slugs in ACCOUNTS.items() for slug in slugs],
)  # fmt: skip
def a_source_of_accounts_says_that_none_is_connected(service, idp, slug):
    if ("idp", idp) not in STATE:
        STATE["idp", idp] = service.admin.post(
            "/svc/authenticators/", {"idp": idp, "name": idp, "client_id": "c", "issuer": "https://idp.example"}
        ).expect(201)
    provider = created(service, slug)
    service.admin.patch(f"/svc/searchproviders/{provider['id']}/", {"active": True}).expect(200)
    response = service.admin.search("copper", providers=[provider["id"]])
    info = response["info"][provider["name"]]
    equal((info["status"], info["error"]["code"], info["found"]), ("not_connected", "not_connected", 0))
    equal(response["info"]["completeness"]["answered"], 0)


@claim("docs/sources: a source that needs a value is added inactive")
def the_command_adds_sources(service):
    added = service.command("providers", "add", "arxiv", "guardian", "solr")
    equal(added.returncode, 0, added.stderr)
    providers = {each["name"]: each for each in service.admin.get("/svc/searchproviders/").json()}
    active = {slug: providers[FILES[slug]["name"]]["active"] for slug in ["arxiv", "guardian", "solr"]}
    equal(active, {"arxiv": True, "guardian": False, "solr": False})
    expect("guardian" in (added.stdout + added.stderr).lower(), "what is missing is not said", added.stdout)
    again = service.command("providers", "add", "guardian", "--credentials", "key=0123456789")
    equal(again.returncode, 0, again.stderr)
    guardian = service.admin.get(f"/svc/searchproviders/{providers[FILES['guardian']['name']]['id']}/").json()
    equal((guardian["active"], guardian["credentials"]), (True, "key=••••"))


@claim("docs/sources: unknown ready sources")
def unknown_sources_are_refused_by_the_command(service):
    refused = service.command("providers", "add", "no-such-source")
    expect(
        refused.returncode != 0 and "no-such-source" in refused.stderr, "not refused", refused.stdout + refused.stderr
    )


@claim("interface: What the service does, 9")
def the_cache_is_a_source_out_of_the_box(service):
    cache = [
        each for each in service.admin.get("/svc/searchproviders/").json()
        if each["connector"] == "TributaryCorpusConnector"
    ]  # fmt: skip
    equal(
        [(each["name"], each["active"], each["default"]) for each in cache], [("Files - Tributary Cache", True, True)]
    )


@claim("interface: names are unique")
def names_of_shipped_sources_are_unique(service):
    names = [record["name"].lower() for record in FILES.values()]
    equal(sorted({name for name in names if names.count(name) > 1}), [])


# Functions of the shipped sources of the peer that this service ships, too, by their names there.
@claim("core 11.2: kinds of sources that ship", rows=[Row(word, (word,)) for word in [
    "arXiv", "Asana", "Jira", "Confluence", "Trello", "BigQuery", "Snowflake", "SQLite", "Elasticsearch", "Europe PMC",
    "PostgreSQL", "GitHub",
    "Google News", "Hacker News", "HubSpot", "Internet Archive", "Outlook", "OneDrive", "SharePoint", "Teams", "Miro",
    "MongoDB", "OpenSanctions",
    "OpenSearch", "Oracle", "Pinecone", "Qdrant", "ServiceNow", "Solr", "Algolia", "DuckDuckGo", "Vespa", "YouTrack",
    "CourtListener",
    "National Archives",
]])  # fmt: skip
def a_source_of_this_kind_ships(service, word):
    expect(
        [each for each in STATE["listed"].values() if word.lower() in (each["slug"] + each["name"]).lower()],
        "no ready source",
    )  # fmt: skip


@claim("core 10: the loader; quirks: tributary load FILE")
def a_file_of_records_of_several_kinds_is_loaded(service):
    records = [
        {
            "name": "Loaded source", "connector": "RequestsGet", "url": "http://loaded.example/", "description": "x",
            "query_processor": "",
        },
        {"name": "Loaded model", "model": "gpt-5", "api_key": "", "tags": ["rag"], "defaults": [], "active": False},
        {"query_string": "loaded query", "searchprovider_list": ["none"]},
    ]
    path = service.folder / "records.json"
    path.write_text(json.dumps(records))
    loaded = service.command("load", path)
    equal(loaded.returncode, 0, loaded.stderr)
    found = [
        "Loaded source" in [each["name"] for each in service.admin.get("/svc/searchproviders/").json()],
        "Loaded model" in [each["name"] for each in service.admin.get("/svc/aiproviders/").json()],
        "loaded query" in [each["query_string"] for each in service.admin.get("/svc/search/").json()],
    ]
    equal(found, [True, True, True])
    bad = service.folder / "bad.json"
    bad.write_text(
        json.dumps(
            [
                {"name": "Bad one", "connector": "NoSuch", "url": "http://x.example/"},
                {"name": "Good one", "connector": "RequestsGet", "url": "http://x.example/"},
            ]
        )
    )  # fmt: skip
    refused = service.command("load", bad)
    equal(refused.returncode, 1)
    expect(
        "bad.json, record 1" in refused.stderr and "NoSuch" in refused.stderr, "the refused record is not named",
        refused.stderr,
    )  # fmt: skip
    names = [each["name"] for each in service.admin.get("/svc/searchproviders/").json()]
    equal(("Good one" in names, "Bad one" in names), (True, False))


@claim("interface: a bulk loader takes a file of providers and credentials of an administrator")
def providers_are_loaded_through_the_api(service):
    path = service.folder / "remote.json"
    path.write_text(json.dumps([{"name": "Loaded remotely", "connector": "RequestsGet", "url": "http://x.example/"}]))
    secret = service.folder / "password.txt"
    secret.write_text("claims-Admin-1\n")
    loaded = service.command(
        "load-providers", path, "--url", service.base, "--user", "admin", "--password-file", secret
    )
    equal(loaded.returncode, 0, loaded.stderr)
    expect("added" in loaded.stdout + loaded.stderr, "not reported", loaded.stdout)
    expect(
        "Loaded remotely" in [each["name"] for each in service.admin.get("/svc/searchproviders/").json()], "not loaded"
    )
    secret.write_text("wrong\n")
    refused = service.command(
        "load-providers", path, "--url", service.base, "--user", "admin", "--password-file", secret
    )
    equal(refused.returncode, 1)
