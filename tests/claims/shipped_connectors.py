"""Connectors to what is on the machine: SQLite files and folders, and records of connectors that cannot work."""

import pathlib
import shutil
import sqlite3
import tempfile

from harness import Row, claim, equal, expect
from harness.federation import plain, titles

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="tributary-claims-files-"))
SETTINGS = {"SVC_SQLITE_ALLOW": str(FOLDER / "allowed"), "SVC_FILESYSTEM_ALLOW": str(FOLDER / "allowed")}
BOOKS = "select {fields} from {table} where {a} like '%{query_string}%' or {b} like '%{query_string}%'"
ROWS_OF_FILE = [
    ("Copper roofs", "How to repair a copper roof", "2024-01-01"),
    ("Copper coins", "O'Brien's 100% copper_coins", "2022-01-01"),
    ("Tin", "Nothing about the other metal", "2023-01-01"), ("Copper wire", "Electric wire", "2025-01-01"),
]  # fmt: skip


def prepare(service):
    allowed = FOLDER / "allowed"
    docs = allowed / "docs" / "sub"
    docs.mkdir(parents=True)
    with sqlite3.connect(allowed / "books.db") as database:
        database.execute("create table books (title text, body text, published text, pages integer)")
        database.executemany("insert into books values (?, ?, ?, 7)", ROWS_OF_FILE)
    database.close()
    shutil.copy(allowed / "books.db", FOLDER / "outside.db")
    (allowed / "link.db").symlink_to(FOLDER / "outside.db")
    (allowed / "docs" / "copper.txt").write_text("A copper roof needs repair after a hundred years.")
    (docs / "roofing.md").write_text("# Roofs\n\nSlate and copper are common.")
    (docs / "tin.txt").write_text("Tin melts early.")
    (allowed / "docs" / ".hidden.txt").write_text("copper hidden")
    (FOLDER / "secret.txt").write_text("copper secret")
    (allowed / "docs" / "escape.txt").symlink_to(FOLDER / "secret.txt")


def finish():
    shutil.rmtree(FOLDER)


def create(service, name, **fields):
    record = {"name": name, "default": False, "result_mappings": "", **fields}
    return service.admin.post("/svc/searchproviders/", record).expect(201).json()["id"]


def sqlite_provider(service, name, **fields):
    record = {
        "connector": "Sqlite3", "url": str(FOLDER / "allowed" / "books.db"),
        "query_template": BOOKS,
        "query_mappings": "fields=*,table=books,a=title,b=body,sort_by_date=published",
        "result_mappings": "title=title,body=body,date_published=published", **fields,
    }  # fmt: skip
    return create(service, name, **record)


@claim("core 11.1: Sqlite3")
def an_sqlite_file_is_searched(service):
    response = service.admin.search("copper", providers=[sqlite_provider(service, "books")])
    equal(sorted(titles(response)), ["Copper coins", "Copper roofs", "Copper wire"])
    info = response["info"]["books"]
    equal((info["found"], info["retrieved"], info["status"]), (3, 3, "ok"))
    equal({each["payload"].get("pages") for each in response["results"]}, {7}, "native values")


@claim("core 11.1: Sqlite3, limit and count")
def found_is_the_count_and_results_are_limited(service):
    info = service.admin.search(
        "copper", providers=[sqlite_provider(service, "books two", results_per_query=2)]
    )["info"]
    equal((info["books two"]["found"], info["books two"]["retrieved"]), (3, 2))


@claim("core 11.1: Sqlite3, order by sort_by_date desc")
def the_newest_rows_come_first(service):
    provider = sqlite_provider(service, "books by date", results_per_query=2)
    search = service.admin.run_search(
        "copper", searchprovider_list=[provider], sort="date", result_mixer="DateMixer"
    )["id"]
    equal(titles(service.admin.results(search)), ["Copper wire", "Copper roofs"])


@claim("core 11.1: Sqlite3, the query is a value (quirks, SQL templates)", rows=[
    Row("quote", ("O'Brien's", 1)), Row("percent", ("100%", 1)), Row("percent alone", ("%", 1)),
    Row("statement", ("x'; drop table books; --", 0)),
    Row("union", ("x%' union select 1,2,3,4 --", 0)), Row("placeholder", ("{table}", 0)),
])  # fmt: skip
def queries_are_values(service, query, count):
    provider = sqlite_provider(service, f"books {query}", query_processors=[])
    info = service.admin.search(query, providers=[provider])["info"][f"books {query}"]
    equal((info["status"], info["retrieved"]), ("ok" if count else "no_results", count))
    with sqlite3.connect(FOLDER / "allowed" / "books.db") as database:
        equal(database.execute("select count(*) from books").fetchone()[0], 4)


@claim("core 11.1; quirks, Records: SQL templates", rows=[
    Row("no fields", ({"query_template": "select * from books where title like '%{query_string}%'"},)),
    Row("no query", ({"query_template": "select {fields} from books"},)),
    Row("delete", ({"query_template": "delete from books where '{query_string}' = {fields}"},)),
    Row(
        "two statements",
        ({"query_template": "select {fields} from books where title = '{query_string}'; drop table books"},),
    ),
    Row("outside", ({"url": str(FOLDER / "outside.db")},)),
    Row("link", ({"url": str(FOLDER / "allowed" / "link.db")},)),
    Row("parent", ({"url": str(FOLDER / "allowed" / ".." / "outside.db")},)),
    Row("system file", ({"url": "/etc/passwd"},)),
    Row("mapping", ({"query_mappings": "fields=*,table=books; drop table books,a=title,b=body"},)),
])  # fmt: skip
def unsafe_sqlite_sources_are_refused(service, fields):
    record = {
        "name": "unsafe", "connector": "Sqlite3", "url": str(FOLDER / "allowed" / "books.db"),
        "query_mappings": "fields=*,table=books,a=title,b=body",
        "query_template": "select {fields} from {table} where {a} like '%{query_string}%'", **fields,
    }  # fmt: skip
    service.admin.post("/svc/searchproviders/", record).expect(400)


@claim("docs: Sqlite3, links are resolved for each query")
def a_link_out_of_the_folder_is_not_followed(service):
    link = FOLDER / "allowed" / "later.db"
    shutil.copy(FOLDER / "outside.db", link)
    provider = sqlite_provider(service, "later link", url=str(link))
    equal(service.admin.search("copper", providers=[provider])["info"]["later link"]["status"], "ok")
    link.unlink()
    link.symlink_to(FOLDER / "outside.db")
    info = service.admin.search("copper", providers=[provider])["info"]["later link"]
    equal((info["status"], info["retrieved"]), ("error", 0))


@claim("quirks, Records: Sqlite3; the service's own database")
def the_database_of_the_service_is_never_opened(service):
    for path in service.data.glob("*.db*"):
        record = {
            "name": "own", "connector": "Sqlite3", "url": str(path),
            "query_template": "select {fields} from users where name = '{query_string}'", "query_mappings": "fields=*",
        }  # fmt: skip
        service.admin.post("/svc/searchproviders/", record).expect(400)


@claim("interface: connectors, a file-storage service; docs: FileSystem")
def a_folder_is_searched_by_name_and_text(service):
    provider = create(
        service, "files", connector="FileSystem", url=str(FOLDER / "allowed" / "docs"), result_mappings="FILE_SYSTEM"
    )
    response = service.admin.search("copper", providers=[provider])
    equal(sorted(each["url"].rsplit("/", 1)[-1] for each in response["results"]), ["copper.txt", "roofing.md"])
    response = service.admin.search('"copper roof" repair', providers=[provider])
    equal([each["url"].rsplit("/", 1)[-1] for each in response["results"]], ["copper.txt"])
    expect("copper roof" in plain(response["results"][0]["body"]), "the passage", response["results"][0]["body"])


@claim(
    "docs: FileSystem, folders that may be searched",
    rows=[
        Row("parent", (str(FOLDER),)), Row("root", ("/",)), Row("relative", ("docs",)),
        Row("dots", (str(FOLDER / "allowed" / ".."),)),
    ],
)  # fmt: skip
def other_folders_are_refused(service, folder):
    service.admin.post(
        "/svc/searchproviders/", {"name": "other folder", "connector": "FileSystem", "url": folder}
    ).expect(400)


@claim("core 11.2; quirks, Records: records that cannot work are refused", rows=[
    Row("Vespa of the peer", ({"connector": "VespaRestSearch", "url": "http://x.example/"},)),
    Row("Algolia", ({"url": "https://x.example/{indexName}", "query_template": "{url}?q={query_string}"},)),
    Row(
        "Oracle without fields",
        (
            {
                "connector": "Oracle", "url": "https://x.example/ords/", "credentials": "u:p",
                "query_template": "select * from t where a = '{query_string}'",
            },
        ),
    ),
    Row(
        "PostgreSQL in five parts",
        (
            {
                "connector": "PostgreSQL", "url": "host:5432:database:user:password",
                "query_template": "select {fields} from t where a = '{query_string}'", "query_mappings": "fields=*",
            },
        ),
    ),
    Row(
        "Elastic placeholders",
        (
            {
                "connector": "Elastic", "url": "https://x.example/", "query_mappings": "index_name=a",
                "credentials": "verify_certs=[True|False],a:b",
            },
        ),
    ),
    Row(
        "unknown processor",
        (
            {
                "url": "http://x.example/",
                "result_processors": ["MappingResultProcessor", "FetchURLForBodyResultProcessor"],
            },
        ),
    ),
])  # fmt: skip
def records_that_cannot_work_are_refused(service, fields):
    response = service.admin.post(
        "/svc/searchproviders/", {"name": "cannot work", "connector": "RequestsGet", **fields}
    ).expect(400)
    expect(response.json().get("errors"), "no field is named", response.text)
