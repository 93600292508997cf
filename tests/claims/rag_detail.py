"""The summary without results (detail-search-rag), instructions, the controls of pages, and whose summaries one may read."""

from harness import Row, Source, claim, equal, expect
from harness.answers import add_model, add_search, ask, summary
from harness.model import Model

source, model = Source(), Model()
people = {}


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Detail", model="gpt-detail")
    people.update(anna=service.user("anna"), boss=service.user("boss", is_admin=True))


def finish():
    source.__exit__()
    model.__exit__()


def detail(client, search, **params):
    return client.get("/svc/sapi/detail-search-rag/", params={"search_id": search["id"], **params})


@claim("ai-cache 1.1: detail-search-rag", [Row("/svc", ("/svc",)), Row("/api/svc", ("/api/svc",))])
def detail_has_the_text_its_sources_and_the_model(service, prefix):
    search = add_search(service, source, "deta" + prefix.replace("/", ""))
    path = f"{prefix}/sapi/detail-search-rag/"
    body = service.admin.get(path, params={"search_id": search["id"]}).expect(200).json()
    equal(body["message"], "The sources say so [1].")
    equal(body["additional_content"]["ai_model"], "gpt-detail")
    equal(len(body["additional_content"]["sources"]), 3)
    expect(all(each["title"] and each["url"] for each in body["additional_content"]["sources"]), "titles, urls", body)


@claim("ai-cache 1.1: detail-search-rag")
def detail_and_rag_search_share_the_stored_summary(service):
    search = add_search(service, source, "sharst")
    ask(service.admin, search)
    equal(detail(service.admin, search).expect(200).json()["message"], "The sources say so [1].")
    equal(len(model.calls("sharst")), 1)


@claim("ai-cache 1.1: rag_items")
def rag_items_selects_results(service):
    search = add_search(service, source, "ragite")
    results = service.admin.results(search["id"])["results"]
    chosen = [results[0]["swirl_id"], results[2]["swirl_id"]]
    body = detail(service.admin, search, rag_items=",".join(map(str, chosen))).expect(200).json()
    equal(sorted(each["swirl_id"] for each in body["additional_content"]["sources"]), sorted(chosen))


@claim("ai-cache 1.1: rag_items")
def rag_items_may_have_blanks(service):
    search = add_search(service, source, "itebla")
    equal(len(detail(service.admin, search, rag_items=" 1 , 2 ").expect(200).json()["additional_content"]["sources"]), 2)


BAD = [("rag_timeout", "abc"), ("rag_timeout", "0"), ("rag_timeout", "181"), ("rag_timeout", "-1"), ("rag_timeout", "1.5"),
       ("rag_items", "x,y"), ("search_id", "x")]  # fmt: skip


@claim("ai-cache 1.9", [Row(f"{name}={value}", (name, value)) for name, value in BAD])
def a_malformed_parameter_of_detail_is_400(service, name, value):
    search = {"id": 1}
    detail(service.admin, search, **{name: value}).expect(400)


@claim("ai-cache 1.9", [Row(value, (value,)) for value in ["1", "180"]])
def the_bounds_of_rag_timeout_are_accepted(service, value):
    search = add_search(service, source, f"bound{'ab'[len(value) > 1]}")
    detail(service.admin, search, rag_timeout=value).expect(200)


@claim("ai-cache 1.9", [Row(value, (value,)) for value in ["abc", "0", "181", "-3", "2.5"]])
def qs_refuses_a_malformed_rag_timeout(service, value):
    response = service.admin.get("/svc/search/", params={"qs": "x", "rag": "true", "rag_timeout": value}).expect(400)
    expect("rag_timeout" in response.text, "the parameter is not named", response.text)


@claim("decisions 3.13")
def a_prefetch_of_detail_generates_nothing(service):
    search = add_search(service, source, "prefet")
    for header in ["Sec-Purpose", "Purpose"]:
        response = service.admin.get(
            "/svc/sapi/detail-search-rag/", params={"search_id": search["id"]}, headers={header: "prefetch"}
        )
        response.expect(204)
    equal(model.calls("prefet"), [])


@claim("ai-cache 1.1, rule 3")
def instructions_reach_the_model_trimmed(service):
    search = add_search(service, source, "instrq")
    ask(service.admin, search, ai_instructions="   in the style of a telegram\n ")
    prompt = model.calls("instrq")[0].prompt
    expect("in the style of a telegram" in prompt, "the instructions are missing", prompt)
    expect("   in the style of a telegram" not in prompt, "not trimmed", prompt)


@claim("ai-cache 1.1, rule 3")
def instructions_are_cut_at_2000_characters(service):
    search = add_search(service, source, "cutins")
    ask(service.admin, search, ai_instructions="é" * 1999 + "Z" + "Q" * 500)
    prompt = model.calls("cutins")[0].prompt
    expect("é" * 1999 + "Z" in prompt, "fewer than 2000 characters arrived")
    expect("ZQ" not in prompt, "more than 2000 characters arrived")


@claim("ai-cache 1.1, rule 3", [Row("empty", ("",)), Row("blank", (" \n\t ",))])
def blank_instructions_are_none(service, text):
    word = "blaemp" if not text else "blabla"
    search = add_search(service, source, word)
    ask(service.admin, search)
    ask(service.admin, search, ai_instructions=text)
    equal(len(model.calls(word)), 1)


@claim("ai-cache 1.1, rule 3")
def instructions_do_not_change_the_selection(service):
    search = add_search(service, source, "nochan")
    plain = summary(ask(service.admin, search))["rag_query_items"]
    equal(summary(ask(service.admin, search, ai_instructions="use only the last source"))["rag_query_items"], plain)


@claim("ai-cache 1.1, rule 6; ai-cache 8.2", [Row("other user", ("anna",)), Row("administrator", ("boss",))])
def the_summary_of_somebody_elses_search_is_404(service, who):
    search = add_search(service, source, f"foreig{who}")
    ask(service.admin, search)
    client = people[who]
    client.post("/svc/rag-search/", {"search_id": search["id"]}).expect(404)
    detail(client, search).expect(404)
    client.delete(f"/svc/rag-search/{search['id']}/").expect(404)
    client.post(f"/svc/rag-search/{search['id']}/rating/", {"rating": 1}).expect(404)
    equal(len(model.calls(f"foreig{who}")), 1)


PATHS = [("GET", "sapi/detail-search-rag/?search_id=1"), ("GET", "sapi/is_chat_ai_provider_exists"), ("GET", "sapi/ai_providers/"),
         ("POST", "rag-search/"), ("DELETE", "rag-search/1/"), ("GET", "aiproviders/"), ("GET", "prompts/"), ("GET", "chat/"),
         ("POST", "chat/")]  # fmt: skip


@claim("interface: Authentication 1; decisions 3.1", [Row(f"{m} {p}", (m, p)) for m, p in PATHS])
def without_credentials_it_is_401(service, method, path):
    response = service.nobody.call(method, "/svc/" + path, {} if method == "POST" else None).expect(401)
    expect('Basic realm="api"' in response.headers.get("www-authenticate", ""), "WWW-Authenticate", response.headers)


@claim("ai-cache 4.1: sapi paths are plain aliases")
def sapi_accepts_basic_credentials(service):
    body = people["anna"].get("/svc/sapi/is_chat_ai_provider_exists").expect(200).json()
    equal((body["is_rag_ai_provider_exists"], body["is_chat_ai_provider_exists"]), (True, False))


@claim("ai-cache 1.1: ai_providers by role")
def ai_providers_lists_the_active_models_of_a_role(service):
    add_model(service, model, "Choice chat", roles=["chat"], shared=False)
    add_model(service, model, "Choice off", active=False)
    listed = service.admin.get("/svc/sapi/ai_providers/", params={"tag": "rag"}).expect(200).json()
    equal([each["name"] for each in listed], ["Detail"])
    equal(set(listed[0]), {"id", "name", "model", "tags", "defaults"})
    service.admin.get("/svc/sapi/ai_providers/", params={"tag": "nonsense"}).expect(400)


RATINGS = [({"rating": 1}, 200), ({"rating": -1, "reasons": ["wrong"], "comment": "no"}, 200), ({"rating": 0}, 400),
           ({"rating": 2}, 400), ({}, 400), ({"rating": "x"}, 400), ({"rating": 1, "comment": "x" * 2001}, 400),
           ({"rating": 1, "reasons": ["x"] * 21}, 400)]  # fmt: skip


@claim("docs/answers: ratings", [Row(f"{at}", (at, *each)) for at, each in enumerate(RATINGS)])
def a_summary_can_be_rated(service, at, body, status):
    search = add_search(service, source, f"rating{'abcdefgh'[at]}")
    ask(service.admin, search)
    service.admin.post(f"/svc/rag-search/{search['id']}/rating/", body).expect(status)


@claim("docs/answers: ratings")
def without_a_summary_there_is_nothing_to_rate(service):
    search = add_search(service, source, "norati")
    service.admin.post(f"/svc/rag-search/{search['id']}/rating/", {"rating": 1}).expect(422)
