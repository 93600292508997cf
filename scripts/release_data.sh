#!/usr/bin/env bash
# Creates the test data of a release for crates/tributary/tests/it/releases.rs: a demo with users, tokens, a transform, an
# encrypted credential and searches, and its API responses. Every release adds one folder.
#
#   scripts/release_data.sh NAME [PROGRAM]       default for PROGRAM: target/debug/tributary
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?usage: scripts/release_data.sh NAME [PROGRAM]}
program=$(realpath "${2:-target/debug/tributary}")
place=crates/tributary/tests/data/releases/$name
[ ! -e "$place" ] || { echo "$place already exists; data of a release must not change" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 scripts/release_data.py "$program" "$work"
mkdir -p "$place"
cp "$work/tributary.db.gz" "$work/answers.json.gz" "$work/secret.txt" "$place/"
du -sb "$place"
