"""Retention: how long a search is kept. Searches are aged in the database of the service."""

import datetime
import sqlite3

from harness import Service, claim, equal, eventually, expect
from harness.sample import SampleSource, error, items, rows

SETTINGS = {"SVC_EXPIRE_EVERY": "1"}
MINUTE, HOUR, DAY = 60, 3600, 86400
source = SampleSource()


def prepare(service):
    source.__enter__()
    source.provider(service, "Kept", items(2))


def finish():
    source.__exit__()


def aged(service, seconds, **fields):
    """A finished search whose last change was so many seconds ago."""
    search = service.admin.run_search("copper", searchprovider_list=["Kept"], **fields)
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)
    database = sqlite3.connect(service.data / "tributary.db", timeout=20)
    with database:
        changed = database.execute(
            "UPDATE searches SET date_created = ?1, date_updated = ?1 WHERE id = ?2",
            (then.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), search["id"]),
        )
    equal(changed.rowcount, 1)
    database.close()
    return search["id"]


def is_gone(service, search_id):
    return service.admin.get(f"/svc/search/{search_id}/").expect(200, 404).status == 404


def after_expiration(service):
    """Returns when searches have expired once more."""
    expired = aged(service, 400 * DAY, retention=1)
    eventually(lambda: is_gone(service, expired), 20, "no search expires")


@claim("interface: Search, retention", rows=rows(
    ("0 stays", 0, 4000 * DAY, True), ("1 before an hour", 1, HOUR - MINUTE, True),
    ("1 after an hour", 1, HOUR + 5, False),
    ("2 before a day", 2, DAY - MINUTE, True), ("2 after a day", 2, DAY + 5, False),
    ("3 before a month", 3, 27 * DAY, True),
    ("3 after a month", 3, 32 * DAY, False), ("4 before five minutes", 4, 4 * MINUTE, True),
    ("4 after five minutes", 4, 5 * MINUTE + 5, False),
))  # fmt: skip
def a_search_is_kept_as_long_as_it_says(service, retention, age, stays):
    search_id = aged(service, age, retention=retention)
    saved = [result["swirl_id"] for result in service.admin.results(search_id)["results"]]
    if stays:
        after_expiration(service)
        equal(len(service.admin.results(search_id)["results"]), 2)
    else:
        eventually(lambda: is_gone(service, search_id), 20, "it is still there")
        for swirl_id in saved:
            error(service.admin.get(f"/svc/results/{swirl_id}/"), 404)


@claim("quirks: Updates and retention", rows=rows(
    ("subscribed", {"subscribe": True}), ("saved", {"tags": ["saved"]}),
))  # fmt: skip
def a_subscribed_or_saved_search_stays(service, fields):
    search_id = aged(service, 400 * DAY, retention=1, **fields)
    after_expiration(service)
    equal(is_gone(service, search_id), False)


@claim("interface: Search, retention; scheduled work in logs/tasks-beats.log")
def scheduled_work_is_logged(service):
    after_expiration(service)
    log = service.data / "logs" / "tasks-beats.log"
    eventually(lambda: "expire" in log.read_text().lower(), 10, "no line about it")


@claim("core 8.5, checked every minute")
def expiration_is_checked_every_minute_by_default(service):
    with Service(service.program) as other:
        schedules = {each["name"]: each for each in other.admin.get("/svc/schedules/").expect(200).json()}
    every = [each["every_seconds"] for name, each in schedules.items() if "expire" in name]
    expect(60 in every, "no such schedule", schedules)
