# Chromium and Playwright for the browser tests and for the pictures. Sourced.

# Chromium: what is installed, else by apt.
fetch_chromium() {
  command -v chromium >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null 2>&1
  SVC_TEST_CHROMIUM=$(command -v chromium) || return 1
  export SVC_TEST_CHROMIUM
}

# The packages of tests/browser/package.json, kept between runs outside of the repository. Another list of packages
# has another folder.
fetch_playwright() {
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  local list=tests/browser/package.json folder
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests/browser-$(sha256sum <"$list" | cut -c1-12)
  if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder" && cp "$list" "$folder/" &&
      npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" && touch "$folder/complete" || return 1
  fi
  export SVC_TEST_BROWSER="$folder"
}
