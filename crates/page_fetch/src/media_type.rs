//! Accepted media types.

use crate::failure::FetchFailure;
use domain::ports::HttpResponse;

/// The media type of a response, without parameters, in lowercase.
pub fn of(answer: &HttpResponse) -> String {
    let said = bare(answer.header("content-type").unwrap_or_default());
    if said.is_empty() { "application/octet-stream".to_owned() } else { said }
}

/// Entries such as `text/html` match exactly, `text/*` by prefix; an empty list accepts everything.
pub fn is_wanted(list: &[String], media_type: &str) -> bool {
    let is_one = |wanted: &String| match wanted.strip_suffix('*') {
        Some(beginning) => media_type.starts_with(beginning),
        None => wanted == media_type,
    };
    list.is_empty() || list.iter().any(is_one)
}

pub fn unwanted(media_type: &str) -> FetchFailure {
    FetchFailure::last(format!("its provider does not allow content of the type {media_type} to be fetched"))
}

/// Without parameters, in lowercase.
pub fn bare(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::HttpResponse;

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
