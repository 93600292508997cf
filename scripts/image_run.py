#!/usr/bin/env python3
"""Runs the program in the root filesystem of its image, as deploy/Dockerfile describes it, without a registry.

    python3 scripts/image_run.py target/release/tributary

Uses user, working folder, environment and command of the last stage of the Dockerfile. The base image contains the C
library and certificates and no shell; the same files are taken from the packages of this Debian machine. bubblewrap
(apt-get install bubblewrap) runs the container as deployed: read-only root, no capabilities, no new privileges, a volume
for /data, a tmpfs for /tmp; memory and process limits are not set. Needs root.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The files of gcr.io/distroless/cc-debian12 that are visible to a program.
PACKAGES = ["base-files", "ca-certificates", "libc6", "libgcc-s1", "libssl3", "libstdc++6", "netbase", "tzdata"]
NOT_IN_IMAGE = ["/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"]
READY_WAIT_S = 60
STOP_WAIT_S = 30
TMP_BYTES = 64 << 20
PORT = 18431


def last_stage(dockerfile):
    """The instructions of the shipped image."""
    text = re.sub(r"\\\n\s*", " ", dockerfile.read_text())
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    start = max(index for index, line in enumerate(lines) if line.startswith("FROM "))
    stage = {"ENV": {}, "FONTS": []}
    for line in lines[start + 1 :]:
        word, rest = line.split(" ", 1)
        if word == "ENV":
            stage["ENV"].update(pair.split("=", 1) for pair in rest.split())
        elif word in ("ENTRYPOINT", "CMD"):
            stage[word] = json.loads(rest)
        elif word == "HEALTHCHECK":
            stage[word] = json.loads(rest[rest.index("[") :])
        elif word == "COPY" and rest.startswith("--from=fonts "):
            *sources, folder = rest.split()[1:]
            stage["FONTS"] += [(pathlib.Path(source), folder) for source in sources]
        elif word in ("USER", "WORKDIR"):
            stage[word] = rest
    return stage


def copy_packages(rootfs):
    # Debian has a merged /usr.
    for folder in ("lib", "lib64"):
        (rootfs / "usr" / folder).mkdir(parents=True)
        (rootfs / folder).symlink_to(f"usr/{folder}")
    for package in PACKAGES:
        listed = subprocess.run(["dpkg", "-L", package], check=True, capture_output=True, text=True).stdout
        for name in listed.splitlines():
            source = pathlib.Path(name)
            if not name.startswith("/") or name == "/." or any(name.startswith(out) for out in NOT_IN_IMAGE):
                continue
            target = rootfs / name[1:]
            if target.is_symlink():
                continue
            if source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(os.readlink(source))
            elif source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
    certificates = rootfs / "etc/ssl/certs/ca-certificates.crt"
    certificates.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2("/etc/ssl/certs/ca-certificates.crt", certificates)


def copy_fonts(rootfs, fonts):
    for source, folder in fonts:
        if not source.is_file():
            print(f"not on this machine, and so not in the image: {source}")
            continue
        target = rootfs / folder[1:]
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def make_rootfs(rootfs, program, fonts):
    copy_packages(rootfs)
    copy_fonts(rootfs, fonts)
    for folder in ("proc", "dev", "sys", "tmp", "data", "usr/local/bin", "etc"):
        (rootfs / folder).mkdir(parents=True, exist_ok=True)
    (rootfs / "etc/passwd").write_text("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n")
    (rootfs / "etc/group").write_text("root:x:0:\nnonroot:x:65532:\n")
    (rootfs / "etc/hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy2(program, rootfs / "usr/local/bin/tributary")
    (rootfs / "usr/local/bin/tributary").chmod(0o755)
    shells = [name for name in ("bin/sh", "usr/bin/sh", "usr/bin/dash", "usr/bin/apt") if (rootfs / name).exists()]
    assert not shells, f"the image has no shell: {shells}"


def container(folder, stage, words):
    """The command line that runs the program as the image and its deployment specify."""
    user, group = stage["USER"].split(":")
    environment = {**stage["ENV"], "SVC_PORT": str(PORT), "SVC_HOST": "127.0.0.1", "SVC_MONITOR_PORT": str(PORT)}
    command = ["setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--inh-caps=-all", "bwrap"]
    command += ["--ro-bind", str(folder / "rootfs"), "/", "--bind", str(folder / "data"), "/data"]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"]
    command += ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--cap-drop", "ALL", "--die-with-parent", "--chdir", stage["WORKDIR"], "--clearenv"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    return command + ["--"] + words


def call(path, password=None, method="GET", body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", method=method, data=body)
    if body:
        request.add_header("Content-Type", "application/json")
    if password:
        token = base64.b64encode(f"admin:{password}".encode()).decode()
        request.add_header("Authorization", f"Basic {token}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
    except OSError as error:
        return 0, str(error)


def wait_ready(process, output):
    until = time.monotonic() + READY_WAIT_S
    while time.monotonic() < until:
        if process.poll() is not None:
            sys.exit(f"the container ended with {process.returncode}:\n{output.read_text()}")
        if call("/svc/health/ready/")[0] == 200:
            return
        time.sleep(0.2)
    sys.exit(f"not ready after {READY_WAIT_S} s:\n{output.read_text()}")


def check(name, holds, seen=""):
    print(f"{'ok' if holds else 'FAIL':5} {name}{': ' + str(seen) if seen != '' else ''}")
    return holds


def checks(folder, stage, output):
    """One line per documented property of the image."""

    def execute(*words):
        return subprocess.run(container(folder, stage, list(words)), capture_output=True, text=True)

    password = re.search(r"Password: (\S+)", output.read_text())[1]
    yield check("ready answers", True)
    health = execute(*stage["HEALTHCHECK"])
    yield check("the health check of the image succeeds", health.returncode == 0, health.stdout.strip() or health.stderr.strip())
    shell = execute("/bin/sh", "-c", "true")
    yield check("there is no shell", shell.returncode != 0)
    status, text = call("/svc/searchproviders/", password)
    yield check("an administrator signs in", status == 200, status)
    status, text = call("/svc/search/?qs=river", password)
    yield check("a search without sources is answered", status < 500, status)
    status, text = call("/", password)
    yield check("the search page is served", status == 200 and "<html" in text, status)
    owners = {(entry.stat().st_uid, oct(entry.stat().st_mode & 0o077)) for entry in (folder / "data").rglob("*") if entry.is_file()}
    yield check("files of the volume belong to the user of the image and to nobody else", owners == {(65532, "0o0")}, owners)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    program = parser.parse_args().program
    stage = last_stage(ROOT / "deploy/Dockerfile")
    with tempfile.TemporaryDirectory(prefix="tributary-image-") as folder:
        folder = pathlib.Path(folder)
        rootfs, data, output = folder / "rootfs", folder / "data", folder / "output"
        rootfs.mkdir()
        data.mkdir()
        os.chown(data, 65532, 65532)
        make_rootfs(rootfs, program, stage["FONTS"])
        folder.chmod(0o755)
        size = sum(entry.stat().st_size for entry in rootfs.rglob("*") if entry.is_file() and not entry.is_symlink())
        print(f"root filesystem: {size / 1e6:.0f} MB, the program {program.stat().st_size / 1e6:.0f} MB")
        with output.open("w") as written:
            command = container(folder, stage, stage["ENTRYPOINT"] + stage["CMD"])
            process = subprocess.Popen(command, stdout=written, stderr=subprocess.STDOUT)
        try:
            wait_ready(process, output)
            results = list(checks(folder, stage, output))
            inside = subprocess.run(["pgrep", "-f", "^" + stage["ENTRYPOINT"][0] + " serve"], capture_output=True, text=True)
            for number in inside.stdout.split():
                os.kill(int(number), signal.SIGTERM)
            code = process.wait(timeout=STOP_WAIT_S)
            results.append(check("SIGTERM ends it cleanly", code == 0, code))
        finally:
            process.poll() is None and process.kill()
    sys.exit(0 if all(results) else 1)


main()
