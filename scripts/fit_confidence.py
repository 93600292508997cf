#!/usr/bin/env python3
"""Fits the weights of the confidence to judged results.

Input: tables written by `tributary eval --features FILE`, one per collection. For every choice of weights the results of
each query are sorted by weighted evidence, and the order is measured by nDCG@10 relative to the ideal order of the same
results. Weights are found by coordinate descent. Each collection is also measured with weights fitted to the others.

    for set in cranfield cisi medline cacm adi; do
      tributary eval --collection ../shared/eval/collections/$set \\
        --split topical --overlap 0.3 --unlike --features $set.tsv
    done
    scripts/fit_confidence.py cranfield.tsv cisi.tsv medline.tsv cacm.tsv adi.tsv

The result is written by hand into `KINDS` of crates/relevancy/src/confidence.rs.

With `--calibration` before the tables nothing is fitted: it shows how many results of each tenth of the confidence are
relevant, and how often the first result is, above and below 0.7.
"""

import csv
import math
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).parent.parent / "crates/relevancy/src/confidence.rs"


def weights_now():
    """The weights of the program, by column name."""
    rows = re.findall(r'Kind \{ name: "\w+", weight: ([\d.]+), strength: \|evidence\| (.+) \}', SOURCE.read_text())
    weights = {re.search(r"evidence\.(\w+)", strength)[1]: float(weight) for weight, strength in rows}
    if not weights:
        sys.exit(f"no weights found in KINDS of {SOURCE}")
    return weights


NOW = weights_now()
KINDS = list(NOW)
# The scale is arbitrary, so one weight is fixed.
FIXED = "cosine"
STEPS = [0.0, 0.02, 0.06, 0.1, 0.2, 0.3, 0.45, 0.7, 1.0, 1.5, 2.0, 3.0]
DISCOUNT = [1 / math.log2(place + 2) for place in range(10)]
ROUNDS = 3
# The confidence that is called good.
GOOD = 0.7


def read(path):
    """The queries of a table, each with evidence and gain of its results."""
    queries = {}
    with open(path, newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["is_duplicate"] == "1" or not row.get("evidence.cosine"):
                continue
            evidence = [float(row["evidence." + kind]) for kind in KINDS]
            queries.setdefault(row["query_id"], []).append((evidence, 2 ** int(row["grade"]) - 1))
    return [results for results in queries.values() if any(gain for _, gain in results)]


def measure(queries, weights):
    """Mean nDCG@10 relative to the ideal order of the same results."""
    values = [weights[kind] for kind in KINDS]
    total = 0.0
    for results in queries:
        ordered = sorted(results, key=lambda result: -sum(w * e for w, e in zip(values, result[0])))
        best = sorted((gain for _, gain in results), reverse=True)
        found = sum(gain * share for (_, gain), share in zip(ordered, DISCOUNT))
        total += found / sum(gain * share for gain, share in zip(best, DISCOUNT))
    return total / len(queries)


def mean(sets, weights):
    return sum(measure(queries, weights) for queries in sets) / len(sets)


def fit(sets):
    weights = dict(NOW)
    best = mean(sets, weights)
    for _ in range(ROUNDS):
        before = best
        for kind in KINDS:
            if kind == FIXED:
                continue
            for step in STEPS:
                tried = {**weights, kind: step}
                value = mean(sets, tried)
                if value > best + 1e-4:
                    best, weights = value, tried
        if best == before:
            break
    return weights, best


def calibration(path):
    """Lines with the share of relevant results by confidence, and of relevant first results."""
    tenths = [[0, 0] for _ in range(10)]
    firsts = {True: [0, 0], False: [0, 0]}
    with open(path, newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["is_duplicate"] == "1":
                continue
            confidence, is_relevant = float(row["swirl_confidence_score"]), int(row["grade"]) > 0
            counts = [tenths[min(int(confidence * 10), 9)]]
            if row["rank"] == "1":
                counts.append(firsts[confidence >= GOOD])
            for count in counts:
                count[0] += 1
                count[1] += is_relevant
    by_tenth = [f"  {number / 10:.1f}  {share(*count)}" for number, count in enumerate(tenths)]
    return [path, *by_tenth, f"  first, {GOOD} or more: {share(*firsts[True])}; less: {share(*firsts[False])}"]


def share(count, relevant):
    return f"{relevant / count:.0%} of {count} relevant" if count else "no results"


def shown(weights):
    return ", ".join(f"{kind} {weights[kind]:g}" for kind in KINDS)


def main(paths):
    if paths[:1] == ["--calibration"] and paths[1:]:
        for path in paths[1:]:
            print("\n".join(calibration(path)))
        return
    if not paths:
        sys.exit(__doc__)
    sets = {path: read(path) for path in paths}
    print(f"now: {shown(NOW)}")
    for path, queries in sets.items():
        print(f"  {path}: {measure(queries, NOW):.4f} of the best order, {len(queries)} queries")
    weights, best = fit(list(sets.values()))
    print(f"fitted: {shown(weights)}\n  mean {mean(list(sets.values()), NOW):.4f} now, {best:.4f} fitted")
    if len(sets) > 1:
        for path, queries in sets.items():
            others, _ = fit([other for name, other in sets.items() if name != path])
            print(f"  without {path}: {measure(queries, others):.4f} on it ({shown(others)})")


if __name__ == "__main__":
    main(sys.argv[1:])
