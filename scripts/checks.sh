#!/usr/bin/env bash
# Checks of the repository itself: dependencies, spelling, shell scripts, snapshots, JavaScript. ./test sources this
# file and runs each check as a step; `scripts/checks.sh` runs them alone. All of them run at the root of the repository.

# shellcheck source=scripts/check_tools.sh
. "${BASH_SOURCE%/*}/check_tools.sh"

# A snapshot of the advisories older than this causes a warning.
ADVISORY_DAYS_MAX=180

checks_scratch=${scratch:-$(mktemp -d)}/checks
mkdir -p "$checks_scratch"

# skip_check NAME REASON: reports a check that did not run; ./test counts it by its function `skip`.
skip_check() {
  echo "skipped: $1, because $2"
  if declare -F skip >/dev/null; then skip "$1" "$2"; fi
}

# Advisories, licenses, bans and sources of all dependencies: deny.toml.
check_dependencies() {
  find_cargo_deny || { skip_check "dependencies" "cargo-deny $CARGO_DENY_VERSION cannot be had"; return 0; }
  unpack_advisories && cargo fetch --locked --quiet && run_deny deny.toml check
}

# run_deny CONFIG ARGUMENTS...: cargo-deny with the unpacked advisories, without a network.
run_deny() {
  sed "s|^db-urls|db-path = \"$checks_scratch/advisories\"\ndb-urls|" "$1" >"$checks_scratch/deny.toml"
  "$tool" --locked --offline --config "$checks_scratch/deny.toml" "${@:2}"
}

# Unpacks the snapshot as the git checkout that cargo-deny expects, or links the checkout in SVC_TEST_ADVISORIES.
unpack_advisories() {
  # The name of the folder is a hash of the address in deny.toml.
  local folder="$checks_scratch/advisories/advisory-db-3157b0e258782691" snapshots=(scripts/advisories/rustsec-*.tar.xz)
  mkdir -p "$checks_scratch/advisories"
  if [ -n "${SVC_TEST_ADVISORIES:-}" ]; then
    ln -sfn "$SVC_TEST_ADVISORIES" "$folder"
    return 0
  fi
  [ -e "$folder/.git" ] && return 0
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
    echo "notice: the snapshot of the advisories is $age days old; renew it with scripts/update_advisories.sh"
}

# Spelling of everything: _typos.toml.
check_spelling() {
  find_typos || { skip_check "spelling" "typos $TYPOS_VERSION cannot be had"; return 0; }
  "$tool" --hidden --format brief
}

check_shell_scripts() {
  find_shellcheck || { skip_check "shell scripts" "shellcheck $SHELLCHECK_VERSION cannot be had"; return 0; }
  local scripts
  mapfile -t scripts < <(list_shell_scripts)
  "$tool" --external-sources --format gcc "${scripts[@]}"
}

# Files that end in .sh or begin with the name of a shell.
list_shell_scripts() {
  {
    find . \( -name .git -o -name target -o -name node_modules \) -prune -o -name '*.sh' -print
    find test .ci .devcontainer deploy scripts -type f -exec grep -lIEm1 '^#!.*\b(ba|da)?sh\b' {} + 2>/dev/null |
      sed 's|^|./|'
  } | sort -u
}
