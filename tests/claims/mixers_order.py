"""The order of every mixer, and what mixers leave out."""

import datetime
import re

from harness import Row, Source, claim, equal, expect
from harness.federation import Providers, item, messages_with, titles

STATE = {}
QUERY = "copper roof repair"
TEXTS = [
    "Copper roof repair", "Repair of a copper roof in winter", "Roof repair", "Copper", "A roof", "Tools for repair",
    "Gardens", "Old copper coins and a roof", "Repair cafe", "Weather", "Copper roof", "Slate roof repair costs",
]  # fmt: skip


def prepare(service):
    STATE["source"] = Source().__enter__()
    STATE["providers"] = Providers(service, STATE["source"])
    STATE["many"] = []
    # Sources of 5, 4 and 3 results with different scores.
    for number, texts in enumerate([TEXTS[0:5], TEXTS[5:9], TEXTS[9:12]]):
        items = [item(text, url=f"http://{number}.example/{rank}") for rank, text in enumerate(texts)]
        STATE["many"].append(STATE["providers"].create(f"many {number}", items))


def finish():
    STATE["source"].__exit__()


def many(service):
    """A finished search over the three sources."""
    if "search" not in STATE:
        STATE["search"] = service.admin.run_search(QUERY, searchprovider_list=STATE["many"])["id"]
    return STATE["search"]


def mixed(service, mixer, search=None, **params):
    return service.admin.results(search or many(service), result_mixer=mixer, **params)


def by_score(results):
    return sorted(results, key=lambda each: (-each["swirl_score"], each["searchprovider_rank"]))


def stacked(results, size, wanted):
    """The stack of `size` results of each provider in turn, as the specification describes it."""
    groups = {}
    for each in by_score(results):
        groups.setdefault(each["searchprovider"], []).append(each)
    groups, found = list(groups.values()), []
    while any(groups) and len(found) < wanted:
        for group in groups:
            found += [group.pop(0) for _ in range(min(size, len(group)))]
    return [each["swirl_id"] for each in found[:wanted]]


@claim("core 7.3: RelevancyMixer; interface")
def relevancy_orders_by_score(service):
    results = mixed(service, "RelevancyMixer", page=1)["results"]
    scores = [each["swirl_score"] for each in results]
    expect(len(set(scores)) > 5, "the scores do not differ", scores)
    equal(scores, sorted(scores, reverse=True))


@claim("interface: RelevancyConfidenceMixer (default)")
def confidence_is_the_default_order(service):
    results = service.admin.results(many(service))["results"]
    scores = [each["swirl_confidence_score"] for each in results]
    equal(scores, sorted(scores, reverse=True))
    same = [each["swirl_id"] for each in mixed(service, "RelevancyConfidenceMixer")["results"]]
    equal([each["swirl_id"] for each in results], same)


@claim("decisions 7.3: ties by provider rank, then by date")
def equal_scores_are_ordered_by_rank_and_then_by_date(service):
    def dated(words, dates):
        return [item(f"{word} garden", f"{word} plants", date=date) for word, date in zip(words, dates)]

    mappings = "title=title,body=body,url=url,date_published=date"
    first = STATE["providers"].create(
        "ties 1", dated(["Lemon", "Melon"], ["2020-01-01", "2023-01-01"]), result_mappings=mappings
    )
    second = STATE["providers"].create(
        "ties 2", dated(["Plum", "Pear"], ["2022-01-01", "2019-01-01"]), result_mappings=mappings
    )
    third = STATE["providers"].create("ties 3", dated(["Fig"], [None]), result_mappings=mappings)
    search = service.admin.run_search("copper", searchprovider_list=[first, second, third])["id"]
    response = mixed(service, "RelevancyMixer", search)
    equal({each["swirl_score"] for each in response["results"]}, {0}, "scores")
    equal(titles(response), [f"{word} garden" for word in ["Plum", "Lemon", "Fig", "Melon", "Pear"]])


STACKS = [
    Row("Stack1Mixer", ("Stack1Mixer", 1)), Row("RoundRobinMixer", ("RoundRobinMixer", 1)),
    Row("Stack2Mixer", ("Stack2Mixer", 2)), Row("Stack3Mixer", ("Stack3Mixer", 3)),
]  # fmt: skip


@claim("core 7.3: stack algorithm", rows=STACKS)
def stacks_take_results_of_each_source_in_turn(service, mixer, size):
    everything = mixed(service, "RelevancyMixer")["results"] + mixed(service, "RelevancyMixer", page=2)["results"]
    equal(len(everything), 12)
    expected = stacked(everything, size, 12)
    found = mixed(service, mixer)["results"] + mixed(service, mixer, page=2)["results"]
    equal([each["swirl_id"] for each in found], expected)


@claim("core 7.3: example of k = 2")
def two_of_each_as_in_the_example(service):
    strong = [item(text) for text in ["copper roof repair", "Guide to copper roof repair in winter", "Weather"]]
    weak = [item(text, url=f"http://weak.example/{len(text)}") for text in ["roof repair of a", "roof"]]
    names = [STATE["providers"].create("example X", strong), STATE["providers"].create("example Y", weak)]
    search = service.admin.run_search(QUERY, searchprovider_list=names)["id"]
    found = [each["searchprovider"][-1] for each in mixed(service, "Stack2Mixer", search)["results"]]
    equal(found, ["X", "X", "Y", "Y", "X"])


@claim(
    "core 7.3: StackN, floor(R / providers)",
    rows=[Row("R 9", (9, 3)), Row("R 6", (6, 2)), Row("R 2", (2, 1)), Row("R 1", (1, 1))],
)  # fmt: skip
def stack_n_shares_the_page(service, wanted, size):
    search = service.admin.run_search(QUERY, searchprovider_list=STATE["many"], results_requested=wanted)["id"]
    everything = []
    for page in range(1, 13):
        everything += mixed(service, "RelevancyMixer", search, page=page)["results"] if (page - 1) * wanted < 12 else []
    equal(
        [each["swirl_id"] for each in mixed(service, "StackNMixer", search)["results"]],
        stacked(everything, size, wanted),
    )  # fmt: skip


@claim("core 7.3: every mixer on an empty list", rows=[Row(name, (name,)) for name in [
    "RelevancyMixer", "RelevancyConfidenceMixer", "DateMixer", "RoundRobinMixer", "Stack1Mixer", "Stack2Mixer",
    "Stack3Mixer", "StackNMixer", "RelevancyNewItemsMixer", "DateNewItemsMixer",
]])  # fmt: skip
def mixers_work_without_results(service, mixer):
    if "empty" not in STATE:
        provider = STATE["providers"].create("empty", [])
        STATE["empty"] = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    response = mixed(service, mixer, STATE["empty"])
    equal((response["results"], response["info"]["results"]["retrieved_total"]), ([], 0))
    expect(response["messages"][-1].endswith(f"Results ordered by: {mixer}"), "last message", response["messages"][-1])


DATED = [
    ("Offset east", "2024-05-01T01:00:00+05:00"), ("Utc", "2024-05-01T00:00:00Z"),
    ("Offset west", "2024-04-30T23:30:00-05:00"),
    ("Old", "1999-12-31"), ("No date", None), ("In words", "sometime"), ("New", "2025-01-01"),
]  # fmt: skip
# A date in words is no `unknown` date, and has no instant.
INSTANTS = ["New", "Offset west", "Utc", "Offset east", "Old", "In words"]


def dated(service):
    if "dated" not in STATE:
        items = [item(f"{name} copper", date=date) for name, date in DATED]
        mappings = "title=title,body=body,url=url,date_published=date"
        provider = STATE["providers"].create("dated", items, result_mappings=mappings)
        STATE["dated"] = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    return STATE["dated"]


@claim("core 7.3: DateMixer compares instants, leaves out unknown dates")
def the_newest_instant_comes_first(service):
    equal(titles(mixed(service, "DateMixer", dated(service))), [f"{name} copper" for name in INSTANTS])


@claim("core 7.3: DateMixer message")
def the_date_mixer_says_what_it_hid(service):
    response = mixed(service, "DateMixer", dated(service))
    equal(len(messages_with(response, "DateMixer hid 1 results with date_published='unknown'")), 1)
    # quirks, Mixers: found_total is what the sources found, retrieved_total what the mixer lists.
    equal((response["info"]["results"]["found_total"], response["info"]["results"]["retrieved_total"]), (7, 6))


@claim("core 7.3: DateMixer message also for 0")
def the_date_mixer_says_that_it_hid_nothing(service):
    mappings = "title=title,body=body,url=url,date_published=date"
    provider = STATE["providers"].create("all dated", [item("copper", date="2020-01-01")], result_mappings=mappings)
    search = service.admin.run_search("copper", searchprovider_list=[provider])["id"]
    equal(
        len(
            messages_with(mixed(service, "DateMixer", search), "DateMixer hid 0 results with date_published='unknown'")
        ),
        1,
    )  # fmt: skip


def updated(service, name, **fields):
    """A search that was updated once: two old results, then two new ones, one without a date."""
    mappings = "title=title,body=body,url=url,date_published=date"
    old = [item(f"copper {name} old {n}", date=f"2020-01-0{n}") for n in (1, 2)]
    new = [
        item(f"copper {name} new", date="2024-01-01"), item(f"copper {name} newer", date="2024-02-01"),
        item(f"copper {name} undated"),
    ]  # fmt: skip
    provider = STATE["providers"].create(name, old, result_mappings=mappings)
    search = service.admin.run_search("copper", searchprovider_list=[provider], **fields)["id"]
    STATE["providers"].answer(provider, {"items": new + old})
    service.admin.get("/svc/search/", params={"update": search}).expect(302)
    equal(service.admin.finished_search(search)["status"], "FULL_UPDATE_READY")
    return search


@claim("core 7.3: RelevancyNewItemsMixer")
def only_new_results_by_score(service):
    response = mixed(service, "RelevancyNewItemsMixer", updated(service, "news a"))
    equal(set(titles(response)), {"copper news a new", "copper news a newer", "copper news a undated"})
    scores = [each["swirl_score"] for each in response["results"]]
    equal(scores, sorted(scores, reverse=True))
    equal([each["new"] for each in response["results"]], [1, 1, 1])
    equal(len(messages_with(response, "hid 2 old results")), 1, "message")


@claim("core 7.3: RelevancyNewItemsMixer message")
def without_new_results_the_mixer_says_so(service):
    response = mixed(service, "RelevancyNewItemsMixer")
    equal(response["results"], [])
    equal(len(messages_with(response, "found 0 new results")), 1)


@claim("core 7.3: DateNewItemsMixer, new and dated")
def only_new_results_with_a_date(service):
    response = mixed(service, "DateNewItemsMixer", updated(service, "news b"))
    equal(titles(response), ["copper news b newer", "copper news b new"])


@claim("core 7.3: mark_all_read")
def new_results_can_be_marked_as_read(service):
    search = updated(service, "news c")
    marked = mixed(service, "RelevancyNewItemsMixer", search, mark_all_read="1")
    equal(len(marked["results"]), 3, "in the response that marks them")
    equal(len(messages_with(marked, "marked 3 results as read")), 1, "message")
    equal(mixed(service, "RelevancyNewItemsMixer", search)["results"], [], "afterwards")
    everything = service.admin.results(search)["results"]
    equal(len(everything), 5)
    equal([each for each in everything if each.get("new")], [])


@claim(
    "core 7.3: mark_all_read belongs to NewItems mixers",
    rows=[Row("other mixer", ("RelevancyMixer", "1")), Row("empty value", ("RelevancyNewItemsMixer", ""))],
)  # fmt: skip
def nothing_is_marked_otherwise(service, mixer, value):
    search = updated(service, f"news d {mixer}")
    mixed(service, mixer, search, mark_all_read=value)
    equal(len(mixed(service, "RelevancyNewItemsMixer", search)["results"]), 3)


@claim("interface: mixed results, the last message names the mixer; decisions 3.10", rows=[
    Row(name, (name,)) for name in [
        "RelevancyMixer", "DateMixer", "RoundRobinMixer", "Stack2Mixer", "RelevancyNewItemsMixer"
    ]
])  # fmt: skip
def the_last_message_names_the_mixer(service, mixer):
    last = mixed(service, mixer)["messages"][-1]
    expect(
        re.fullmatch(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\] Results ordered by: " + mixer, last), "last message",
        last,
    )  # fmt: skip


@claim("core 7: unknown mixer in a URL; quirks, Required by the API specification")
def an_unknown_mixer_in_a_url_is_reported(service):
    response = mixed(service, "NoSuchMixer")
    expect(messages_with(response, "NoSuchMixer"), "no message names it", response["messages"])
    equal(len(response["results"]), 10)
    expect("NoSuchMixer" not in response["messages"][-1], "last message", response["messages"][-1])


@claim("core 7: a blank mixer is an error")
def a_blank_mixer_is_refused(service):
    service.admin.get("/svc/results/", params={"search_id": many(service), "result_mixer": ""}).expect(400)


@claim(
    "interface: Search.result_mixer; quirks",
    rows=[
        Row("unknown", ("NoSuchMixer",)), Row("other case", ("relevancymixer",)), Row("blank", ("",)),
        Row("number", (1,)),
    ],
)  # fmt: skip
def an_unknown_mixer_of_a_search_is_refused(service, mixer):
    problem = service.admin.post("/svc/search/", {"query_string": "copper", "result_mixer": mixer}).expect(400).json()
    expect(
        "result_mixer" in problem.get("errors", {}) or "result_mixer" in problem["detail"], "the field is not named",
        problem,
    )  # fmt: skip


@claim("interface: result_mixer of the search orders its results")
def the_mixer_of_the_search_is_used(service):
    search = service.admin.run_search(QUERY, searchprovider_list=STATE["many"], result_mixer="RoundRobinMixer")
    response = service.admin.results(search["id"])
    equal(
        [each["swirl_id"] for each in response["results"]],
        [each["swirl_id"] for each in mixed(service, "Stack1Mixer", search["id"])["results"]],
    )  # fmt: skip
    expect(response["messages"][-1].endswith("RoundRobinMixer"), "last message", response["messages"][-1])


@claim("interface: qs with result_mixer")
def qs_takes_a_mixer(service):
    response = service.admin.search("copper", providers=STATE["many"], result_mixer="DateMixer")
    expect(response["messages"][-1].endswith("DateMixer"), "last message", response["messages"][-1])
    equal(response["results"], [])


@claim("decisions 3.18; core 7.3")
def the_catalog_names_every_mixer(service):
    rows = service.admin.get("/svc/mixers/").expect(200).json()
    equal(sorted(each["name"] for each in rows), sorted([
        "RelevancyMixer", "RelevancyConfidenceMixer", "DateMixer", "RoundRobinMixer", "Stack1Mixer", "Stack2Mixer",
        "Stack3Mixer", "StackNMixer", "RelevancyNewItemsMixer", "DateNewItemsMixer",
    ]))  # fmt: skip
    expect(all(each["summary"] and each["kind"] == "mixer" for each in rows), "a row is incomplete", rows)


@claim("core 7.2: messages of mixers are stamped with the time")
def mixers_write_the_present_time(service):
    last = mixed(service, "RelevancyMixer")["messages"][-1]
    stamp = datetime.datetime.fromisoformat(last[1 : last.index("]")]).replace(tzinfo=datetime.timezone.utc)
    expect(
        abs((datetime.datetime.now(datetime.timezone.utc) - stamp).total_seconds()) < 60, "not the present time in UTC",
        last,
    )  # fmt: skip
