//! GET requests with side effects, which a page of another site must not start with the user's credentials.

use url::form_urlencoded;

/// What happens to such a request from another site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideEffectPolicy {
    /// The user confirms first; links to searches are common.
    Confirm,
    Refuse,
}

/// Path, parameter and policy. Without a parameter the path alone decides.
const TABLE: &[(&str, Option<&str>, SideEffectPolicy)] = &[
    ("/svc/search/", Some("rerun"), SideEffectPolicy::Refuse),
    ("/svc/search/", Some("update"), SideEffectPolicy::Refuse),
    ("/svc/search/", Some("q"), SideEffectPolicy::Confirm),
    ("/svc/search/", Some("qs"), SideEffectPolicy::Confirm),
    ("/svc/results/", Some("mark_all_read"), SideEffectPolicy::Refuse),
    ("/svc/sapi/detail-search-rag/", None, SideEffectPolicy::Refuse),
    ("/", Some("rerun"), SideEffectPolicy::Refuse),
    ("/", Some("q"), SideEffectPolicy::Confirm),
    // The page requests a summary from a model.
    ("/", Some("rag"), SideEffectPolicy::Refuse),
];

/// A test queries the source of the provider.
const PROVIDERS: &str = "/svc/searchproviders/";
const PROVIDER_TEST: &str = "/test/";

/// None for a request without side effects. The first matching row of the table counts.
pub fn policy_for(path: &str, query: &str) -> Option<SideEffectPolicy> {
    if path.starts_with(PROVIDERS) && path.ends_with(PROVIDER_TEST) {
        return Some(SideEffectPolicy::Refuse);
    }
    let has = |name: &str| form_urlencoded::parse(query.as_bytes()).any(|(given, _)| given == name);
    let is_list = shows_list(path, query);
    let counts = |policy: SideEffectPolicy| !is_list || policy != SideEffectPolicy::Confirm;
    let mut rows = TABLE.iter().filter(|(own, parameter, _)| *own == path && parameter.is_none_or(has));
    Some(rows.find(|row| counts(row.2))?.2)
}

/// True for the address of a list. It also names the query, for users who cannot open the list, and runs it only with
/// `run`.
fn shows_list(path: &str, query: &str) -> bool {
    let mut is_named = false;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "run" => return false,
            "search_id" => is_named |= !value.trim().is_empty(),
            _ => {}
        }
    }
    path == "/" && is_named
}

/// A local address without the parameters that would be refused. After redirects from another site, a browser reports
/// that site as the origin, so such an address could not be opened.
pub fn without_refused(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    if policy_for(path, query) != Some(SideEffectPolicy::Refuse) {
        return address.to_owned();
    }
    let is_refused = |name: &str| {
        let mut rows =
            TABLE.iter().filter(|(own, _, policy)| *own == path && *policy == SideEffectPolicy::Refuse);
        rows.any(|(_, parameter, _)| *parameter == Some(name))
    };
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !is_refused(name));
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish();
    match policy_for(path, &query) {
        Some(SideEffectPolicy::Refuse) => "/".to_owned(),
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
    fn requests_with_side_effects() {
        let table = [
            ("/svc/search/", "", None),
            ("/svc/search/", "page=2&text=q", None),
            ("/svc/search/", "q=a", Some(SideEffectPolicy::Confirm)),
            ("/svc/search/", "qs=a&rag=true", Some(SideEffectPolicy::Confirm)),
            ("/svc/search/", "q=a&rerun=7", Some(SideEffectPolicy::Refuse)),
            ("/svc/search/", "update=7", Some(SideEffectPolicy::Refuse)),
            ("/svc/search/", "%72erun=7", Some(SideEffectPolicy::Refuse)),
            ("/svc/search/7/", "", None),
            ("/svc/results/", "search_id=7", None),
            ("/svc/results/", "search_id=7&mark_all_read=1", Some(SideEffectPolicy::Refuse)),
            ("/svc/sapi/detail-search-rag/", "search_id=7", Some(SideEffectPolicy::Refuse)),
            ("/svc/searchproviders/7/test/", "q=a", Some(SideEffectPolicy::Refuse)),
            ("/svc/searchproviders/7/", "", None),
            ("/", "", None),
            ("/", "search_id=7", None),
            ("/", "q=a&rag=true", Some(SideEffectPolicy::Confirm)),
            ("/", "search_id=7&rag=true", Some(SideEffectPolicy::Refuse)),
            ("/", "rerun=7", Some(SideEffectPolicy::Refuse)),
            ("/", "search_id=7&q=a", None),
            ("/", "search_id=+&q=a", Some(SideEffectPolicy::Confirm)),
            ("/", "search_id=7&q=a&run=true", Some(SideEffectPolicy::Confirm)),
            ("/", "run=true&q=a", Some(SideEffectPolicy::Confirm)),
            ("/", "search_id=7&q=a&rag=true", Some(SideEffectPolicy::Refuse)),
            ("/", "search_id=7&q=a&rerun=7", Some(SideEffectPolicy::Refuse)),
            ("/svc/search/", "search_id=7&q=a", Some(SideEffectPolicy::Confirm)),
            ("/history/", "q=a", None),
        ];
        for (path, query, expected) in table {
            assert_eq!(policy_for(path, query), expected, "{path}?{query}");
        }
    }
}
