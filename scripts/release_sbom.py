#!/usr/bin/env python3
"""Writes the software bill of materials of a program: CycloneDX 1.6 in JSON.

    python3 scripts/release_sbom.py --program FILE --target TRIPLE --time SECONDS >tributary.cdx.json

Components are the crates that are linked into the program with its default features, as `cargo tree` resolves them.
Licenses and descriptions come from `cargo metadata`, checksums from Cargo.lock. Equal input gives equal bytes. Needs Python
3.11.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "tributary"
# A line of `cargo tree --prefix depth`: "2serde v1.0.229 (*)".
TREE_LINE = re.compile(r"(\d+)(\S+) v(\S+)")
# The serial number is a hash in this namespace.
NAMESPACE = uuid.UUID("6d6f2c0e-6d0c-5b7a-9a53-0d7c3b6f5f2e")


def cargo(*words):
    return subprocess.run(["cargo", *words, "--locked"], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def read_graph(target):
    """The packages that are linked into the program, as (name, version), each with those that it depends on."""
    graph, path = {}, []
    edges = "normal,no-proc-macro"
    for line in cargo("tree", "--package", PACKAGE, "--edges", edges, "--target", target, "--prefix", "depth").splitlines():
        depth, name, version = TREE_LINE.match(line).groups()
        package = (name, version)
        graph.setdefault(package, set())
        del path[int(depth) :]
        if path:
            graph[path[-1]].add(package)
        path.append(package)
    return graph


def read_packages(target):
    """The `cargo metadata` of each package, by (name, version)."""
    packages = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))["packages"]
    return {(package["name"], package["version"]): package for package in packages}


def read_checksums():
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package.get("checksum") for package in locked}


def refer(package):
    """The reference of a component inside the document."""
    return "cargo:{}@{}".format(*package)


def describe_license(package):
    if package["license"]:
        # Old manifests use a slash for OR.
        return [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}]
    return [{"license": {"name": f"see {package['license_file']}"}}] if package["license_file"] else []


def describe_component(key, package, checksum):
    component = {"type": "library", "bom-ref": refer(key), "name": key[0], "version": key[1]}
    if package["description"]:
        component["description"] = " ".join(package["description"].split())
    component["scope"] = "required"
    if checksum:
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if licenses := describe_license(package):
        component["licenses"] = licenses
    # Workspace crates are not in the registry, where other crates may have the same names.
    if package["source"]:
        component["purl"] = f"pkg:cargo/{key[0]}@{urllib.parse.quote(key[1], safe='')}"
        if package["repository"]:
            component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def describe_program(key, package, program):
    component = describe_component(key, package, hashlib.sha256(program.read_bytes()).hexdigest())
    component.pop("scope")
    return {**component, "type": "application", "description": "Federated search service"}


def describe(target, program, time):
    graph, packages, checksums = read_graph(target), read_packages(target), read_checksums()
    root = next(key for key in graph if key[0] == PACKAGE)
    libraries = [describe_component(key, packages[key], checksums[key]) for key in sorted(graph) if key != root]
    dependencies = [
        {"ref": refer(key), "dependsOn": sorted(refer(other) for other in graph[key])} for key in sorted(graph)
    ]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lifecycles": [{"phase": "build"}],
            "component": describe_program(root, packages[root], program),
            "properties": [{"name": "cargo:target", "value": target}],
        },
        "components": libraries,
        "dependencies": dependencies,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--target", required=True, help="target of the program")
    parser.add_argument("--time", type=int, required=True, help="timestamp of the document, in seconds since 1970")
    arguments = parser.parse_args()
    document = describe(arguments.target, arguments.program, arguments.time)
    serial = uuid.uuid5(NAMESPACE, json.dumps(document, sort_keys=True))
    document["serialNumber"] = f"urn:uuid:{serial}"
    json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
