"""The cluster: PostgreSQL, NATS, two web processes, two workers and the scheduler, with hooks for faults."""

import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

PASSWORD = "measured-river-stone-41"
NAMESPACE = "faults"
HERE = "10.77.0.1"
THERE = "10.77.0.2"
DISK_MB = {"postgres": 768, "nats": 128, "worker1": 48}
WORKER_ROLES = "search,page_fetch,interactive,maintenance,corpus,health_check"


def free_port(address):
    with socket.socket() as s:
        s.bind((address, 0))
        return s.getsockname()[1]


def wait_for_port(address, port, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection((address, port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on {address}:{port}")


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


def children(pid):
    found = [int(word) for word in run("pgrep", "-P", str(pid), check=False).stdout.split()]
    return found + [one for child in found for one in children(child)]


class Process:
    """A process that can be started and restarted."""

    def __init__(self, name, command, env=None, log=None):
        self.name, self.command, self.env, self.log = name, command, env, log
        self.child = None

    def start(self):
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                self.command, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )

    def pids(self):
        return [self.child.pid, *children(self.child.pid)]

    def signal(self, number):
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def pause(self):
        self.signal(signal.SIGSTOP)

    def wake(self):
        self.signal(signal.SIGCONT)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.child.wait()

    def terminate(self):
        self.child.terminate()
        self.child.wait(timeout=120)


class Cluster:
    def __init__(self, program, nats, scratch):
        self.program, self.scratch = program, scratch
        self.disks = []
        self.split_network()
        for name, size in DISK_MB.items():
            self.mount(name, size)
        self.postgres = self.make_postgres()
        self.nats = self.make_nats(nats)
        self.ports = {name: free_port(HERE) for name in ("web1", "web2")}
        self.nodes = {
            "web1": self.make_node("web1", "web"),
            "web2": self.make_node("web2", "web"),
            "worker1": self.make_node("worker1", WORKER_ROLES),
            "worker2": self.make_node("worker2", WORKER_ROLES, is_apart=True),
            "beat": self.make_node("beat", "beat"),
        }

    def split_network(self):
        """worker2 runs in its own network namespace, which can be disconnected without closing connections."""
        run("ip", "netns", "del", NAMESPACE, check=False)
        run("ip", "link", "del", "faults0", check=False)
        run("ip", "netns", "add", NAMESPACE)
        run("ip", "link", "add", "faults0", "type", "veth", "peer", "name", "faults1", "netns", NAMESPACE)
        run("ip", "addr", "add", f"{HERE}/24", "dev", "faults0")
        run("ip", "link", "set", "faults0", "up")
        inside = ("ip", "netns", "exec", NAMESPACE, "ip")
        run(*inside, "addr", "add", f"{THERE}/24", "dev", "faults1")
        run(*inside, "link", "set", "faults1", "up")
        run(*inside, "link", "set", "lo", "up")

    def set_link(self, state):
        """Disconnects inside the namespace, so that the others keep their address."""
        run("ip", "netns", "exec", NAMESPACE, "ip", "link", "set", "faults1", state)

    def mount(self, name, size):
        folder = f"{self.scratch}/{name}"
        os.makedirs(folder)
        run("mount", "-t", "tmpfs", "-o", f"size={size}m,mode=0755", "tmpfs", folder)
        self.disks.append(folder)

    def fill(self, name):
        """Fills the disk of one process."""
        with open(f"{self.scratch}/{name}/filler", "wb") as filler:
            try:
                while True:
                    filler.write(b"\0" * 65536)
                    filler.flush()
            except OSError:
                pass

    def empty(self, name):
        os.remove(f"{self.scratch}/{name}/filler")

    def make_postgres(self):
        bin_folder = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        data = f"{self.scratch}/postgres/data"
        user = "tributarytest"
        if run("id", user, check=False).returncode:
            run("useradd", "--system", "--no-create-home", user)
        os.chmod(self.scratch, 0o755)
        shutil.chown(f"{self.scratch}/postgres", user)
        run("runuser", "-u", user, "--", f"{bin_folder}/initdb", "-D", data, "-A", "trust", "-U", "postgres")
        with open(f"{data}/pg_hba.conf", "a", encoding="utf-8") as rules:
            rules.write("host all all 10.77.0.0/24 trust\n")
        port = free_port(HERE)
        self.database = f"postgres://postgres@{HERE}:{port}/postgres"
        options = ["listen_addresses=*", "max_connections=200", "max_wal_size=256MB", "wal_level=minimal",
                   "max_wal_senders=0"]
        settings = [word for option in options for word in ("-c", option)]
        command = ["setpriv", "--reuid", user, "--clear-groups", f"{bin_folder}/postgres", "-D", data, "-p", str(port),
                   "-k", f"{self.scratch}/postgres", *settings]
        self.psql = ["runuser", "-u", user, "--", f"{bin_folder}/psql", "-h", HERE, "-p", str(port), "-U", "postgres", "-AtX"]
        process = Process("postgres", command, log=f"{self.scratch}/postgres.log")
        process.port = port
        return process

    def make_nats(self, program):
        port = free_port(HERE)
        self.queue = f"nats://{HERE}:{port}"
        store = f"{self.scratch}/nats/store"
        config = f"{self.scratch}/nats.conf"
        with open(config, "w", encoding="utf-8") as text:
            text.write(f'listen: "{HERE}:{port}"\njetstream {{ store_dir: "{store}", sync_interval: always }}\n')
        process = Process("nats", [program, "--config", config], log=f"{self.scratch}/nats.log")
        process.port, process.store = port, store
        return process

    def make_node(self, name, roles, is_apart=False):
        folder = f"{self.scratch}/{name}"
        os.makedirs(folder, exist_ok=True)
        env = {
            "PATH": os.environ["PATH"],
            "SVC_DATA_DIR": f"{folder}/data",
            "SVC_HOST": HERE,
            "SVC_DATABASE_URL": self.database,
            "SVC_QUEUE_URL": self.queue,
            "SVC_SECRET_KEY": "the key that all nodes share",
            "SVC_ADMIN_PASSWORD": PASSWORD,
            "SVC_THROTTLE_SEARCH": "None",
            "SVC_CONNECTIONS_PER_ADDRESS": "0",
            "SVC_HEALTH_OPEN": "true",
            "SVC_METRICS_OPEN": "true",
            "SVC_LOG_MAX_MB": "2",
            "SVC_LOG_FILES": "2",
        }
        apart = ["ip", "netns", "exec", NAMESPACE] if is_apart else []
        command = [*apart, self.program, "serve", "--port", str(self.ports.get(name, 0)), "--roles", roles]
        return Process(name, command, env, f"{self.scratch}/{name}.log")

    def start(self):
        self.postgres.start()
        wait_for_port(HERE, self.postgres.port)
        self.nats.start()
        wait_for_port(HERE, self.nats.port)
        self.nodes["web1"].start()
        wait_for_port(HERE, self.ports["web1"])
        for name in ("web2", "worker1", "worker2", "beat"):
            self.nodes[name].start()
        wait_for_port(HERE, self.ports["web2"])

    def query(self, statement, seconds=5):
        """The result of one database statement; empty while the database is down."""
        return run("timeout", str(seconds), *self.psql, "-c", statement, check=False).stdout.strip()

    def stop(self):
        for process in [*self.nodes.values(), self.nats, self.postgres]:
            if process.child and process.child.poll() is None:
                process.wake()
                process.kill()
        for folder in self.disks:
            run("umount", "-l", folder, check=False)
        run("ip", "netns", "del", NAMESPACE, check=False)
        run("ip", "link", "del", "faults0", check=False)
