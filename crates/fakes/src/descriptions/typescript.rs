//! TypeScript descriptions, checked by the TypeScript compiler: a request is a literal of the vendor's type, so unknown
//! members, other types and missing members are errors.

use super::files::folder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

/// A response may lack members; date classes are strings in it.
const PART: &str = "type Part<T> = T extends (infer U)[] ? Part<U>[] : T extends { readonly value: Date } ? string : \
                    T extends object ? { [K in keyof T]?: Part<T[K]> } : T;\n";
const OPTIONS: &[&str] = &[
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "check.ts",
];
/// Most characters per line of a report, and most lines.
const LINE_MAX: usize = 400;
const LINES_MAX: usize = 20;

/// A program of declarations that must compile.
pub struct TypeScript {
    compiler: String,
    folder: PathBuf,
    text: String,
    count: usize,
}

impl TypeScript {
    /// Imports the vendor's types; skips the test if the descriptions or TypeScript are missing.
    pub fn given(imports: &str) -> Option<Self> {
        let folder = folder()?;
        let compiler = testkit::given("SVC_TEST_TYPESCRIPT", "the vendors' own descriptions")?;
        Some(Self { compiler, folder, text: format!("{imports}\n{PART}"), count: 0 })
    }

    /// A file of a package.
    pub fn source(&self, path: &str) -> String {
        let path = self.folder.join("node_modules").join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// An additional type, for what the vendor describes in pieces.
    pub fn declare(&mut self, declaration: &str) {
        self.text += declaration;
        self.text.push('\n');
    }

    /// A body or parameters of a request.
    pub fn request(&mut self, kind: &str, value: &Value) {
        self.add_literal(kind, value);
    }

    /// A response.
    pub fn answer(&mut self, kind: &str, value: &Value) {
        self.add_literal(&format!("Part<{kind}>"), value);
    }

    /// Members that are read, as JSON pointers.
    pub fn reads(&mut self, kind: &str, pointers: &BTreeSet<String>) {
        assert!(!pointers.is_empty(), "{kind}: nothing is read");
        let name = self.name("read");
        let read = |part: &str| match part.parse::<usize>() {
            Ok(number) => format!("![{number}]"),
            Err(_) => format!("![{part:?}]"),
        };
        let _ = writeln!(self.text, "declare const {name}: {kind};");
        for pointer in pointers {
            let path: String = pointer.split('/').skip(1).map(read).collect();
            let _ = writeln!(self.text, "{name}{path};");
        }
        let _ =
            writeln!(self.text, "// @ts-expect-error a member that is not there\n{name}[\"madeUpMember\"];");
    }

    /// A type that is not found accepts everything, so each literal is repeated with a member that must be rejected.
    fn add_literal(&mut self, kind: &str, value: &Value) {
        let name = self.name("literal");
        let _ = writeln!(self.text, "const {name}: {kind} = {value};");
        let mut doctored = value.clone();
        doctored["madeUpMember"] = Value::from(1);
        let _ = writeln!(self.text, "// @ts-expect-error a member that is not there");
        let _ = writeln!(self.text, "const doctored_{name}: {kind} = {doctored};");
    }

    fn name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}_{}", self.count)
    }

    /// Fails if the vendor's types do not allow what was added.
    pub fn check(self) {
        let mistakes = self.mistakes();
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }

    pub fn mistakes(&self) -> Vec<String> {
        assert!(self.count > 0, "nothing was added");
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("check.ts"), &self.text).expect("a file");
        std::os::unix::fs::symlink(self.folder.join("node_modules"), place.path().join("node_modules"))
            .expect("a link");
        let ended = Command::new(&self.compiler).args(OPTIONS).current_dir(place.path()).output();
        let ended = ended.unwrap_or_else(|error| panic!("{}: {error}", self.compiler));
        let told = String::from_utf8_lossy(&ended.stdout);
        let mistakes: Vec<String> = told
            .lines()
            .filter(|line| line.contains("error TS"))
            .take(LINES_MAX)
            .map(|l| self.shown(l))
            .collect();
        assert_eq!(
            ended.status.success(),
            mistakes.is_empty(),
            "{told}{}",
            String::from_utf8_lossy(&ended.stderr)
        );
        mistakes
    }

    /// The message and the line that it is about.
    fn shown(&self, told: &str) -> String {
        let number = told.split(['(', ',']).nth(1).and_then(|text| text.parse::<usize>().ok());
        let line = number.and_then(|number| self.text.lines().nth(number - 1)).unwrap_or_default();
        let short = |text: &str| text.chars().take(LINE_MAX).collect::<String>();
        format!("{} in: {}", short(told), short(line))
    }
}
