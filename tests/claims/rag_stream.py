"""AI summaries as server-sent events: their order, their contents, errors, and the heartbeat."""

import http.client
import json
import time

from harness import Row, Source, claim, equal, expect
from harness.answers import add_model, add_search, ask, events_of, summary
from harness.model import Fails, Model, Says

source, model = Source(), Model()


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Stream", model="gpt-stream")


def finish():
    source.__exit__()
    model.__exit__()


def streamed(service, search, **body):
    headers = {"Accept": "text/event-stream"}
    response = service.admin.post("/svc/rag-search/", {"search_id": search["id"], **body}, headers=headers).expect(200)
    expect(response.headers["content-type"].startswith("text/event-stream"), "media type", response.headers)
    return [(name, json.loads(data)) for name, data in events_of(response.text)]


TEXT = "The ordere harbor was measured in section 1 [1]. The ordere bridge too [3]."


@claim("ai-cache 1.10: events")
def a_stream_has_all_events_in_order(service):
    model.on("ordere", Says(TEXT))
    events = streamed(service, add_search(service, source, "ordere"))
    names = [name for name, _ in events]
    equal(set(names), {"status", "source", "delta", "citations", "done"})
    equal((names[0], names[-1], names[-2]), ("status", "done", "citations"))
    equal(names.count("source"), 3, "one source event for each source")
    expect(max(at for at, name in enumerate(names) if name == "source") < names.index("delta"), "order", names)


@claim("ai-cache 1.10: delta")
def the_deltas_are_the_text(service):
    text = " ".join(f"The deltas harbor was measured in section {n} of the survey [1]." for n in range(1, 9))
    model.on("deltas", Says(text, pause_s=0.01))
    deltas = [data["text"] for name, data in streamed(service, add_search(service, source, "deltas")) if name == "delta"]
    equal("".join(deltas).strip(), text)
    expect(len(deltas) >= 8, "it comes in few pieces", deltas)


@claim("ai-cache 1.10: done has the full row")
def done_is_the_stored_summary(service):
    search = add_search(service, source, "donero")
    done = streamed(service, search)[-1][1]
    row = summary(service.admin.results(search["id"]))
    done = done.get("item", done)
    equal((done["body"], done["swirl_id"]), (row["body"], row["swirl_id"]))
    equal(done["additional_content"]["sources"], row["additional_content"]["sources"])


@claim("ai-cache 1.10")
def a_stored_summary_is_streamed_without_a_model_call(service):
    search = add_search(service, source, "stostr")
    ask(service.admin, search)
    events = streamed(service, search)
    equal((events[-1][0], len(model.calls("stostr"))), ("done", 1))


@claim("ai-cache 1.10: plain JSON is the default", [Row(a, (at, a)) for at, a in enumerate(["application/json", "*/*"])])
def other_accept_headers_get_json(service, at, accept):
    search = add_search(service, source, "plain" + "jk"[at])
    response = service.admin.post("/svc/rag-search/", {"search_id": search["id"]}, headers={"Accept": accept}).expect(200)
    equal(response.headers["content-type"].split(";")[0], "application/json")


@claim("ai-cache 1.10: error")
def a_failure_is_an_error_event_with_its_code(service):
    model.on("errore", Fails(500))
    events = streamed(service, add_search(service, source, "errore"))
    name, data = events[-1]
    equal((name, data["code"]), ("error", "ai_provider_error"))
    expect(data.get("message") or data.get("detail"), "no message", data)


@claim("ai-cache 1.10: error")
def a_late_summary_is_an_error_event(service):
    model.on("latesq", Says("x", delay_s=10))
    name, data = streamed(service, add_search(service, source, "latesq"), rag_timeout=1)[-1]
    equal((name, data["code"]), ("error", "rag_timeout"))


@claim("docs/answers: links are removed")
def deltas_contain_no_links_images_or_markup(service):
    model.on("delevi", Says("See [here](https://evil.example/x) ![p](https://evil.example/p.png) <img src=x onerror=a> ok [1]."))
    events = streamed(service, add_search(service, source, "delevi"))
    for name, data in events:
        if name in ("delta", "done", "citations"):
            text = json.dumps(data)
            expect("evil.example" not in text and "<img" not in text, f"in {name}", data)


@claim("docs/answers: reasoning is never part of a reply")
def deltas_contain_no_reasoning(service):
    model.on("thinkd", Says("<think>the secret plan</think>The thinkd harbor was measured [1]."))
    events = streamed(service, add_search(service, source, "thinkd"))
    expect("secret plan" not in json.dumps(events), "reasoning is streamed", events)


@claim("ai-cache 1.10: heartbeat every 15 s")
def a_silent_stream_has_a_comment_every_15_seconds(service):
    model.on("silent", Says("Done [1].", delay_s=17))
    search = add_search(service, source, "silent")
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=40)
    headers = {"Authorization": service.admin.authorization, "Accept": "text/event-stream", "Content-Type": "application/json"}
    connection.request("POST", "/svc/rag-search/", json.dumps({"search_id": search["id"]}), headers)
    answer, started, comment = connection.getresponse(), time.monotonic(), None
    while line := answer.readline():
        if line.startswith(b":") and comment is None and time.monotonic() - started > 1:
            comment = time.monotonic() - started
    connection.close()
    expect(comment and 10 < comment < 16.5, "the first comment came after", comment)
