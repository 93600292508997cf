//! The objects behind `Federation` stay small enough to be understood one by one.

use crate::architecture::root;
use std::collections::BTreeMap;
use syn::{ImplItem, Item, Type};

/// Most methods of one type in `federation`, in all files together.
const METHODS_MAX: usize = 15;

/// Adds the inherent methods of each type, outside of tests.
fn count_methods(source: &str, counts: &mut BTreeMap<String, usize>) {
    for item in syn::parse_file(source).unwrap().items {
        let Item::Impl(block) = item else { continue };
        let (None, Type::Path(target)) = (&block.trait_, &*block.self_ty) else { continue };
        let name = target.path.segments.last().unwrap().ident.to_string();
        let methods = block.items.iter().filter(|item| matches!(item, ImplItem::Fn(_))).count();
        *counts.entry(name).or_default() += methods;
    }
}

#[test]
fn an_object_of_federation_has_few_methods() {
    let mut counts = BTreeMap::new();
    let mut folders = vec![root().join("crates/federation/src")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                count_methods(&std::fs::read_to_string(&path).unwrap(), &mut counts);
            }
        }
    }
    for object in ["Federation", "SearchLifecycle", "SearchRunner", "ResultReader", "ProviderProber"] {
        assert!(counts.contains_key(object), "{object} is not found");
    }
    counts.retain(|_, methods| *methods > METHODS_MAX);
    assert_eq!(counts, BTreeMap::new(), "split them: at most {METHODS_MAX} methods");
}

#[test]
fn methods_are_counted_over_all_blocks_of_a_type() {
    let mut counts = BTreeMap::new();
    count_methods("impl A { fn a(&self) {} const B: u8 = 1; } impl A { fn b() {} fn c() {} }", &mut counts);
    count_methods("impl<T> A<T> { fn d() {} } impl Drop for A { fn drop(&mut self) {} }", &mut counts);
    assert_eq!(counts, BTreeMap::from([("A".to_owned(), 4)]));
}
