//! What may help if a search has no results: more sources, or fewer words.

use domain::search::{ProviderRef, SearchSpec};
use serde::Serialize;
use syntax::query_string::{Kind, Token, tokens};

/// Words of a query that are left out one by one; of a longer one, most are left out at once.
const WORDS_MAX: usize = 6;
/// Words of the shortest query that is suggested.
const WORDS_KEPT: usize = 2;
/// Lower-case words up to this length, such as "the", are not left out of a longer query.
const MINOR_LEN: usize = 3;

#[derive(Debug, PartialEq, Serialize)]
pub struct NoResults {
    query: String,
    /// The query without one of its words.
    without: Vec<Suggestion>,
    /// Only the longest words of the query.
    fewer: Option<Suggestion>,
    /// The query to the default sources, if it was sent to chosen ones.
    everywhere: Option<String>,
    /// Whether the search looks for new results by itself.
    is_subscribed: bool,
}

#[derive(Debug, PartialEq, Serialize)]
struct Suggestion {
    words: String,
    href: String,
}

impl NoResults {
    pub fn of(spec: &SearchSpec) -> Self {
        let list = &spec.searchprovider_list;
        let words = plain_words(&spec.query_string);
        Self {
            query: spec.query_string.clone(),
            without: without_one(&words, list),
            fewer: fewer(&words, list),
            everywhere: (!list.is_empty()).then(|| href(&spec.query_string, &[])),
            is_subscribed: spec.subscribe,
        }
    }
}

/// The words of a query without operators, phrases and tags; none otherwise.
fn plain_words(query: &str) -> Vec<&str> {
    let tokens = tokens(query);
    let is_plain = |token: &Token<'_>| token.kind == Kind::Word && !token.is_negated && token.tag().is_none();
    if tokens.iter().all(is_plain) { tokens.iter().map(|token| token.text).collect() } else { Vec::new() }
}

fn without_one(words: &[&str], list: &[ProviderRef]) -> Vec<Suggestion> {
    if !(2..=WORDS_MAX).contains(&words.len()) {
        return Vec::new();
    }
    let without = |place: usize| {
        let rest = [&words[..place], &words[place + 1..]].concat();
        Suggestion { words: words[place].to_owned(), href: href(&rest.join(" "), list) }
    };
    let is_minor = |word: &str| {
        words.len() > WORDS_KEPT + 1
            && word.len() <= MINOR_LEN
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    (0..words.len()).filter(|place| !is_minor(words[*place])).map(without).collect()
}

fn fewer(words: &[&str], list: &[ProviderRef]) -> Option<Suggestion> {
    if words.len() <= WORDS_KEPT + 1 {
        return None;
    }
    let mut places: Vec<usize> = (0..words.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(words[*place].chars().count()));
    places.truncate(WORDS_KEPT);
    places.sort_unstable();
    let words = places.into_iter().map(|place| words[place]).collect::<Vec<_>>().join(" ");
    Some(Suggestion { href: href(&words, list), words })
}

/// The URL of a new search.
pub fn href(query: &str, list: &[ProviderRef]) -> String {
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    pairs.append_pair("q", query);
    if !list.is_empty() {
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        pairs.append_pair("sources", &list.join(","));
    }
    format!("/?{}", pairs.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(query: &str) -> String {
        let help = NoResults::of(&SearchSpec::of_query(query));
        let without = help.without.iter().map(|one| format!("-{} {}", one.words, one.href));
        let fewer = help.fewer.iter().map(|one| format!("{} {}", one.words, one.href));
        without.chain(fewer).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn words_are_left_out() {
        let table = [
            ("river", ""),
            ("river level", "-river /?q=level | -level /?q=river"),
            (
                "why pumps stopped working",
                "-pumps /?q=why+stopped+working | -stopped /?q=why+pumps+working \
                 | -working /?q=why+pumps+stopped | stopped working /?q=stopped+working",
            ),
            ("one two three four five six seven", "three seven /?q=three+seven"),
            ("\"river level\" sensor", ""),
            ("river NOT level", ""),
            ("river -level", ""),
            ("author:lee river", ""),
        ];
        for (query, expected) in table {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn chosen_sources_are_kept_or_left_out() {
        let list = vec![ProviderRef::Id(3), ProviderRef::Text("news".to_owned())];
        let spec = SearchSpec { searchprovider_list: list, ..SearchSpec::of_query("river level") };
        let help = NoResults::of(&spec);
        assert_eq!(help.everywhere.as_deref(), Some("/?q=river+level"));
        assert_eq!(help.without[0].href, "/?q=level&sources=3%2Cnews");
        assert_eq!(NoResults::of(&SearchSpec::of_query("river")).everywhere, None);
    }

    #[test]
    fn a_subscription_is_told() {
        let spec = SearchSpec { subscribe: true, ..SearchSpec::of_query("river") };
        assert!(NoResults::of(&spec).is_subscribed);
        assert!(!NoResults::of(&SearchSpec::of_query("river")).is_subscribed);
    }
}
