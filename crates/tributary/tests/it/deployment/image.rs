//! The Dockerfile and its build context.

use super::{PORT, USER, files, lint, read, root, settings};
use crate::program::{Running, program, run, text};
use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::process::Command;

const DOCKERFILE: &str = "deploy/Dockerfile";

/// The instructions with their continued lines joined: `("USER", "65532:65532")`.
fn instructions() -> Vec<(String, String)> {
    let text = read(DOCKERFILE);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let split = |line: &str| {
        let (word, rest) = line.trim().split_once(' ')?;
        Some((word.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    joined.lines().filter_map(split).collect()
}

/// The last instruction of this name; in a multi-stage build it belongs to the final image.
fn last(word: &str) -> String {
    let found = instructions().into_iter().rfind(|(name, _)| name == word);
    found.unwrap_or_else(|| panic!("no {word}")).1
}

/// The top-level names that are copied from the source tree.
fn copied() -> BTreeSet<String> {
    let from_tree =
        instructions().into_iter().filter(|(word, rest)| word == "COPY" && !rest.starts_with("--"));
    from_tree
        .flat_map(|(_, rest)| {
            let words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
            words[..words.len() - 1].to_vec()
        })
        .collect()
}

#[test]
fn the_image_runs_unprivileged_and_has_one_volume() {
    assert_eq!(last("USER"), format!("{USER}:{USER}"));
    assert_eq!(last("EXPOSE"), PORT.to_string());
    assert_eq!(last("VOLUME"), "/data");
    assert_eq!(last("ENTRYPOINT"), r#"["/usr/local/bin/tributary"]"#);
    assert!(last("HEALTHCHECK").ends_with(r#"CMD ["/usr/local/bin/tributary", "health"]"#));
    assert!(!last("FROM").starts_with("rust"), "the compiler is not part of the image");
    let pairs = last("ENV");
    let pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
    let set = settings(DOCKERFILE, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!((set.data_dir.as_str(), set.host.as_str()), ("/data", "0.0.0.0"));
    assert_eq!((u64::from(set.port), u64::from(set.monitor_port)), (PORT, PORT), "any role can be asked");
}

/// The instructions of the stage `name`.
fn stage(name: &str) -> Vec<(String, String)> {
    let all = instructions();
    let begins = all.iter().position(|(word, rest)| word == "FROM" && rest.ends_with(&format!(" AS {name}")));
    let inside = all.into_iter().skip(begins.unwrap_or_else(|| panic!("no stage {name}")));
    inside.enumerate().take_while(|(at, (word, _))| *at == 0 || word != "FROM").map(|(_, one)| one).collect()
}

#[test]
fn a_released_program_is_copied_not_compiled() {
    assert!(instructions().contains(&("ARG".to_owned(), "PROGRAM=compiled".to_owned())));
    assert_eq!(stage("program")[0].1, "${PROGRAM} AS program");
    let released = stage("released");
    assert_eq!(released[0].1, "scratch AS released");
    assert!(released.iter().all(|(word, _)| word != "RUN"), "{released:?}");
    let name = "name=tributary-$version-${target/-unknown/}";
    assert!(read("scripts/release.sh").contains(name), "the archive has the name that is added");
    assert!(released.contains(&("ADD".to_owned(), "dist/tributary-*.tar.gz /program/".to_owned())));
    let ignored = read(".dockerignore");
    assert!(!ignored.lines().any(|line| line.trim_matches('/') == "dist"), "dist is sent to the builder");
}

/// Where the program looks for them.
#[test]
fn the_image_has_fonts_with_their_licenses() {
    let fonts = stage("fonts");
    let (_, installed) = fonts.iter().find(|(word, _)| word == "RUN").unwrap();
    let copies: Vec<String> = instructions()
        .into_iter()
        .filter_map(|(word, rest)| {
            (word == "COPY").then(|| rest.strip_prefix("--from=fonts ").map(str::to_owned))?
        })
        .collect();
    assert!(copies.iter().any(|copy| copy.contains(".ttf") && copy.ends_with(" /usr/share/fonts/truetype/")));
    for package in ["fonts-droid-fallback", "fonts-noto-core"] {
        assert!(installed.contains(package), "{installed}");
        let license = format!("/usr/share/doc/{package}/copyright /usr/share/doc/{package}/");
        assert!(copies.contains(&license), "{copies:?}");
    }
    assert!(read("deploy/deb/control").contains("Recommends: fonts-droid-fallback\n"));
}

#[test]
fn the_compiler_is_new_enough() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let needed = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    let (_, first) = instructions().into_iter().find(|(word, _)| word == "FROM").unwrap();
    assert!(first.starts_with(&format!("rust:{needed}-")), "{first} is not Rust {needed}");
}

#[test]
fn everything_that_the_program_embeds_is_copied() {
    let copied = copied();
    let ignored = read(".dockerignore");
    for name in &copied {
        assert!(root().join(name).exists(), "{name} is copied but is not there");
        assert!(!ignored.lines().any(|line| line == name), "{name} is copied and ignored");
    }
    let mut embedded = 0;
    for file in files("crates").into_iter().filter(|path| path.contains("/src/") && path.ends_with(".rs")) {
        let text = read(&file);
        let from_here = |start: &str| -> Vec<String> {
            text.split(start).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
        };
        let folder = Path::new(&file).parent().unwrap().to_owned();
        let package = file.split("/src/").next().unwrap();
        let included = from_here("include_str!(\"").into_iter().chain(from_here("include_bytes!(\""));
        let paths = included.map(|path| folder.join(path));
        let folders = from_here("#[folder = \"").into_iter().map(|path| Path::new(package).join(path));
        for path in paths.chain(folders) {
            let first = top(&path);
            assert!(copied.contains(&first), "{file} embeds {}, but {first} is not copied", path.display());
            embedded += 1;
        }
    }
    assert!(embedded > 10, "only {embedded} embedded files were found");
}

/// The first component of a path after its `..` are resolved.
fn top(path: &Path) -> String {
    let mut names: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(names.pop()),
            Component::Normal(name) => names.push(name.to_str().unwrap().to_owned()),
            _ => {}
        }
    }
    names.swap_remove(0)
}

#[test]
fn the_health_check_distinguishes_a_live_service_from_a_dead_one() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path(), &["serve", "--port", "0"]));
    let port = running.base.rsplit(':').next().unwrap().to_owned();
    let live = run(folder.path(), &["health", "--port", &port]);
    assert_eq!(live.status.code(), Some(0), "{}", text(&live.stderr));
    assert!(text(&live.stdout).contains("ok"), "{}", text(&live.stdout));
    let ready = run(folder.path(), &["health", "--ready", "--port", &port]);
    assert_eq!(ready.status.code(), Some(0), "{}", text(&ready.stderr));
    drop(running);
    let dead = run(folder.path(), &["health", "--port", &port]);
    assert_eq!(dead.status.code(), Some(1));
    assert!(text(&dead.stderr).contains("/svc/health/live/ does not respond"), "{}", text(&dead.stderr));
}

#[test]
fn hadolint_accepts_it() {
    lint(Command::new("hadolint").arg(root().join(DOCKERFILE)));
}
