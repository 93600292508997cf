//! Each format gives its words in order, its title and its author.

use crate::samples::{MAIL, document, docx, file, odt, package, pdf, pptx, saved, xlsx};
use domain::ports::{ExtractError, ExtractedText, FileToRead};
use extraction::{Limits, knows, read};
use lopdf::content::{Content, Operation};
use lopdf::{Object, Stream, dictionary};

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
fn a_mail_gives_its_parts() {
    let found = text_of(&file("a.eml", MAIL));
    assert_eq!((found.title.as_str(), found.author.as_str()), ("Flood report", "Ann Lée"));
    let want = "Ann Lée\nbob@example.net\nFlood report\n\nThe café is under water.\n\nMore tomorrow.\n\n\
        Cy\nBefore\n\nInner words\n\nplan.pdf";
    assert_eq!(found.text, want);
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
