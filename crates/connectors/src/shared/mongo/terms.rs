//! The search string of `$text`: words and phrases in double quotes, so that nothing in them is an operator, and a
//! hyphen before excluded ones.
//!
//! A search string has no `OR`: all quoted terms must occur, and of the bare ones any. Words with alternatives are
//! therefore bare, and of a phrase with alternatives the words.

use syntax::query_string::{Expression, Item};

/// The search string of a query; `None` if no word of it can be searched for. With `is_any`, words are not quoted and
/// any of them may match.
pub fn expression(query: &str, is_any: bool) -> Option<String> {
    let (mut search, expression) = (SearchString::default(), Expression::parse(query));
    search.add(&expression, is_any);
    if !search.is_wanted {
        return None;
    }
    // What one of several alternatives excludes would be missing from the results of the others.
    if let [only] = &expression.alternatives[..] {
        only.operands.iter().filter(|operand| operand.is_negated()).for_each(|one| search.exclude(&one.item));
    }
    Some(search.terms.join(" "))
}

#[derive(Default)]
struct SearchString {
    terms: Vec<String>,
    is_wanted: bool,
}

impl SearchString {
    fn add(&mut self, expression: &Expression<&str>, is_any: bool) {
        let is_any = is_any || expression.alternatives.len() > 1;
        let operands = expression.alternatives.iter().flat_map(|one| &one.operands);
        for operand in operands.filter(|operand| !operand.is_negated()) {
            match &operand.item {
                Item::Group(inner) => self.add(inner, is_any),
                Item::Phrase(text) if !is_any => self.want(text, true),
                Item::Phrase(text) => text.split_whitespace().for_each(|word| self.want(word, false)),
                Item::Word(text) => self.want(text, !is_any),
            }
        }
    }

    fn want(&mut self, text: &str, is_quoted: bool) {
        // A word without alphanumeric characters is in no index.
        let text = plain(text);
        if text.contains(char::is_alphanumeric) {
            self.terms.push(if is_quoted { format!("\"{text}\"") } else { text });
            self.is_wanted = true;
        }
    }

    fn exclude(&mut self, item: &Item<&str>) {
        let text = match item {
            Item::Word(text) | Item::Phrase(text) => plain(text),
            // `-(a OR b)` excludes both, `-(a b)` neither.
            Item::Group(inner) => {
                let single = inner.alternatives.iter().filter_map(|one| match &one.operands[..] {
                    [only] if !only.is_negated() => Some(&only.item),
                    _ => None,
                });
                return single.for_each(|item| self.exclude(item));
            }
        };
        if text.contains(char::is_alphanumeric) {
            let is_bare = text.chars().all(char::is_alphanumeric);
            self.terms.push(if is_bare { format!("-{text}") } else { format!("-\"{text}\"") });
        }
    }
}

/// Without quotation marks, and without a leading hyphen, which would exclude.
fn plain(text: &str) -> String {
    text.replace('"', " ").trim().trim_start_matches('-').to_owned()
}

/// The search string for a query as one phrase.
pub fn phrase(query: &str) -> Option<String> {
    query.chars().any(char::is_alphanumeric).then(|| format!("\"{}\"", query.replace('"', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let table = [
            ("flood warning", false, Some(r#""flood" "warning""#)),
            ("flood warning", true, Some("flood warning")),
            ("flood -dam -low-land", false, Some(r#""flood" -dam -"low-land""#)),
            ("flood NOT dam", false, Some(r#""flood" -dam"#)),
            (r#"flood -"low land" gauge"#, false, Some(r#""flood" "gauge" -"low land""#)),
            ("flood -dam", true, Some("flood -dam")),
            ("flood -(dam OR lake)", false, Some(r#""flood" -dam -lake"#)),
            (r#"say "hi there" now"#, false, Some(r#""say" "hi there" "now""#)),
            (r#"say "hi there""#, true, Some("say hi there")),
            (r#""dam not built""#, false, Some(r#""dam not built""#)),
            ("flood OR silt", false, Some("flood silt")),
            ("(flood OR silt) dam", false, Some(r#"flood silt "dam""#)),
            ("(flood NOT dam) OR lake", false, Some("flood lake")),
            ("flood (dam OR (lake -salt))", false, Some(r#""flood" dam lake"#)),
            ("flood -(dam lake)", false, Some(r#""flood""#)),
            ("flood not dam", false, Some(r#""flood" "not" "dam""#)),
            (r#"x" -"y"#, false, Some(r#""x" "y""#)),
            ("it's; -- #", false, Some(r#""it's;""#)),
            ("--dam flood", false, Some(r#""dam" "flood""#)),
            ("-dam", false, None),
            ("NOT dam", false, None),
            ("- * \"", false, None),
            ("", true, None),
        ];
        for (query, is_any, want) in table {
            assert_eq!(expression(query, is_any).as_deref(), want, "{query} {is_any}");
        }
        assert_eq!(phrase(r#"say "hi" -x"#).as_deref(), Some(r#""say  hi  -x""#));
        assert_eq!(phrase("- \""), None);
    }
}
