//! Texts, spreadsheets and presentations as written by LibreOffice and Pandoc.

use super::{
    REPORT, REPORT_NOTE, REPORT_WORDS, SHEET, SHEET_FILTER, SHEET_WORDS, SLIDE_WORDS, SLIDES, Workshop,
};
use domain::ports::ExtractError;

#[test]
fn texts_of_pandoc() {
    let shop = Workshop::new();
    shop.write("report.md", REPORT);
    for name in ["report.docx", "report.odt", "report.html"] {
        if !shop.run("pandoc", &["--standalone", "report.md", "-o", name]) {
            return;
        }
        let found = shop.assert_words(name, REPORT_WORDS);
        assert!(found.text.contains(REPORT_NOTE), "{name}: {}", found.text);
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Flood report", "Ann Lee"), "{name}");
    }
    // Unsupported formats are named, and not mistaken for others.
    for name in ["report.rtf", "report.epub"] {
        assert!(shop.run("pandoc", &["--standalone", "report.md", "-o", name]));
        assert!(
            matches!(shop.read(name), Err(ExtractError::Unsupported(_))),
            "{name}: {:?}",
            shop.read(name)
        );
    }
}

#[test]
fn texts_of_libreoffice() {
    let shop = Workshop::new();
    shop.write("report.md", REPORT);
    if !shop.run("pandoc", &["--standalone", "report.md", "-o", "report.odt"]) {
        return;
    }
    for to in ["docx:MS Word 2007 XML", "docx:Office Open XML Text", "odt:writer8", "html:HTML (StarWriter)"]
    {
        if !shop.convert("report.odt", to, &[]) {
            return;
        }
        let name = format!("out/report.{}", to.split(':').next().unwrap_or_default());
        let found = shop.assert_words(&name, REPORT_WORDS);
        assert!(found.text.contains(REPORT_NOTE), "{to}: {}", found.text);
        assert_eq!(found.title, "Flood report", "{to}");
    }
    assert!(shop.convert("report.odt", "doc:MS Word 97", &[]));
    assert!(matches!(shop.read("out/report.doc"), Err(ExtractError::Unsupported(_))));
}

#[test]
fn sheets_of_libreoffice() {
    let shop = Workshop::new();
    shop.write("sheet.csv", SHEET);
    for to in ["xlsx:Calc MS Excel 2007 XML", "ods:calc8"] {
        if !shop.convert("sheet.csv", to, &[SHEET_FILTER]) {
            return;
        }
        let name = format!("out/sheet.{}", to.split(':').next().unwrap_or_default());
        shop.assert_words(&name, &[&["sheet"], SHEET_WORDS].concat());
    }
    // A sheet with many rows, as in exports.
    let rows: String = (0..20_000).map(|row| format!("gauge{row},{row}.5\n")).collect();
    shop.write("long.csv", &rows);
    assert!(shop.convert("long.csv", "xlsx:Calc MS Excel 2007 XML", &[SHEET_FILTER]));
    shop.assert_words("out/long.xlsx", &["gauge0 0.5", "gauge9999 9999.5", "gauge19999 19999.5"]);
}

#[test]
fn slides_of_pandoc_and_libreoffice() {
    let shop = Workshop::new();
    shop.write("slides.md", SLIDES);
    if !shop.run("pandoc", &["slides.md", "-t", "pptx", "-o", "slides.pptx"]) {
        return;
    }
    let found = shop.assert_words("slides.pptx", SLIDE_WORDS);
    assert!(found.text.contains("Speak slowly here"), "{}", found.text);
    assert_eq!(found.title, "River slides");
    for to in ["pptx:Impress MS PowerPoint 2007 XML", "odp:impress8"] {
        if !shop.convert("slides.pptx", to, &[]) {
            return;
        }
        let name = format!("out/slides.{}", to.split(':').next().unwrap_or_default());
        let found = shop.assert_words(&name, SLIDE_WORDS);
        assert!(found.text.contains("Speak slowly here"), "{to}: {}", found.text);
    }
}
