//! Rewrites error messages of serde and chrono: what is expected, and what was given.

/// Messages of chrono about a text that is not a time.
const TIME_ERRORS: [&str; 6] = [
    "input is out of range",
    "no possible date and time matching input",
    "input is not enough for unique date and time",
    "input contains invalid characters",
    "premature end of input",
    "trailing input",
];

/// Rewrites a message of a JSON or parameter deserializer for people. Other messages stay as they are.
pub fn rewrite(sentence: &str) -> String {
    known_message(sentence).unwrap_or_else(|| format!("{}.", sentence.trim_end_matches('.')))
}

fn known_message(sentence: &str) -> Option<String> {
    let fixed = match sentence {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "A whole number is needed."
        }
        "number too large to fit in target type" => "This number is too large.",
        "number too small to fit in target type" => "This number is too small.",
        "provided string was not `true` or `false`" => "Use true or false.",
        _ if TIME_ERRORS.contains(&sentence) => "A time is needed, such as 2026-03-01T09:30:00Z.",
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
        // The given value is left out: it may be a secret in the wrong field.
        let (_, known) = sentence.rsplit_once(", expected ")?;
        let mut known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        let last = known.pop()?;
        return Some(if known.is_empty() {
            format!("Use {last}.")
        } else {
            format!("Use {} or {last}.", known.join(", "))
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
    enum Color {
        Red,
        Green,
        Blue,
    }

    /// Each lacks a different part.
    const INVALID_TIMES: [&str; 7] = [
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

    fn message_for<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: serde_json::Value) -> String {
        rewrite(&serde_json::from_value::<T>(value).expect_err("it does not fit").to_string())
    }

    #[test]
    fn messages_are_rewritten() {
        let cases = [
            (message_for::<Vec<i64>>(json!("a")), "A list is needed; this is a text."),
            (message_for::<String>(json!(5)), "A text is needed; this is a whole number."),
            (message_for::<String>(json!(null)), "A text is needed; this is null."),
            (message_for::<u32>(json!("many")), "A whole number is needed; this is a text."),
            (message_for::<u32>(json!(1.5)), "A whole number is needed; this is a number."),
            (message_for::<u32>(json!(-1)), "This number is out of range."),
            (message_for::<f64>(json!([])), "A number is needed; this is a list."),
            (message_for::<bool>(json!("yes")), "True or false is needed; this is a text."),
            (message_for::<Only>(json!("a")), "An object is needed; this is a text."),
            (message_for::<Color>(json!("pink")), "Use red, green or blue."),
            (message_for::<Either>(json!(true)), "This is of the wrong kind."),
            (rewrite(&"x".parse::<u32>().expect_err("no number").to_string()), "A whole number is needed."),
            (rewrite(&"".parse::<u32>().expect_err("no number").to_string()), "A whole number is needed."),
            (
                rewrite(&"99999999999".parse::<u32>().expect_err("long").to_string()),
                "This number is too large.",
            ),
            (rewrite("missing field `query`"), "query is needed."),
            (rewrite("duplicate field `page`"), "page is given twice."),
            (rewrite("use true or false"), "use true or false."),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
        let sentence = "A time is needed, such as 2026-03-01T09:30:00Z.";
        for text in INVALID_TIMES {
            assert_eq!(rewrite(&text.parse::<DateTime<Utc>>().expect_err("no time").to_string()), sentence);
            assert_eq!(message_for::<DateTime<Utc>>(json!(text)), sentence, "{text}");
        }
        assert!("2026-03-01T09:30:00Z".parse::<DateTime<Utc>>().is_ok(), "the example is right");
        for colour in ["red", "green", "blue"] {
            assert!(serde_json::from_value::<Color>(json!(colour)).is_ok());
        }
    }
}
