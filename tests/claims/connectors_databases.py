"""Databases with an HTTP interface as sources (Oracle, Snowflake, BigQuery), and highlights of search engines."""

import json

from harness import Reply, Row, Source, claim, equal, expect
from harness.federation import titles

source = Source()
SETTINGS = {"SVC_OUTBOUND_ALLOW": "127.0.0.1"}
BOOKS = [("Copper roofs", "2024-01-01"), ("Copper coins", "2025-01-01")]
STATEMENT = "select {fields} from {table} where {a} like '%{query_string}%'"
MAPPINGS = "fields=*,table=books,a=title,sort_by_date=published"
ORDS, STATEMENTS, QUERIES = "/ords/library/_/sql", "/api/v2/statements", "/bigquery/v2/projects/library/queries"


def prepare(service):
    source.__enter__()
    for path, respond in [(ORDS, oracle_rows), (STATEMENTS, snowflake_rows), (QUERIES, bigquery_rows)]:
        source.route(path, respond)


def finish():
    source.__exit__()


def oracle_rows(request):
    body = request.json()
    if "count(*)" in body["statementText"].lower():
        found, columns = [{"count(*)": 40}], [{"columnName": "COUNT(*)", "jsonColumnName": "count(*)", "columnTypeName": "NUMBER"}]
    else:
        found = [{"title": title, "published": day, "pages": 7} for title, day in BOOKS]
        columns = [
            {"columnName": name.upper(), "jsonColumnName": name, "columnTypeName": kind}
            for name, kind in [("title", "VARCHAR2"), ("published", "DATE"), ("pages", "NUMBER")]
        ]
    rows = {"metadata": columns, "items": found, "hasMore": False, "limit": 10, "offset": 0, "count": len(found)}
    return {"env": {"defaultTimeZone": "UTC"}, "items": [{"statementId": 1, "statementType": "query", "resultSet": rows}]}


def snowflake_rows(request):
    if "count(*)" in request.json()["statement"].lower():
        names, rows = [("COUNT(*)", "fixed")], [["40"]]
    else:
        names, rows = [("TITLE", "text"), ("PUBLISHED", "text"), ("PAGES", "fixed")], [[title, day, "7"] for title, day in BOOKS]
    return {
        "code": "090001", "sqlState": "00000", "message": "Statement executed successfully.", "statementHandle": "h1", "data": rows,
        "resultSetMetaData": {
            "numRows": len(rows), "format": "jsonv2", "partitionInfo": [{"rowCount": len(rows), "uncompressedSize": 100}],
            "rowType": [{"name": name, "type": kind, "nullable": True, "scale": 0} for name, kind in names],
        },
    }  # fmt: skip


def bigquery_rows(request):
    if "count(*)" in request.json()["query"].lower():
        fields, rows = [("f0_", "INTEGER")], [["40"]]
    else:
        fields, rows = [("title", "STRING"), ("published", "DATE"), ("pages", "INTEGER")], [[title, day, "7"] for title, day in BOOKS]
    return {
        "jobReference": {"projectId": "library", "jobId": "job_1", "location": "EU"}, "jobComplete": True,
        "schema": {"fields": [{"name": name, "type": kind, "mode": "NULLABLE"} for name, kind in fields]},
        "totalRows": str(len(rows)), "rows": [{"f": [{"v": value} for value in row]} for row in rows],
    }  # fmt: skip


DATABASES = {
    "Oracle": {"url": f"{source.base}/ords/library", "credentials": "reader:s3cret"},
    "Snowflake": {
        "url": source.base, "credentials": "bearer=s3cret",
        "query_mappings": MAPPINGS + ",account=library,database=BOOKS,schema=PUBLIC,warehouse=SMALL,role=READERS",
    },
    "BigQuery": {
        "url": source.base, "credentials": "bearer=s3cret", "query_mappings": MAPPINGS + ",project=library,dataset=books,location=EU"
    },
}  # fmt: skip
PATHS = {"Oracle": ORDS, "Snowflake": STATEMENTS, "BigQuery": QUERIES}
TEXTS = {"Oracle": "statementText", "Snowflake": "statement", "BigQuery": "query"}
ALL = [Row(name, (name,)) for name in DATABASES]


def fields_of(connector, name, **fields):
    return {
        "name": name, "connector": connector, "default": False, "query_template": STATEMENT, "query_mappings": MAPPINGS,
        "result_mappings": "title=title,date_published=published", **DATABASES[connector], **fields,
    }  # fmt: skip


def create(service, connector, name, **fields):
    return service.admin.post("/svc/searchproviders/", fields_of(connector, name, **fields)).expect(201).json()["id"]


def statements(connector):
    return [request.json()[TEXTS[connector]] for request in source.asked(PATHS[connector])]


@claim("core 11.1: Oracle, Snowflake, BigQuery: rows by the names of columns", rows=ALL)
def a_database_is_searched_with_its_statement(service, connector):
    name = f"rows {connector}"
    response = service.admin.search("copper", providers=[create(service, connector, name)])
    info = response["info"][name]
    equal((info["status"], info["retrieved"]), ("ok", 2), str(info.get("error")))
    equal(sorted(titles(response)), ["Copper coins", "Copper roofs"])
    equal({each["payload"]["pages"] for each in response["results"]}, {7}, "numbers are numbers")
    expect(statements(connector)[-1].lower().startswith("select * from books where title like"), "the statement", statements(connector)[-1])


@claim("core 11.1: the query is a value; quirks, Records: SQL templates", rows=[
    Row(f"{connector} {query}", (connector, query)) for connector in DATABASES for query in ["O'Brien", "x'; drop table books; --"]
])  # fmt: skip
def a_query_is_no_part_of_the_statement(service, connector, query):
    name = f"value {connector} {query}"
    service.admin.search(query, providers=[create(service, connector, name, query_processors=[])])
    request = source.asked(PATHS[connector])[-1].json()
    expect("drop" not in request[TEXTS[connector]] and "O'" not in request[TEXTS[connector]], "the statement", request)
    expect(query in json.dumps({key: value for key, value in request.items() if key != TEXTS[connector]}), "a bound value", request)


@claim("core 11.1: sort_by_date", rows=ALL)
def the_newest_rows_are_asked_for(service, connector):
    provider = create(service, connector, f"newest {connector}")
    service.admin.run_search("copper", searchprovider_list=[provider], sort="date")
    found = [each.lower() for each in statements(connector) if "count(*)" not in each.lower()]
    expect("order by published desc" in found[-1], "the statement", found[-1])


@claim("core 11.1: found is counted", rows=ALL)
def found_is_the_count_of_the_statement(service, connector):
    name = f"count {connector}"
    provider = create(service, connector, name, results_per_query=2)
    info = service.admin.search("copper", providers=[provider])["info"][name]
    equal((info["retrieved"], info["found"]), (2, 40))


@claim("core 11.1: credentials of databases", rows=[
    Row("Oracle", ("Oracle", "Basic cmVhZGVyOnMzY3JldA==")), Row("Snowflake", ("Snowflake", "Bearer s3cret")),
    Row("BigQuery", ("BigQuery", "Bearer s3cret")),
])  # fmt: skip
def credentials_are_sent_as_the_database_wants_them(service, connector, header):
    service.admin.search("copper", providers=[create(service, connector, f"login {connector}")])
    equal(source.asked(PATHS[connector])[-1].headers["authorization"], header)


@claim("core 11.1: statements that cannot work are refused when they are saved", rows=[
    Row(f"{connector}, {name}", (connector, fields)) for connector in DATABASES for name, fields in [
        ("no {fields}", {"query_template": "select * from books where title like '%{query_string}%'"}),
        ("no query", {"query_template": "select {fields} from books"}),
        ("a change", {"query_template": "delete from books where '{query_string}' = {fields}"}),
        ("two statements", {"query_template": STATEMENT + "; drop table books"}),
    ]
])  # fmt: skip
def a_statement_that_cannot_work_is_refused(service, connector, fields):
    response = service.admin.post("/svc/searchproviders/", fields_of(connector, "refused", **fields)).expect(400)
    expect("query_template" in response.json()["errors"], "the field", response.text)


@claim("quirks, Records: Snowflake accepts no passwords")
def a_password_for_snowflake_is_refused(service):
    record = fields_of("Snowflake", "password", credentials="user:password:database:warehouse")
    expect("credentials" in service.admin.post("/svc/searchproviders/", record).expect(400).json()["errors"], "the field")


@claim("decisions 3.8: a database that fails", rows=[
    Row(f"{connector}, {status}", (connector, status)) for connector in DATABASES for status in [401, 500]
])  # fmt: skip
def a_failing_database_is_an_error_of_its_source(service, connector, status):
    path, name = PATHS[connector], f"failing {connector} {status}"
    before = source.routes[path]
    source.route(path, Reply({"error": {"message": "no", "errors": []}, "code": "1", "message": "no"}, status))
    try:
        response = service.admin.search("copper", providers=[create(service, connector, name)])
    finally:
        source.route(path, before)
    info = response["info"][name]
    equal((info["status"], info["found"], info["retrieved"]), ("error", 0, 0))
    expect("s3cret" not in json.dumps(response), "the password")


@claim("interface: DATASET of a database")
def rows_of_a_database_can_be_a_table(service):
    provider = create(
        service, "Oracle", "table of rows", result_mappings="DATASET,NO_PAYLOAD,title,pages", result_processors=["MappingResultProcessor"]
    )
    found = service.admin.search("copper", providers=[provider])["results"]
    equal([each["payload"]["dataset"] for each in found], [[["title", "pages"], ["Copper roofs", 7], ["Copper coins", 7]]])


@claim("interface: query_template_json of search engines may hold a highlight block", rows=[
    Row("Elastic", ("Elastic",)), Row("OpenSearch", ("OpenSearch",)),
])  # fmt: skip
def a_highlight_block_is_sent_and_its_hits_are_shown(service, connector):
    index = f"marks{connector.lower()}"
    found = {
        "_id": "1", "_score": 1.0, "_source": {"subject": "Copper wires", "content": "Wires of copper"},
        "highlight": {"subject": ["<em>Copper</em> wires"], "content": ["Wires of <em>copper</em>"]},
    }  # fmt: skip
    source.route(f"/{index}/_search", {"timed_out": False, "hits": {"total": {"value": 1}, "hits": [found]}})
    block = {"fields": {"subject": {}, "content": {}}}
    record = {
        "name": index, "connector": connector, "url": source.base, "default": False,
        "query_mappings": f"index_name={index},default_field=content",
        "query_template_json": {"query": {"match": {"content": "{query_string}"}}, "highlight": block},
        "result_mappings": "title=subject,body=content,title_hit_highlights=highlight.subject[*],"
                           "body_hit_highlights=highlight.content[*]",
    }  # fmt: skip
    provider = service.admin.post("/svc/searchproviders/", record).expect(201).json()["id"]
    result = service.admin.search("copper", providers=[provider])["results"][0]
    sent = source.asked(f"/{index}/_search")[0].json()
    equal((sent["highlight"], sent["query"]), (block, {"match": {"content": "copper"}}))
    expect("Copper" in str(result["title_hit_highlights"]), "title_hit_highlights", result)
    expect("copper" in str(result["body_hit_highlights"]), "body_hit_highlights", result)
