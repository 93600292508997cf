//! PDF 1.4 writer. Pages are not compressed, embedded fonts are.

use super::fonts::{FontPart, Glyph, PartGlyph};
use super::lines::{Line, PAGE_HEIGHT, PAGE_WIDTH, Page};
use super::typesetter::Span;
use domain::instant::Instant;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::Write as _;

/// Number of the first object of an embedded font, after catalog, page tree, two fonts and document information.
const FIRST_FONT: usize = 6;
/// Objects of an embedded font.
const FONT_OBJECTS: usize = 6;
/// Width of the outline that makes characters bold, relative to the font size.
const BOLD_OUTLINE: f32 = 0.03;

pub(super) struct File<'a> {
    pub title: &'a str,
    pub created: Instant,
    pub fonts: &'a [FontPart],
    pub pages: &'a [Page],
}

impl File<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let first_page = FIRST_FONT + FONT_OBJECTS * self.fonts.len();
        let page = |number: usize| first_page + 2 * number;
        let kids: Vec<String> = (0..self.pages.len()).map(|number| format!("{} 0 R", page(number))).collect();
        let mut objects: Vec<Vec<u8>> = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            format!("<< /Type /Pages /Count {} /Kids [{}] >>", kids.len(), kids.join(" ")).into_bytes(),
            standard_font("Helvetica").into_bytes(),
            standard_font("Helvetica-Bold").into_bytes(),
            format!(
                "<< /Title {} /Producer {} /CreationDate (D:{}Z) >>",
                text(self.title),
                text(domain::SERVICE_NAME),
                self.created.format("%Y%m%d%H%M%S")
            )
            .into_bytes(),
        ];
        let mut fonts = "/F1 3 0 R /F2 4 0 R".to_owned();
        for (number, font) in self.fonts.iter().enumerate() {
            let first = FIRST_FONT + FONT_OBJECTS * number;
            fonts.push_str(&format!(" /E{number} {first} 0 R"));
            objects.extend(embedded_font(font, number, first));
        }
        for (number, lines) in self.pages.iter().enumerate() {
            let content = content(lines);
            objects.push(
                format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] \
                     /Resources << /Font << {fonts} >> >> /Contents {} 0 R >>",
                    page(number) + 1
                )
                .into_bytes(),
            );
            objects.push(stream("", content.as_bytes()));
        }
        assembled(&objects)
    }
}

fn assembled(objects: &[Vec<u8>]) -> Vec<u8> {
    // Four bytes beyond ASCII mark the file as binary.
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut begins = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        begins.push(file.len());
        file.extend(format!("{} 0 obj\n", number + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let list = file.len();
    let size = objects.len() + 1;
    let mut end = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for begin in begins {
        end.push_str(&format!("{begin:010} 00000 n \n"));
    }
    end.push_str(&format!("trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{list}\n%%EOF\n"));
    file.extend(end.bytes());
    file
}

/// A stream object, with entries besides its length.
fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<< /Length {}{entries} >>\nstream\n", bytes.len()).into_bytes();
    object.extend(bytes);
    object.extend(b"\nendstream");
    object
}

fn compressed_stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    match encoder.write_all(bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => stream(&format!(" /Filter /FlateDecode{entries}"), &packed),
        Err(_) => stream(entries, bytes),
    }
}

fn standard_font(name: &str) -> String {
    format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
}

/// The objects of a font: the font, its descendant, its descriptor, its program, and by code the texts and the glyphs.
fn embedded_font(font: &FontPart, number: usize, first: usize) -> [Vec<u8>; FONT_OBJECTS] {
    // The tag of a subset: six characters.
    let tag: String =
        [number / 26, number % 26].iter().map(|at| char::from(b'A' + (*at % 26) as u8)).collect();
    let name = format!("TRIB{tag}+{}", font.name);
    let [left, bottom, right, top] = font.bounds;
    let widths: Vec<String> = font.glyphs.iter().map(|glyph| glyph.width.to_string()).collect();
    // Code 0 is the glyph for missing characters.
    let ids: Vec<u8> =
        [0].into_iter().chain(font.glyphs.iter().map(|glyph| glyph.id)).flat_map(u16::to_be_bytes).collect();
    [
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [{} 0 R] \
             /ToUnicode {} 0 R >>",
            first + 1,
            first + 4
        )
        .into_bytes(),
        format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) \
             /Supplement 0 >> /FontDescriptor {} 0 R /DW 0 /W [1 [{}]] /CIDToGIDMap {} 0 R >>",
            first + 2,
            widths.join(" "),
            first + 5
        )
        .into_bytes(),
        format!(
            "<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [{left} {bottom} {right} {top}] /ItalicAngle 0 \
             /Ascent {} /Descent {} /CapHeight {} /StemV 80 /FontFile2 {} 0 R >>",
            font.ascent,
            font.descent,
            font.ascent,
            first + 3
        )
        .into_bytes(),
        compressed_stream(&format!(" /Length1 {}", font.bytes.len()), &font.bytes),
        compressed_stream("", to_unicode(font).as_bytes()),
        compressed_stream("", &ids),
    ]
}

/// Most entries of one list of a character map.
const MAP_ENTRIES_MAX: usize = 100;

fn to_unicode(font: &FontPart) -> String {
    let mut map = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) \
                   /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
                   1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
        .to_owned();
    let texts: Vec<(usize, &PartGlyph)> = (1..).zip(&font.glyphs).collect();
    for part in texts.chunks(MAP_ENTRIES_MAX) {
        map.push_str(&format!("{} beginbfchar\n", part.len()));
        for (code, glyph) in part {
            map.push_str(&format!("<{code:04X}> <{}>\n", utf16(&glyph.text)));
        }
        map.push_str("endbfchar\n");
    }
    map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
}

/// A text string outside of pages: hexadecimal UTF-16 with byte order mark.
fn text(text: &str) -> String {
    format!("<FEFF{}>", utf16(text))
}

fn utf16(text: &str) -> String {
    let mut hex = String::new();
    for unit in text.encode_utf16() {
        let _a_string_takes_all = write!(hex, "{unit:04X}");
    }
    hex
}

fn content(lines: &[Line]) -> String {
    let mut content = String::new();
    for Line { x, y, style, spans } in lines.iter().filter(|line| !line.spans.is_empty()) {
        let size = style.size();
        let mut x = *x;
        for span in spans {
            match span {
                Span::Standard { bytes, .. } => {
                    let font = if style.is_bold() { "F2" } else { "F1" };
                    content.push_str(&format!(
                        "BT /{font} {size} Tf {x:.2} {y} Td ({}) Tj ET\n",
                        escaped(bytes)
                    ));
                }
                Span::Embedded { font, glyphs, .. } => {
                    // Embedded fonts are regular; an outline makes them bold.
                    let bold = format!("2 Tr {:.2} w ", size as f32 * BOLD_OUTLINE);
                    let bold = if style.is_bold() { bold.as_str() } else { "0 Tr " };
                    let codes: String =
                        glyphs.iter().map(|Glyph { code, .. }| format!("{code:04X}")).collect();
                    content.push_str(&format!(
                        "BT /E{font} {size} Tf {bold}{x:.2} {y} Td <{codes}> Tj 0 Tr ET\n"
                    ));
                }
            }
            x += span.width() as f32 * size as f32 / 1000.0;
        }
    }
    content
}

/// Escapes a string to ASCII.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out
}
