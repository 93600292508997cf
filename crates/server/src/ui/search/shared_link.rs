//! Addresses of lists that can be shared. They name the search, which only its owner can open, and its query, sources and
//! order, with which anyone else can run it again.

use super::query::{Fields, ListQuery};
use crate::error::ApiError;
use domain::search::{DEFAULT_MIXER, ProviderRef, Search, SearchSpec};

/// Longer parameters are left out, because proxies refuse long addresses.
const BYTES_MAX: usize = 6000;
/// In the address of a list, it runs the search instead of showing it.
const RUN: &str = "run";
/// Parameters of a list that do not belong to the same search of another user.
const OWN_PARAMETERS: &[&str] = &["search_id", "page", "rag", "rag_timeout", "rerun", RUN];
/// More than any of our own links has.
const PARAMETERS_MAX: usize = 50;

/// Whether the fields show an existing list. They start no search, even if they name a query.
pub fn shows_list(fields: &Fields) -> bool {
    fields.text("search_id").is_some() && !runs_again(fields)
}

/// Whether the filters of a list are among the fields.
pub fn filters_list(fields: &Fields) -> bool {
    fields.text("search_id").is_some() || runs_again(fields)
}

fn runs_again(fields: &Fields) -> bool {
    fields.is_on(RUN)
}

/// The list that a new search begins with: that of a shared link has its filters.
pub fn first_list(fields: &Fields) -> Result<ListQuery, ApiError> {
    if !runs_again(fields) {
        return Ok(ListQuery::default());
    }
    // The order belongs to the new search.
    Ok(ListQuery { sort: None, ..ListQuery::parse(fields)?.in_usual_order() })
}

/// The fields of a form that runs the search of a shared link.
pub fn fields_to_run(fields: &Fields) -> Vec<(String, String)> {
    let run = (RUN.to_owned(), "true".to_owned());
    let shared = fields.pairs().filter(|(name, _)| !OWN_PARAMETERS.contains(name));
    let shared = shared.map(|(name, value)| (name.to_owned(), value.to_owned()));
    std::iter::once(run).chain(shared).take(PARAMETERS_MAX).collect()
}

/// The query, sources and order of a search, as parameters. Empty if they are too long.
pub fn parameters(spec: &SearchSpec) -> String {
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    pairs.append_pair("q", &spec.query_string);
    if !spec.searchprovider_list.is_empty() {
        let sources: Vec<String> = spec.searchprovider_list.iter().map(ProviderRef::to_string).collect();
        pairs.append_pair("sources", &sources.join(","));
    }
    if spec.result_mixer != DEFAULT_MIXER {
        pairs.append_pair("sort", &spec.result_mixer);
    }
    Some(pairs.finish()).filter(|text| text.len() <= BYTES_MAX).unwrap_or_default()
}

/// The address of a list of a new search.
pub fn address(search: &Search, query: &ListQuery) -> String {
    let (href, shared) = (query.href(search.id), parameters(&search.spec));
    if shared.is_empty() { href } else { format!("{href}&{shared}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_shown_and_a_search_is_run() {
        for (text, is_shown, has_filters) in [
            ("q=a&providers=1", false, false),
            ("search_id=7", true, true),
            ("search_id=7&q=a&providers=1", true, true),
            ("search_id=+&q=a", false, false),
            ("search_id=7&q=a&run=true", false, true),
            ("run=true&q=a&providers=1", false, true),
        ] {
            let fields = Fields::parse(text);
            assert_eq!((shows_list(&fields), filters_list(&fields)), (is_shown, has_filters), "{text}");
        }
    }

    #[test]
    fn filters_of_a_shared_link_apply_to_the_new_list() {
        let first = |text| first_list(&Fields::parse(text)).unwrap();
        assert_eq!(first("q=a&providers=1&page=3"), ListQuery::default());
        let list = first("run=true&q=a&providers=1&page=3&sort=DateMixer");
        assert_eq!((list.page, list.sort, list.filter.providers.len()), (1, None, 1));
        assert!(first_list(&Fields::parse("run=true&q=a&date=soon")).is_err());
    }

    #[test]
    fn a_form_has_the_parameters_of_the_link() {
        let fields = fields_to_run(&Fields::parse("search_id=7&q=a+b&sources=1,x&page=2&rag=true&author=C"));
        let expected = [("run", "true"), ("q", "a b"), ("sources", "1,x"), ("author", "C")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(fields_to_run(&Fields::parse(&"a=b&".repeat(99))).len(), PARAMETERS_MAX);
    }

    #[test]
    fn parameters_of_a_search() {
        let mut spec = SearchSpec::of_query("a & b");
        assert_eq!(parameters(&spec), "q=a+%26+b");
        spec.searchprovider_list = vec![ProviderRef::Id(4), ProviderRef::Text("news".to_owned())];
        spec.result_mixer = "DateMixer".to_owned();
        assert_eq!(parameters(&spec), "q=a+%26+b&sources=4%2Cnews&sort=DateMixer");
        spec.searchprovider_list = vec![ProviderRef::Text("x".repeat(BYTES_MAX))];
        assert_eq!(parameters(&spec), "");
    }
}
