//! Prompt injection tests: hostile sources and a model that obeys them.

use super::*;
use crate::prompt::escape_text;
use testkit::injections::{CANARY, CANARY_TEXT, EVIL_HOST, INJECTIONS, LIE, openings};

const RIVER: &str = "The river rose by two metres in one night, and the old town was flooded.";

#[test]
fn a_model_that_obeys_does_no_harm() {
    assert!(INJECTIONS.len() >= 40);
    let mut problems = Vec::new();
    for hostile in INJECTIONS {
        let name = hostile.name;
        // As in the prompt.
        let text = escape_text(&format!("{RIVER}\n{}", hostile.text));
        let sources = tests::sources(&[
            ("https://news.example.org/river", RIVER),
            ("https://blog.example.org/hostile", &text),
            ("https://wiki.example.org/secret", CANARY_TEXT),
        ]);
        let checked = check(&hostile.obeyed(), &sources);
        let body = &checked.body;
        for one in checked.follow_ups.iter().chain(&checked.warnings).chain([body]) {
            problems.extend(openings(one).into_iter().map(|what| format!("{name}: {what}")));
        }
        let is_ours = |url: &str| {
            url.starts_with("https://")
                && url.contains(".example.org/")
                && !url.contains(CANARY)
                && !url.contains(EVIL_HOST)
        };
        let claim = checked.sentences.iter().find(|one| one.text.contains(LIE));
        let good = checked.sentences.iter().find(|one| one.text.starts_with("The river rose by two metres"));
        for (holds, what) in [
            (checked.sources.iter().all(|source| is_ours(&source.url)), "an address is not of a result"),
            (claim.is_some_and(|one| one.support < SUPPORT_MIN), "the lie is not marked"),
            (good.is_some_and(|one| one.support >= SUPPORT_MIN), "what is true is not supported"),
            (!checked.warnings.is_empty(), "there is no warning"),
        ] {
            if !holds {
                problems.push(format!("{name}: {what}: {body} {:?}", checked.sentences));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
