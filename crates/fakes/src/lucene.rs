//! A small parser of Lucene query syntax. Operators that are not escaped take effect, or fail like in the original.

use super::boolean_query::{Expression, Language, Token, of_tokens};

/// `default_operator: and`.
const LUCENE: Language =
    Language { properties: &[], reserved: &[], has_minus: true, has_braces: false, beside_is_all: true };

#[derive(Debug)]
pub struct Read {
    /// Everything that is not an operator, without escapes.
    pub text: String,
    pub expression: Expression,
    /// A field or a wildcard matches every document.
    pub is_everything: bool,
}

/// One character, and whether it was escaped.
type Mark = (char, bool);

pub fn read(query: &str) -> Result<Read, ()> {
    let marks = marks(query)?;
    let mut rest = marks.as_slice();
    let (mut tokens, mut is_everything) = (Vec::new(), false);
    while let Some((first, after)) = rest.split_first() {
        match first {
            (c, false) if c.is_whitespace() => rest = after,
            ('(', false) => {
                tokens.push(Token::Open('('));
                rest = after;
            }
            (')', false) => {
                tokens.push(Token::Close(')'));
                rest = after;
            }
            ('-' | '!', false) if !after.is_empty() => {
                tokens.push(Token::Not);
                rest = after;
            }
            ('"', false) => {
                let end = after.iter().position(|mark| *mark == ('"', false)).ok_or(())?;
                tokens.push(Token::Quoted(text_of(&after[..end])));
                rest = &after[end + 1..];
            }
            _ => {
                let is_end =
                    |(c, is_escaped): &Mark| c.is_whitespace() || (!is_escaped && "()\"".contains(*c));
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                let word = &rest[..end];
                // Ranges need a field, and so do regular expressions and boosts.
                if word.iter().any(|(c, is_escaped)| !is_escaped && "<>/[]{}^~".contains(*c)) {
                    return Err(());
                }
                is_everything |= word.contains(&('*', false)) || word.contains(&(':', false));
                tokens.push(operator(word).unwrap_or_else(|| Token::Quoted(text_of(word))));
                rest = &rest[end..];
            }
        }
    }
    let expression = of_tokens(tokens, &LUCENE).map_err(drop)?;
    Ok(Read { text: expression.texts().join(" "), expression, is_everything })
}

fn operator(word: &[Mark]) -> Option<Token> {
    if word.first().is_some_and(|(_, is_escaped)| *is_escaped) {
        return None;
    }
    match text_of(word).as_str() {
        "AND" => Some(Token::And),
        "OR" => Some(Token::Or),
        "NOT" => Some(Token::Not),
        _ => None,
    }
}

fn text_of(marks: &[Mark]) -> String {
    marks.iter().map(|(c, _)| *c).collect()
}

fn marks(query: &str) -> Result<Vec<Mark>, ()> {
    let mut marks = Vec::new();
    let mut characters = query.chars();
    while let Some(c) = characters.next() {
        marks.push(match c {
            '\\' => (characters.next().ok_or(())?, true),
            _ => (c, false),
        });
    }
    Ok(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_take_effect_unless_they_are_escaped() {
        let own = ["salt", "lake", "x"].map(str::to_owned);
        let table = [
            ("salt lake", true),
            ("\"lake salt\"", false),
            ("\"salt lake\" -x", false),
            ("salt NOT dam", true),
            ("(dam OR salt) AND lake", true),
            ("dam \\OR salt", false),
        ];
        for (query, want) in table {
            let read = read(query).expect(query);
            assert_eq!(read.expression.holds_words(&own, false), want, "{query}");
        }
        assert!(read("title:*").expect("a field").is_everything);
        for query in ["salt \"", "(salt", "salt AND", "a[b", "a~"] {
            assert!(read(query).is_err(), "{query}");
        }
    }
}
