#!/usr/bin/env bash
# Builds the artifacts of a release: archive, Debian package, debug symbols, bill of materials, checksums.
#
#   scripts/release.sh                   build the program and write the artifacts to dist/
#   scripts/release.sh --out DIR         write them to DIR, which must be empty
#   scripts/release.sh --program FILE    use an existing program
#   scripts/release.sh --target TRIPLE   build for this target; default: static if possible
#   scripts/release.sh --allow-dirty     allow uncommitted changes, for testing
#
# The output is reproducible for the same program and commit. docs/releasing.md describes the artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
umask 022
# Build with the features of the program, not those of the whole workspace.
unset CARGO_RESOLVER_FEATURE_UNIFICATION

# The glibc of Ubuntu 22.04 and RHEL 9. A program that needs a newer one is not released.
export TRIBUTARY_GLIBC_MIN=2.34
GLIBC_MAX=2.36
SHELLS='bash tributary.bash
zsh _tributary
fish tributary.fish
elvish tributary.elv
powershell tributary.ps1'

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

out=dist program='' target='' allow_dirty=''
while [ $# -gt 0 ]; do
  case "$1" in
    --out | --program | --target)
      [ $# -ge 2 ] || fail "$1 needs a value"
      printf -v "${1#--}" %s "$2"
      shift 2
      ;;
    --allow-dirty) allow_dirty=1 && shift ;;
    --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' scripts/release.sh && exit 0 ;;
    *) fail "unknown option: $1; --help lists the options" ;;
  esac
done

# Prints the target of a release build on this machine: static if the toolchain supports it.
choose_target() {
  local arch
  arch=$(rustc --version --verbose | sed -n 's/^host: \([^-]*\).*/\1/p')
  if [ -d "$(rustc --print target-libdir --target "$arch-unknown-linux-musl")" ] && command -v musl-gcc >/dev/null; then
    echo "$arch-unknown-linux-musl"
  else
    echo "$arch-unknown-linux-gnu"
  fi
}

# Builds for $target and prints the path of the program. It contains symbols until split_symbols, but no local paths.
build_program() {
  local flags="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$PWD=/tributary"
  RUSTFLAGS="$flags" CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only \
    cargo build --release --locked --package tributary --target "$target" >&2
  echo "${CARGO_TARGET_DIR:-target}/$target/release/tributary"
}

# Prints the target of a program; it is static if it has no interpreter.
read_target() {
  local machine
  machine=$(readelf --file-header "$1" 2>/dev/null | sed -n 's/^ *Machine: *//p')
  case "$machine" in
    *X86-64*) machine=x86_64 ;;
    *AArch64*) machine=aarch64 ;;
    *) fail "$1 is not a Linux program for x86_64 or aarch64" ;;
  esac
  if readelf --program-headers "$1" | grep -q INTERP; then
    echo "$machine-unknown-linux-gnu"
  else
    echo "$machine-unknown-linux-musl"
  fi
}

# Prints the newest glibc version that a program requires; nothing for a static one.
read_glibc() {
  readelf --version-info --wide "$1" | { grep -oE 'GLIBC_[0-9.]+' || true; } | sort -uV | tail -n 1 | sed 's/^GLIBC_//'
}

# split_symbols PROGRAM STRIPPED: moves the symbols, if any, to a separate file that debuggers find by name.
split_symbols() {
  local symbols=$scratch/$name.debug
  if readelf --sections --wide "$1" | grep -qE ' \.(symtab|debug_info) '; then
    objcopy --only-keep-debug "$1" "$symbols"
    objcopy --strip-all "$1" "$2"
    objcopy --add-gnu-debuglink="$symbols" "$2"
    xz --threads=1 --stdout "$symbols" >"$out/$name.debug.xz"
  else
    cp "$1" "$2"
    echo "the program has no symbols"
  fi
  chmod 755 "$2"
}

# set_times FOLDER: sets fixed timestamps, for reproducible archives.
set_times() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# The folder in the archive.
fill_archive() {
  local folder=$1 shell file
  mkdir -p "$folder/completions" "$folder/systemd"
  cp LICENSE NOTICE README.md CHANGELOG.md "$folder/"
  cp deploy/systemd/tributary.service deploy/systemd/tributary.env.example "$folder/systemd/"
  while read -r shell file; do
    "$folder/tributary" completions "$shell" >"$folder/completions/$file"
  done <<<"$SHELLS"
  python3 scripts/release_licenses.py --target "$target" >"$folder/THIRD-PARTY-LICENSES.txt"
}

make_archive() {
  set_times "$1"
  tar --create --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --directory="$(dirname "$1")" "$(basename "$1")" |
    gzip --no-name --best >"$out/$name.tar.gz"
}

# fill_package ARCHIVE_FOLDER ROOT: copies the files to their installed paths.
fill_package() {
  local docs=$2/usr/share/doc/tributary
  install -D -m 755 "$1/tributary" "$2/usr/bin/tributary"
  install -D -m 600 deploy/systemd/tributary.env.example "$2/etc/tributary/tributary.env"
  install -D -m 644 "$1/completions/tributary.bash" "$2/usr/share/bash-completion/completions/tributary"
  install -D -m 644 "$1/completions/_tributary" "$2/usr/share/zsh/vendor-completions/_tributary"
  install -D -m 644 "$1/completions/tributary.fish" "$2/usr/share/fish/vendor_completions.d/tributary.fish"
  install -D -m 644 -t "$docs" deploy/deb/copyright "$1/NOTICE" "$1/THIRD-PARTY-LICENSES.txt"
  gzip --no-name --best <CHANGELOG.md >"$docs/changelog.gz"
  mkdir -p "$2/usr/lib/systemd/system"
  # A static user instead of a dynamic one, because administrators run commands as this user.
  sed -e '1s/.*/# One process with every role, as the system user tributary./' -e 's|/usr/local/bin/|/usr/bin/|' \
    -e 's/^DynamicUser=yes$/User=tributary\nGroup=tributary/' deploy/systemd/tributary.service \
    >"$2/usr/lib/systemd/system/tributary.service"
}

# fill_control ROOT: writes the package metadata.
fill_control() {
  local depends='adduser, ca-certificates' size
  [ -z "$glibc" ] || depends="libc6 (>= $glibc), libgcc-s1, $depends"
  # Size in KiB, counting one per folder, independent of the file system.
  size=$(find "$1" -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }')
  mkdir "$1/DEBIAN"
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" -e "s/@SIZE@/$size/" \
    deploy/deb/control >"$1/DEBIAN/control"
  install -m 644 -t "$1/DEBIAN" deploy/deb/conffiles
  install -m 755 -t "$1/DEBIAN" deploy/deb/postinst deploy/deb/prerm deploy/deb/postrm
  (cd "$1" && find usr -type f -print0 | sort --zero-terminated | xargs -0 md5sum >DEBIAN/md5sums)
}

make_package() {
  set_times "$1"
  dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$1" "$out/tributary_${version}_$architecture.deb" >/dev/null
}

# --- steps

for needed in cargo dpkg-deb git objcopy python3 readelf xz; do
  command -v "$needed" >/dev/null || fail "$needed is not installed; on Debian: apt-get install binutils dpkg git python3 xz-utils"
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -z "$(ls -A "$out")" ] || fail "$out is not empty; remove it or choose another folder with --out"
[ -n "$allow_dirty" ] || [ -z "$(git status --porcelain)" ] ||
  fail "there are uncommitted changes; commit them, or use --allow-dirty for testing"
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
if [ -z "$program" ]; then
  target=${target:-$(choose_target)}
  echo "building tributary $version for $target"
  program=$(build_program)
fi
target=$(read_target "$program")
[ "$("$program" --version)" = "tributary $version" ] ||
  fail "$program reports $("$program" --version), but the version in Cargo.toml is $version"
glibc=$(read_glibc "$program")
if [ -n "$glibc" ]; then
  printf '%s\n%s\n' "$glibc" "$GLIBC_MAX" | sort --check=quiet --version-sort ||
    fail "the program requires glibc $glibc, but a release may require at most $GLIBC_MAX; build it on Debian 12"
fi
name=tributary-$version-${target/-unknown/}
case "$target" in
  x86_64-*) architecture=amd64 ;;
  aarch64-*) architecture=arm64 ;;
esac

mkdir "$scratch/$name" "$scratch/package"
split_symbols "$program" "$scratch/$name/tributary"
fill_archive "$scratch/$name"
make_archive "$scratch/$name"
fill_package "$scratch/$name" "$scratch/package"
fill_control "$scratch/package"
make_package "$scratch/package"
python3 scripts/release_sbom.py --program "$scratch/$name/tributary" --target "$target" --time "$SOURCE_DATE_EPOCH" \
  >"$out/$name.cdx.json"
(cd "$out" && sha256sum -- * >"$scratch/SHA256SUMS")
mv "$scratch/SHA256SUMS" "$out/"

echo "tributary $version of commit ${commit:0:12}, for $target, $(if [ -n "$glibc" ]; then echo "needs glibc $glibc or later"; else echo static; fi)"
(cd "$out" && du -ab --apparent-size -- * | sort -k 2)
