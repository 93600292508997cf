//! Relationships of Office packages: which part a part of the document refers to.

use crate::package::Package;
use crate::text_builder::{ExtractResult, TextBuilder};
use crate::xml::{Node, walk};
use std::collections::HashMap;

/// The parts that a main part refers to, by the id of the reference.
pub struct Relationships(HashMap<String, String>);

impl Relationships {
    /// Those of a main part such as `xl/workbook.xml`; none if the package does not list them. There are as many as parts
    /// in a package at most.
    pub fn of(package: &mut Package, main: &str, builder: &mut TextBuilder) -> ExtractResult<Self> {
        let (folder, name) = main.rsplit_once('/').unwrap_or(("", main));
        let mut parts = HashMap::new();
        let Some(text) = package.part(&format!("{folder}/_rels/{name}.rels"), builder)? else {
            return Ok(Self(parts));
        };
        walk(&text, builder, |node, builder| {
            if let Node::Open(element) = node
                && element.name == "Relationship"
                && parts.len() < builder.limits.entries
                && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
            {
                parts.insert(id, joined(folder, &target));
            }
            Ok(())
        })?;
        Ok(Self(parts))
    }

    /// The part that a reference names.
    pub fn part(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// The path of a target, which is relative to the folder unless it begins with a slash.
fn joined(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_joined_with_their_folder() {
        for (target, want) in [
            ("worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("./a.xml", "xl/a.xml"),
            ("../ppt/a.xml", "ppt/a.xml"),
            ("../../../etc/a", "etc/a"),
            ("", "xl"),
        ] {
            assert_eq!(joined("xl", target), want, "{target}");
        }
    }
}
