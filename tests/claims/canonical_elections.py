"""Elections among versions of a document: clusters, factors, scores, eligibility, decisions and who sees them."""

import contextlib
import io
import json
import zipfile

from harness import Reply, Row, Service, claim, equal, expect
from harness.documents import CACHE_NAME, Documents, cache_provider, cached_results, document, ingest, page_of, result_of, supply, text_of
from harness.license import licensed

BASIC = {"SVC_CORPUS_MIN_SCORE": "0.2", "SVC_OUTBOUND_ALLOW": "127.0.0.1", "SVC_VERSION_SIMILARITY_THRESHOLD": "0.9"}
SETTINGS = licensed(**BASIC, SVC_CANONICAL_AUTO_ELECT_ENABLED="True")
WEIGHTS = {
    "source_authority": 3.0, "naming": 2.0, "recency": 2.0, "format": 1.0, "egress_external": 1.5, "pin": 5.0, "rejection": -4.0,
}  # fmt: skip
source = Documents()
cleanup = contextlib.ExitStack()
shared, runs = {}, {}

NAMES = [
    ("Lease", 0.5), ("Lease final", 0.8), ("Lease approved", 0.8), ("Lease executed", 0.8), ("Lease signed", 0.8),
    ("Lease published", 0.8), ("Lease draft", 0.2), ("Lease wip", 0.2), ("Lease redline", 0.2), ("Lease old", 0.2),
    ("Lease backup", 0.2), ("Lease copy", 0.35), ("Lease (2)", 0.35), ("Lease final draft", 0.5), ("Lease draft copy", 0.05),
    ("LEASE FINAL", 0.8), ("Golden Lease", 0.5), ("Lease finally", 0.5), ("Lease v1", 0.5), ("Lease v2", 0.6), ("Lease v3", 0.7),
    ("Lease v3 final", 1.0), ("Lease v1 draft", 0.2),
]  # fmt: skip
DATES = [
    ("2024-06-30 00:00:00", 1.0), ("2024-04-01 00:00:00", 0.707107), ("2024-01-02 00:00:00", 0.5), ("2023-07-06 00:00:00", 0.25),
    ("", 0.0),
]  # fmt: skip


def docx(text):
    kind = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    files = {
        "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
        "</Types>",
        "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{kind}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p>'
        "</w:body></w:document>",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def pdf(text):
    words = text.split()
    lines = [" ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
    drawn = "BT /F1 11 Tf 14 TL 50 780 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip
    written, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    start = len(written)
    written += f"xref\n0 6\n0000000000 65535 f \n{table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    return written.encode()


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS = [
    ("pdf", "application/pdf", pdf, 1.0), ("docx", DOCX, docx, 0.8),
    ("html", "text/html", lambda text: f"<html><body><main><p>{text}</p></main></body></html>".encode(), 0.6),
    ("md", "text/markdown", str.encode, 0.6), ("txt", "text/plain", str.encode, 0.3),
    ("eml", "message/rfc822", lambda text: f"From: a@b.example\nSubject: Lease\n\n{text}\n".encode(), 0.4),
]  # fmt: skip


def group(service, seed, members, client=None, **fields):
    """Versions of one text as documents of one provider: for each member its title, date and path's end. Their ids."""
    provider = source.provider(service, **fields)
    text, ids = text_of(seed, 120), []
    for number, (title, date, end) in enumerate(members):
        url = source.add(provider, title, text, path=f"/{provider['slug']}/m{number}{end}", date=date)
        ids.append(ingest(client or service.admin, provider, url)["signal_id"])
    return ids


def plain(*titles):
    return [(title, "", "") for title in titles]


def query_of(seed, words=12):
    return text_of(seed, words)


def run_for(client, signal_id, query, tags=()):
    """Searches, and returns the election that the document took part in, with its members by id."""
    mark = cached_results(client, query, tags)[signal_id]["cache"]
    expect(mark["run_id"] is not None, "an election was held", mark)
    run = client.get(f"/svc/canonical/{mark['run_id']}/").expect(200).json()
    return run, {each["signal_id"]: each for each in run["members"]}


def prepare(service):
    cleanup.enter_context(source)
    service.admin.patch(f"/svc/searchproviders/{cache_provider(service)['id']}/", {"results_per_query": 60}).expect(200)
    shared["cora"], shared["ann"] = service.user("cora", ["curators"]), service.user("ann")
    shared["names"] = group(service, 1, [(name, "", "") for name, _ in NAMES])
    runs["names"] = run_for(service.admin, shared["names"][0], query_of(1))
    shared["dates"] = group(service, 2, [("Minutes", date, "") for date, _ in DATES])
    runs["dates"] = run_for(service.admin, shared["dates"][0], query_of(2))
    provider = source.provider(service)
    shared["formats"] = []
    for end, kind, made, _ in FORMATS:
        path = f"/{provider['slug']}/file.{end}"
        url = source.add(provider, "Lease", text_of(3, 120), path=path)
        source.route(path, Reply(made(text_of(3, 120)), headers={"Content-Type": kind}))
        shared["formats"].append(ingest(service.admin, provider, url)["signal_id"])
    runs["formats"] = run_for(service.admin, shared["formats"][0], query_of(3))


def finish():
    cleanup.close()


def factor(kind, index, name):
    run, members = runs[kind]
    return members[shared[kind][index]]["factors"][name]


@claim("ai-cache 2.8: naming", rows=[Row(name, (index, value)) for index, (name, value) in enumerate(NAMES)])
def names_tell_of_the_state_of_a_version(_, index, value):
    equal(round(factor("names", index, "naming"), 6), value)


@claim("ai-cache 2.8: recency", rows=[Row(date or "unknown", (index, value)) for index, (date, value) in enumerate(DATES)])
def age_halves_recency_every_180_days(_, index, value):
    equal(factor("dates", index, "recency"), value)


@claim("ai-cache 2.8: format", rows=[Row(end, (index, value)) for index, (end, _, _, value) in enumerate(FORMATS)])
def formats_have_authority(_, index, value):
    equal(factor("formats", index, "format"), value)


@claim("ai-cache 2.8: score", rows=[Row(kind, (kind,)) for kind in ["names", "dates", "formats"]])
def a_score_is_the_sum_of_weights_times_factors(_, kind):
    run, members = runs[kind]
    equal(run["weights"], WEIGHTS)
    for member in members.values():
        for name, weight in WEIGHTS.items():
            expect(abs(member["contributions"][name] - weight * member["factors"][name]) < 1e-9, name, member)
        expect(abs(member["score"] - sum(member["contributions"].values())) < 1e-6, "sum", member)
    ordered = sorted(members.values(), key=lambda each: each["rank"])
    eligible = [each for each in ordered if each["eligible"]]
    equal([each["rank"] for each in ordered], list(range(1, len(ordered) + 1)))
    scores = [each["score"] for each in eligible]
    equal(scores, sorted(scores, reverse=True))
    equal((run["winner_signal_id"], ordered[0]["role"]), (eligible[0]["signal_id"], "winner"))
    expect(abs(run["margin"] - (scores[0] - scores[1])) < 1e-6, "margin", run["margin"], scores)


@claim("interface: canonical relevance limits", rows=[Row(kind, (kind,)) for kind in ["names", "dates", "formats"]])
def eligible_versions_are_relevant(_, kind):
    run, members = runs[kind]
    equal(run["gates"], {"relevance_min": 0.1, "relevance_ratio": 0.6})
    best = max(each["relevance"] for each in members.values())
    for each in members.values():
        equal(each["eligible"], each["relevance"] >= 0.1 and each["relevance"] >= 0.6 * best, each["title"])
        equal(each["role"] == "ineligible", not each["eligible"])
        expect(each["reasons"], "reasons are given", each)


@claim("ai-cache 2.3: run")
def the_record_of_an_election(_):
    run, members = runs["names"]
    expected = {"query": query_of(1), "query_key": query_of(1).lower(), "scope": "firm", "status": "auto_elected", "auto": True,
                "cluster_key": min(shared["names"]), "size": len(NAMES), "decided_by": None, "decided_at": None,
                "reject_reason": None, "comment": "", "hidden_members": 0, "may_decide": True}  # fmt: skip
    equal({name: run.get(name) for name in expected}, expected)
    equal(set(members), set(shared["names"]))
    best = next(each for each in members.values() if each["title"] == "Lease v3 final")
    equal(run["winner_signal_id"], best["signal_id"])


@claim("ai-cache 2.8.5")
def results_tell_who_won(service):
    found = cached_results(service.admin, query_of(2))
    winner, others = shared["dates"][0], shared["dates"][1:]
    equal(found[winner]["cache"]["badge"], "Auto-selected")
    equal(found[winner]["cache"]["cluster"]["role"], "winner")
    for signal_id in others:
        mark = found[signal_id]["cache"]
        equal((mark["badge"], mark["cluster"]["role"], mark["cluster"]["winner_signal_id"]), ("Alternate", "alternate", winner))
    cluster = found[winner]["cache"]["cluster"]
    equal((cluster["key"], cluster["size"], len(cluster["members"])), (min(shared["dates"]), 5, 5))
    equal(cluster["members"][0]["signal_id"], winner)
    ranks = sorted(found[each]["swirl_rank"] for each in shared["dates"])
    equal(found[winner]["swirl_rank"], ranks[0], "the best place of its cluster")
    equal(ranks, list(range(ranks[0], ranks[0] + 5)), "the others follow it")


@claim("ai-cache 2.8: a cluster without a second member")
def a_single_document_has_no_election(service):
    single = group(service, 4, plain("Alone"))[0]
    mark = cached_results(service.admin, query_of(4))[single]["cache"]
    equal((mark["badge"], mark.get("run_id"), mark.get("cluster")), ("Cached", None, None))


@claim("interface: live results are never clustered")
def a_live_result_is_no_version(service):
    ids = group(service, 5, plain("Cached one"))
    provider = source.provider(service)
    url = source.add(provider, "Live one", text_of(5, 120))
    search = service.admin.run_search(query_of(5), searchprovider_list=[provider["id"], CACHE_NAME], results_requested=100)
    found = service.admin.results(search["id"])["results"]
    expect(all(not each.get("cache") for each in found if each["url"] == url), "no mark on the live result")
    equal([each["cache"].get("cluster") for each in found if each.get("cache") and each["cache"]["signal_id"] == ids[0]], [None])


@claim("ai-cache 2.8: source authority", rows=[Row(str(value), (value, value)) for value in [0.0, 0.35, 1.0]])
def a_provider_may_set_its_authority(service, value, expected):
    seed = 10 + int(value * 100)
    ids = group(service, seed, plain("One", "Two"), config={"swirl": {"cache": {"authority": value}}})
    _, members = run_for(service.admin, ids[0], query_of(seed))
    equal([members[each]["factors"]["source_authority"] for each in ids], [expected] * 2)


@claim("ai-cache 2.8: source authority by kind")
def a_web_source_has_little_authority(_):
    equal(factor("names", 0, "source_authority"), 0.2)


@claim("ai-cache 2.8.4: ties")
def ties_go_to_the_lower_id(service):
    ids = group(service, 120, plain("Equal", "Equal"))
    run, _ = run_for(service.admin, ids[0], query_of(120))
    equal((run["winner_signal_id"], run["margin"]), (min(ids), 0.0))


@claim("ai-cache 2.8: gone is not eligible")
def a_document_that_is_gone_cannot_win(service):
    ids = group(service, 121, plain("Terms final", "Terms draft"))
    url = document(service.admin, ids[0])["url"]
    source.route(url.removeprefix(source.base), Reply("", 410))
    service.admin.post("/svc/cache/check_liveness/", {"signal_id": ids[0]}).expect(200)
    found = cached_results(service.admin, query_of(121))
    expect(found[ids[1]]["cache"]["badge"] != "Alternate", "the other one counts", found[ids[1]]["cache"])
    search = service.admin.run_search(query_of(121), searchprovider_list=[CACHE_NAME], results_requested=100)
    held = service.admin.post("/svc/canonical/elect/", {"search_id": search["id"]}).expect(200).json()["results"]
    run = next(each for each in held if each["cluster_key"] == min(ids))
    equal(run["winner_signal_id"], ids[1])
    members = {each["signal_id"]: each for each in service.admin.get(f"/svc/canonical/{run['run_id']}/").json()["members"]}
    equal((members[ids[0]]["eligible"], members[ids[0]]["role"]), (False, "ineligible"))
    equal([each["code"] for each in members[ids[0]]["grounds"] if each["code"] == "gone"], ["gone"])


@claim("ai-cache 2.4: approval pins the winner")
def approving_pins_the_winner_for_the_query(service):
    ids = group(service, 130, plain("Plan final", "Plan draft"))
    run, _ = run_for(shared["ann"], ids[0], query_of(130))
    answer = shared["cora"].post(f"/svc/canonical/{run['run_id']}/approve/", {"comment": "right"}).expect(200).json()
    equal((answer["status"], answer["decided_by"], answer["comment"]), ("approved", "cora", "right"))
    expect(answer["decided_at"], "when", answer)
    pins = shared["cora"].get("/svc/canonical/pins/", params={"signal_id": ids[0]}).json()["results"]
    equal([(each["via"], each["run_id"], each["query_key"]) for each in pins], [("approval", run["run_id"], query_of(130).lower())])
    equal([document(service.admin, each)["state"] for each in ids], ["pinned", "indexed"])
    found = cached_results(shared["ann"], query_of(130))
    equal([found[each]["cache"]["badge"] for each in ids], ["Pinned", "Alternate"])
    for path, body in [("approve", {}), ("reject", {"reason": "other"})]:
        again = shared["cora"].post(f"/svc/canonical/{run['run_id']}/{path}/", body).expect(409).json()
        equal(again["code"], "already_decided")


@claim("interface: unpin carries no penalty")
def after_an_unpin_the_same_document_may_win_again(service):
    ids = group(service, 131, plain("Map final", "Map draft"))
    body = {"signal_id": ids[0], "query": query_of(131)}
    shared["cora"].post("/svc/canonical/pin-for-query/", body).expect(201)
    equal(cached_results(shared["ann"], query_of(131))[ids[0]]["cache"]["badge"], "Pinned")
    shared["cora"].post(f"/svc/canonical/{ids[0]}/unpin/", {}).expect(200)
    run, members = run_for(shared["ann"], ids[0], query_of(131))
    equal((run["winner_signal_id"], members[ids[0]]["factors"]["rejection"]), (ids[0], 0.0))
    equal(cached_results(shared["ann"], query_of(131))[ids[0]]["cache"]["badge"], "Auto-selected")


@claim("interface: rejection penalty")
def a_rejected_version_loses_later(service):
    ids = group(service, 132, plain("Code final", "Code draft"))
    run, _ = run_for(shared["ann"], ids[0], query_of(132))
    equal(run["winner_signal_id"], ids[0])
    answer = shared["cora"].post(f"/svc/canonical/{run['run_id']}/reject/", {"reason": "wrong_version", "comment": "c"})
    rejected = answer.expect(200).json()
    equal((rejected["status"], rejected["reject_reason"], rejected["comment"]), ("rejected", "wrong_version", "c"))
    again, members = run_for(shared["ann"], ids[0], query_of(132))
    equal((again["winner_signal_id"], members[ids[0]]["factors"]["rejection"]), (ids[1], 1.0))
    equal(members[ids[0]]["contributions"]["rejection"], -4.0)
    _, members = run_for(shared["ann"], ids[0], query_of(132, 18))
    equal(members[ids[0]]["factors"]["rejection"], 0.25, "for another query")


@claim("ai-cache 2.8: pin factor")
def a_pin_for_another_query_counts(service):
    ids = group(service, 133, plain("Rule final", "Rule draft"))
    shared["cora"].post("/svc/canonical/pin-for-query/", {"signal_id": ids[1], "query": "something else"}).expect(201)
    run, members = run_for(shared["ann"], ids[0], query_of(133))
    equal([members[each]["factors"]["pin"] for each in ids], [0.0, 1.0])
    equal((run["winner_signal_id"], members[ids[1]]["contributions"]["pin"]), (ids[1], 5.0))


@claim("ai-cache 2.9: reject", rows=[Row(str(body), (body,)) for body in [
    {}, {"reason": ""}, {"reason": "because"}, {"reason": "WRONG"}, {"reason": 1}, {"reason": None}, [],
]])  # fmt: skip
def a_rejection_needs_a_known_reason(_, body):
    shared["cora"].post(f"/svc/canonical/{runs['names'][0]['run_id']}/reject/", body).expect(400)


@claim("ai-cache 2.9: reasons", rows=[Row(reason, (index, reason)) for index, reason in enumerate([
    "wrong_version", "wrong_document", "not_authoritative", "duplicate", "outdated", "other",
])])  # fmt: skip
def each_reason_is_accepted(service, index, reason):
    ids = shared.get("reasons") or shared.setdefault("reasons", group(service, 134, plain("Note one", "Note two")))
    run, _ = run_for(shared["ann"], ids[0], query_of(134, 10 + index))
    answer = shared["cora"].post(f"/svc/canonical/{run['run_id']}/reject/", {"reason": reason}).expect(200).json()
    equal((answer["reject_reason"], answer["status"]), (reason, "rejected"))


@claim("ai-cache 2.9", rows=[Row(path, (method, path, body)) for method, path, body in [
    ("GET", "/svc/canonical/999999999/", None), ("POST", "/svc/canonical/999999999/approve/", {}),
    ("POST", "/svc/canonical/999999999/reject/", {"reason": "other"}), ("POST", "/svc/canonical/elect/", {"search_id": 999999999}),
]])  # fmt: skip
def an_unknown_election_is_404(_, method, path, body):
    shared["cora"].call(method, path, body).expect(404)


@claim("canonical: same outcome")
def an_election_with_the_same_outcome_is_not_recorded_again(service):
    first, _ = run_for(service.admin, shared["dates"][0], query_of(2))
    second, _ = run_for(service.admin, shared["dates"][0], query_of(2))
    equal(first["run_id"], second["run_id"])


@claim("ai-cache 2.4: superseded")
def a_newer_election_supersedes_an_open_one(service):
    provider = source.provider(service)
    text, ids = text_of(135, 120), []
    for title in ["Memo draft", "Memo final"]:
        url = source.add(provider, title, text)
        ids.append(ingest(service.admin, provider, url)["signal_id"])
        if len(ids) == 1:
            url = source.add(provider, "Memo", text)
            ids.append(ingest(service.admin, provider, url)["signal_id"])
            old, _ = run_for(service.admin, ids[0], query_of(135))
    new, _ = run_for(service.admin, ids[0], query_of(135))
    expect(new["run_id"] != old["run_id"] and new["winner_signal_id"] == ids[2], "a new election", new)
    equal(service.admin.get(f"/svc/canonical/{old['run_id']}/").json()["status"], "superseded")


@claim("canonical: permissions")
def elections_are_for_curators_and_for_ones_own_searches(service):
    ids = group(service, 136, plain("Deed final", "Deed draft"))
    run, _ = run_for(shared["ann"], ids[0], query_of(136))
    path = f"/svc/canonical/{run['run_id']}/"
    equal(shared["cora"].get(path).expect(200).json()["may_decide"], True)
    equal(shared["ann"].get(path).expect(200).json()["may_decide"], False)
    service.user("bert").get(path).expect(404)
    service.admin.get(path).expect(200)


@claim("ai-cache 2.7: elections never show a document")
def members_that_a_user_may_not_see_are_hidden(service):
    text = text_of(137, 210)
    secret = supply(shared["ann"], "https://secret.example/1", text, "Pact final")["signal_id"]
    provider = source.provider(service)
    ids = []
    for title in ["Pact draft", "Pact old"]:
        url = source.add(provider, title, text)
        ids.append(ingest(service.admin, provider, url)["signal_id"])
    run, _ = run_for(shared["ann"], secret, query_of(137))
    equal(run["winner_signal_id"], secret)
    shared["cora"].get(f"/svc/canonical/{run['run_id']}/").expect(404)
    found = cached_results(shared["cora"], query_of(137))
    expect(secret not in found, "not shown")
    badges = sorted(found[each]["cache"]["badge"] for each in ids)
    equal(badges, ["Alternate", "Auto-selected"], "the next version counts for her")
    for each in ids:
        equal(found[each]["cache"]["cluster"]["size"], 2)
    expect("secret.example" not in json.dumps(found), "no address")


@claim("ai-cache 2.9: canonical list")
def the_review_queue_is_filtered(_):
    for status in ["pending", "auto_elected", "approved", "rejected", "superseded", "stale", "open"]:
        found = shared["cora"].get("/svc/canonical/", params={"status": status, "items": 100}).expect(200).json()["results"]
        allowed = {"pending", "auto_elected"} if status == "open" else {status}
        expect({each["status"] for each in found} <= allowed, status, found)
        expect(all("members" not in each for each in found), "without members", found)
    shared["cora"].get("/svc/canonical/", params={"status": "lost"}).expect(400)
    word = query_of(2).split()[5].strip(".")
    found = shared["cora"].get("/svc/canonical/", params={"query": word, "items": 100}).expect(200).json()["results"]
    expect(found and all(word in each["query"] for each in found), "by words of the query", found)


@claim("cache: differences of two texts")
def two_texts_are_compared(_):
    left, right = shared["names"][0], shared["dates"][0]
    found = shared["cora"].get(f"/svc/cache/{left}/diff/{right}/").expect(200).json()
    equal((found["left"]["signal_id"], found["right"]["signal_id"], found["truncated"]), (left, right, False))
    equal({each["op"] for each in found["pieces"]} - {"same"}, {"added", "removed"})
    same = shared["cora"].get(f"/svc/cache/{left}/diff/{left}/").expect(200).json()
    equal((same["added"], same["removed"]), (0, 0))
    expect({each["op"] for each in same["pieces"]} == {"same"} and same["same"] >= 100, "no difference", same)


@claim("interface: SVC_CANONICAL_AUTO_ELECT_ENABLED, built-in default")
def without_auto_election_an_election_is_held_on_request(service):
    with Service(service.program, licensed(**BASIC, SVC_CANONICAL_WEIGHTS='{"recency": 3, "naming": -2}')) as other:
        ids = group(other, 140, [("Bill final", "", ""), ("Bill draft", "", "")])
        search = other.admin.run_search(query_of(140), searchprovider_list=[CACHE_NAME], results_requested=100)
        found = {each["cache"]["signal_id"]: each["cache"] for each in other.admin.results(search["id"])["results"]}
        equal([(found[each]["badge"], found[each]["cluster"]["size"], found[each]["cluster"].get("role")) for each in ids],
              [("Cached", 2, None)] * 2)  # fmt: skip
        equal(other.admin.get("/svc/canonical/").json()["count"], 0)
        held = other.admin.post("/svc/canonical/elect/", {"search_id": search["id"]}).expect(200).json()
        run = held["results"][0]
        equal((run["status"], run["auto"], held["search_id"]), ("pending", False, search["id"]))
        equal(run["weights"], {**WEIGHTS, "recency": 3.0, "naming": -2.0})
        equal(run["winner_signal_id"], ids[1], "the weights of the settings")
        found = {each["cache"]["signal_id"]: each["cache"] for each in other.admin.results(search["id"])["results"]}
        expect(found[ids[1]]["badge"] != "Auto-selected", "a pending election has no effect", found[ids[1]])


@claim("ai-cache 2.8: SVC_CANONICAL_WEIGHTS", rows=[Row(text, (text,)) for text in ["[1]", '{"colour": 1}', '{"recency": "much"}']])
def wrong_weights_are_refused_at_the_start(service, text):
    try:
        with Service(service.program, licensed(SVC_CANONICAL_WEIGHTS=text)):
            raise AssertionError("it started")
    except SystemExit as error:
        expect("SVC_CANONICAL_WEIGHTS" in str(error), "the setting is named", str(error))
