//! Who serves a role, and who steps in when it fails.

use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL};
use domain::contracts::{ModelError, WriterWanted};
use std::cmp::Reverse;

/// Most providers that are asked in place of one that fails.
pub const FALLBACKS_MAX: usize = 4;

/// The one that is asked first, and those that step in, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub first: AiProvider,
    pub fallbacks: Vec<AiProvider>,
}

/// Only active providers that have the role and that the user may use are asked. Of these the wanted one is first,
/// else the default of the role, else one that writes before one that only picks sentences; the lowest id decides.
/// Its family steps in, in the order of ids, and all others after it when the first one says `cross_family_fallback`.
pub fn choose(providers: Vec<AiProvider>, wanted: &WriterWanted) -> Result<Choice, ModelError> {
    let mut fitting: Vec<AiProvider> = providers
        .into_iter()
        .filter(|one| one.spec.active && one.spec.serves(wanted.role) && one.is_for(wanted.user))
        .collect();
    let rank = |one: &AiProvider| {
        let is_wanted = Some(one.id) == wanted.provider;
        let is_default = one.spec.is_default_for(wanted.role);
        (Reverse(is_wanted), Reverse(is_default), one.spec.model == EXTRACTIVE_MODEL, one.id)
    };
    let place = (0..fitting.len()).min_by_key(|place| rank(&fitting[*place]));
    let Some(place) = place else { return Err(ModelError::no_provider(wanted.role)) };
    let first = fitting.swap_remove(place);
    let family = first.spec.family();
    let crosses = first.spec.config.get("cross_family_fallback").is_some_and(|value| *value == true);
    // One that asks nobody cannot step in for one that was asked.
    fitting.retain(|one| one.spec.model != EXTRACTIVE_MODEL && (crosses || one.spec.family() == family));
    fitting.sort_by_key(|one| (one.spec.family() != family, one.id));
    fitting.truncate(FALLBACKS_MAX);
    Ok(Choice { first, fallbacks: fitting })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ai_provider::Role;
    use domain::contracts::ModelErrorKind;
    use domain::ids::{AiProviderId, UserId};
    use domain::instant::Instant;
    use serde_json::{Value, json};

    /// Name, and what differs from a shared, active provider of the role `rag`. Ids count from 1.
    fn providers(rows: &[(&str, Value)]) -> Vec<AiProvider> {
        let provider = |(place, (name, more)): (usize, &(&str, Value))| {
            let mut fields = json!({"name": name, "model": "m", "tags": ["rag"]});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            AiProvider {
                id: AiProviderId(place as i64 + 1),
                owner: Some(UserId(7)),
                spec: serde_json::from_value(fields).unwrap(),
                is_unreadable: false,
                date_created: Instant::default(),
                date_updated: Instant::default(),
            }
        };
        rows.iter().enumerate().map(provider).collect()
    }

    fn names(
        rows: &[(&str, Value)],
        user: Option<i64>,
        provider: Option<i64>,
    ) -> Result<Vec<String>, ModelErrorKind> {
        let wanted =
            WriterWanted { role: Role::Rag, user: user.map(UserId), provider: provider.map(AiProviderId) };
        // Who comes first does not hang on the order in which they are stored.
        let mut all = providers(rows);
        all.reverse();
        let choice = choose(all, &wanted).map_err(|error| error.kind)?;
        let order = std::iter::once(choice.first).chain(choice.fallbacks);
        Ok(order.map(|one| one.spec.name).collect())
    }

    #[test]
    fn one_is_chosen() {
        let plain = || json!({});
        let default = || json!({"defaults": ["RAG"]});
        let picks = |defaults: Value| json!({"model": EXTRACTIVE_MODEL, "defaults": defaults});
        let cases = [
            ("nobody", vec![], None, None, None),
            ("the lowest id", vec![("a", plain()), ("b", plain())], None, None, Some("a")),
            ("the default", vec![("a", plain()), ("b", default())], None, None, Some("b")),
            ("the first of two defaults", vec![("a", default()), ("b", default())], None, None, Some("a")),
            ("the wanted one", vec![("a", default()), ("b", plain())], None, Some(2), Some("b")),
            ("wanted and gone", vec![("a", plain())], None, Some(9), Some("a")),
            (
                "wanted and inactive",
                vec![("a", plain()), ("b", json!({"active": false}))],
                None,
                Some(2),
                Some("a"),
            ),
            (
                "wanted without the role",
                vec![("a", plain()), ("b", json!({"tags": ["chat"]}))],
                None,
                Some(2),
                Some("a"),
            ),
            (
                "a default that lost its role",
                vec![("a", json!({"tags": ["chat"], "defaults": ["rag"]})), ("b", plain())],
                None,
                None,
                Some("b"),
            ),
            ("another's", vec![("a", json!({"shared": false}))], Some(8), None, None),
            ("another's, wanted", vec![("a", json!({"shared": false}))], Some(8), Some(1), None),
            ("nobody's user", vec![("a", json!({"shared": false}))], None, None, None),
            ("one's own", vec![("a", json!({"shared": false}))], Some(7), None, Some("a")),
            ("inactive", vec![("a", json!({"active": false}))], None, None, None),
            ("one that writes", vec![("a", picks(json!([]))), ("b", plain())], None, None, Some("b")),
            ("the default picks", vec![("a", plain()), ("b", picks(json!(["rag"])))], None, None, Some("b")),
        ];
        for (what, rows, user, provider, expected) in cases {
            let expected = expected.map(str::to_owned).ok_or(ModelErrorKind::NoProvider);
            assert_eq!(names(&rows, user, provider).map(|names| names[0].clone()), expected, "{what}");
        }
    }

    #[test]
    fn the_family_steps_in() {
        let of = |family: &str| json!({"config": {"family": family}});
        let crossing = |value: Value| json!({"config": {"family": "x", "cross_family_fallback": value}});
        let cases = [
            ("without a family", vec![("a", json!({})), ("b", json!({}))], vec!["a"]),
            ("the same family", vec![("a", of("X")), ("b", of("y")), ("c", of("x"))], vec!["a", "c"]),
            ("a family named like a provider", vec![("a", of("b")), ("B", json!({}))], vec!["a", "B"]),
            (
                "all others after the family",
                vec![("a", crossing(json!(true))), ("b", of("y")), ("c", of("x"))],
                vec!["a", "c", "b"],
            ),
            ("not crossing", vec![("a", crossing(json!(false))), ("b", of("y"))], vec!["a"]),
            (
                "only the first one's word counts",
                vec![("a", of("z")), ("b", crossing(json!(true)))],
                vec!["a"],
            ),
            (
                "one that does not write",
                vec![("a", of("x")), ("b", json!({"model": EXTRACTIVE_MODEL, "config": {"family": "x"}}))],
                vec!["a"],
            ),
        ];
        for (what, rows, expected) in cases {
            assert_eq!(names(&rows, None, None).unwrap(), expected, "{what}");
        }
        let many: Vec<(String, Value)> = (0..9).map(|n| (format!("p{n}"), of("x"))).collect();
        let many: Vec<(&str, Value)> =
            many.iter().map(|(name, more)| (name.as_str(), more.clone())).collect();
        assert_eq!(names(&many, None, None).unwrap().len(), 1 + FALLBACKS_MAX);
    }
}
