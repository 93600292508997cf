# shellcheck shell=bash
# Counts tests by name: each counts once, even if it runs several times. Sourced by ./test.
#
# $scratch/passed and $scratch/failed have a line per test; the file of SVC_TEST_SKIPPED has a line per skip: test, suite,
# reason.
: "${scratch:?is set by ./test}"

# record_tests RUNNER STEP LOG: parses the log of RUNNER (`nextest`, `cargo` or `node`). The last outcome of a test counts,
# and tests that passed only on the second run are reported.
record_tests() {
  awk -v runner="$1" -v step="$2" -v passed="$scratch/passed" -v failed="$scratch/failed" '
    function record(is_passed, name) {
      if (!(name in last)) names[++count] = name
      if (!is_passed) has_failed[name] = 1
      last[name] = is_passed
    }
    # "     PASS [   0.012s] (  12/3718) store::suite sqlite::a_test"
    runner == "nextest" && /^ *[A-Z][A-Z0-9 +-]* \[ *[0-9.]+s\] / {
      status = $0; sub(/ \[.*/, "", status); gsub(/^ +| +$/, "", status)
      name = $0; sub(/^[^]]*\] +/, "", name); sub(/^\([^)]*\) +/, "", name)
      record(status == "PASS" || status == "LEAK", name)
    }
    runner == "cargo" && /^ +Running / { binary = $NF; gsub(/^.*\/|-[0-9a-f]+\)$/, "", binary) }
    runner == "cargo" && /^ +Doc-tests / { binary = "documentation of " $2 }
    runner == "cargo" && /^test .* \.\.\. (ok|FAILED)$/ {
      name = $0; sub(/^test /, "", name); sub(/( - should panic)? \.\.\. [A-Za-z]+$/, "", name)
      record($NF == "ok", binary " " name)
    }
    # "ok    search: a test (1.2 s)"
    runner == "node" && /^(ok|FAIL) .* \([0-9.]+ s\)/ {
      name = $0; sub(/^[A-Za-z]+ +/, "", name); sub(/ \([0-9.]+ s\).*/, "", name)
      record($1 == "ok", step ": " name)
    }
    END {
      for (i = 1; i <= count; i++) {
        name = names[i]
        print name >>(last[name] ? passed : failed)
        if (last[name] && has_failed[name]) print "notice: failed in the first run and passed alone: " name
      }
    }
  ' "$3"
}

# failed_filter LOG: prints a nextest filter for the failed tests. Prints nothing if a rerun would not help: if no test
# failed, or too many for the load of the machine to be the cause.
ALONE_MAX=10
failed_filter() {
  sed -nE 's/^ *(FAIL|TIMEOUT|ABORT|SIG[A-Z]+) \[ *[0-9.]+s\] (\([^)]*\) )?//p' "$1" | sort -u | awk -v most="$ALONE_MAX" '
    { filter = filter (NR == 1 ? "" : " or ") "(binary_id(=" $1 ") and test(=" $2 "))" }
    END { if (NR > 0 && NR <= most) print filter }'
}

# record_skips LOG: also counts skips that were only printed.
record_skips() {
  sed -nE 's/^skipped: (.*), because (.*)$/\1\t\1\t\2/p' "$1" >>"$SVC_TEST_SKIPPED"
}

# Lists skipped tests, then failed ones, then the counts. A failed test does not count as skipped; a skipped one does not
# count as passed.
report_results() {
  local names=$scratch/names
  sort -u "$scratch/failed" -o "$scratch/failed"
  sort -u "$SVC_TEST_SKIPPED" | awk -F '\t' -v failed="$scratch/failed" '
    BEGIN { while ((getline line <failed) > 0) is_failed[line] = 1 }
    !($1 in is_failed)' >"$scratch/skips"
  cut -f 1 "$scratch/skips" | sort -u >"$names"
  sort -u "$scratch/passed" | comm -23 - "$scratch/failed" | comm -23 - "$names" >"$scratch/only-passed"
  awk -F '\t' '{ print "skipped: " $1 ($1 == $2 ? "" : " (" $2 ")") ", because " $3 }' "$scratch/skips"
  sed 's/^/failed: /' "$scratch/failed"
  printf '%d passed, %d failed, %d skipped\n' "$(wc -l <"$scratch/only-passed")" "$(wc -l <"$scratch/failed")" \
    "$(wc -l <"$names")"
  [ ! -s "$scratch/failed" ] && { [ "${SVC_TEST_REQUIRE:-}" != all ] || [ ! -s "$names" ]; }
}
