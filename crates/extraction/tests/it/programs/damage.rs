//! Damage to files of real programs: truncated anywhere, bytes changed anywhere. Reading ends with a text or an error.

use super::{REPORT, SHEET, SHEET_FILTER, SLIDES, Workshop};
use crate::samples::file;
use domain::ports::ExtractError;
use extraction::{Limits, read};
use std::time::{Duration, Instant};

/// Positions at which a file is truncated, and at which its bytes are changed.
const PLACES: usize = 60;
/// Far more than any of these small files takes.
const TIME_MAX: Duration = Duration::from_secs(60);

/// It ends soon, whatever the result.
fn assert_ends(name: &str, bytes: Vec<u8>, what: &str) {
    let started = Instant::now();
    let answer = read(&file(name, bytes), &Limits::default());
    assert!(started.elapsed() < TIME_MAX, "{name} {what} took {:?}", started.elapsed());
    assert_ne!(answer, Err(ExtractError::Timeout), "{name} {what}");
}

fn damage(shop: &Workshop, name: &str) {
    let whole = shop.bytes(name);
    assert!(shop.read(name).is_ok(), "{name}");
    for place in 0..PLACES {
        let at = whole.len() * place / PLACES;
        assert_ends(name, whole[..at].to_vec(), &format!("cut at {at}"));
        for (change, length) in [(0x00, 1), (0xff, 4), (0x20, 16)] {
            let mut changed = whole.clone();
            changed.iter_mut().skip(at).take(length).for_each(|byte| *byte ^= change | 1);
            assert_ends(name, changed, &format!("changed by {change} at {at}"));
        }
        let mut moved = whole.clone();
        moved.rotate_left(at);
        assert_ends(name, moved, &format!("turned by {at}"));
    }
}

#[test]
fn damage_to_texts() {
    let shop = Workshop::new();
    shop.write("report.md", REPORT);
    for name in ["report.docx", "report.odt", "report.html"] {
        if !shop.run("pandoc", &["--standalone", "report.md", "-o", name]) {
            return;
        }
        damage(&shop, name);
    }
}

#[test]
fn damage_to_slides_and_sheets() {
    let shop = Workshop::new();
    shop.write("slides.md", SLIDES);
    if shop.run("pandoc", &["slides.md", "-t", "pptx", "-o", "slides.pptx"]) {
        damage(&shop, "slides.pptx");
    }
    shop.write("sheet.csv", SHEET);
    for to in ["xlsx:Calc MS Excel 2007 XML", "ods:calc8"] {
        if !shop.convert("sheet.csv", to, &[SHEET_FILTER]) {
            return;
        }
        damage(&shop, &format!("out/sheet.{}", to.split(':').next().unwrap_or_default()));
    }
}

#[test]
fn damage_to_pdf() {
    let shop = Workshop::new();
    shop.write("report.md", REPORT);
    if !shop.run("pandoc", &["--standalone", "report.md", "-o", "report.odt"])
        || !shop.convert("report.odt", "pdf:writer_pdf_Export", &[])
    {
        return;
    }
    damage(&shop, "out/report.pdf");
    if shop.run("qpdf", &["out/report.pdf", "--object-streams=generate", "streams.pdf"]) {
        damage(&shop, "streams.pdf");
    }
}
