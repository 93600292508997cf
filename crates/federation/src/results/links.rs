//! URLs in a response.

use super::mix_request::MixRequest;
use super::provider_share::ProviderShare;
use domain::mixed::{ProviderInfo, SearchInfo};
use domain::result::ResultSet;
use domain::search::Search;
use std::collections::BTreeMap;

/// The URLs of a response. They keep the filters of the request, so that page 2 is page 2 of the same list.
pub(super) struct Links<'a> {
    pub search: &'a Search,
    pub request: &'a MixRequest,
    pub mixer: &'a str,
}

impl Links<'_> {
    pub(super) fn page(&self, number: u32) -> String {
        let Self { search, request, mixer } = self;
        let mut url = format!("{}/results/?search_id={}", request.base_url, search.id);
        if *mixer != search.spec.result_mixer {
            url.push_str(&format!("&result_mixer={mixer}"));
        }
        if let Some(provider) = request.provider {
            url.push_str(&format!("&provider={provider}"));
        }
        if let Some(explain) = request.explain {
            url.push_str(if explain { "&explain=True" } else { "&explain=False" });
        }
        for (name, value) in request.filter.parameters() {
            let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            url.push_str(&format!("&{name}={value}"));
        }
        if !request.first_results().is_empty() {
            url.push_str("&second_reader=true");
        }
        if request.facets {
            url.push_str("&facets=true");
        }
        format!("{url}&page={number}")
    }

    pub(super) fn search_info(&self) -> SearchInfo {
        let Search { id, spec, query_string_processed, .. } = self.search;
        SearchInfo {
            id: *id,
            query_string: spec.query_string.clone(),
            query_string_processed: query_string_processed.clone(),
            searchprovider_list: spec.searchprovider_list.clone(),
            tags: spec.tags.clone(),
            rerun_url: format!("{}/search/?rerun={id}", self.request.base_url),
            did_you_mean: None,
            language_hint: None,
        }
    }

    /// The infos by the names of the providers.
    pub(super) fn provider_infos(
        &self,
        sets: &[&ResultSet],
        share: ProviderShare,
    ) -> BTreeMap<String, ProviderInfo> {
        sets.iter().map(|set| (set.provider_name.clone(), self.provider_info(set, share))).collect()
    }

    fn provider_info(&self, set: &ResultSet, share: ProviderShare) -> ProviderInfo {
        ProviderInfo {
            found: set.found,
            retrieved: set.retrieved,
            filter_url: format!(
                "{}/results/?search_id={}&provider={}",
                self.request.base_url, self.search.id, set.provider
            ),
            query_string_to_provider: share.cut(&set.query_string_to_provider),
            query_to_provider: share.cut(&set.query_to_provider),
            query_processors: share.cut_names(&set.query_processors),
            result_processors: share.cut_names(&set.result_processors),
            search_time: set.time_s,
            status: set.status,
            error: set.error.as_ref().map(|error| share.cut_error(error)),
        }
    }
}
