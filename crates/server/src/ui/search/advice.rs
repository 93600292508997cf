//! What may help with a query that found little: another spelling, and its language.

use super::no_results::href;
use domain::mixed::SearchInfo;
use domain::query_advice::LanguageHint;
use domain::search::ProviderRef;
use serde::Serialize;

#[derive(Debug, PartialEq, Serialize)]
pub struct AdviceView {
    spelling: Option<Spelling>,
    language: Option<LanguageHint>,
}

#[derive(Debug, PartialEq, Serialize)]
struct Spelling {
    query: String,
    /// The search for it, in the same sources.
    href: String,
}

impl AdviceView {
    /// None if there is no advice.
    pub fn of(info: &SearchInfo, list: &[ProviderRef]) -> Option<Self> {
        let spelling = info.did_you_mean.as_ref().map(|meant| Spelling {
            query: meant.query_string.clone(),
            href: href(&meant.query_string, list),
        });
        let language = info.language_hint.clone();
        (spelling.is_some() || language.is_some()).then_some(Self { spelling, language })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::SearchId;
    use domain::query_advice::DidYouMean;

    fn info(did_you_mean: Option<&str>, language: Option<&str>) -> SearchInfo {
        SearchInfo {
            id: SearchId(1),
            query_string: "flod & co".to_owned(),
            query_string_processed: String::new(),
            searchprovider_list: Vec::new(),
            tags: Vec::new(),
            rerun_url: String::new(),
            did_you_mean: did_you_mean
                .map(|query| DidYouMean { query_string: query.to_owned(), words: Vec::new() }),
            language_hint: language.map(|name| LanguageHint { query: name.to_owned(), results: None }),
        }
    }

    #[test]
    fn a_suggestion_is_a_search_in_the_same_sources() {
        let list = [ProviderRef::Id(3)];
        let view = AdviceView::of(&info(Some("flood & co"), None), &list).expect("advice");
        let spelling = view.spelling.expect("a spelling");
        assert_eq!(
            (spelling.query.as_str(), spelling.href.as_str()),
            ("flood & co", "/?q=flood+%26+co&sources=3")
        );
        assert_eq!(AdviceView::of(&info(None, None), &list), None);
        let view = AdviceView::of(&info(None, Some("german")), &list).expect("advice");
        assert!(view.spelling.is_none() && view.language.is_some_and(|hint| hint.query == "german"));
    }
}
