#!/usr/bin/env bash
# Runs the fuzz targets in fuzz/ for some seconds each, starting from the inputs in fuzz/corpus/.
#   scripts/fuzz.sh [SECONDS] [TARGET...]   default: 10 seconds, all targets
# Works with stable Rust: libFuzzer is built from the sources in libfuzzer-sys, which needs a C++ compiler. New inputs are
# discarded; failing inputs are saved in fuzz/artifacts/. CARGO_TARGET_DIR is honored.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/skip.sh

# Limits: memory per target, time and size per input.
MEMORY_MB_MAX=1024
INPUT_SECONDS_MAX=20
INPUT_BYTES_MAX=8192

build() {
  local offline=() target arguments=()
  # Use the dependency versions of the program.
  [ fuzz/Cargo.lock -nt Cargo.lock ] || cp Cargo.lock fuzz/Cargo.lock || return 1
  if [ -n "${SVC_TEST_NO_INSTALL:-}" ]; then
    offline=(--offline)
    cargo fetch --quiet --offline --manifest-path fuzz/Cargo.toml || { skip "fuzz" "libfuzzer-sys was never fetched"; exit 0; }
  fi
  for target in "${targets[@]}"; do arguments+=(--bin "$target"); done
  RUSTC_WRAPPER=$PWD/scripts/fuzz_rustc.sh cargo build --release "${offline[@]}" --manifest-path fuzz/Cargo.toml \
    --target "$platform" --target-dir "$folder" "${arguments[@]}"
}

# fuzz TARGET: reports failures.
fuzz() {
  local corpus=$scratch/$1 log=$scratch/$1.log reproducer
  mkdir -p "$corpus" "fuzz/artifacts/$1" && cp -r "fuzz/corpus/$1/." "$corpus"
  if "$folder/$platform/release/$1" -max_total_time="$seconds" -rss_limit_mb=$MEMORY_MB_MAX -timeout=$INPUT_SECONDS_MAX \
    -max_len=$INPUT_BYTES_MAX -print_final_stats=1 -artifact_prefix="fuzz/artifacts/$1/" "$corpus" >"$log" 2>&1; then
    awk -v target="$1" '/number_of_executed_units/ { print "fuzzed: " target ", " $2 " inputs" }' "$log" >"$scratch/$1.done"
    rmdir --ignore-fail-on-non-empty "fuzz/artifacts/$1"
    return
  fi
  reproducer=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  {
    echo "FAIL  fuzz target $1: ${reproducer:-no reproducer was written}"
    echo "run it again: $folder/$platform/release/$1 ${reproducer:-}"
    grep -vE '^#[0-9]+' "$log" | tail -n 40
  } >"$scratch/$1.failed"
}

seconds=10
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(basename -s .rs -a fuzz/fuzz_targets/*.rs)
if [ "$seconds" -eq 0 ]; then
  echo "fuzz for at least one second" >&2
  exit 2
fi
for target in "${targets[@]}"; do
  [ -f "fuzz/fuzz_targets/$target.rs" ] && continue
  echo "unknown fuzz target: $target; known targets: $(basename -s .rs -a fuzz/fuzz_targets/*.rs | xargs)" >&2
  exit 2
done
if ! command -v "${CXX:-c++}" >/dev/null; then
  skip "fuzz" "no C++ compiler is installed"
  exit 0
fi
platform=$(rustc -vV | sed -n 's/^host: //p')
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}/fuzz")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
build || exit 1
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  fuzz "$target" &
done
wait
rmdir --ignore-fail-on-non-empty fuzz/artifacts
cat "$scratch"/*.done 2>/dev/null
cat "$scratch"/*.failed 2>/dev/null && exit 1
echo "measured: ${#targets[@]} fuzz targets, $seconds s each"
