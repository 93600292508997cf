//! Page numbers of PDF files.

use crate::samples::{MAIL, file, pdf};
use domain::page_starts::PageStarts;
use domain::ports::ExtractedText;
use extraction::{Limits, read};
use proptest::prelude::*;

fn read_pdf(pages: &[&[&str]], limits: &Limits) -> ExtractedText {
    read(&file("a.pdf", pdf(pages)), limits).expect("a text")
}

/// The number of the page on which these words begin.
fn page_of(read: &ExtractedText, words: &str) -> Option<u32> {
    read.page_starts.page_at(read.text.find(words).expect("the words"))
}

#[test]
fn words_are_on_their_pages() {
    let read = read_pdf(&[&["First"], &[], &["Third", "caf\u{e9}"], &["Fourth"], &[]], &Limits::default());
    assert_eq!(read.text, "First\n\nThird\ncaf\u{e9}\n\nFourth");
    for (words, page) in [("First", 1), ("Third", 3), ("caf", 3), ("Fourth", 4)] {
        assert_eq!(page_of(&read, words), Some(page), "{words}");
    }
    assert_eq!(read.page_starts.offsets().len(), 5);
}

#[test]
fn pages_end_where_the_text_is_cut() {
    let limits = Limits { pages: 2, ..Limits::default() };
    let read = read_pdf(&[&["First"], &["Second"], &["Third"]], &limits);
    assert!(read.is_cut);
    assert_eq!((read.text.as_str(), read.page_starts.offsets()), ("First\n\nSecond", &[0, 7][..]));
    let limits = Limits { output_chars: 8, ..Limits::default() };
    let read = read_pdf(&[&["First"], &["Second"], &["Third"]], &limits);
    assert_eq!((read.text.as_str(), read.page_starts.offsets()), ("First\n\nS", &[0, 7][..]));
}

/// The page numbers of an attached file are not those of the mail.
#[test]
fn other_files_have_no_pages() {
    let (before, after) = MAIL.split_once("base64\r\n\r\nJVBERi0=").expect("the attachment");
    let attached =
        [before.as_bytes(), b"binary\r\n\r\n", &pdf(&[&["Attached"], &["Second"]]), after.as_bytes()]
            .concat();
    let read = read(&file("a.eml", attached), &Limits::default()).expect("a text");
    assert!(read.text.contains("Attached\n\nSecond"), "{}", read.text);
    assert_eq!(read.page_starts, PageStarts::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn starts_are_on_characters_in_order(
        pages in prop::collection::vec(prop::collection::vec("[a-z\u{e4}\u{f6}\u{df} ]{0,8}", 0..4), 1..8),
        output_chars in 1usize..60,
    ) {
        let pages: Vec<Vec<&str>> = pages.iter().map(|page| page.iter().map(String::as_str).collect()).collect();
        let pages: Vec<&[&str]> = pages.iter().map(Vec::as_slice).collect();
        let read = read_pdf(&pages, &Limits { output_chars, ..Limits::default() });
        let starts = read.page_starts.offsets().to_vec();
        prop_assert!(PageStarts::checked(starts.clone(), &read.text).is_some(), "{starts:?} in {:?}", read.text);
        prop_assert!(starts.len() <= pages.len() && (read.is_cut || starts.len() == pages.len()));
        // Every word is on the page that it was written to.
        for (number, page) in pages.iter().enumerate().take(starts.len()) {
            let end = starts.get(number + 1).map_or(read.text.len(), |next| *next as usize);
            let own: String = read.text[starts[number] as usize..end].split_whitespace().collect();
            let written: String = page.iter().flat_map(|line| line.split_whitespace()).collect();
            prop_assert!(written.starts_with(&own), "{own} of {written}");
            prop_assert!(own == written || (read.is_cut && number + 1 == starts.len()), "{own} of {written}");
        }
    }
}
