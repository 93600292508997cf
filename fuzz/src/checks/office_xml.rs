//! The XML inside office documents: up to three parts, separated by a NUL byte, in an uncompressed archive.

use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// For each document format, the paths of its parts.
const KINDS: [(&str, [&str; 3]); 5] = [
    ("a.docx", ["word/document.xml", "word/footnotes.xml", "docProps/core.xml"]),
    ("a.xlsx", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"]),
    ("a.xlsx", ["xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/worksheets/sheet1.xml"]),
    ("a.pptx", ["ppt/slides/slide1.xml", "ppt/notesSlides/notesSlide1.xml", "docProps/core.xml"]),
    ("a.odt", ["content.xml", "meta.xml", "styles.xml"]),
];
/// Parts without which a document cannot be read.
const NEEDED: [(&str, &[u8]); 2] =
    [("xl/workbook.xml", b"<workbook><sheet name='S'/></workbook>"), ("ppt/presentation.xml", b"<p/>")];

pub fn check(bytes: &[u8]) {
    let given: Vec<&[u8]> = bytes.splitn(3, |&byte| byte == 0).collect();
    for (name, places) in KINDS {
        let mut parts: Vec<(&str, &[u8])> = places.into_iter().zip(given.iter().copied()).collect();
        parts.extend(NEEDED.into_iter().filter(|(needed, _)| !places[..given.len()].contains(needed)));
        if let Ok(archive) = write_archive(&parts) {
            super::extracted::check(name, &archive);
        }
    }
}

fn write_archive(parts: &[(&str, &[u8])]) -> zip::result::ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, text) in parts {
        archive.start_file(*name, stored)?;
        archive.write_all(text)?;
    }
    Ok(archive.finish()?.into_inner())
}
