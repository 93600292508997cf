"""What AdaptiveQueryProcessor sends to a provider: tags, exclusions, phrases and groups."""

import re
import urllib.parse

from harness import Row, claim, equal, expect
from harness.one_provider import ask

NONE, NOT, CHAR, BOTH = "", "NOT=True", "NOT_CHAR=-", "NOT=True,NOT_CHAR=-"


def sent(service, query, mappings=NONE, tags=()):
    """The query of the provider: what `info` says and the source saw."""
    asked = ask(service, query, query_mappings=mappings, tags=list(tags))
    seen = urllib.parse.parse_qs(asked.asked_for, keep_blank_values=True)["q"][0]
    equal(asked.query, seen, "info differs from what the source was asked")
    return seen


@claim("core 2.3, examples", rows=[
    Row("NOT mapped", ("alpha NOT beta gamma", NOT, "alpha NOT beta gamma")),
    Row("signs with NOT mapped", ("alpha -beta -gamma", "NOT=true", "alpha NOT beta gamma")),
    Row("NOT with a sign mapped", ("alpha NOT beta gamma", CHAR, "alpha -beta -gamma")),
    Row("sign with both mapped", ("alpha -beta", BOTH, "alpha -beta")),
    Row("NOT with both mapped", ("alpha NOT beta", BOTH, "alpha NOT beta")),
    Row("NOT without a mapping", ("alpha NOT beta", NONE, "alpha")),
    Row("sign without a mapping", ("alpha -beta gamma", NONE, "alpha gamma")),
    Row("another sign", ("alpha NOT beta", "NOT_CHAR=!", "alpha !beta")),
    Row("sign to another sign", ("alpha -beta", "NOT_CHAR=~", "alpha ~beta")),
    Row("NOT=false is not set", ("alpha NOT beta", "NOT=false", "alpha")),
    Row("NOT=False beside a sign", ("alpha NOT beta", "NOT=False,NOT_CHAR=-", "alpha -beta")),
    Row("first of repeated keys", ("alpha NOT beta", "NOT_CHAR=-,NOT_CHAR=!", "alpha -beta")),
    Row("exclusion first", ("-beta alpha", CHAR, "alpha -beta")),
])  # fmt: skip
def exclusions_are_written_as_the_mappings_say(service, query, mappings, expected):
    equal(sent(service, query, mappings), expected)


@claim("decisions 7.1: only NOT in capitals and a leading sign exclude", rows=[
    Row("lower case", ("why does my laptop not start",)), Row("lower case first", ("not beta",)),
    Row("mixed case", ("alpha Not beta",)), Row("inside a word", ("NOTHING compares",)),
    Row("sign inside a word", ("state-of-the-art pump",)), Row("number with a sign inside", ("covid-19 report",)),
])  # fmt: skip
def other_words_exclude_nothing(service, query):
    for mappings in [NONE, NOT, CHAR, BOTH]:
        equal(sent(service, query, mappings), query, mappings)


@claim("decisions 7.1: a quoted phrase is one token and never an operator", rows=[
    Row("not in a phrase", ('error "file not found" windows',)),
    Row("not in a long phrase", ('"to be or not to be" hamlet',)),
    Row("NOT in a phrase", ('"alpha NOT beta" gamma',)),
    Row("sign in a phrase", ('"copper -based" alloy',)),
    Row("tag in a phrase", ('"news:fed" rates',)),
    Row("OR in a phrase", ('"copper OR tin" alloy',)),
    Row("parentheses in a phrase", ('"copper (pure)" alloy',)),
    Row("phrase alone", ('"copper wire"',)),
])  # fmt: skip
def phrases_stay_whole(service, query):
    for mappings in [NONE, NOT, CHAR, BOTH]:
        equal(sent(service, query, mappings, ["News"] if ":" in query else []), query, mappings)


@claim("decisions 7.1: excluded phrases and groups", rows=[
    Row("phrase, none", ('copper -"tin foil"', NONE, "copper")),
    Row("phrase, sign", ('copper -"tin foil"', CHAR, 'copper -"tin foil"')),
    Row("phrase, NOT", ('copper -"tin foil"', NOT, 'copper NOT "tin foil"')),
    Row("phrase, both", ('copper -"tin foil"', BOTH, 'copper -"tin foil"')),
    Row("NOT phrase, sign", ('copper NOT "tin foil"', CHAR, 'copper -"tin foil"')),
    Row("AND NOT, none", ("copper AND NOT tin", NONE, "copper")),
    Row("AND NOT, sign", ("copper AND NOT tin", CHAR, "copper -tin")),
    Row("AND NOT, NOT", ("copper AND NOT tin", NOT, "copper NOT tin", "copper AND NOT tin")),
    Row("AND NOT, both", ("copper AND NOT tin", BOTH, "copper AND NOT tin")),
    Row("group, none", ("(copper NOT tin) OR zinc", NONE, "(copper) OR zinc", "copper OR zinc")),
    Row("group, sign", ("(copper NOT tin) OR zinc", CHAR, "(copper -tin) OR zinc")),
    Row("group, NOT", ("(copper NOT tin) OR zinc", NOT, "(copper NOT tin) OR zinc")),
    Row("group, both", ("(copper NOT tin) OR zinc", BOTH, "(copper NOT tin) OR zinc")),
    Row("NOT up to OR", ("copper NOT tin OR zinc", CHAR, "copper -tin OR zinc")),
    Row("NOT up to AND", ("copper NOT tin lead AND zinc", CHAR, "copper -tin -lead AND zinc", "copper AND zinc -tin -lead")),
    Row("NOT up to OR, none", ("copper NOT tin OR zinc", NONE, "copper OR zinc")),
])  # fmt: skip
def excluded_phrases_and_groups_stay_whole(service, query, mappings, *accepted):
    found = sent(service, query, mappings)
    expect(found in accepted, f"expected {' or '.join(accepted)}, got {found}")


def well_formed(text):
    """Whether quotes and parentheses are balanced, and each operator has what it joins."""
    if text.count('"') % 2:
        return False
    tokens = re.findall(r'-?"[^"]*"|-?[(]|[)]|[^\s()"]+', text)
    depth, needs_term = 0, True
    for token in tokens:
        if token in ("(", "-("):
            depth, needs_term = depth + 1, True
        elif token in (")", "AND", "OR"):
            if needs_term:
                return False
            depth, needs_term = (depth - 1, False) if token == ")" else (depth, True)
        elif token == "NOT":
            needs_term = True
        else:
            needs_term = False
            if token in ('""', '-""', "-", "--"):
                return False
        if depth < 0:
            return False
    return depth == 0 and not needs_term


HOSTILE = [
    '"copper wire', 'copper wire"', '"copper" wire" tin', "(copper wire", "copper) wire", "((copper) OR (tin)", ")copper(",
    "copper AND", "OR copper", "copper AND OR tin", "copper NOT", "copper ()", '"" copper', "copper (NOT tin)", "copper -",
    'copper -"tin', "copper -(tin OR lead)", "copper NOT (tin OR lead)", '(copper "tin) OR lead"', "NOT tin OR copper",
    "(NOT tin) AND copper", "copper AND (NOT tin OR NOT lead)", "(((((copper)))))", "-tin OR -lead copper", 'copper AND -"tin foil" OR',
    'copper "tin -lead', "copper OR (tin AND NOT)", "copper AND NOT (tin AND NOT lead)",
]  # fmt: skip


@claim("decisions 7.1: what is left is well-formed", rows=[Row(query, (query,)) for query in HOSTILE])
def torn_queries_become_well_formed(service, query):
    for mappings in [NONE, NOT, CHAR]:
        found = sent(service, query, mappings)
        expect(well_formed(found), f"{query!r} with {mappings!r} became {found!r}")
        expect("copper" in found, f"{query!r} with {mappings!r} lost its word: {found!r}")


@claim("quirks: quotes, parentheses and operators without a counterpart are removed", rows=[
    Row("open quote", ('"copper wire', "copper wire")), Row("closing quote", ('copper wire"', "copper wire")),
    Row("open parenthesis", ("(copper wire", "copper wire")), Row("closing parenthesis", ("copper) wire", "copper wire")),
    Row("operator at the end", ("copper AND", "copper")), Row("operator at the beginning", ("OR copper", "copper")),
    Row("empty parentheses", ("copper () wire", "copper wire")), Row("lone sign", ("copper - wire -- tin", "copper wire tin")),
    Row("NOT at the end", ("copper NOT", "copper")), Row("group kept", ("(copper OR tin) AND zinc", "(copper OR tin) AND zinc")),
])  # fmt: skip
def marks_without_a_counterpart_are_removed(service, query, expected):
    for mappings in [NONE, NOT, CHAR]:
        equal(sent(service, query, mappings), expected, mappings)


@claim("quirks: a source is not asked if a processor leaves nothing of its query", rows=[
    Row("NOT alone", ("NOT beta",)), Row("sign alone", ("-beta",)), Row("excluded phrase alone", ('-"beta gamma"',)),
])  # fmt: skip
def a_source_is_not_asked_for_nothing(service, query):
    asked = ask(service, query)
    equal(asked.requests, [])
    equal(asked.status, "error")
    expect(asked.info["error"]["code"] and asked.info["error"]["detail" if "detail" in asked.info["error"] else "message"],
           "no reason", asked.info)  # fmt: skip


@claim("core 2.3, examples of tags", rows=[
    Row("tag sticks", ("company:acme news", ["News", "Company"], "acme news")),
    Row("words outside the tag", ("pricing company:acme", ["News", "Company"], "acme")),
    Row("order of the provider's tags", ("news:fed rates company:acme", ["News", "Company"], "fed rates acme")),
    Row("tags in the other order", ("company:acme news:fed rates", ["News", "Company"], "fed rates acme")),
    Row("tags of others", ("news:fed rates company:acme", ["Email"], "news:fed rates company:acme")),
    Row("no tags at all", ("news:fed rates", [], "news:fed rates")),
    Row("tag in capitals", ("NEWS:fed", ["News"], "fed")),
    Row("tag with a space", ("news: fed rates", ["News"], "fed rates")),
    Row("tag with an exclusion", ("news:elon NOT twitter", ["News", "Company"], "elon -twitter")),
    Row("tag with a sign", ("news:elon -twitter", ["News"], "elon -twitter")),
    Row("phrase behind a tag", ('news:"fed rates" x', ["News"], '"fed rates" x')),
    Row("word not inside a tag", ("news:nothing else", ["News"], "nothing else")),
])  # fmt: skip
def tags_choose_the_words_of_a_provider(service, query, tags, expected):
    equal(sent(service, query, CHAR, tags), expected)


@claim("core 2.3, with the differences of quirks, and words with colons in the description of the search API", rows=[
    Row("unknown tag with a space", ("other: foo bar", ["News"], "other foo bar")),
    Row("title with a colon", ("Dune: Part Two", [], "Dune Part Two")),
    Row("text after a second colon", ("time:10:30 x", ["time"], "10:30 x")),
    Row("group before a tag", ("(news:fed OR news:ecb) x", ["News"], "(fed OR ecb) x")),
    Row("group behind a tag", ("tickets:(battery OR charger)", ["Tickets"], "(battery OR charger)")),
    Row("group of tags", ("(tickets:battery OR tickets:charger)", ["Tickets"], "(battery OR charger)")),
    Row("identifier with a colon", ("doi:10.1000/182", [], "doi:10.1000/182")),
    Row("time", ("10:30 train", ["10"], "10:30 train")), Row("ratio", ("16:9 screen", ["16"], "16:9 screen")),
    Row("IPv6 address", ("2001:db8::1 route", [], "2001:db8::1 route")),
    Row("name with two colons", ("std::vector growth", ["std"], "std::vector growth")),
])  # fmt: skip
def words_with_colons_are_no_tags_unless_the_source_has_them(service, query, tags, expected):
    equal(sent(service, query, CHAR, tags), expected)
