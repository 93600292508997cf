"""Query processors other than the adaptive one, how processors are named, and what happens when one fails."""

from harness import Reply, Row, Source, claim, equal, expect
from harness.one_provider import ask, new_path, provider_fields, refused

MODEL = Source()
REPLIES = {"next": "copper cable"}


def prepare(service):
    MODEL.__enter__()
    MODEL.route("/v1/chat/completions", reply)
    # Only the model of these claims may write queries.
    for provider in service.admin.get("/svc/aiproviders/").json():
        if provider["model"] != "local":
            service.admin.patch(f"/svc/aiproviders/{provider['id']}/", {"active": False})
    record = {"name": "Writer", "model": "openai/writer", "tags": ["query"], "defaults": ["query"],
              "config": {"api_base": MODEL.base + "/v1"}}  # fmt: skip
    service.admin.post("/svc/aiproviders/", record).expect(201)


def finish():
    MODEL.__exit__()


def reply(request):
    text = REPLIES["next"]
    if text is None:
        return Reply("broken", 500)
    message = {"role": "assistant", "content": text}
    return {"id": "1", "object": "chat.completion", "model": "writer", "choices": [{"index": 0, "message": message}]}


def processed(service, query, processors, **fields):
    return ask(service, query, query_processors=processors, **fields)


@claim("core 2.4, NoMod", rows=[
    Row("own tag", ("news:fed rates", ["News"], "fed rates")),
    Row("own tag in capitals", ("NEWS:fed rates", ["News"], "fed rates")),
    Row("later tag stays", ("fed news:rates", ["News"], "fed news:rates")),
    Row("tag of others stays", ("other:fed", ["News"], "other:fed")),
    Row("first of two prefixes only", ("news:company:acme", ["News", "Company"], "company:acme")),
    Row("second tag of the provider", ("company:acme", ["News", "Company"], "acme")),
    Row("longer word with the same beginning", ("newspaper:x", ["News"], "newspaper:x")),
    Row("nothing else changes", ('a NOT b, <i>c</i> "d!', ["News"], 'a NOT b, <i>c</i> "d!')),
])  # fmt: skip
def nomod_removes_one_prefix(service, query, tags, expected):
    equal(processed(service, query, ["NoModQueryProcessor"], tags=tags).query, expected)


@claim("core 1: no processors, no change", rows=[
    Row("tag", ("news:fed rates",)), Row("NOT", ("alpha NOT beta -gamma",)), Row("marks", ("a,b;c [d] {e} \"f",)),
])  # fmt: skip
def a_provider_without_processors_gets_the_query_verbatim(service, query):
    asked = processed(service, query, [], tags=["News"])
    equal(asked.query, query)
    equal(asked.request.query["q"], query)


@claim("core 2: processors run in the order of the list", rows=[
    Row("tag removed first", (["NoModQueryProcessor", "order-one.rewrite"], "news:copper", "tin")),
    Row("each gets the text of the one before", (["order-one.rewrite", "order-two.rewrite"], "copper", "lead")),
    Row("other order", (["order-two.rewrite", "order-one.rewrite"], "copper", "tin")),
])  # fmt: skip
def processors_run_in_the_order_of_the_list(service, processors, query, expected):
    for name, content in [("order-one", "copper,tin"), ("order-two", "tin,lead")]:
        service.admin.post("/svc/querytransforms/", {"name": name, "qrx_type": "rewrite", "config_content": content}).expect(201, 409)
    equal(processed(service, query, processors, tags=["News"]).query, expected)


@claim("core 2, outcomes of steps")
def a_changed_query_is_reported_for_its_provider(service):
    asked = processed(service, "copper, wire", ["GenericQueryProcessor"])
    name = asked.provider["name"]
    expect(any(f"rewrote {name}'s query to: copper wire" in line and "GenericQueryProcessor" in line
               for line in asked.response["messages"]), "not reported", asked.response["messages"])  # fmt: skip


@claim("core 2, outcomes of steps")
def an_unchanged_query_is_not_reported(service):
    asked = processed(service, "copper wire", ["GenericQueryProcessor"])
    equal([line for line in asked.response["messages"] if "rewrote" in line], [])


@claim("core 2, outcomes of steps")
def a_change_before_federation_is_reported_with_its_time(service):
    provider = service.admin.create_provider(**provider_fields(new_path()))
    search = service.admin.run_search("copper, wire", pre_query_processors=["GenericQueryProcessor"],
                                      searchprovider_list=[provider["id"]])  # fmt: skip
    lines = [line for line in search["messages"] if "GenericQueryProcessor rewrote query to: copper wire" in line]
    expect(len(lines) == 1 and lines[0].startswith("["), "not reported with a time", search["messages"])
    equal(search["query_string"], "copper, wire", "the query of the search itself stays")


@claim("core 2, outcomes of steps, with the difference of quirks: skipped with a message")
def a_pre_query_processor_that_leaves_nothing_is_skipped(service):
    rule = {"name": "empties", "qrx_type": "rewrite", "config_content": "copper,"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    asked = ask(service, "copper", search={"pre_query_processors": ["empties.rewrite", "GenericQueryProcessor"]})
    equal(asked.query, "copper", "the text before it stays")
    equal(asked.status, "ok")


@claim("core 2, outcomes of steps: unknown names", rows=[
    Row("unknown word", ("NoSuchQueryProcessor",)), Row("other case", ("adaptivequeryprocessor",)),
    Row("unknown transform", ("nosuch.rewrite",)), Row("unknown type", ("empty.nosuch",)), Row("three parts", ("a.b.rewrite",)),
    Row("only a type", (".rewrite",)), Row("blank", ("",)), Row("test aid", ("TestQueryProcessor",)),
    Row("a processor of results", ("MappingResultProcessor",)), Row("path", ("../../etc/passwd",)),
])  # fmt: skip
def an_unknown_processor_is_refused(service, name):
    answer = refused(service, query_processors=[name]).expect(400).json()
    expect("query_processors" in (answer.get("errors") or {}), "the field is not named", answer)
    answer = service.admin.post("/svc/search/", {"query_string": "x", "pre_query_processors": [name]}).expect(400).json()
    expect("pre_query_processors" in (answer.get("errors") or {}), "the field is not named", answer)


@claim("core 2.1, with the difference of quirks: an unknown name in the source's own record makes it fail")
def a_transform_that_was_deleted_makes_its_provider_fail(service):
    rule = {"name": "shortlived", "qrx_type": "rewrite", "config_content": "copper,tin"}
    made = service.admin.post("/svc/querytransforms/", rule).expect(201).json()
    provider = service.admin.create_provider(**provider_fields(new_path(), query_processors=["shortlived.rewrite"]))
    deleted = service.admin.delete(f"/svc/querytransforms/{made['id']}/").expect(204, 409)
    if deleted.status == 204:
        response = service.admin.search("copper", providers=[provider["id"]])
        equal(response["info"][provider["name"]]["status"], "error")
        expect("shortlived" in str(response["info"][provider["name"]]["error"]), "not named", response["info"])


@claim("core 2.1: an abandoned pre-query stage ends in a final status; quirks: skipped with a message")
def a_pre_query_transform_that_was_deleted_does_not_stop_a_rerun(service):
    rule = {"name": "gone-before", "qrx_type": "rewrite", "config_content": "copper,tin"}
    made = service.admin.post("/svc/querytransforms/", rule).expect(201).json()
    asked = ask(service, "copper", search={"pre_query_processors": ["gone-before.rewrite"]})
    equal(asked.query, "tin")
    service.admin.delete(f"/svc/querytransforms/{made['id']}/").expect(204)
    search_id = asked.first["search_id"] if "search_id" in asked.first else service.admin.get("/svc/search/").json()[0]["id"]
    service.admin.get("/svc/search/", params={"rerun": search_id}).expect(200, 201, 202, 302)
    search = service.admin.finished_search(search_id)
    equal(search["status"], "FULL_RESULTS_READY")
    expect(any("gone-before" in line for line in search["messages"]), "not reported", search["messages"])


@claim("interface: pre_query_processor in the address; quirks: with q and qs")
def the_address_can_name_a_pre_query_processor(service):
    rule = {"name": "by-address", "qrx_type": "synonym", "config_content": "copper,cuprum"}
    service.admin.post("/svc/querytransforms/", rule).expect(201)
    provider = service.admin.create_provider(**provider_fields(new_path()))
    params = {"providers": [provider["id"]], "pre_query_processor": "by-address.synonym"}
    response = service.admin.search("copper wire", **params)
    equal(response["info"][provider["name"]]["query_string_to_provider"], "(copper OR cuprum) wire")
    params["providers"] = provider["id"]
    created = service.admin.get("/svc/search/", params={"q": "copper wire", **params}).expect(302, 303)
    search_id = created.headers["location"].partition("search_id=")[2].partition("&")[0]
    search = service.admin.finished_search(search_id)
    equal(search["pre_query_processors"], ["by-address.synonym"])
    response = service.admin.results(search_id)
    equal(response["info"][provider["name"]]["query_string_to_provider"], "(copper OR cuprum) wire")


@claim("core 2.4, Spellcheck, with what the list of processors leaves alone", rows=[
    Row("misspelled words", ("recieve goverment papers", "receive government papers")),
    Row("right words", ("receive government papers", "receive government papers")),
    Row("phrase", ('"recieve papers" goverment', '"recieve papers" government')),
    Row("name", ("Goverment Recieve Inc", "Goverment Recieve Inc")),
    Row("excluded word", ("papers -goverment", "papers -goverment")),
    Row("tag", ("recieve:papers", "recieve:papers")),
    Row("code", ("AB12recieve papers", "AB12recieve papers")),
])  # fmt: skip
def spellcheck_corrects_words(service, query, expected):
    equal(processed(service, query, ["SpellcheckQueryProcessor"]).query, expected)


@claim("core 2.4, RemovePII, with the kinds of the list of processors", rows=[
    Row("mail address", ("write to anna@example.com today", "write to today")),
    Row("telephone number", ("call +1 212 555 0175 today", "call today")),
    Row("card number", ("card 4111 1111 1111 1111 lost", "card lost")),
    Row("social security number", ("ssn 078-05-1120 lost", "ssn lost")),
    Row("IP address", ("log of 192.168.17.4 yesterday", "log of yesterday")),
    Row("name after a title", ("note of Dr. John Smith yesterday", "note of yesterday")),
    Row("nothing personal", ("copper, wire; 2024!", "copper, wire; 2024!")),
])  # fmt: skip
def removepii_deletes_personal_data(service, query, expected):
    equal(" ".join(processed(service, query, ["RemovePIIQueryProcessor"]).query.split()), expected)


def generated(service, text, query="copper wire", tags=()):
    """The query that the processor makes of the model's reply, and what the model was asked."""
    REPLIES["next"] = text
    before = len(MODEL.asked("/v1/chat/completions"))
    search = {"pre_query_processors": ["GenAIQueryProcessor"], "tags": list(tags)}
    asked = ask(service, query, search=search, query_processors=["NoModQueryProcessor"])
    return asked, [request.json() for request in MODEL.asked("/v1/chat/completions")[before:]]


@claim("core 2.4, GenAI: filter of replies, with the difference of quirks about phrases", rows=[
    Row("shorter", ("copper", "copper wire", [], "copper")),
    Row("equal", ("copper wire", "copper wire", [], "copper wire")),
    Row("1.25 times as long", ("copper cables", "0123456789", [], "0123456789")),
    Row("exactly 1.25 times", ("abcdefghij", "abcdefgh", [], "abcdefghij")),
    Row("one more than 1.25 times", ("abcdefghijk", "abcdefgh", [], "abcdefgh")),
    Row("in quotation marks", ('"copper rod"', "copper wire", [], "copper rod")),
    Row("empty lines", ("\n\ncopper rod", "copper wire", [], "copper rod")),
    Row("with a phrase", ('tin -"tin foil"', "tin without foil", [], 'tin -"tin foil"')),
    Row("filter off", ("a much longer query about copper wire", "copper", ["CHAT_QUERY_DO_FILTER:false"],
                       "a much longer query about copper wire")),
    Row("failure", (None, "copper wire", [], "copper wire")), Row("empty", ("", "copper wire", [], "copper wire")),
])  # fmt: skip
def a_generated_query_passes_a_filter(service, text, query, tags, expected):
    asked, _ = generated(service, text, query, tags)
    equal(asked.query, expected)
    equal(asked.status, "ok")


@claim("core 2.4, GenAI: prompt and guide", rows=[
    Row("default prompt", ([], "Write a more precise query of similar length to this one: copper wire",
                           "Write a more precise query of similar length to this one copper wire")),
    Row("placeholder", (["CHAT_QUERY_REWRITE_PROMPT:Improve {query_string}"], "Improve copper wire")),
    Row("colon", (["CHAT_QUERY_REWRITE_PROMPT:Improve this:"], "Improve this: copper wire")),
    Row("neither", (["CHAT_QUERY_REWRITE_PROMPT:Improve this"], "Improve this:  copper wire", "Improve this: copper wire")),
])  # fmt: skip
def the_prompt_ends_with_the_query(service, tags, *accepted):
    _, requests = generated(service, "copper rod", tags=tags)
    equal(len(requests), 1)
    texts = [message["content"] for message in requests[0]["messages"]]
    expect(texts[-1].strip() in accepted, f"expected {accepted}", texts)


@claim("core 2.4, GenAI: default guide")
def the_default_guide_is_sent(service):
    _, requests = generated(service, "copper rod")
    expect("You are helping a user formulate better queries" in str(requests[0]["messages"]), "missing", requests[0])


@claim("core 2.4, GenAI: guide from a tag")
def a_tag_sets_the_guide(service):
    _, requests = generated(service, "copper rod", tags=["CHAT_QUERY_REWRITE_GUIDE:You know metals"])
    expect("You know metals" in requests[0]["messages"][0]["content"], "not sent", requests[0])


@claim("core 2.4, GenAI: any failure keeps the query; quirks: a message has the reason")
def a_failure_of_the_model_is_reported(service):
    asked, _ = generated(service, None)
    expect(any("GenAIQueryProcessor" in line for line in asked.response["messages"]), "not reported",
           asked.response["messages"])  # fmt: skip
