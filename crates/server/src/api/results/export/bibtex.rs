//! Export as BibTeX: one `@misc` for each result.

use super::content::{Export, plain, web_link};
use chrono::Datelike;
use domain::result::ResultItem;
use syntax::dates::instant;

pub(super) fn written(export: &Export<'_>) -> String {
    let entries = export.results.iter().map(|item| entry(item, &export.now.format("%Y-%m-%d").to_string()));
    entries.collect::<Vec<_>>().join("\n")
}

fn entry(item: &ResultItem, today: &str) -> String {
    let published = instant(&item.date_published);
    let url = web_link(&item.url).map(|url| address(&url));
    let fields = [
        ("title", Some(format!("{{{}}}", escaped(&plain(&item.title))))),
        ("author", authors(&plain(&item.author))),
        ("year", published.map(|date| date.year().to_string())),
        ("month", published.map(|date| date.month().to_string())),
        ("urldate", url.as_ref().map(|_| today.to_owned())),
        ("url", url),
        ("howpublished", Some(escaped(&item.searchprovider))),
    ];
    let mut out = format!("@misc{{result{},\n", item.swirl_id);
    for (name, value) in fields {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push_str(&format!("  {name} = {{{value}}},\n"));
        }
    }
    out.push_str("}\n");
    out
}

/// Names joined with `and`; a name that contains the word itself is in braces.
fn authors(text: &str) -> Option<String> {
    let names = text.split(';').map(str::trim).filter(|name| !name.is_empty()).map(|name| {
        let is_one = name.split_whitespace().any(|word| word.eq_ignore_ascii_case("and"));
        let name = escaped(name);
        if is_one { format!("{{{name}}}") } else { name }
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

/// On one line, with TeX special characters escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => out.extend(['\\', c]),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Braces and backslashes of an address would end its field or be interpreted.
fn address(url: &str) -> String {
    url.replace('{', "%7B").replace('}', "%7D").replace('\\', "%5C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::results::export::tests::of_one;
    use domain::ids::ResultId;

    #[test]
    fn signs_of_tex_are_escaped() {
        let cases = [
            ("50% of {x} & y_1 #2 $3", "50\\% of \\{x\\} \\& y\\_1 \\#2 \\$3"),
            ("a\\input{/etc/passwd}", "a\\textbackslash{}input\\{/etc/passwd\\}"),
            ("x^2 ~ y", "x\\textasciicircum{}2 \\textasciitilde{} y"),
            ("two\r\n lines\t", "two lines"),
            ("Größe", "Größe"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected, "{text}");
        }
    }

    #[test]
    fn names_are_joined() {
        let cases = [
            ("Lee, Ann", Some("Lee, Ann")),
            ("Ann Lee; Bob Ray", Some("Ann Lee and Bob Ray")),
            ("Smith and Sons; Ann", Some("{Smith and Sons} and Ann")),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(authors(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn an_entry_holds_what_is_known() {
        let item = ResultItem {
            swirl_id: ResultId(9),
            title: "<em>Deep</em> rivers".into(),
            url: "https://a.example/{x}".into(),
            author: "Ann".into(),
            date_published: "2024-05-01 00:00:00".into(),
            searchprovider: "Library".into(),
            ..ResultItem::default()
        };
        let expected = "@misc{result9,\n  title = {{Deep rivers}},\n  author = {Ann},\n  year = {2024},\n  \
                        month = {5},\n  urldate = {1970-01-01},\n  url = {https://a.example/%7Bx%7D},\n  \
                        howpublished = {Library},\n}\n";
        assert_eq!(of_one(item, written), expected);
        let bare =
            ResultItem { url: "javascript:alert(1)".into(), title: "t".into(), ..ResultItem::default() };
        assert_eq!(of_one(bare, written), "@misc{result0,\n  title = {{t}},\n}\n");
    }
}
