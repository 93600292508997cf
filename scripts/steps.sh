# shellcheck shell=bash
# The steps of ./test, which sources this.
: "${scratch:?is set by ./test}"

# run_tests RUNNER TIER: uses nextest if it is installed, which runs each test in its own process. .config/nextest.toml lists
# slow tests and tests that need a whole core; the others mostly wait.
run_tests() {
  if [ "$1" = nextest ]; then
    run_nextest --profile "$2" --test-threads $(($(nproc) * 2)) || run_alone --profile "$2"
  else
    cargo test --workspace --lib --bins --tests --locked --no-fail-fast
  fi
}

run_nextest() {
  cargo nextest run --workspace --locked --no-fail-fast --success-output never "$@" 2>&1 | tee "$scratch/nextest.log"
  return "${PIPESTATUS[0]}"
}

# Reruns failed tests one at a time: on a shared machine a test may time out because of other load. Tests that pass only
# then are reported.
run_alone() {
  local filter
  filter=$(failed_filter "$scratch/nextest.log")
  [ -n "$filter" ] && run_nextest "$@" --test-threads 1 -E "$filter"
}

# run_http_tests_on_postgres RUNNER: reruns the HTTP tests with a separate PostgreSQL database per service.
run_http_tests_on_postgres() {
  if [ -z "${SVC_TEST_POSTGRES:-}" ]; then
    skip "HTTP tests on PostgreSQL" "SVC_TEST_POSTGRES is not set"
  elif [ "$1" = nextest ]; then
    SVC_TEST_BACKEND=postgres run_nextest --test-threads $(($(nproc) * 2)) -E 'package(tributary) and test(/^(routes|authorization|deadline|pages|ssrf)::/)'
  else
    SVC_TEST_BACKEND=postgres cargo test -p tributary --test it --locked --no-fail-fast routes::
  fi
}

# Unit tests of the page scripts, without a browser.
run_javascript_tests() {
  find_node || { skip "JavaScript unit tests" "node $NODE_MIN is not installed"; return 0; }
  node --test --test-reporter=./tests/browser/harness/report.mjs tests/browser/unit/*.test.mjs
}

# run_browser_tests TIER: uses the program built by the previous tests. A separate build would select other dependency
# features and compile everything again.
run_browser_tests() {
  local slow="first_paint.test.mjs" chosen=()
  if [ "$1" != all ]; then
    mapfile -t chosen < <(cd tests/browser && find . -maxdepth 1 -name '*.test.mjs' -printf '%f\n' | sort | grep -vxF "$slow")
  fi
  export SVC_TEST_PROGRAM="${CARGO_TARGET_DIR:-target}/debug/tributary"
  scripts/browser.sh "${chosen[@]}" | tee "$scratch/browser.log"
  [ "${PIPESTATUS[0]}" -ne 0 ] || return 0
  # Rerun the files with failed tests, one at a time.
  mapfile -t chosen < <(sed -n 's/^failed in: //p' "$scratch/browser.log" | head -n $((ALONE_FILES_MAX + 1)))
  [ ${#chosen[@]} -gt 0 ] && [ ${#chosen[@]} -le $ALONE_FILES_MAX ] && scripts/browser.sh "${chosen[@]}"
}
ALONE_FILES_MAX=3

# The claims of the specification, from outside, on the program built by the tests.
run_claims() {
  python3 tests/claims/run.py "${CARGO_TARGET_DIR:-target}/debug/tributary"
}

# A client generated from the OpenAPI document, on the program built by the tests.
run_api_client() {
  find_client_generator || { skip "generated API client" "node $NODE_MIN or its packages are not available"; return 0; }
  python3 scripts/api_client.py "${CARGO_TARGET_DIR:-target}/debug/tributary" "$tool"
}

# Requests generated from the OpenAPI document, to the program built by the tests.
run_api_fuzz() {
  find_schemathesis || { skip "API fuzz" "schemathesis $SCHEMATHESIS is not available"; return 0; }
  python3 scripts/api_fuzz.py "${CARGO_TARGET_DIR:-target}/debug/tributary" "$tool"
}

# Runs in parallel with the documentation step: instruction counts do not depend on load, and both leave a core idle.
begin_instructions() {
  scripts/instructions.sh >"$scratch/instructions.log" 2>&1 &
  instructions_pid=$!
}

end_instructions() {
  wait "$instructions_pid"
  local outcome=$?
  cat "$scratch/instructions.log"
  return $outcome
}
