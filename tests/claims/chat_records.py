"""Chats as records: their fields, changes, lists, ratings, exports, limits, and that they belong to one user."""

import json
import re

from harness import Row, Service, Source, claim, equal, expect
from harness.answers import add_model, add_source, documents
from harness.model import Model

source, model = Source(), Model()
people = {}


def prepare(service):
    source.__enter__()
    model.__enter__()
    add_model(service, model, "Chat", roles=["chat"], model="gpt-chat")
    people.update(anna=service.user("anna"), boss=service.user("boss", is_admin=True))
    model.default = "Just a reply."


def finish():
    source.__exit__()
    model.__exit__()


def new_chat(client, **fields):
    return client.post("/svc/chat/", fields).expect(201).json()


def say(client, chat, content, status=201, **fields):
    return client.post(f"/svc/chat/{chat['id']}/messages/", {"content": content, **fields}).expect(status).json()


def read(client, chat):
    return client.get(f"/svc/chat/{chat['id']}/").expect(200).json()


DEFAULTS = [("title", ""), ("searchprovider_list", []), ("ai_provider", None), ("prompt", "")]


@claim("ai-cache 1.12: Chat", [Row(name, (name, value)) for name, value in DEFAULTS])
def a_new_chat_has_its_defaults(service, name, value):
    chat = new_chat(service.admin)
    equal(chat[name], value)
    expect(isinstance(chat["id"], int) and chat["date_created"], "id and date", chat)


BAD = [
    ("long title", {"title": "t" * 256}, "title"), ("title no text", {"title": 5}, "title"),
    ("sources no list", {"searchprovider_list": "x"}, "searchprovider_list"), ("501 sources", {"searchprovider_list": ["x"] * 501}, "searchprovider_list"),
    ("ai_provider no number", {"ai_provider": "x"}, "ai_provider"), ("long prompt", {"prompt": "p" * 256}, "prompt"),
]  # fmt: skip


@claim("decisions 3.1; docs/chat", [Row(name, (body, field)) for name, body, field in BAD])
def an_invalid_chat_is_400_and_names_the_field(service, body, field):
    response = service.admin.post("/svc/chat/", body).expect(400).json()
    expect(field in str(response.get("errors") or response["detail"]), f"{field} is not named", response)


@claim("ai-cache 1.12: resume")
def a_chat_has_its_messages_in_order(service):
    chat = new_chat(service.admin)
    for text in ["first question", "second question"]:
        say(service.admin, chat, text)
    messages = read(service.admin, chat)["messages"]
    equal([each["role"] for each in messages], ["user", "assistant", "user", "assistant"])
    equal([each["content"] for each in messages][::2], ["first question", "second question"])


MESSAGE = ["id", "role", "content", "created", "tool_calls", "citations", "follow_ups", "ai_model", "took", "rating"]


@claim("ai-cache 1.12: Message", [Row(name, (name,)) for name in MESSAGE])
def a_reply_has_its_field(service, name):
    message = say(service.admin, new_chat(service.admin), "hello there")
    if name == "rating":
        equal(message.get("rating"), None)
    else:
        expect(name in message, "it is missing", message)
    if name == "ai_model":
        equal(message["ai_model"], "gpt-chat")


@claim("docs/openapi: without a title it is named after its first message")
def a_chat_without_a_title_is_named_after_its_first_message(service):
    chat = new_chat(service.admin)
    say(service.admin, chat, "How long is the canal?")
    expect(read(service.admin, chat)["title"].startswith("How long is the canal"), "title", read(service.admin, chat)["title"])
    named = new_chat(service.admin, title="My chat")
    say(service.admin, named, "How long is the canal?")
    equal(read(service.admin, named)["title"], "My chat")


@claim("ai-cache 1.12: rename")
def a_chat_can_be_renamed(service):
    chat = new_chat(service.admin, title="Old", searchprovider_list=["x"])
    body = service.admin.patch(f"/svc/chat/{chat['id']}/", {"title": "New"}).expect(200).json()
    equal((body["title"], body["searchprovider_list"]), ("New", ["x"]))
    service.admin.patch(f"/svc/chat/{chat['id']}/", {"title": "t" * 256}).expect(400)


@claim("ai-cache 1.12: list")
def the_list_begins_with_the_last_changed_chat(service):
    first, second = new_chat(service.admin, title="a"), new_chat(service.admin, title="b")
    say(service.admin, first, "hello again")
    ids = [each["id"] for each in service.admin.get("/svc/chat/").expect(200).json()]
    equal(ids[:2], [first["id"], second["id"]])
    paged = service.admin.get("/svc/chat/", params={"items": 1}).expect(200).json()
    equal((len(paged["results"]), set(paged)), (1, {"count", "next", "previous", "results"}))


@claim("ai-cache 1.12: delete")
def a_deleted_chat_is_gone_with_its_messages(service):
    chat = new_chat(service.admin)
    say(service.admin, chat, "hello")
    service.admin.delete(f"/svc/chat/{chat['id']}/").expect(204)
    service.admin.get(f"/svc/chat/{chat['id']}/").expect(404)
    service.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": "x"}).expect(404)


@claim("ai-cache 1.12: delete all")
def delete_all_deletes_only_ones_own_chats(service):
    ben, eve = service.user("ben"), service.user("eve")
    mine, theirs = new_chat(ben), new_chat(eve)
    ben.delete("/svc/chat/").expect(204)
    equal(ben.get("/svc/chat/").json(), [])
    ben.get(f"/svc/chat/{mine['id']}/").expect(404)
    eve.get(f"/svc/chat/{theirs['id']}/").expect(200)


CALLS = [("GET", "", None), ("PATCH", "", {"title": "x"}), ("DELETE", "", None), ("POST", "messages/", {"content": "x"}),
         ("GET", "export/?format=md", None), ("POST", "messages/{message}/rating/", {"rating": 1})]  # fmt: skip


@claim("docs/permissions: chats are private", [Row(f"{w} {m} {p}", (w, m, p, b)) for w in ["anna", "boss"] for m, p, b in CALLS])
def the_chat_of_somebody_else_is_404(service, who, method, path, body):
    chat = new_chat(service.admin)
    message = say(service.admin, chat, "hello")
    response = people[who].call(method, f"/svc/chat/{chat['id']}/" + path.format(message=message["id"]), body)
    response.expect(404)
    equal(len(read(service.admin, chat)["messages"]), 2)
    expect(chat["id"] not in [each["id"] for each in people[who].get("/svc/chat/").json()], "it is listed")


@claim("decisions 7.7")
def an_outdated_if_match_of_a_chat_is_412(service):
    chat = new_chat(service.admin)
    tag = service.admin.get(f"/svc/chat/{chat['id']}/").headers["etag"]
    service.admin.patch(f"/svc/chat/{chat['id']}/", {"title": "1"}, headers={"If-Match": tag}).expect(200)
    service.admin.patch(f"/svc/chat/{chat['id']}/", {"title": "2"}, headers={"If-Match": tag}).expect(412)


RATINGS = [({"rating": 1}, 200), ({"rating": -1, "reasons": ["wrong", "old"], "comment": "no"}, 200), ({"rating": 0}, 400),
           ({"rating": 5}, 400), ({"rating": "1"}, 400), ({"reasons": []}, 400), ({"rating": 1, "comment": "c" * 2001}, 400),
           ({"rating": 1, "reasons": ["r"] * 21}, 400), ({"rating": 1, "reasons": ["r" * 256]}, 400)]  # fmt: skip


@claim("ai-cache 1.12: rating", [Row(json.dumps(body)[:60], (body, status)) for body, status in RATINGS])
def a_reply_can_be_rated(service, body, status):
    chat = new_chat(service.admin)
    message = say(service.admin, chat, "hello")
    service.admin.post(f"/svc/chat/{chat['id']}/messages/{message['id']}/rating/", body).expect(status)
    stored = read(service.admin, chat)["messages"][1].get("rating")
    equal(stored and stored["rating"], body["rating"] if status == 200 else None)


@claim("ai-cache 1.12: rating of replies")
def a_question_cannot_be_rated(service):
    chat = new_chat(service.admin)
    say(service.admin, chat, "hello")
    question = read(service.admin, chat)["messages"][0]["id"]
    service.admin.post(f"/svc/chat/{chat['id']}/messages/{question}/rating/", {"rating": 1}).expect(404, 422)
    service.admin.post(f"/svc/chat/{chat['id']}/messages/999999/rating/", {"rating": 1}).expect(404)


EXPORTS = [("pdf", "application/pdf", b"%PDF-"), ("md", "text/markdown", b"reply"), ("html", "text/html", b"reply")]


@claim("ai-cache 1.12: export", [Row(name, (name, kind, part)) for name, kind, part in EXPORTS])
def a_chat_can_be_exported(service, name, kind, part):
    chat = new_chat(service.admin, title="Export <b>me</b>")
    say(service.admin, chat, "hello <script>alert(1)</script>")
    response = service.admin.get(f"/svc/chat/{chat['id']}/export/", params={"format": name}).expect(200)
    equal(response.headers["content-type"].split(";")[0], kind)
    expect("attachment" in response.headers.get("content-disposition", ""), "Content-Disposition", response.headers)
    expect(part in response.body, "content", response.text)
    if name == "html":
        expect("<script>alert" not in response.text and "<b>me" not in response.text, "markup of people is in the page")
        equal(re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', response.text), [], "it loads something")


@claim("ai-cache 1.12: export", [Row("unknown", ("docx",)), Row("empty", ("",))])
def an_unknown_format_of_an_export_is_400(service, name):
    chat = new_chat(service.admin)
    service.admin.get(f"/svc/chat/{chat['id']}/export/", params={"format": name}).expect(400)


@claim("docs/chat: scripts that need no fonts", [Row(text, (text,)) for text in ["Ελλάδα", "Україна", "العربية", "עברית", "→ ≤ ∑"]])
def a_pdf_needs_no_installed_fonts(service, text):
    chat = new_chat(service.admin, title=text)
    say(service.admin, chat, f"hello {text}")
    response = service.admin.get(f"/svc/chat/{chat['id']}/export/", params={"format": "pdf"}).expect(200)
    expect(response.body.startswith(b"%PDF-") and b"%%EOF" in response.body[-1024:], "no PDF")


@claim("docs/chat: scripts that a PDF cannot show")
def a_pdf_of_a_script_that_cannot_be_shown_is_422_and_names_it(service):
    chat = new_chat(service.admin)
    say(service.admin, chat, "नमस्ते दुनिया")
    response = service.admin.get(f"/svc/chat/{chat['id']}/export/", params={"format": "pdf"}).expect(422).json()
    expect("Devanagari" in response["detail"], "the script is not named", response)
    service.admin.get(f"/svc/chat/{chat['id']}/export/", params={"format": "md"}).expect(200)


LIMITS = [("8000 characters", {"content": "w " * 4000}, 201), ("8001 characters", {"content": "w " * 4000 + "w"}, 400),
          ("21 attached results", {"content": "x", "attach": [{"search_id": 1, "swirl_id": 1}] * 21}, 400),
          ("no text", {"content": 5}, 400), ("attach no list", {"content": "x", "attach": "1"}, 400)]  # fmt: skip


@claim("docs/chat: limits", [Row(name, (body, status)) for name, body, status in LIMITS])
def a_message_has_limits(service, body, status):
    chat = new_chat(service.admin)
    service.admin.post(f"/svc/chat/{chat['id']}/messages/", body).expect(status)


@claim("docs/chat: limits, 500 messages")
def a_chat_has_at_most_500_messages(service):
    chat = new_chat(service.admin)
    for n in range(250):
        say(service.admin, chat, f"message {n}")
    service.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": "one more"}).expect(409)
    equal(len(read(service.admin, chat)["messages"]), 500)


@claim("docs/chat: limits, 1,000 chats")
def a_user_has_at_most_1000_chats(service):
    many = service.user("many")
    for _ in range(1000):
        new_chat(many)
    many.post("/svc/chat/", {}).expect(409)


@claim("docs/chat: an empty message asks for the missing reply")
def an_empty_message_without_an_open_question_is_refused(service):
    chat = new_chat(service.admin)
    service.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": ""}).expect(400)
    say(service.admin, chat, "hello")
    service.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": ""}).expect(400, 409)


@claim("docs/chat: attached results are ones own")
def a_result_of_somebody_else_cannot_be_attached(service):
    provider = add_source(service, source, "attfor", documents("attfor", 1))
    search = service.admin.run_search("attfor", searchprovider_list=[provider["id"]])
    result = service.admin.results(search["id"])["results"][0]["swirl_id"]
    chat = new_chat(people["anna"])
    body = {"content": "what is it?", "attach": [{"search_id": search["id"], "swirl_id": result}]}
    people["anna"].post(f"/svc/chat/{chat['id']}/messages/", body).expect(400, 404)
    equal(model.calls("attfor"), [])


@claim("docs/chat: without a model the message is stored")
def without_a_model_a_message_is_503_and_can_be_answered_later(service):
    with Service(service.program) as other:
        chat = new_chat(other.admin)
        response = other.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": "hello"}).expect(503)
        equal(response.json()["code"], "no_ai_provider")
        equal([each["content"] for each in read(other.admin, chat)["messages"]], ["hello"])
        add_model(other, model, "Later", roles=["chat"])
        equal(say(other.admin, chat, "")["content"], "Just a reply.")
        equal([each["role"] for each in read(other.admin, chat)["messages"]], ["user", "assistant"])


@claim("interface: Limits, chat throttle", [Row("15/minute", ({"DOCS_CHAT_THROTTLE_RATE": "15/minute"}, 15)),
                                            Row("3/minute", ({"DOCS_CHAT_THROTTLE_RATE": "3/minute"}, 3))])  # fmt: skip
def chats_and_messages_are_limited_for_each_user(service, settings, limit):
    with Service(service.program, settings) as other:
        for _ in range(limit):
            new_chat(other.admin)
        response = other.admin.post("/svc/chat/", {}).expect(429)
        equal(response.json()["code"], "throttled")
        expect(int(response.headers["retry-after"]) > 0, "Retry-After", response.headers)
        new_chat(other.user("anna"))
        logs = "".join(path.read_text(errors="replace") for path in other.data.glob("logs/*.log")) + other.console_text()
        expect("Throttled" in logs, "the log does not say Throttled")


@claim("interface: Limits, chat throttle: the default is 15/minute")
def the_default_rate_of_chats_is_15_per_minute(service):
    with Service(service.program) as other:
        del other.environment["DOCS_CHAT_THROTTLE_RATE"]
        other.stop()
        other.start()
        statuses = [other.admin.post("/svc/chat/", {}).status for _ in range(16)]
        equal(statuses, [201] * 15 + [429])
