#!/usr/bin/env python3
"""Installs the Debian package of a release as an administrator would: install, start, upgrade, remove, purge.

    python3 scripts/release_install_check.py dist/tributary_0.2.0_amd64.deb

Works in a temporary overlay of this machine's file system with a separate network, so that neither changes. systemd is
not used: the service is started as specified by its unit, with its user, environment and folders, and must report
readiness. Needs root and Debian.
"""

import argparse
import ctypes
import fcntl
import os
import pathlib
import shlex
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from release_check import SETTINGS, UNIT, check, failures

DATA = "var/lib/tributary"
READY_WAIT_S = 120
STOP_WAIT_S = 60
# As in the test of deploy/systemd: maximum exposure of `systemd-analyze security`, in tenths.
EXPOSURE_MAX = 15
# Numbers of <linux/sched.h>.
CLONE_NEWNS = 0x0002_0000
CLONE_NEWNET = 0x4000_0000
# Mount point of the overlay, in the mount namespace of this script.
LAYER = pathlib.Path("/mnt")


def leave_namespaces():
    """Moves this process into its own mount and network namespaces."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS | CLONE_NEWNET):
        sys.exit(f"namespaces of its own: {os.strerror(ctypes.get_errno())}; run it as root")


def mount_layer(scratch):
    """An overlay in memory over this machine's file system, discarded afterwards."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "layer", scratch], check=True)
    for name in ("upper", "work"):
        (scratch / name).mkdir()
    options = f"lowerdir=/,upperdir={scratch}/upper,workdir={scratch}/work"
    subprocess.run(["mount", "-t", "overlay", "-o", options, "overlay", LAYER], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", LAYER / "proc"], check=True)
    for name in ("dev", "run", "tmp"):
        kind = ["--rbind", "/dev"] if name == "dev" else ["-t", "tmpfs", "tmpfs"]
        subprocess.run(["mount", *kind, LAYER / name], check=True)
    # Prevent automatic starts, which would affect the machine instead of the overlay.
    policy = LAYER / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)


def raise_loopback():
    with socket.socket() as any_socket:
        # SIOCSIFFLAGS with IFF_UP.
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))


def inside(*words, **options):
    return subprocess.run(["chroot", LAYER, *words], capture_output=True, text=True, **options)


def dpkg(*words):
    done = inside("dpkg", *words, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode:
        sys.exit(f"dpkg {' '.join(words)} failed:\n{done.stdout}{done.stderr}")


def read_unit():
    values = {}
    for line in (LAYER / UNIT).read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            values[key] = value
    environment = dict(pair.split("=", 1) for pair in values["Environment"].split())
    for line in (LAYER / SETTINGS).read_text().splitlines():
        if line and not line.startswith("#"):
            environment.update([line.split("=", 1)])
    return values, environment


def start_service(listener):
    """Starts the command of the unit as its user, with a readiness socket."""
    unit, environment = read_unit()
    environment["NOTIFY_SOCKET"] = "/run/notify"
    os.chmod(listener, 0o666)
    command = ["chroot", LAYER, "setpriv", f"--reuid={unit['User']}", f"--regid={unit['Group']}", "--init-groups", "--no-new-privs"]
    command += ["--bounding-set=-all", "--inh-caps=-all", "env", "--ignore-environment", f"--chdir={unit['WorkingDirectory']}"]
    command += [f"{name}={value}" for name, value in environment.items()]
    return subprocess.Popen(command + shlex.split(unit["ExecStart"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True), environment


def wait_ready(notices, process):
    notices.settimeout(1)
    until = time.monotonic() + READY_WAIT_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if b"READY=1" in notices.recv(4096):
                return True
        except TimeoutError:
            pass
    return False


def status_of(address):
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status
    except (urllib.error.URLError, OSError) as error:
        return error


def run_service():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        listener = str(LAYER / "run/notify")
        notices.bind(listener)
        process, environment = start_service(listener)
        try:
            ready = wait_ready(notices, process)
            check("the service reports that it is ready", ready, "" if ready else process.poll())
            address = f"http://{environment['SVC_HOST']}:{environment['SVC_PORT']}/svc/health/ready/"
            status = status_of(address)
            check("it answers at /svc/health/ready/", status == 200, status)
            process.terminate()
            check("it stops cleanly", process.wait(STOP_WAIT_S) == 0, process.returncode)
        finally:
            if process.poll() is None:
                process.kill()
        if failures:
            print(process.stdout.read())


def check_installation(package):
    (LAYER / "tmp/package.deb").write_bytes(package.read_bytes())
    dpkg("--install", "/tmp/package.deb")
    user = inside("getent", "passwd", "tributary").stdout.strip()
    check("the package is installed, with its user", user.endswith("/nologin"), user)
    enabled = LAYER / "etc/systemd/system/multi-user.target.wants/tributary.service"
    check("the service is enabled", enabled.is_symlink(), os.readlink(enabled) if enabled.is_symlink() else "")
    verified = inside("systemd-analyze", "verify", f"/{UNIT}")
    check("systemd accepts the unit", verified.returncode == 0, verified.stderr.strip())
    exposed = inside("systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE_MAX}", f"/{UNIT}")
    check("the unit is hardened", exposed.returncode == 0, exposed.stdout.strip().splitlines()[-1])
    run_service()
    data = LAYER / DATA
    kept = {path.name for path in data.iterdir()}
    owners = {path.stat().st_uid for path in data.rglob("*")}
    number = int(user.split(":")[2])
    check("its data belongs to its user alone", owners == {number} and stat.S_IMODE(data.stat().st_mode) == 0o700, sorted(kept))
    (LAYER / SETTINGS).write_text((LAYER / SETTINGS).read_text() + "SVC_DRAIN=1\n")
    dpkg("--install", "/tmp/package.deb")
    check("an upgrade keeps changed settings", "SVC_DRAIN=1\n" in (LAYER / SETTINGS).read_text())
    dpkg("--remove", "tributary")
    left = {path.name for path in data.iterdir()}
    check("removal keeps data and settings", left == kept and (LAYER / SETTINGS).exists())
    check("removal takes the program away", not (LAYER / "usr/bin/tributary").exists() and not (LAYER / UNIT).exists())
    dpkg("--purge", "tributary")
    check("purge removes data and settings", not data.exists() and not (LAYER / SETTINGS).parent.exists())
    check("purge leaves no service behind", not enabled.is_symlink())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=pathlib.Path)
    package = parser.parse_args().package
    leave_namespaces()
    with tempfile.TemporaryDirectory(prefix="tributary-layer-") as scratch:
        mount_layer(pathlib.Path(scratch))
        raise_loopback()
        try:
            check_installation(package)
        finally:
            for mounted in (LAYER, scratch):
                subprocess.run(["umount", "--recursive", "--lazy", mounted], check=True)
    sys.exit(1 if failures else 0)


main()
