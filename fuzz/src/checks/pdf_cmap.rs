//! The ToUnicode table (CMap) of a PDF font, and a page that shows texts with it.

use super::pdf_file;

const CONTENT: &[u8] = b"BT /F1 12 Tf 10 700 Td (\\001\\002 ABC xyz) Tj /F2 12 Tf 0 -14 Td \
    <0001000200030004001000110041FFFF> Tj [<0003> -300 <0020>] TJ ET";

pub fn check(bytes: &[u8]) {
    super::extracted::check("page.pdf", &pdf_file::write(CONTENT, bytes));
}
