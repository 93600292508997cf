"""The pages as HTML: stars and their thresholds, charts of tables, lists without JavaScript, the console, the configuration."""

import html
import json
import re

from harness import Reply, Row, Service, claim, equal, eventually, expect
from harness.accounts import Session
from harness.sample import SampleSource, items

source = SampleSource()
SETTINGS = {"SVC_OUTBOUND_ALLOW": "127.0.0.1"}
STATE = {}
CONSOLE = [
    "", "searchproviders", "doctor", "gallery", "breakers", "querytransforms", "pipelines", "aiproviders", "prompts", "cache", "users",
    "groups", "tokens", "authenticators", "activity", "timings", "audit", "settings", "schedules", "logs", "branding", "license",
]  # fmt: skip


def prepare(service):
    source.__enter__()
    service.user("ann")
    STATE["ann"], STATE["admin"] = Session(service, "ann"), Session(service, "admin")


def finish():
    source.__exit__()


def listed(browser, query, **params):
    """The page of a new search, when the search has ended."""
    moved = browser.get("/", params={"q": query, **params}).expect(303)

    def page():
        text = browser.get(moved.headers["location"]).expect(200).text
        return None if "data-running" in text else text

    return eventually(page, 30, "the search does not end"), moved.headers["location"]


def articles(page):
    """The results of a page; slashes in attributes are escaped there."""
    page = page.replace("&#x2f;", "/")
    return re.findall(r'<article class="result".*?</article>', page, re.DOTALL)


def provider(service, name, found, **fields):
    """Asked by default, and by no other claim: its items match only its own query."""
    return source.provider(service, name, found, **fields)


def text_of(piece):
    return html.unescape(re.sub(r"<[^>]*>", "", piece))


@claim("interface: Web UI starred-result thresholds; ai-cache 6: star above the threshold", rows=[
    Row("default", ({},)), Row("raised", ({"SVC_MINIMUM_CONFIDENCE_SCORE": "0.999"},)),
    Row("lowered", ({"SVC_MINIMUM_CONFIDENCE_SCORE": "0"},)),
])  # fmt: skip
def raising_a_threshold_reduces_starred_results(service, settings):
    with Service(service.program, {**SETTINGS, **settings}) as other:
        made = source.provider(other, "Stars", items(3, "quartz") + items(3, "unrelated", first=4))
        page, _ = listed(Session(other, "admin"), "quartz", providers=str(made["id"]))
        found, threshold = articles(page), float(settings.get("SVC_MINIMUM_CONFIDENCE_SCORE", "0.7"))
        expect(len(found) >= 3, "results", page[:500])
        search_id = re.search(r'data-search="(\d+)"', page).group(1)
        scores = {str(each["swirl_id"]): each["swirl_confidence_score"] for each in other.admin.results(search_id)["results"]}
        stars = {re.search(r'data-id="(\d+)"', each).group(1): "data-starred" in each for each in found}
        for number, is_starred in stars.items():
            equal(is_starred, scores[number] >= threshold, f"star of a confidence of {scores[number]}")
        equal(sorted(set(stars.values())), {"0.7": [False, True], "0.999": [False], "0.0": [True]}[str(threshold)])


@claim("interface: minimumScore 100, minimumConfidenceScore 0.7; ai-cache 6: UI configuration", rows=[
    Row("default", ({}, 100, 0.7)), Row("set", ({"SVC_MINIMUM_SCORE": "250", "SVC_MINIMUM_CONFIDENCE_SCORE": "0.9"}, 250, 0.9)),
])  # fmt: skip
def the_configuration_of_the_pages_has_the_thresholds(service, settings, score, confidence):
    with Service(service.program, settings) as other:
        config = other.user("reader").get("/api/config/default/").expect(200).json()
        equal((config["minimumScore"], config["minimumConfidenceScore"]), (score, confidence))
        equal((config["ragConfig"]["timeout"], config["ragConfig"]["available"]), (60, False))
        expect(config["ragConfig"]["timeoutText"] and config["webConfig"]["name"] == "Tributary", "texts", config)
        other.nobody.get("/api/config/default/").expect(401)





@claim("interface: DATASET, charts chosen by numeric field count", rows=[
    Row("none: a bar chart of a pseudo-count", (["city", "river"], [["Bern", "Inn"], ["Basel", "Rhine"], ["Thun", "Inn"]], "bar", True)),
    Row("one: bar", (["city", "people"], [["Bern", 134], ["Basel", 178], ["Thun", 43]], "bar", False)),
    Row("two: scatter", (["a", "b"], [[1, 5], [2, 7], [3, 6]], "scatter", False)),
    Row("two without a range: bar", (["a", "b"], [[1, 5], [1, 7], [1, 6]], "bar", False)),
    Row("two without a second range: bar", (["a", "b"], [[1, 5], [2, 5], [3, 5]], "bar", False)),
    Row("three: bubble", (["a", "b", "c"], [[1, 5, 10], [2, 7, 30], [3, 6, 20]], "bubble", False)),
    Row("four: bubble", (["a", "b", "c", "d"], [[1, 5, 10, 2], [2, 7, 30, 3], [3, 6, 20, 9]], "bubble", False)),
    Row("three without a range: bar", (["a", "b", "c"], [[1, 5, 4], [1, 5, 4], [1, 5, 4]], "bar", False)),
])  # fmt: skip
def a_table_has_the_chart_of_its_numbers(service, names, table, kind, is_count):
    name = f"Chart {kind} {len(names)} {json.dumps(table)}"[:200]
    found = [dict(zip(names, values, strict=True)) for values in table]
    made = provider(service, name, found, result_mappings="DATASET," + ",".join(names), result_processors=["MappingResultProcessor"])
    page, _ = listed(STATE["admin"], "table", providers=str(made["id"]))
    chart = re.search(r'<figure class="chart" data-kind="(\w+)"[^>]*>', page)
    expect(chart, "no chart", page[-3000:])
    equal((chart.group(1), "data-count" in chart.group(0)), (kind, is_count))


@claim("ai-cache 6: a plain results list without JavaScript")
def a_list_without_javascript_has_results_links_and_counts(service):
    made = provider(service, "Plain", {"items": items(12, "zinc"), "total": 31}, results_per_query=20,
                    response_mappings="FOUND=total,RESULTS=items")  # fmt: skip
    page, location = listed(STATE["admin"], "zinc", providers=str(made["id"]))
    found = articles(page)
    equal(len(found), 10)
    expect(all('href="http://items.example/zinc/' in each for each in found), "links to the results", found[0])
    expect("<mark>zinc</mark>" in found[0], "highlights", found[0])
    expect("12 results" in text_of(page) and "31 found" in text_of(page), "the counts", text_of(page)[:3000])
    following = re.search(r'<a href="([^"]+)" rel="next"', page)
    second = STATE["admin"].get(html.unescape(following.group(1))).expect(200).text
    equal(len(articles(second)), 2)
    expect("Plain" in text_of(page) and location.startswith("/?search_id="), "the source, and an address of the list")


@claim("ai-cache 6: View by, Top Picks", rows=[
    Row("confidence", ("RelevancyConfidenceMixer", "Best match")), Row("date", ("DateMixer", "Newest first")),
    Row("top picks", ("StackNMixer", "Top picks")), Row("relevancy", ("RelevancyMixer", "Relevancy")),
])  # fmt: skip
def a_list_can_be_viewed_in_another_order(service, mixer, label):
    name = f"Orders {mixer}"
    made = provider(
        service, name, items(3, "cobalt", date="2024-01-01"),
        result_mappings="title=title,body=body,url=url,date_published=date",
    )  # fmt: skip
    page, _ = listed(STATE["admin"], "cobalt", providers=str(made["id"]))
    link = re.search(rf'<a href="([^"]+)" data-list[^>]*>\s*{label}<', page)
    expect(link, f"no link to {label}", page[:6000])
    other = STATE["admin"].get(html.unescape(link.group(1))).expect(200).text
    equal(len(articles(other)), 3)
    expect(re.search(rf'aria-current="true"[^>]*>\s*{label}<', other), "it is the order in use", other[:6000])


@claim("ai-cache 6: notice of sources that did not answer")
def a_list_names_the_source_that_failed(service):
    good, bad = provider(service, "Good", items(2, "nickel")), provider(service, "Bad", lambda _: Reply("down", 500))
    page, _ = listed(STATE["admin"], "nickel", providers=f"{good['id']},{bad['id']}")
    text = text_of(page)
    expect("one source did not respond" in text and "These results are incomplete." in text and "Bad" in text, "the notice", text[:3000])


HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'{{7*7}}'


@claim("decisions 6: text of sources is never HTML of a page", rows=[
    Row(each, (each,)) for each in ["title", "body", "author", "payload", "query", "source", "url"]
])  # fmt: skip
def nothing_hostile_becomes_markup_of_a_page(service, field):
    item = {"title": "bismuth", "body": "bismuth", "url": f"https://h.example/{field}", "author": "x", "extra": "x"}
    item |= {"payload": {"extra": HOSTILE}, "url": {"url": "javascript:alert(1)"}}.get(field, {field: HOSTILE} if field in item else {})
    name = f"Hostile {HOSTILE}" if field == "source" else f"Hostile {field}"
    made = provider(service, name, [item], result_mappings="title=title,body=body,url=url,author=author")
    query = f"bismuth {HOSTILE}" if field == "query" else "bismuth"
    page, location = listed(STATE["admin"], query, providers=str(made["id"]))
    for each in [page, STATE["admin"].get(location + "&explain=true").text, STATE["admin"].get("/history/").text]:
        expect("<script>alert" not in each and "<img src=x" not in each and "onerror=alert(1)>" not in each, "markup", each[:300])
        expect('href="javascript:' not in each and ">49<" not in each, "a script address, or a template", each[:300])


@claim("ai-cache 6: AI controls are hidden without an active rag provider")
def without_a_model_the_page_offers_no_summary(service):
    made = provider(service, "No model", items(2, "gallium"))
    page, _ = listed(STATE["ann"], "gallium", providers=str(made["id"]))
    expect("data-answers" not in page, "it offers summaries")
    models = service.admin.get("/svc/aiproviders/").json()
    extractive = next(each for each in models if each["model"] == "local/extractive")
    service.admin.patch(f"/svc/aiproviders/{extractive['id']}/", {"active": True}).expect(200)
    page, _ = listed(STATE["ann"], "gallium", providers=str(made["id"]))
    service.admin.patch(f"/svc/aiproviders/{extractive['id']}/", {"active": False}).expect(200)
    expect("data-answers" in page, "it offers no summaries")


@claim("ai-cache 6: no third-party requests", rows=[Row(path or "/", (path or "/",)) for path in [
    "/", "/history/", "/account/", "/chat/", "/review/", "/egress/", "/admin/", "/login/",
]])  # fmt: skip
def pages_load_nothing_from_elsewhere(service, path):
    page = html.unescape(STATE["admin"].get(path).expect(200).text)
    for tag, address in re.findall(r'<(script|link|img|iframe|source|video)\b[^>]*?(?:src|href)="([^"]+)"', page):
        expect(address.startswith("/") and not address.startswith("//"), f"{tag} of {path}", address)


@claim("interface: an admin console; ai-cache 4.5", rows=[Row(each or "dashboard", (each,)) for each in CONSOLE])
def a_page_of_the_console_is_for_administrators(service, page):
    path = f"/admin/{page}/" if page else "/admin/"
    expect("<main" in STATE["admin"].get(path).expect(200).text, "the page")
    expect(STATE["ann"].get(path).status in (403, 404), "users see it", STATE["ann"].get(path).status)
    found = Session.__new__(Session)
    found.port, found.cookies, found.set_cookies = service.port, {}, []
    expect(found.get(path).headers.get("location", "").startswith("/login/"), "a page redirects to the sign-in page")


@claim("interface: providers are edited and cloned with a new unique name in the console; core 9.2")
def the_console_describes_every_field_of_a_provider(service):
    page = STATE["admin"].get("/admin/searchproviders/new/").expect(200).text
    form = json.loads(re.search(r'<script type="application/json" id="resource">(.*?)</script>', page, re.DOTALL).group(1))
    made = provider(service, "Described", [])
    described = json.dumps(form)
    for field in made:
        if field not in ("id", "owner", "date_created", "date_updated", "capability"):
            expect(f'"{field}"' in described, f"{field} is missing in the form")
    expect(form["permissions"]["copy"], "it can be saved as new", form["permissions"])


@claim("interface: the System Default Post-Result Pipeline is edited in the console")
def the_console_describes_the_pipeline(service):
    page = STATE["admin"].get("/admin/pipelines/").expect(200).text
    expect("pipelines" in page and 'id="resource"' in page, "the form", page[:500])
    names = [each["name"] for each in service.admin.get("/svc/pipelines/").expect(200).json()]
    expect("System Default Post-Result Pipeline" in names, "its name", names)


@claim("ai-cache 4.5: branding, the last saved is active", rows=[Row("name", ("product", "name", "Delta")), Row("button", ("button", "button", "Find")),
    Row("placeholder", ("placeholder", "placeholder", "Ask here"))])  # fmt: skip
def a_branding_changes_the_pages(service, field, shown, text):
    made = service.admin.post("/svc/brandings/", {"name": f"brand {field}", field: text}).expect(201).json()
    config = service.admin.get("/api/config/default/").json()["webConfig"]
    service.admin.delete(f"/svc/brandings/{made['id']}/").expect(204)
    equal(config[shown], text)
    equal(service.admin.get("/api/config/default/").json()["webConfig"]["name"], "Tributary", "and is gone with its record")


@claim("docs/web-interface: browsers can add the service as a search engine")
def an_opensearch_description_names_the_search(service):
    page = STATE["admin"].get("/").expect(200).text
    path = re.search(r'<link rel="search"[^>]*href="([^"]+)"', page).group(1)
    text = service.nobody.get(path).expect(200).text
    expect("{searchTerms}" in text and "<OpenSearchDescription" in text, "the description", text)
