//! Hostile files: bombs, deep nesting, loops, tables that claim more than they contain. Each is read in a separate
//! process; its time and memory are measured.

use crate::measured::Measured;
use crate::samples::{document, package, saved, slide};
use lopdf::{Object, Stream, dictionary};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const MEGABYTE: usize = 1024 * 1024;

/// A package with one part of this length.
fn bomb(name: &str, begins: &str, filling: &str, bytes: usize, ends: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default()).expect("a part");
    zip.write_all(begins.as_bytes()).expect("its beginning");
    let piece = filling.repeat((64 * 1024 / filling.len()).max(1));
    for _ in 0..bytes / piece.len() {
        zip.write_all(piece.as_bytes()).expect("its filling");
    }
    zip.write_all(ends.as_bytes()).expect("its end");
    zip.finish().expect("a package").into_inner()
}

#[test]
fn bombs_in_packages() {
    let spaces = bomb("word/document.xml", "<w:p><w:t>", "          ", 200 * MEGABYTE, "</w:t></w:p>");
    assert!(spaces.len() < MEGABYTE);
    assert!(Measured::of("spaces.docx", &spaces).outcome.contains("larger than the limit"));
    // As large and dense as allowed: every limit is nearly reached, and the text is cut.
    let mut words = String::new();
    let mut state = 7_u32;
    while words.len() < 8 * 1024 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = write!(words, "<w:p><w:t>w{state}</w:t></w:p>");
    }
    let dense = bomb("word/document.xml", "<w>", &words, 120 * MEGABYTE, "</w>");
    let measured = Measured::of("dense.docx", &dense);
    assert_eq!(measured.outcome, "text 4000000 true");
    let cells =
        bomb("content.xml", "<t>", "<table:table-cell><text:p/></table:table-cell>", 100 * MEGABYTE, "</t>");
    // How far it gets in its time depends on the machine.
    Measured::of("cells.ods", &cells);
    // Many parts, each small in the file and large when decompressed.
    let text = slide(&"water ".repeat(100_000));
    let slides: Vec<(String, &str)> =
        (1..=300).map(|number| (format!("ppt/slides/slide{number}.xml"), text.as_str())).collect();
    let slides: Vec<(&str, &str)> = slides.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let measured = Measured::of("slides.pptx", &package(&slides));
    assert!(
        measured.outcome.contains("larger than the limit") || measured.outcome == "text 4000000 true",
        "{measured:?}"
    );
}

#[test]
fn bombs_in_xml() {
    let mut entities = "<!DOCTYPE w [<!ENTITY a0 \"water\">".to_owned();
    for level in 1..40 {
        let _ = write!(entities, "<!ENTITY a{level} \"&a{0};&a{0};&a{0};\">", level - 1);
    }
    entities.push_str("]><w><w:t>&a39;</w:t></w>");
    Measured::of("entities.docx", &package(&[("word/document.xml", &entities)]));

    let deep = format!("{}<w:t>x</w:t>", "<w:p>".repeat(500_000));
    let measured = Measured::of("deep.docx", &package(&[("word/document.xml", &deep)]));
    assert!(measured.outcome.contains("nested deeper"), "{measured:?}");

    let attributes: String = (0..300_000).fold(String::new(), |mut all, number| {
        let _ = write!(all, " a{number}=\"{number}\"");
        all
    });
    let sheet = format!("<sheetData><c{attributes}><v>1</v></c></sheetData>");
    let workbook = "<workbook><sheets><sheet name=\"a\"/></sheets></workbook>";
    let parts = [("xl/workbook.xml", workbook), ("xl/worksheets/sheet1.xml", sheet.as_str())];
    Measured::of("attributes.xlsx", &package(&parts));

    // One long text that many cells show.
    let shared = format!("<sst><si><t>{}</t></si></sst>", "water ".repeat(10_000));
    let cells = format!("<sheetData>{}</sheetData>", "<c t=\"s\"><v>0</v></c>".repeat(100_000));
    let parts = [
        ("xl/workbook.xml", workbook),
        ("xl/sharedStrings.xml", &shared),
        ("xl/worksheets/sheet1.xml", &cells),
    ];
    assert_eq!(Measured::of("shared.xlsx", &package(&parts)).outcome, "text 4000000 true");
}

#[test]
fn markdown_of_nothing_but_marks() {
    for unit in ["*a", "[", "![a](", "`", "> ", "- ", "|a", "<a ", "<!--", "&#", "[a]: b\n", "_*"] {
        Measured::of("marks.md", unit.repeat(8 * 1024 * 1024 / unit.len()).as_bytes());
    }
}

#[test]
fn a_document_of_ten_thousand_pages() {
    let lines: Vec<String> = (1..=10_000).map(|number| format!("page {number} of the report")).collect();
    let lines: Vec<[&str; 1]> = lines.iter().map(|line| [line.as_str()]).collect();
    let pages: Vec<&[&str]> = lines.iter().map(|line| line.as_slice()).collect();
    let measured = Measured::of("pages.pdf", &saved(document(&pages)));
    assert!(measured.outcome.ends_with(" true") || measured.outcome.contains("in time"), "{measured:?}");
}

#[test]
fn nesting_without_end() {
    let html = format!("{}words{}", "<div><b>".repeat(1_000_000), "</b></div>".repeat(1_000_000));
    Measured::of("deep.html", html.as_bytes());
    Measured::of("open.html", "<a href='".repeat(1_000_000).as_bytes());
    Measured::of("tables.html", "<table><tr><td>".repeat(500_000).as_bytes());
    Measured::of("marks.md", "[![".repeat(1_000_000).as_bytes());
    Measured::of("stars.md", "*a **b ".repeat(500_000).as_bytes());
    Measured::of("deep.xml", "<a>".repeat(3_000_000).as_bytes());
    let mail: String = (0..100_000).fold("Subject: deep\r\n".to_owned(), |mut all, level| {
        let _ = write!(all, "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n");
        all
    });
    Measured::of("deep.eml", mail.as_bytes());
    let measured = Measured::of("headers.eml", "a:\n".repeat(10_000_000).as_bytes());
    assert!(measured.outcome.contains("headers or parts"), "{measured:?}");
    Measured::of("some-headers.eml", format!("{}\nwords", "a:\n".repeat(99_000)).as_bytes());
    let boundary = "Content-Type: multipart/mixed; boundary=b\r\n\r\n".to_owned()
        + &"--b\r\n\r\nx\r\n".repeat(1_000_000);
    let measured = Measured::of("parts.eml", boundary.as_bytes());
    assert!(measured.outcome.contains("headers or parts"), "{measured:?}");
}

#[test]
fn nesting_in_a_pdf() {
    for (name, open) in [("arrays", "["), ("dictionaries", "<</A"), ("strings", "("), ("mixed", "[<</A(")] {
        let text =
            format!("%PDF-1.5\n1 0 obj\n{}\nendobj\ntrailer <</Root 1 0 R>>\n", open.repeat(2_000_000));
        Measured::of(&format!("{name}.pdf"), text.as_bytes());
        // The same in the content of a page.
        let content = Stream::new(dictionary! {}, open.repeat(1_000_000).into_bytes());
        Measured::of(&format!("{name}-page.pdf"), &saved(with_content(content)));
    }
}

/// Small items that take much memory: numbers in lists, operators without operands, overlapping objects.
#[test]
fn crowds_in_a_pdf() {
    let numbers = format!(
        "%PDF-1.5\n1 0 obj\n[{}]\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n\
         trailer <</Root 1 0 R/Size 2>>\nstartxref\n{}\n%%EOF",
        "0 ".repeat(14_000_000),
        28_000_026
    );
    let measured = Measured::of("numbers.pdf", numbers.as_bytes());
    assert!(measured.outcome.contains("more than 1500000 parts"), "{measured:?}");
    // Nearly as many as allowed.
    let fewer = numbers.replacen(&"0 ".repeat(12_510_000), "", 1).replace("28000026", "2980026");
    let measured = Measured::of("fewer-numbers.pdf", fewer.as_bytes());
    assert!(!measured.outcome.contains("parts"), "{measured:?}");
    for (name, piece) in [("operands", "0 "), ("operators", "q "), ("pieces", "[0 0]TJ "), ("texts", "()Tj ")]
    {
        let content = piece.repeat(15 * MEGABYTE / piece.len() / 2);
        Measured::of(
            &format!("{name}.pdf"),
            &saved(with_content(Stream::new(dictionary! {}, content.into_bytes()))),
        );
    }
    let list = format!("[{}", "0 ".repeat(3_500_000));
    Measured::of("list.pdf", &saved(with_content(Stream::new(dictionary! {}, list.into_bytes()))));

    // Many rows that point to one long list.
    let (list, rows) = (format!("[{}]", "0 ".repeat(500_000)), 20_000);
    let index: String = (10..10 + rows).fold(String::new(), |mut all, number| {
        let _ = write!(all, "{number} 0 ");
        all
    });
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let packed = Stream::new(
        dictionary! { "Type" => "ObjStm", "N" => rows, "First" => index.len() as i64 },
        format!("{index}{list}").into_bytes(),
    );
    let mut packing = packed;
    packing.compress().expect("a stream");
    let places = [bytes.len()];
    bytes.extend(
        format!(
            "1 0 obj\n<</Type/ObjStm/N {rows}/First {}/Filter/FlateDecode/Length {}>>stream\n",
            index.len(),
            packing.content.len()
        )
        .into_bytes(),
    );
    bytes.extend(&packing.content);
    bytes.extend(b"\nendstream\nendobj\n");
    let table = bytes.len();
    bytes.extend(format!("xref\n0 2\n0000000000 65535 f \n{:010} 00000 n \ntrailer <</Root 9 0 R/Size 2>>\nstartxref\n{table}\n%%EOF", places[0]).into_bytes());
    assert!(bytes.len() < MEGABYTE / 2, "{}", bytes.len());
    Measured::of("overlap.pdf", &bytes);
}

/// A page with this content.
fn with_content(stream: Stream) -> lopdf::Document {
    let mut written = document(&[&["words"]]);
    let content = written.add_object(stream);
    for object in written.objects.values_mut() {
        if let Ok(dict) = object.as_dict_mut()
            && dict.has_type(b"Page")
        {
            dict.set("Contents", content);
        }
    }
    written
}

#[test]
fn promises_in_a_pdf() {
    let table = [
        (
            "size",
            "5 0 obj <</Type/XRef/Size 2147483647/W[1 4 2]/Index[0 2147483647]/Root 1 0 R/Length 7>> stream\n\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\nendstream endobj\nstartxref\n9\n%%EOF",
        ),
        (
            "width",
            "5 0 obj <</Type/XRef/Size 9/W[1 2147483647 2]/Root 1 0 R/Length 7>> stream\nabcdefg\nendstream endobj\nstartxref\n9\n%%EOF",
        ),
        (
            "none",
            "5 0 obj <</Type/XRef/Size 4000000000/W[0 0 0]/Root 1 0 R/Length 0>> stream\n\nendstream endobj\nstartxref\n9\n%%EOF",
        ),
        (
            "table",
            "xref\n0 4294967295\n0000000000 65535 f \ntrailer <</Root 1 0 R/Size 4294967295>>\nstartxref\n9\n%%EOF",
        ),
        ("loop", "xref\n0 0\ntrailer <</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"),
        (
            "length",
            "1 0 obj <</Length 99999999999>> stream\nx\nendstream endobj\ntrailer <</Root 1 0 R>>\nstartxref\n0\n%%EOF",
        ),
        (
            "count",
            "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 2147483647/Kids[2 0 R 2 0 R]>> endobj\nxref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \ntrailer <</Root 1 0 R/Size 3>>\nstartxref\n117\n%%EOF",
        ),
    ];
    for (name, text) in table {
        Measured::of(&format!("{name}.pdf"), format!("%PDF-1.5\n{text}").as_bytes());
    }
    // Compressed repeatedly, and rows wider than anything.
    let mut inner = vec![b' '; 100 * MEGABYTE];
    for _ in 0..3 {
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&inner).expect("a stream");
        inner = packed.finish().expect("a stream");
    }
    let filters: Vec<Object> = vec!["FlateDecode".into(); 3];
    let packed = Stream::new(dictionary! { "Filter" => filters }, inner);
    let columns = dictionary! { "Predictor" => 15, "Columns" => 2_147_483_647_i64, "Colors" => 32, "BitsPerComponent" => 16 };
    let wide =
        Stream::new(dictionary! { "Filter" => "FlateDecode", "DecodeParms" => columns }, ZLIB_WORDS.to_vec());
    for (name, stream) in [("packed", packed), ("columns", wide)] {
        let mut bytes = Vec::new();
        with_content(stream).save_to(&mut bytes).expect("a file");
        Measured::of(&format!("{name}.pdf"), &bytes);
    }
}

/// `words`, compressed.
const ZLIB_WORDS: &[u8] = &[120, 156, 43, 207, 47, 74, 41, 6, 0, 6, 165, 2, 48];
