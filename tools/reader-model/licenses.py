#!/usr/bin/env python3
"""Write the table of texts and licenses in README.md from sources.toml and counts.tsv."""

import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).parent


def table():
    counts = dict(line.split("\t") for line in (HERE / "counts.tsv").read_text().splitlines())
    rows = ["| package | version | license | taken | passages |", "|---|---|---|---|---|"]
    for source in tomllib.loads((HERE / "sources.toml").read_text())["source"]:
        version = source["version"][:12] if source["origin"] == "git" else source["version"]
        cells = [f"{source['origin']}: {source['package']}", version, source["license"], source["taken"]]
        rows.append(f"| {' | '.join(cells)} | {int(counts[source['name']]):,} |")
    rows.append(f"| all | | | | {sum(map(int, counts.values())):,} |")
    return "\n".join(rows)


def main():
    readme = HERE / "README.md"
    marks = "<!-- licenses -->\n", "\n<!-- end of licenses -->"
    pattern = f"(?s)(?<={re.escape(marks[0])}).*(?={re.escape(marks[1])})"
    readme.write_text(re.sub(pattern, lambda _: table(), readme.read_text()))


if __name__ == "__main__":
    main()
