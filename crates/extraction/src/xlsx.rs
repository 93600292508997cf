//! XLSX: the cells of a sheet row by row; texts that several cells share stand in a part of their own.

use crate::package::Package;
use crate::properties;
use crate::reading::{Reading, Step, Stop};
use crate::xml::{Node, walk};
use bytes::Bytes;

const WORKBOOK: &str = "xl/workbook.xml";
const SHARED: &str = "xl/sharedStrings.xml";
const SHEET: &str = "xl/worksheets/sheet";

pub fn read(bytes: Bytes, reading: &mut Reading) -> Step {
    let mut package = Package::open(bytes, reading)?;
    properties::read(&mut package, properties::OFFICE, reading)?;
    let workbook = package.needed(WORKBOOK, reading)?;
    let names = sheet_names(&workbook, reading)?;
    let shared = match package.part(SHARED, reading)? {
        Some(text) => shared_texts(&text, reading)?,
        None => Vec::new(),
    };
    for (number, name) in package.numbered(SHEET, ".xml").iter().enumerate() {
        if number >= reading.limits.pages {
            return Err(Stop::Full);
        }
        let Some(text) = package.part(name, reading)? else { continue };
        if let Some(name) = names.get(number) {
            reading.text(name)?;
            reading.line();
        }
        read_sheet(&text, &shared, reading)?;
        reading.paragraph();
    }
    Ok(())
}

fn sheet_names(workbook: &str, reading: &mut Reading) -> Step<Vec<String>> {
    let mut names = Vec::new();
    walk(workbook, reading, |node, _| {
        if let Node::Open(element) = node
            && element.name == "sheet"
        {
            names.push(element.attribute("name").unwrap_or_default());
        }
        Ok(())
    })?;
    Ok(names)
}

fn shared_texts(part: &str, reading: &mut Reading) -> Step<Vec<String>> {
    let (mut all, mut current, mut is_text, mut spoken) = (Vec::new(), String::new(), false, 0_usize);
    walk(part, reading, |node, _| {
        match node {
            Node::Open(element) => match element.name {
                "t" => is_text = true,
                // How a text is pronounced.
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

fn read_sheet(part: &str, shared: &[String], reading: &mut Reading) -> Step {
    let (mut is_shared, mut is_value, mut value) = (false, false, String::new());
    walk(part, reading, |node, reading| {
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
                    Some(place) => reading.text(shared.get(place).map_or("", String::as_str))?,
                    None => reading.text(&value)?,
                }
                reading.space();
            }
            Node::Close("row") => reading.line(),
            Node::Text(text) if is_value => value.push_str(text),
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })
}
