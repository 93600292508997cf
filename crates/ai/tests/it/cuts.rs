//! The readers of streams are fed with every cut of an answer, and with nonsense.

use crate::fixture::{AMPLE, prompt};
use crate::rows::{ROWS, Row};
use ai::dialects::{Call, dialect_of};
use domain::contracts::{ModelError, Piece};
use proptest::prelude::*;
use serde_json::json;
use testkit::vendors::models::{ModelRequest, Reply, TEXT, Wanted};

/// Few, because every cut is tried; with what could confuse a reader of lines.
const WORDS: &str = "Größer \u{1f3e1}\n\ndata: [DONE] [1]";

/// The bytes of an answer as the stand-in sends it.
fn answer(row: &Row, reply: &Reply) -> Vec<u8> {
    let provider = row.provider(1, "http://127.0.0.1:9");
    let (kind, model) = dialect_of(&provider).unwrap();
    let call = Call { provider: &provider, model, now: Default::default(), time_max: AMPLE };
    let mut request = kind.dialect.ask(&call, &prompt(AMPLE)).unwrap();
    if let Some(plainer) = kind.dialect.relent(&request, "max_tokens, max_completion_tokens") {
        let vendor = (row.vendor)();
        if vendor.understand(&ModelRequest::of(&request)).is_err() {
            request = plainer;
        }
    }
    let (vendor, request) = ((row.vendor)(), ModelRequest::of(&request));
    let wanted = vendor.understand(&request);
    let Ok(Wanted::Text { streamed }) = wanted else { panic!("{}: {wanted:?}", row.name) };
    vendor.write(&request, reply, streamed).pieces.concat()
}

fn read(row: &Row, parts: &[&[u8]]) -> (Vec<Piece>, Result<(), ModelError>) {
    let provider = row.provider(1, "http://127.0.0.1:9");
    let mut reader = dialect_of(&provider).unwrap().0.dialect.pieces();
    let mut out = Vec::new();
    for part in parts {
        if let Err(error) = reader.feed(part, &mut out) {
            return (out, Err(error));
        }
    }
    let end = reader.end(&mut out);
    (out, end)
}

fn replies() -> Vec<Reply> {
    let mut call = Reply::call("search", json!({"query": "größe", "list": [1, {"a": null}]}));
    call.calls.push(("read".to_owned(), json!({})));
    vec![Reply::text(WORDS), call, Reply::text(TEXT)]
}

#[test]
fn every_single_cut_gives_the_same_pieces() {
    for row in ROWS {
        for reply in replies()[..2].iter().filter(|reply| row.calls_tools || reply.calls.is_empty()) {
            let bytes = answer(row, reply);
            let whole = read(row, &[&bytes]);
            assert_eq!(whole.1, Ok(()), "{}", row.name);
            for cut in 0..bytes.len() {
                let (one, other) = bytes.split_at(cut);
                assert_eq!(read(row, &[one, other]), whole, "{} at {cut}", row.name);
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(row, &single), whole, "{}", row.name);
        }
    }
}

/// An answer that ends too early is never taken for a whole one.
#[test]
fn every_beginning_of_an_answer_is_told_from_the_whole() {
    for row in ROWS {
        let bytes = answer(row, &Reply::text(WORDS));
        let whole = read(row, &[&bytes]);
        for cut in 0..bytes.len() {
            let (pieces, end) = read(row, &[&bytes[..cut]]);
            let text = |pieces: &[Piece]| {
                let texts = pieces.iter().filter_map(|piece| match piece {
                    Piece::Text(text) => Some(text.as_str()),
                    _ => None,
                });
                texts.collect::<String>()
            };
            let is_whole = text(&pieces) == text(&whole.0);
            assert!(end.is_err() || is_whole, "{} at {cut}: {pieces:?}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn many_cuts_give_the_same_pieces(
        row in 0..ROWS.len(),
        cuts in proptest::collection::vec(0_usize..4000, 0..12),
        text in "[ a-z\\n\"{}:ö水\\[\\]]{1,60}",
    ) {
        let row = &ROWS[row];
        let bytes = answer(row, &Reply::text(text));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let ends = cuts.iter().copied().chain([bytes.len()]);
        let mut start = 0;
        let parts: Vec<&[u8]> = ends.map(|end| &bytes[std::mem::replace(&mut start, end)..end]).collect();
        prop_assert_eq!(read(row, &parts), read(row, &[&bytes]), "{}", row.name);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(
        row in 0..ROWS.len(),
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let _ = read(&ROWS[row], &[&bytes]);
    }

    #[test]
    fn a_damaged_answer_is_read_without_a_panic(
        row in 0..ROWS.len(),
        reply in 0_usize..3,
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        removed in any::<prop::sample::Index>(),
    ) {
        let row = &ROWS[row];
        let reply = &replies()[if row.calls_tools { reply } else { 0 }];
        let mut bytes = answer(row, reply);
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.remove(removed.index(bytes.len()));
        let _ = read(row, &[&bytes]);
    }
}
