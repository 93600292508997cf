"""The faults: how each is injected, how long it lasts, and how it is repaired."""

import os
import shutil
import signal
import threading
import time

HOLD = 10
NODES = ("web1", "web2", "worker1", "worker2", "beat")


class Fault:
    def __init__(self, name, inject, repair, hold=HOLD, breaks_sources=False):
        self.name, self.inject, self.repair, self.hold = name, inject, repair, hold
        # The results of searches may be partial.
        self.breaks_sources = breaks_sources


class Slowness:
    """A server that is suspended for most of each tenth of a second."""

    def __init__(self, process):
        self.process = process
        self.is_over = threading.Event()

    def begin(self):
        self.is_over.clear()
        self.thread = threading.Thread(target=self.stutter)
        self.thread.start()

    def stutter(self):
        while not self.is_over.is_set():
            self.process.pause()
            time.sleep(0.08)
            self.process.wake()
            time.sleep(0.02)

    def end(self):
        self.is_over.set()
        self.thread.join()
        self.process.wake()


def all_faults(cluster, sources):
    nodes = cluster.nodes
    faults = []
    for name in NODES:
        node = nodes[name]
        faults.append(Fault(f"kill -9 {name}", node.kill, node.start))
        faults.append(Fault(f"pause {name}", node.pause, node.wake, hold=20 if "worker" in name else HOLD))
        faults.append(Fault(f"stop and start {name}", node.terminate, node.start, hold=1))
    workers = [nodes["worker1"], nodes["worker2"]]
    faults += [
        Fault("kill -9 both workers", each(workers, "kill"), each(workers, "start")),
        Fault("freeze worker1 inside a transaction", lambda: freeze(cluster, "worker1"), nodes["worker1"].wake, hold=30),
        Fault("cut worker2 off without a FIN", lambda: cluster.set_link("down"), lambda: cluster.set_link("up"), hold=30),
        Fault("worker2 loses power", lambda: lose_power(cluster), lambda: restore_power(cluster), hold=30),
        Fault("disk of worker1 full", lambda: cluster.fill("worker1"), lambda: cluster.empty("worker1")),
    ]
    return faults + server_faults(cluster) + source_faults(sources)


def server_faults(cluster):
    postgres, nats = cluster.postgres, cluster.nats
    slow_postgres, slow_nats = Slowness(postgres), Slowness(nats)
    everything = [*cluster.nodes.values(), nats, postgres]
    return [
        Fault("kill -9 NATS", nats.kill, nats.start),
        Fault("pause NATS", nats.pause, nats.wake, hold=15),
        Fault("stop and start NATS", nats.terminate, nats.start, hold=5),
        Fault("NATS loses its disk", lambda: lose_store(nats), nats.start, hold=3),
        Fault("disk of NATS full", lambda: cluster.fill("nats"), lambda: free_space(cluster), hold=15),
        Fault("NATS slow", slow_nats.begin, slow_nats.end),
        Fault("kill -9 PostgreSQL", postgres.kill, postgres.start, hold=5),
        Fault("pause PostgreSQL", postgres.pause, postgres.wake, hold=15),
        Fault("stop and start PostgreSQL", lambda: fast_stop(postgres), postgres.start, hold=5),
        Fault("disk of PostgreSQL full", lambda: cluster.fill("postgres"), lambda: cluster.empty("postgres"), hold=15),
        Fault("PostgreSQL slow", slow_postgres.begin, slow_postgres.end),
        Fault("everything loses power", each(everything, "kill"), lambda: cluster.start(), hold=2),
    ]


def source_faults(sources):
    repair = lambda: sources.set("ok")
    return [
        Fault("one source takes 3 s", lambda: sources.set("slow", [0]), repair),
        Fault("one source hangs", lambda: sources.set("hang", [0]), repair, hold=20, breaks_sources=True),
        Fault("two sources flap", lambda: sources.set("flap", [0, 1]), repair, breaks_sources=True),
        Fault("all sources return 503", lambda: sources.set("503"), repair, breaks_sources=True),
    ]


def each(processes, method):
    return lambda: [getattr(process, method)() for process in processes]


def freeze(cluster, name):
    """Pauses the node until a pause falls into an open transaction, and leaves it there."""
    node = cluster.nodes[name]
    for _ in range(100):
        node.pause()
        open_ones = cluster.query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'")
        if open_ones not in ("", "0"):
            return
        node.wake()
        time.sleep(0.03)
    node.pause()


def lose_power(cluster):
    """Disconnects the network first, so that nobody notices that the process has ended."""
    cluster.set_link("down")
    cluster.nodes["worker2"].kill()


def restore_power(cluster):
    cluster.set_link("up")
    cluster.nodes["worker2"].start()


def lose_store(nats):
    nats.kill()
    shutil.rmtree(nats.store)


def free_space(cluster):
    """A NATS stream that could not be written stays broken until the server is restarted."""
    cluster.empty("nats")
    cluster.nats.kill()
    cluster.nats.start()


def fast_stop(postgres):
    os.kill(postgres.child.pid, signal.SIGINT)
    postgres.child.wait(timeout=60)
