//! Each format gives its words in order, its title and its author.

use crate::samples::{MAIL, document, docx, file, odt, package, pdf, pptx, saved, slide, workbook, xlsx};
use domain::ports::{ExtractError, ExtractedText, FileToRead};
use extraction::{Limits, knows, read};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

fn text_of(file: &FileToRead) -> ExtractedText {
    read(file, &Limits::default()).unwrap_or_else(|error| panic!("{}: {error}", file.name))
}

#[test]
fn every_kind_gives_its_words() {
    let body = r#"<text:h>Rivers</text:h><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>
        <text:p>One<text:s text:c="3"/>two<text:line-break/>three<text:span>fold</text:span></text:p>
        <table:table table:name="Gauges"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
        <table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>
        <draw:page draw:name="p1"><text:p>A slide</text:p></draw:page>"#;
    let table = [
        ("a.docx", docx(), "Rivers & rain\n\nOne\nTwo Three\n\na b\nc\n\nbox\n\nA note"),
        ("a.pptx", pptx(), "Second\nsecond line\n\nTenth\nsecond line\n\nSpoken\nsecond line"),
        ("a.xlsx", xlsx(), "Gauges & more\nPlace Water level\nDelta 4.5"),
        ("a.odt", odt(body), "Rivers\n\nOne two\nthreefold\n\nGauges\na b\n\nA slide"),
        ("a.pdf", pdf(&[&["Rivers & rain", "café"], &["Second page"]]), "Rivers & rain\ncafé\n\nSecond page"),
    ];
    for (name, bytes, want) in table {
        let found = text_of(&file(name, bytes));
        assert_eq!(found.text, want, "{name}");
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Flood report", "Ann Lee"), "{name}");
        assert!(!found.is_cut, "{name}");
        assert!(knows(name), "{name}");
    }
    assert!(!knows("a.png") && !knows("README") && !knows(""));
}

#[test]
fn sheets_have_their_names_and_cells_their_dates() {
    let found = text_of(&file("a.xlsx", workbook("")));
    let want = "Log\n2024-03-01 2024-03-01 14:30:00\n30:00:00 TRUE #DIV/0! 45352\n\
        Inline formula text 2024-03-01 1.1\n\nGauges\n7";
    assert_eq!(found.text, want);
    let since_1904 = text_of(&file("a.xlsx", workbook("<workbookPr date1904=\"1\"/>"))).text;
    assert!(since_1904.contains("2028-03-02 2028-03-02 14:30:00"), "{since_1904}");
}

#[test]
fn slides_have_the_order_of_the_presentation() {
    let main = r#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="257" r:id="rId3"/>
        <p:sldId id="256" r:id="rId2"/></p:sldIdLst></p:presentation>"#;
    let parts = r#"<Relationships><Relationship Id="rId2" Target="slides/slide1.xml"/>
        <Relationship Id="rId3" Target="slides/slide2.xml"/></Relationships>"#;
    let slides = package(&[
        ("ppt/presentation.xml", main),
        ("ppt/_rels/presentation.xml.rels", parts),
        ("ppt/slides/slide1.xml", &slide("Moved to the end")),
        ("ppt/slides/slide2.xml", &slide("Begin")),
    ]);
    let found = text_of(&file("a.pptx", slides));
    assert_eq!(found.text, "Begin\nsecond line\n\nMoved to the end\nsecond line");
}

#[test]
fn a_mail_gives_its_parts() {
    let found = text_of(&file("a.eml", MAIL));
    assert_eq!((found.title.as_str(), found.author.as_str()), ("Flood report", "Ann Lée"));
    let want = "Ann Lée\nbob@example.net\nFlood report\n\nThe café is under water.\n\nMore tomorrow.\n\n\
        Cy\nBefore\n\nInner words\n\nplan.pdf";
    assert_eq!(found.text, want);
    let exported =
        FileToRead { media_type: Some("message/rfc822".to_owned()), ..file("a", format!(" \r\n\n{MAIL}")) };
    assert_eq!(text_of(&exported).text, want, "blank lines before the headers");
}

/// Words are assembled by position, and codes are decoded by the font's map.
#[test]
fn a_page_of_pieces_is_put_together() {
    let mut document = document(&[]);
    let table = "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0001> <001a> <0061> endbfrange";
    let table = document.add_object(Stream::new(dictionary! {}, table.as_bytes().to_vec()));
    let kid = dictionary! { "Type" => "Font", "Subtype" => "CIDFontType2", "DW" => 500 };
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type0", "Encoding" => "Identity-H", "ToUnicode" => table,
        "DescendantFonts" => vec![kid.into()],
    });
    let form_content = b"BT /F1 10 Tf 0 0 Td <0006> Tj ET".to_vec();
    let form = Stream::new(
        dictionary! { "Subtype" => "Form", "Matrix" => vec![1.into(), 0.into(), 0.into(), 1.into(), 50.into(), 100.into()] },
        form_content,
    );
    let form = document.add_object(form);
    let resources =
        dictionary! { "Font" => dictionary! { "F1" => font }, "XObject" => dictionary! { "X" => form } };
    let text =
        |codes: &[u8]| Object::string_literal(codes.iter().flat_map(|code| [0, *code]).collect::<Vec<u8>>());
    let at = |x: i64, y: i64| Operation::new("Td", vec![x.into(), y.into()]);
    let operations = vec![
        Operation::new("q", vec![]),
        Operation::new("cm", vec![1.into(), 0.into(), 0.into(), 1.into(), 50.into(), 500.into()]),
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec!["F1".into(), 10.into()]),
        Operation::new("Tj", vec![text(&[1, 2])]),
        // Directly after the previous one: the same word. A gap: another one.
        at(10, 0),
        Operation::new(
            "TJ",
            vec![
                vec![text(&[3]), Object::Integer(-50), text(&[4]), Object::Integer(-400), text(&[5])].into(),
            ],
        ),
        Operation::new("ET", vec![]),
        Operation::new("Q", vec![]),
        Operation::new("Do", vec!["X".into()]),
    ];
    let content = Content { operations }.encode().expect("content");
    let content = document.add_object(Stream::new(dictionary! {}, content));
    let root =
        document.catalog().and_then(|root| root.get(b"Pages")).and_then(Object::as_reference).expect("pages");
    let page = document.add_object(
        dictionary! { "Type" => "Page", "Parent" => root, "Contents" => content, "Resources" => resources },
    );
    document.get_dictionary_mut(root).expect("pages").set("Kids", vec![page.into()]);
    assert_eq!(text_of(&file("a.pdf", saved(document))).text, "abcd e\n\nf");
}

/// Fonts without a map to Unicode: the name of their encoding, or the font itself, says what the codes mean.
#[test]
fn composite_fonts_need_no_map() {
    for (encoding, code, want) in [
        ("UniGB-UCS2-H", &b"\x6c\x34\x4f\x4d"[..], "水位"),
        ("90ms-RKSJ-H", b"a\x90\x85", "a水"),
        ("Identity-H", b"\0\x05\0\x06", "ab"),
        ("Unheard-H", b"\0\x05\0\x06", ""),
    ] {
        assert_eq!(text_in(|document| composite_font(document, encoding), &[(0, code)]), want, "{encoding}");
    }
}

/// A font may have a map of its own from codes to glyphs, whose codes have any length.
#[test]
fn composite_fonts_have_their_own_codes() {
    let one_byte = "1 begincodespacerange <00> <ff> endcodespacerange";
    let to_unicode = format!("{one_byte} 1 beginbfrange <41> <5a> <0061> endbfrange");
    let glyphs = format!("{one_byte} 1 begincidrange <41> <42> 5 endcidrange");
    let mixed = "2 begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange \
        2 begincidchar <41> 5 <8141> 6 endcidchar";
    for (encoding, unicode, code, want) in [
        (Some(one_byte), Some(to_unicode.as_str()), &b"HELLO"[..], "hello"),
        (Some(glyphs.as_str()), None, b"AB", "ab"),
        (Some(mixed), None, b"A\x81\x41A", "aba"),
        (Some(""), Some(&to_unicode), b"\0H\0I", "hi"),
        // A predefined map that is not known.
        (None, Some(&to_unicode), b"HI", "hi"),
    ] {
        let font = |document: &mut Document| {
            let mut font = composite_font(document, "Unheard-H");
            let mut map =
                |text: &str| document.add_object(Stream::new(dictionary! {}, text.as_bytes().to_vec()));
            if let Some(encoding) = encoding {
                font.set("Encoding", map(encoding));
            }
            if let Some(unicode) = unicode {
                font.set("ToUnicode", map(unicode));
            }
            font
        };
        assert_eq!(text_in(font, &[(0, code)]), want, "{encoding:?} {unicode:?}");
    }
}

/// Widths are those of glyphs, not of codes: a wrong one would give or take a space between words.
#[test]
fn composite_fonts_have_the_widths_of_their_glyphs() {
    for (encoding, first) in [("UniGB-UCS2-H", 1), ("UniJIS-UCS2-HW-H", 231)] {
        let font = |document: &mut Document| {
            let mut font = composite_font(document, encoding);
            let kids = font.get_mut(b"DescendantFonts").and_then(Object::as_array_mut).expect("kids");
            let widths: Vec<Object> = vec![first.into(), (first + 94).into(), 500.into()];
            kids[0].as_dict_mut().expect("a font").set("W", widths);
            font
        };
        let parts: [(i64, &[u8]); 3] = [(0, b"\0a\0b"), (10, b"\0c\x6c\x34"), (25, b"\x4f\x4d")];
        assert_eq!(text_in(font, &parts), "abc水位", "{encoding}");
        assert_eq!(text_in(font, &[(0, b"\0a\0b"), (14, b"\0c")]), "ab c", "{encoding}");
    }
}

/// A font in which the glyphs 5 and 6 are a and b.
fn composite_font(document: &mut Document, encoding: &str) -> Dictionary {
    let words: Vec<u16> = vec![
        // A TrueType font with one table, which lists them.
        1, 0, 1, 0, 0, 0, 0x636d, 0x6170, 0, 0, 0, 28, 0, 0, 0, 1, 3, 1, 0, 12, 4, 0, 0, 4, 0, 0, 0, 0x62,
        0xffff, 0, 0x61, 0xffff, 0xffa4, 1, 0, 0,
    ];
    let truetype: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let file = document.add_object(Stream::new(dictionary! {}, truetype));
    let descriptor = document.add_object(dictionary! { "Type" => "FontDescriptor", "FontFile2" => file });
    let kid = dictionary! { "Type" => "Font", "Subtype" => "CIDFontType2", "FontDescriptor" => descriptor };
    dictionary! {
        "Type" => "Font", "Subtype" => "Type0", "Encoding" => encoding, "DescendantFonts" => vec![kid.into()],
    }
}

/// The text of a page that shows codes of a font at these places of a line.
fn text_in(font: impl Fn(&mut Document) -> Dictionary, parts: &[(i64, &[u8])]) -> String {
    let mut document = document(&[&["x"]]);
    let font = font(&mut document);
    let font = document.add_object(font);
    let resources = dictionary! { "Font" => dictionary! { "F1" => font } };
    let mut operations =
        vec![Operation::new("BT", vec![]), Operation::new("Tf", vec!["F1".into(), 10.into()])];
    for (x, codes) in parts {
        let matrix = [1, 0, 0, 1, *x, 0].map(Object::from);
        operations.push(Operation::new("Tm", matrix.to_vec()));
        operations.push(Operation::new("Tj", vec![Object::string_literal(*codes)]));
    }
    operations.push(Operation::new("ET", vec![]));
    let content = Content { operations }.encode().expect("content");
    let content = document.add_object(Stream::new(dictionary! {}, content));
    let page = document.page_iter().next().expect("a page");
    let page = document.get_dictionary_mut(page).expect("a page");
    page.set("Contents", content);
    page.set("Resources", resources);
    text_of(&file("a.pdf", saved(document))).text
}

#[test]
fn a_password_is_asked_for() {
    let manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>";
    let sheet = package(&[("content.xml", "x"), ("META-INF/manifest.xml", manifest)]);
    let mut document = document(&[&["Secret words"]]);
    document.trailer.set(
        "ID",
        vec![Object::string_literal("0123456789abcdef"), Object::string_literal("0123456789abcdef")],
    );
    let version = lopdf::EncryptionVersion::V1 {
        document: &document,
        owner_password: "owner",
        user_password: "user",
        permissions: lopdf::Permissions::all(),
    };
    let state = lopdf::EncryptionState::try_from(version).expect("a state");
    document.encrypt(&state).expect("encrypted");
    for (name, bytes) in [("a.odt", sheet), ("a.pdf", saved(document))] {
        assert_eq!(read(&file(name, bytes), &Limits::default()), Err(ExtractError::Protected), "{name}");
    }
}
