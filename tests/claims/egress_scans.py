"""Scans of sent mail: which documents left, how they are recognized, what is stored, and for whom."""

import base64
import contextlib
import itertools
import json

from harness import Reply, Row, Service, claim, equal, eventually, expect
from harness.accounts import add_authenticator, connect
from harness.documents import Documents, cached_results, document, ingest, supply, text_of
from harness.license import licensed
from harness.source import Request

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Mailbox(Documents):
    """The sent mail of one account, as Microsoft Graph returns it, in pages of two messages."""

    def __init__(self):
        super().__init__()
        self.messages, self.files, self.fault, self.numbers = [], {}, None, itertools.count(1)

    def respond(self, request: Request):
        if not request.path.startswith("/graph/"):
            return super().respond(request)
        with self.lock:
            self.requests.append(request)
        if self.fault:
            return self.fault(request)
        account = request.headers.get("authorization", "").removeprefix("Bearer token-")
        if request.path.endswith("/attachments"):
            return Reply({"value": self.files.get(request.path.split("/")[-2], [])})
        if request.path.endswith("/messages"):
            skip = int(request.query.get("$skip", 0))
            body = {"value": self.messages[skip : skip + 2]}
            if len(self.messages) > skip + 2:
                body["@odata.nextLink"] = f"{self.base}{request.path}?$skip={skip + 2}"
            return Reply(body)
        for message in self.messages:
            for each in self.files[message["id"]]:
                if f"/{each['id']}" in request.path:
                    return Reply(base64.b64decode(each["contentBytes"])) if request.path.endswith("$value") else Reply(each)
            if request.path.endswith(f"/{message['id']}"):
                return Reply(message)
        return Reply({"id": account, "mail": "ann@corp.example", "userPrincipalName": "ann@corp.example"})

    def send(self, to=("x@client.example",), body="", files=(), when="2026-03-02T09:15:00Z", **fields):
        """A message, newest first; `files` are attachments. Returns its id."""
        name = f"message{next(self.numbers)}x"

        def people(addresses):
            return [{"emailAddress": {"address": each, "name": "SECRET NAME"}} for each in addresses]

        sender = people(["ann@corp.example"])[0]
        message = {
            "id": name, "from": sender, "sender": sender, "sentDateTime": when, "subject": "SECRET SUBJECT",
            "body": {"contentType": "html", "content": body},
            "toRecipients": people(to), "ccRecipients": people(fields.pop("cc", ())), "bccRecipients": people(fields.pop("bcc", ())),
            "hasAttachments": bool(files), "internetMessageId": f"<{name}@corp.example>",
        }  # fmt: skip
        self.messages.insert(0, message)
        self.files[name] = [{"id": f"{name}-file{number}", **each} for number, each in enumerate(files)]
        return name

    def clear(self):
        self.messages.clear()
        self.files.clear()
        self.fault = None


def attachment(name, content, kind="text/plain"):
    data = content.encode() if isinstance(content, str) else content
    return {
        "@odata.type": "#microsoft.graph.fileAttachment", "name": name, "contentType": kind, "size": len(data), "isInline": False,
        "contentBytes": base64.b64encode(data).decode(),
    }  # fmt: skip


box = Mailbox()
BASIC = {
    "SVC_CORPUS_MIN_SCORE": "0", "SVC_OUTBOUND_ALLOW": "127.0.0.1", "SVC_EGRESS_OUTLOOK_URL": f"{box.base}/graph/v1.0",
    "SVC_ORG_INTERNAL_DOMAINS": "second.example",
}  # fmt: skip
SETTINGS = licensed(**BASIC, SVC_CANONICAL_AUTO_ELECT_ENABLED="True")
cleanup = contextlib.ExitStack()
shared = {}
TEXT = text_of(500, 220)
URL = "https://dms.example/doc?a=1&b=2"


def prepare(service):
    cleanup.enter_context(box)
    shared["ann"], shared["bob"], shared["cora"] = service.user("ann"), service.user("bob"), service.user("cora", ["curators"])
    add_authenticator(service, box, "microsoft")
    connect(service, "ann", "microsoft")
    provider = shared["provider"] = box.provider(service)
    shared["public"] = ingest(service.admin, provider, box.add(provider, "Public terms", text_of(501, 100)))["signal_id"]
    shared["document"] = supply(shared["ann"], URL, TEXT, "Master agreement", ["smith"])["signal_id"]


def finish():
    cleanup.close()


def scan(client, **body):
    """Runs a scan to its end."""
    started = client.post("/svc/egress/scan/", body).expect(202).json()

    def ended():
        found = client.get(f"/svc/egress/scan/{started['scan_id']}/").expect(200).json()
        return found["status"] in ("completed", "failed", "cancelled") and found

    return eventually(ended, 30, "the scan did not end")


def scanned(client, *messages, **body):
    """A scan of exactly these messages, and its events."""
    box.clear()
    for each in messages:
        box.send(**each)
    found = scan(client, **body)
    events = client.get("/svc/egress/events/", params={"scan_id": found["scan_id"], "items": 100}).expect(200).json()["results"]
    return found, events


def link(url=URL):
    return f'<p>See <a href="{url}">this</a>.</p>'


@claim("ai-cache 2.9: scan")
def a_scan_is_202_and_ends_completed(_):
    box.clear()
    box.send(body=link())
    box.send(to=["y@corp.example"], body=link())
    started = shared["ann"].post("/svc/egress/scan/", {}).expect(202).json()
    equal((started["status"], started["channel"], started["user"], started["error"]), ("queued", "outlook", "ann", ""))
    path = f"/svc/egress/scan/{started['scan_id']}/"
    found = eventually(lambda: (one := shared["ann"].get(path).json())["status"] == "completed" and one)
    expected = {"messages_seen": 2, "messages_external": 1, "matches": 1, "candidates": 0, "truncated": False, "error": "",
                "matter_tag": "", "date_from": None, "date_to": None}  # fmt: skip
    equal({name: found.get(name) for name in expected}, expected)
    expect(found["started_at"] and found["finished_at"] >= found["started_at"], "times", found)


@claim("ai-cache 2.11: an event")
def an_event_tells_the_document_the_domains_and_the_time(_):
    message = {"to": ["A.Person@Mail.Client.Example"], "cc": ["b@client.example"], "bcc": ["c@firm.co.uk"], "body": link(),
               "when": "2026-03-05T10:00:00Z"}  # fmt: skip
    found, events = scanned(shared["ann"], message)
    expected = {"scan_id": found["scan_id"], "signal_id": shared["document"], "signal_title": "Master agreement",
                "channel": "outlook", "match_method": "link_exact", "confidence": 1.0, "status": "confirmed"}  # fmt: skip
    equal([{name: each.get(name) for name in expected} for each in events], [expected])
    equal(sorted(events[0]["external_domains"]), ["client.example", "firm.co.uk"], "registered domains, each once")
    expect(events[0]["sent_at"].startswith("2026-03-05T10:00:00"), "sent_at", events)


LINKS = [
    ("the address", URL, True), ("host in upper case", "https://DMS.example/doc?a=1&b=2", True),
    ("order of parameters", "https://dms.example/doc?b=2&a=1", True), ("fragment", URL + "#page=2", True),
    ("tracking", URL + "&utm_source=x", True), ("entities", URL.replace("&", "&amp;"), True),
    ("Outlook Safe Links", "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fdms.example%2Fdoc%3Fa%3D1%26b%3D2&data=05", True),
    ("another path", "https://dms.example/doc2?a=1&b=2", False), ("another value", "https://dms.example/doc?a=1&b=3", False),
    ("another host", "https://dms.example.evil.example/doc?a=1&b=2", False), ("the address as a parameter", "https://evil.example/?x=" + URL, False),
]  # fmt: skip


@claim("ai-cache 2.11: link_exact", rows=[Row(name, (url, matches)) for name, url, matches in LINKS])
def a_link_to_the_document_is_a_match(_, url, matches):
    found, events = scanned(shared["ann"], {"body": link(url), "when": f"2026-01-0{1 + len(url) % 9}T0{len(url) % 7}:00:00Z"})
    equal([each["match_method"] for each in events], ["link_exact"] if matches else [])
    equal(found["matches"], 1 if matches else 0)


ATTACHMENTS = [
    ("the same text", attachment("any.txt", TEXT), ("attachment_hash", 1.0, "confirmed")),
    ("nearly the same text", attachment("near.txt", TEXT + " Signed by both today."), ("content_similarity", 0.7, "candidate")),
    ("another text", attachment("other.txt", text_of(777, 220)), None), ("an image", attachment("a.png", PNG, "image/png"), None),
    ("an empty file", attachment("empty.txt", ""), None), ("garbage", attachment("x.docx", b"\x00\x01garbage"), None),
]  # fmt: skip


@claim("ai-cache 2.11: attachments", rows=[Row(name, (file, expected)) for name, file, expected in ATTACHMENTS])
def an_attachment_is_recognized_by_its_text(_, file, expected):
    found, events = scanned(shared["ann"], {"files": [file], "when": f"2026-02-0{1 + len(file['name'])}T00:00:00Z"})
    equal([(each["match_method"], each["confidence"], each["status"]) for each in events], [expected] if expected else [])
    equal((found["status"], found["candidates"]), ("completed", 1 if expected and expected[2] == "candidate" else 0))


@claim("ai-cache 2.11: one event for one message")
def the_surest_method_counts(_):
    message = {"body": link(), "files": [attachment("near.txt", TEXT + " Signed by both today.")]}
    _, events = scanned(shared["ann"], message)
    equal([each["match_method"] for each in events], ["link_exact"])


RECIPIENTS = [
    ("own domain", ["a@corp.example"], [], False), ("subdomain of the own", ["a@mail.corp.example"], [], False),
    ("listed domain", ["a@second.example"], [], False), ("subdomain of a listed one", ["a@eu.second.example"], [], False),
    ("upper case", ["A@CORP.EXAMPLE"], [], False), ("lookalike", ["a@notcorp.example"], ["notcorp.example"], True),
    ("suffix", ["a@corp.example.evil.example"], ["evil.example"], True), ("both", ["a@corp.example", "b@out.example"], ["out.example"], True),
    ("nobody", [], [], False), ("no address", ["undisclosed-recipients"], [], False),
]  # fmt: skip


@claim("interface: internal domains", rows=[Row(name, (to, domains, external)) for name, to, domains, external in RECIPIENTS])
def only_recipients_outside_count(_, to, domains, external):
    found, events = scanned(shared["ann"], {"to": to, "body": link()})
    equal((found["messages_seen"], found["messages_external"]), (1, int(external)))
    equal([each["external_domains"] for each in events], [domains] if external else [])


@claim("interface: only domains, never addresses")
def nothing_of_a_message_is_stored(service):
    scanned(shared["ann"], {"to": ["secret.person@client.example"], "body": link() + "SECRET BODY",
                            "files": [attachment("SECRET FILE.txt", TEXT)]})  # fmt: skip
    for path in service.data.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for secret in [b"secret.person", b"SECRET", b"@corp.example>", b"token-ann"]:
                expect(secret not in data, f"{secret!r} is not stored", str(path))


@claim("ai-cache 2.11: scanning again")
def another_scan_of_the_same_mail_makes_no_second_event(_):
    box.clear()
    box.send(files=[attachment("near.txt", TEXT + " Signed by both today.")], when="2026-04-01T00:00:00Z")
    first = scan(shared["ann"])
    event = shared["ann"].get("/svc/egress/events/", params={"scan_id": first["scan_id"]}).json()["results"][0]
    shared["ann"].patch(f"/svc/egress/events/{event['event_id']}/", {"status": "dismissed"}).expect(200)
    count = shared["ann"].get("/svc/egress/events/").json()["count"]
    scan(shared["ann"])
    equal(shared["ann"].get("/svc/egress/events/").json()["count"], count)
    again = shared["ann"].get("/svc/egress/events/", params={"signal_id": shared["document"], "items": 100}).json()["results"]
    equal([each["status"] for each in again if each["event_id"] == event["event_id"]], ["dismissed"], "the decision stays")


@claim("ai-cache 2.9: decisions")
def an_event_is_confirmed_and_dismissed(_):
    _, events = scanned(shared["ann"], {"files": [attachment("n.txt", TEXT + " Signed by both today.")], "when": "2026-04-02T00:00:00Z"})
    path = f"/svc/egress/events/{events[0]['event_id']}/"
    for status in ["confirmed", "dismissed", "confirmed"]:
        found = shared["ann"].patch(path, {"status": status}).expect(200).json()
        equal((found["event_id"], found["status"]), (events[0]["event_id"], status))
        expect(found["decided_at"], "decided_at", found)
        listed = shared["ann"].get("/svc/egress/events/", params={"status": status, "items": 100}).json()["results"]
        expect(events[0]["event_id"] in [each["event_id"] for each in listed], "filtered by status")


@claim("ai-cache 2.9: decisions", rows=[Row(str(body), (body,)) for body in [
    {}, {"status": "candidate"}, {"status": ""}, {"status": 1}, {"status": "Confirmed"}, [], {"status": None},
]])  # fmt: skip
def an_invalid_decision_is_400(_, body):
    found = shared["ann"].get("/svc/egress/events/").json()["results"]
    event_id = found[0]["event_id"] if found else scanned(shared["ann"], {"body": link()})[1][0]["event_id"]
    shared["ann"].patch(f"/svc/egress/events/{event_id}/", body).expect(400)


@claim("interface: Authentication 5")
def scans_and_events_are_for_their_user_alone(service):
    found, events = scanned(shared["ann"], {"body": link()})
    for client in [shared["bob"], service.admin, shared["cora"]]:
        client.get(f"/svc/egress/scan/{found['scan_id']}/").expect(404)
        client.delete(f"/svc/egress/scan/{found['scan_id']}/").expect(404)
        client.patch(f"/svc/egress/events/{events[0]['event_id']}/", {"status": "dismissed"}).expect(404)
        for path in ["/svc/egress/scan/", "/svc/egress/events/"]:
            equal(client.get(path).expect(200).json()["count"], 0)
    counts = service.admin.get("/svc/cache/statistics/").json()["egress"]
    expect(sum(counts["scans"].values()) >= 1 and sum(counts["events"].values()) >= 1, "administrators see counts", counts)


@claim("ai-cache 2.9: 424")
def a_scan_without_a_mailbox_is_424(_):
    equal(shared["bob"].post("/svc/egress/scan/", {}).expect(424).json()["code"], "mailbox_not_connected")
    shared["ann"].post("/svc/egress/scan/", {"channel": "gmail"}).expect(424)


@claim("ai-cache 2.9: scan", rows=[Row(str(body), (body,)) for body in [
    {"channel": "pigeon"}, {"channel": 1}, {"date_from": "yesterday"}, {"date_from": "2026-02-30"}, {"date_to": 5},
    {"date_from": "2026-03-02", "date_to": "2026-03-01"}, {"matter_tag": "matter:"}, {"matter_tag": "Matter:  "}, {"matter_tag": 1}, [],
]])  # fmt: skip
def an_invalid_scan_is_400(_, body):
    shared["ann"].post("/svc/egress/scan/", body).expect(400)


@claim("ai-cache 2.9: unknown ids", rows=[Row(f"{method} {path}", (method, path, body)) for method, path, body in [
    ("GET", "/svc/egress/scan/999999999/", None), ("DELETE", "/svc/egress/scan/999999999/", None),
    ("PATCH", "/svc/egress/events/999999999/", {"status": "confirmed"}),
]])  # fmt: skip
def an_unknown_scan_or_event_is_404(_, method, path, body):
    shared["ann"].call(method, path, body).expect(404)


@claim("interface: scoped by matter tag", rows=[Row(tag, (tag, count)) for tag, count in [
    ("smith", 1), ("matter:smith", 1), ("MATTER:smith", 1), ("Smith", 0), ("other", 0),
]])  # fmt: skip
def a_scan_of_a_matter_compares_its_documents_only(_, tag, count):
    box.clear()
    box.send(body=link(), when=f"2026-05-0{1 + len(tag) % 9}T0{ord(tag[0]) % 9}:00:00Z")
    equal(scan(shared["ann"], matter_tag=tag)["matches"], count)


@claim("interface: scoped by date window")
def the_days_of_a_scan_reach_the_mailbox(_):
    box.clear()
    before = len(box.requests)
    found = scan(shared["ann"], date_from="2026-01-05", date_to="2026-01-07")
    equal((found["date_from"], found["date_to"]), ("2026-01-05", "2026-01-07"))
    asked = [request.query.get("$filter", "") for request in box.requests[before:] if request.path.endswith("/messages")]
    expect(asked and "2026-01-05T00:00:00" in asked[0], "from the first day", asked)
    expect("2026-01-08T00:00:00" in asked[0] or "2026-01-07T23:59:59" in asked[0], "to the end of the last day", asked)


@claim("interface: the scanning user's own token")
def the_mailbox_is_asked_with_the_users_own_token(_):
    before = len(box.requests)
    scanned(shared["ann"], {"body": link()})
    asked = [request for request in box.requests[before:] if request.path.startswith("/graph/")]
    expect(asked and {request.headers.get("authorization") for request in asked} == {"Bearer token-ann"}, "the token", asked)
    expect(all(request.method == "GET" for request in asked), "reading only", asked)


@claim("ai-cache 2.11: newest first; documents the user may see")
def documents_of_others_are_not_recognized(service):
    other = supply(shared["bob"], "https://dms.example/bobs", text_of(502, 220))["signal_id"]
    _, events = scanned(shared["ann"], {"body": link("https://dms.example/bobs"), "files": [attachment("b.txt", text_of(502, 220))]})
    equal([each["signal_id"] for each in events if each["signal_id"] == other], [])
    _, events = scanned(shared["ann"], {"body": link(document(service.admin, shared["public"])["url"])})
    equal([each["signal_id"] for each in events], [shared["public"]], "a document of everybody is recognized")


@claim("ai-cache 2.8: shared_externally")
def a_shared_document_says_so_to_all_who_see_it(service):
    provider, text = shared["provider"], text_of(503, 120)
    ids, urls = [], []
    for title in ["Offer one", "Offer two"]:
        urls.append(box.add(provider, title, text))
        ids.append(ingest(service.admin, provider, urls[-1])["signal_id"])
    before = cached_results(shared["bob"], text_of(503, 12))
    equal([before[each]["cache"]["shared_externally"] for each in ids], [False, False])
    scanned(shared["ann"], {"body": link(urls[1])})
    after = cached_results(shared["bob"], text_of(503, 14))
    equal([after[each]["cache"]["shared_externally"] for each in ids], [False, True])
    expect("client.example" not in json.dumps(after), "not to whom")
    run = shared["cora"].get(f"/svc/canonical/{after[ids[1]]['cache']['run_id']}/").expect(200).json()
    members = {each["signal_id"]: each for each in run["members"]}
    equal([(members[each]["factors"]["egress_external"], members[each]["contributions"]["egress_external"]) for each in ids],
          [(0.0, 0.0), (1.0, 1.5)])  # fmt: skip
    equal(run["winner_signal_id"], ids[1])


@claim("ai-cache 2.4: un-index")
def an_event_outlives_its_document(_):
    signal_id = supply(shared["ann"], "https://dms.example/leaves", text_of(504, 220), "Leaving")["signal_id"]
    _, events = scanned(shared["ann"], {"body": link("https://dms.example/leaves")})
    equal(len(events), 1)
    shared["ann"].post("/svc/cache/unindex/", {"signal_id": signal_id}).expect(200)
    listed = shared["ann"].get("/svc/egress/events/", params={"items": 100}).json()["results"]
    found = next(each for each in listed if each["event_id"] == events[0]["event_id"])
    equal((found.get("signal_id"), found["signal_title"]), (None, "Leaving"))


@claim("ai-cache 2.9: 409 while one runs")
def one_scan_at_a_time_which_can_be_cancelled(_):
    box.clear()
    box.send(body=link())
    box.fault = lambda _: Reply({"error": {"code": "busy"}}, 503, {"Retry-After": "30"})
    started = shared["ann"].post("/svc/egress/scan/", {}).expect(202).json()
    answer = shared["ann"].post("/svc/egress/scan/", {}).expect(409).json()
    equal((answer["code"], answer["scan"]["scan_id"]), ("scan_running", started["scan_id"]))
    path = f"/svc/egress/scan/{started['scan_id']}/"
    shared["ann"].delete(path).expect(204)
    eventually(lambda: shared["ann"].get(path).json()["status"] == "cancelled", 20, "not cancelled")
    box.fault = None
    equal(scanned(shared["ann"], {"body": link()})[0]["status"], "completed")


@claim("ai-cache 2.4: failed", rows=[Row(str(status), (status,)) for status in [401, 403, 404, 400]])
def a_mailbox_that_refuses_fails_the_scan(_, status):
    box.clear()
    box.fault = lambda _: Reply({"error": {"code": "SECRETCODE", "message": "SECRET MESSAGE"}}, status)
    try:
        found = scan(shared["ann"])
    finally:
        box.fault = None
    equal(found["status"], "failed")
    expect(len(found["error"]) > 10 and "token-ann" not in found["error"], "a sentence", found)


@claim("ai-cache 2.11: hostile mailbox", rows=[Row(name, (body,)) for name, body in [
    ("no json", "<html>"), ("a list", []), ("no value", {}), ("messages without fields", {"value": [{}]}),
    ("wrong types", {"value": [{"id": 5, "toRecipients": "x", "body": []}]}),
]])  # fmt: skip
def a_mailbox_that_answers_nonsense_harms_nothing(service, body):
    box.clear()
    box.fault = lambda request: Reply(body) if request.path.endswith("/messages") else Reply({"mail": "ann@corp.example"})
    try:
        found = scan(shared["ann"])
    finally:
        box.fault = None
    expect(found["status"] in ("failed", "completed") and found["matches"] == 0, "ended", found)
    service.nobody.get("/svc/health/live/").expect(200)


@claim("interface: SVC_EGRESS_MAX_MESSAGES")
def a_scan_ends_at_its_limit(service):
    with Service(service.program, licensed(**BASIC, SVC_EGRESS_MAX_MESSAGES="3")) as other:
        add_authenticator(other, box, "microsoft")
        other.user("ann")
        client = connect(other, "ann", "microsoft") and other.client("ann", "ann-Pass-1")
        for count, truncated in [(3, False), (4, True), (7, True)]:
            found, _ = scanned(client, *[{"body": "x"}] * count)
            equal((found["messages_seen"], found["truncated"]), (3, truncated), f"{count} messages")


@claim("ai-cache 2.9: lists")
def scans_are_listed_newest_first(_):
    ids = [scan(shared["ann"])["scan_id"] for _ in range(2)]
    found = shared["ann"].get("/svc/egress/scan/", params={"items": 2}).expect(200).json()
    equal([each["scan_id"] for each in found["results"]], ids[::-1])
    equal(sorted(found), ["count", "next", "previous", "results"])


@claim("ai-cache 2.9: features.egress")
def the_agent_status_says_that_mailboxes_can_be_scanned(service):
    equal(service.admin.get("/svc/agent/status/").json()["features"]["egress"], True)
    with Service(service.program, licensed()) as other:
        equal(other.admin.get("/svc/agent/status/").json()["features"]["egress"], False, "without an authenticator")
        equal(other.admin.post("/svc/egress/scan/", {}).expect(424).json()["code"], "mailbox_not_connected")
