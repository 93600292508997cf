#!/usr/bin/env python3
"""Generates a TypeScript client from the OpenAPI document of a running service, compiles it with the main calls of
tests/api_client/calls.ts, and runs them.

    python3 scripts/api_client.py PROGRAM TOOLS

PROGRAM is the built program, whose demo is started; TOOLS is a folder with the packages of
tests/api_client/package.json. The client must compile without an error, and every call must succeed.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from running_demo import running_demo  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ["calls.ts", "tsconfig.json", "package.json"]
STEP_WAIT_S = 120


def main():
    program, tools = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="tributary-client-") as name:
        folder = pathlib.Path(name)
        for source in SOURCES:
            shutil.copy(ROOT / "tests/api_client" / source, folder)
        (folder / "node_modules").symlink_to(tools / "node_modules")
        with running_demo(program) as demo:
            document = urllib.request.Request(demo.base + "/svc/api/schema/")
            document.add_header("Authorization", demo.authorization())
            with urllib.request.urlopen(document, timeout=30) as answer:
                (folder / "openapi.json").write_bytes(answer.read())
            packages = folder / "node_modules/.bin"
            # Fields with a default may be left out of a request.
            run(folder, packages / "openapi-typescript", "openapi.json", "--default-non-nullable=false", "--output", "api.d.ts")
            run(folder, packages / "tsc", "--project", "tsconfig.json")
            run(folder, "node", "built/calls.js", demo.base, "admin", demo.password)


def run(folder, *command):
    """Runs a step; its failure ends the script with its output."""
    step = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=STEP_WAIT_S, check=False)
    print(step.stdout[-20_000:], step.stderr[-20_000:], sep="", flush=True)
    if step.returncode != 0:
        raise SystemExit(f"{pathlib.Path(command[0]).name} failed with {step.returncode}")


if __name__ == "__main__":
    main()
