//! The tags of a query, such as `news:rates`, and the prompt that it names.

use super::tokens::{Kind, Token, tokens};

/// The tags of a query: the text before the first `:` of every word that has one.
pub fn tags(query: &str) -> Vec<&str> {
    if !query.contains(':') {
        return Vec::new();
    }
    words(query).filter_map(|token| Some(token.tag()?.0)).collect()
}

/// The tag of the first word, if it has one.
pub fn start_tag(query: &str) -> Option<&str> {
    if !query.contains(':') {
        return None;
    }
    words(query).next()?.tag().map(|(tag, _)| tag)
}

/// The prompt that the query names; the first one applies.
pub fn prompt(query: &str) -> Option<&str> {
    if !query.contains(':') {
        return None;
    }
    tokens(query).iter().find_map(named_prompt)
}

/// The query without `prompt:<name>`, which is not a search term; unchanged if there is nothing else.
pub fn without_prompt(query: &str) -> String {
    if prompt(query).is_none() {
        return query.to_owned();
    }
    let mut rest = String::with_capacity(query.len());
    let mut at = 0;
    for token in tokens(query).iter().filter(|token| named_prompt(token).is_some()) {
        rest.push_str(query[at..token.span.start].trim_end());
        rest.push(' ');
        at = token.span.end;
        at += query[at..].len() - query[at..].trim_start().len();
    }
    rest.push_str(&query[at..]);
    if rest.trim().is_empty() { query.to_owned() } else { rest.trim().to_owned() }
}

/// The name in a word `prompt:<name>`.
pub fn named_prompt<'a>(token: &Token<'a>) -> Option<&'a str> {
    token
        .tag()
        .filter(|(tag, name)| tag.eq_ignore_ascii_case("prompt") && !name.is_empty())
        .map(|(_, name)| name)
}

fn words(query: &str) -> impl Iterator<Item = Token<'_>> {
    let is_word = |token: &Token<'_>| matches!(token.kind, Kind::Word | Kind::Phrase);
    tokens(query).into_iter().filter(move |token| is_word(token) && named_prompt(token).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tags() {
        let cases: [(&str, &[&str], Option<&str>); 15] = [
            ("rates", &[], None),
            ("news:rates", &["news"], Some("news")),
            ("NEWS: rates", &["NEWS"], Some("NEWS")),
            ("rates company:acme", &["company"], None),
            ("a:b:c x", &["a"], Some("a")),
            ("see http://x", &[], None),
            (" :x", &[], None),
            ("\"news: today\" x", &[], None),
            ("news:\"fed rates\"", &["news"], Some("news")),
            ("(news:fed)", &["news"], Some("news")),
            ("-news:fed", &[], None),
            ("समाचार:दर", &["समाचार"], Some("समाचार")),
            ("10:30 news:x", &["news"], None),
            ("std::vector 2001:db8::1", &[], None),
            ("Dune: Part Two", &["Dune"], Some("Dune")),
        ];
        for (query, all, start) in cases {
            assert_eq!(tags(query), all, "{query}");
            assert_eq!(start_tag(query), start, "{query}");
        }
    }

    #[test]
    fn a_prompt_is_no_word_of_the_query() {
        for (query, name, rest) in [
            ("river  level", None, "river  level"),
            ("prompt:short river", Some("short"), "river"),
            ("news:river Prompt:a prompt:b", Some("a"), "news:river"),
            ("prompt:a \"river  level\"", Some("a"), "\"river  level\""),
            ("level prompt:a river", Some("a"), "level river"),
            ("prompt: river", None, "prompt: river"),
            ("\"prompt:short\" river", None, "\"prompt:short\" river"),
            ("prompt:short", Some("short"), "prompt:short"),
        ] {
            assert_eq!((prompt(query), without_prompt(query).as_str()), (name, rest), "{query}");
        }
        assert_eq!(start_tag("prompt:short news:river"), Some("news"));
    }
}
