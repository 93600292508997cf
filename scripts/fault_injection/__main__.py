"""Fault injection: applies every fault of the table to a cluster under load, and checks that no accepted work is lost.

    python3 scripts/fault_injection target/release/tributary --nats nats-server [--seed 1] [--clients 12] [--only WORD]

    python3 scripts/fault_injection OLD --upgrade-to target/release/tributary --nats nats-server

The second form injects no faults: it replaces the processes of one release by those of another, one after the other, in a
database of 50,000 searches.

Needs root for separate disks and a network namespace. Prints a row per fault and a verdict; exits with 1 if a search is
lost, stuck, duplicated, or has a status that contradicts its sources.
"""

import argparse
import collections
import random
import shutil
import sys
import tempfile
import time

from cluster import HERE, Cluster
from faults import all_faults
from load import Client, Load
from sources import RESULTS, Sources
from upgrade import SEARCHES, replace_all

SOURCES = 5
SETTLE = 8
RECOVERY_MAX = 90
# Maximum time until a failed source is queried again.
REST = 120


def main():
    arguments = parse()
    scratch = tempfile.mkdtemp(prefix="fault-injection-")
    cluster = Cluster(arguments.program, arguments.nats, scratch)
    sources = Sources(HERE, SOURCES)
    try:
        cluster.start()
        ports = list(cluster.ports.values())
        add_sources(Client(ports, 0), sources)
        load = Load(ports, arguments.clients, arguments.seed)
        faults = all_faults(cluster, sources)
        faults = [fault for fault in faults if arguments.only in fault.name]
        random.Random(arguments.seed).shuffle(faults)
        load.start()
        time.sleep(SETTLE)
        filled, partial_spans = 0, []
        if arguments.upgrade_to:
            faults, filled = [], SEARCHES
            replace_all(cluster, load, arguments.upgrade_to, rate)
        else:
            print("| Fault | duration | rate before, during /s | recovered after | worst wait |\n|---|---|---|---|---|", flush=True)
            partial_spans = [span for fault in faults for span in [run_fault(fault, load)] if fault.breaks_sources]
        load.stop()
        errors = find_errors(cluster, load, sources, partial_spans, filled)
    finally:
        cluster.stop()
    print(f"seed {arguments.seed}, {len(faults)} faults, {len(load.searches)} searches accepted, rejected: {load.refusals}")
    for line in errors:
        print(f"ERROR: {line}")
    print("0 lost, 0 stuck, 0 duplicated, 0 false statuses" if not errors else f"{len(errors)} errors; see {scratch}")
    if not errors:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(1 if errors else 0)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--nats", default="nats-server", help="the program of the NATS server")
    parser.add_argument("--seed", type=int, default=1, help="seed for the order of the faults")
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--upgrade-to", help="the program of the new release")
    parser.add_argument("--only", default="", help="only faults whose name contains this")
    return parser.parse_args()


def add_sources(client, sources):
    for number in range(SOURCES):
        status, body = client.call("POST", "/svc/searchproviders/", {
            "name": f"Source {number}",
            "url": f"http://{HERE}:{sources.port}/{number}/",
            "query_template": "{url}?q={query_string}",
            "response_mappings": "RESULTS=items",
            "result_mappings": "title=title,body=body,url=url",
            "results_per_query": RESULTS,
        })
        if status != 201:
            sys.exit(f"a source could not be added: {status} {body}")


def run_fault(fault, load):
    """Runs one fault until recovery; returns start and end."""
    start = time.monotonic()
    before = rate(load, start - SETTLE, start)
    fault.inject()
    injected = time.monotonic()
    time.sleep(fault.hold)
    repairing = time.monotonic()
    fault.repair()
    recovered = wait_for_rate(load, before / 2)
    time.sleep(SETTLE)
    end = time.monotonic()
    during = rate(load, injected, repairing)
    waits = [one.ended - one.posted for one in load.ended_between(start, end)]
    after = "never" if recovered is None else f"{recovered - repairing:.1f} s"
    print(f"| {fault.name} | {repairing - injected:.0f} s | {before:.1f}, {during:.1f} | {after} | {max(waits, default=0):.1f} s |",
          flush=True)
    if recovered is None:
        load.errors.append(f"{fault.name}: the rate did not recover within {RECOVERY_MAX} s")
    return start, end + REST


def rate(load, start, end):
    return len(load.ended_between(start, end)) / max(end - start, 0.1)


def wait_for_rate(load, wanted):
    begun = time.monotonic()
    while time.monotonic() < begun + RECOVERY_MAX:
        time.sleep(0.5)
        now = time.monotonic()
        if rate(load, max(now - 2, begun), now) >= wanted:
            return now
    return None


def find_errors(cluster, load, sources, partial_spans, filled):
    errors = list(load.errors)
    client = Client(cluster.ports.values(), 0)
    for search in load.searches:
        if search.status is None:
            errors.append(f"search {search.number} is stuck: {client.call('GET', f'/svc/search/{search.number}/')}")
        elif search.status == "FULL_RESULTS_READY":
            missing = [one for one in range(SOURCES) if (one, search.query) not in sources.responded]
            if missing:
                errors.append(f"search {search.number} is full, but sources {missing} never responded")
        elif search.status != "PARTIAL_RESULTS_READY" or not in_spans(search, partial_spans):
            errors.append(f"search {search.number} ended with {search.status} although all sources responded")
    stored = cluster.query("SELECT count(*) FROM searches")
    if stored != str(filled + len(load.searches)):
        errors.append(f"{stored} searches are stored, but {len(load.searches)} were accepted in addition to {filled}")
    return errors + find_duplicates(client, load)


def in_spans(search, spans):
    return any(start <= search.ended and search.posted <= end for start, end in spans)


def find_duplicates(client, load):
    """Ids of results with two ranks, or results that occur twice in one search."""
    errors, seen = [], set()
    for search in random.Random(0).sample(load.searches, min(len(load.searches), 300)):
        _, body = client.call("GET", f"/svc/results/?search_id={search.number}&result_mixer=RoundRobinMixer")
        results = (body or {}).get("results", [])
        counts = collections.Counter((one.get("searchprovider"), one.get("url")) for one in results)
        errors += [f"search {search.number} has {key} twice" for key, count in counts.items() if count > 1]
        ids = [one["swirl_id"] for one in results if one.get("swirl_id")]
        errors += [f"result id {one} is used twice" for one in ids if one in seen]
        seen.update(ids)
    return errors


main()
