//! Property tests over arbitrary rules and queries.

use super::limits::OUTPUT_CHARS_MAX;
use super::rules::Rules;
use super::{TransformType, words};
use proptest::prelude::*;
use std::time::{Duration, Instant};
use syntax::query_string::{Kind, tokens};

/// A quadratic scan of the inputs below would take minutes, even optimized.
const TIME_MAX: Duration = Duration::from_secs(30);

fn any_kind() -> impl Strategy<Value = TransformType> {
    prop::sample::select(TransformType::ALL.to_vec())
}

proptest! {
    /// Texts of every kind of character, and texts that look like rules.
    #[test]
    fn nothing_panics_and_nothing_grows_without_limit(
        kind in any_kind(),
        csv in prop_oneof![any::<String>(), "([ab*;,\"' .:#]|\r?\n){0,60}"],
        query in prop_oneof![any::<String>(), "[abAB*;,\"' .:]{0,60}"],
    ) {
        if let Ok(rules) = Rules::parse(kind, &csv) {
            let applied = rules.apply(&query);
            let length = applied.query.chars().count();
            prop_assert!(length <= OUTPUT_CHARS_MAX.max(query.chars().count()));
            if applied.query == query {
                prop_assert_eq!(rules.apply(&applied.query).query, query);
            }
        }
    }

    /// Whatever is in a phrase stays in one, and an operator stays an operator.
    #[test]
    fn nothing_is_torn_apart(kind in any_kind(), query in "([cd] |\"[abc]( [abcd]){1,2}\" |-\"c [ab]\" |[cd] OR \"a c\" |c NOT ){0,8}") {
        let rules = Rules::parse(kind, "a,x\nb,y").expect("rules");
        let count = |query: &str, kind: Kind| tokens(query).iter().filter(|token| token.kind == kind).count();
        let applied = rules.apply(&query).query;
        prop_assert_eq!(count(&applied, Kind::Not), count(&query, Kind::Not), "{} became {}", query, applied);
        prop_assert!(count(&applied, Kind::Phrase) >= count(&query, Kind::Phrase), "{} became {}", query, applied);
        let stray = tokens(&applied).iter().any(|token| token.kind == Kind::Word && !matches!(token.text, "c" | "d"));
        prop_assert!(!stray, "{} became {}", query, applied);
    }

    /// Words that no rule names stay, in their order.
    #[test]
    fn other_words_stay(kind in any_kind(), csv in "([ab]{1,2}[,;][ab]{0,2}\n){1,8}", query in "[abcd ]{0,40}") {
        let kept = |text: &str| -> Vec<String> {
            let words = words::pieces(text).into_iter().map(|piece| piece.text);
            words.filter(|word| word.contains(['c', 'd'])).collect()
        };
        if let Ok(rules) = Rules::parse(kind, &csv) {
            prop_assert_eq!(kept(&rules.apply(&query).query), kept(&query));
        }
    }
}

/// The worst that the limits allow: many rules that almost match a long query everywhere.
#[test]
fn hostile_rules_take_their_time_but_not_more() {
    let started = Instant::now();
    let query = "a".repeat(2000);
    let words = "a ".repeat(1000);
    let wildcards = |count: usize| (0..count).map(|n| format!("a*a*a*a{n},x\n")).collect::<String>();
    let stars = format!("{}b,x\n", "a*".repeat(500));
    let phrases = (0..500).map(|n| format!("{}b{n},x\n", "a ".repeat(19))).collect::<String>();
    let circle = (0..10_000).map(|n| format!("a,b\nb,a\n# {n}\n")).take(5_000).collect::<String>();
    let cases = [
        (TransformType::Rewrite, wildcards(10_000), &query),
        (TransformType::Rewrite, wildcards(10_000), &words),
        (TransformType::Rewrite, stars.repeat(1000), &query),
        (TransformType::Rewrite, phrases.clone(), &words),
        (TransformType::Rewrite, circle, &words),
        (TransformType::Synonym, phrases.clone(), &words),
        (TransformType::Bag, phrases, &words),
    ];
    for (kind, csv, query) in cases {
        let rules = Rules::parse(kind, &csv).expect("within the limits");
        let applied = rules.apply(query);
        assert!(applied.query.chars().count() <= OUTPUT_CHARS_MAX);
        assert!(started.elapsed() < TIME_MAX, "{kind:?} {} {:?}", &csv[..20], started.elapsed());
    }
}
