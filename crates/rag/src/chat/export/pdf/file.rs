//! PDF 1.4 writer without compression.

use super::lines::{Line, PAGE_HEIGHT, PAGE_WIDTH, Page};
use domain::instant::Instant;
use std::fmt::Write;

/// Number of the first page object, after catalog, page tree, two fonts and document information.
const FIRST_PAGE: usize = 6;

pub(super) struct File<'a> {
    pub title: &'a str,
    pub created: Instant,
    pub pages: &'a [Page],
}

impl File<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let page = |number: usize| FIRST_PAGE + 2 * number;
        let kids: Vec<String> = (0..self.pages.len()).map(|number| format!("{} 0 R", page(number))).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Count {} /Kids [{}] >>", kids.len(), kids.join(" ")),
            font("Helvetica"),
            font("Helvetica-Bold"),
            format!(
                "<< /Title {} /Producer {} /CreationDate (D:{}Z) >>",
                text(self.title),
                text(domain::SERVICE_NAME),
                self.created.format("%Y%m%d%H%M%S")
            ),
        ];
        for (number, lines) in self.pages.iter().enumerate() {
            let content = content(lines);
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}] \
                 /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents {} 0 R >>",
                page(number) + 1
            ));
            objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
        }
        assembled(&objects)
    }
}

fn assembled(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut begins = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        begins.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let list = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for begin in begins {
        file.push_str(&format!("{begin:010} 00000 n \n"));
    }
    let size = objects.len() + 1;
    file.push_str(&format!(
        "trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{list}\n%%EOF\n"
    ));
    file.into_bytes()
}

fn font(name: &str) -> String {
    format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
}

/// A text string outside of pages: hexadecimal UTF-16 with byte order mark.
fn text(text: &str) -> String {
    let mut hex = "<FEFF".to_owned();
    for unit in text.encode_utf16() {
        let _a_string_takes_all = write!(hex, "{unit:04X}");
    }
    hex + ">"
}

fn content(lines: &[Line]) -> String {
    let mut content = String::new();
    for Line { x, y, style, bytes } in lines.iter().filter(|line| !line.bytes.is_empty()) {
        let font = if style.is_bold() { "F2" } else { "F1" };
        content.push_str(&format!("BT /{font} {} Tf {x} {y} Td ({}) Tj ET\n", style.size(), escaped(bytes)));
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
