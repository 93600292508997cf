//! Tests of whole files.

use super::super::tests::sample;
use super::error::PAGES_MAX;
use super::*;
use bytes::Bytes;
use domain::ports::FileToRead;
use extraction::Limits;
use std::path::Path;
use std::process::Command;
use testkit::skip;

fn read_back(bytes: Vec<u8>) -> domain::ports::ExtractedText {
    let file = FileToRead { media_type: None, name: "chat.pdf".into(), bytes: Bytes::from(bytes) };
    extraction::read(&file, &Limits::default()).expect("a PDF that can be read")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without fonts of the system.
fn none() -> FontFolders {
    FontFolders::default()
}

#[test]
fn what_is_written_can_be_read() {
    let question = "Qu'est-ce que l’œuvre coûte (en €)? \\ – naïve";
    let (chat, messages) = sample(question, "Elle coûte 7 € [1].\n\nVoilà “tout”… ≥ 5 ✅");
    let read = read_back(pdf(&chat, &messages, &none()).expect("Latin text"));
    let text = words(&read.text);
    for expected in [
        "Dams",
        "You, 2026-11-15 12:00 UTC",
        question,
        "Elle coûte 7 € [1].",
        "Voilà “tout”… >= 5 [U+2705]",
        "[1] The [big] dam - https://a.example/dam",
        "[3] A file",
        "Check *this* answer.",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("/etc/dam"));
    assert_eq!(read.title, "Dams");
}

#[test]
fn long_texts_go_over_many_pages_and_lose_nothing() {
    let paragraph: String = (0..6000).map(|number| format!("word{number} ")).collect();
    let (chat, messages) = sample("?", &paragraph);
    let bytes = pdf(&chat, &messages, &none()).expect("Latin text");
    let pages = String::from_utf8_lossy(&bytes).matches("/Type /Page ").count();
    assert!(pages > 5, "{pages}");
    let text = words(&read_back(bytes).text);
    for number in 0..6000 {
        assert!(text.contains(&format!("word{number} ")), "word{number}");
    }
}

#[test]
fn characters_without_a_font_are_named() {
    let table = [
        ("Плотина", "‘П’, ‘а’, ‘и’, ‘л’, ‘н’, ‘о’, ‘т’"),
        ("dam 水 ✅", "‘水’"),
        ("ąę", "‘ą’, ‘ę’"),
        ("абвгдежзийкл", "‘а’, ‘б’, ‘в’, ‘г’, ‘д’, ‘е’, ‘ж’, ‘з’, ‘и’, ‘й’, …"),
    ];
    for (text, named) in table {
        let (chat, messages) = sample(text, "x");
        let refused = pdf(&chat, &messages, &none()).expect_err(text);
        assert_eq!(refused, PdfError::MissingCharacters(named.to_owned()));
        assert!(refused.to_string().contains("format=html"), "{refused}");
    }
}

#[test]
fn pages_are_bounded() {
    let (chat, messages) = sample("?", &"line\n".repeat(PAGES_MAX * lines::LINES_MAX));
    assert_eq!(pdf(&chat, &messages, &none()), Err(PdfError::TooLong));
}

/// Damaged fonts are not used.
#[test]
fn files_that_are_no_fonts_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [
        ("empty.ttf", &b""[..]),
        ("text.otf", b"This is no font at all, but a text."),
        ("cut.ttf", b"\0\x01\0\0\0\x05\0\0\0\0\0\0glyf"),
        ("many.ttc", b"ttcf\0\x01\0\0\xff\xff\xff\xff\0\0\0\x0c"),
    ] {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let (chat, messages) = sample("Плотина", "x");
    let folders = FontFolders::of(vec![folder.path().to_owned(), "/nowhere".into()]);
    assert!(matches!(pdf(&chat, &messages, &folders), Err(PdfError::MissingCharacters(_))));
}

/// The text of a PDF as poppler reads it; None if it is not installed.
fn read_by_poppler(path: &Path) -> Option<String> {
    let read = Command::new("pdftotext").arg("-layout").arg(path).arg("-").output().ok()?;
    assert!(read.status.success(), "{read:?}");
    Some(words(&String::from_utf8_lossy(&read.stdout)))
}

/// Sets a text in the fonts of this machine, and reads it with another program.
fn assert_is_set(suite: &str, text: &str) {
    let (mut chat, messages) = sample(text, &format!("{text} [1] OK"));
    chat.spec.title = text.to_owned();
    let bytes = match pdf(&chat, &messages, &FontFolders::of_system()) {
        Err(PdfError::MissingCharacters(missing)) => {
            return skip(suite, &format!("no font here has the characters {missing}"));
        }
        made => made.expect("a file"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chat.pdf");
    std::fs::write(&path, &bytes).expect("a file");
    let Some(read) = read_by_poppler(&path) else {
        return skip(suite, "pdftotext is not installed");
    };
    // Control characters of the direction are not part of the text.
    let read: String =
        read.chars().filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{200e}' | '\u{200f}')).collect();
    assert!(read.matches(text).count() >= 3, "{text} in {read}");
    assert!(read.contains("OK") && read.contains("https://a.example/dam"), "{read}");
}

#[test]
fn accents_beyond_western_europe() {
    assert_is_set("PDF in Polish", "Zażółć gęślą jaźń, Ełk i łódź");
    assert_is_set("PDF in Vietnamese", "Đập nước bị vỡ");
}

#[test]
fn greek_and_cyrillic() {
    assert_is_set("PDF in Greek", "Το φράγμα άντεξε");
    assert_is_set("PDF in Russian", "Плотина стоит у реки");
}

#[test]
fn chinese_and_japanese() {
    assert_is_set("PDF in Chinese", "水坝建在河边");
    assert_is_set("PDF in Japanese", "ダムは川のそばにある");
}

#[test]
fn arabic_and_hebrew() {
    assert_is_set("PDF in Arabic", "السد قديم");
    assert_is_set("PDF in Hebrew", "הסכר ישן");
}

#[test]
fn scripts_that_are_not_supported_are_named() {
    for (text, named) in [("नदी", "‘द’, ‘न’, ‘\u{940}’"), ("ښه", "‘ښ’")] {
        let (chat, messages) = sample(text, "x");
        let refused = pdf(&chat, &messages, &FontFolders::of_system()).expect_err(text);
        assert_eq!(refused, PdfError::ComplexScript(named.to_owned()));
        assert!(refused.to_string().contains("format=html"), "{refused}");
    }
}
