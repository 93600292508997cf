"""AI summaries that fail: no model, failing models, time limits, cancellation, and what people see of an error."""

import socket
import threading
import time

from harness import Row, Service, Source, claim, equal, eventually, expect
from harness.answers import add_model, add_search, add_source, ask, documents, summary
from harness.model import Fails, Model, Raw, Says

source, model = Source(), Model()
KEY = "sk-top-secret-4711"


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Failing", api_key=KEY)


def finish():
    source.__exit__()
    model.__exit__()


def three_calls(service, word, **params):
    """qs, rag-search and detail for the same failing summary."""
    provider = add_source(service, source, word, documents(word))
    qs = service.admin.get("/svc/search/", params={"qs": word, "rag": "true", "providers": provider["id"], **params})
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    rag = service.admin.post("/svc/rag-search/", {"search_id": search["id"], **params})
    detail = service.admin.get("/svc/sapi/detail-search-rag/", params={"search_id": search["id"], **params})
    return qs, rag, detail


def has_results_without_summary(response, code):
    body = response.expect(200).json()
    equal(len(body["results"]), 3, "the results")
    equal(body["ai_summary"], [])
    equal((body["info"]["ai"]["status"], body["info"]["ai"]["code"]), ("error", code))
    return body


def is_error(response, status, code):
    body = response.expect(status).json()
    equal(body["code"], code)
    expect(body["detail"] and body["request_id"], "shape", body)
    return body


@claim("ai-cache 1.9; decisions 3.1")
def without_a_model_results_stay_and_the_reason_is_said(service):
    with Service(service.program) as other:
        qs, rag, detail = three_calls(other, "nomode")
        body = has_results_without_summary(qs, "no_ai_provider")
        expect(any("model" in each.lower() or "AI provider" in each for each in body["messages"]), "no message", body["messages"])
        is_error(rag, 503, "no_ai_provider")
        is_error(detail, 503, "no_ai_provider")
        controls = other.admin.get("/svc/sapi/is_chat_ai_provider_exists").expect(200).json()
        equal(controls, {"is_chat_ai_provider_exists": False, "is_rag_ai_provider_exists": False})


@claim("quirks AI: no key from the environment")
def a_key_in_the_environment_is_not_used(service):
    with Service(service.program, {"OPENAI_API_KEY": "sk-environment", "AZURE_OPENAI_KEY": "x"}) as other:
        search = add_search(other, source, "envkey")
        is_error(other.admin.post("/svc/rag-search/", {"search_id": search["id"]}), 503, "no_ai_provider")


FAILURES = [
    ("400", Fails(400)), ("401", Fails(401)), ("403", Fails(403)), ("404", Fails(404)), ("429", Fails(429)), ("500", Fails(500)),
    ("503", Fails(503, b"<html>down</html>")), ("no JSON", Raw(b"nonsense")), ("empty body", Raw(b"")),
    ("no choices", Raw(b'{"choices": []}')), ("no text", Says("")), ("blank text", Says("  \n ")),
    ("stream that is cut off", Raw(b'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n', "text/event-stream")),
]  # fmt: skip


@claim("ai-cache 1.9: provider error", [Row(name, (at, reply)) for at, (name, reply) in enumerate(FAILURES)])
def a_model_that_fails_is_ai_provider_error(service, at, reply):
    word = "broke" + "abcdefghijklm"[at]
    model.on(word, reply)
    qs, rag, detail = three_calls(service, word)
    has_results_without_summary(qs, "ai_provider_error")
    is_error(rag, 502, "ai_provider_error")
    is_error(detail, 502, "ai_provider_error")


@claim("ai-cache 1.9: with the provider's status, never its key")
def an_error_has_the_status_of_the_model_and_never_the_key(service):
    model.on("keyecho", Fails(401, {"error": {"message": f"Incorrect API key provided: {KEY}. Header Bearer {KEY}"}}))
    for response in three_calls(service, "keyecho"):
        expect("401" in response.text, "the status is missing", response.text)
        expect(KEY not in response.text and "4711" not in response.text, "the key is shown", response.text)
    logs = "".join(path.read_text(errors="replace") for path in service.data.glob("logs/*.log"))
    expect(KEY not in logs and KEY not in service.console_text(), "the key is in the log")


HIDDEN = ["http://10.1.2.3:8000/v1/internal", "/srv/models/secret.gguf", "req_0123456789abcdef0123456789", "org-AbCdEf123456"]


@claim("docs/ai-providers: errors for other users", [Row(text, (at, text)) for at, text in enumerate(HIDDEN)])
def users_see_no_addresses_paths_or_ids_of_a_model_server(service, at, text):
    word = "hidden" + "abcd"[at]
    anna = service.user(f"anna{at}")
    model.on(word, Fails(500, {"error": {"message": f"overloaded at {text} now"}}))
    search = add_search(service, source, word, client=anna)
    response = anna.post("/svc/rag-search/", {"search_id": search["id"]}).expect(502)
    expect(text not in response.text, "it is shown", response.text)


@claim("docs/ai-providers: errors for other users")
def an_error_that_repeats_the_prompt_is_not_shown(service):
    anna = service.user("annap")
    model.on("promec", lambda call: Fails(400, {"error": {"message": "bad input: " + call.prompt}}))
    search = add_search(service, source, "promec", client=anna)
    response = anna.post("/svc/rag-search/", {"search_id": search["id"]}).expect(502)
    expect("was measured in section" not in response.text, "the prompt is shown", response.text)


@claim("docs/ai-providers: the log has no prompt")
def the_log_does_not_repeat_the_prompt(service):
    model.on("prolog", lambda call: Fails(400, {"error": {"message": "bad input: " + call.prompt}}))
    search = add_search(service, source, "prolog")
    service.admin.post("/svc/rag-search/", {"search_id": search["id"]}).expect(502)
    logs = "".join(path.read_text(errors="replace") for path in service.data.glob("logs/*.log")) + service.console_text()
    expect("prolog harbor" not in logs and "section 1 and is" not in logs, "the text of a source is in the log")


@claim("docs/settings: SVC_EVENT_STREAMS_PER_USER")
def a_user_has_a_limited_number_of_streams(service):
    with Service(service.program, {"SVC_EVENT_STREAMS_PER_USER": "1"}) as other:
        add_model(other, model, "Streams")
        first, second = add_search(other, source, "stlimq"), add_search(other, source, "stlimr")
        model.on("stlimq", Says("late [1].", delay_s=6))
        headers = {"Accept": "text/event-stream"}
        call = lambda: other.admin.post("/svc/rag-search/", {"search_id": first["id"]}, headers=headers)  # noqa: E731
        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        eventually(lambda: model.calls("stlimq"))
        other.admin.post("/svc/rag-search/", {"search_id": second["id"]}, headers=headers).expect(429)
        other.admin.delete(f"/svc/rag-search/{first['id']}/").expect(204)
        thread.join(5)
        other.admin.post("/svc/rag-search/", {"search_id": second["id"]}, headers=headers).expect(200)


@claim("ai-cache 1.9: rag_timeout exceeded; ai-cache 8.10")
def a_summary_that_is_late_is_rag_timeout_and_its_call_is_aborted(service):
    model.on("latesu", Says("late [1].", delay_s=20))
    started = time.monotonic()
    qs, rag, detail = three_calls(service, "latesu", rag_timeout=1)
    expect(time.monotonic() - started < 9, "it took too long")
    has_results_without_summary(qs, "rag_timeout")
    is_error(rag, 504, "rag_timeout")
    is_error(detail, 504, "rag_timeout")
    for call in model.calls("latesu"):
        expect(call.aborted.wait(5), "the model call goes on")


@claim("ai-cache 1.9: rag_timeout exceeded while the text is written")
def a_model_that_trickles_is_stopped_at_the_limit(service):
    model.on("trickl", Says("word " * 400, pause_s=0.2))
    search = add_search(service, source, "trickl")
    started = time.monotonic()
    is_error(service.admin.post("/svc/rag-search/", {"search_id": search["id"], "rag_timeout": 1}), 504, "rag_timeout")
    expect(time.monotonic() - started < 4, "it took too long")


SETTINGS_OF_TIME = [({"SVC_RAG_TIMEOUT": "1"}, 504, "rag_timeout"), ({"SVC_AI_TIMEOUT": "1"}, 502, "ai_provider_error")]


@claim("ai-cache 1.9: times", [Row(next(iter(settings)), (settings, *rest)) for settings, *rest in SETTINGS_OF_TIME])
def settings_limit_the_time_of_a_summary_and_of_a_call(service, settings, status, code):
    with Service(service.program, settings) as other:
        add_model(other, model, "Slow")
        word = "settim" + code[:1]
        model.on(word, Says("late [1].", delay_s=15))
        search = add_search(other, source, word)
        started = time.monotonic()
        is_error(other.admin.post("/svc/rag-search/", {"search_id": search["id"]}), status, code)
        expect(time.monotonic() - started < 8, "it took too long")


@claim("ai-cache 1.9: rag_timeout overrides the default")
def rag_timeout_may_exceed_the_default(service):
    with Service(service.program, {"SVC_RAG_TIMEOUT": "1"}) as other:
        add_model(other, model, "Slow")
        model.on("exceed", Says("Late [1].", delay_s=2))
        search = add_search(other, source, "exceed")
        equal(summary(ask(other.admin, search, rag_timeout=20))["body"], "Late [1].")


@claim("ai-cache 1.5, step 5: late pages fall back")
def pages_that_are_late_do_not_fail_a_summary(service):
    word = "latepg"
    source.route("/late-page", lambda _: time.sleep(9) or "never")
    found = documents(word, 2)
    found[0]["url"] = source.base + "/late-page"
    provider = add_source(service, source, word, found, page_fetch_config_json={"cache": "false", "timeout": 60})
    search = service.admin.run_search(word, searchprovider_list=[provider["id"]])
    row = summary(ask(service.admin, search, rag_timeout=8))
    equal({each["mode"] for each in row["additional_content"]["sources"]}, {"snippet"})
    equal(len(row["additional_content"]["sources"]), 2)


@claim("ai-cache 1.9: no results")
def a_search_without_results_has_no_summary(service):
    search = add_search(service, source, "nothiq", [])
    body = ask(service.admin, search)
    equal((body["info"]["ai"]["code"], body["results"]), ("no_relevant_results", []))
    equal(model.calls("nothiq"), [])
    detail = service.admin.get("/svc/sapi/detail-search-rag/", params={"search_id": search["id"]}).expect(200).json()
    equal((detail["message"], detail["code"]), ("", "no_relevant_results"))


@claim("ai-cache 1.9: no source text")
def results_without_text_have_no_summary(service):
    search = add_search(service, source, "notext", [{"title": "notext", "url": "https://notext.example/", "body": ""}])
    body = ask(service.admin, search)
    equal(body["info"]["ai"]["code"], "no_source_text")
    equal(model.calls("notext"), [])


@claim("ai-cache 1.9: a failure is not stored")
def a_failed_summary_is_generated_again(service):
    model.on("repeatq", Fails(500), Fails(500), Fails(500), Says("Now [1]."))
    search = add_search(service, source, "repeatq")

    def summarized():
        response = service.admin.post("/svc/rag-search/", {"search_id": search["id"]}).expect(200, 502)
        return response.status == 200 and summary(response.json())

    equal(eventually(summarized)["body"], "Now [1].")


def started_summary(service, word, client=None, headers=None):
    """A search whose summary a thread is waiting for, and the response of that thread in a list."""
    model.on(word, Says("late [1].", delay_s=20))
    search, responses = add_search(service, source, word), []
    body = {"search_id": search["id"]}
    call = lambda: responses.append(service.admin.post("/svc/rag-search/", body, headers=headers))  # noqa: E731
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    eventually(lambda: model.calls(word), 10, "the model is not called")
    return search, thread, responses


@claim("ai-cache 1.9: cancel")
def delete_cancels_a_summary_and_its_model_call(service):
    search, thread, responses = started_summary(service, "cancel")
    service.admin.delete(f"/svc/rag-search/{search['id']}/").expect(204)
    thread.join(5)
    equal(len(responses), 1, "the request goes on")
    is_error(responses[0], 409, "cancelled")
    expect(model.calls("cancel")[0].aborted.wait(5), "the model call goes on")
    equal(service.admin.results(search["id"])["ai_summary"], [])


@claim("ai-cache 1.9: cancel")
def after_a_cancellation_a_summary_can_be_generated(service):
    search, thread, _ = started_summary(service, "cagain")
    service.admin.delete(f"/svc/rag-search/{search['id']}/").expect(204)
    thread.join(5)
    model.on("cagain", Says("Now [1]."))
    equal(summary(ask(service.admin, search))["body"], "Now [1].")


@claim("ai-cache 1.9: cancel")
def cancelling_nothing_is_204(service):
    search = add_search(service, source, "cannot")
    service.admin.delete(f"/svc/rag-search/{search['id']}/").expect(204)
    service.admin.delete("/svc/rag-search/999999999/").expect(404)


@claim("ai-cache 1.1, rule 6")
def nobody_else_can_cancel_a_summary(service):
    search, thread, _ = started_summary(service, "othcan")
    service.user("boss", is_admin=True).delete(f"/svc/rag-search/{search['id']}/").expect(404)
    expect(not model.calls("othcan")[0].aborted.wait(0.5), "it was cancelled")
    service.admin.delete(f"/svc/rag-search/{search['id']}/")
    thread.join(5)


@claim("quirks AI: a client that goes away ends the call")
def a_client_that_goes_away_ends_the_model_call(service):
    model.on("goaway", Says("late [1].", delay_s=20))
    search = add_search(service, source, "goaway")
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        body = b'{"search_id": %d}' % search["id"]
        connection.sendall(
            b"POST /svc/rag-search/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: "
            + service.admin.authorization.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )  # fmt: skip
        eventually(lambda: model.calls("goaway"), 10, "the model is not called")
    expect(model.calls("goaway")[0].aborted.wait(5), "the model call goes on")


@claim("ai-cache 4.4: SVC_THROTTLE_RAG")
def summaries_are_limited_by_their_rate(service):
    with Service(service.program, {"SVC_THROTTLE_RAG": "2/minute"}) as other:
        add_model(other, model, "Rate")
        search = add_search(other, source, "ratelm")
        ask(other.admin, search)
        ask(other.admin, search)
        response = other.admin.post("/svc/rag-search/", {"search_id": search["id"]}).expect(429)
        equal(response.json()["code"], "throttled")
        seconds = int(response.headers["retry-after"])
        expect(1 <= seconds <= 60 and response.json()["retry_after"] == seconds, "Retry-After", response.text)
        ask(other.user("ben"), search, status=404)
