#!/usr/bin/env python3
"""Prints the license texts of everything that is part of the program: its libraries and its data.

    python3 scripts/release_licenses.py --target TRIPLE >THIRD-PARTY-LICENSES.txt

Libraries are those of release_sbom.py; their texts are the files of their crates. A text that several share is printed
once.
"""

import argparse
import collections
import pathlib
import re

from release_sbom import PACKAGE, ROOT, read_graph, read_packages

# Names of license files at the root of a crate.
LICENSE_FILE = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
NOT_TEXT = {".rs", ".toml", ".json", ".html", ".hbs"}
# Third-party data listed in NOTICE.
DATA = [
    "crates/processors/data/SCOWL-COPYRIGHT.txt",
    "crates/domain/data/ZXCVBN-LICENSE.txt",
    "crates/rag/data/DEJAVU-LICENSE.txt",
]
LINE = "=" * 80


def find_texts(folder):
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    return [path for path in files if LICENSE_FILE.match(path.name) and path.suffix not in NOT_TEXT]


def collect(target):
    """License texts with the names they apply to, and libraries without a text."""
    packages, texts, without = read_packages(target), collections.defaultdict(list), []
    for key in sorted(read_graph(target)):
        package = packages[key]
        if not package["source"]:
            continue
        name = f"{key[0]} {key[1]} ({package['license'] or package['license_file']})"
        found = find_texts(pathlib.Path(package["manifest_path"]).parent)
        for path in found:
            text = path.read_text(errors="replace").replace("\r\n", "\n").strip()
            if name not in texts[text]:
                texts[text].append(name)
        if not found:
            without.append(name)
    for path in DATA:
        texts[(ROOT / path).read_text().strip()].append(path)
    return texts, without


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True, help="target of the program")
    texts, without = collect(parser.parse_args().target)
    print(f"License texts of the libraries and the data in {PACKAGE}. Its own license is in LICENSE and NOTICE.")
    if without:
        print("\nThese libraries come without a license text:\n")
        print("\n".join(f"  {name}" for name in without))
    for text, names in sorted(texts.items(), key=lambda pair: pair[1]):
        print(f"\n{LINE}")
        print("\n".join(names))
        print(f"{LINE}\n\n{text}")


if __name__ == "__main__":
    main()
