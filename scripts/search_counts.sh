#!/usr/bin/env bash
# Counts what one search of ten sources costs the service: instructions, allocations, SQL statements, statements that
# are compiled again, context switches. Compares them with docs/figures.json and fails if they differ by more than 5 %
# (context switches: 25 %) either way: a higher count is a bug, and a lower one should be recorded.
#   scripts/search_counts.sh               compare
#   scripts/search_counts.sh --json FILE   write the counts to FILE instead
#   scripts/figures.sh counts              record the current counts
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
options=(--compare docs/figures.json)
if [ "${1:-}" = "--json" ]; then
  options=(--json "${2:?is a file}")
elif ! command -v valgrind >/dev/null; then
  skip "counts of a search" "valgrind is not installed"
  exit 0
fi
# As in scripts/figures.sh: the number of cores changes how often threads wait for each other.
pin=()
if [ "$(nproc)" -gt 2 ]; then
  pin=(taskset -c "0,1")
fi
# The program of a release build has no symbols, and callgrind needs them to count calls. Only the last step of the
# build differs, so nothing else is compiled again.
program=$(cargo rustc --release --locked --package tributary --bin tributary --message-format=json -- -C strip=none |
  grep -o '"executable":"[^"]*"' | tail -n 1 | cut -d'"' -f4)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The next release build puts its own program there.
cp "$program" "$scratch/tributary"
"${pin[@]}" "$scratch/tributary" bench --instructions "${options[@]}"
