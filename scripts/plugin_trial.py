#!/usr/bin/env python3
"""Adds a mixer, three processors and a connector to a copy of the repository, to show that CONTRIBUTING.md names all
files that this takes, and no others.

    python3 scripts/plugin_trial.py [mixer] [processor] [connector]

Each trial copies its new files from scripts/plugin_trial/, edits the files that CONTRIBUTING.md names, and writes the
generated ones. Then everything must compile, the tests of plug-ins must pass, and the changed files must be exactly the
named ones. CHANGELOG.md is left alone: every change that users notice adds a line to it.

The copy is kept in the build folder (CARGO_TARGET_DIR, or target), so that a second run compiles only what has changed.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEW_FILES = ROOT / "scripts" / "plugin_trial"
# Catches hangs.
COMMAND_SECONDS_MAX = 3600

# The same packages in each trial, because another selection might need other features of the dependencies.
PACKAGES = ["mixers", "processors", "connectors", "server", "tributary"]
# The tests that read the catalogues, the generated files or all source files.
TESTS_OF_PLUGINS = {
    ("server", "lib"): ["i18n_coverage_tests::"],
    ("tributary", "lib"): ["catalog_translation_tests::"],
    ("tributary", "it"): [
        "architecture::",
        "authorization::matrix::the_document_is_fresh",
        "dependencies::",
        "file_circles::",
        "first_steps::links_of_the_documents_resolve",
        "first_steps::the_readme_counts_the_ready_sources",
        "plug_in_names::",
        "provider_doctor::",
        "ready_sources::",
        "routes::plugins::",
        "routes::readysources::",
        "vocabulary::",
        "wire::",
    ],
}
SNAPSHOT_TESTS = {("tributary", "it"): ["ready_sources::"]}


class Failure(Exception):
    """What to tell the person who runs this."""


@dataclasses.dataclass
class Named:
    """A file, and the words of CONTRIBUTING.md that name it. Without a row, a table of generated files has them."""

    path: str
    words: str
    row: str | None = None


@dataclasses.dataclass
class Trial:
    name: str
    files: list
    # The names of the plug-ins, and the generated page that lists them.
    plugins: list
    page: str
    # Besides TESTS_OF_PLUGINS. No filter means all tests.
    tests: dict
    edit: typing.Callable
    has_snapshot: bool = False


def edit_for_mixer(copy):
    add_module(copy / "crates/mixers/src/lib.rs", "alphabetical")
    add_row(copy / "crates/mixers/src/lib.rs", "alphabetical")
    names = "{% set names = {"
    replace(copy / "web/templates/search/head.html", names, names + '"AlphabeticalMixer": t("Alphabetical"), ')
    add_words(copy, {"Alphabetical": ("Alphabetisch", "Alphabétique")}, {
        "By title, ignoring case.": ("Nach Titel.", "Par titre."),
    })


def edit_for_processors(copy):
    for folder, name in [("query", "strip_quotes"), ("result", "title_case"), ("post_result", "drop_untitled")]:
        add_module(copy / "crates/processors/src" / folder / "mod.rs", name)
        add_row(copy / "crates/processors/src" / folder / "mod.rs", name)
    add_words(copy, {}, {
        "Removes quotation marks from a query.": ("Entfernt Anführungszeichen.", "Retire les guillemets."),
        "Capitalizes the words of titles. Runs after mapping.": ("Schreibt Titel groß.", "Titres en capitales."),
        "Deletes results without a title.": ("Löscht Treffer ohne Titel.", "Supprime les résultats sans titre."),
    })


def edit_for_connector(copy):
    add_module(copy / "crates/connectors/src/lib.rs", "json_feed")
    add_row(copy / "crates/connectors/src/lib.rs", "json_feed")
    add_module(copy / "crates/connectors/tests/it/main.rs", "json_feed")
    count = len(list((copy / "config/providers").iterdir()))
    said = "`providers list` shows "
    replace(copy / "README.md", f"{said}{count - 1}", f"{said}{count}")
    summary = "The items of a JSON Feed that contain every word of the query."
    german, french = "Die passenden Einträge eines JSON Feed.", "Les éléments d’un JSON Feed qui correspondent."
    add_words(copy, {}, {
        summary: (german, french),
        f"{summary} Put the address of the feed into url.": (f"{german} Adresse in url.", f"{french} Adresse dans url."),
    })


def add_words(copy, texts, catalog):
    """Adds translations into German and French, of texts of pages and of tables."""
    for place, language in enumerate(["de", "fr"]):
        file = copy / f"web/words/{language}.json"
        words = json.loads(file.read_text())
        words |= {text: both[place] for text, both in texts.items()}
        words["@catalog"] |= {text: both[place] for text, both in catalog.items()}
        file.write_text(json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


# Rows of the table "Where things go", and words of them.
MIXER, PROCESSOR, CONNECTOR, SOURCE = "a mixer", "a processor", "a connector", "a source with a JSON or XML API"
PROCESSOR_FILE = "`crates/processors/src/{query,result,post_result}/<name>.rs`"
PROCESSOR_ROW = "its `mod` line and its row in that folder's `mod.rs`"

TRIALS = [
    Trial(
        name="mixer",
        files=[
            Named("crates/mixers/src/alphabetical.rs", "`crates/mixers/src/<name>.rs`", MIXER),
            Named("crates/mixers/src/lib.rs", "its `mod` line and its row in `lib.rs`", MIXER),
            Named("web/templates/search/head.html", "`web/templates/search/head.html`", MIXER),
            Named("web/words/de.json", "`web/words/`", MIXER),
            Named("web/words/fr.json", "`web/words/`", MIXER),
            Named("docs/mixers.md", "`docs/mixers.md`"),
        ],
        plugins=["AlphabeticalMixer"],
        page="docs/mixers.md",
        tests={("mixers", "lib"): []},
        edit=edit_for_mixer,
    ),
    Trial(
        name="processor",
        files=[
            Named("crates/processors/src/query/strip_quotes.rs", PROCESSOR_FILE, PROCESSOR),
            Named("crates/processors/src/result/title_case.rs", PROCESSOR_FILE, PROCESSOR),
            Named("crates/processors/src/post_result/drop_untitled.rs", PROCESSOR_FILE, PROCESSOR),
            Named("crates/processors/src/query/mod.rs", PROCESSOR_ROW, PROCESSOR),
            Named("crates/processors/src/result/mod.rs", PROCESSOR_ROW, PROCESSOR),
            Named("crates/processors/src/post_result/mod.rs", PROCESSOR_ROW, PROCESSOR),
            Named("web/words/de.json", "`web/words/`", PROCESSOR),
            Named("web/words/fr.json", "`web/words/`", PROCESSOR),
            Named("docs/processors.md", "`docs/processors.md`"),
        ],
        plugins=["StripQuotesQueryProcessor", "TitleCaseResultProcessor", "DropUntitledPostResultProcessor"],
        page="docs/processors.md",
        tests={("processors", "lib"): []},
        edit=edit_for_processors,
    ),
    Trial(
        name="connector",
        files=[
            Named("crates/connectors/src/json_feed.rs", "`crates/connectors/src/<name>.rs`", CONNECTOR),
            Named("crates/connectors/src/lib.rs", "its `mod` line and its row in `lib.rs`", CONNECTOR),
            Named("docs/connectors/JsonFeed.md", "`docs/connectors/<Name>.md`", CONNECTOR),
            Named("crates/connectors/tests/it/json_feed.rs", "tests in `crates/connectors/tests/it/`", CONNECTOR),
            Named("crates/connectors/tests/it/main.rs", "their `mod` line in `main.rs`", CONNECTOR),
            Named("config/providers/json-feed.json", "`config/providers/<slug>.json`", SOURCE),
            Named(
                "crates/tributary/tests/sample_responses/json-feed.json",
                "`crates/tributary/tests/sample_responses/`",
                SOURCE,
            ),
            Named(
                "crates/tributary/tests/it/snapshots/ready_sources/json-feed.snap",
                "`crates/tributary/tests/it/snapshots/ready_sources/`",
                SOURCE,
            ),
            Named("README.md", "`README.md`", SOURCE),
            Named("web/words/de.json", "`web/words/`", CONNECTOR),
            Named("web/words/fr.json", "`web/words/`", SOURCE),
            Named("docs/connectors.md", "`docs/connectors.md`"),
        ],
        plugins=["JsonFeed"],
        page="docs/connectors.md",
        tests={("connectors", "lib"): [], ("connectors", "it"): ["json_feed::"]},
        edit=edit_for_connector,
        has_snapshot=True,
    ),
]


def text_of_row(contributing, row):
    """The text of a row of a table in CONTRIBUTING.md, or of the table of generated files."""
    lines = contributing.splitlines()
    if row is None:
        begin = lines.index("| Files | Written by |")
        end = next(number for number in range(begin, len(lines)) if not lines[number].startswith("|"))
        return "\n".join(lines[begin:end])
    found = [line for line in lines if line.startswith(f"| {row} |")]
    if len(found) != 1:
        raise Failure(f"CONTRIBUTING.md has {len(found)} rows for '{row}'")
    return found[0]


def check_named(trial, contributing):
    """The words of CONTRIBUTING.md name the files of a trial, and its rows name no others."""
    rows = {file.row: text_of_row(contributing, file.row) for file in trial.files}
    rests = dict(rows)
    for file in trial.files:
        if file.words not in rows[file.row]:
            where = f"the row '{file.row}'" if file.row else "the table of generated files"
            raise Failure(f"{where} of CONTRIBUTING.md does not say '{file.words}', which names {file.path}")
        rests[file.row] = rests[file.row].replace(file.words, "")
    for row, rest in rests.items():
        others = re.findall(r"`[^`]*[/.][^`]*`", rest) if row else []
        if others:
            raise Failure(f"the row '{row}' of CONTRIBUTING.md also names {', '.join(others)}; add it to the trial")


def replace(file, old, new):
    text = file.read_text()
    if text.count(old) != 1:
        raise Failure(f"{file.name} has '{old}' {text.count(old)} times, not once")
    file.write_text(text.replace(old, new))


def add_module(file, name):
    """Adds a `mod` line; cargo fmt puts it in its place."""
    text = file.read_text()
    first = re.search(r"^mod \w+;$", text, re.MULTILINE)
    if not first:
        raise Failure(f"{file} declares no module")
    file.write_text(f"{text[:first.start()]}mod {name};\n{text[first.start():]}")


def add_row(file, name):
    """Adds a row at the end of the catalogue."""
    text = file.read_text()
    catalogue = re.search(r"^pub const CATALOGUE: [^=]+=\s*&\[(.*?),?\s*\];", text, re.MULTILINE | re.DOTALL)
    if not catalogue:
        raise Failure(f"{file} has no CATALOGUE")
    file.write_text(f"{text[:catalogue.end(1)]}, {name}::KIND{text[catalogue.end(1):]}")


def run(command, folder, what=None, **more):
    """The output of a command; `what` describes it if it fails."""
    what = what or " ".join(map(str, command))
    try:
        done = subprocess.run(
            command, cwd=folder, text=True, stdout=subprocess.PIPE, timeout=COMMAND_SECONDS_MAX, check=False, **more
        )
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{what} took longer than {COMMAND_SECONDS_MAX} s") from late
    if done.returncode:
        # Cargo prints its own messages to the error output, and one object per line for programs.
        print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("{")), flush=True)
        raise Failure(f"{what} failed with status {done.returncode}")
    return done.stdout


def git(folder, *arguments):
    person = ["-c", "user.name=trial", "-c", "user.email=trial@localhost", "-c", "commit.gpgsign=false"]
    return run(["git", *person, "-c", "core.hooksPath=/dev/null", *arguments], folder)


def tracked_files(folder):
    return [path for path in git(folder, "ls-files", "-z").split("\0") if path]


def copy_repository(copy):
    """Copies the tracked files. A file that is the same keeps its time, so that Cargo does not compile it again."""
    wanted = {path for path in tracked_files(ROOT) if os.path.lexists(ROOT / path)}
    if (copy / ".git").exists():
        shutil.rmtree(copy / ".git")
    for file in [file for file in copy.rglob("*") if file.is_symlink() or file.is_file()]:
        if str(file.relative_to(copy)) not in wanted:
            file.unlink()
    for path in wanted:
        source, target = ROOT / path, copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.unlink(missing_ok=True)
            target.symlink_to(os.readlink(source))
        elif not target.is_file() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
    git(copy, "init", "--quiet")
    commit(copy, "the repository")


def commit(copy, message):
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message", message)


def tell_apart(folder, copy):
    """The crates of the copy have the names and versions of the real ones, so Cargo would take one for the other in
    a shared build folder. Another value in their profile tells them apart; dependencies are still shared.
    """
    (folder / ".cargo").mkdir(exist_ok=True)
    crates = sorted(manifest.parent.name for manifest in copy.glob("crates/*/Cargo.toml"))
    text = "".join(f"[profile.dev.package.{crate}]\ncodegen-units = 16\n" for crate in crates)
    (folder / ".cargo/config.toml").write_text(text)


def compile_all(copy, environment):
    """Compiles the program and the tests. Returns the program, and the test programs by package and target."""
    packages = [argument for package in PACKAGES for argument in ("--package", package)]
    command = ["cargo", "test", "--locked", "--no-run", "--lib", "--test", "it", *packages]
    output = run([*command, "--message-format", "json-render-diagnostics"], copy, env=environment)
    program, tests = None, {}
    for line in output.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if not message.get("executable"):
            continue
        package, target = pathlib.Path(message["manifest_path"]).parent.name, message["target"]
        if message["profile"]["test"]:
            is_library = "lib" in target["kind"]
            tests[package, "lib" if is_library else target["name"]] = message["executable"]
        elif target["name"] == "tributary":
            program = message["executable"]
    if not program:
        raise Failure("Cargo did not build the program")
    return program, tests


def run_tests(copy, programs, wanted, environment):
    """Runs the tests with these parts in their names. Returns how many there were."""
    count = 0
    for (package, target), filters in wanted.items():
        program, folder = programs[package, target], copy / "crates" / package
        environment = environment | {"CARGO_MANIFEST_DIR": str(folder)}
        listed = run([program, "--list", *filters], folder, env=environment)
        names = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
        for part in filters or [""]:
            if not any(part in name for name in names):
                raise Failure(f"no test of {package} has '{part}' in its name")
        what = f"a test of {package} ({target})"
        run([program, *filters], folder, what, env=environment, stderr=subprocess.STDOUT)
        count += len(names)
    return count


def changed_files(copy):
    """Stages all changes, because some tests read the list of tracked files."""
    git(copy, "add", "--all")
    listed = git(copy, "diff", "--cached", "--name-only", "--no-renames", "-z")
    return {path for path in listed.split("\0") if path}


def check_changed(trial, changed):
    named = {file.path for file in trial.files}
    unnamed, unchanged = sorted(changed - named), sorted(named - changed)
    if unnamed:
        raise Failure(f"{trial.name}: it takes files that CONTRIBUTING.md does not name: {', '.join(unnamed)}")
    if unchanged:
        raise Failure(f"{trial.name}: CONTRIBUTING.md names files that it does not take: {', '.join(unchanged)}")


def try_out(trial, copy, environment):
    check_named(trial, (copy / "CONTRIBUTING.md").read_text())
    for file in (NEW_FILES / trial.name).rglob("*"):
        target = copy / file.relative_to(NEW_FILES / trial.name)
        if file.is_file():
            if target.exists():
                raise Failure(f"{trial.name}: the repository already has {target.relative_to(copy)}")
            shutil.copyfile(file, target)
    trial.edit(copy)
    run(["cargo", "fmt", "--all"], copy, env=environment)
    program, tests = compile_all(copy, environment)
    # `cargo run -- docs` would compile the program again, without the features that the tests select.
    run([program, "docs"], copy, env=environment)
    if trial.has_snapshot:
        run_tests(copy, tests, SNAPSHOT_TESTS, environment | {"INSTA_UPDATE": "always"})
    changed = changed_files(copy)
    check_changed(trial, changed)
    page = (copy / trial.page).read_text()
    for plugin in trial.plugins:
        if f"`{plugin}`" not in page:
            raise Failure(f"{trial.name}: {plugin} is not in {trial.page}, so it is not in the catalogue")
    count = run_tests(copy, tests, TESTS_OF_PLUGINS | trial.tests, environment)
    # The tests changed nothing more.
    check_changed(trial, changed_files(copy))
    commit(copy, trial.name)
    print(f"ok {trial.name}: {len(changed)} files: {', '.join(sorted(changed))}; {count} tests passed", flush=True)


def main():
    names = [trial.name for trial in TRIALS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"default: {' '.join(names)}")
    chosen = parser.parse_args().trials or names
    if unknown := set(chosen) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; the trials are {', '.join(names)}")
    built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()
    folder = built / "plugin-trial"
    copy = folder / "copy"
    copy.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"CARGO_TARGET_DIR": str(built), "INSTA_UPDATE": "no"}
    # ./test collects the snapshots of the repository itself here.
    environment.pop("INSTA_SNAPSHOT_REFERENCES_FILE", None)
    try:
        copy_repository(copy)
        tell_apart(folder, copy)
        for trial in TRIALS:
            if trial.name in chosen:
                try_out(trial, copy, environment)
    except Failure as failure:
        sys.stdout.flush()
        sys.exit(f"error: {failure}")


if __name__ == "__main__":
    main()
