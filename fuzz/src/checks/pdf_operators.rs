//! The operators of a PDF page.

use super::pdf_file;

const TO_UNICODE: &[u8] = b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
    2 beginbfrange <0001> <0004> <0041> <0010> <0011> [<0391> <00660066>] endbfrange";

pub fn check(bytes: &[u8]) {
    super::extracted::check("page.pdf", &pdf_file::write(bytes, TO_UNICODE));
}
