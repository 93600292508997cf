//! XLSX: the cells of a sheet row by row; shared texts are in a separate part.

use crate::package::Package;
use crate::properties;
use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use crate::xml::{Node, walk};
use bytes::Bytes;

const WORKBOOK: &str = "xl/workbook.xml";
const SHARED: &str = "xl/sharedStrings.xml";
const SHEET: &str = "xl/worksheets/sheet";

pub fn read(bytes: Bytes, builder: &mut TextBuilder) -> ExtractResult {
    let mut package = Package::open(bytes, builder)?;
    properties::read(&mut package, properties::OFFICE, builder)?;
    let workbook = package.needed(WORKBOOK, builder)?;
    let names = sheet_names(&workbook, builder)?;
    let shared = match package.part(SHARED, builder)? {
        Some(text) => shared_texts(&text, builder)?,
        None => Vec::new(),
    };
    for (number, name) in package.numbered(SHEET, ".xml").iter().enumerate() {
        if number >= builder.limits.pages {
            return Err(Abort::Full);
        }
        let Some(text) = package.part(name, builder)? else { continue };
        if let Some(name) = names.get(number) {
            builder.text(name)?;
            builder.line();
        }
        read_sheet(&text, &shared, builder)?;
        builder.paragraph();
    }
    Ok(())
}

fn sheet_names(workbook: &str, builder: &mut TextBuilder) -> ExtractResult<Vec<String>> {
    let mut names = Vec::new();
    walk(workbook, builder, |node, _| {
        if let Node::Open(element) = node
            && element.name == "sheet"
        {
            names.push(element.attribute("name").unwrap_or_default());
        }
        Ok(())
    })?;
    Ok(names)
}

fn shared_texts(part: &str, builder: &mut TextBuilder) -> ExtractResult<Vec<String>> {
    let (mut all, mut current, mut is_text, mut spoken) = (Vec::new(), String::new(), false, 0_usize);
    walk(part, builder, |node, _| {
        match node {
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                // A pronunciation.
                "rPh" => spoken += 1,
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Close("rPh") => spoken = spoken.saturating_sub(1),
            Node::Close("si") => all.push(std::mem::take(&mut current)),
            Node::Text(text) if is_text && spoken == 0 => current.push_str(text),
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(all)
}

fn read_sheet(part: &str, shared: &[String], builder: &mut TextBuilder) -> ExtractResult {
    let (mut is_shared, mut is_value, mut value) = (false, false, String::new());
    walk(part, builder, |node, builder| {
        match node {
            Node::Open(element) => match element.name {
                "c" => {
                    is_shared = element.attribute("t").is_some_and(|kind| kind == "s");
                    value.clear();
                }
                "v" | "t" => is_value = true,
                _ => {}
            },
            Node::Close("v" | "t") => is_value = false,
            Node::Close("c") => {
                let place = is_shared.then(|| value.trim().parse::<usize>().ok()).flatten();
                match place {
                    Some(place) => builder.text(shared.get(place).map_or("", String::as_str))?,
                    None => builder.text(&value)?,
                }
                builder.space();
            }
            Node::Close("row") => builder.line(),
            Node::Text(text) if is_value => value.push_str(text),
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
