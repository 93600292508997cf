//! PDF as written by LibreOffice, Ghostscript, Cairo and qpdf.

use super::{REPORT, REPORT_NOTE, REPORT_WORDS, SHEET, SHEET_FILTER, SLIDE_WORDS, SLIDES, Workshop};

/// The report as PDF by LibreOffice; false if a program is missing.
fn report(shop: &Workshop) -> bool {
    shop.write("report.md", REPORT);
    shop.run("pandoc", &["--standalone", "report.md", "-o", "report.odt"])
        && shop.convert("report.odt", "pdf:writer_pdf_Export", &[])
}

#[test]
fn pdf_of_libreoffice() {
    let shop = Workshop::new();
    if !report(&shop) {
        return;
    }
    let found = shop.assert_words("out/report.pdf", REPORT_WORDS);
    assert!(found.text.contains(REPORT_NOTE), "{}", found.text);
    assert_eq!((found.title.as_str(), found.author.as_str()), ("Flood report", "Ann Lee"));
    shop.write("sheet.csv", SHEET);
    if shop.convert("sheet.csv", "pdf:calc_pdf_Export", &[SHEET_FILTER]) {
        shop.assert_words("out/sheet.pdf", &["Gauge", "Delta", "4.5", "Harbour, old", "Слово"]);
    }
    shop.write("slides.md", SLIDES);
    assert!(shop.run("pandoc", &["slides.md", "-t", "pptx", "-o", "slides.pptx"]));
    if shop.convert("slides.pptx", "pdf:impress_pdf_Export", &[]) {
        shop.assert_words("out/slides.pdf", SLIDE_WORDS);
    }
}

#[test]
fn pdf_of_cairo() {
    let shop = Workshop::new();
    if report(&shop) && shop.run("pdftocairo", &["-pdf", "out/report.pdf", "cairo.pdf"]) {
        let found = shop.assert_words("cairo.pdf", REPORT_WORDS);
        assert!(found.text.contains(REPORT_NOTE), "{}", found.text);
    }
}

#[test]
fn pdf_of_ghostscript() {
    let shop = Workshop::new();
    // Its names of ligatures are wrong in the file, so they are not checked.
    let plain = ["Überschwemmung am Fluss", "naïve café and", "second point", "Gauge", "7.25"];
    if report(&shop)
        && shop
            .run("gs", &PRINT.iter().chain(&["-o", "gs.pdf", "out/report.pdf"]).copied().collect::<Vec<_>>())
    {
        shop.assert_words("gs.pdf", &plain);
    }
    let script = "%!PS\n/Times-Roman findfont 12 scalefont setfont 72 700 moveto (Rivers rose) show\n\
        72 680 moveto (in the spring) show showpage\n/Courier findfont 10 scalefont setfont\n\
        72 700 moveto (Second page) show showpage\n";
    shop.write("page.ps", script);
    if !shop.run("gs", &PRINT.iter().chain(&["-o", "ps.pdf", "page.ps"]).copied().collect::<Vec<_>>()) {
        return;
    }
    let found = shop.assert_words("ps.pdf", &["Rivers rose", "in the spring", "Second page"]);
    assert_eq!(found.text, "Rivers rose\nin the spring\n\nSecond page");
    shop.write("plain.txt", "Rivers rose in the spring.\n\nNobody saw it.\n");
    if shop.run("enscript", &["-q", "-B", "-p", "plain.ps", "plain.txt"]) {
        assert!(
            shop.run(
                "gs",
                &PRINT.iter().chain(&["-o", "plain.pdf", "plain.ps"]).copied().collect::<Vec<_>>()
            )
        );
        shop.assert_words("plain.pdf", &["Rivers rose in the spring.", "Nobody saw it."]);
    }
}

const PRINT: [&str; 3] = ["-q", "-dNOPAUSE", "-sDEVICE=pdfwrite"];

#[test]
fn pdf_of_qpdf() {
    let shop = Workshop::new();
    if !report(&shop) {
        return;
    }
    let table: [(&str, &[&str]); 5] = [
        ("streams.pdf", &["--object-streams=generate"]),
        ("linear.pdf", &["--linearize", "--object-streams=generate"]),
        ("plain.pdf", &["--qdf", "--object-streams=disable"]),
        ("old.pdf", &["--force-version=1.3", "--object-streams=disable", "--stream-data=uncompress"]),
        ("dense.pdf", &["--recompress-flate", "--compression-level=9", "--object-streams=generate"]),
    ];
    for (name, how) in table {
        let arguments = [&["out/report.pdf"], how, &[name]].concat();
        if !shop.run("qpdf", &arguments) {
            return;
        }
        shop.assert_words(name, REPORT_WORDS);
    }
    assert!(shop.run("qpdf", &["--empty", "--pages", "out/report.pdf", "out/report.pdf", "--", "twice.pdf"]));
    shop.assert_words("twice.pdf", &[REPORT_WORDS, REPORT_WORDS].concat());
}
