//! Queries in Lucene query syntax, and in that of `simple_query_string`: words and phrases are escaped, and `AND`, `OR`,
//! `NOT`, `-` and parentheses of the query are written as the syntax writes them.

use syntax::query_string::{Dialect, Expression, Negation, Written, terms};

const SPECIAL: &str = "+-=&|!(){}[]^\"~*?:\\/";
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];

/// The syntax of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Of `query_string`.
    Lucene,
    /// Of `simple_query_string`, whose operators are `+`, `|` and `-`.
    Simple,
}

/// A query in one of the syntaxes. If the source cannot negate, excluded terms are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LuceneQuery {
    pub syntax: Syntax,
    pub can_negate: bool,
}

impl LuceneQuery {
    pub fn of(self, text: &str) -> String {
        Expression::parse(text).render(&self)
    }

    /// The query as one operand: with several terms in parentheses.
    pub fn operand(self, text: &str) -> String {
        match self.of(text) {
            query if terms(text).len() > 1 => format!("({query})"),
            query => query,
        }
    }
}

impl Dialect for LuceneQuery {
    fn negation(&self) -> Negation<'_> {
        match (self.can_negate, self.syntax) {
            (false, _) => Negation::LeftOut,
            (true, Syntax::Lucene) => Negation::Each(" -"),
            // Without the `+`, an excluded term would be one of the alternatives.
            (true, Syntax::Simple) => Negation::Each(" + -"),
        }
    }

    fn term(&self, term: Written<'_>) -> String {
        if term.is_phrase { format!("\"{}\"", escaped(term.text)) } else { escaped(term.text) }
    }

    fn and(&self) -> &str {
        match self.syntax {
            Syntax::Lucene => " AND ",
            Syntax::Simple => " + ",
        }
    }

    fn or(&self) -> &str {
        match self.syntax {
            Syntax::Lucene => " OR ",
            Syntax::Simple => " | ",
        }
    }

    fn groups_wanted(&self) -> bool {
        self.syntax == Syntax::Simple
    }
}

/// The wanted words without operators and quotation marks, for a place that takes no expression.
pub fn words(text: &str) -> String {
    let wanted = terms(text).into_iter().filter(|term| !term.is_negated).map(|term| escaped(term.text));
    wanted.collect::<Vec<_>>().join(" ")
}

/// Escapes a text for a pattern with `*` and `?`.
pub fn in_wildcard(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn escaped(text: &str) -> String {
    // `<` and `>` begin a range and cannot be escaped.
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>'));
    words.filter(|word| !word.is_empty()).map(escaped_word).collect::<Vec<_>>().join(" ")
}

fn escaped_word(word: &str) -> String {
    let mut out = String::with_capacity(word.len() + 8);
    if OPERATORS.contains(&word) {
        out.push('\\');
    }
    for c in word.chars() {
        if SPECIAL.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LUCENE: LuceneQuery = LuceneQuery { syntax: Syntax::Lucene, can_negate: true };
    const SIMPLE: LuceneQuery = LuceneQuery { syntax: Syntax::Simple, can_negate: true };

    #[test]
    fn queries_and_what_sources_are_asked() {
        let table = [
            ("solid state", "solid state", "solid state"),
            ("error \"file not found\"", "error \"file not found\"", "error \"file not found\""),
            ("river OR lake", "river OR lake", "river | lake"),
            ("river AND lake", "river AND lake", "river + lake"),
            ("(river OR lake) dam", "(river OR lake) dam", "(river | lake) dam"),
            ("river dam OR lake", "(river dam) OR lake", "(river dam) | lake"),
            ("river -lake x--", "river x\\-\\- -lake", "(river x\\-\\-) + -lake"),
            ("river NOT lake", "river -lake", "river + -lake"),
            ("river NOT lake pond", "river -lake -pond", "river + -lake + -pond"),
            ("river -\"salt lake\"", "river -\"salt lake\"", "river + -\"salt lake\""),
            ("river NOT (lake OR pond)", "river -(lake OR pond)", "river + -(lake | pond)"),
            ("(river NOT lake) OR pond", "(river -lake) OR pond", "(river + -lake) | pond"),
            ("river not lake", "river not lake", "river not lake"),
            ("ANDROID NOT", "ANDROID", "ANDROID"),
            ("x AND title:* OR y", "(x AND title\\:\\*) OR y", "(x + title\\:\\*) | y"),
            ("river -la*e --", "river -la\\*e", "river + -la\\*e"),
            ("a<b> \"c", "a b c", "a b c"),
            ("a<b>c", "a b c", "a b c"),
            ("x <NOT> y", "x \\NOT y", "x \\NOT y"),
            ("\"a\\\" b", "\"a\\\\\" b", "\"a\\\\\" b"),
        ];
        for (text, lucene, simple) in table {
            assert_eq!((LUCENE.of(text), SIMPLE.of(text)), (lucene.into(), simple.into()), "{text}");
        }
        let plain = LuceneQuery { can_negate: false, ..LUCENE };
        assert_eq!(plain.of("river -lake NOT pond !x"), "river");
        assert_eq!(plain.of("!b c"), "\\!b c");
        assert_eq!(LUCENE.operand("river lake"), "(river lake)");
        assert_eq!(LUCENE.operand("river"), "river");
        assert_eq!(words("\"river bed\" OR x* -lake"), "river bed x\\*");
        assert_eq!(in_wildcard(r"a*b?\c"), r"a\*b\?\\c");
    }

    proptest! {
        /// Whatever is asked, only the marks of the query's own notation remain, and they are balanced.
        #[test]
        fn nothing_else_is_an_operator(text in "(AND|OR|NOT|[<>+\\-=&|!(){}\\[\\]^\"~*?:\\\\/ab \t]){0,30}|.{0,30}") {
            let query = LUCENE.of(&text);
            let (mut marks, mut is_escaped, mut open) = (String::new(), false, 0_i32);
            for c in query.chars() {
                if is_escaped {
                    is_escaped = false;
                } else if c == '\\' {
                    is_escaped = true;
                } else if SPECIAL.contains(c) || "<>".contains(c) {
                    marks.push(c);
                    open += match c { '(' => 1, ')' => -1, _ => 0 };
                    prop_assert!(open >= 0, "{} became {}", text, query);
                }
            }
            prop_assert!(!is_escaped && open == 0, "{} became {}", text, query);
            prop_assert!(marks.chars().all(|c| "()\"-".contains(c)), "{} became {}", text, query);
            prop_assert_eq!(marks.matches('"').count() % 2, 0, "{} became {}", text, query);
            // No operator is without an operand.
            let words: Vec<&str> = query.split(['(', ')', ' ']).filter(|word| !word.is_empty()).collect();
            let ends = [words.first(), words.last()];
            prop_assert!(!ends.iter().flatten().any(|word| OPERATORS.contains(word)), "{} became {}", text, query);
        }
    }
}
