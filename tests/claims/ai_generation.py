"""Models as query processor (GenAIQueryProcessor) and as source (GenAI)."""

import re

from harness import Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_source, documents
from harness.model import Fails, Model, Says

source, model = Source(), Model()
SETTINGS = {"SVC_AI_TIMEOUT": "2"}


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Query model", roles=["query"])
    add_model(service, model, "Connector model", roles=["connector"], model="openai/connector")


def finish():
    source.__exit__()
    model.__exit__()


def rewritten(service, query, word, **fields):
    """The finished search whose query the model may rewrite."""
    provider = add_source(service, source, word, documents(word), query_processors=[])
    return service.admin.run_search(
        query, searchprovider_list=[provider["id"]], pre_query_processors=["GenAIQueryProcessor"], **fields
    )


REWRITES = [
    # query, reply, query that is used
    ("qzone alpha beta gamma", "qzone alpha gamma", "qzone alpha gamma"),
    ("qident alpha", "qident alpha", "qident alpha"),
    ("qlong one two", "qlong one two three four five six", "qlong one two"),
    ("qlimit aaaaa", "qlimit aaaaabbb", "qlimit aaaaabbb"),  # 12 to 15 characters: exactly 1.25
    ("qlimiu aaaaa", "qlimiu aaaaabbbb", "qlimiu aaaaa"),
    ("qblank alpha", "   ", "qblank alpha"),
    ("qempty alpha", "", "qempty alpha"),
    ('qphrase copper tin foil', 'qphrase -"tin foil"', 'qphrase -"tin foil"'),
    ("qquoted alpha beta", '"qquoted alpha"', "qquoted alpha"),
]


@claim("ai-cache 1.13; quirks, queries", [Row(query, (query, reply, used)) for query, reply, used in REWRITES])
def a_reply_is_used_within_its_limits(service, query, reply, used):
    word = query.split()[0]
    model.on(word, Says(reply))
    search = rewritten(service, query, word)
    equal(search["query_string_processed"], used)
    equal(source.asked(f"/{word}")[0].query["q"], used)


LISTS = [
    ("numbered", "1. {w} a\n2. {w} b\n3. {w} c"), ("parentheses", "1) {w} a\n2) {w} b\n3) {w} c"), ("blank lines", "{w} a\n\n{w} b\n\n{w} c"),
]  # fmt: skip


@claim("ai-cache 1.13: lists become an OR", [Row(name, (at, text)) for at, (name, text) in enumerate(LISTS)])
def a_list_becomes_alternatives(service, at, text):
    word = "qlist" + "abc"[at]
    model.on(word, Says(text.replace("{w}", word)))
    query = f"{word} " + "with a long text that leaves space for all of the alternatives"
    equal(re.sub("[()]", "", rewritten(service, query, word)["query_string_processed"]), f"{word} a OR {word} b OR {word} c")


@claim("ai-cache 1.13: the first five")
def only_the_first_five_of_a_list_are_used(service):
    model.on("qfive", Says("\n".join(f"{n}. qfive {n}x" for n in range(1, 9))))
    query = "qfive with a long text that leaves space for every one of the alternatives and more"
    processed = re.sub("[()]", "", rewritten(service, query, "qfive")["query_string_processed"])
    equal(processed.split(" OR "), [f"qfive {n}x" for n in range(1, 6)])


@claim("docs/processors: bullets", [Row(mark, (at, mark)) for at, mark in enumerate(["-", "*", "•"])])
def bullets_are_no_part_of_the_query(service, at, mark):
    word = "qbull" + "abc"[at]
    model.on(word, Says(f"{mark} {word} port\n{mark} {word} crossing"))
    query = f"{word} with a long text that leaves space for all of the alternatives"
    equal(re.sub("[()]", "", rewritten(service, query, word)["query_string_processed"]), f"{word} port OR {word} crossing")


FAILURES = [("500", Fails(500)), ("401", Fails(401)), ("late", Says("x", delay_s=6))]


@claim("ai-cache 1.13: any error keeps the query, with a warning", [Row(n, (at, r)) for at, (n, r) in enumerate(FAILURES)])
def a_failing_model_leaves_the_query_and_a_message(service, at, reply):
    word = "qfail" + "abc"[at]
    model.on(word, reply)
    search = rewritten(service, f"{word} alpha beta", word)
    equal((search["query_string_processed"], search["status"]), (f"{word} alpha beta", "FULL_RESULTS_READY"))
    expect(any("GenAIQueryProcessor" in each for each in search["messages"]), "no message", search["messages"])


@claim("ai-cache 1.13: a reply that is too long keeps the query")
def an_ignored_reply_is_reported(service):
    model.on("qtoolo", Says("qtoolo " + "word " * 40))
    search = rewritten(service, "qtoolo alpha", "qtoolo")
    equal(search["query_string_processed"], "qtoolo alpha")
    expect(any("GenAIQueryProcessor" in each for each in search["messages"]), "no message", search["messages"])


@claim("ai-cache 1.13: no provider")
def without_a_model_the_query_stays_with_a_message(service):
    with Service(service.program) as other:
        search = rewritten(other, "qnomod alpha", "qnomod")
        equal(search["query_string_processed"], "qnomod alpha")
        expect(any("GenAIQueryProcessor" in each for each in search["messages"]), "no message", search["messages"])


TAGS = [("CHAT_QUERY_REWRITE_PROMPT:Shorten {query_string}", "Shorten qtag"), ("CHAT_QUERY_REWRITE_PROMPT:Shorten it:", "Shorten it:")]


@claim("ai-cache 1.13: the prompt ends with the query", [Row(tag, (at, tag, begin)) for at, (tag, begin) in enumerate(TAGS)])
def a_tag_of_the_search_sets_the_prompt(service, at, tag, begin):
    word = "qtag" + "xy"[at]
    model.on(word, Says(f"{word} beta"))
    rewritten(service, f"{word} alpha beta", word, tags=[tag])
    asked = model.calls(word)[0].of_role("user")
    expect(asked.startswith(begin), "the prompt", asked)
    expect(asked.endswith(f"{word} alpha beta"), "it does not end with the query", asked)
    expect("{query_string}" not in asked, "the placeholder is left", asked)


@claim("ai-cache 1.13: the guide")
def a_tag_of_the_search_sets_the_system_message(service):
    model.on("qguide", Says("qguide beta"))
    rewritten(service, "qguide alpha beta", "qguide", tags=["CHAT_QUERY_REWRITE_GUIDE:You are terse."])
    expect("You are terse." in model.calls("qguide")[0].of_role("system"), "the guide", model.calls("qguide")[0].messages)


@claim("ai-cache 1.13: the filter can be off")
def without_the_filter_a_long_reply_is_used(service):
    model.on("qnofil", Says("qnofil one two three four five six seven"))
    search = rewritten(service, "qnofil alpha", "qnofil", tags=["CHAT_QUERY_DO_FILTER:false"])
    equal(search["query_string_processed"], "qnofil one two three four five six seven")


def generated(service, word, query=None, **fields):
    """(search, results, call) of a GenAI source."""
    record = {"name": f"Genai {word}", "connector": "GenAI", "default": False, "url": "", "query_template": "", "response_mappings": "",
              "result_mappings": "", "query_processors": [], **fields}  # fmt: skip
    provider = service.admin.create_provider(**record)
    search = service.admin.run_search(query or word, searchprovider_list=[provider["id"]])
    calls = model.calls(word)
    return service.admin.results(search["id"]), calls[0] if calls else None, f"Genai {word}"


@claim("ai-cache 1.13: one result")
def the_connector_returns_the_reply_as_one_result(service):
    model.on("gentor", Says("A reply about gentor."))
    results, call, _ = generated(service, "gentor")
    equal(len(results["results"]), 1)
    result = results["results"][0]
    plain = {name: re.sub("</?em>", "", result[name]) for name in ["title", "body", "author", "url"]}
    equal(plain, {"title": "gentor", "body": "A reply about gentor.", "author": "Connector model", "url": ""})
    expect(re.match(r"\d{4}-\d\d-\d\d", result["date_published"]), "date", result)
    equal(call.model, "connector")


PROMPTS = [
    ("question", "What is genpro{n}?", "What is genpro{n}?"), ("other", "genpro{n} bridges", "Tell me about: genpro{n} bridges"),
]  # fmt: skip


@claim("ai-cache 1.13: PROMPT", [Row(name, (at, query, sent)) for at, (name, query, sent) in enumerate(PROMPTS)])
def a_question_is_sent_as_it_is_and_another_query_in_the_prompt(service, at, query, sent):
    suffix = "qr"[at]
    _, call, _ = generated(
        service, f"genpro{suffix}", query.replace("{n}", suffix), query_mappings="PROMPT=Tell me about: {query_to_provider}"
    )
    equal(call.of_role("user"), sent.replace("{n}", suffix))


@claim("docs/connectors/GenAI: without a PROMPT")
def without_a_prompt_only_the_query_is_sent(service):
    equal(generated(service, "gennop", "gennop bridges")[1].of_role("user"), "gennop bridges")


@claim("ai-cache 1.13: CHAT_QUERY_REWRITE_GUIDE")
def the_guide_replaces_the_system_message(service):
    call = generated(service, "gengui", query_mappings="CHAT_QUERY_REWRITE_GUIDE=You are terse.")[1]
    equal(call.of_role("system"), "You are terse.")


@claim("docs/connectors/GenAI: query_template_json takes precedence")
def query_template_json_may_contain_commas(service):
    texts = {"PROMPT": "Briefly, tell me about {query_to_provider}, please"}
    call = generated(service, "gencom", query_mappings="PROMPT=No: {query_to_provider}", query_template_json=texts)[1]
    equal(call.of_role("user"), "Briefly, tell me about gencom, please")


ERRORS = [("401", Fails(401), "denied", "ERR_NO_CREDENTIALS"), ("429", Fails(429), "rate_limited", "ERR_PROMPT_FAILED"),
          ("500", Fails(500), "unavailable", "ERR_PROMPT_FAILED"), ("late", Says("x", delay_s=6), "timeout", "no response within 2")]  # fmt: skip


@claim("ai-cache 1.13: error statuses; decisions 3.8: timeout; docs/connectors/GenAI", [Row(name, (at, *rest)) for at, (name, *rest) in enumerate(ERRORS)])
def a_failing_model_is_an_error_of_the_source(service, at, reply, code, status):
    word = "generr" + "abcd"[at]
    model.on(word, reply)
    results, _, name = generated(service, word)
    info = results["info"][name]
    equal((info["status"], info["error"]["code"]), ("timeout" if code == "timeout" else "error", code))
    expect(status in str(info["error"]), f"{status} is missing", info["error"])
    expect("sk-claims" not in str(results), "the key is shown")


@claim("ai-cache 1.13: ERR_NO_CREDENTIALS")
def without_a_model_the_source_is_an_error(service):
    with Service(service.program) as other:
        results, _, name = generated(other, "gennon")
        info = results["info"][name]
        equal((info["found"], info["retrieved"], info["error"]["code"]), (0, 0, "config_invalid"))
        expect("ERR_NO_CREDENTIALS" in str(info["error"]), "code", info)


@claim("docs/connectors/GenAI: the model of the source")
def a_source_can_name_its_model(service):
    other = add_model(service, model, "Named model", roles=["connector"], model="openai/named")
    config = {"swirl": {"gen_ai": {"ai_provider": other["id"]}}}
    results, call, _ = generated(service, "gennam", config=config)
    equal((call.model, results["results"][0]["author"]), ("named", "Named model"))


@claim("docs/connectors/GenAI: limits")
def a_reply_of_the_connector_has_at_most_800_tokens(service):
    body = generated(service, "genlim")[1].body
    equal(body.get("max_tokens") or body.get("max_completion_tokens"), 800)
