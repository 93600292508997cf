# shellcheck shell=bash
# What cannot run here says so in one way. Sourced.

# skip SUITE REASON: printed, and a line in the file of SVC_TEST_SKIPPED, which ./test counts.
skip() {
  echo "skipped: $1, because $2"
  [ -z "${SVC_TEST_SKIPPED:-}" ] || printf '%s\t%s\t%s\n' "$1" "$1" "$2" >>"$SVC_TEST_SKIPPED"
}
