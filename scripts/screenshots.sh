#!/usr/bin/env bash
# Takes the screenshots of the README and docs/ from the demo: docs/pictures/<page>-<light|dark|phone>.png.
#
#   scripts/screenshots.sh                   take all
#   scripts/screenshots.sh search doctor     take some
#
# SVC_TEST_PROGRAM names a program to show instead of building one.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/chromium.sh

fetch_chromium || { echo "Chromium is not available" >&2; exit 1; }
fetch_playwright || { echo "Playwright is not available from npm" >&2; exit 1; }
command -v pngquant >/dev/null || apt-get install -y -qq --no-install-recommends pngquant >/dev/null 2>&1 || true
program=${SVC_TEST_PROGRAM:-${CARGO_TARGET_DIR:-target}/debug/tributary}
if [ -z "${SVC_TEST_PROGRAM:-}" ]; then
  cargo build -p tributary --locked
fi
exec node scripts/screenshots.mjs "$program" docs/pictures "$@"
