//! XLSX: the cells of each sheet row by row, with dates and texts as people see them.

mod number_format;
mod shared_texts;

use crate::package::Package;
use crate::properties;
use crate::relationships::Relationships;
use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use crate::xml::{Element, Node, walk};
use bytes::Bytes;
use number_format::{Epoch, NumberFormats};
use shared_texts::SharedTexts;

const WORKBOOK: &str = "xl/workbook.xml";
const SHEET: &str = "xl/worksheets/sheet";

pub fn read(bytes: Bytes, builder: &mut TextBuilder) -> ExtractResult {
    let mut package = Package::open(bytes, builder)?;
    properties::read(&mut package, properties::OFFICE, builder)?;
    let workbook = Workbook::read(&mut package, builder)?;
    let sheets = workbook.sheets(&mut package, builder)?;
    let values = Values {
        shared: SharedTexts::read(&mut package, builder)?,
        formats: NumberFormats::read(&mut package, builder)?,
        epoch: workbook.epoch,
    };
    for (number, (name, part)) in sheets.iter().enumerate() {
        if number >= builder.limits.pages {
            return Err(Abort::Full);
        }
        let Some(text) = package.part(part, builder)? else { continue };
        builder.text(name)?;
        builder.line();
        values.read_sheet(&text, builder)?;
        builder.paragraph();
    }
    Ok(())
}

struct Workbook {
    /// The name of each sheet, and the id of the reference to its part.
    names: Vec<(String, Option<String>)>,
    epoch: Epoch,
}

impl Workbook {
    fn read(package: &mut Package, builder: &mut TextBuilder) -> ExtractResult<Self> {
        let text = package.needed(WORKBOOK, builder)?;
        let mut found = Self { names: Vec::new(), epoch: Epoch::Of1900 };
        walk(&text, builder, |node, builder| {
            let Node::Open(element) = node else { return Ok(()) };
            match element.name {
                // One more than is read, so that the text is marked as cut.
                "sheet" if found.names.len() <= builder.limits.pages => {
                    let name = element.attribute("name").unwrap_or_default();
                    found.names.push((name, element.reference()));
                }
                "workbookPr" if element.attribute("date1904").is_some_and(|value| is_true(&value)) => {
                    found.epoch = Epoch::Of1904;
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The name and the part of each sheet, in the order that people see. If the package does not say which part a sheet
    /// has, the parts in the order of their numbers.
    fn sheets(
        &self,
        package: &mut Package,
        builder: &mut TextBuilder,
    ) -> ExtractResult<Vec<(String, String)>> {
        let parts = Relationships::of(package, WORKBOOK, builder)?;
        let referred = self
            .names
            .iter()
            .filter_map(|(name, id)| Some((name.clone(), parts.part(id.as_deref()?)?.to_owned())));
        let referred: Vec<_> = referred.collect();
        if !referred.is_empty() {
            return Ok(referred);
        }
        let names = self.names.iter().map(|(name, _)| name.clone()).chain(std::iter::repeat(String::new()));
        Ok(names.zip(package.numbered(SHEET, ".xml")).collect())
    }
}

/// What the values of cells stand for.
struct Values {
    shared: SharedTexts,
    formats: NumberFormats,
    epoch: Epoch,
}

/// The cell that is being read.
#[derive(Default)]
struct Cell {
    /// `s`, `b`, `str` and others; a number if it is missing.
    kind: Option<String>,
    style: Option<String>,
    value: String,
}

impl Values {
    fn read_sheet(&self, part: &str, builder: &mut TextBuilder) -> ExtractResult {
        let (mut cell, mut is_value, mut spoken) = (Cell::default(), false, 0_usize);
        walk(part, builder, |node, builder| {
            match node {
                Node::Open(element) => match element.name {
                    "c" => cell.begin(element),
                    "v" | "t" => is_value = true,
                    "rPh" => spoken += 1,
                    _ => {}
                },
                Node::Close("v" | "t") => is_value = false,
                Node::Close("rPh") => spoken = spoken.saturating_sub(1),
                Node::Close("c") => {
                    self.write(&cell, builder)?;
                    builder.space();
                }
                Node::Close("row") => builder.line(),
                Node::Text(text) if is_value && spoken == 0 => cell.value.push_str(text),
                Node::Close(_) | Node::Text(_) => {}
            }
            Ok(())
        })
    }

    fn write(&self, cell: &Cell, builder: &mut TextBuilder) -> ExtractResult {
        let value = cell.value.trim();
        match cell.kind.as_deref() {
            Some("s") => builder.text(self.shared.text(value)),
            Some("b") => builder.text(if is_true(value) { "TRUE" } else { "FALSE" }),
            None | Some("n") if !value.is_empty() => {
                let meaning = self.formats.meaning(cell.style.as_deref());
                builder.text(meaning.text(value, self.epoch).as_deref().unwrap_or(value))
            }
            _ => builder.text(&cell.value),
        }
    }
}

impl Cell {
    fn begin(&mut self, element: &Element<'_>) {
        self.kind = element.attribute("t");
        self.style = element.attribute("s");
        self.value.clear();
    }
}

fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true")
}
