//! Parses the arguments of a Python client call, `index='i', query={…}, size=N`. Strings may be in single or double
//! quotes; `True`, `False` and `None` are accepted besides their JSON forms.

use serde_json::{Map, Value};
use std::str::Chars;
use syntax::error::SyntaxError;

/// Deepest nesting.
const DEPTH_MAX: usize = 32;

/// Named arguments, in order.
pub fn arguments(text: &str) -> Result<Vec<(String, Value)>, SyntaxError> {
    let mut reader = Reader { text, rest: text.chars() };
    let mut found: Vec<(String, Value)> = Vec::new();
    while reader.peek().is_some() {
        let name = reader.word();
        if name.is_empty() {
            return Err(reader.wrong("a name is needed"));
        }
        reader.expect('=')?;
        if found.iter().any(|(known, _)| *known == name) {
            return Err(format!("'{name}' is given twice.").into());
        }
        let value = reader.value(0)?;
        found.push((name, value));
        if reader.peek().is_some() {
            reader.expect(',')?;
        }
    }
    Ok(found)
}

/// One value and nothing after it.
pub fn value(text: &str) -> Result<Value, SyntaxError> {
    let mut reader = Reader { text, rest: text.chars() };
    let value = reader.value(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("the end is expected")),
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: Chars<'a>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        if depth > DEPTH_MAX {
            return Err(format!("It is nested deeper than {DEPTH_MAX} levels.").into());
        }
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some('\'' | '"') => self.string().map(Value::String),
            Some(c) if c.is_ascii_digit() || c == '-' => self.number(),
            _ => match self.word().as_str() {
                "True" | "true" => Ok(Value::Bool(true)),
                "False" | "false" => Ok(Value::Bool(false)),
                "None" | "null" => Ok(Value::Null),
                _ => Err(self.wrong("a value is needed; strings need quotes")),
            },
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.expect('{')?;
        let mut object = Map::new();
        while self.peek() != Some('}') {
            let name = match self.peek() {
                Some('\'' | '"') => self.string()?,
                _ => return Err(self.wrong("a name in quotes is needed")),
            };
            self.expect(':')?;
            let value = self.value(depth + 1)?;
            object.insert(name, value);
            if self.peek() != Some('}') {
                self.expect(',')?;
            }
        }
        self.expect('}')?;
        Ok(Value::Object(object))
    }

    fn list(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.expect('[')?;
        let mut list = Vec::new();
        while self.peek() != Some(']') {
            list.push(self.value(depth + 1)?);
            if self.peek() != Some(']') {
                self.expect(',')?;
            }
        }
        self.expect(']')?;
        Ok(Value::Array(list))
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let quote = self.rest.next();
        let mut out = String::new();
        loop {
            let Some(c) = self.rest.next() else { return Err(self.wrong("a quote is not closed")) };
            if Some(c) == quote {
                return Ok(out);
            }
            out.push(if c == '\\' { self.escaped()? } else { c });
        }
    }

    fn escaped(&mut self) -> Result<char, SyntaxError> {
        match self.rest.next() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('u') => {
                let digits: String = self.rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
                code.and_then(char::from_u32).ok_or_else(|| self.wrong("\\u needs four hexadecimal digits"))
            }
            Some(c @ ('\'' | '"' | '\\' | '/')) => Ok(c),
            _ => Err(self.wrong("this escape is not known")),
        }
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let text = self.taken(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
        serde_json::from_str(&text).map_err(|error| self.wrong("this is not a number").caused_by(error))
    }

    fn word(&mut self) -> String {
        self.peek();
        self.taken(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn taken(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let rest = self.rest.as_str();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.rest = rest[end..].chars();
        rest[..end].to_owned()
    }

    /// Peeks at the next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.as_str().trim_start().chars();
        self.rest.clone().next()
    }

    fn expect(&mut self, wanted: char) -> Result<(), SyntaxError> {
        if self.peek() != Some(wanted) {
            return Err(self.wrong(&format!("'{wanted}' is expected")));
        }
        self.rest.next();
        Ok(())
    }

    fn wrong(&self, what: &str) -> SyntaxError {
        let place = self.text.chars().count() - self.rest.clone().count();
        SyntaxError::new(format!("It cannot be read at character {}: {what}.", place + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn arguments_are_read() {
        let query = json!({"query_string": {"query": "{query_string}", "default_field": "{default_field}"}});
        let table = [
            (
                "index='{index_name}', query={'query_string': {'query': '{query_string}', 'default_field': '{default_field}'}}",
                vec![("index", json!("{index_name}")), ("query", query.clone())],
            ),
            ("index=\"a\",size = 10 ,", vec![("index", json!("a")), ("size", json!(10))]),
            (
                r#"query={"bool": {"must": [{'match': {'t': 'a\'b\n'}}, ], 'x': True, 'y': None, 'z': -1.5}}"#,
                vec![(
                    "query",
                    json!({"bool": {"must": [{"match": {"t": "a'b\n"}}], "x": true, "y": null, "z": -1.5}}),
                )],
            ),
            ("", vec![]),
        ];
        for (text, want) in table {
            let want: Vec<_> = want.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            assert_eq!(arguments(text), Ok(want), "{text}");
        }
        assert_eq!(value(r#" {"a": ["\u00e9"]} "#), Ok(json!({"a": ["é"]})));
    }

    #[test]
    fn mistakes_have_a_place() {
        let table = [
            ("index", "character 6"),
            ("index='a' query={}", "','"),
            ("index='a", "quote"),
            ("index=a", "quotes"),
            ("query={a: 1}", "in quotes"),
            ("query={'a': {query_string}}", "in quotes"),
            ("query={'a': 1}}", "','"),
            ("query='\\q'", "escape"),
            ("size=1x", "number"),
            ("index='a', index='b'", "twice"),
        ];
        for (text, want) in table {
            let error = arguments(text).expect_err(text);
            assert!(error.message().contains(want), "{text}: {error}");
        }
        let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert!(value(&nested(DEPTH_MAX)).is_ok());
        assert!(value(&nested(DEPTH_MAX + 1)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[a-z='\"{}\\[\\],:0-9\\\\ ]{0,60}|.{0,60}") {
            let _ = (arguments(&text), value(&text));
        }

        #[test]
        fn json_is_read_as_it_is(text in "[a-zé'\"\\\\/{} ]{0,20}") {
            let given = json!({"a": [text, 1, true, null]});
            prop_assert_eq!(value(&given.to_string()), Ok(given));
        }
    }
}
