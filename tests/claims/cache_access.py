"""Who may see which document of the cache, and what a fetch of somebody else changes: nothing."""

import contextlib

from harness import Reply, Row, claim, equal, expect
from harness.accounts import add_authenticator, connect
from harness.documents import (
    Documents, cache_provider, cached_results, document, ingest, ingest_typed, page_of, result_of, supply, text_of,
)  # fmt: skip
from harness.license import licensed

SETTINGS = licensed(SVC_CORPUS_MIN_SCORE="0", SVC_OUTBOUND_ALLOW="127.0.0.1")
source = Documents()
cleanup = contextlib.ExitStack()
people, documents, urls, texts = {}, {}, {}, {}
ORIGINS = ["public", "group", "account", "supplied", "typed"]
PERSONS = ["owner", "member", "outsider", "group curator", "other curator", "administrator"]
# Who sees the document of each origin.
SEEN = {
    "public": PERSONS, "group": ["owner", "member", "group curator", "administrator"],
    "account": ["owner"], "supplied": ["owner"], "typed": ["owner"],
}  # fmt: skip
CURATORS = ["group curator", "other curator", "administrator"]


def prepare(service):
    cleanup.enter_context(source)
    service.admin.patch(f"/svc/searchproviders/{cache_provider(service)['id']}/", {"results_per_query": 60}).expect(200)
    for name, groups in [
        ("owner", ["readers"]), ("member", ["readers"]), ("outsider", []), ("group curator", ["readers", "curators"]),
        ("other curator", ["curators"]),
    ]:  # fmt: skip
        people[name] = service.user(name.replace(" ", "-"), groups)
    people["administrator"] = service.admin
    for index, origin in enumerate(ORIGINS):
        texts[origin] = text_of(100 + index, 210)
    public = source.provider(service, name="Public source")
    group = source.provider(service, name="Group source", shared=False, groups=["readers"])
    add_authenticator(service, source, "account")
    account = source.provider(service, name="Account source", authenticator="account", user_token=["token-ann"])
    connect(service, "owner", "account", "ann")
    for origin, provider in [("public", public), ("group", group), ("account", account)]:
        urls[origin] = source.add(provider, f"Document {origin}", texts[origin], author="Hidden Author")
        documents[origin] = ingest(people["owner"], provider, urls[origin], ["titan"])["signal_id"]
    urls["supplied"] = "https://supplied.example/x"
    documents["supplied"] = supply(people["owner"], urls["supplied"], texts["supplied"], tags=["titan"])["signal_id"]
    urls["typed"] = source.route("/typed", page_of("Document typed", texts["typed"]))
    documents["typed"] = ingest_typed(people["owner"], urls["typed"], matter_tags=["titan"])["signal_id"]


def finish():
    cleanup.close()


def matrix():
    return [Row(f"{origin}, {person}", (origin, person)) for origin in ORIGINS for person in PERSONS]


@claim("ai-cache 2.7; decisions 7.8", rows=matrix())
def a_document_exists_for_those_who_may_see_it_alone(_, origin, person):
    client, signal_id, sees = people[person], documents[origin], person in SEEN[origin]
    status = 200 if sees else 404
    client.get(f"/svc/cache/{signal_id}/").expect(status)
    client.get(f"/svc/cache/{signal_id}/diff/{signal_id}/").expect(status)
    client.post("/svc/cache/check_liveness/", {"signal_id": signal_id}).expect(status)
    listed = [each["signal_id"] for each in client.get("/svc/cache/", params={"items": 100}).json()["results"]]
    equal(signal_id in listed, sees, "in the list")
    results = cached_results(client, texts[origin][:100])
    equal(signal_id in results, sees, "in a search")
    if not sees:
        expect(all(each["url"] != urls[origin] for each in results.values()), "its address is not shown", results)


@claim("ai-cache 2.7; decisions 7.8", rows=matrix())
def pinning_needs_the_permission_and_the_document(_, origin, person):
    sees, body = person in SEEN[origin], {"signal_id": documents[origin], "query": f"pin {origin} {person}"}
    status = 403 if person not in CURATORS else 201 if sees else 404
    people[person].post("/svc/canonical/pin-for-query/", body).expect(status)
    status = 403 if person not in CURATORS else 200 if sees else 404
    people[person].post(f"/svc/canonical/{documents[origin]}/unpin/", {}).expect(status)


@claim("ai-cache 2.5: unindex", rows=[
    Row(f"{origin}, {person}", (origin, person)) for origin in ORIGINS for person in PERSONS[1:5]
])  # fmt: skip
def removing_needs_a_grant(_, origin, person):
    status = 403 if person in SEEN[origin] else 404
    people[person].post("/svc/cache/unindex/", {"signal_id": documents[origin], "force": True}).expect(status)


@claim("decisions 7.8: tags", rows=[Row(person, (person,)) for person in ["member", "group curator", "administrator"]])
def tags_of_a_matter_are_for_who_set_them(_, person):
    found = document(people[person], documents["group"])
    equal(found["matter_tags"], [])
    equal(people[person].get("/svc/cache/", params={"matter_tag": "titan"}).json(), [])
    for result in cached_results(people[person], texts["group"][:100]).values():
        equal(result["cache"]["matter_tags"], [])


@claim("ai-cache 2.7: admins see counts")
def administrators_see_counts(_):
    found = people["administrator"].get("/svc/cache/statistics/").expect(200).json()
    expect(found["signals"]["indexed"] + found["signals"]["pinned"] >= len(ORIGINS), "counts", found)
    expect(found["grants"] >= 3 and found["chunks"] >= 5, "counts", found)
    expect("Document" not in str(found), "no titles", found)
    people["owner"].get("/svc/cache/statistics/").expect(403)


def sign_in_page(_request):
    return page_of("Sign in", text_of(300, 60))


@claim("decisions 7.8: a fetch that yields another text", rows=[Row(pinned, (pinned == "pinned",)) for pinned in ["free", "pinned"]])
def a_foreign_fetch_takes_nothing_from_its_owner(service, is_pinned):
    slug = f"mixed{is_pinned}"
    text, name = text_of(310 + is_pinned), f"Mixed source {slug}"
    provider = source.provider(service, name=name, authenticator="account", user_token=["token-ann", "token-mia"])
    path = f"/{provider['slug']}/si"
    url = source.add(provider, "Secret terms", text, path=path, author="Hidden Author", date="2023-07-07 00:00:00")

    def page(request):
        return page_of("Secret terms", text) if request.headers.get("authorization") == "Bearer token-ann" else sign_in_page(request)

    source.route(path, page)
    owner, outsider = people["owner"], people["outsider"]
    mine = ingest(owner, provider, url, ["hera"])["signal_id"]
    if is_pinned:
        curator = people["group curator"]
        connect(service, "group-curator", "account", "ann")
        equal(ingest(curator, provider, url)["signal_id"], mine, "the same text for both")
        curator.post("/svc/canonical/pin-for-query/", {"signal_id": mine, "query": "secret terms"}).expect(201)
    before = document(owner, mine)
    theirs = ingest_typed(outsider, url)["signal_id"]
    expect(theirs != mine, "another record")
    seen = document(outsider, theirs)
    equal((seen["matter_tags"], seen["author"], seen["title"], seen["source_provider"], seen.get("source_provider_id")),
          ([], "", "Sign in", "", None))  # fmt: skip
    expect("2023" not in seen["date_published"], "not the date of the other text", seen)
    expect(seen["first_seen"] > before["first_seen"], "not when the owner had it first", seen)
    after = document(owner, mine)
    equal((after["state"], after["title"], after["matter_tags"], after["size"]),
          ("pinned" if is_pinned else "indexed", "Secret terms", ["hera"], before["size"]))  # fmt: skip
    expect(mine in cached_results(owner, text[:100]), "the owner finds it")
    for result in cached_results(outsider, "secret terms").values():
        expect(result["cache"]["badge"] != "Pinned", "no pin is told", result)
    if is_pinned:
        equal(people["group curator"].get("/svc/canonical/pins/", params={"query": "secret terms"}).json()["count"], 1)


@claim("decisions 7.8: nobody learns of a record that he may not see")
def a_supplied_text_does_not_tell_of_another(_):
    owner, outsider = people["owner"], people["outsider"]
    supply(owner, "https://deal.example/takeover", text_of(320, 200), "Takeover")
    answers = [
        supply(outsider, "https://deal.example/takeover", text_of(321, 200)),
        supply(outsider, "https://deal.example/nothing", text_of(322, 200)),
    ]
    equal(answers[0]["message"], answers[1]["message"])
    equal(answers[0]["state"], answers[1]["state"])
    equal(answers[1]["signal_id"], answers[0]["signal_id"] + 1, "each has a record of its own")


@claim("decisions 7.8: equal texts of two suppliers")
def equal_supplied_texts_are_two_records(_):
    first = supply(people["owner"], "https://same.example/", text_of(323, 200), "Mine")["signal_id"]
    second = supply(people["outsider"], "https://same.example/", text_of(323, 200), "Theirs")["signal_id"]
    expect(first != second, "two records")
    equal(document(people["owner"], first)["title"], "Mine")


@claim("decisions 7.8: ingest tells nothing", rows=[Row(origin, (origin,)) for origin in ["account", "supplied"]])
def a_request_for_a_hidden_address_is_like_one_for_a_new_address(_, origin):
    outsider = people["outsider"]
    base = urls[origin] if origin == "supplied" else f"{source.base}/account-hidden"
    if origin == "account":
        base = urls["account"]
    other = base + "-new"
    if origin == "account":
        source.route(other.removeprefix(source.base), lambda _: Reply({"error": "sign in"}, 401))
    answers = [outsider.post("/svc/ingest/", {"url": url}, timeout=60).expect(202, 422) for url in [base, other]]
    equal(answers[0].status, answers[1].status)
    bodies = [answer.json() for answer in answers]
    for name in ["message", "detail", "state", "upgraded", "code"]:
        equal(bodies[0].get(name), bodies[1].get(name), name)
    expect(bodies[0].get("signal_id") != documents[origin], "not the id of the hidden document", bodies)


@claim("decisions 7.8: metadata of hidden sources")
def a_page_of_a_group_that_is_typed_tells_nothing_of_the_group(_):
    found = ingest_typed(people["outsider"], urls["group"])
    expect(found["signal_id"] != documents["group"], "a record of their own")
    seen = document(people["outsider"], found["signal_id"])
    equal((seen["source_provider"], seen.get("source_provider_id"), seen["matter_tags"]), ("", None, []))
    expect(seen["first_seen"] > document(people["owner"], documents["group"])["first_seen"], "their own time", seen)


@claim("decisions 7.8: attribution")
def an_edited_result_is_not_attributed_to_its_source(service):
    provider = source.provider(service, name="Edited source")
    url = source.add(provider, "Honest title", text_of(330))
    forged = source.route("/forged", page_of("Forged", text_of(331)))
    search_id, result = result_of(people["outsider"], provider, url)
    path = f"/svc/results/{result['swirl_id']}/"
    people["outsider"].patch(path, {"url": forged, "title": "Official policy"}).expect(200)
    body = {"search_id": search_id, "swirl_id": result["swirl_id"], "wait": True}
    signal_id = people["outsider"].post("/svc/ingest/", body).expect(200).json()["signal_id"]
    seen = document(people["outsider"], signal_id)
    expect(seen["title"] != "Official policy" and seen["url"] == url, "title and address of the source", seen)
    equal(source.asked("/forged"), [], "the typed address is not fetched")


@claim("decisions 7.8: attribution")
def a_typed_address_with_a_provider_is_attributed_only_after_a_result(service):
    provider = source.provider(service, name="Typed source")
    typed = source.route(f"/{provider['slug']}/never-listed", page_of("Typed page", text_of(332)))
    seen = document(people["outsider"], ingest_typed(people["outsider"], typed, provider_id=provider["id"])["signal_id"])
    equal((seen["source_provider"], seen.get("source_provider_id")), ("", None))
    people["owner"].get(f"/svc/cache/{seen['signal_id']}/").expect(404)
    url = source.add(provider, "Listed page", text_of(333))
    result_of(people["outsider"], provider, url)
    seen = document(people["outsider"], ingest_typed(people["outsider"], url, provider_id=provider["id"])["signal_id"])
    equal((seen["source_provider"], seen["source_provider_id"]), ("Typed source", provider["id"]))
    document(people["owner"], seen["signal_id"])


@claim("decisions 7.8: a page on another host")
def a_page_of_another_origin_is_not_attributed(service):
    with Documents() as elsewhere:
        provider = source.provider(service, name="Linking source")
        url = elsewhere.route("/page", page_of("Elsewhere", text_of(334)))
        source.lists[provider["slug"]].append({"title": "Nice title", "body": "x", "url": url})
        seen = document(people["owner"], ingest(people["owner"], provider, url)["signal_id"])
        equal((seen["source_provider"], seen["title"]), ("", "Elsewhere"))
        people["member"].get(f"/svc/cache/{seen['signal_id']}/").expect(404)


@claim("decisions 7.8: redirects")
def a_page_that_redirects_to_another_origin_is_not_attributed(service):
    with Documents() as elsewhere:
        provider = source.provider(service, name="Redirecting source")
        target = elsewhere.route("/target", page_of("Target", text_of(335)))
        url = source.route(f"/{provider['slug']}/jump", Reply("", 302, {"Location": target}))
        source.lists[provider["slug"]].append({"title": "Jump", "body": "x", "url": url})
        seen = document(people["owner"], ingest(people["owner"], provider, url)["signal_id"])
        equal((seen["source_provider"], seen.get("source_provider_id")), ("", None))
        people["member"].get(f"/svc/cache/{seen['signal_id']}/").expect(404)


@claim("decisions 6: credentials go to the provider's own origin")
def a_typed_address_gets_no_credentials_of_the_source(service):
    provider = source.provider(service, name="Keyed source", credentials="bearer=S3CRET")
    path = f"/{provider['slug']}/admin-secret"
    url = source.route(path, page_of("Typed", text_of(336)))
    people["outsider"].post("/svc/ingest/", {"url": url, "provider_id": provider["id"], "wait": True}, timeout=60)
    for request in source.asked(path):
        expect("S3CRET" not in str(request.headers), "no credentials for a typed address", request.headers)


@claim("ai-cache 2.7: acl provider")
def members_of_a_group_share_an_account_source_that_says_so(service):
    provider = source.provider(
        service, name="Shared account", authenticator="account", user_token=["token-ann"], shared=False, groups=["readers"],
        config={"swirl": {"cache": {"acl": "provider"}}},
    )  # fmt: skip
    url = source.add(provider, "Shared account page", text_of(340))
    signal_id = ingest(people["owner"], provider, url)["signal_id"]
    for person, status in [("member", 200), ("group curator", 200), ("outsider", 404), ("other curator", 404)]:
        people[person].get(f"/svc/cache/{signal_id}/").expect(status)


@claim("ai-cache 2.7: groups")
def leaving_a_group_takes_effect_at_the_next_read(service):
    service.admin.post("/svc/groups/", {"name": "leavers"}).expect(201)
    leaver = service.user("leaver", ["leavers"])
    provider = source.provider(service, name="Left source", shared=False, groups=["leavers"])
    text = text_of(341)
    url = source.add(provider, "Left page", text)
    signal_id = ingest(service.admin, provider, url)["signal_id"]
    search = leaver.run_search(text[:100], searchprovider_list=["Files - Tributary Cache"])
    expect(any(each["url"] == url for each in leaver.results(search["id"])["results"]), "found as a member")
    users = service.admin.get("/svc/users/").json()
    user_id = next(each["id"] for each in users if each["username"] == "leaver")
    service.admin.patch(f"/svc/users/{user_id}/", {"groups": []}).expect(200)
    leaver.get(f"/svc/cache/{signal_id}/").expect(404)
    answer = leaver.results(search["id"])
    expect(all(each["url"] != url for each in answer["results"]), "gone from the saved results", answer["results"])
    exported = leaver.get("/svc/results/export/", params={"search_id": search["id"], "format": "csv"}).text
    expect(url not in exported, "gone from exports", exported)


@claim("ai-cache 2.7: 401 revokes", rows=[Row(str(status), (status,)) for status in [401, 403]])
def a_refused_probe_revokes_the_grant_at_once(service, status):
    provider = source.provider(service, name=f"Revoking {status}", authenticator="account", user_token=["token-ann"])
    path = f"/{provider['slug']}/doc"
    url = source.add(provider, "Revoked", text_of(350 + status % 7), path=path)
    signal_id = ingest(people["owner"], provider, url)["signal_id"]
    source.route(path, Reply("no", status))
    answer = people["owner"].post("/svc/cache/check_liveness/", {"signal_id": signal_id}).expect(200).json()
    equal((answer["verdict"], answer["http_status"]), ("unknown", status))
    people["owner"].get(f"/svc/cache/{signal_id}/").expect(404)


@claim("ai-cache 2.6: the access list is inside the query")
def documents_of_others_do_not_take_places(service):
    text, quiet = text_of(360, 200), service.user("quiet")
    for number in range(70):
        supply(people["owner"], f"https://crowd.example/{number}", f"{text} copy{number}")
    mine = supply(quiet, "https://quiet.example/", text_of(361, 200))["signal_id"]
    expect(mine in cached_results(quiet, text[:100]), "found though seventy nearer documents are hidden")
