//! The texts in calls of translation functions, read from source code.

/// A function, and which of its literals are texts.
pub type Call = (&'static str, &'static [usize]);

/// The functions of scripts and templates.
pub const CALLS: &[Call] = &[("t", &[0]), ("tn", &[0, 1])];

/// The texts of all calls in a file. A literal in other quotes is an error, because it would be overlooked.
pub fn call_texts(code: &str, calls: &[Call]) -> Result<Vec<String>, String> {
    let is_comment = |line: &&str| ["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let code = code.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (name, wanted) in calls {
        for (place, _) in code.match_indices(&format!("{name}(")) {
            let before = code[..place].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || "_.$".contains(before) {
                continue;
            }
            let literals = literals(&code[place + name.len() + 1..])?;
            found.extend(
                wanted.iter().filter_map(|at| literals.get(*at)).filter(|one| !one.is_empty()).cloned(),
            );
        }
    }
    Ok(found)
}

/// The consecutive literals at the start of the arguments.
fn literals(arguments: &str) -> Result<Vec<String>, String> {
    let mut rest = arguments.trim_start();
    let mut found = Vec::new();
    if rest.starts_with(['\'', '`']) {
        return Err(format!("use double quotes: {}", rest.chars().take(60).collect::<String>()));
    }
    while let Some(inside) = rest.strip_prefix('"') {
        let Some((literal, after)) = literal(inside) else { break };
        found.push(literal);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    Ok(found)
}

/// The text up to the closing quote, and the rest.
fn literal(inside: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = inside.char_indices();
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return Some((text, &inside[place + 1..])),
            '\\' => text.push(chars.next()?.1),
            _ => text.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_calls() {
        let table: &[(&str, &[&str])] = &[
            (r#"{{ t("Sign in") }}"#, &["Sign in"]),
            (r#"{{ t("Menu for {user}", user=context.user) }}"#, &["Menu for {user}"]),
            ("t(\n  \"On its own line\",\n)", &["On its own line"]),
            (r#"tn("1 result", "{n} results", count)"#, &["1 result", "{n} results"]),
            (r#"a ? t("one") : t("two")"#, &["one", "two"]),
            (r#"t("a \"quoted\" word")"#, &["a \"quoted\" word"]),
            (r#"const x = set("no"); list.t("no"); it("no"); t(name)"#, &[]),
            ("// t(\"a comment\")\n * t(\"another\")", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(call_texts(text, CALLS).expect("double quotes"), *expected, "{text}");
        }
        for text in ["t('single')", "t(`back`)"] {
            assert!(call_texts(text, CALLS).is_err(), "{text}");
        }
    }
}
