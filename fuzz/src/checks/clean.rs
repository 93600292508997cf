//! Markup, entities, cleaning, tags and negation of hostile text.

use syntax::{normalize::clean, query_string, rate::Rate, strip_html::strip_markup};

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    let _plain = strip_markup(text);
    let cleaned = clean(text);
    let _tags = query_string::tags(&cleaned);
    let _parts = query_string::negation(text);
    let _rate = Rate::parse(text);
}
