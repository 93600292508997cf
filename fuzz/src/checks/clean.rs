//! Markup, entities, tags and rates of hostile text.

use syntax::{query_string, rate::Rate, strip_html::strip_markup};

pub fn check(bytes: &[u8]) {
    let text = super::text(bytes);
    let _plain = strip_markup(text);
    let _tags = query_string::tags(text);
    let _prompt = query_string::without_prompt(text);
    let _rate = Rate::parse(text);
}
