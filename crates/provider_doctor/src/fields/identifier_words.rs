//! Splits identifiers into words and matches them against tables of names.

/// Names without a meaning of their own: the member around them names the value.
const TRANSPARENT: &str =
    "value text rendered displayvalue plaintext main original raw def default en html plain string t full";

/// The last meaningful name of a path, and the names before it.
pub fn meaningful_name<'a, 'n>(members: &'a [&'n str]) -> (&'n str, &'a [&'n str]) {
    let mut end = members.len();
    while end > 1 && is_named(members[end - 1], TRANSPARENT) {
        end -= 1;
    }
    match end {
        0 => ("", &[]),
        end => (members[end - 1], &members[..end - 1]),
    }
}

/// Splits `webTitle`, `web_title` and `dc:web-title` into lowercase words, in the singular.
pub fn words(name: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() {
            all.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        } else {
            if c.is_uppercase() && before.is_lowercase() {
                all.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    all.extend(Some(word).filter(|word| !word.is_empty()));
    all.into_iter().map(|word| singular(&word)).collect()
}

/// The words of a name, concatenated.
pub fn join_words(name: &str) -> String {
    words(name).concat()
}

/// How well a name matches a table of names, 0 to 1.
pub fn match_weight(name: &str, table: &[(&str, f64)]) -> f64 {
    let words = words(name);
    let whole = words.concat();
    let weight =
        |word: &str| table.iter().find(|(known, _)| *known == word).map_or(0.0, |(_, weight)| *weight);
    let exact = weight(&whole);
    if exact > 0.0 {
        return exact;
    }
    let last = words.last().map_or(0.0, |word| weight(word) * 0.85);
    let other = words.iter().map(|word| weight(word) * 0.6).fold(0.0, f64::max);
    last.max(other)
}

/// True if the list contains one of the words of a name, or all of them concatenated.
pub fn has_word(name: &str, list: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| is_listed(word, list)) || is_listed(&words.concat(), list)
}

/// True if the list contains the name as a whole.
pub fn is_named(name: &str, list: &str) -> bool {
    is_listed(&join_words(name), list)
}

/// True if a space-separated list contains the word.
pub fn is_listed(word: &str, list: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        let table = [
            ("webTitle", "web title"),
            ("dc.contributor.author", "dc contributor author"),
            ("FirstURL", "first url"),
            ("@href", "href"),
            ("#text", "text"),
            ("summaries", "summary"),
            ("authors", "author"),
            ("status", "status"),
            ("notes", "note"),
            ("news", "new"),
            ("", ""),
        ];
        for (name, want) in table {
            assert_eq!(words(name).join(" "), want, "{name}");
        }
    }

    #[test]
    fn names_without_meaning_are_skipped() {
        let table: [(&[&str], &str, usize); 5] = [
            (&["title", "rendered"], "title", 0),
            (&["fields", "author", "display_value"], "author", 1),
            (&["text"], "text", 0),
            (&["headline", "main"], "headline", 0),
            (&[], "", 0),
        ];
        for (members, name, before) in table {
            let (found, ancestors) = meaningful_name(members);
            assert_eq!((found, ancestors.len()), (name, before), "{members:?}");
        }
    }

    #[test]
    fn names_are_matched_with_weights() {
        let table = [("title", 1.0), ("name", 0.8)];
        for (name, want) in
            [("title", 1.0), ("titles", 1.0), ("webTitle", 0.85), ("title_sort", 0.6), ("x", 0.0)]
        {
            assert!((match_weight(name, &table) - want).abs() < 1e-9, "{name}");
        }
        assert!(has_word("urlToImage", "image thumb") && !has_word("imagery", "image"));
    }
}
