"""Dates of results: the forms that sources use and the one that is returned."""

import datetime
import re

from harness import Row, claim, equal, expect
from harness.one_provider import ask


def mapped(service, value, mappings="title=t,date_published=d,NO_PAYLOAD"):
    item = {"t": "Entry", "url": "https://example.org/x", **({} if value is ... else {"d": value})}
    asked = ask(service, respond={"items": [item]}, result_mappings=mappings, result_processors=["MappingResultProcessor"])
    equal(asked.status, "ok", str(asked.info.get("error")))
    return asked.first


YEAR = datetime.date.today().year


@claim("core 4.6, table, with the differences of quirks", rows=[
    Row("day", ("2021-03-04", "2021-03-04 00:00:00")), Row("time in UTC", ("2021-03-04T05:06:07Z", "2021-03-04 05:06:07+00:00")),
    Row("RFC 2822", ("Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05 10:00:00+00:00")),
    Row("seconds", (1700000000, "2023-11-14 22:13:20+00:00")), Row("milliseconds", (1700000000000, "2023-11-14 22:13:20+00:00")),
    Row("seconds as a text", ("1700000000", "2023-11-14 22:13:20+00:00")),
    Row("milliseconds as a text", ("1700000000000", "2023-11-14 22:13:20+00:00")),
    Row("year", ("2021", "2021-01-01 00:00:00")), Row("year as a number", (2021, "2021-01-01 00:00:00")),
    Row("digits of a day", ("20210304", "2021-03-04 00:00:00")), Row("month first", ("3/4/2021", "2021-03-04 00:00:00")),
    Row("month first with dots", ("04.03.2021", "2021-04-03 00:00:00")), Row("month and year", ("March 2020", "2020-03-01 00:00:00")),
    Row("digits of a month", ("202103", "2021-03-01 00:00:00")), Row("season", ("Spring 2022", "Spring 2022")),
    Row("unknown", ("unknown", "unknown")), Row("None", ("None", "unknown")), Row("null", (None, "unknown")),
    Row("missing", (..., "unknown")), Row("empty", ("", "unknown")),
])  # fmt: skip
def dates_have_one_form(service, value, expected):
    equal(mapped(service, value)["date_published"], expected)


@claim("core 4.6, algorithm", rows=[
    Row("offset is kept", ("2021-03-04T05:06:07+05:30", "2021-03-04 05:06:07+05:30")),
    Row("negative offset", ("2021-03-04T05:06:07-08:00", "2021-03-04 05:06:07-08:00")),
    Row("fraction", ("2021-03-04T05:06:07.250Z", "2021-03-04 05:06:07.250000+00:00")),
    Row("no offset", ("2021-03-04 05:06:07", "2021-03-04 05:06:07")), Row("no seconds", ("2021-03-04T05:06", "2021-03-04 05:06:00")),
    Row("month with a name", ("March 5, 2021", "2021-03-05 00:00:00")), Row("day first with a name", ("5 March 2021", "2021-03-05 00:00:00")),
    Row("short month", ("5 Mar 2021", "2021-03-05 00:00:00")), Row("day that cannot be a month", ("25/12/2021", "2021-12-25 00:00:00")),
    Row("day with dots that cannot be a month", ("25.12.2021", "2021-12-25 00:00:00")), Row("slashes, year first", ("2021/03/04", "2021-03-04 00:00:00")),
    Row("year and month", ("2021-03", "2021-03-01 00:00:00")), Row("leap day", ("2024-02-29", "2024-02-29 00:00:00")),
    Row("impossible day", ("2021-02-30", "2021-02-30")), Row("impossible month", ("2021-13-01", "2021-13-01")),
    Row("text", ("no date at all", "no date at all")), Row("12 hours", ("March 5, 2021 3:04 PM", "2021-03-05 15:04:00")),
    Row("fraction of seconds", (1700000000.5, "2023-11-14 22:13:20.500000+00:00")), Row("before 1970", ("1899-12-31", "1899-12-31 00:00:00")),
    Row("ordinal", ("March 5th, 2021", "2021-03-05 00:00:00")), Row("compact time", ("20210304T050607Z", "2021-03-04 05:06:07+00:00")),
])  # fmt: skip
def other_forms_of_dates_are_read(service, value, expected):
    equal(mapped(service, value)["date_published"], expected)


@claim("core 4.6: hostile dates leave the provider alone", rows=[
    Row("many digits", ("9" * 400,)), Row("large number", (10**30,)), Row("negative number", (-10**18,)), Row("object", ({"a": 1},)),
    Row("list", (["2021", "x"],)), Row("true", (True,)), Row("year zero", ("0000-00-00",)), Row("other digits", ("٢٠٢١-٠٣-٠٤",)),
    Row("emoji", ("🎸" * 50,)),
])  # fmt: skip
def hostile_dates_do_no_harm(service, value):
    found = mapped(service, value)["date_published"]
    expect(isinstance(found, str) and len(found) < 1200, "no text", found)


@claim("core 4.6: the display form is copied as it is", rows=[Row(each, (each,)) for each in ["3/4/2021", "1700000000", "Spring 2022", "yesterday"]])
def the_display_form_is_copied(service, value):
    found = mapped(service, value, "title=t,date_published=d,date_published_display=d,NO_PAYLOAD")
    equal(found["date_published_display"], value)


@claim("interface: separate value and display form")
def value_and_display_form_are_separate(service):
    item = {"t": "Entry", "on": "2021-03-04", "shown": "Early March", "url": "https://example.org/x"}
    asked = ask(service, respond={"items": [item]}, result_mappings="title=t,date_published=on,date_published_display=shown")
    equal((asked.first["date_published"], asked.first["date_published_display"]), ("2021-03-04 00:00:00", "Early March"))


@claim("core 4.1, with quirks: date_retrieved is now, in UTC")
def date_retrieved_is_now(service):
    found = mapped(service, "2021-03-04")["date_retrieved"]
    shape = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{6})?(\+00:00|Z)?", found)
    expect(shape, "form", found)
    then = datetime.datetime.fromisoformat(shape[1]).replace(tzinfo=datetime.timezone.utc)
    expect(abs((datetime.datetime.now(datetime.timezone.utc) - then).total_seconds()) < 60, "not now", found)


@claim("quirks: source fields with the name of a date are normalized, too")
def a_date_that_no_mapping_names_is_normalized(service):
    item = {"title": "Entry", "date_published": "3/4/2021", "url": "https://example.org/x"}
    asked = ask(service, respond={"items": [item]}, result_mappings="title=title")
    equal(asked.first["date_published"], "2021-03-04 00:00:00")
    equal(asked.first["payload"], {})
