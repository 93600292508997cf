"""What people get at default settings: documents of the cache by words, names and meaning, versions, and answers to questions."""

import html
import re

from harness import Row, claim, equal, eventually, expect
from harness.answers import add_model, add_source, ask, summary
from harness.documents import CACHE_NAME, cached_results, supply
from harness.license import licensed
from harness.model import Model
from harness.source import Source

SETTINGS = licensed(SVC_CANONICAL_AUTO_ELECT_ENABLED="True", SVC_OUTBOUND_ALLOW="127.0.0.1")
source, model = Source(), Model()
STATE = {"ids": {}}
# Documents by name; each is supplied with further sentences, because a supplied text needs 200 words.
DOCUMENTS = {
    "contract": (
        "Gauge hosting agreement Alder Lock v3 final",
        "This agreement is made between the Canal Trust and Carrow Water. The operator may keep its gauge at Alder Lock. "
        "The yearly fee is one hundred and fifty crowns, due in March. The operator repairs at its own cost any damage to the wall.",
    ),
    "boiler": (
        "Heating of the village school",
        "The old boiler of the school was replaced by a heat pump. The caretaker reads its meter every Friday. "
        "In the first winter the school used a third less energy than before, although January was colder than usual.",
    ),
    "dam": (
        "Report on the exercise at Hollin Dam",
        "The siren could not be heard in the lower valley. Two of the five sluices opened only by hand. "
        "The radio of the control center failed for twenty minutes, and the list of telephone numbers was out of date.",
    ),
    "training": (
        "Rules for new staff",
        "Every employee repeats the course on safety at work every two years. New employees take it in their first week. "
        "The office keeps the certificates for ten years and reminds the heads of departments in writing.",
    ),
    "moth": (
        "Night moths of the river meadows",
        "A lamp and a white sheet attracted forty kinds of moths in one night. The rarest had last been seen here in 1974. "
        "Warm and windless evenings in June were the best. The meadows are mown late so that the caterpillars survive.",
    ),
}  # fmt: skip
PADDING = [
    "The page continues with remarks on its own history and on the people who wrote it down for their colleagues.",
    "Some of them are named at the end, others asked not to be mentioned, and a few had moved away by then.",
    "Copies were sent to the archive of the town, where anybody may read them during the usual hours.",
    "A later note corrects two misprints and adds that nothing else was changed since the first printing.",
    "Readers who want to know more may write a note, which is usually answered within some weeks.",
]  # fmt: skip


def padded(text):
    words, found = text.split(), [text]
    while len(words) < 205:
        found.append(PADDING[(len(found) - 1) % len(PADDING)])
        words += found[-1].split()
    return " ".join(found)


def prepare(service):
    source.__enter__()
    model.__enter__()
    for name, (title, text) in DOCUMENTS.items():
        STATE["ids"][name] = supply(service.admin, f"https://library.example/{name}", padded(text), title)["signal_id"]
    add_model(service, model, "Writer", active=False)
    records = service.admin.get("/svc/aiproviders/").expect(200).json()
    STATE["extractive"] = next(each for each in records if each["model"] == "local/extractive")["id"]
    service.admin.patch(f"/svc/aiproviders/{STATE['extractive']}/", {"active": True}).expect(200)


def finish():
    source.__exit__()
    model.__exit__()


QUERIES = [
    ("words", "yearly fee one hundred and fifty crowns", "contract"), ("a party", "Canal Trust", "contract"),
    ("a title", "gauge hosting agreement", "contract"), ("a question about it", "who pays for damage to the wall", "contract"),
    ("a question", "what went wrong in the Hollin Dam exercise", "dam"), ("a name", "Hollin Dam", "dam"),
    ("words of another", "siren lower valley", "dam"), ("a question of how often", "how often must staff repeat the safety course", "training"),
    ("insects", "moths lamp white sheet", "moth"), ("other words", "rare insects attracted by light", "moth"),
    ("other words for heating", "how the school saved energy", "boiler"),
]  # fmt: skip


@claim("interface: SVC_CORPUS_MIN_SCORE 0.50; the cache finds its documents at default settings", rows=[
    Row(name, (query, expected)) for name, query, expected in QUERIES
])  # fmt: skip
def the_cache_finds_its_documents(service, query, expected):
    found = service.admin.search(query, providers=[CACHE_NAME])
    ids = [each["cache"]["signal_id"] for each in found["results"]]
    expect(STATE["ids"][expected] in ids[:2], f"{expected} is not among the first two", [each["title"] for each in found["results"]])


@claim("ai-cache 2.6: one result for each document; best chunk as body, further ones in payload.passages")
def a_long_document_is_one_result_with_passages(service):
    parts = [f"Chapter {n} describes the {word} of the monastery garden and who looked after it. " + " ".join(PADDING) * 4
             for n, word in enumerate(["fountain", "beehives", "orchard", "sundial", "herbs"])]  # fmt: skip
    signal_id = supply(service.admin, "https://library.example/garden", " ".join(parts), "The monastery garden")["signal_id"]
    found = service.admin.search("beehives of the monastery garden", providers=[CACHE_NAME])["results"]
    own = [each for each in found if each["cache"]["signal_id"] == signal_id]
    equal(len(own), 1)
    expect("beehives" in own[0]["body"], "the best chunk is the body", own[0]["body"])
    expect(1 <= len(own[0]["payload"]["passages"]) <= 2, "passages", own[0]["payload"])


def family(service, host, titles, texts):
    for number, (title, text) in enumerate(zip(titles, texts, strict=True)):
        supply(service.admin, f"https://{host}.example/{number}", padded(text), title)


INVOICE = (
    "Invoice for cleaning the offices in {month} 2025. Amount due: {sum} crowns. Invoice number 2025-{n}. Please pay within thirty days "
    "to the account of Bright and Sons. The hours are listed below by floor and day."
)  # fmt: skip
MINUTES = (
    "Minutes of the meeting of the allotment society. The committee decided to renew the fence and to raise the fee by two crowns. "
    "The treasurer reported a small surplus. {end}"
)


@claim("interface: clustering of document versions; documents of one form are no versions")
def documents_of_one_form_are_no_versions(service):
    months = [("January", 410), ("March", 425), ("May", 398)]
    texts = [INVOICE.format(month=month, sum=total, n=n + 1) for n, (month, total) in enumerate(months)]
    family(service, "invoices", [f"Invoice {month} 2025 cleaning" for month, _ in months], texts)
    found = service.admin.search("invoice march 2025 cleaning", providers=[CACHE_NAME])["results"]
    equal(found[0]["title"].replace("<em>", "").replace("</em>", ""), "Invoice March 2025 cleaning")
    equal(found[0]["cache"]["badge"], "Cached")


@claim("interface: clustering of document versions; a draft and its approved form are versions")
def a_draft_and_its_approved_form_are_versions(service):
    states = ["draft", "approved", "signed"]
    ends = ["This is a draft.", "Approved by the chair.", "Signed by the chair."]
    family(service, "minutes", [f"Minutes 4 May 2025 allotment society {state}" for state in states], [MINUTES.format(end=end) for end in ends])

    def clustered():
        found = [each for each in cached_results(service.admin, "minutes allotment society fence").values() if "minutes" in each["url"]]
        sizes = [(each["cache"].get("cluster") or {}).get("size") for each in found]
        return found if sizes and set(sizes) == {3} else None

    found = eventually(clustered, 20, "the three are not versions of one document")
    winner = [each for each in found if each["cache"]["cluster"]["role"] == "winner"]
    equal(len(winner), 1)
    expect("draft" not in winner[0]["title"].lower(), "the draft wins", winner[0]["title"])


def question(service, word, query, found, provider=None, threshold=None):
    """The summary of a question over results of a live source, at the default threshold."""
    made = add_source(service, source, word, found, threshold=threshold)
    search = service.admin.run_search(query, searchprovider_list=[made["id"]])
    return ask(service.admin, search, ai_provider=provider or STATE["extractive"])


CARROW = [
    {"title": "Water shortage in the county", "url": "https://news.example/1",
     "body": "Carrow Water has lost eighteen percent of its storage since April. The company asks its customers to save water."},
    {"title": "New bridge", "url": "https://news.example/2", "body": "The county plans a new bridge over the river, north of the mill."},
    {"title": "School fair", "url": "https://news.example/3", "body": "The fair of the village school takes place in June again."},
]  # fmt: skip
SENSORS = [
    {"title": "Heron 3 in daily use", "url": "https://sensors.example/1",
     "body": "The Heron 3 uses a fifth of the energy of its predecessor. Its battery lasts eleven years at one reading an hour."},
    {"title": "Calibrating sensors", "url": "https://sensors.example/2",
     "body": "Calibrating sensors. Without a lab, you calibrate a Heron sensor in a bucket of ice water, for an hour. Files are kept elsewhere."},
]  # fmt: skip


@claim("ai-cache 1.3, 1.9: a plain question is answered at the default threshold", rows=[
    Row("storage", ("How much storage has Carrow Water lost?", CARROW, "eighteen percent")),
    Row("battery", ("How long does the battery last with the Heron 3?", SENSORS, "eleven years")),
    Row("calibration", ("how do I calibrate a Heron sensor without a lab", SENSORS, "ice water")),
])  # fmt: skip
def a_question_is_answered_by_the_sentence_that_answers(service, query, found, expected):
    answer = question(service, "plain" + expected[:3], query, found)
    expect(expected in summary(answer)["body"], "the answer", answer["ai_summary"])


@claim("ai-cache 1.9: nothing relevant enough", rows=[
    Row("capital", ("capital", "What is the capital of France?")), Row("moon", ("moon", "Who was the first woman on the moon?")),
])  # fmt: skip
def a_question_that_nothing_answers_is_not_answered(service, word, query):
    answer = question(service, f"nothing{word}", query, CARROW)
    equal((summary(answer)["body"] if answer["ai_summary"] else ""), "", str(answer["ai_summary"]))


BRIDGE = [
    {"title": "{} bridge", "url": "https://{}.example/b",
     "body": "The {} bridge was opened in 1932. Its arch weighs thirty-nine thousand tonnes, and its roadway has eight lanes."},
]  # fmt: skip


@claim("ai-cache 1.8: grounded; numbers, dates and negations are compared", rows=[
    Row("right", ("The {} bridge was opened in 1932 [1].", True)), Row("another year", ("The {} bridge was opened in 1847 [1].", False)),
    Row("another weight", ("Its arch weighs twelve tonnes [1].", False)), Row("negated", ("The {} bridge was not opened in 1932 [1].", False)),
    Row("another number", ("Its roadway has six lanes [1].", False)), Row("the same number in figures", ("Its roadway has 8 lanes [1].", True)),
])  # fmt: skip
def a_wrong_number_is_not_called_supported(service, text, is_supported):
    word = "bridge" + "abcdefghijkl"[len(text) % 12] + "tf"[is_supported] + text[-7]
    word = "".join(character for character in word if character.isalpha())
    found = [{name: value.replace("{}", word) for name, value in BRIDGE[0].items()}]
    service.admin.patch(f"/svc/aiproviders/{writer(service)}/", {"active": True}).expect(200)
    model.on(word, text.replace("{}", word))
    made = summary(question(service, word, word, found, writer(service), threshold=0))["additional_content"]
    equal((made["grounded"] == 1.0, bool(made["warnings"])), (is_supported, not is_supported), str(made["sentences"]))


def writer(service):
    return next(each["id"] for each in service.admin.get("/svc/aiproviders/").json() if each["name"] == "Writer")


@claim("ai-cache 1.12: small talk is not answered with sentences of documents", rows=[Row(text, (text,)) for text in ["thank you", "hello"]])
def the_extractive_chat_answers_small_talk_without_sources(service, text):
    tags = service.admin.get(f"/svc/aiproviders/{STATE['extractive']}/").json()["tags"]
    service.admin.patch(f"/svc/aiproviders/{STATE['extractive']}/", {"tags": [*tags, "chat"]}).expect(200)
    chat = service.admin.post("/svc/chat/", {"ai_provider": STATE["extractive"]}).expect(201).json()
    reply = service.admin.post(f"/svc/chat/{chat['id']}/messages/", {"content": text}).expect(200, 201).json()
    equal(reply["citations"], [], reply["content"])


LANGUAGES = [
    Row("German", (
        "Flüsse und Pegel nicht nur im Harz", "Der Fluss ist nach dem Regen gestiegen, auch der Harz ist nicht mehr sicher.",
        ["Fluss", "Harz"],
    )),
    Row("German, not shown by the query", ("Flüsse im Harz", "Der Fluss ist nach dem Regen gestiegen, auch der Harz ist nicht mehr sicher.", ["Fluss"])),
    Row("French", ("les rivières et les forêts de la vallée", "La rivière est dans la forêt, et elle n'est pas très profonde dans la vallée.", ["rivière", "forêt"])),
    Row("Spanish", ("los ríos y los puentes de la ciudad", "El río está debajo del puente, y no es muy profundo en la ciudad vieja.", ["puente"])),
    Row("English", ("rivers and bridges of the valley", "The river is under the bridge, and it is not very deep in the valley.", ["river", "bridge"])),
]  # fmt: skip


@claim("decisions 0023: the language of a query and of each result decides stems and stopwords", rows=LANGUAGES)
def inflected_words_of_a_language_are_found(service, query, body, words):
    word = f"language{len(query)}{query[0]}"
    other = "Nothing in this text is about water; the barn is old and its owners are not at home in the summer."
    found = [{"title": "One", "url": f"https://{word}.example/1", "body": other}, {"title": "Two", "url": f"https://{word}.example/2", "body": body}]
    made = add_source(service, source, word, found)
    results = service.admin.search(query, providers=[made["id"]])["results"]
    best = results[0]
    for each in words:
        expect(f"<em>{each}</em>" in best["body"], f"{each} is not found", best["body"])
    last = [each for each in results if each["url"].endswith("/1")][0]
    expect("<em>" not in last["body"] and last["swirl_confidence_score"] < best["swirl_confidence_score"], "stopwords match", last["body"])


@claim("decisions 0023: a query in another language is not corrected as English", rows=[
    Row("German", ("Hochwaser und Brüken nicht im Tal",)), Row("French", ("les rivieres et les pons de la valee",)),
    Row("Spanish", ("los rios y los puntes de la ciudad",)), Row("one German word", ("Hochwasserschutzgesetz",)),
])  # fmt: skip
def the_english_dictionary_changes_no_other_language(service, query):
    word = f"spelled{len(query)}{query[0]}"
    made = add_source(service, source, word, [], query_processors=["SpellcheckQueryProcessor"])
    info = service.admin.search(query, providers=[made["id"]])["info"][made["name"]]
    equal(info["query_string_to_provider"], query)


@claim("core 2.4: what SpellcheckQueryProcessor corrects", rows=[
    Row(typed, (typed, right)) for typed, right in [
        # In two parts, so that this file has no typos.
        ("te" "h river", "the river"), ("pir" "ces of copper", "prices of copper"), ("machine ler" "ning", "machine learning"),
        ("rec" "ieve a box of books", "receive a box of books"), ("two slips are possible: cha" "rgr", None),
    ]
])  # fmt: skip
def common_slips_are_corrected(service, typed, right):
    word = f"slip{typed[:3].strip()}"
    made = add_source(service, source, word, [], query_processors=["SpellcheckQueryProcessor"])
    info = service.admin.search(typed, providers=[made["id"]])["info"][made["name"]]
    if right:
        equal(info["query_string_to_provider"], right)
    else:
        expect("charge" not in info["query_string_to_provider"].split(), "one of several words is chosen", info)


@claim("decisions 6: angle brackets in plain text survive", rows=[Row(text, (text,)) for text in [
    "Vec<String> and HashMap<K, V>", "x<y and z>w", "at <https://shop.example|the shop> now", "From: Ann <ann@a.example>", "a < b && c > d",
    "Put the <script> tag before </body>.",
]])  # fmt: skip
def text_in_angle_brackets_is_not_lost(service, text):
    word = f"angle{sum(map(ord, text))}"
    found = [{"title": f"zinc {text}", "url": f"https://{word}.example/", "body": f"About zinc: {text}"}]
    made = add_source(service, source, word, found)
    result = service.admin.search("zinc", providers=[made["id"]])["results"][0]
    for field in ["title", "body"]:
        shown = plain_text(result[field])
        expect(text in shown, f"{field} lost something", result[field])


def plain_text(field):
    """A highlighted text as people read it."""
    return html.unescape(re.sub(r"</?em>", "", field))


@claim("core 2.2: all entities of HTML", rows=[Row(name, (name, shown)) for name, shown in [
    ("&alpha;", "α"), ("&le;", "≤"), ("&minus;", "−"), ("&scaron;", "š"), ("&CounterClockwiseContourIntegral;", "∳"), ("&#8364;", "€"),
]])  # fmt: skip
def entities_are_characters(service, name, shown):
    word = f"entity{sum(map(ord, name))}"
    found = [{"title": f"zinc {name} x", "url": f"https://{word}.example/", "body": f"<p>About zinc {name}.</p>"}]
    made = add_source(service, source, word, found)
    result = service.admin.search("zinc", providers=[made["id"]])["results"][0]
    expect(shown in result["title"] and shown in result["body"] and "&" not in result["body"], "the text", result["title"], result["body"])
