#!/usr/bin/env python3
"""Records measured figures with commit, date and machine: lines "ID VALUE [MIN]" on standard input.

Usage: record_figures.py docs/figures.json COMMIT
"""

import datetime
import json
import os
import platform
import sys


def first_value(path, name, separator):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.partition(separator)
            if key.strip() == name:
                return value.strip().strip('"')
    return "unknown"


def machine():
    memory_kib = int(first_value("/proc/meminfo", "MemTotal", ":").split()[0])
    system = first_value("/etc/os-release", "PRETTY_NAME", "=")
    return {
        # scripts/figures.sh uses two cores where there are more.
        "cores": min(2, len(os.sched_getaffinity(0))),
        "memory": f"{memory_kib * 1024 / 1e9:.0f} GB",
        "cpu": first_value("/proc/cpuinfo", "model name", ":"),
        "os": f"{system}, {platform.system()} {'.'.join(platform.release().split('.')[:2])}",
    }


def main():
    path, commit = sys.argv[1:]
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except FileNotFoundError:
        record = {"figures": {}}
    origin = {"commit": commit, "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}", "machine": machine()}
    for line in sys.stdin:
        name, *values = line.split()
        measured = dict(zip(("value", "min"), map(float, values)))
        record["figures"][name] = {**measured, **origin}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=2, sort_keys=True)
        file.write("\n")


main()
