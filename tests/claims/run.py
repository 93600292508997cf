#!/usr/bin/env python3
"""Checks a program against the claims of its specification, from outside: HTTP and the command line only.

    python3 tests/claims/run.py PROGRAM [MODULE[:CLAIM]…]

Every module beside this one gets a service of its own, in an empty folder; modules run on all cores. MODULE[:CLAIM] runs
one module, or the claims in it whose names contain CLAIM. Modules with a failed claim run once more, alone. Ends with
"N passed, N failed"; the exit code is 1 if a claim failed both times.
"""

import concurrent.futures
import importlib
import os
import pathlib
import re
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from harness import Service  # noqa: E402
from harness.claim import claims_of  # noqa: E402

# A module that takes longer hangs.
MODULE_WAIT_S = 600
# More failed modules than this are no accident of a busy machine.
REPEATED_MODULES_MAX = 10


def chosen_modules(arguments):
    """Module names with the part of a claim's name that was asked for."""
    if arguments:
        return [tuple((argument.removesuffix(".py") + ":").split(":")[:2]) for argument in arguments]
    return [(path.stem, "") for path in sorted(HERE.glob("*.py")) if path.name != "run.py"]


def run_module(program, name, wanted):
    module = importlib.import_module(name)
    claims = [each for each in claims_of(module) if wanted in each.name]
    if not claims:
        raise SystemExit(f"{name}: no claim contains {wanted!r}")
    passed = 0
    with Service(program, getattr(module, "SETTINGS", None)) as service:
        # Modules prepare what their claims share once.
        if hasattr(module, "prepare"):
            module.prepare(service)
        try:
            for each in claims:
                passed += run_claim(service, name, each)
        finally:
            if hasattr(module, "finish"):
                module.finish()
        if "panicked at" in service.console_text():
            print(f"FAIL  {name}: the service panicked (0.0 s)\n{service.console_text()[-4000:]}", flush=True)
            return passed, len(claims) - passed + 1
    return passed, len(claims) - passed


def run_claim(service, module, each):
    started = time.monotonic()
    failure = None
    try:
        each.run(service)
    except AssertionError as error:
        failure = str(error) or traceback.format_exc(limit=-1)
    except Exception:
        failure = traceback.format_exc(limit=-3)
    print(f"{'FAIL' if failure else 'ok':5} {module}: {each.name} ({time.monotonic() - started:.1f} s)", flush=True)
    if failure:
        print(f"      {each.source}\n      {failure}", flush=True)
    return failure is None


def run_in_process(program, module):
    """Runs one module in a process of its own; returns its output and its counts of passed and failed claims."""
    command = [sys.executable, __file__, program, module]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MODULE_WAIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"FAIL  {module}: no end ({MODULE_WAIT_S}.0 s)\n", 0, 1
    counts = re.search(r"^(\d+) passed, (\d+) failed\n\Z", done.stdout, re.MULTILINE)
    if not counts:
        return f"{done.stdout}FAIL  {module}: ended early (0.0 s)\n{done.stderr}", 0, 1
    return done.stdout[: counts.start()], int(counts[1]), int(counts[2])


def run_all(program, modules, workers):
    """Runs the modules beside each other; returns the number of passed claims and failed claims by module."""
    passed, failed = 0, {}
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(run_in_process, program, module): module for module in modules}
        for each in concurrent.futures.as_completed(running):
            output, found, missed = each.result()
            print(output, end="", flush=True)
            passed += found
            if missed:
                failed[running[each]] = (found, missed)
    return passed, failed


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    program, chosen = sys.argv[1], chosen_modules(sys.argv[2:])
    if len(chosen) == 1:
        passed, missed = run_module(program, *chosen[0])
    else:
        names = [f"{name}:{wanted}".removesuffix(":") for name, wanted in chosen]
        passed, failed = run_all(program, names, os.cpu_count() or 1)
        if 0 < len(failed) <= REPEATED_MODULES_MAX:
            passed -= sum(found for found, _ in failed.values())
            again, failed = run_all(program, list(failed), 1)
            passed += again
        missed = sum(count for _, count in failed.values())
    print(f"{passed} passed, {missed} failed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
