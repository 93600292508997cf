#!/usr/bin/env bash
# Gives the files of a fresh clone the times that they had in the clone before it, where they hold the same.
#
#   scripts/file_times.sh BUILD_FOLDER
#
# Cargo tells by a file's time whether it has changed, and in a fresh clone every file is new: every crate of the workspace
# would be built again. The build folder keeps, for each path of a clone, what its files held and since when. A file that
# holds something else keeps its own time, which is later than anything that was built from it.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
record=$1/file-times-$(pwd | cksum | cut -d ' ' -f 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Paths with odd characters stay as they are. The content is read, not what git has noted of it.
git ls-files | grep -E '^[A-Za-z0-9_./+@ -]+$' | while IFS= read -r path; do
  [ -f "$path" ] && [ ! -L "$path" ] && printf '%s\n' "$path"
done >"$scratch/paths"
git hash-object --no-filters --stdin-paths <"$scratch/paths" >"$scratch/hashes"
paste -d ' ' "$scratch/hashes" "$scratch/paths" >"$scratch/now"

if [ -f "$record" ]; then
  # A line of the record: the time, the hash, the path.
  awk 'NR == FNR { time = $1; sub(/^[^ ]+ /, ""); since[$0] = time; next }
    $0 in since { path = $0; sub(/^[^ ]+ /, "", path); print since[$0] "\t" path }' "$record" "$scratch/now" |
    while IFS=$'\t' read -r time path; do touch -d "@$time" -- "$path"; done
fi
xargs -d '\n' stat -c %.9Y -- <"$scratch/paths" | paste -d ' ' - "$scratch/now" >"$scratch/record"
mv "$scratch/record" "$record"
