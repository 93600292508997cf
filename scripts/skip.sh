# shellcheck shell=bash
# Uniform reporting of skipped tests. Sourced.

# skip SUITE REASON: prints a message and appends a line to the file of SVC_TEST_SKIPPED, which ./test counts.
skip() {
  echo "skipped: $1, because $2"
  [ -z "${SVC_TEST_SKIPPED:-}" ] || printf '%s\t%s\t%s\n' "$1" "$1" "$2" >>"$SVC_TEST_SKIPPED"
}
