//! Tests of whole files.

use super::super::tests::sample;
use super::error::PAGES_MAX;
use super::fonts::fixtures::{damaged_collection, font_of};
use super::*;
use bytes::Bytes;
use domain::ports::FileToRead;
use extraction::Limits;
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
    let (chat, messages) = sample(question, "Elle coûte 7 € [1].\n\nVoilà “tout”… ≥ 5 🚀");
    let read = read_back(pdf(&chat, &messages, &none()).expect("Latin text"));
    let text = words(&read.text);
    for expected in [
        "Dams",
        "You, 2026-11-15 12:00 UTC",
        question,
        "Elle coûte 7 € [1].",
        "Voilà “tout”… ≥ 5 [U+1F680]",
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

/// On a machine without fonts.
#[test]
fn languages_of_the_font_in_the_program() {
    for (language, text) in [
        ("Polish", "Zażółć gęślą jaźń, Ełk i łódź"),
        ("Czech", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
        ("Turkish", "Şoförün ağır işi"),
        ("Greek", "Το φράγμα άντεξε"),
        ("Russian", "Плотина стоит у реки"),
        ("Ukrainian", "Її гребля ґрунтова"),
        ("Vietnamese", "Đập nước bị vỡ"),
        ("Armenian", "Ամբարտակը հին է"),
        ("Georgian", "კაშხალი ძველია"),
        ("formulas", "CO₂ → 10⁵ ≥ ⅓ · x̄ ≈ √π"),
        ("signs", "✅ ja, ❌ nein, ★ ☐"),
    ] {
        let (mut chat, messages) = sample(text, &format!("{text} [1] OK"));
        chat.spec.title = text.to_owned();
        let bytes = pdf(&chat, &messages, &none()).unwrap_or_else(|error| panic!("{language}: {error}"));
        let read = words(&read_back(bytes).text);
        assert_eq!(read.matches(text).count(), 3, "{language}: {read}");
        assert_is_set(language, text, &none());
    }
    for (language, text) in [("Hebrew", "הסכר ישן"), ("Arabic", "السد قديم"), ("Persian", "سد پیر")]
    {
        assert_is_set(language, text, &none());
    }
}

#[test]
fn symbols_without_a_font_refuse_nothing() {
    for (text, expected) in [
        ("1️⃣ Go 🚀", "1[U+20E3] Go [U+1F680]"),
        // A mark for which no font has a glyph, and one of a script.
        ("a\u{1ab0}b", "a[U+1AB0]b"),
        ("x \u{93f} y", "x [U+093F] y"),
        ("\u{e000}", "[U+E000]"),
        ("🇵🇱 👍🏽", "[U+1F1F5][U+1F1F1] [U+1F44D][U+1F3FD]"),
        // Plain characters that say the same.
        ("𝐃𝐚𝐦 ｄａｍ ⓓ ㎏ ⑳", "Dam dam d kg 20"),
        ("2⑴ 2🄁", "2(1) 2 0,"),
        // The plain form is of a script that has no font: the symbol is still not lost.
        ("㊗", "[U+3297]"),
    ] {
        let (chat, messages) = sample(text, "x");
        let bytes = pdf(&chat, &messages, &none()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let read = words(&read_back(bytes).text);
        assert!(read.contains(&format!(" {expected} ")), "{expected}: {read}");
    }
}

#[test]
fn scripts_without_a_font_are_named() {
    for (text, named, packages) in [
        ("dam 水 🚀", "Chinese (‘水’).", "apt install fonts-droid-fallback)"),
        (
            "ダム 댐 เขื่อน",
            "Thai (‘ข’, ‘น’, ‘อ’, ‘เ’), Japanese (‘ダ’, ‘ム’), Korean (‘댐’).",
            "apt install fonts-droid-fallback fonts-noto-core)",
        ),
        ("水坝建在河边", "Chinese (‘在’, ‘坝’, ‘建’, ‘水’, ‘河’, …).", "apt install fonts-droid-fallback)"),
        ("𐌰", "other scripts (‘𐌰’).", "apt install fonts-noto-core)"),
    ] {
        let (chat, messages) = sample(text, "x");
        let refused = pdf(&chat, &messages, &none()).expect_err(text);
        assert!(matches!(refused, PdfError::MissingFonts { .. }), "{refused:?}");
        let refused = refused.to_string();
        for expected in [named, packages, "format=html"] {
            assert!(refused.contains(expected), "{expected}: {refused}");
        }
    }
}

#[test]
fn pages_are_bounded() {
    let (chat, messages) = sample("?", &"line\n".repeat(PAGES_MAX * lines::LINES_MAX));
    assert_eq!(pdf(&chat, &messages, &none()), Err(PdfError::TooLong));
}

/// A folder with these files.
fn folder_of(files: &[(&str, &[u8])]) -> (tempfile::TempDir, FontFolders) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let folders = FontFolders::of(vec![folder.path().to_owned(), "/nowhere".into()]);
    (folder, folders)
}

#[test]
fn files_that_are_no_fonts_are_passed_over() {
    let (_folder, folders) = folder_of(&[
        ("empty.ttf", b""),
        ("text.otf", b"This is no font at all, but a text."),
        ("cut.ttf", b"\0\x01\0\0\0\x05\0\0\0\0\0\0glyf"),
        ("many.ttc", b"ttcf\0\x01\0\0\xff\xff\xff\xff\0\0\0\x0c"),
    ]);
    let (chat, messages) = sample("水", "x");
    assert!(matches!(pdf(&chat, &messages, &folders), Err(PdfError::MissingFonts { .. })));
}

/// The first font would be chosen by its style.
#[test]
fn damaged_fonts_are_passed_over() {
    let (chat, messages) = sample("水坝", "x");
    let whole = font_of("水坝", None);
    for lacking in [b"hmtx", b"loca", b"hhea", b"maxp", b"head"] {
        let damaged = font_of("水坝", Some(lacking));
        let (_folder, folders) = folder_of(&[("a-sans.ttf", &damaged), ("b.ttf", &whole)]);
        let bytes = pdf(&chat, &messages, &folders).expect("another font");
        assert!(words(&read_back(bytes).text).contains("水坝"));
        let (_folder, folders) = folder_of(&[("a-sans.ttf", &damaged)]);
        assert!(matches!(pdf(&chat, &messages, &folders), Err(PdfError::MissingFonts { .. })));
    }
}

#[test]
fn a_damaged_part_of_a_collection_is_passed_over() {
    let (_folder, folders) = folder_of(&[("cjk.ttc", &damaged_collection(&font_of("水", None)))]);
    let (chat, messages) = sample("水", "x");
    let bytes = pdf(&chat, &messages, &folders).expect("the font of the collection");
    assert!(words(&read_back(bytes).text).contains("水"));
}

/// The text of a PDF as poppler reads it, without control characters of the direction; None if it is not installed.
fn read_by_poppler(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chat.pdf");
    std::fs::write(&path, bytes).expect("a file");
    let read = Command::new("pdftotext").arg("-layout").arg(path).arg("-").output().ok()?;
    assert!(read.status.success(), "{read:?}");
    let text = words(&String::from_utf8_lossy(&read.stdout));
    Some(text.replace(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{200e}' | '\u{200f}'), ""))
}

/// Sets a text and reads it with another program.
fn assert_is_set(suite: &str, text: &str, folders: &FontFolders) {
    let suite = format!("PDF in {suite}");
    let (mut chat, messages) = sample(text, &format!("{text} [1] OK"));
    chat.spec.title = text.to_owned();
    let bytes = match pdf(&chat, &messages, folders) {
        Err(PdfError::MissingFonts { scripts, .. }) => {
            return skip(&suite, &format!("no font here has {scripts}"));
        }
        made => made.expect("a file"),
    };
    let Some(read) = read_by_poppler(&bytes) else {
        return skip(&suite, "pdftotext is not installed");
    };
    assert!(read.matches(text).count() >= 3, "{text} in {read}");
    assert!(read.contains("OK") && read.contains("https://a.example/dam"), "{read}");
}

#[test]
fn chinese_and_japanese() {
    assert_is_set("Chinese", "水坝建在河边", &FontFolders::of_system());
    assert_is_set("Japanese", "ダムは川のそばにある", &FontFolders::of_system());
}

/// A bracket is mirrored in a text from right to left, but it is copied as what was written, also where the same glyph
/// is a bracket of the other direction.
#[test]
fn brackets_of_both_directions() {
    assert_is_set("Hebrew with brackets", "הסכר (ישן) [חזק] ‹גדול› מאוד", &none());
    let (text, other) = ("הסכר (ישן) חזק", "Łódź (ą) [ę] ‹ł›");
    let (chat, messages) = sample(text, other);
    let bytes = pdf(&chat, &messages, &none()).expect("a file");
    let Some(read) = read_by_poppler(&bytes) else {
        return skip("PDF in Hebrew", "pdftotext is not installed");
    };
    assert!(read.contains(text) && read.contains(other), "{read}");
}

#[test]
fn scripts_that_are_not_supported_are_named() {
    for (text, named) in [("नदी", "Devanagari (‘द’, ‘न’)"), ("ښه", "Arabic (‘ښ’)")] {
        let (chat, messages) = sample(text, "x");
        let refused = pdf(&chat, &messages, &FontFolders::of_system()).expect_err(text);
        assert_eq!(refused, PdfError::ComplexScript(named.to_owned()));
        assert!(refused.to_string().contains("format=html"), "{refused}");
    }
}
