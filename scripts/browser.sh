#!/usr/bin/env bash
# Runs the browser tests: Debian's Chromium, driven by Playwright from npm, against the demo of the built program.
#
#   scripts/browser.sh                       run all tests
#   scripts/browser.sh list.test.mjs         run some tests
#   scripts/browser.sh --stay                start everything and wait, for work on the tests
#
# SVC_TEST_PROGRAM is a program to test instead of building one. With SVC_WEB_DIR it reads its pages from a folder.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/skip.sh
. scripts/chromium.sh

fetch_chromium || { skip "browser tests" "Chromium is not installed and cannot be installed"; exit 0; }
fetch_playwright || { skip "browser tests" "Playwright and node $NODE_MIN are not available"; exit 0; }
program=${SVC_TEST_PROGRAM:-${CARGO_TARGET_DIR:-target}/debug/tributary}
if [ -z "${SVC_TEST_PROGRAM:-}" ]; then
  cargo build -p tributary --locked || exit 1
fi
exec node tests/browser/harness/run.mjs "$program" "$@"
