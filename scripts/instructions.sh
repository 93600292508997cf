#!/usr/bin/env bash
# Counts the instructions of ranking 1,000 results with callgrind and compares the count with the recorded one. Fails if it
# differs by more than 10 % either way: a slowdown is a bug, and an improvement should be recorded.
#   scripts/instructions.sh           compare
#   scripts/instructions.sh --write   record the current count
set -euo pipefail
cd "$(dirname "$0")/.."
recorded=crates/processors/benches/ranking.instructions
. scripts/skip.sh
if ! command -v valgrind >/dev/null; then
  skip "instructions of ranking" "valgrind is not installed"
  exit 0
fi
program=$(cargo bench --locked -p processors --bench ranking --no-run --message-format=json 2>/dev/null |
  grep -o '"executable":"[^"]*ranking[^"]*"' | tail -n 1 | cut -d'"' -f4)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind.out" "$program" --once 1000 2>"$scratch/log"
counted=$(sed -nE 's/.*Collected : ([0-9]+).*/\1/p' "$scratch/log")
if [ "${1:-}" = "--write" ]; then
  echo "$counted" >"$recorded"
  echo "written: $counted instructions"
  exit 0
fi
expected=$(cat "$recorded")
echo "$counted instructions, $expected expected"
if [ $((counted * 10)) -gt $((expected * 11)) ] || [ $((counted * 10)) -lt $((expected * 9)) ]; then
  echo "The difference is more than 10 %. If it is intended, run: scripts/instructions.sh --write"
  exit 1
fi
