//! Markup, entities, cleaning, tags and negation of hostile text.
#![no_main]
use domain::notation::{clean::clean, markup::strip_markup, query_string, rate::Rate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _plain = strip_markup(text);
    let cleaned = clean(text);
    let _tags = query_string::tags(&cleaned);
    let _parts = query_string::negation(text);
    let _rate = Rate::parse(text);
});
