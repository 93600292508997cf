//! Reasons for the rank of a version in an election: a code with its values for programs, and a sentence for people.

use super::SourceKind;
use super::string_enum::string_enum;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::{Display, Formatter, Result as Written};

string_enum! {
    /// The format of a version, as distinguished in elections.
    FormatKind {
        Pdf = "pdf",
        TextDocument = "text_document",
        SlidesOrTable = "slides_or_table",
        Page = "page",
        Mail = "mail",
        Other = "other",
    }
}

/// Why a member is not eligible, or the reason for one of its factors. Contains no text of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schema(as = CanonicalReason)]
pub enum Reason {
    BelowLeast {
        relevance: f64,
        least: f64,
    },
    /// `least` is this share of the best relevance.
    BelowShare {
        relevance: f64,
        least: f64,
        share: f64,
    },
    Gone,
    AuthorityConfigured,
    SourceKind {
        kind: SourceKind,
    },
    Name {
        /// Such as `final`.
        stages: Vec<String>,
        /// Its name has a number in parentheses, as copies have.
        is_numbered_copy: bool,
        /// Such as `2.1`.
        version: Option<String>,
    },
    Newest,
    /// Compared with the newest version.
    Older {
        days: f64,
    },
    DateAhead,
    DateUnknown,
    Format {
        format: FormatKind,
    },
    SharedOutside,
    PinnedElsewhere,
    Rejected,
    RejectedElsewhere {
        times: u32,
    },
    /// A sentence from an election that was recorded before reasons had codes.
    Said {
        text: String,
    },
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        match self {
            Self::BelowLeast { relevance, least } => {
                write!(f, "Its relevance {relevance} is below the minimum, {least}.")
            }
            Self::BelowShare { relevance, least, share } => {
                write!(f, "Its relevance {relevance} is below {least}, which is {share} of the best.")
            }
            Self::Gone => f.write_str("Its source reports that it no longer exists."),
            Self::AuthorityConfigured => f.write_str("Its source has an authority by configuration."),
            Self::SourceKind { kind } => write!(f, "Its source is of the kind {}.", kind.as_str()),
            Self::Name { stages, is_numbered_copy, version } => {
                write!(f, "Its name says {}.", name(stages, *is_numbered_copy, version.as_deref()))
            }
            Self::Newest => f.write_str("No version is newer."),
            Self::Older { days } => write!(f, "It is {days:.1} days older than the newest version."),
            Self::DateAhead => f.write_str("Its date is in the future and is ignored."),
            Self::DateUnknown => f.write_str("Its date is not known."),
            Self::Format { format } => write!(f, "Its format is {}.", format_name(*format)),
            Self::SharedOutside => f.write_str("It was shared outside."),
            Self::PinnedElsewhere => f.write_str("It is pinned for another query."),
            Self::Rejected => f.write_str("It was rejected for this query."),
            Self::RejectedElsewhere { times } => {
                write!(f, "It was rejected for other queries, {times} in number.")
            }
            Self::Said { text } => f.write_str(text),
        }
    }
}

/// Also accepts plain sentences, as in the records of older elections.
pub(super) fn read<'de, D: Deserializer<'de>>(records: D) -> Result<Vec<Reason>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Kept {
        Sentence(String),
        Coded(Reason),
    }
    let coded = |one| match one {
        Kept::Sentence(text) => Reason::Said { text },
        Kept::Coded(reason) => reason,
    };
    Ok(Vec::<Kept>::deserialize(records)?.into_iter().map(coded).collect())
}

fn name(stages: &[String], is_numbered_copy: bool, version: Option<&str>) -> String {
    let stages = stages.iter().map(|stage| format!("'{stage}'"));
    let copy = is_numbered_copy.then(|| "a number in brackets, as copies have".to_owned());
    let version = version.map(|version| format!("version {version}"));
    stages.chain(copy).chain(version).collect::<Vec<_>>().join(", ")
}

fn format_name(format: FormatKind) -> &'static str {
    match format {
        FormatKind::Pdf => "pdf",
        FormatKind::TextDocument => "a text document",
        FormatKind::SlidesOrTable => "slides or a table",
        FormatKind::Page => "a page",
        FormatKind::Mail => "mail",
        FormatKind::Other => "another one",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Kept(#[serde(deserialize_with = "read")] Vec<Reason>);

    #[test]
    fn reasons_have_a_code_and_a_sentence() {
        let stages = vec!["final".to_owned()];
        let table = [
            (
                Reason::BelowLeast { relevance: 0.05, least: 0.1 },
                json!({"code": "below_least", "relevance": 0.05, "least": 0.1}),
                "Its relevance 0.05 is below the minimum, 0.1.",
            ),
            (
                Reason::Name { stages, is_numbered_copy: true, version: Some("2.1".to_owned()) },
                json!({"code": "name", "stages": ["final"], "is_numbered_copy": true, "version": "2.1"}),
                "Its name says 'final', a number in brackets, as copies have, version 2.1.",
            ),
            (
                Reason::Older { days: 4.0 },
                json!({"code": "older", "days": 4.0}),
                "It is 4.0 days older than the newest version.",
            ),
            (
                Reason::SourceKind { kind: SourceKind::Dms },
                json!({"code": "source_kind", "kind": "dms"}),
                "Its source is of the kind dms.",
            ),
            (Reason::Newest, json!({"code": "newest"}), "No version is newer."),
        ];
        for (reason, coded, sentence) in table {
            assert_eq!(serde_json::to_value(&reason).expect("json"), coded);
            assert_eq!(reason.to_string(), sentence);
            assert_eq!(serde_json::from_value::<Kept>(json!([coded])).expect("a reason"), Kept(vec![reason]));
        }
    }

    #[test]
    fn elections_of_before_have_sentences() {
        let kept: Kept = serde_json::from_value(json!(["Its date is not known."])).expect("a sentence");
        assert_eq!(kept, Kept(vec![Reason::Said { text: "Its date is not known.".to_owned() }]));
        assert_eq!(kept.0[0].to_string(), "Its date is not known.");
    }
}
