//! Queries: a cleaned query stays as it is, its quotation marks and parentheses are balanced, and it begins and ends
//! with no operator that has no operand.

use syntax::query_string::{Negation, clean, rewrite, terms, tokens, without_markup};

pub fn check(bytes: &[u8]) {
    let query = super::text(bytes);
    let cleaned = clean(query);
    assert_eq!(clean(&cleaned), cleaned, "{query:?}");
    check_form(&cleaned);
    let text = without_markup(query);
    for negation in [Negation::Once(" NOT "), Negation::Each(" -"), Negation::LeftOut] {
        check_form(&rewrite(&text, tokens(&text), negation));
    }
    for term in terms(query) {
        assert!(query[term.span.clone()].contains(term.text), "{query:?}");
    }
}

fn check_form(query: &str) {
    assert_eq!(query.matches('"').count() % 2, 0, "{query:?}");
    let mut depth = 0_i64;
    for c in query.split('"').step_by(2).flat_map(str::chars) {
        depth += i64::from(c == '(') - i64::from(c == ')');
        assert!(depth >= 0, "{query:?}");
    }
    assert_eq!(depth, 0, "{query:?}");
    let (first, last) = (query.split(' ').next(), query.split(' ').next_back());
    assert!(!matches!(first, Some("AND" | "OR")), "{query:?}");
    assert!(!matches!(last, Some("AND" | "OR" | "NOT")), "{query:?}");
}
