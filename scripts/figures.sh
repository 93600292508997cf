#!/usr/bin/env bash
# Measures the figures of the README, records them in docs/figures.json with commit, date and machine, and updates the
# table in the README. Takes about 50 minutes on two idle cores; other load on the machine makes the figures worse.
# Searches are measured with real-time priority and on cores that are kept awake (see undisturbed), which needs root.
#   scripts/figures.sh              measure all
#   scripts/figures.sh bench eval   measure only these parts; the others keep their records
# Parts:
#   build     a cold release build in an empty target folder: time, CPU time, size of the program
#   bench     added latency and cost of a search
#   servers   added latency and disk space of a search on PostgreSQL, and with the queue in NATS
#   counts    instructions, allocations, statements and context switches of a search (valgrind counts them)
#   growth    100 sources, 1,000 results, disk space of a search
#   clients   searches per second
#   ranking   results ranked and de-duplicated
#   vectors   queries over cached passages
#   eval      the merged list on the judged collections in ../shared/eval/collections, or in $FIGURES_COLLECTIONS
# Without the part build, a release build in $CARGO_TARGET_DIR (or target) is used and brought up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
all=(build bench servers counts growth clients ranking vectors eval)
parts=("${@:-${all[@]}}")
for part in "${parts[@]}"; do
  if [[ " ${all[*]} " != *" $part "* ]]; then
    echo "unknown part: $part; the parts are ${all[*]}" >&2
    exit 2
  fi
done
if ! git diff --quiet HEAD -- . ':!README.md' ':!docs/figures.json'; then
  echo "There are uncommitted changes, so the figures cannot be attributed to a commit. Commit them first." >&2
  exit 1
fi
collections=${FIGURES_COLLECTIONS:-../shared/eval/collections}
scratch=$(mktemp -d)
. scripts/fetch.sh
. scripts/servers.sh
finish() {
  set +e
  stop_servers
  rm -rf "$scratch"
}
trap finish EXIT
: >"$scratch/measured"
# The goals are defined for two cores.
pin=()
if [ "$(nproc)" -gt 2 ]; then
  pin=(taskset -c "0,1")
fi

# undisturbed COMMAND...: runs it with real-time priority, so that it does not wait for other processes, while loops of
# the lowest priority keep the cores awake: on a virtual machine, waking a halted core takes up to a millisecond.
undisturbed() (
  loops=()
  for core in 0 1; do
    taskset -c "$core" chrt -i 0 sh -c 'while :; do :; done' &
    loops+=($!)
  done
  trap 'kill "${loops[@]}"' EXIT
  chrt -f -p 10 "$BASHPID"
  "$@"
)

wants() {
  [[ " ${parts[*]} " == *" $1 "* ]]
}

# record ID VALUE [MIN]
record() {
  echo "$*" | tee -a "$scratch/measured"
}

# field FILE a.0.b: one value of a JSON file.
field() {
  python3 -c 'import functools, json, sys
step = lambda value, key: value[int(key) if isinstance(value, list) else key]
print(functools.reduce(step, sys.argv[2].split("."), json.load(open(sys.argv[1]))))' "$@"
}

calculate() {
  awk "BEGIN { printf \"%.4f\", $1 }"
}

measure_build() {
  cargo fetch --locked --quiet
  export CARGO_TARGET_DIR="$scratch/target" CARGO_INCREMENTAL=0
  local TIMEFORMAT='%R %U %S' wall user system
  if ! { time "${pin[@]}" cargo build --release --locked --quiet; } 2>"$scratch/time"; then
    cat "$scratch/time" >&2
    exit 1
  fi
  read -r wall user system < <(tail -n 1 "$scratch/time")
  record build_wall "$(calculate "$wall / 60")"
  record build_cpu "$(calculate "($user + $system) / 60")"
  record program_size "$(calculate "$(stat -c %s "$CARGO_TARGET_DIR/release/tributary") / 1000000")"
}

measure_bench() {
  local found="$scratch/bench.json"
  "${pin[@]}" "$program" bench --searches 1000 --json "$found"
  record added_median "$(field "$found" added_ms.median)" "$(field "$found" added_ms.min)"
  record added_p95 "$(field "$found" added_ms.p95)"
  record search_cpu "$(field "$found" cpu_ms_per_search)"
  record memory_peak "$(field "$found" memory_mb.peak_rss)"
  record memory_after "$(field "$found" memory_mb.pss)"
  "${pin[@]}" "$program" bench --hanging --json "$found"
  record hanging_ratio "$(field "$found" hanging_ratio)"
}

# The servers share the cores with the service, and each series has an empty database.
measure_servers() {
  local found="$scratch/servers.json" database
  [ ${#pin[@]} -eq 0 ] || taskset -cp "0,1" $$ >/dev/null
  : >"$scratch/stop" && : >"$scratch/servers.env" && chmod 755 "$scratch"
  database=$(start_durable_postgres postgres-alone)
  "$program" bench --searches 300 --database-url "$database" --json "$found"
  record added_postgres "$(field "$found" added_ms.median)" "$(field "$found" added_ms.min)"
  record search_disk_postgres "$(field "$found" database_kb_per_search)"
  database=$(start_durable_postgres postgres-nats)
  if ! start_nats >"$scratch/nats-start.log" 2>&1; then
    cat "$scratch/nats-start.log" >&2
    return 1
  fi
  "$program" bench --searches 300 --database-url "$database" --queue-url "$SVC_TEST_NATS/figures" --json "$found"
  record added_postgres_nats "$(field "$found" added_ms.median)" "$(field "$found" added_ms.min)"
}

# start_durable_postgres NAME: starts a server that, unlike those of the tests, is on disk and waits for it; prints its
# URL.
start_durable_postgres() {
  local MEMORY="$scratch/no-memory" bin port log="$scratch/$1.log"
  if ! { bin=$(find_postgres) && port=$(free_port) &&
    run_postgres "$bin" "$1" "$port" "-c fsync=on" -A trust; } >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  echo "postgres://postgres@127.0.0.1:$port/postgres"
}

measure_counts() {
  local found="$scratch/counts.json"
  scripts/search_counts.sh --json "$found"
  record search_instructions "$(calculate "$(field "$found" instructions_per_search) / 1000000")"
  record search_allocations "$(field "$found" allocations_per_search)"
  record search_statements "$(field "$found" statements_per_search)"
  record search_reprepared "$(field "$found" reprepared_statements_per_search)"
  record search_context_switches "$(field "$found" context_switches_per_search)"
}

measure_growth() {
  local found="$scratch/growth.json"
  "${pin[@]}" "$program" bench --growth 10x10,100x10,10x100 --json "$found"
  record search_disk "$(field "$found" rows.0.database_kb_per_search)"
  record added_hundred_sources "$(field "$found" rows.1.added_p50_ms)"
  record added_thousand_results "$(field "$found" rows.2.added_p50_ms)"
}

measure_clients() {
  local found="$scratch/clients.json"
  "${pin[@]}" "$program" bench --clients 64 --searches 1000 --json "$found"
  record searches_per_second "$(field "$found" rows.0.searches_per_second)"
}

# "  1,000 results:     31.0 ms (at most 40)" and " 10,000 results:    340.1 ms, 11.0 times as much (at most 12)"
measure_ranking() {
  "${pin[@]}" cargo bench --locked --quiet -p processors --bench ranking | tee "$scratch/ranking"
  record ranking_thousand "$(sed -nE 's/^ *1,000 results: +([0-9.]+) ms.*/\1/p' "$scratch/ranking")"
  record ranking_growth "$(sed -nE 's/.* ([0-9.]+) times as much.*/\1/p' "$scratch/ranking")"
}

# "    who may see everything: 3.4 ms CPU, recall@10 0.9990", once for each case; the worst counts.
measure_vectors() {
  "${pin[@]}" cargo bench --locked --quiet -p store --bench vectors | tee "$scratch/vectors"
  record vectors_cpu "$(sed -nE 's/.*: ([0-9.]+) ms CPU, recall.*/\1/p' "$scratch/vectors" | sort -n | tail -n 1)"
  record vectors_recall "$(sed -nE 's/.*recall@10 ([0-9.]+).*/\1/p' "$scratch/vectors" | sort -n | head -n 1)"
}

measure_eval() {
  local collection seed found="$scratch/eval.json" merged=0 round_robin=0 runs=0 central
  for collection in cranfield cisi medline cacm; do
    for seed in 1 2 3; do
      "${pin[@]}" "$program" eval --collection "$collections/$collection" --split topical --overlap 0.3 --unlike \
        --seed "$seed" --json >"$found"
      central=$(field "$found" central_bm25.ndcg10)
      merged=$(calculate "$merged + $(field "$found" ratio)")
      round_robin=$(calculate "$round_robin + $(field "$found" round_robin.ndcg10) / $central")
      runs=$((runs + 1))
      echo "$collection, seed $seed: $(field "$found" ratio)"
    done
  done
  record merged_ratio "$(calculate "$merged / $runs")"
  record round_robin_ratio "$(calculate "$round_robin / $runs")"
}

load=$(cut -d' ' -f1 /proc/loadavg)
if [ "$(calculate "($load > 0.5)")" != 0.0000 ]; then
  echo "The load of this machine is $load: other processes are running, and the figures will be too high." >&2
fi
if wants build; then
  measure_build
else
  "${pin[@]}" cargo build --release --locked --quiet
fi
program=$(cargo metadata --format-version 1 --no-deps --offline | python3 -c \
  'import json, sys; print(json.load(sys.stdin)["target_directory"] + "/release/tributary")')
for part in bench servers growth clients; do
  if wants "$part"; then
    undisturbed "measure_$part"
  fi
done
for part in ranking vectors eval counts; do
  if wants "$part"; then
    "measure_$part"
  fi
done
# The counts were made with a program with symbols, in the same place.
"${pin[@]}" cargo build --release --locked --quiet
python3 scripts/record_figures.py docs/figures.json "$(git rev-parse --short=7 HEAD)" <"$scratch/measured"
"$program" docs --figures
