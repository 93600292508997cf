use super::*;
use proptest::prelude::*;

/// Pieces of queries, put together at random.
const PIECES: &str = "(AND|OR|NOT|and|not|\"|“|”|„|«|»|\\(|\\)|-|--| |news:|:|a|b7|C\\+\\+|AT&T|3\\.5%|x/y|हिन्दी|ה\"ב|か\u{3099}|🚀|'|\\?|_|@|<b>|&amp;|\u{200c}|\\PC){0,16}";

#[test]
fn tokens_of_queries() {
    let shown = |query: &str| -> Vec<String> {
        let show = |token: &Token<'_>| {
            let sign = if token.is_negated { "-" } else { "" };
            match token.kind {
                Kind::Word => format!("{sign}{}", token.text),
                Kind::Phrase => format!("{sign}“{}”", token.text),
                Kind::Open => format!("{sign}("),
                Kind::Close => ")".to_owned(),
                kind => format!("{kind:?}"),
            }
        };
        tokens(query).iter().map(show).collect()
    };
    let table: [(&str, &[&str]); 25] = [
        ("", &[]),
        ("state-of-the-art", &["state-of-the-art"]),
        ("a AND b OR c NOT d", &["a", "And", "b", "Or", "c", "Not", "d"]),
        ("a and not -b", &["a", "and", "not", "-b"]),
        ("\"a NOT b\" c", &["“a NOT b”", "c"]),
        ("-\"a b\" -(c d)", &["-“a b”", "-(", "c", "d", ")"]),
        ("“a b” „c d“ «e f»", &["“a b”", "“c d”", "“e f”"]),
        ("\"a b", &["a", "b"]),
        ("a b\"", &["a", "b"]),
        ("-\"a b", &["-a", "b"]),
        ("5\"x7\" print", &["5", "x7", "print"]),
        ("15\" \"gaming mouse\"", &["15", "“gaming mouse”"]),
        ("ארה\"ב צה\"ל", &["ארה\"ב", "צה\"ל"]),
        ("东京\"天气 预报\"", &["东京", "“天气 预报”"]),
        ("f(x) (R)-limonene", &["f", "(", "x", ")", "(", "R", ")", "-limonene"]),
        ("--flag - x -", &["--flag", "-", "x", "-"]),
        ("title:\"a b\"", &["title:", "“a b”"]),
        ("\"\" \" \"", &["“”", "“ ”"]),
        ("(-a)", &["(", "-a", ")"]),
        ("\" (a OR b) \" \"c d\"", &["(", "a", "Or", "b", ")", "“c d”"]),
        ("-“ (a OR b) ” c", &["-(", "a", "Or", "b", ")", "c"]),
        ("\"(a OR b)\" \" a OR b \"", &["“(a OR b)”", "“ a OR b ”"]),
        ("« (a OR \" (b OR c) \") » d", &["(", "a", "Or", "“ (b OR c) ”", ")", "d"]),
        ("\" (a OR «b) \" c»", &["(", "a", "Or", "“b) \" c”"]),
        ("-)", &["-", ")"]),
    ];
    for (query, expected) in table {
        assert_eq!(shown(query), expected, "{query}");
    }
}

#[test]
fn terms_of_queries() {
    let shown = |query: &str| -> Vec<String> {
        let show = |term: &Term<'_>| {
            let sign = if term.is_negated { "-" } else { "" };
            let or = if term.is_alternative { "|" } else { "" };
            let quote = if term.is_phrase { "\"" } else { "" };
            format!("{or}{sign}{quote}{}{quote}", term.text)
        };
        terms(query).iter().map(show).collect()
    };
    let table: [(&str, &[&str]); 16] = [
        ("alpha NOT beta gamma", &["alpha", "-beta", "-gamma"]),
        ("alpha -beta -gamma", &["alpha", "-beta", "-gamma"]),
        ("alpha not beta", &["alpha", "not", "beta"]),
        ("alpha NOT \"beta gamma\"", &["alpha", "-\"beta gamma\""]),
        ("NOT beta", &["-beta"]),
        ("nothing -", &["nothing"]),
        ("alpha NOT beta AND gamma", &["alpha", "-beta", "gamma"]),
        ("alpha NOT beta OR gamma", &["alpha", "-beta", "|gamma"]),
        ("(alpha NOT beta) gamma", &["alpha", "-beta", "gamma"]),
        ("(alpha NOT beta gamma", &["alpha", "-beta", "-gamma"]),
        ("alpha NOT (beta OR gamma)", &["alpha", "-beta", "|-gamma"]),
        ("alpha -(beta gamma) delta", &["alpha", "delta"]),
        ("alpha -(-beta)", &["alpha", "beta"]),
        ("alpha NOT -beta", &["alpha", "-beta"]),
        ("a OR (b OR c) d", &["a", "|b", "|c", "d"]),
        ("NOT AND OR", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(shown(query), expected, "{query}");
    }
    let query = "alpha -\"beta gamma\" (delta)";
    let spans: Vec<&str> = terms(query).iter().map(|term| &query[term.span.clone()]).collect();
    assert_eq!(spans, ["alpha", "-\"beta gamma\"", "delta"]);
}

#[test]
fn parentheses_are_as_deep_as_that_and_no_deeper() {
    let nested = |depth: usize| format!("{}a{} b", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(clean(&nested(DEPTH_MAX)), nested(DEPTH_MAX));
    assert_eq!(clean(&nested(DEPTH_MAX + 3)), nested(DEPTH_MAX));
    assert_eq!(clean(&"(".repeat(100_000)), "");
    assert_eq!(clean(&nested(100_000)), nested(DEPTH_MAX));
}

#[test]
fn cleans() {
    let table = [
        ("a/b c_d g,h k+l", "a b c d g h k+l"),
        ("<b>bold</b> AT&amp;T", "bold AT&T"),
        ("a - b -- c", "a b c"),
        ("tea\nfor\ttwo", "tea for two"),
        ("what's 5% of $20?", "what's 5% of $20?"),
        ("\"exact phrase\" (or) -minus", "\"exact phrase\" (or) -minus"),
        ("Straße 水 Жизнь ½", "Straße 水 Жизнь ½"),
        ("[x]{y}=<z> ~^*", "x y z"),
        ("List<String> a", "List String a"),
        ("what does <script> do in html", "what does script do in html"),
        ("difference between <b> and <strong>", "difference between b and strong"),
        ("html <!-- comment", "html comment"),
        ("🚀 -🌙", "🚀 -🌙"),
        ("🚀 OR \"🌙!\"", "🚀 OR \"🌙\""),
        ("🚀 -tin", "🚀 -tin"),
        ("tin -🚀 🌙", "tin"),
        ("x -\" (pc OR \u{201a}) \" y", "x -(pc) y"),
        ("a&not b", "a&not b"),
        ("first_last@a_b.example x_y", "first_last@a_b.example x y"),
        ("doi:10.1000/182 -doi:10.1000/a_b", "doi:10.1000/182 -doi:10.1000/a_b"),
        ("and/or:x a_b/c 10:30/11:30", "and or:x a b c 10:30 11:30"),
        ("https://a.example:8080/x_y C:/data", "a.example:8080 x y C data"),
        ("\0\u{1}", ""),
        ("AND/OR NOT, -OR", "and or not -or"),
        ("u\u{ad}nseen \u{feff}mark\u{200e}", "unseen mark"),
        ("-client/server a", "-\"client server\" a"),
        ("a NOT client/server", "a NOT \"client server\""),
        ("() \"\" \" - \" (-)", ""),
        ("-() x", "x"),
        ("a NOT () b", "a NOT b"),
        ("\"f(x) and )y(\"", "\"f(x) and y\""),
    ];
    for (text, want) in table {
        assert_eq!(clean(text), want, "{text}");
    }
}

/// The reason why a query is not well-formed.
fn mistake(query: &str) -> Option<&'static str> {
    let mut outside = String::new();
    for (number, part) in query.split('"').enumerate() {
        let is_phrase = number % 2 == 1;
        if !is_balanced(part) && is_phrase {
            return Some("parentheses in a phrase");
        }
        if is_phrase && part.is_ascii() && !part.contains(char::is_alphanumeric) {
            return Some("an empty phrase");
        }
        outside.push_str(if is_phrase { "phrase" } else { part });
    }
    if query.matches('"').count() % 2 == 1 {
        return Some("quotation marks");
    }
    if !is_balanced(&outside) {
        return Some("parentheses");
    }
    if outside.contains("()") || outside.contains("  ") || outside.trim() != outside {
        return Some("an empty group or space");
    }
    let spaced = outside.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| words[at]);
        let has_operand = words.get(at + 1).is_some_and(|next| !matches!(*next, "AND" | "OR" | ")"));
        let has_two = has_operand && before.is_some_and(|word| !matches!(word, "AND" | "OR" | "NOT" | "("));
        match *word {
            "AND" | "OR" if !has_two => return Some("a dangling AND or OR"),
            "NOT" if !has_operand || words.get(at + 1) == Some(&"NOT") => return Some("a dangling NOT"),
            "-" if words.get(at + 1) != Some(&"(") => return Some("a lone hyphen"),
            _ => {}
        }
    }
    None
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    }) && depth == 0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_clean_query_is_well_formed_and_stays(query in PIECES) {
        let once = clean(&query);
        prop_assert_eq!(mistake(&once), None, "{} became {}", query, once);
        prop_assert_eq!(clean(&once), once.clone(), "{}", query);
    }

    #[test]
    fn a_rewritten_query_is_well_formed(query in PIECES) {
        let text = without_markup(&query);
        for negation in [Negation::Once(" NOT "), Negation::Each(" -"), Negation::Each(" !"), Negation::LeftOut] {
            let once = rewrite(&text, tokens(&text), negation);
            prop_assert_eq!(mistake(&once), None, "{} became {}", query, once);
            let again = rewrite(&once, tokens(&once), negation);
            prop_assert!(negation == Negation::Each(" !") || again == once, "{} became {} and {}", query, once, again);
        }
    }

    #[test]
    fn a_clean_query_has_the_terms_of_the_query(query in PIECES) {
        let words = |query: &str| -> Vec<(String, bool)> {
            let terms = terms(query).into_iter();
            let pieces = terms.flat_map(|term| {
                let pieces: Vec<(String, bool)> = term
                    .text
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|piece| !piece.is_empty())
                    .map(|piece| (piece.to_lowercase(), term.is_negated))
                    .collect();
                pieces
            });
            pieces.collect()
        };
        // Of a negated group of several words, none is excluded; and one written word may become several.
        let is_left_out = |c: char| !c.is_alphanumeric() && (!c.is_ascii() || "()".contains(c));
        let text = without_markup(&query).replace(is_left_out, "");
        // What `&amp;not;` decodes to is an entity again.
        prop_assume!(without_markup(&text) == text);
        prop_assert_eq!(words(&clean(&text)), words(&text), "{}", query);
    }

    #[test]
    fn words_survive(words in prop::collection::vec("[a-z]{1,6}|[а-я]{2,6}|[ก-ฮ][ั-ู][ก-ฮ]่?|[अ-ह]्[अ-ह]ि|[א-ת]{3}|[가-힣]{2}|[ا-ي]{3}", 1..8)) {
        let query = words.join(" ");
        prop_assert_eq!(clean(&query), query);
    }

    #[test]
    fn any_text_is_tokenized(query in "\\PC{0,80}") {
        let mut end = 0;
        for token in tokens(&query) {
            prop_assert!(token.span.start >= end && token.span.end > token.span.start);
            end = token.span.end;
            prop_assert!(query[token.span].contains(token.text));
        }
    }
}
