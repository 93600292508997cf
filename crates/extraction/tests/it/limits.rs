//! Each limit is reached and has its documented effect.

use crate::samples::{MAIL, document, docx, file, odt, package, pdf, pptx, saved, slide, xlsx};
use domain::ports::ExtractError;
use extraction::{Limits, read};
use lopdf::{Object, Stream, dictionary};
use std::time::{Duration, Instant};

fn small(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

#[test]
fn large_files_are_not_opened() {
    let limits = small(|limits| limits.input_bytes = 10);
    assert_eq!(read(&file("a.txt", "eleven char"), &limits), Err(ExtractError::TooLarge(10)));
    assert!(read(&file("a.txt", "ten chars."), &limits).is_ok());
}

#[test]
fn packages_of_many_parts_are_refused() {
    let parts: Vec<(String, &str)> = (0..50).map(|number| (format!("part{number}"), "x")).collect();
    let mut parts: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    parts.push(("word/document.xml", "<w/>"));
    let limits = small(|limits| limits.entries = 50);
    let error = read(&file("a.docx", package(&parts)), &limits).expect_err("51 parts");
    assert!(matches!(&error, ExtractError::Damaged(why) if why.contains("50 parts")), "{error}");
    parts.remove(0);
    assert!(read(&file("a.docx", package(&parts)), &limits).is_ok());
}

#[test]
fn bombs_do_not_go_off() {
    let long = format!("<w:t>{}</w:t>", "a ".repeat(400_000));
    let bomb = package(&[("word/document.xml", &long)]);
    assert!(bomb.len() < 10_000, "{} bytes", bomb.len());
    let by_size = small(|limits| limits.unpacked_bytes = 100_000);
    assert_eq!(read(&file("a.docx", bomb.clone()), &by_size), Err(ExtractError::TooLarge(100_000)));
    let by_ratio = small(|limits| limits.unpack_ratio_from_bytes = 100_000);
    let limit = by_ratio.unpacked_bytes;
    assert_eq!(read(&file("a.docx", bomb.clone()), &by_ratio), Err(ExtractError::TooLarge(limit)));
    assert!(read(&file("a.docx", bomb), &Limits::default()).is_ok());
}

#[test]
fn a_page_does_not_unpack_without_end() {
    let mut document = document(&[&["words"]]);
    let content = document.add_object(Stream::new(dictionary! {}, vec![b' '; 20 * 1024 * 1024]));
    for (_, object) in document.objects.iter_mut() {
        if let Ok(dict) = object.as_dict_mut()
            && dict.has_type(b"Page")
        {
            dict.set("Contents", content);
        }
    }
    let bytes = saved(document);
    assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
    assert!(matches!(read(&file("a.pdf", bytes), &Limits::default()), Err(ExtractError::TooLarge(_))));
}

#[test]
fn many_packed_streams_are_refused() {
    let bytes = format!("%PDF-1.5\n{}", "/ObjStm ".repeat(2_001));
    let error = read(&file("a.pdf", bytes), &Limits::default()).expect_err("too many");
    assert!(matches!(&error, ExtractError::Damaged(why) if why.contains("packed streams")), "{error}");
}

/// A form that shows itself many times: without a depth limit it would never end, without a count limit not soon.
#[test]
fn forms_that_show_themselves_end() {
    let mut document = document(&[&["before"]]);
    let id = document.new_object_id();
    let own = dictionary! { "XObject" => dictionary! { "X" => id } };
    let form =
        Stream::new(dictionary! { "Subtype" => "Form", "Resources" => own.clone() }, b"/X Do ".repeat(9));
    document.objects.insert(id, Object::Stream(form));
    let content = document.add_object(Stream::new(dictionary! {}, b"/X Do".to_vec()));
    for (_, object) in document.objects.iter_mut() {
        if let Ok(dict) = object.as_dict_mut()
            && dict.has_type(b"Page")
        {
            dict.set("Contents", content);
            dict.set("Resources", own.clone());
        }
    }
    let started = Instant::now();
    assert!(read(&file("a.pdf", saved(document)), &Limits::default()).is_ok());
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn pages_end_at_their_limit() {
    let slides: Vec<(String, String)> = (1..=5)
        .map(|number| (format!("ppt/slides/slide{number}.xml"), slide(&format!("Slide{number}"))))
        .collect();
    let slides: Vec<(&str, &str)> =
        slides.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let sheets = "<text:p>p</text:p><table:table table:name='one'/><table:table table:name='two'/><table:table table:name='three'/>";
    let limits = small(|limits| limits.pages = 2);
    let table = [
        ("a.pdf", pdf(&[&["one"], &["two"], &["three"]]), "one\n\ntwo"),
        ("a.pptx", package(&slides), "Slide1\nsecond line\n\nSlide2\nsecond line"),
        ("a.ods", odt(sheets), "p\n\none\n\ntwo"),
    ];
    for (name, bytes, want) in table {
        let found = read(&file(name, bytes), &limits).expect(name);
        assert_eq!((found.text.as_str(), found.is_cut), (want, true), "{name}");
    }
    let none = small(|limits| limits.pages = 0);
    let found = read(&file("a.xlsx", xlsx()), &none).expect("a sheet");
    assert_eq!((found.text.as_str(), found.is_cut), ("", true));
}

/// What a package lists beyond its limits takes no memory and changes nothing.
#[test]
fn lists_of_a_package_end_at_their_limits() {
    let sheet = |row: &str| format!("<worksheet><sheetData><row>{row}</row></sheetData></worksheet>");
    let first = sheet("<c s=\"0\"><v>1</v></c><c s=\"1\"><v>1</v></c>");
    let sheets: String = (0..9).map(|n| format!("<sheet name=\"s{n}\" r:id=\"r{n}\"/>")).collect();
    let parts: String =
        (0..9).map(|n| format!("<Relationship Id=\"r{n}\" Target=\"worksheets/sheet1.xml\"/>")).collect();
    let formats = |count: usize| {
        let list: String =
            (0..count).map(|n| format!("<numFmt numFmtId=\"{}\" formatCode=\"yy\"/>", 164 + n)).collect();
        let last = 163 + count;
        format!(
            "<s><numFmts>{list}</numFmts><cellXfs><xf numFmtId=\"164\"/><xf numFmtId=\"{last}\"/></cellXfs></s>"
        )
    };
    let bytes = |formats_count: usize| {
        package(&[
            ("xl/workbook.xml", &format!("<workbook xmlns:r='r'><sheets>{sheets}</sheets></workbook>")),
            ("xl/_rels/workbook.xml.rels", &format!("<Relationships>{parts}</Relationships>")),
            ("xl/styles.xml", &formats(formats_count)),
            ("xl/worksheets/sheet1.xml", &first),
        ])
    };
    for (formats, last) in [(10_000, "1900-01-01"), (10_001, "1")] {
        let found = read(&file("a.xlsx", bytes(formats)), &small(|limits| limits.pages = 2)).expect("sheets");
        assert_eq!(
            (found.text, found.is_cut),
            (format!("s0\n1900-01-01 {last}\n\ns1\n1900-01-01 {last}"), true)
        );
    }
    // Four relationships, so only four sheets have a part.
    let found = read(&file("a.xlsx", bytes(2)), &small(|limits| limits.entries = 4)).expect("sheets");
    assert!(found.text.contains("s3\n") && !found.text.contains("s4") && !found.is_cut, "{}", found.text);
}

#[test]
fn nesting_ends_at_its_limit() {
    let limits = small(|limits| limits.depth = 20);
    let deep = |count: usize| format!("{}<w:t>x</w:t>{}", "<w:p>".repeat(count), "</w:p>".repeat(count));
    for (count, is_fine) in [(19, true), (20, false)] {
        let bytes = package(&[("word/document.xml", &deep(count))]);
        assert_eq!(read(&file("a.docx", bytes), &limits).is_ok(), is_fine, "{count}");
    }
    // Web pages are often malformed; they are read anyway.
    let page = format!("{}words{}", "<div>".repeat(30), "</div>".repeat(30));
    assert_eq!(read(&file("a.html", page), &limits).expect("a page").text, "words");
    let flat = small(|limits| limits.depth = 1);
    let error = read(&file("a.eml", MAIL), &flat).expect_err("a message in a message");
    assert!(matches!(&error, ExtractError::Damaged(why) if why.contains("deeper")), "{error}");
}

/// Parts nested as deep as a file of some megabytes can contain.
#[test]
fn a_mail_of_many_levels_takes_no_stack() {
    let mut mail = "Subject: deep\r\n".to_owned();
    for level in 0..20_000 {
        mail.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n"));
    }
    // It ends without a crash, whatever the result.
    let _ = read(&file("a.eml", mail), &Limits::default());
    for (count, is_fine) in [(200, true), (300, false), (20_000, false)] {
        let nested = "Content-Type: message/rfc822\r\n\r\n".repeat(count);
        let answer = read(&file("a.eml", format!("Subject: x\r\n{nested}")), &Limits::default());
        assert_eq!(answer.is_ok(), is_fine, "{count}: {answer:?}");
    }
}

#[test]
fn text_ends_at_its_limit() {
    let limits = small(|limits| limits.output_chars = 12);
    for (name, bytes) in [("a.docx", docx()), ("a.pptx", pptx()), ("a.pdf", pdf(&[&["Rivers and rain"]]))] {
        let found = read(&file(name, bytes), &limits).expect(name);
        assert!(found.is_cut, "{name}");
        assert_eq!(found.text.chars().count(), 12, "{name}: {}", found.text);
    }
}

#[test]
fn time_ends_every_reader() {
    let limits = small(|limits| limits.time = Duration::ZERO);
    let page = "<p>words</p>".repeat(1_000);
    let table: [(&str, Vec<u8>); 9] = [
        ("a.docx", docx()),
        ("a.pptx", pptx()),
        ("a.xlsx", xlsx()),
        ("a.odt", odt("<text:p>x</text:p>")),
        ("a.pdf", pdf(&[&["x"]])),
        ("a.html", page.clone().into_bytes()),
        ("a.md", b"# x".to_vec()),
        ("a.txt", b"x".to_vec()),
        ("a.eml", MAIL.as_bytes().to_vec()),
    ];
    for (name, bytes) in table {
        assert_eq!(read(&file(name, bytes), &limits), Err(ExtractError::Timeout), "{name}");
    }
}
