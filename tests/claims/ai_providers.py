"""AIProvider records: fields, checks, secrets, permissions, the predefined ones, and the test of a model."""

import re

from harness import Row, Service, claim, equal, expect
from harness.answers import add_model
from harness.model import Fails, Model, Raw, Says

model = Model()
people = {}
PATH = "/svc/aiproviders/"


def prepare(service):
    model.__enter__()
    people["anna"] = service.user("anna")


def finish():
    model.__exit__()


def create(service, name, **fields):
    return service.admin.post(PATH, {"name": name, "model": "gpt-5", **fields}).expect(201).json()


def refused(service, body, field, status=400):
    response = service.admin.post(PATH, body).expect(status).json()
    expect(field in str(response.get("errors") or response["detail"]), f"{field} is not named", response)


@claim("ai-cache 1.11: fields; interface: AIProvider")
def a_record_has_its_fields(service):
    record = create(service, "Fields")
    names = {"id", "name", "model", "active", "config", "tags", "defaults", "owner", "shared", "date_created", "date_updated",
             "api_key_set", "prompt_overrides"}  # fmt: skip
    equal(names - set(record), set(), "missing fields")
    equal(record["owner"], "admin")


DEFAULTS = [("shared", True), ("active", True), ("tags", []), ("defaults", []), ("prompt_overrides", {}), ("api_key_set", False)]


@claim("ai-cache 1.11: defaults of fields", [Row(name, (name, value)) for name, value in DEFAULTS])
def a_field_has_its_default(service, name, value):
    equal(create(service, f"Default {name}")[name], value)


BAD = [
    ("no name", {"model": "gpt-5"}, "name"), ("blank name", {"name": "  ", "model": "gpt-5"}, "name"),
    ("long name", {"name": "n" * 256, "model": "gpt-5"}, "name"), ("no model", {"name": "Bad 1"}, "model"),
    ("blank model", {"name": "Bad 2", "model": " "}, "model"), ("long model", {"name": "Bad 3", "model": "m" * 256}, "model"),
    ("long key", {"name": "Bad 4", "model": "m", "api_key": "k" * 513}, "api_key"),
    ("unknown role", {"name": "Bad 5", "model": "m", "tags": ["poet"]}, "tags"),
    ("unknown default role", {"name": "Bad 6", "model": "m", "tags": ["rag"], "defaults": ["poet"]}, "defaults"),
    ("unknown role in config", {"name": "Bad 7", "model": "m", "config": {"roles": ["poet"]}}, "role"),
    ("tags no list", {"name": "Bad 8", "model": "m", "tags": "rag"}, "tags"),
    ("config no object", {"name": "Bad 9", "model": "m", "config": []}, "config"),
    ("active no boolean", {"name": "Bad 10", "model": "m", "active": "yes"}, "active"),
    ("api_base no address", {"name": "Bad 11", "model": "m", "config": {"api_base": "not an address"}}, "api_base"),
    ("azure without api_base", {"name": "Bad 12", "model": "azure/x", "tags": ["rag"]}, "api_base"),
]  # fmt: skip


@claim("ai-cache 1.11: fields; decisions 3.1", [Row(name, (body, field)) for name, body, field in BAD])
def an_invalid_record_is_400_and_names_the_field(service, body, field):
    refused(service, body, field)


@claim("ai-cache 1.11: lengths")
def the_longest_texts_are_accepted(service):
    record = create(service, "n" * 255, model="m" * 255, api_key="k" * 512)
    equal((len(record["name"]), len(record["model"]), record["api_key_set"]), (255, 255, True))


@claim("quirks, records: a unique name")
def a_taken_name_is_409(service):
    create(service, "Taken")
    service.admin.post(PATH, {"name": "Taken", "model": "gpt-5"}).expect(409)


@claim("ai-cache 1.11: newest update first")
def the_list_begins_with_the_latest_update(service):
    first, second = create(service, "Order 1"), create(service, "Order 2")
    service.admin.patch(f"{PATH}{first['id']}/", {"active": False}).expect(200)
    ids = [each["id"] for each in service.admin.get(PATH).expect(200).json()]
    equal(ids[:2], [first["id"], second["id"]])


@claim("ai-cache 1.11: config.roles")
def config_roles_are_the_tags(service):
    record = create(service, "Roles read", tags=["rag", "chat"])
    equal(record["config"]["roles"], ["rag", "chat"])
    record = create(service, "Roles write", tags=["rag"], config={"roles": ["chat", "query"]})
    equal((record["tags"], record["config"]["roles"]), (["chat", "query"], ["chat", "query"]))


@claim("ai-cache 1.11: names of roles without regard to case", [Row(r, (r,)) for r in ["RAG", "Chat", "rEader"]])
def the_case_of_roles_does_not_matter(service, role):
    record = create(service, f"Case {role}", tags=[role], defaults=[role.upper()], active=False)
    equal([each.lower() for each in record["tags"]], [role.lower()])
    listed = service.admin.get(PATH, params={"role": role}).expect(200).json()
    expect(record["id"] in [each["id"] for each in listed], "it is not listed by its role")


@claim("docs/ai-providers: ?tag= and ?role=", [Row("tag", ("tag",)), Row("role", ("role",))])
def the_list_can_show_one_role(service, parameter):
    with_role = create(service, f"Listed {parameter}", tags=["reranker"], active=False)["id"]
    without = create(service, f"Unlisted {parameter}", tags=["chat"], active=False)["id"]
    ids = [each["id"] for each in service.admin.get(PATH, params={parameter: "reranker"}).expect(200).json()]
    equal((with_role in ids, without in ids), (True, False))


@claim("docs/ai-providers: records", [Row("roles", ({"roles": ["rag"]},)), Row("max_tokens", ({"max_tokens": 500},))])
def a_patch_keeps_other_settings_of_config(service, change):
    record = create(service, f"Patch {next(iter(change))}", config={"api_base": model.api_base, "family": "x"})
    patched = service.admin.patch(f"{PATH}{record['id']}/", {"config": change}).expect(200).json()
    equal((patched["config"]["api_base"], patched["config"]["family"]), (model.api_base, "x"))
    equal({name: patched["config"][name] for name in change}, change)


@claim("docs/ai-providers: null removes")
def a_patch_with_null_removes_a_setting_of_config(service):
    record = create(service, "Patch null", config={"api_base": model.api_base, "max_tokens": 5})
    patched = service.admin.patch(f"{PATH}{record['id']}/", {"config": {"max_tokens": None}}).expect(200).json()
    equal(("max_tokens" in patched["config"], patched["config"]["api_base"]), (False, model.api_base))


@claim("decisions 3.2: PUT replaces")
def a_put_replaces_the_record_but_not_the_key(service):
    record = create(service, "Put", tags=["rag"], api_key="sk-put", config={"family": "x"}, active=False)
    replaced = service.admin.put(f"{PATH}{record['id']}/", {"name": "Put", "model": "gpt-6"}).expect(200).json()
    equal((replaced["model"], replaced["tags"], replaced["active"], replaced["api_key_set"]), ("gpt-6", [], True, True))
    expect("family" not in replaced["config"], "config was kept", replaced)


KEYS = [("omitted", {}), ("empty", {"api_key": ""}), ("masked", {"api_key": "••••"})]


@claim("ai-cache 1.11: api_key; decisions 3.9", [Row(f"{m} {name}", (m, name, body)) for m in ["put", "patch"] for name, body in KEYS])
def an_update_without_a_key_keeps_it(service, method, name, body):
    word = f"keep{method}{name}"
    record = add_model(service, model, word, api_key="sk-kept")
    full = {"name": word, "model": f"openai/{word}", "tags": ["rag"], "config": {"api_base": model.api_base}}
    service.admin.call(method.upper(), f"{PATH}{record['id']}/", {**(full if method == "put" else {}), **body}).expect(200)
    service.admin.post(f"{PATH}{record['id']}/test/").expect(200)
    equal(model.calls(word)[-1].headers["authorization"], "Bearer sk-kept")


@claim("interface: PATCH active and api_key")
def a_patch_activates_a_model_with_a_key(service):
    record = add_model(service, model, "activat", active=False, api_key="sk-old")
    body = {"active": True, "api_key": "sk-new"}
    patched = service.admin.patch(f"{PATH}{record['id']}/", body).expect(200).json()
    equal((patched["active"], patched["api_key_set"]), (True, True))
    equal(service.admin.post(f"{PATH}{record['id']}/test/").expect(200).json()["status"], "OK")
    equal(model.calls("activat")[-1].headers["authorization"], "Bearer sk-new")


@claim("ai-cache 1.11: api_key is write-only; decisions 3.9")
def a_key_is_shown_to_nobody(service):
    secret = "sk-never-shown-31337"
    record = create(service, "Secret", api_key=secret, tags=["rag"], active=False)
    answers = [service.admin.get(f"{PATH}{record['id']}/"), service.admin.get(PATH), people["anna"].get(PATH),
               service.admin.patch(f"{PATH}{record['id']}/", {"active": False}), service.admin.get("/svc/audit/"),
               service.admin.get(f"/admin/aiproviders/{record['id']}/"), service.admin.get("/svc/sapi/ai_providers/")]  # fmt: skip
    for answer in answers:
        expect(secret not in answer.text, "the key is shown", answer.text[:300])


CLOUD = ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"]


@claim("docs/ai-providers: secrets of config", [Row(name, (name,)) for name in CLOUD])
def secrets_in_config_are_masked_and_kept(service, name):
    secret = '{"private_key": "hush-31337"}' if name.startswith("GOOGLE") else "hush-31337"
    record = create(service, f"Cloud {name}", config={name: secret, "family": "x"}, active=False)
    expect("hush-31337" not in str(record) and record["config"][name], "not masked", record)
    back = service.admin.put(f"{PATH}{record['id']}/", {"name": record["name"], "model": "gpt-5", "config": record["config"]})
    equal(back.expect(200).json()["config"][name], record["config"][name])


@claim("ai-cache 1.11: encrypted at rest; decisions 3.9")
def secrets_are_not_readable_in_the_data_folder(service):
    secret = "sk-at-rest-8472615"
    create(service, "At rest", api_key=secret, config={"AWS_SECRET_ACCESS_KEY": "aws-at-rest-8472615"}, active=False)
    for path in service.data.rglob("*"):
        if path.is_file():
            expect(b"at-rest-8472615" not in path.read_bytes(), f"plain text in {path.name}")


@claim("docs/ai-providers: users see no addresses")
def users_see_shared_records_without_their_addresses(service):
    record = create(service, "Shared", tags=["rag"], config={"api_base": "http://internal.example:9", "family": "x"}, active=False,
                    prompt_overrides={"search-rag": {"footer": "secret footer"}})  # fmt: skip
    hidden = create(service, "Not shared", shared=False, active=False)
    listed = {each["id"]: each for each in people["anna"].get(PATH).expect(200).json()}
    expect(hidden["id"] not in listed, "a record that is not shared is listed")
    equal(listed[record["id"]]["config"], {"roles": ["rag"]})
    expect("prompt_overrides" not in listed[record["id"]], "prompt_overrides")
    people["anna"].get(f"{PATH}{hidden['id']}/").expect(404)
    expect("internal.example" not in people["anna"].get(f"{PATH}{record['id']}/").expect(200).text, "the address is shown")


CALLS = [("POST", "", {"name": "x", "model": "y"}), ("PUT", "{id}/", {"name": "x", "model": "y"}), ("PATCH", "{id}/", {"active": True}),
         ("DELETE", "{id}/", None), ("POST", "{id}/test/", None)]  # fmt: skip


@claim("docs/permissions; decisions 0013", [Row(f"{m} {p}", (at, m, p, b)) for at, (m, p, b) in enumerate(CALLS)])
def only_administrators_change_records(service, at, method, path, body):
    record = create(service, f"Rights {at}", active=False)
    path = PATH + path.format(id=record["id"])
    people["anna"].call(method, path, body).expect(403)
    service.nobody.call(method, path, body).expect(401)
    equal(service.admin.get(f"{PATH}{record['id']}/").expect(200).json()["active"], False)


@claim("ai-cache 1.11: delete answers 204")
def a_deleted_record_is_gone(service):
    record = create(service, "Deleted")
    equal(service.admin.delete(f"{PATH}{record['id']}/").expect(204).body, b"")
    service.admin.get(f"{PATH}{record['id']}/").expect(404)
    service.admin.delete(f"{PATH}{record['id']}/").expect(404)


@claim("decisions 7.7")
def an_outdated_if_match_is_412(service):
    record = create(service, "Versions", active=False)
    tag = service.admin.get(f"{PATH}{record['id']}/").headers["etag"]
    service.admin.patch(f"{PATH}{record['id']}/", {"tags": ["rag"]}, headers={"If-Match": tag}).expect(200)
    service.admin.patch(f"{PATH}{record['id']}/", {"tags": ["chat"]}, headers={"If-Match": tag}).expect(412)
    service.admin.delete(f"{PATH}{record['id']}/", headers={"If-Match": tag}).expect(412)
    equal(service.admin.get(f"{PATH}{record['id']}/").json()["tags"], ["rag"])


@claim("ai-cache 1.11: a test on request")
def a_test_sends_one_minimal_request(service):
    record = add_model(service, model, "trialok", config={"max_tokens": 3000})
    model.on("trialok", "Hello there")
    body = service.admin.post(f"{PATH}{record['id']}/test/").expect(200).json()
    equal((body["status"], body["provider"], body["model"], body["role"]), ("OK", "trialok", "openai/trialok", "rag"))
    expect("Hello" in body["sample"] and body["time"] >= 0, "sample", body)
    equal(len(model.calls("trialok")), 1)
    expect(len(model.calls("trialok")[0].prompt) < 300, "the request is long", model.calls("trialok")[0].prompt)


@claim("ai-cache 1.11: a test on request")
def an_inactive_model_can_be_tested(service):
    record = add_model(service, model, "trialina", active=False)
    equal(service.admin.post(f"{PATH}{record['id']}/test/").expect(200).json()["status"], "OK")


@claim("docs/ai-providers: role of a test")
def a_reader_is_tested_with_one_embedding(service):
    record = add_model(service, model, "trialread", roles=["reader"], active=False)
    body = service.admin.post(f"{PATH}{record['id']}/test/").expect(200).json()
    equal((body["status"], body["role"]), ("OK", "reader"))
    equal(model.calls("trialread")[0].path, "/v1/embeddings")


TESTS = [("refused key", Fails(401), "401"), ("unknown model", Fails(404), "404"), ("broken", Raw(b"x"), ""), ("silent", Says(""), "")]


@claim("docs/ai-providers: errors of a test", [Row(name, (at, reply, text)) for at, (name, reply, text) in enumerate(TESTS)])
def a_test_that_fails_says_why(service, at, reply, text):
    name = "trial" + "wxyz"[at] * 3
    record = add_model(service, model, name, api_key="sk-trial-secret", active=False)
    model.on(name, reply)
    response = service.admin.post(f"{PATH}{record['id']}/test/").expect(200)
    body = response.json()
    equal(body["status"], "FAIL")
    expect(body["error"] and text in body["error"], "error", body)
    expect("sk-trial-secret" not in response.text, "the key is shown")


@claim("docs/ai-providers: errors of a test")
def a_test_of_a_closed_port_says_connection_refused(service):
    record = create(service, "Closed", tags=["rag"], config={"api_base": "http://127.0.0.1:9/v1"}, active=False)
    body = service.admin.post(f"{PATH}{record['id']}/test/").expect(200).json()
    equal(body["status"], "FAIL")
    expect("connection refused" in body["error"], "error", body)


FAMILIES = [r"gpt", r"azure/", r"anthropic/", r"gemini/", r"ollama/", r"cohere/|command", r"bedrock/|amazon\.", r"huggingface/",
            r"vertex_ai/", r"local/extractive"]  # fmt: skip


@claim("ai-cache 1.11: templates for each family", [Row(each, (each,)) for each in FAMILIES])
def a_prepared_record_exists_and_is_inactive(service, pattern):
    with_prefix = [each for each in prepared(service) if re.match(pattern, each["model"])]
    expect(with_prefix, "no prepared record", [each["model"] for each in prepared(service)])
    equal({each["active"] for each in with_prefix}, {False})
    equal({each["api_key_set"] for each in with_prefix}, {False})


def prepared(service):
    return [each for each in service.admin.get(PATH, params={"items": 100}).json()["results"] if each["owner"] == ""]


@claim("ai-cache 1.11: only the local reader is active")
def only_the_built_in_reader_is_active_at_first(service):
    active = [each for each in prepared(service) if each["active"]]
    equal([(each["name"], each["tags"]) for each in active], [("local", ["reader"])])


@claim("docs/ai-providers: each is created once, by its name")
def prepared_records_stay_changed_and_deleted_after_a_restart(service):
    with Service(service.program) as other:
        records = prepared(other)
        gone, changed = [each for each in records if each["model"] not in ("local", "local/extractive")][:2]
        other.admin.delete(f"{PATH}{gone['id']}/").expect(204)
        other.admin.patch(f"{PATH}{changed['id']}/", {"model": "gpt-changed"}).expect(200)
        other.stop()
        other.start()
        after = {each["id"]: each for each in other.admin.get(PATH).expect(200).json()}
        equal(gone["name"] in [each["name"] for each in after.values()], False)
        equal(after[changed["id"]]["model"], "gpt-changed")
        equal(len(after), len(records) - 1)
