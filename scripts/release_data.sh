#!/usr/bin/env bash
# Makes the data of a release for crates/tributary/tests/it/releases.rs: the demo of a program with people, tokens,
# a transform, a sealed credential and searches, and what it answers. Every release adds one folder.
#
#   scripts/release_data.sh NAME [PROGRAM]       PROGRAM is target/debug/tributary if it is not given
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:?usage: scripts/release_data.sh NAME [PROGRAM]}
program=$(realpath "${2:-target/debug/tributary}")
place=crates/tributary/tests/data/releases/$name
[ ! -e "$place" ] || { echo "$place is there already; a release does not change" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 scripts/release_data.py "$program" "$work"
mkdir -p "$place"
cp "$work/tributary.db.gz" "$work/answers.json.gz" "$work/secret.txt" "$place/"
du -sb "$place"
