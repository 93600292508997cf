# shellcheck shell=bash
# Verifies that each check of scripts/checks.sh can fail: runs it on broken input, where it must report the error. Sourced.
: "${scratch:?}"

check_guards() {
  local outcome=0 guard
  for guard in bad_dependencies misspelled_word shell_error unreferenced_snapshot javascript_errors \
    invalid_api_document; do
    guard_finds "$guard" || outcome=1
  done
  return $outcome
}

# guard_finds NAME: runs broken_NAME with an empty folder, which runs a check on broken input. It must fail and print
# everything in `expected`.
guard_finds() {
  local folder="$scratch/guards/$1" expected=() wanted outcome=0
  mkdir -p "$folder"
  if "broken_$1" "$folder" >"$folder.log" 2>&1; then
    if grep -q '^skipped: ' "$folder.log"; then
      skip "guard: ${1//_/ }" "its program is not available"
      return 0
    fi
    outcome=1
  fi
  for wanted in "${expected[@]}"; do
    grep -qF "$wanted" "$folder.log" || { echo "$1: the check did not find $wanted"; outcome=1; }
  done
  [ $outcome -eq 0 ] || cat "$folder.log"
  return $outcome
}

# An advisory that deny.toml no longer ignores, and use of a banned crate.
broken_bad_dependencies() {
  expected=(RUSTSEC-2024-0436 "explicitly banned")
  find_cargo_deny || { skip "dependencies" "cargo-deny $CARGO_DENY is not available"; return 0; }
  sed '/RUSTSEC-2024-0436/d; s/crate = "openssl-sys"/crate = "serde"/' deny.toml >"$1/deny.toml"
  unpack_advisories && run_deny "$1/deny.toml" advisories bans
}

broken_misspelled_word() {
  expected=("rec""ieve")
  cp _typos.toml "$1/"
  # Split in two, so that this file itself has no typo.
  echo "We rec""ieve it." >"$1/README.md"
  (cd "$1" && check_spelling)
}

broken_shell_error() {
  expected=(SC2086)
  mkdir "$1/scripts"
  # shellcheck disable=SC2016
  printf '#!/usr/bin/env bash\nrm $1\n' >"$1/scripts/remove.sh"
  (cd "$1" && check_shell_scripts)
}

broken_unreferenced_snapshot() {
  expected=(forgotten.snap)
  mkdir "$1/snapshots"
  touch "$1/snapshots/used.snap" "$1/snapshots/forgotten.snap"
  echo "$1/snapshots/used.snap" >"$1/references"
  (cd "$1" && INSTA_SNAPSHOT_REFERENCES_FILE=$1/references find_unreferenced_snapshots)
}

# An undefined name and a property that strings do not have, among correct code.
broken_javascript_errors() {
  expected=(no-undef TS2339)
  mkdir -p "$1/web/static/js" "$1/tests/browser" "$1/scripts"
  cp -r tests/javascript "$1/tests/"
  echo 'export const right = 1;' | tee "$1/tests/browser/right.mjs" >"$1/scripts/right.mjs"
  printf 'export const size = "text".size;\nexport const length = undefinedName.length;\n' >"$1/web/static/js/wrong.js"
  (cd "$1" && check_javascript)
}

# A default that does not fit its type.
broken_invalid_api_document() {
  expected=("None is not of type 'integer'")
  mkdir -p "$1/docs/api"
  sed 's|"default": 10,|"default": null,|' docs/api/openapi.json >"$1/docs/api/openapi.json"
  (cd "$1" && check_api_document)
}
