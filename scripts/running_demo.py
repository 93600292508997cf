"""Runs `tributary demo` in a temporary folder, for scripts that need a running service."""

import base64
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

READY_WAIT_S = 60
STOP_WAIT_S = 30
WELCOME = re.compile(r"demo on (\S+)\nUser admin, password (\S+)\n")


class Demo:
    """A running demo: its address, and the password of admin."""

    def __init__(self, base, password, log):
        self.base, self.password, self.log = base, password, log

    def authorization(self):
        return "Basic " + base64.b64encode(f"admin:{self.password}".encode()).decode()

    def has_panicked(self):
        return "panicked at" in self.log.read_text(errors="replace")


@contextlib.contextmanager
def running_demo(program, settings=None):
    """Starts the demo with these settings and stops it at the end."""
    with tempfile.TemporaryDirectory(prefix="tributary-demo-") as folder:
        log = pathlib.Path(folder) / "console.log"
        environment = {**os.environ, "SVC_DATA_DIR": os.path.join(folder, "data"), **(settings or {})}
        with log.open("wb") as console:
            process = subprocess.Popen(
                [os.path.abspath(program), "demo", "--port", "0"],
                cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            )  # fmt: skip
        try:
            yield wait_until_ready(process, log)
        finally:
            process.terminate()
            try:
                process.wait(STOP_WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_ready(process, log):
    end = time.monotonic() + READY_WAIT_S
    while time.monotonic() < end and process.poll() is None:
        welcome = WELCOME.search(log.read_text(errors="replace"))
        if welcome:
            return Demo(welcome[1].rstrip("/"), welcome[2], log)
        time.sleep(0.1)
    raise SystemExit(f"the demo did not start:\n{log.read_text(errors='replace')}")
