//! Selects the provider of a role and its fallbacks.

use domain::ai_provider::{AiProvider, EXTRACTIVE_MODEL};
use domain::ports::{ModelError, ModelRequest};
use std::cmp::Reverse;

/// Maximum number of fallback providers.
pub const FALLBACKS_MAX: usize = 4;

/// The provider that is asked first, and its fallbacks in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    pub first: AiProvider,
    pub fallbacks: Vec<AiProvider>,
}

/// Selects among the active providers that have the role and that the user may use. First comes the requested one,
/// else the default of the role, else a generative model before the extractive one, then the lowest id. Fallbacks are
/// the others of its family by id, followed by all others if the first one sets `cross_family_fallback`.
pub fn select_providers(providers: Vec<AiProvider>, request: &ModelRequest) -> Result<Selection, ModelError> {
    let mut fitting: Vec<AiProvider> = providers
        .into_iter()
        .filter(|one| one.spec.active && one.spec.serves(request.role) && one.is_for(request.user))
        .collect();
    let rank = |one: &AiProvider| {
        let is_wanted = Some(one.id) == request.provider;
        let is_default = one.spec.is_default_for(request.role);
        (Reverse(is_wanted), Reverse(is_default), one.spec.model == EXTRACTIVE_MODEL, one.id)
    };
    let place = (0..fitting.len()).min_by_key(|place| rank(&fitting[*place]));
    let Some(place) = place else { return Err(ModelError::no_provider(request.role)) };
    let first = fitting.swap_remove(place);
    let family = first.spec.family();
    let crosses = first.spec.config.get("cross_family_fallback").is_some_and(|value| *value == true);
    // The extractive provider is no fallback for a model.
    fitting.retain(|one| one.spec.model != EXTRACTIVE_MODEL && (crosses || one.spec.family() == family));
    fitting.sort_by_key(|one| (one.spec.family() != family, one.id));
    fitting.truncate(FALLBACKS_MAX);
    Ok(Selection { first, fallbacks: fitting })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ai_provider::Role;
    use domain::ids::{AiProviderId, UserId};
    use domain::instant::Instant;
    use domain::ports::ModelErrorKind;
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
        let request =
            ModelRequest { role: Role::Rag, user: user.map(UserId), provider: provider.map(AiProviderId) };
        // The result must not depend on the order of the records.
        let mut all = providers(rows);
        all.reverse();
        let selection = select_providers(all, &request).map_err(|error| error.kind)?;
        let order = std::iter::once(selection.first).chain(selection.fallbacks);
        Ok(order.map(|one| one.spec.name).collect())
    }

    #[test]
    fn one_is_selected() {
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
    fn the_family_is_the_fallback() {
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
