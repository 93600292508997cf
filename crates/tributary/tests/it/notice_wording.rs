//! Facts are read from the kinds of notices, never from their lines: no code looks for a part of their wording.

use crate::architecture::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, ExprMethodCall, Item, Lit};

/// Methods that look for one text in another.
const MATCHING: &[&str] = &[
    "contains",
    "ends_with",
    "find",
    "matches",
    "rfind",
    "rsplit",
    "rsplit_once",
    "split",
    "split_once",
    "splitn",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_start_matches",
];
/// The only code that may word and parse notices: they become lines here, and lines of earlier versions are read here.
const WORDING: &str = "crates/domain/src/notice";
/// Shorter texts, such as `: `, are part of many formats.
const CHARS_MIN: usize = 4;
/// Texts of so many characters that end where a name or a number begins are no accident, also where no method shows
/// that one is looked for.
const CHARS_MIN_ANYWHERE: usize = 9;
/// The end of the time of a line.
const AFTER_TIME: &str = "] ";

/// The string literals in this code.
#[derive(Default)]
struct Literals(Vec<String>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.0.push(literal.value());
    }

    fn visit_attribute(&mut self, _documentation: &'ast Attribute) {}

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        type Arguments = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
        if let Ok(arguments) = called.parse_body_with(Arguments::parse_terminated) {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
        }
    }
}

/// String literals outside of tests; and, apart from them, the literal arguments of the matching methods.
#[derive(Default)]
struct Read {
    all: Vec<String>,
    matched: Vec<String>,
}

impl<'ast> Visit<'ast> for Read {
    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.all.push(literal.value());
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if MATCHING.contains(&call.method.to_string().as_str()) {
            for argument in &call.args {
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = argument {
                    self.matched.push(text.value());
                }
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        type Arguments = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
        if let Ok(arguments) = called.parse_body_with(Arguments::parse_terminated) {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
        }
    }

    fn visit_attribute(&mut self, _documentation: &'ast Attribute) {}

    fn visit_item(&mut self, item: &'ast Item) {
        let is_tests = matches!(item, Item::Mod(module) if module.attrs.iter().any(is_test));
        if !is_tests {
            visit::visit_item(self, item);
        }
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}

/// The fixed parts of the wording of all notices.
fn wording() -> Vec<String> {
    let mut literals = Literals::default();
    for file in ["kind.rs", "reason.rs"] {
        let text = std::fs::read_to_string(root().join(WORDING).join(file)).unwrap();
        literals.visit_file(&syn::parse_file(&text).unwrap());
    }
    literals.0
}

/// Whether a text is a part of the wording of a notice, and more than one word.
fn is_of_notice(text: &str, chars_min: usize, wording: &[String]) -> bool {
    let is_phrase = text.trim().chars().count() >= chars_min && text.contains([' ', ':']);
    is_phrase && wording.iter().any(|fixed| fixed.contains(text))
}

fn offenders(code: &str, wording: &[String]) -> BTreeSet<String> {
    let mut read = Read::default();
    read.visit_file(&syn::parse_file(code).unwrap());
    let matched = read.matched.into_iter();
    let matched = matched.filter(|text| text == AFTER_TIME || is_of_notice(text, CHARS_MIN, wording));
    let is_cut = |text: &String| text.starts_with(' ') || text.ends_with([' ', ':']);
    let anywhere = read.all.into_iter().filter(is_cut);
    let anywhere = anywhere.filter(|text| is_of_notice(text, CHARS_MIN_ANYWHERE, wording));
    matched.chain(anywhere).collect()
}

fn product_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" && !path.ends_with("domain/src/notice") {
                product_files(&path, found);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_code_reads_the_wording_of_notices() {
    let wording = wording();
    assert!(wording.len() > 40, "{} texts", wording.len());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        if !["testkit", "fakes"].iter().any(|tests_only| path.ends_with(tests_only)) {
            product_files(&path.join("src"), &mut files);
        }
    }
    assert!(files.len() > 500, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let code = std::fs::read_to_string(&file).unwrap();
        let named = file.strip_prefix(root()).unwrap().display().to_string();
        found.extend(offenders(&code, &wording).into_iter().map(|text| format!("{named}: {text:?}")));
    }
    assert!(found.is_empty(), "code that looks for the wording of a notice; match on NoticeKind: {found:#?}");
}

#[test]
fn code_that_reads_a_line_is_found() {
    let wording = wording();
    for code in [
        r#"fn f(line: &str) -> bool { line.starts_with("Your preferences hid ") }"#,
        r#"fn f(line: &str) -> Option<(&str, &str)> { line.split_once("] ") }"#,
        r#"fn f(lines: &[String]) -> bool { lines.iter().any(|line| line.contains("failed and was skipped")) }"#,
        r#"fn f(line: &str) { assert!(line.ends_with("rewrote query to: ")); }"#,
        r#"fn f(lines: &[String]) -> u64 { counted(lines, "Your preferences hid ") }"#,
        r#"const WORDS: &str = " failed and was skipped"; fn f(line: &str) -> bool { line.contains(WORDS) }"#,
        r#"fn f(line: &str) -> bool { ["Retrieved "].iter().any(|word| line.contains(word)) }"#,
    ] {
        assert_eq!(offenders(code, &wording).len(), 1, "{code}");
    }
    for code in [
        r#"fn f(line: &str) -> bool { line.starts_with("Error in a vendor's text") }"#,
        r#"fn f(line: &str) -> Option<(&str, &str)> { line.split_once(": ") }"#,
        r#"#[cfg(test)] mod tests { fn f(line: &str) -> bool { line.contains("rewrote query to: ") } }"#,
    ] {
        assert!(offenders(code, &wording).is_empty(), "{code}");
    }
}
