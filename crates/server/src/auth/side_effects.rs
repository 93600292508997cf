//! GET requests that change something: a page of another site must not start them with the user's credentials.

use url::form_urlencoded;

/// What happens to such a request when it comes from another site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The user is asked first; a link to a search is a common thing.
    Ask,
    Refuse,
}

/// Path, parameter, and what is done about it. Without a parameter the path alone is enough.
const TABLE: &[(&str, Option<&str>, Answer)] = &[
    ("/svc/search/", Some("rerun"), Answer::Refuse),
    ("/svc/search/", Some("update"), Answer::Refuse),
    ("/svc/search/", Some("q"), Answer::Ask),
    ("/svc/search/", Some("qs"), Answer::Ask),
    ("/svc/results/", Some("mark_all_read"), Answer::Refuse),
    ("/svc/sapi/detail-search-rag/", None, Answer::Refuse),
    ("/", Some("rerun"), Answer::Refuse),
    ("/", Some("q"), Answer::Ask),
    // The page asks a model for an answer.
    ("/", Some("rag"), Answer::Refuse),
];

/// Asks the source of a provider.
const PROVIDERS: &str = "/svc/searchproviders/";
const PROVIDER_TEST: &str = "/test/";

/// None for a request that only reads. The first line of the table that fits counts.
pub fn find(path: &str, query: &str) -> Option<Answer> {
    if path.starts_with(PROVIDERS) && path.ends_with(PROVIDER_TEST) {
        return Some(Answer::Refuse);
    }
    let has = |name: &str| form_urlencoded::parse(query.as_bytes()).any(|(given, _)| given == name);
    let row = TABLE.iter().find(|(own, parameter, _)| *own == path && parameter.is_none_or(has))?;
    Some(row.2)
}

/// A local address without the parameters that would be refused. A browser that comes back from another site by
/// redirects says that it comes from there, so that such an address could not be opened.
pub fn without_refused(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    if find(path, query) != Some(Answer::Refuse) {
        return address.to_owned();
    }
    let is_refused = |name: &str| {
        let mut rows = TABLE.iter().filter(|(own, _, answer)| *own == path && *answer == Answer::Refuse);
        rows.any(|(_, parameter, _)| *parameter == Some(name))
    };
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !is_refused(name));
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
    match find(path, &query) {
        Some(Answer::Refuse) => "/".to_owned(),
        _ if query.is_empty() => path.to_owned(),
        _ => format!("{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_parameters_are_left_out() {
        let table = [
            ("/", "/"),
            ("/?search_id=7&rag=true", "/?search_id=7"),
            ("/?rerun=7", "/"),
            ("/?q=a&rag=true", "/?q=a&rag=true"),
            ("/svc/search/?rerun=7&page=2", "/svc/search/?page=2"),
            ("/svc/sapi/detail-search-rag/?search_id=7", "/"),
            ("/history/?page=2", "/history/?page=2"),
        ];
        for (address, expected) in table {
            assert_eq!(without_refused(address), expected, "{address}");
        }
    }

    #[test]
    fn what_changes_something() {
        let table = [
            ("/svc/search/", "", None),
            ("/svc/search/", "page=2&text=q", None),
            ("/svc/search/", "q=a", Some(Answer::Ask)),
            ("/svc/search/", "qs=a&rag=true", Some(Answer::Ask)),
            ("/svc/search/", "q=a&rerun=7", Some(Answer::Refuse)),
            ("/svc/search/", "update=7", Some(Answer::Refuse)),
            ("/svc/search/", "%72erun=7", Some(Answer::Refuse)),
            ("/svc/search/7/", "", None),
            ("/svc/results/", "search_id=7", None),
            ("/svc/results/", "search_id=7&mark_all_read=1", Some(Answer::Refuse)),
            ("/svc/sapi/detail-search-rag/", "search_id=7", Some(Answer::Refuse)),
            ("/svc/searchproviders/7/test/", "q=a", Some(Answer::Refuse)),
            ("/svc/searchproviders/7/", "", None),
            ("/", "", None),
            ("/", "search_id=7", None),
            ("/", "q=a&rag=true", Some(Answer::Ask)),
            ("/", "search_id=7&rag=true", Some(Answer::Refuse)),
            ("/", "rerun=7", Some(Answer::Refuse)),
            ("/history/", "q=a", None),
        ];
        for (path, query, expected) in table {
            assert_eq!(find(path, query), expected, "{path}?{query}");
        }
    }
}
