"""Declares claims: statements of the specification that a running service is checked against."""

import dataclasses
import json

# Responses in messages of failures are cut here.
SHOWN_CHARACTERS = 1500


@dataclasses.dataclass
class Row:
    """A row of a table: one claim of a function that is called once for each row."""

    name: str
    values: tuple


@dataclasses.dataclass
class Claim:
    name: str
    source: str
    run: object


def claim(source, rows=None):
    """Marks a function as a claim. `source` names the place in the specification, such as "interface: Search, retention".

    The function receives the service of its module. With `rows` it is called for each row of the table, with the row's
    values after the service, and each row counts as a claim.
    """

    def mark(function):
        function.claim_source, function.claim_rows = source, rows
        return function

    return mark


def claims_of(module):
    """The claims of a module, in the order of its text."""
    found = []
    for function in vars(module).values():
        if not hasattr(function, "claim_source") or function.__module__ != module.__name__:
            continue
        if function.claim_rows is None:
            found.append(Claim(function.__name__, function.claim_source, function))
        for row in function.claim_rows or []:
            found.append(Claim(f"{function.__name__}[{row.name}]", function.claim_source, with_row(function, row)))
    return found


def with_row(function, row):
    return lambda service: function(service, *row.values)


def expect(condition, message, *shown):
    """Fails with the message, followed by the values that explain it."""
    if not condition:
        raise AssertionError("; ".join([message, *(show(value) for value in shown)]))


def equal(actual, expected, message=""):
    if actual != expected or type(actual) is not type(expected) and isinstance(expected, bool):
        raise AssertionError(f"{message}{': ' if message else ''}expected {show(expected)}, got {show(actual)}")


def show(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
