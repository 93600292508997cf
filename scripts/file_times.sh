#!/usr/bin/env bash
# Restores the modification times of unchanged files in a fresh clone from the previous clone.
#
#   scripts/file_times.sh BUILD_FOLDER
#
# Cargo detects changes by modification time, and in a fresh clone every file is new, so every crate would be rebuilt. The
# build folder records the path of the last clone, and hash and time of each of its files. A changed file keeps its own
# time, which is later than anything built from it. After a clone at another path, all files keep theirs: cargo uses one
# place for both, but what is built contains the path, and tests would read the files of the other clone.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
record=$1/file-times
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Paths with special characters are skipped. Hashes are computed from the content, not from the git index.
git ls-files | grep -E '^[A-Za-z0-9_./+@ -]+$' | while IFS= read -r path; do
  [ -f "$path" ] && [ ! -L "$path" ] && printf '%s\n' "$path"
done >"$scratch/paths"
git hash-object --no-filters --stdin-paths <"$scratch/paths" >"$scratch/hashes"
paste -d ' ' "$scratch/hashes" "$scratch/paths" >"$scratch/now"

if [ -f "$record" ] && [ "$(head -n 1 "$record")" = "$PWD" ]; then
  # The path of the clone, then for each file a line with time, hash and path.
  awk 'NR == FNR { time = $1; sub(/^[^ ]+ /, ""); since[$0] = time; next }
    $0 in since { path = $0; sub(/^[^ ]+ /, "", path); print since[$0] "\t" path }' "$record" "$scratch/now" |
    while IFS=$'\t' read -r time path; do touch -d "@$time" -- "$path"; done
fi
{
  pwd
  xargs -d '\n' stat -c %.9Y -- <"$scratch/paths" | paste -d ' ' - "$scratch/now"
} >"$scratch/record"
mv "$scratch/record" "$record"
