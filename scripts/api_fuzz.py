#!/usr/bin/env python3
"""Sends requests that Schemathesis generates from the OpenAPI document to the demo, and fails if a response contradicts
the document: an undocumented status, content or schema, a server error, or wrong input that is accepted.

    python3 scripts/api_fuzz.py PROGRAM TOOLS

PROGRAM is the built program; TOOLS is a folder with the PyPI package schemathesis. tests/api_fuzz/schemathesis.toml
limits the number of requests and lists the accepted findings with their reasons. Each run first shows that wrong
documents are found, by a document with known mistakes.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from running_demo import running_demo  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG = ROOT / "tests/api_fuzz/schemathesis.toml"
# Normally it takes two minutes.
STEP_WAIT_S = 900
# Requests are not limited here.
SETTINGS = {
    name: "None"
    for name in ["SVC_THROTTLE_LOGIN", "SVC_THROTTLE_SEARCH", "SVC_THROTTLE_RAG", "SVC_THROTTLE_MCP", "DOCS_CHAT_THROTTLE_RATE"]
}
# The operation with known mistakes, and what Schemathesis calls them.
BROKEN_OPERATION = "list_groups"
BROKEN_FINDINGS = ["Response violates schema", "Schema-violating request accepted"]


class Fuzzer:
    def __init__(self, tools, folder, demo):
        self.tools, self.folder, self.demo = tools, folder, demo

    def run(self, document, *options):
        """Tests this document; returns the exit status and the output."""
        path = self.folder / "openapi.json"
        path.write_text(json.dumps(document))
        command = [
            sys.executable, "-c", "import schemathesis.cli; schemathesis.cli.schemathesis()",
            "--config-file", CONFIG, "run", path, "--url", self.demo.base, "--no-color", "--warnings", "off",
            "--header", f"Authorization: {self.demo.authorization()}", *options,
        ]  # fmt: skip
        # The newest packages come first, also before those of the system.
        environment = {**os.environ, "PYTHONPATH": str(self.tools)}
        step = subprocess.run(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=STEP_WAIT_S, check=False,
        )  # fmt: skip
        return step.returncode, step.stdout


def broken(document):
    """The document with two mistakes in one operation: the name of a group is a number, and a page has at most 50 items."""
    document = json.loads(json.dumps(document))
    document["components"]["schemas"]["Group"]["properties"]["name"] = {"type": "integer"}
    for parameter in document["paths"]["/svc/groups/"]["get"]["parameters"]:
        if parameter["name"] == "items":
            parameter["schema"]["maximum"] = 50
    return document


def check_that_mistakes_are_found(fuzzer, document):
    status, output = fuzzer.run(broken(document), "--include-operation-id", BROKEN_OPERATION)
    missed = [finding for finding in BROKEN_FINDINGS if finding not in output]
    if status == 0 or missed:
        raise SystemExit(f"a wrong document was not found ({', '.join(missed)}):\n{output}")


def main():
    program, tools = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="tributary-fuzz-") as folder, running_demo(program, SETTINGS) as demo:
        fuzzer = Fuzzer(tools, pathlib.Path(folder), demo)
        document = call(demo, "GET", "/svc/api/schema/")
        call(demo, "POST", "/svc/groups/", b'{"name": "editors"}')  # for the operation with known mistakes
        check_that_mistakes_are_found(fuzzer, document)
        status, output = fuzzer.run(document)
        print(output[-60_000:])
        if not call(demo, "GET", "/svc/users/me/")["is_admin"]:
            raise SystemExit("admin has lost the rights, so the last requests tested little")
        if demo.has_panicked():
            raise SystemExit("the service has panicked")
        sys.exit(status)


def call(demo, method, path, body=None):
    """A request of admin that must succeed."""
    request = urllib.request.Request(demo.base + path, data=body, method=method)
    request.add_header("Authorization", demo.authorization())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
