//! Placeholders of texts.

/// Replaces each `{name}` by its value. Unknown names stay as they are.
pub fn fill(text: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    // One pass, so that a placeholder inside a value stays as it is.
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let value = after.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(one, _)| *one == name)?;
            Some((value, after))
        });
        match value {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_replace_their_names_once() {
        let values = [("name", "{n}".to_owned()), ("n", "3".to_owned())];
        for (text, filled) in [
            ("{name}: {n} results", "{n}: 3 results"),
            ("{n} of {unknown} in {", "3 of {unknown} in {"),
            ("{{n}}", "{3}"),
            ("Nothing", "Nothing"),
        ] {
            assert_eq!(fill(text, &values), filled);
        }
    }
}
