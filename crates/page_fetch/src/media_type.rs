//! Which kinds of content are wanted, and what kind a content is before it is fetched.

use crate::address::{filled, parse};
use crate::page::{Errand, Miss};
use domain::bounded_json::parse_answer;
use domain::contracts::HttpResponse;
use domain::notation::json_path::JsonPath;
use domain::page_fetch::MediaTypeLookup;
use domain::provenance::SourceItem;
use serde_json::Value;

/// The type of an answer without parameters, in lower case.
pub fn of(answer: &HttpResponse) -> String {
    let said = bare(answer.header("content-type").unwrap_or_default());
    if said.is_empty() { "application/octet-stream".to_owned() } else { said }
}

/// `text/html` and `text/*` stand for themselves and for all texts; an empty list for everything.
pub fn is_wanted(list: &[String], media_type: &str) -> bool {
    let is_one = |wanted: &String| match wanted.strip_suffix('*') {
        Some(beginning) => media_type.starts_with(beginning),
        None => wanted == media_type,
    };
    list.is_empty() || list.iter().any(is_one)
}

pub fn unwanted(media_type: &str) -> Miss {
    Miss::last(format!("its provider does not let content of the type {media_type} be fetched"))
}

/// Asks for the type before anything is fetched.
pub async fn look_up(
    errand: &Errand<'_>,
    lookup: &MediaTypeLookup,
    item: SourceItem<'_>,
) -> Result<String, Miss> {
    let address = filled(&lookup.url, item).and_then(|text| parse(&text));
    let address = address.ok_or_else(|| Miss::last("the type of the content cannot be asked for"))?;
    let answer = errand.get(address).await?;
    let value = parse_answer(&answer.body)
        .map_err(|_| Miss::last("the answer about the type of the content is not JSON"))?;
    let path = JsonPath::parse(&lookup.path).map_err(Miss::last)?;
    let found = path.find(&value).into_iter().find_map(Value::as_str).map(bare);
    found.ok_or_else(|| Miss::last("the answer about the type of the content does not say it"))
}

fn bare(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::HttpResponse;

    #[test]
    fn types_are_compared() {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<String>>();
        let table = [
            (list(&[]), "image/png", true),
            (list(&["text/html"]), "text/html", true),
            (list(&["text/html"]), "text/htm", false),
            (list(&["application/pdf", "text/*"]), "text/csv", true),
            (list(&["text/*"]), "application/pdf", false),
        ];
        for (list, media_type, expected) in table {
            assert_eq!(is_wanted(&list, media_type), expected, "{list:?} {media_type}");
        }
    }

    #[test]
    fn the_type_of_an_answer() {
        let table = [(Some("Text/HTML; charset=utf-8"), "text/html"), (None, "application/octet-stream")];
        for (header, expected) in table {
            let headers =
                header.map(|value| ("content-type".to_owned(), value.to_owned())).into_iter().collect();
            let answer = HttpResponse { status: 200, headers, body: Default::default() };
            assert_eq!(of(&answer), expected);
        }
    }
}
