//! XML part by part: elements and texts one after the other, within the limit of depth. Names lose their prefix,
//! and nothing is expanded but the five entities of XML and numbers.

use crate::reading::{Reading, Step, damaged};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What is met on the way.
pub enum Node<'n> {
    Open(&'n Element<'n>),
    Close(&'n str),
    Text(&'n str),
}

/// An element that opens.
pub struct Element<'e> {
    pub name: &'e str,
    start: &'e BytesStart<'e>,
}

impl Element<'_> {
    /// The value of an attribute, by its name without a prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.start.attributes();
        // The check for repeated names compares each with all others.
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| local(attribute.key.as_ref()) == name)?;
        let value: &str = &found.value;
        Some(domain::notation::markup::decode_entities(value))
    }
}

/// Goes through a text of XML. `visit` is told of each node.
pub fn walk(
    text: &str,
    reading: &mut Reading,
    mut visit: impl FnMut(Node<'_>, &mut Reading) -> Step,
) -> Step {
    let mut reader = Reader::from_str(text);
    let mut depth = 0;
    loop {
        reading.look()?;
        let Ok(event) = reader.read_event() else { return damaged("a part of it is not well formed XML") };
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > reading.limits.depth {
                    return damaged(&format!("it is nested deeper than {} elements", reading.limits.depth));
                }
                let name = start.name();
                visit(Node::Open(&Element { name: local(name.as_ref()), start: &start }), reading)?;
            }
            Event::Empty(start) => {
                let name = start.name();
                let name = local(name.as_ref());
                visit(Node::Open(&Element { name, start: &start }), reading)?;
                visit(Node::Close(name), reading)?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(Node::Close(local(end.name().as_ref())), reading)?;
            }
            Event::Text(text) => visit(Node::Text(&text.xml10_content()), reading)?,
            Event::CData(text) => visit(Node::Text(&text.xml10_content()), reading)?,
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let decoded = domain::notation::markup::decode_entities(&format!("&{name};"));
                visit(Node::Text(&decoded), reading)?;
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
