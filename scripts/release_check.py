#!/usr/bin/env python3
"""Checks the artifacts of scripts/release.sh; release_install_check.py then installs the Debian package.

    python3 scripts/release_check.py dist

With the Python package cyclonedx-python-lib[json-validation] the bill of materials is validated against its schema, too.
Needs root and Debian for the installation.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import pathlib
import stat
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNIT = "usr/lib/systemd/system/tributary.service"
SETTINGS = "etc/tributary/tributary.env"

failures = []


def check(name, holds, seen=""):
    print(f"{'ok' if holds else 'FAIL':5} {name}{f': {seen}' if seen != '' else ''}", flush=True)
    if not holds:
        failures.append(name)


def skip(name, reason):
    print(f"skipped: {name}, because {reason}", flush=True)


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} files {pattern}; it should have one")
    return found[0]


def check_sums(folder):
    lines = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.name != "SHA256SUMS"}
    check("SHA256SUMS has every file", lines == sums, len(sums))


def check_archive(archive, scratch):
    """Unpacks the archive and returns its program."""
    with tarfile.open(archive) as opened:
        members = opened.getmembers()
        opened.extractall(scratch, filter="data")
    name = archive.name.removesuffix(".tar.gz")
    inside = {member.name.removeprefix(name).lstrip("/") for member in members}
    wanted = {"tributary", "LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt"}
    wanted |= {f"completions/{file}" for file in ("tributary.bash", "_tributary", "tributary.fish")}
    check("the archive has everything in one folder", wanted <= inside and all(m.name.startswith(name) for m in members))
    check("the archive names no user and one time", {(m.uid, m.gid, m.uname) for m in members} == {(0, 0, "")} and len({m.mtime for m in members}) == 1)
    program = scratch / name / "tributary"
    version = output(program, "--version").strip()
    check("the program says its version", version == f"tributary {name.split('-')[1]}", version)
    sections = output("readelf", "--sections", "--wide", program)
    check("the program is stripped", ".symtab" not in sections and ".debug_info" not in sections)
    return program


def check_symbols(folder, program, scratch):
    found = list(folder.glob("*.debug.xz"))
    linked = ".gnu_debuglink" in output("readelf", "--sections", "--wide", program)
    if not found:
        check("a program without symbols refers to none", not linked)
        return
    symbols = scratch / found[0].name.removesuffix(".xz")
    with symbols.open("wb") as unpacked:
        subprocess.run(["xz", "--decompress", "--stdout", found[0]], check=True, stdout=unpacked)
    names = subprocess.run(["nm", "--defined-only", symbols], capture_output=True, text=True).stdout
    check("the symbols are kept beside the program", linked and "main" in names, f"{len(names.splitlines())} names")
    identity = [output("readelf", "--notes", "--wide", file).partition("Build ID: ")[2].split()[:1] for file in (program, symbols)]
    check("symbols and program have the same build id", identity[0] == identity[1] and identity[0], *identity[0])


def check_bill(bill, program):
    document = json.loads(bill.read_text())
    components = [document["metadata"]["component"], *document["components"]]
    names = [component["bom-ref"] for component in components]
    check("the bill of materials names each component once", len(names) == len(set(names)) > 200, len(names))
    known = set(names)
    edges = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
    check("its graph has every component and no other", set(edges) == known and all(known.issuperset(to) for to in edges.values()))
    check("every component has a license", all(component.get("licenses") for component in components))
    fetched = [component for component in components if "purl" in component]
    check("every crate of a registry has its checksum", all(component.get("hashes") for component in fetched), len(fetched))
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    check("it is the bill of this program", components[0]["hashes"][0]["content"] == digest)
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        skip("schema of the bill of materials", "cyclonedx-python-lib is not installed")
        return
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill.read_text())
    check("it fits the schema of CycloneDX 1.6", error is None, "" if error is None else error)


def check_package(package, scratch):
    """Checks the package without installing it."""
    files = scratch / "package"
    subprocess.run(["dpkg-deb", "--raw-extract", package, files], check=True)
    owners = {line.split()[1] for line in output("dpkg-deb", "--contents", package).splitlines()}
    check("every file of the package belongs to root", owners == {"root/root"}, owners)
    check("the settings are for root alone", stat.S_IMODE((files / SETTINGS).stat().st_mode) == 0o600)
    for script in ("postinst", "prerm", "postrm"):
        subprocess.run(["sh", "-n", files / "DEBIAN" / script], check=True)
    shipped, source = (files / UNIT).read_text(), (ROOT / "deploy/systemd/tributary.service").read_text()
    lines = [line for line in difflib.ndiff(source.splitlines(), shipped.splitlines()) if line[0] in "+-"]
    wanted = {"- DynamicUser=yes", "+ User=tributary", "+ Group=tributary"}
    wanted |= {"- ExecStart=/usr/local/bin/tributary serve", "+ ExecStart=/usr/bin/tributary serve"}
    check("the unit is that of deploy/ with a fixed user", {line for line in lines if line[2] != "#"} == wanted)
    changelog = gzip.decompress((files / "usr/share/doc/tributary/changelog.gz").read_bytes()).decode()
    version = output("dpkg-deb", "--field", package, "Version").strip()
    check("the changelog has this version", f"\n## {version} " in changelog, version)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="folder with the artifacts")
    folder = parser.parse_args().folder
    package = only(folder, "*.deb")
    with tempfile.TemporaryDirectory(prefix="tributary-release-") as scratch:
        scratch = pathlib.Path(scratch)
        check_sums(folder)
        program = check_archive(only(folder, "*.tar.gz"), scratch)
        check_symbols(folder, program, scratch)
        check_bill(only(folder, "*.cdx.json"), program)
        check_package(package, scratch)
        install = [sys.executable, ROOT / "scripts/release_install_check.py", package]
        check("the package can be installed and removed", subprocess.run(install).returncode == 0)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
