//! What a reader says of a value that does not fit, in plain words: what is needed, and what was given.

/// What a reader of times says of a text that is none.
const NO_TIME: [&str; 6] = [
    "input is out of range",
    "no possible date and time matching input",
    "input is not enough for unique date and time",
    "input contains invalid characters",
    "premature end of input",
    "trailing input",
];

/// The sentence of a reader of JSON or of parameters as one for people. A sentence of our own stays as it is.
pub fn plain(sentence: &str) -> String {
    plain_words(sentence).unwrap_or_else(|| format!("{}.", sentence.trim_end_matches('.')))
}

fn plain_words(sentence: &str) -> Option<String> {
    let fixed = match sentence {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "A whole number is needed."
        }
        "number too large to fit in target type" => "This number is too large.",
        "number too small to fit in target type" => "This number is too small.",
        "provided string was not `true` or `false`" => "Use true or false.",
        _ if NO_TIME.contains(&sentence) => "A time is needed, such as 2026-03-01T09:30:00Z.",
        _ if sentence.starts_with("data did not match any variant") => "This is of the wrong kind.",
        _ if sentence.starts_with("invalid value: integer") => "This number is out of range.",
        _ => "",
    };
    if !fixed.is_empty() {
        return Some(fixed.to_owned());
    }
    if let Some(kinds) = sentence.strip_prefix("invalid type: ") {
        let (given, needed) = kinds.rsplit_once(", expected ")?;
        return Some(match given_kind(given) {
            Some(given) => format!("{} is needed; this is {given}.", needed_kind(needed)?),
            None => format!("{} is needed.", needed_kind(needed)?),
        });
    }
    if sentence.starts_with("unknown variant ") {
        // What was given is left out: it may be a secret in a wrong place.
        let (_, known) = sentence.rsplit_once(", expected ")?;
        let mut known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let last = known.pop()?;
        return Some(match known.is_empty() {
            true => format!("Use {last}."),
            false => format!("Use {} or {last}.", known.join(", ")),
        });
    }
    let field = |start: &str| sentence.strip_prefix(start)?.strip_suffix('`');
    field("missing field `")
        .map(|name| format!("{name} is needed."))
        .or_else(|| field("duplicate field `").map(|name| format!("{name} is given twice.")))
}

fn needed_kind(words: &str) -> Option<&'static str> {
    Some(match words {
        "a string" | "a borrowed string" | "variant identifier" => "A text",
        "a boolean" => "True or false",
        "f32" | "f64" => "A number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => "A whole number",
        _ if words.starts_with("a sequence") => "A list",
        _ if words.starts_with("a map") || words.starts_with("struct ") => "An object",
        _ => return None,
    })
}

fn given_kind(words: &str) -> Option<&'static str> {
    const KINDS: [(&str, &str); 7] = [
        ("boolean", "true or false"),
        ("integer", "a whole number"),
        ("floating point", "a number"),
        ("string", "a text"),
        ("null", "null"),
        ("sequence", "a list"),
        ("map", "an object"),
    ];
    KINDS.into_iter().find(|(start, _)| words.starts_with(start)).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{DateTime, Utc};
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
        Blue,
    }

    /// Each lacks something else.
    const NO_TIMES: [&str; 7] = [
        "",
        "2026-03-01",
        "yesterday",
        "2026-03-01T09:30:00",
        "2026-13-01T09:30:00Z",
        "2026-02-30T09:30:00Z",
        "2026-03-01T09:30:00Z and more",
    ];

    #[derive(Debug, Deserialize)]
    struct Only {}

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        #[expect(dead_code, reason = "it is only read")]
        Number(i64),
        #[expect(dead_code, reason = "it is only read")]
        Text(String),
    }

    fn told<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: serde_json::Value) -> String {
        plain(&serde_json::from_value::<T>(value).expect_err("it does not fit").to_string())
    }

    #[test]
    fn what_a_reader_says_is_put_plainly() {
        let cases = [
            (told::<Vec<i64>>(json!("a")), "A list is needed; this is a text."),
            (told::<String>(json!(5)), "A text is needed; this is a whole number."),
            (told::<String>(json!(null)), "A text is needed; this is null."),
            (told::<u32>(json!("many")), "A whole number is needed; this is a text."),
            (told::<u32>(json!(1.5)), "A whole number is needed; this is a number."),
            (told::<u32>(json!(-1)), "This number is out of range."),
            (told::<f64>(json!([])), "A number is needed; this is a list."),
            (told::<bool>(json!("yes")), "True or false is needed; this is a text."),
            (told::<Only>(json!("a")), "An object is needed; this is a text."),
            (told::<Colour>(json!("pink")), "Use red, green or blue."),
            (told::<Either>(json!(true)), "This is of the wrong kind."),
            (plain(&"x".parse::<u32>().expect_err("no number").to_string()), "A whole number is needed."),
            (plain(&"".parse::<u32>().expect_err("no number").to_string()), "A whole number is needed."),
            (
                plain(&"99999999999".parse::<u32>().expect_err("long").to_string()),
                "This number is too large.",
            ),
            (plain("missing field `query`"), "query is needed."),
            (plain("duplicate field `page`"), "page is given twice."),
            (plain("use true or false"), "use true or false."),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
        let sentence = "A time is needed, such as 2026-03-01T09:30:00Z.";
        for text in NO_TIMES {
            assert_eq!(plain(&text.parse::<DateTime<Utc>>().expect_err("no time").to_string()), sentence);
            assert_eq!(told::<DateTime<Utc>>(json!(text)), sentence, "{text}");
        }
        assert!("2026-03-01T09:30:00Z".parse::<DateTime<Utc>>().is_ok(), "the example is right");
        for colour in ["red", "green", "blue"] {
            assert!(serde_json::from_value::<Colour>(json!(colour)).is_ok());
        }
    }
}
