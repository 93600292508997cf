//! ZIP archives of office documents, as they are on disk.

pub fn check(bytes: &[u8]) {
    for name in ["a.docx", "a.xlsx", "a.pptx", "a.odt"] {
        super::extracted::check(name, bytes);
    }
}
