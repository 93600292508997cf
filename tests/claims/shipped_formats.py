"""Forms of responses: XML, feeds, tables, GraphQL, search engines and described sites."""

import json

from harness import Reply, Row, Source, claim, equal, expect
from harness.federation import Providers, items_for, plain, titles

STATE = {}


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])


def finish():
    STATE["source"].__exit__()


def create(service, name, **fields):
    record = {"name": name, "default": False, "result_mappings": "", **fields}
    return service.admin.post("/svc/searchproviders/", record).expect(201).json()["id"]


RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>Copper &amp; tin</title><link>http://n.example/1</link><description>About copper</description>
<pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate></item>
%s</channel></rss>"""
SECOND = "<item><title>Copper two</title><link>http://n.example/2</link><description>More</description></item>"
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:os="http://a9.com/-/spec/opensearch/1.1/">
<os:totalResults>42</os:totalResults>
<entry><title type="text">Copper atom</title><id>http://a.example/1</id><summary>About copper</summary>
<author><name>Ann</name></author><author><name>Bob</name></author></entry></feed>"""


@claim("core 3.8: XML; quirks, Responses", rows=[
    Row("rss", ("application/rss+xml", RSS % SECOND, 2)), Row("text/xml", ("text/xml; charset=utf-8", RSS % SECOND, 2)),
    Row("application/xml", ("application/xml", RSS % SECOND, 2)), Row("one item", ("application/rss+xml", RSS % "", 1)),
    Row("by its declaration", ("text/plain", RSS % SECOND, 2)),
])  # fmt: skip
def feeds_are_read(service, kind, text, count):
    provider = STATE["providers"].create(
        f"feed {kind} {count}", respond=Reply(text.encode(), headers={"Content-Type": kind}),
        response_mappings="RESULTS=rss.channel.item",
        result_mappings="title=title,body=description,url=link,date_published=pubDate",
    )  # fmt: skip
    response = service.admin.search("copper", providers=[provider])
    equal(len(response["results"]), count)
    first = next(each for each in response["results"] if each["url"] == "http://n.example/1")
    equal((plain(first["title"]), first["date_published"]), ("Copper & tin", "2024-03-05 10:00:00+00:00"))


@claim("core 3.8: attributes, text and namespaces; core 3.10")
def atom_is_read_with_attributes_and_namespaces(service):
    provider = STATE["providers"].create(
        "atom", respond=Reply(ATOM.encode(), headers={"Content-Type": "application/atom+xml"}),
        response_mappings="FOUND=feed['os:totalResults'],RESULTS=feed.entry",
        result_mappings="title=title['#text'],body=summary,url=id,author=author[*].name,kind=title['@type']",
    )  # fmt: skip
    response = service.admin.search("copper", providers=[provider])
    result = response["results"][0]
    equal(
        (plain(result["title"]), result["author"], result["payload"]["kind"], response["info"]["atom"]["found"]),
        ("Copper atom", "Ann Bob", "text", 42),
    )  # fmt: skip


@claim("core 3.8: hostile XML", rows=[
    Row(
        "entities",
        (
            '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
                f'<!ENTITY b{n} "{("&b%d;" % (n - 1) if n else "&a;") * 10}">' for n in range(9)
            ) + "]><r><i>&b8;</i></r>",
        ),
    ),
    Row("external entity", ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><i>&x;</i></r>',)),
    Row("deep", ("<a>" * 20000 + "</a>" * 20000,)),
])  # fmt: skip
def hostile_xml_harms_nothing(service, text):
    provider = STATE["providers"].create(
        f"hostile {len(text)}", respond=Reply(text.encode(), headers={"Content-Type": "text/xml"}),
        response_mappings="RESULTS=r", result_mappings="title=i",
    )  # fmt: skip
    response = service.admin.search("copper", providers=[provider])
    expect("root:" not in str(response) and len(str(response)) < 50_000, "a file or an expansion", str(response)[:500])


@claim("core 3.8: other forms of JSON", rows=[
    Row("bare list", ([{"title": "Copper a"}, {"title": "Copper b"}], "", ["Copper a", "Copper b"])),
    Row("rows", ([["title", "body"], ["Copper a", "x"], ["Copper b"]], "", ["Copper a", "Copper b"])),
    Row("object", ({"items": {"title": "Copper a"}}, "RESULTS=items", ["Copper a"])),
    Row(
        "wrapped", ({"items": [{"doc": {"title": "Copper a"}}, {"other": 1}]}, "RESULTS=items,RESULT=doc", ["Copper a"])
    ),
    Row("table", ({"contents": [{"column_names": ["the title"], "data_rows": [["Copper a"]]}]}, "", [])),
    Row("missing path", ({"other": [1]}, "RESULTS=items", [])), Row("null", (None, "RESULTS=items", [])),
])  # fmt: skip
def other_forms_of_json_are_read(service, body, mappings, expected):
    name = f"form {mappings} {len(str(body))}"
    mapping = "title=the_title" if "contents" in str(body) else "title=title"
    provider = STATE["providers"].create(
        name, respond=Reply(json.dumps(body).encode(), headers={"Content-Type": "application/json"}),
        response_mappings=mappings, result_mappings=mapping,
    )  # fmt: skip
    expected = ["Copper a"] if "contents" in str(body) else expected
    equal(sorted(titles(service.admin.search("copper", providers=[provider]))), expected)


GRAPHQL = "query ($q: String!, $first: Int, $skip: Int) { search(text: $q, first: $first, skip: $skip) { total } }"


def graphql(service, name, respond, **fields):
    url = STATE["source"].route(f"/graphql/{name}", respond)
    return create(service, name, **{
        "connector": "GraphQL", "url": url, "query_template": GRAPHQL,
        "query_mappings": "query_string=q,limit=first,offset=skip",
        "response_mappings": "FOUND=data.search.total,RESULTS=data.search.nodes",
        "result_mappings": "title=title,url=url", **fields,
    })  # fmt: skip


@claim("docs: GraphQL; interface: Connector")
def graphql_sends_the_query_as_a_variable(service):
    def respond(request):
        return {"data": {"search": {"total": 12, "nodes": [{"title": "Copper", "url": "http://g.example/"}]}}}

    provider = graphql(service, "gq", respond, query_processors=[], credentials="bearer=t0ken")
    query = 'cop"per } { drop $q'
    response = service.admin.search(query, providers=[provider])
    equal((response["info"]["gq"]["found"], response["info"]["gq"]["retrieved"]), (12, 1))
    sent = STATE["source"].asked("/graphql/gq")[0]
    equal(
        (sent.method, sent.headers["authorization"], sent.json()["query"], sent.json()["variables"]["q"]),
        ("POST", "Bearer t0ken", GRAPHQL, query),
    )  # fmt: skip


@claim("docs: GraphQL, errors; decisions 7.10", rows=[
    Row("errors alone", ({"errors": [{"message": "Out of order"}]}, "error")),
    Row(
        "errors and results",
        (
            {
                "errors": [{"message": "Out of order"}],
                "data": {"search": {"total": 1, "nodes": [{"title": "Copper", "url": "u"}]}},
            },
            "partial",
        ),
    ),
])  # fmt: skip
def graphql_errors_are_told(service, body, status):
    provider = graphql(service, f"gq-{status}", body)
    info = service.admin.search("copper", providers=[provider])["info"][f"gq-{status}"]
    equal(info["status"], status)
    expect("Out of order" in info["error"]["message"], "not in the words of the service", info["error"])


def hits():
    hit = {
        "_index": "mail", "_id": "1", "_score": 2.0, "highlight": {"subject": ["<em>Copper</em>"]},
        "_source": {"subject": "Copper", "content": "About copper", "sent": "2024-01-01"},
    }  # fmt: skip
    shards = {"total": 1, "successful": 1, "failed": 0}
    return {"timed_out": False, "_shards": shards, "hits": {"total": {"value": 42, "relation": "eq"}, "hits": [hit]}}


def engine(service, connector, name, respond, **fields):
    STATE["source"].route(f"/{name}/_search", respond)
    return create(service, name, **{
        "connector": connector, "url": STATE["source"].base,
        "query_mappings": f"index_name={name},default_field=content,sort_by_date=sent,NOT=true,NOT_CHAR=-",
        "query_template_json": {
            "query": {"query_string": {"query": "{query_string}", "default_field": "{default_field}"}}
        },
        "result_mappings": "title=subject,body=content,date_published=sent,title_hit_highlights=highlight.subject[*]",
        **fields,
    })  # fmt: skip


ENGINES = [Row("Elastic", ("Elastic",)), Row("OpenSearch", ("OpenSearch",))]


@claim("core 11.1: Elastic and OpenSearch", rows=ENGINES)
def search_engines_are_asked_with_their_own_query(service, connector):
    name = f"mail-{connector.lower()}"
    provider = engine(service, connector, name, hits(), credentials="verify_certs=false,reader:s3cret")
    response = service.admin.search("copper roof", providers=[provider])
    info, sent = response["info"][name], STATE["source"].asked(f"/{name}/_search")[0]
    equal((info["found"], info["retrieved"], info["status"]), (42, 1, "ok"))
    equal(titles(response), ["Copper"])
    equal(
        (sent.json()["query"]["query_string"], sent.json()["size"]),
        ({"query": "copper roof", "default_field": "content"}, 10),
    )  # fmt: skip
    expect(sent.headers["authorization"].startswith("Basic "), "credentials", sent.headers)


@claim("core 11.1: sort by date", rows=ENGINES)
def search_engines_sort_by_date(service, connector):
    name = f"date-{connector.lower()}"
    provider = engine(service, connector, name, hits())
    service.admin.run_search("copper", searchprovider_list=[provider], sort="date")
    sort = STATE["source"].asked(f"/{name}/_search")[0].json()["sort"]
    expect("sent" in str(sort) and "desc" in str(sort), "sort", sort)


@claim("docs/search: a part that failed", rows=ENGINES)
def failed_shards_are_partial(service, connector):
    name = f"shards-{connector.lower()}"
    body = hits()
    body["_shards"] = {
        "total": 3, "successful": 2, "failed": 1, "failures": [{"reason": {"type": "x", "reason": "lost shard"}}]
    }
    response = service.admin.search("copper", providers=[engine(service, connector, name, body)])
    equal((response["info"][name]["status"], len(response["results"])), ("partial", 1))


@claim("core 11.1: index_name is required", rows=ENGINES)
def search_engines_need_an_index(service, connector):
    record = {
        "name": "no index", "connector": connector, "url": STATE["source"].base,
        "query_mappings": "default_field=content",
    }  # fmt: skip
    service.admin.post("/svc/searchproviders/", record).expect(400)


@claim(
    "core 11.1: the text form of an Elastic query; date sort (quirks, Records)",
    rows=[Row("relevancy", ("relevancy",)), Row("date", ("date",))],
)  # fmt: skip
def the_text_form_of_a_query_is_read(service, sort):
    name = f"text-{sort}"
    clause = "{'query_string': {'query': '{query_string}', 'default_field': '{default_field}'}}"
    template = "index='{index_name}', query=" + clause
    provider = engine(service, "Elastic", name, hits(), query_template=template, query_template_json={})
    service.admin.run_search("copper roof", searchprovider_list=[provider], sort=sort)
    sent = STATE["source"].asked(f"/{name}/_search")[0].json()
    equal(sent["query"], {"query_string": {"query": "copper roof", "default_field": "content"}})
    equal("sort" in sent, sort == "date")


@claim("core 11.2: Records - Apache Solr", rows=[Row("relevancy", ("relevancy",)), Row("date", ("date",))])
def a_solr_collection_is_searched(service, sort):
    body = {
        "response": {"numFound": 7, "start": 0, "docs": [{"id": "1", "name": "Copper wire", "features": ["a", "b"]}]}
    }
    STATE["source"].route(f"/solr-{sort}/select", body)
    provider = create(
        service, f"solr {sort}", connector="RequestsGet", url=STATE["source"].base + "/{collection}/select?wt=json",
        query_template="{url}&q={query_string}",
        query_mappings=f"collection=solr-{sort},PAGE=start=RESULT_ZERO_INDEX,DATE_SORT=sort=date,NOT=True,NOT_CHAR=-",
        response_mappings="FOUND=response.numFound,RESULTS=response.docs",
        result_mappings="title=name,body=features[*],url=id",
    )  # fmt: skip
    search = service.admin.run_search("solid state", searchprovider_list=[provider], sort=sort)["id"]
    response = service.admin.results(search)
    equal(
        (
            plain(response["results"][0]["title"]), plain(response["results"][0]["body"]),
            response["info"][f"solr {sort}"]["found"],
        ),
        ("Copper wire", "a b", 7),
    )  # fmt: skip
    middle = "sort=date&" if sort == "date" else ""
    equal(
        STATE["source"].asked(f"/solr-{sort}/select")[0].target,
        f"/solr-{sort}/select?wt=json&{middle}start=0&q=solid+state",
    )  # fmt: skip


DESCRIPTION = """<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>x</ShortName>
<Url type="application/rss+xml" template="%s"/></OpenSearchDescription>"""


@claim("docs: OpenSearchDescription")
def a_described_site_is_searched(service):
    source = STATE["source"]
    description = DESCRIPTION % f"{source.base}/described?terms={{searchTerms}}&amp;n={{count?}}"
    url = source.route(
        "/description", Reply(description.encode(), headers={"Content-Type": "application/opensearchdescription+xml"})
    )
    source.route("/described", Reply((RSS % SECOND).encode(), headers={"Content-Type": "application/rss+xml"}))
    provider = create(service, "described", connector="OpenSearchDescription", url=url)
    response = service.admin.search("copper&n=7 #x", providers=[provider])
    equal(sorted(titles(response)), ["Copper & tin", "Copper two"])
    sent = source.asked("/described")[0].query
    equal(sorted(sent), ["n", "terms"])
    expect("copper" in sent["terms"] and sent["n"] == "10", "parameters", sent)


@claim("docs: OpenSearchDescription, other hosts")
def a_description_cannot_lead_to_another_host(service):
    with Source() as other:
        other.route("/x", Reply((RSS % "").encode(), headers={"Content-Type": "application/rss+xml"}))
        description = DESCRIPTION % f"http://{other.host}/x?q={{searchTerms}}"
        url = STATE["source"].route(
            "/description2",
            Reply(description.encode(), headers={"Content-Type": "application/opensearchdescription+xml"}),
        )  # fmt: skip
        provider = create(service, "led away", connector="OpenSearchDescription", url=url)
        info = service.admin.search("copper", providers=[provider])["info"]["led away"]
        equal((info["status"], info["error"]["code"], other.requests), ("error", "address_refused", []))


@claim("core 11.1: base normalization cuts to results_per_query")
def results_are_cut_to_the_number_asked_for(service):
    provider = STATE["providers"].create("cut", items_for(10), results_per_query=4)
    response = service.admin.search("copper", providers=[provider])
    equal((response["info"]["cut"]["retrieved"], len(response["results"])), (4, 4))
