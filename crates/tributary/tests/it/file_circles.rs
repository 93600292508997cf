//! No circles between files: what a file imports does not import it back, directly or through others.
//!
//! A path counts for the file that defines its item, also if it is written through a re-export. Test code does not
//! count.

use crate::architecture::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// Crates without circles. Those that are missing here still have some.
const WITHOUT_CIRCLES: &[&str] = &[
    "rag",
    "corpus",
    "extraction",
    "fakes",
    "federation",
    "license",
    "mcp",
    "mixers",
    "outbound",
    "page_fetch",
    "provider_doctor",
    "server",
    "store",
    "syntax",
    "tasks",
    "testkit",
];

/// The path of a module inside its crate; empty for the root.
type ModulePath = Vec<String>;

#[derive(Default)]
struct Module {
    /// Names of the items that it defines.
    defined: BTreeSet<String>,
    imports: Vec<Vec<String>>,
    re_exports: Vec<Vec<String>>,
    /// Paths of two or more names in its code.
    paths: Vec<Vec<String>>,
}

type Modules = BTreeMap<ModulePath, Module>;

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = |list: &syn::MetaList| list.tokens.to_string();
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| text(list).split_whitespace().any(is_test_word))
    })
}

fn is_test_word(word: &str) -> bool {
    word.trim_matches(|c: char| !c.is_alphanumeric()) == "test" || word.starts_with("all(test")
}

/// All paths of a `use`.
fn paths_of(tree: &UseTree, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let with = |name: String| [prefix, &[name]].concat();
    match tree {
        UseTree::Path(path) => paths_of(&path.tree, &with(path.ident.to_string()), found),
        UseTree::Name(name) if name.ident == "self" => found.push(prefix.to_vec()),
        UseTree::Name(name) => found.push(with(name.ident.to_string())),
        UseTree::Rename(rename) => found.push(with(rename.ident.to_string())),
        UseTree::Glob(_) => found.push(with("*".to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|item| paths_of(item, prefix, found)),
    }
}

/// Paths in the tokens of a macro call.
fn paths_in_tokens(tokens: &str) -> Vec<Vec<String>> {
    let mut paths = vec![Vec::new()];
    let mut joins = false;
    for token in tokens
        .split_whitespace()
        .flat_map(|word| word.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')))
    {
        let name: String = token.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
        if !name.is_empty() {
            match paths.last_mut() {
                Some(path) if joins || path.is_empty() => path.push(name),
                _ => paths.push(vec![name]),
            }
            joins = false;
        }
        if token.contains(':') {
            joins = true;
        } else if token.chars().any(|c| !(c.is_alphanumeric() || c == '_')) {
            joins = false;
            paths.push(Vec::new());
        }
    }
    paths
}

struct Paths<'m>(&'m mut Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// `pub(in crate::chat)` names a module and imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.0.extend(paths_in_tokens(&call.tokens.to_string()));
        visit::visit_macro(self, call);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }
}

impl Module {
    /// Reads a file; the names of its test-only child modules are returned too.
    fn parse(text: &str) -> (Self, Vec<String>) {
        let file = syn::parse_file(text).unwrap();
        let (mut module, mut tests) = (Self::default(), Vec::new());
        for item in &file.items {
            let name = match item {
                Item::Use(item) => {
                    let mut found = Vec::new();
                    paths_of(&item.tree, &[], &mut found);
                    if !is_test(&item.attrs) {
                        if !matches!(item.vis, Visibility::Inherited) {
                            module.re_exports.extend(found.iter().cloned());
                        }
                        module.imports.extend(found);
                    }
                    None
                }
                Item::Mod(item) if item.content.is_none() => {
                    if is_test(&item.attrs) || item.ident == "tests" {
                        tests.push(item.ident.to_string());
                    }
                    None
                }
                Item::Const(item) => Some(&item.ident),
                Item::Enum(item) => Some(&item.ident),
                Item::Fn(item) => Some(&item.sig.ident),
                Item::Macro(item) => item.ident.as_ref(),
                Item::Static(item) => Some(&item.ident),
                Item::Struct(item) => Some(&item.ident),
                Item::Trait(item) => Some(&item.ident),
                Item::Type(item) => Some(&item.ident),
                _ => None,
            };
            module.defined.extend(name.map(ToString::to_string));
            if !matches!(item, Item::Use(_)) {
                Paths(&mut module.paths).visit_item(item);
            }
        }
        module.paths.retain(|path| path.len() > 1);
        (module, tests)
    }
}

/// The product modules below a folder.
fn load(folder: &Path, path: &ModulePath, modules: &mut Modules) {
    let file = |name: &str| folder.join(name);
    let own = if path.is_empty() { file("lib.rs") } else { file("mod.rs") };
    let mut tests = Vec::new();
    if let Ok(text) = std::fs::read_to_string(own) {
        let (module, only_tests) = Module::parse(&text);
        tests = only_tests;
        modules.insert(path.clone(), module);
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
        let child = [path.as_slice(), std::slice::from_ref(&name)].concat();
        if tests.contains(&name) {
            continue;
        }
        if entry.is_dir() {
            load(&entry, &child, modules);
        } else if !["lib", "main", "mod"].contains(&name.as_str())
            && entry.extension().is_some_and(|end| end == "rs")
        {
            modules.insert(child, Module::parse(&std::fs::read_to_string(&entry).unwrap()).0);
        }
    }
}

/// A path from the root of the crate; None for a path into another crate.
fn absolute(modules: &Modules, module: &ModulePath, path: &[String]) -> Option<Vec<String>> {
    let mut base = module.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => return Some(rest[1..].to_vec()),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            base.push(first.to_owned());
            let is_child = modules.contains_key(&base);
            base.pop();
            if !is_child {
                return None;
            }
        }
    }
    Some([base, rest.to_vec()].concat())
}

/// The module that defines what a path names, and the rest of the path in it. Re-exports are followed.
fn resolve(modules: &Modules, path: &[String], depth: usize) -> Option<(ModulePath, Vec<String>)> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let (module, rest) = (path[..length].to_vec(), path[length..].to_vec());
    let Some(item) = rest.first() else { return Some((module, rest)) };
    let parsed = &modules[&module];
    if item == "*" || parsed.defined.contains(item) || depth == 0 {
        return Some((module, rest));
    }
    for exported in &parsed.re_exports {
        let Some(mut target) = absolute(modules, &module, exported) else { continue };
        let is_glob = exported.last().is_some_and(|last| last == "*");
        if is_glob {
            target.pop();
            target.push(item.clone());
        }
        let found = (is_glob || exported.last() == Some(item))
            .then(|| resolve(modules, &target, depth - 1))
            .flatten();
        match found {
            Some((there, rest))
                if !is_glob || rest.first().is_some_and(|name| modules[&there].defined.contains(name)) =>
            {
                return Some((there, rest));
            }
            _ => {}
        }
    }
    Some((module, rest))
}

/// The modules that a module needs.
fn needs(modules: &Modules, module: &ModulePath) -> BTreeSet<ModulePath> {
    const RE_EXPORTS_DEEP: usize = 8;
    let parsed = &modules[module];
    let mut found = BTreeSet::new();
    let mut aliases: BTreeMap<&String, ModulePath> = BTreeMap::new();
    for path in &parsed.imports {
        let Some(target) = absolute(modules, module, path) else { continue };
        match resolve(modules, &target, RE_EXPORTS_DEEP) {
            // The import of a module: what is used of it is in the paths.
            Some((there, rest)) if rest.is_empty() => {
                aliases.extend(path.iter().rev().find(|name| *name != "self").map(|name| (name, there)));
            }
            Some((there, _)) => {
                found.insert(there);
            }
            None => {}
        }
    }
    for path in &parsed.paths {
        let target = match aliases.get(&path[0]) {
            Some(alias) => Some([alias.as_slice(), &path[1..]].concat()),
            None => absolute(modules, module, path),
        };
        found.extend(
            target.and_then(|target| resolve(modules, &target, RE_EXPORTS_DEEP)).map(|(there, _)| there),
        );
    }
    found.remove(module);
    found
}

/// The modules of each circle: those that reach each other.
fn circles(modules: &Modules) -> Vec<BTreeSet<&ModulePath>> {
    let arrows: BTreeMap<&ModulePath, BTreeSet<ModulePath>> =
        modules.keys().map(|module| (module, needs(modules, module))).collect();
    let reach = |start: &ModulePath| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(module) = open.pop() {
            for next in &arrows[module] {
                if let Some((next, _)) = modules.get_key_value(next)
                    && seen.insert(next)
                {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        modules.keys().map(|module| (module, reach(module))).collect();
    let circle = |module: &ModulePath| -> BTreeSet<&ModulePath> {
        reached[module].iter().copied().filter(|other| reached[*other].contains(module)).collect()
    };
    let found: BTreeSet<BTreeSet<&ModulePath>> =
        modules.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    for name in WITHOUT_CIRCLES {
        let mut modules = Modules::new();
        load(&root().join("crates").join(name).join("src"), &Vec::new(), &mut modules);
        assert!(modules.len() > 4, "{name} was not read");
        let found: Vec<Vec<String>> = circles(&modules)
            .iter()
            .map(|circle| circle.iter().map(|module| module.join("/")).collect())
            .collect();
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

fn modules_of(files: &[(&str, &str)]) -> Modules {
    let path = |name: &str| name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    files.iter().map(|(name, text)| (path(name), Module::parse(text).0)).collect()
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let of_two =
        |one: &str, other: &str| modules_of(&[("", "mod a; mod b; pub use b::B;"), ("a", one), ("b", other)]);
    let cases = [
        ("use crate::b::B; pub struct A;", "use super::a::A; pub struct B;", 1),
        ("use crate::B; pub struct A;", "pub struct B; fn f() { crate::a::A; }", 1),
        ("use super::b; pub struct A; fn f() { b::g(); }", "use crate::a::A; pub struct B; pub fn g() {}", 1),
        (
            "pub struct A; fn f() { join!(crate::b::g(), 1); }",
            "use crate::a::A; pub struct B; pub fn g() {}",
            1,
        ),
        ("use crate::b::B; pub struct A;", "pub struct B;", 0),
        ("use crate::b::B; pub struct A;", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }", 0),
    ];
    for (one, other, expected) in cases {
        assert_eq!(circles(&of_two(one, other)).len(), expected, "{one} | {other}");
    }
}
