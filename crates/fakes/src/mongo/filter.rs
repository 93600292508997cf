//! Filters: a text search, an equal string, or a contained string. Nothing else is supported.

use bson::{Bson, Document};

/// A parsed text search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    pub phrases: Vec<String>,
    pub words: Vec<String>,
    pub unwanted: Vec<String>,
}

/// Why a filter is rejected: the code and the message of the original.
pub type Refusal = (i32, String);

impl Search {
    /// Phrases are in double quotes; a hyphen after a space negates.
    pub fn read(text: &str) -> Self {
        let mut search = Self::default();
        let mut rest = text;
        let mut is_after_space = true;
        while let Some(c) = rest.chars().next() {
            let is_unwanted = c == '-' && is_after_space;
            if is_unwanted {
                rest = &rest[1..];
            }
            let (found, is_phrase) = match rest.strip_prefix('"') {
                Some(inside) => {
                    let (phrase, after) = inside.split_once('"').unwrap_or((inside, ""));
                    rest = after;
                    (phrase, true)
                }
                None => {
                    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    rest = after;
                    (word, false)
                }
            };
            if found.is_empty() && !is_phrase {
                // A separator.
                let mut characters = rest.chars();
                is_after_space = characters.next().is_none_or(char::is_whitespace);
                rest = characters.as_str();
                continue;
            }
            is_after_space = false;
            match (is_unwanted, is_phrase) {
                (true, _) => search.unwanted.push(found.to_lowercase()),
                (false, true) => search.phrases.push(found.to_lowercase()),
                (false, false) => search.words.push(found.to_lowercase()),
            }
        }
        search
    }

    /// How well a text matches: all phrases, or any of the words, and nothing unwanted.
    pub fn score(&self, text: &str) -> Option<f64> {
        let text = text.to_lowercase();
        let has_word =
            |wanted: &String| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted);
        if self.unwanted.iter().any(|phrase| text.contains(phrase)) {
            return None;
        }
        let words = self.words.iter().filter(|word| has_word(word)).count();
        let is_found = if self.phrases.is_empty() {
            words > 0
        } else {
            self.phrases.iter().all(|phrase| text.contains(phrase))
        };
        is_found.then(|| 1.0 + (words + self.phrases.len()) as f64 / (1.0 + text.len() as f64))
    }
}

/// The score of a document; `None` if it does not match.
pub fn score(filter: &Document, document: &Document, has_text_index: bool) -> Result<Option<f64>, Refusal> {
    let mut score = 0.0;
    for (key, condition) in filter {
        let found = match (key.as_str(), condition) {
            ("$text", Bson::Document(text)) => {
                if !has_text_index {
                    return Err((27, "text index required for $text query".to_owned()));
                }
                Search::read(search_of(text)?).score(document.get_str("title").unwrap_or_default())
            }
            (key, _) if key.starts_with('$') => {
                return Err((2, format!("unknown top level operator: {key}")));
            }
            (key, Bson::String(wanted)) => {
                document.get_str(key).is_ok_and(|text| text == wanted).then_some(0.0)
            }
            (key, Bson::Document(condition)) => {
                let wanted = literal_of(condition)?;
                document.get_str(key).is_ok_and(|text| text.contains(&wanted)).then_some(0.0)
            }
            (key, _) => return Err((2, format!("a condition on {key} that is not known"))),
        };
        match found {
            Some(found) => score += found,
            None => return Ok(None),
        }
    }
    Ok(Some(score))
}

fn search_of(text: &Document) -> Result<&str, Refusal> {
    let known = ["$search", "$language", "$caseSensitive", "$diacriticSensitive"];
    if let Some(key) = text.keys().find(|key| !known.contains(&key.as_str())) {
        return Err((40415, format!("BSON field '$text.{key}' is an unknown field")));
    }
    text.get_str("$search").map_err(|_| (2, "$search had the wrong type".to_owned()))
}

/// A pattern in which every character is literal.
fn literal_of(condition: &Document) -> Result<String, Refusal> {
    if let Some(key) = condition.keys().find(|key| !["$regex", "$options"].contains(&key.as_str())) {
        return Err((2, format!("unknown operator: {key}")));
    }
    let pattern = condition.get_str("$regex").map_err(|_| (2, "$regex has to be a string".to_owned()))?;
    let mut literal = String::new();
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next().filter(char::is_ascii_punctuation) {
                Some(sign) => literal.push(sign),
                None => return Err((51091, "Regular expression is invalid".to_owned())),
            },
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' | '|' => {
                return Err((51091, format!("a pattern with {sign} in it is not known here")));
            }
            sign => literal.push(sign),
        }
    }
    Ok(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search, and its phrases, words and unwanted words.
    type Case = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

    #[test]
    fn searches_are_read_as_the_original_does() {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<String>>();
        let table: [Case; 4] = [
            (r#""solid state" -gas"#, &["solid state"], &[], &["gas"]),
            (r#"solid-state -"ideal gas" x"#, &[], &["solid", "state", "x"], &["ideal gas"]),
            (r#""a" "b"#, &["a", "b"], &[], &[]),
            ("- --", &[], &[], &[]),
        ];
        for (text, phrases, words, unwanted) in table {
            let want = Search { phrases: texts(phrases), words: texts(words), unwanted: texts(unwanted) };
            assert_eq!(Search::read(text), want, "{text}");
        }
    }

    #[test]
    fn patterns_that_are_more_than_a_text_are_refused() {
        let literal = |pattern: &str| literal_of(&bson::doc! { "$regex": pattern }).ok();
        assert_eq!(literal(r"50\%\.\*").as_deref(), Some("50%.*"));
        assert_eq!(literal("a.*b"), None);
        assert_eq!(literal(r"a\d"), None);
        assert!(literal_of(&bson::doc! { "$where": "x" }).is_err());
    }
}
