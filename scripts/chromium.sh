# shellcheck shell=bash
# Chromium and Playwright for the browser tests and the screenshots. Sourced.
. scripts/fetch.sh

# Chromium: the installed one, or else from apt.
fetch_chromium() {
  command -v chromium >/dev/null || { may_install && can_use_apt && apt_get install chromium fonts-dejavu-core >&2; }
  SVC_TEST_CHROMIUM=$(command -v chromium) || return 1
  export SVC_TEST_CHROMIUM
}

# The packages of tests/browser/package.json.
fetch_playwright() {
  find_node || return 1
  SVC_TEST_BROWSER=$(fetch_once "$(browser_folder)" install_browser_packages) || return 1
  export SVC_TEST_BROWSER
}

install_browser_packages() {
  cp tests/browser/package.json "$1/" && npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$1"
}
