//! Ready sources: prepared search providers, and the fields that are left to fill in.

use crate::ports::{ConnectorKind, ResultOrigin};
use crate::provider::ProviderSpec;
use serde_json::Value;

/// Fields in which angle brackets are not a blank, and texts for people.
const WITHOUT_BLANKS: [&str; 5] = ["name", "description", "tags", "response_mappings", "result_mappings"];
const AUTHENTICATOR: &str = "authenticator";
const AI_MODEL: &str = "ai_model";
/// Prefix of a blank in capitals, such as `YOUR_KEY`.
const CAPITAL_BLANK: &str = "YOUR_";

/// Suggested for a new installation: they need neither a key nor an account, and have something for everybody.
pub const SUGGESTED: [&str; 5] = ["wikipedia", "arxiv", "crossref", "open-library", "hacker-news-stories"];

#[derive(Debug, Clone)]
pub struct ReadySource {
    /// Its short name.
    pub slug: String,
    pub spec: ProviderSpec,
}

impl ReadySource {
    /// The first tag is the group.
    pub fn group(&self) -> &str {
        self.spec.tags.first().map_or("Other", String::as_str)
    }

    /// Names of the fields with a blank, and `authenticator` if each user must connect an account first.
    pub fn needs(&self) -> Vec<String> {
        let Ok(Value::Object(fields)) = serde_json::to_value(&self.spec) else {
            return Vec::new();
        };
        let has_blank =
            |(name, value): &(&String, &Value)| !WITHOUT_BLANKS.contains(&name.as_str()) && is_blank(value);
        let mut needs: Vec<String> = fields.iter().filter(has_blank).map(|(name, _)| name.clone()).collect();
        if !self.spec.authenticator.is_empty() {
            needs.push(AUTHENTICATOR.to_owned());
        }
        needs
    }

    /// What [`Self::needs`] names, and what its connector needs: `authenticator` for the users' own accounts, `ai_model`
    /// for a model that answers.
    pub fn setup_needs(&self, kind: Option<&ConnectorKind>) -> Vec<String> {
        let mut needs = self.needs();
        let Some(kind) = kind else { return needs };
        if kind.authenticator.is_some() && !needs.iter().any(|need| need == AUTHENTICATOR) {
            needs.push(AUTHENTICATOR.to_owned());
        }
        if kind.origin == ResultOrigin::Generated {
            needs.push(AI_MODEL.to_owned());
        }
        needs
    }
}

/// Contains `YOUR_…` or `<your-key>`.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(CAPITAL_BLANK) || has_angle_blank(text),
        Value::Array(list) => list.iter().any(is_blank),
        Value::Object(map) => map.values().any(is_blank),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn has_angle_blank(text: &str) -> bool {
    text.split('<').skip(1).any(|rest| {
        rest.split_once('>').is_some_and(|(word, _)| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn blanks_are_found() {
        let table = [
            (json!("bearer=YOUR_TOKEN"), true),
            (json!("https://<your-host>:9200/"), true),
            (json!({"X-Key": "YOUR_KEY"}), true),
            (json!([1, "<token>"]), true),
            (json!("title='<b>{title}'"), true),
            (json!("a < b > c"), false),
            (json!("<>"), false),
            (json!("https://api.example/"), false),
            (json!(3), false),
        ];
        for (value, expected) in table {
            assert_eq!(is_blank(&value), expected, "{value}");
        }
    }

    #[test]
    fn fields_are_named() {
        let spec = ProviderSpec {
            url: "https://<your-host>/".to_owned(),
            credentials: "key=YOUR_KEY".to_owned(),
            description: "Fill in <your-host>.".to_owned(),
            authenticator: "hub".to_owned(),
            ..ProviderSpec::default()
        };
        let source = ReadySource { slug: "x".to_owned(), spec };
        assert_eq!(source.needs(), ["url", "credentials", "authenticator"]);
        let plain = ReadySource { slug: "y".to_owned(), spec: ProviderSpec::default() };
        assert!(plain.needs().is_empty());
    }
}
