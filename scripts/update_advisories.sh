#!/usr/bin/env bash
# Creates a new snapshot of the RustSec advisory database from a git checkout of rustsec/advisory-db.
#
#   git clone --depth 1 https://github.com/rustsec/advisory-db /tmp/advisory-db
#   scripts/update_advisories.sh /tmp/advisory-db
set -euo pipefail
checkout=$(realpath "${1:?usage: scripts/update_advisories.sh CHECKOUT}")
cd "$(dirname "$0")/advisories"

day=$(git -C "$checkout" log -1 --format=%cs HEAD)
new="rustsec-$day.tar.xz"
temporary=$(mktemp)
trap 'rm -f "$temporary"' EXIT
# git archive embeds the commit hash: `xz -dc FILE | git get-tar-commit-id`.
git -C "$checkout" archive HEAD crates LICENSE.txt LICENSES | xz -9e >"$temporary"
rm -f rustsec-*.tar.xz
install -m 644 "$temporary" "$new"
echo "wrote scripts/advisories/$new, $(stat -c %s "$new") bytes"
