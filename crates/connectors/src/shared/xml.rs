//! XML to JSON: elements become objects, repeated children lists, attributes `@name`, text beside
//! attributes or children `#text`, text alone a string, an empty element null. Names keep their prefix.

use domain::bounded_json::{ANSWER_VALUES_MAX, grouped};
use quick_xml::Reader;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Map, Value};

/// Deepest nesting of elements, as for JSON.
pub const DEPTH_MAX: usize = 100;

/// Why a text could not be parsed as XML.
#[derive(Debug, Clone, thiserror::Error)]
pub enum XmlError {
    #[error("it is nested deeper than {DEPTH_MAX} elements")]
    TooDeep,
    #[error("it has more than {} elements and attributes", grouped(ANSWER_VALUES_MAX))]
    TooMany,
    #[error("it has no element")]
    Empty,
    #[error("it ends unexpectedly")]
    Unfinished,
    #[error("it is not well formed: {0}")]
    Malformed(#[source] quick_xml::Error),
    #[error("it is not well formed: {0}")]
    MalformedAttribute(#[source] AttrError),
}

/// The document as an object with one member, its root. Only the five predefined entities and character references are
/// expanded; others stay unchanged.
pub fn to_json(text: &str) -> Result<Value, XmlError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut document = Map::new();
    let mut left = ANSWER_VALUES_MAX;
    loop {
        let event = reader.read_event().map_err(XmlError::Malformed)?;
        match event {
            Event::Start(start) => {
                if open.len() >= DEPTH_MAX {
                    return Err(XmlError::TooDeep);
                }
                open.push(Element::begin(&start, &mut left)?);
            }
            Event::Empty(start) => close(Element::begin(&start, &mut left)?, &mut open, &mut document),
            Event::End(_) => {
                // The reader has checked that this closes the innermost element.
                let element = open.pop().ok_or(XmlError::Unfinished)?;
                close(element, &mut open, &mut document);
            }
            Event::Text(text) => add_text(&mut open, &text.xml10_content()),
            Event::CData(text) => add_text(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let number = reference.resolve_char_ref().ok().flatten();
                match number.or_else(|| named(&name)) {
                    Some(c) => add_text(&mut open, c.encode_utf8(&mut [0; 4])),
                    None => add_text(&mut open, &format!("&{name};")),
                }
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    match (open.is_empty(), document.is_empty()) {
        (false, _) => Err(XmlError::Unfinished),
        (true, true) => Err(XmlError::Empty),
        (true, false) => Ok(Value::Object(document)),
    }
}

/// An open element.
struct Element {
    name: String,
    members: Map<String, Value>,
    text: String,
}

impl Element {
    /// Counts the element and its attributes against the limit.
    fn begin(start: &BytesStart<'_>, left: &mut usize) -> Result<Self, XmlError> {
        let mut count = || {
            *left = left.checked_sub(1).ok_or(XmlError::TooMany)?;
            Ok::<_, XmlError>(())
        };
        count()?;
        let mut members = Map::new();
        let mut attributes = start.attributes();
        // The reader's check for repeated names is quadratic; the map does not need it.
        attributes.with_checks(false);
        for attribute in attributes {
            count()?;
            let attribute = attribute.map_err(XmlError::MalformedAttribute)?;
            let raw: &str = &attribute.value;
            members.insert(format!("@{}", attribute.key.as_ref()), Value::String(unescape(raw)));
        }
        Ok(Self { name: start.name().as_ref().to_owned(), members, text: String::new() })
    }

    fn into_value(mut self) -> Value {
        let text = self.text.trim();
        if self.members.is_empty() {
            return if text.is_empty() { Value::Null } else { Value::String(text.to_owned()) };
        }
        if !text.is_empty() {
            self.members.insert("#text".to_owned(), Value::String(text.to_owned()));
        }
        Value::Object(self.members)
    }
}

/// Adds a finished element to its parent.
fn close(element: Element, open: &mut [Element], document: &mut Map<String, Value>) {
    let name = element.name.clone();
    let members = match open.last_mut() {
        Some(parent) => &mut parent.members,
        None => document,
    };
    let value = element.into_value();
    match members.get_mut(&name) {
        None => {
            members.insert(name, value);
        }
        Some(Value::Array(list)) => list.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}

fn add_text(open: &mut [Element], text: &str) {
    // Text outside the root is ignored.
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn named(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

/// An attribute value; unknown entities stay unchanged.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let decoded = end.and_then(|end| {
            let name = rest.get(..end)?;
            let c = match name.strip_prefix('#') {
                Some(number) => match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32),
                    None => number.parse().ok().and_then(char::from_u32),
                },
                None => named(name),
            };
            Some((end, c?))
        });
        match decoded {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn converts() {
        let table = [
            ("<a/>", json!({"a": null})),
            ("<a> </a>", json!({"a": null})),
            ("<a>t</a>", json!({"a": "t"})),
            ("<?xml version='1.0'?><!DOCTYPE a><a><!-- c -->t</a>", json!({"a": "t"})),
            ("<a x='1'>t</a>", json!({"a": {"@x": "1", "#text": "t"}})),
            ("<a><b>1</b></a>", json!({"a": {"b": "1"}})),
            ("<a><b>1</b><b>2</b><b/></a>", json!({"a": {"b": ["1", "2", null]}})),
            ("<x:a xmlns:x='u'><x:b>1</x:b></x:a>", json!({"x:a": {"@xmlns:x": "u", "x:b": "1"}})),
            ("<a>one<b/>two</a>", json!({"a": {"b": null, "#text": "onetwo"}})),
            ("<a><![CDATA[<b>&amp;]]></a>", json!({"a": "<b>&amp;"})),
            ("<a>&lt;b&gt; &amp;amp; &#233;&#x20AC; &nbsp;</a>", json!({"a": "<b> &amp; é€ &nbsp;"})),
            ("<a t='&lt;&#65; &x; &'/>", json!({"a": {"@t": "<A &x; &"}})),
        ];
        for (text, want) in table {
            assert_eq!(to_json(text).ok(), Some(want), "{text}");
        }
    }

    #[test]
    fn no_entity_is_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxx'><!ENTITY y '&x;&x;'>]><a>&y;</a>";
        assert_eq!(to_json(bomb).ok(), Some(json!({"a": "&y;"})));
    }

    #[test]
    fn refuses() {
        for text in ["", "text", "<a>", "<a></b>", "<a", "<a><b></a>", "</a>", "<a>&broken</a>"] {
            assert!(to_json(text).is_err(), "{text}");
        }
        let deep = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert!(to_json(&deep(DEPTH_MAX)).is_ok());
        assert!(matches!(to_json(&deep(DEPTH_MAX + 1)), Err(XmlError::TooDeep)));
        assert!(matches!(to_json(&deep(100_000)), Err(XmlError::TooDeep)));
    }

    /// Each of these would take minutes with quadratic parsing.
    #[test]
    fn stays_linear_on_hostile_text() {
        let around = |unit: &str, count: usize| format!("<r>{}</r>", unit.repeat(count));
        for unit in ["<a/>", "<a>t</a>", "t&amp;", "&x;", "<!-- -->", "<![CDATA[x]]>", "t<a b='c'/>"] {
            assert!(to_json(&around(unit, 90_000)).is_ok(), "{unit}");
        }
        for unit in ["<", "<!--", "&", "]]>", "<a b='", "<![CDATA["] {
            let _ = to_json(&around(unit, 200_000));
        }
        let attributes: String = (0..50_000).map(|number| format!(" a{number}='&lt;&'")).collect();
        assert!(to_json(&format!("<r{attributes}/>")).is_ok());
        let entities = format!("<r a='{}'/>", "&#x;&a".repeat(100_000));
        assert!(to_json(&entities).is_ok());
        let names: String = (0..50_000).map(|number| format!("<a{number}/>")).collect();
        assert!(to_json(&around(&names, 1)).is_ok());
    }

    proptest! {
        #[test]
        fn never_panics(text in "(<[a-c/!?]{0,3}[a-c =']{0,5}/?>|[a-c&;#x!\\[\\]-]){0,20}|.{0,60}") {
            let _ = to_json(&text);
        }
    }
}
