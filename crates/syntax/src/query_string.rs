//! Operators in a user's query: tags (`news:`), negation (`NOT term`, `-term`), and the prompt of an AI summary
//! (`prompt:<name>`).

/// The tags of a query: the text before the first `:` of every word that contains one.
pub fn tags(query: &str) -> Vec<&str> {
    words(query).filter_map(tag_of).collect()
}

/// The tag of the first word, if it has one.
pub fn start_tag(query: &str) -> Option<&str> {
    words(query).next().and_then(tag_of)
}

/// The prompt that the query names; the first one applies.
pub fn prompt(query: &str) -> Option<&str> {
    query.split_whitespace().find_map(prompt_of_word)
}

/// The name in a word `prompt:<name>`.
pub fn prompt_of_word(word: &str) -> Option<&str> {
    let (operator, name) = word.split_once(':')?;
    (operator.eq_ignore_ascii_case("prompt") && !name.is_empty()).then_some(name)
}

/// The query without `prompt:<name>`, which is not a search term; unchanged if there is nothing else.
pub fn without_prompt(query: &str) -> String {
    let rest: Vec<&str> = words(query).collect();
    if rest.is_empty() || prompt(query).is_none() { query.to_owned() } else { rest.join(" ") }
}

/// The required words, and the excluded ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Negation<'a> {
    pub wanted: Vec<&'a str>,
    pub unwanted: Vec<&'a str>,
}

/// Splits a query at its first word `NOT` (in any case); without one, words that begin with `-` are excluded.
pub fn negation(query: &str) -> Negation<'_> {
    let words: Vec<&str> = query.split_whitespace().collect();
    if let Some(at) = words.iter().position(|word| is_not(word)) {
        return Negation { wanted: words[..at].to_vec(), unwanted: words[at + 1..].to_vec() };
    }
    let mut parts = Negation::default();
    for word in words {
        match word.strip_prefix('-') {
            Some(rest) if !rest.is_empty() => parts.unwanted.push(rest),
            _ => parts.wanted.push(word),
        }
    }
    parts
}

/// True for the word `NOT`, in any case.
pub fn is_not(word: &str) -> bool {
    word.eq_ignore_ascii_case("not")
}

fn words(query: &str) -> impl Iterator<Item = &str> {
    query.split_whitespace().filter(|word| prompt_of_word(word).is_none())
}

fn tag_of(word: &str) -> Option<&str> {
    word.split_once(':').map(|(tag, _)| tag).filter(|tag| !tag.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_tags() {
        let cases: [(&str, &[&str], Option<&str>); 7] = [
            ("rates", &[], None),
            ("news:rates", &["news"], Some("news")),
            ("NEWS: rates", &["NEWS"], Some("NEWS")),
            ("rates company:acme", &["company"], None),
            ("a:b:c x", &["a"], Some("a")),
            ("see http://x", &["http"], None),
            (" :x", &[], None),
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
            ("prompt: river", None, "prompt: river"),
            ("prompt:short", Some("short"), "prompt:short"),
        ] {
            assert_eq!((prompt(query), without_prompt(query).as_str()), (name, rest), "{query}");
        }
        assert_eq!(start_tag("prompt:short news:river"), Some("news"));
    }

    #[test]
    fn parts_negation() {
        let cases: [(&str, &[&str], &[&str]); 6] = [
            ("alpha NOT beta gamma", &["alpha"], &["beta", "gamma"]),
            ("alpha -beta -gamma", &["alpha"], &["beta", "gamma"]),
            ("alpha not beta NOT gamma", &["alpha"], &["beta", "NOT", "gamma"]),
            ("not beta", &[], &["beta"]),
            ("nothing -", &["nothing", "-"], &[]),
            ("state-of-the-art", &["state-of-the-art"], &[]),
        ];
        for (query, wanted, unwanted) in cases {
            let parts = negation(query);
            assert_eq!(parts.wanted, wanted, "{query}");
            assert_eq!(parts.unwanted, unwanted, "{query}");
        }
    }
}
