#!/usr/bin/env python3
"""Writes crates/corpus/data/public-suffixes.txt from the list in the PyPI package `publicsuffixlist`.

    pip download --no-deps publicsuffixlist
    scripts/update_public_suffixes.py publicsuffixlist-*.whl

One rule per line in DNS form, sorted by bytes, because the program uses binary search.
"""

import pathlib
import re
import sys
import zipfile

TARGET = pathlib.Path(__file__).parent.parent / "crates/corpus/data/public-suffixes.txt"
HEAD = """\
# The rules of the Public Suffix List, https://publicsuffix.org/list/, version {version}, without its comments.
# This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not
# distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.
"""


def to_ascii(rule: str) -> str:
    """The rule in DNS form; `*` and `!` are kept."""
    mark = "!" if rule.startswith("!") else ""
    labels = rule.removeprefix("!").split(".")
    return mark + ".".join(label if label.isascii() else label.encode("idna").decode() for label in labels)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/update_public_suffixes.py WHEEL")
    text = zipfile.ZipFile(sys.argv[1]).read("publicsuffixlist/public_suffix_list.dat").decode()
    version = re.search(r"^// VERSION: (\S+)$", text, re.MULTILINE)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("//")]
    rules = sorted({to_ascii(line.split()[0].lower()) for line in lines})
    if version is None or len(rules) < 5000:
        sys.exit(f"{sys.argv[1]} contains no complete list: {len(rules)} rules")
    TARGET.write_text(HEAD.format(version=version[1]) + "\n".join(rules) + "\n", encoding="ascii")
    print(f"wrote {len(rules)} rules of {version[1]}")


main()
