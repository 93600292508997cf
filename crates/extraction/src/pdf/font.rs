//! Fonts: the text and the width of their codes.

use super::cmap::CMap;
use super::codes::Codes;
use super::load::STREAM_BYTES_MAX;
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};
use std::collections::HashMap;
use std::rc::Rc;

/// Most cached fonts; further ones are read again at each use.
const FONTS_KEPT: usize = 500;
/// Most widths of one font.
const WIDTHS_MAX: usize = 70_000;
/// Default width, in thousandths.
const WIDTH_USUAL: f32 = 500.0;

/// Fonts by object; many pages share them.
#[derive(Default)]
pub struct Fonts<'d>(HashMap<ObjectId, Rc<Font<'d>>>);

impl<'d> Fonts<'d> {
    /// The font of this name in the resources.
    pub fn get(
        &mut self,
        document: &'d Document,
        resources: &'d Dictionary,
        name: &[u8],
    ) -> Option<Rc<Font<'d>>> {
        let fonts = resources.get_deref(b"Font", document).and_then(Object::as_dict).ok()?;
        let id = fonts.get(name).and_then(Object::as_reference).ok();
        if let Some(known) = id.and_then(|id| self.0.get(&id)) {
            return Some(Rc::clone(known));
        }
        let font =
            Rc::new(Font::read(document, fonts.get_deref(name, document).and_then(Object::as_dict).ok()?));
        if let Some(id) = id.filter(|_| self.0.len() < FONTS_KEPT) {
            self.0.insert(id, Rc::clone(&font));
        }
        Some(font)
    }
}

pub struct Font<'d> {
    unicode: Option<CMap>,
    encoding: Option<Encoding<'d>>,
    /// Those of a composite font.
    codes: Option<Codes>,
    widths: HashMap<u32, f32>,
    width_default: f32,
}

/// Decoded text and its width, in units of the font size.
pub struct Shown {
    pub text: String,
    pub width: f32,
    /// Number of codes, for character spacing.
    pub codes: usize,
}

impl<'d> Font<'d> {
    fn read(document: &'d Document, dict: &'d Dictionary) -> Self {
        let is_composite = dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Type0");
        let stream = dict.get_deref(b"ToUnicode", document).and_then(Object::as_stream);
        let table = stream.and_then(|stream| stream.get_plain_content_with_limit(STREAM_BYTES_MAX)).ok();
        let unicode = table.map(|table| CMap::parse(&table));
        // The library would read such a map without a limit, so it must not see it.
        let encoding = if is_composite || (dict.has(b"ToUnicode") && !dict.has(b"Encoding")) {
            None
        } else {
            dict.get_font_encoding_with_limit(document, STREAM_BYTES_MAX).ok()
        };
        let codes = is_composite.then(|| Codes::of(document, dict, unicode.as_ref()));
        let (widths, width_default) =
            if is_composite { composite_widths(document, dict) } else { simple_widths(document, dict) };
        Self { unicode, encoding, codes, widths, width_default }
    }

    pub fn show(&self, bytes: &[u8]) -> Shown {
        let mut shown = Shown { text: String::new(), width: 0.0, codes: 0 };
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = self.codes.as_ref().map_or(1, |codes| codes.length(rest));
            let (chunk, behind) = rest.split_at(length);
            rest = behind;
            let code = chunk.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            match self.unicode.as_ref().and_then(|unicode| unicode.text(code)) {
                Some(text) => shown.text.push_str(&text),
                None => {
                    if let Some(codes) = &self.codes {
                        codes.push(chunk, &mut shown.text);
                    } else if let Some(encoding) = &self.encoding {
                        // Codes unknown to the encoding are skipped.
                        let _ = encoding.write_to_string(chunk, &mut shown.text);
                    }
                }
            }
            // The widths of composite fonts are those of their glyphs.
            let place = self.codes.as_ref().map_or(Some(code), |codes| codes.glyph(chunk));
            let width = place.and_then(|place| self.widths.get(&place)).copied();
            shown.width += width.unwrap_or(self.width_default) / 1000.0;
            shown.codes += 1;
        }
        shown
    }
}

fn simple_widths(document: &Document, dict: &Dictionary) -> (HashMap<u32, f32>, f32) {
    let first = dict.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or(0);
    let list = dict.get_deref(b"Widths", document).and_then(Object::as_array);
    let Ok(list) = list else { return (HashMap::new(), WIDTH_USUAL) };
    let first = u32::try_from(first).unwrap_or(0);
    let widths = list.iter().take(WIDTHS_MAX).enumerate();
    let widths = widths
        .filter_map(|(place, width)| Some((first.saturating_add(place as u32), width.as_float().ok()?)));
    (widths.collect(), WIDTH_USUAL)
}

/// `[c [w1 w2 …]  first last w …]`.
fn composite_widths(document: &Document, dict: &Dictionary) -> (HashMap<u32, f32>, f32) {
    let mut widths = HashMap::new();
    let kids = dict.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
    let kid = kids.ok().and_then(|kids| document.dereference(kids.first()?).ok()?.1.as_dict().ok());
    let Some(kid) = kid else { return (widths, WIDTH_USUAL) };
    let width_default = kid.get(b"DW").and_then(Object::as_float).unwrap_or(1000.0);
    let Ok(list) = kid.get_deref(b"W", document).and_then(Object::as_array) else {
        return (widths, width_default);
    };
    let mut at = 0;
    while let (Some(first), Some(second)) = (list.get(at), list.get(at + 1)) {
        if widths.len() > WIDTHS_MAX {
            break;
        }
        let Some(first) = first.as_i64().ok().and_then(|code| u32::try_from(code).ok()) else { break };
        let second = document.dereference(second).map_or(second, |(_, object)| object);
        if let Ok(each) = second.as_array() {
            for (place, width) in each.iter().take(WIDTHS_MAX).enumerate() {
                widths.insert(first.saturating_add(place as u32), width.as_float().unwrap_or(width_default));
            }
            at += 2;
        } else {
            let last = second.as_i64().ok().and_then(|code| u32::try_from(code).ok()).unwrap_or(first);
            let width = list.get(at + 2).and_then(|width| width.as_float().ok()).unwrap_or(width_default);
            widths.extend((first..=last).take(WIDTHS_MAX).map(|code| (code, width)));
            at += 3;
        }
    }
    (widths, width_default)
}
