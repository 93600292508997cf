//! Damaged files: reading always ends with a text or an error.

use crate::samples::{MAIL, docx, file, odt, pdf, pptx, xlsx};
use domain::ports::ExtractError;
use extraction::{Limits, read};
use proptest::prelude::*;
use std::time::Duration;

fn sample(kind: usize) -> (&'static str, Vec<u8>) {
    match kind {
        0 => ("a.docx", docx()),
        1 => ("a.pptx", pptx()),
        2 => ("a.xlsx", xlsx()),
        3 => ("a.odt", odt("<text:p>one</text:p>")),
        4 => ("a.pdf", pdf(&[&["Rivers and rain"], &["Second page"]])),
        5 => ("a.eml", MAIL.as_bytes().to_vec()),
        6 => ("a.html", b"<title>T</title><main><p class='a'>words &amp; more</main>".to_vec()),
        _ => ("a.md", b"# T\n\n*words* [a](b)\n```\ncode\n```".to_vec()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn flipped_bytes_harm_nobody(
        kind in 0_usize..8,
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = sample(kind);
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let limits = Limits { time: Duration::from_secs(5), ..Limits::default() };
        let answer = read(&file(name, bytes), &limits);
        prop_assert!(!matches!(answer, Err(ExtractError::Timeout)), "{name} never ends");
    }

    #[test]
    fn any_bytes_under_any_name(kind in 0_usize..8, bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (name, _) = sample(kind);
        let _ = read(&file(name, bytes), &Limits::default());
    }
}

#[test]
fn half_a_file_is_said_to_be_damaged() {
    for kind in 0..5 {
        let (name, mut bytes) = sample(kind);
        bytes.truncate(bytes.len() / 3);
        let answer = read(&file(name, bytes), &Limits::default());
        assert!(matches!(answer, Err(ExtractError::Damaged(_))), "{name}: {answer:?}");
    }
}
