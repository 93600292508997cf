//! Sample files, generated here.

use bytes::Bytes;
use domain::ports::FileToRead;
use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub fn file(name: &str, bytes: impl Into<Bytes>) -> FileToRead {
    FileToRead { media_type: None, name: name.to_owned(), bytes: bytes.into() }
}

pub fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("its text");
    }
    zip.finish().expect("a package").into_inner()
}

pub const OFFICE_PROPERTIES: &str = r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d">
    <dc:title>Flood report</dc:title><dc:creator>Ann Lee</dc:creator></cp:coreProperties>"#;

pub fn docx() -> Vec<u8> {
    let document = r#"<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body>
        <w:p><w:pPr/><w:r><w:t>Rivers </w:t></w:r><w:r><w:t xml:space="preserve">&amp; rain</w:t></w:r></w:p>
        <w:p><w:r><w:t>One</w:t><w:br/><w:t>Two</w:t><w:tab/><w:t>Three</w:t></w:r>
        <w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>
        <mc:Fallback><w:p><w:r><w:t>box again</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>
        </w:body></w:document>"#;
    let notes = r#"<w:footnotes xmlns:w="w"><w:footnote><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote></w:footnotes>"#;
    package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("docProps/core.xml", OFFICE_PROPERTIES),
        ("word/document.xml", document),
        ("word/footnotes.xml", notes),
    ])
}

pub fn slide(text: &str) -> String {
    format!(
        r#"<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>{text}</a:t></a:r></a:p>
        <a:p><a:r><a:t>second line</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:sld>"#
    )
}

pub fn pptx() -> Vec<u8> {
    package(&[
        ("ppt/presentation.xml", "<p:presentation/>"),
        ("docProps/core.xml", OFFICE_PROPERTIES),
        ("ppt/slides/slide10.xml", &slide("Tenth")),
        ("ppt/slides/slide2.xml", &slide("Second")),
        ("ppt/notesSlides/notesSlide1.xml", &slide("Spoken")),
    ])
}

pub fn xlsx() -> Vec<u8> {
    let shared = r#"<sst><si><t>Place</t></si><si><r><t>Water </t></r><r><t>level</t></r><rPh><t>no</t></rPh></si></sst>"#;
    let sheet = r#"<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>
        <row><c t="inlineStr"><is><t>Delta</t></is></c><c><f>A1*2</f><v>4.5</v></c><c t="s"><v>99</v></c></row></sheetData></worksheet>"#;
    package(&[
        ("xl/workbook.xml", r#"<workbook><sheets><sheet name="Gauges &amp; more"/></sheets></workbook>"#),
        ("docProps/core.xml", OFFICE_PROPERTIES),
        ("xl/sharedStrings.xml", shared),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

/// Sheets whose parts are not numbered in their order, with dates, truth values and errors.
pub fn workbook(properties: &str) -> Vec<u8> {
    let workbook = format!(
        r#"<workbook xmlns:r="r">{properties}<sheets><sheet name="Log" sheetId="2" r:id="rId9"/>
        <sheet name="Gone" sheetId="3" r:id="rId8"/><sheet name="Gauges" sheetId="1" r:id="rId7"/></sheets></workbook>"#
    );
    let parts = r#"<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/>
        <Relationship Id="rId8" Target="worksheets/missing.xml"/>
        <Relationship Id="rId9" Target="/xl/worksheets/data.xml"/></Relationships>"#;
    let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm"/>
        <numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
        <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>"#;
    let log = r#"<worksheet><sheetData><row><c s="1"><v>45352</v></c><c s="2"><v>45352.604166666664</v></c></row>
        <row><c s="3"><v>1.25</v></c><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c><v>45352</v></c></row>
        <row><c t="inlineStr"><is><r><t>In</t></r><r><t>line</t></r><rPh><t>no</t></rPh></is></c>
        <c t="str"><f>A1</f><v>formula text</v></c><c t="d"><v>2024-03-01</v></c><c><v>1.1000000000000001</v></c></row>
        </sheetData></worksheet>"#;
    let gauges = "<worksheet><sheetData><row><c><v>7</v></c></row></sheetData></worksheet>";
    package(&[
        ("xl/workbook.xml", &workbook),
        ("xl/_rels/workbook.xml.rels", parts),
        ("xl/styles.xml", styles),
        ("xl/worksheets/sheet1.xml", gauges),
        ("xl/worksheets/data.xml", log),
    ])
}

pub fn odt(body: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d"><office:body>
        {body}</office:body></office:document-content>"#
    );
    let meta = r#"<office:document-meta xmlns:office="o" xmlns:dc="d" xmlns:meta="m"><office:meta><dc:creator>Last Saver</dc:creator>
        <dc:title>Flood report</dc:title><meta:initial-creator>Ann Lee</meta:initial-creator></office:meta></office:document-meta>"#;
    package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("meta.xml", meta),
        ("META-INF/manifest.xml", "<manifest/>"),
    ])
}

/// Pages of lines; the font uses Windows codes.
pub fn pdf(pages: &[&[&str]]) -> Vec<u8> {
    let mut document = document(pages);
    let info = document.add_object(dictionary! {
        "Title" => Object::string_literal("Flood report"),
        "Author" => Object::string_literal("Ann Lee"),
    });
    document.trailer.set("Info", info);
    saved(document)
}

pub fn saved(mut document: Document) -> Vec<u8> {
    document.compress();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("a file");
    bytes
}

pub fn document(pages: &[&[&str]]) -> Document {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for lines in pages {
        let mut operations = vec![
            Operation::new("BT", vec![]),
            Operation::new("Tf", vec!["F1".into(), 12.into()]),
            Operation::new("TL", vec![14.into()]),
            Operation::new("Td", vec![50.into(), 700.into()]),
        ];
        for line in *lines {
            let text: Vec<u8> =
                line.chars().map(|c| u8::try_from(u32::from(c)).expect("a Latin character")).collect();
            operations.push(Operation::new("Tj", vec![Object::string_literal(text)]));
            operations.push(Operation::new("T*", vec![]));
        }
        operations.push(Operation::new("ET", vec![]));
        let content = Content { operations }.encode().expect("content");
        let content = document.add_object(Stream::new(dictionary! {}, content));
        kids.push(
            document
                .add_object(dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content })
                .into(),
        );
    }
    let count = kids.len() as i64;
    let pages = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources };
    document.objects.insert(tree, Object::Dictionary(pages));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    document
}

pub const MAIL: &str = "From: =?utf-8?q?Ann_L=C3=A9e?= <ann@example.net>\r\nTo: bob@example.net\r\n\
    Subject: Flood report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
    --b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
    The caf=E9 is under water.\r\n\r\nMore tomorrow.\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n\
    From: Cy <cy@example.net>\r\nSubject: Before\r\nContent-Type: text/html\r\n\r\n<p>Inner <b>words</b></p>\r\n\
    --b\r\nContent-Type: application/pdf; name=plan.pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\
    Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n";
