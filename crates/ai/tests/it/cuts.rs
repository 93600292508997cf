//! Stream decoders with responses cut at every position, and with invalid bytes.

use crate::fixture::{AMPLE, prompt};
use crate::rows::{ROWS, Row};
use ai::apis::{ApiCall, RejectedRequest, api_of};
use domain::ports::{CompletionChunk, ModelError};
use fakes::models::{ModelRequest, Reply, TEXT, Wanted};
use proptest::prelude::*;
use serde_json::json;

/// Short, because every cut is tried; contains text that could confuse a line parser.
const WORDS: &str = "Größer \u{1f3e1}\n\ndata: [DONE] [1]";

/// The bytes of a response as the fake sends it.
fn answer(row: &Row, reply: &Reply) -> Vec<u8> {
    let provider = row.provider(1, "http://127.0.0.1:9");
    let (kind, model) = api_of(&provider).unwrap();
    let call =
        ApiCall { provider: &provider, model, authorization: None, now: Default::default(), time_max: AMPLE };
    let mut request = kind.api.completion_request(&call, &prompt(AMPLE)).unwrap();
    let error_message = "max_tokens, max_completion_tokens";
    let rejected = RejectedRequest { call: &call, request: &request, answer_tokens_max: 500, error_message };
    if let Some(plainer) = kind.api.without_unsupported(&rejected) {
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

fn read(row: &Row, parts: &[&[u8]]) -> (Vec<CompletionChunk>, Result<(), ModelError>) {
    let provider = row.provider(1, "http://127.0.0.1:9");
    let mut decoder = api_of(&provider).unwrap().0.api.decoder();
    let mut out = Vec::new();
    for part in parts {
        if let Err(error) = decoder.feed(part, &mut out) {
            return (out, Err(error));
        }
    }
    let end = decoder.end(&mut out);
    (out, end)
}

fn replies() -> Vec<Reply> {
    let mut call = Reply::call("search", json!({"query": "größe", "list": [1, {"a": null}]}));
    call.calls.push(("read".to_owned(), json!({})));
    vec![Reply::text(WORDS), call, Reply::text(TEXT)]
}

#[test]
fn every_single_cut_gives_the_same_chunks() {
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

/// A truncated response is never taken for a complete one.
#[test]
fn every_truncated_response_is_distinguished_from_the_whole() {
    for row in ROWS {
        let bytes = answer(row, &Reply::text(WORDS));
        let whole = read(row, &[&bytes]);
        for cut in 0..bytes.len() {
            let (pieces, end) = read(row, &[&bytes[..cut]]);
            let text = |pieces: &[CompletionChunk]| {
                let texts = pieces.iter().filter_map(|piece| match piece {
                    CompletionChunk::Text(text) => Some(text.as_str()),
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
    fn many_cuts_give_the_same_chunks(
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
