//! Negation word by word, for connectors whose vendors have no phrases or parentheses to exclude.

/// The required words, and the excluded ones.
pub struct NegatedWords<'a> {
    pub wanted: Vec<&'a str>,
    pub unwanted: Vec<&'a str>,
}

/// Splits a query at its first word `NOT` (in any case); without one, words that begin with `-` are excluded.
pub fn negation(query: &str) -> NegatedWords<'_> {
    let words: Vec<&str> = query.split_whitespace().collect();
    if let Some(at) = words.iter().position(|word| is_not(word)) {
        return NegatedWords { wanted: words[..at].to_vec(), unwanted: words[at + 1..].to_vec() };
    }
    let mut parts = NegatedWords { wanted: Vec::new(), unwanted: Vec::new() };
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
