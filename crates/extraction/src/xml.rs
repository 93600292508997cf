//! XML reader: elements and texts in order, within the depth limit. Names lose their prefix, and only the five
//! predefined entities and character references are expanded.

use crate::text_builder::{ExtractResult, TextBuilder, damaged};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An event of the reader.
pub enum Node<'n> {
    Open(&'n Element<'n>),
    Close(&'n str),
    Text(&'n str),
}

/// A start tag.
pub struct Element<'e> {
    pub name: &'e str,
    start: &'e BytesStart<'e>,
}

impl Element<'_> {
    /// The value of an attribute, by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.start.attributes();
        // The check for duplicate names is quadratic.
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| local(attribute.key.as_ref()) == name)?;
        let value: &str = &found.value;
        Some(syntax::strip_html::decode_entities(value))
    }

    /// The id by which it refers to another part of an Office package: `r:id`. Its own id has no prefix.
    pub fn reference(&self) -> Option<String> {
        let mut attributes = self.start.attributes();
        attributes.with_checks(false);
        let found = attributes
            .flatten()
            .find(|attribute| attribute.key.as_ref().split_once(':').is_some_and(|(_, name)| name == "id"))?;
        let value: &str = &found.value;
        Some(syntax::strip_html::decode_entities(value))
    }
}

/// Walks an XML text; `visit` is called for each node.
pub fn walk(
    text: &str,
    builder: &mut TextBuilder,
    mut visit: impl FnMut(Node<'_>, &mut TextBuilder) -> ExtractResult,
) -> ExtractResult {
    let mut reader = Reader::from_str(text);
    let mut depth = 0;
    loop {
        builder.check_deadline()?;
        let Ok(event) = reader.read_event() else { return damaged("a part of it is not well formed XML") };
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > builder.limits.depth {
                    return damaged(&format!("it is nested deeper than {} elements", builder.limits.depth));
                }
                let name = start.name();
                visit(Node::Open(&Element { name: local(name.as_ref()), start: &start }), builder)?;
            }
            Event::Empty(start) => {
                let name = start.name();
                let name = local(name.as_ref());
                visit(Node::Open(&Element { name, start: &start }), builder)?;
                visit(Node::Close(name), builder)?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(Node::Close(local(end.name().as_ref())), builder)?;
            }
            Event::Text(text) => visit(Node::Text(&text.xml10_content()), builder)?,
            Event::CData(text) => visit(Node::Text(&text.xml10_content()), builder)?,
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let decoded = syntax::strip_html::decode_entities(&format!("&{name};"));
                visit(Node::Text(&decoded), builder)?;
            }
            Event::Eof if depth > 0 => return damaged("a part of it ends in the middle"),
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}
