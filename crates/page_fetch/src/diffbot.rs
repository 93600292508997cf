//! Diffbot: a service that fetches a page and returns its text. A fallback for pages that cannot be fetched directly.

use crate::page_text::mask_page;
use crate::{PageFetchParts, failure};
use domain::bounded_json::parse_answer;
use domain::known_secrets::KnownSecrets;
use domain::page_fetch::Diffbot;
use domain::ports::{HttpMethod, HttpRequest, Origin, PageError, PageText};
use std::time::Duration;
use url::Url;

/// Base URL, unless the provider sets another.
const ADDRESS: &str = "https://api.diffbot.com/v3";
/// The service detects the type of page.
const ANY_ENTITY: &str = "analyze";

pub async fn read(
    parts: &PageFetchParts,
    service: &Diffbot,
    wanted: &Url,
    time_max: Duration,
) -> Result<PageText, PageError> {
    let failed = |why: &str| PageError::failed(format!("Diffbot returned no text: {why}"));
    let request = request(service, wanted, time_max).ok_or_else(|| failed("its address is not valid"))?;
    let answer = parts.fetch.fetch(&request).await.map_err(|error| {
        let error = failure::to_page_error(error);
        failed(&error.to_string()).caused_by(error)
    })?;
    if answer.status != 200 {
        return Err(failed(&format!("it answered with the status {}", answer.status)));
    }
    let value = parse_answer(&answer.body)
        .map_err(|error| failed(&format!("its answer {error}")).caused_by(error))?;
    let objects = value["objects"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = objects.iter().filter_map(|object| object["text"].as_str()).collect();
    let text = texts.join("\n\n");
    if text.trim().is_empty() {
        // It reports errors with status 200 as well.
        return Err(failed("the response contains none"));
    }
    let title = objects.iter().find_map(|object| object["title"].as_str()).unwrap_or_default();
    let mut page =
        PageText { title: title.to_owned(), text, media_type: "text/html".to_owned(), ..PageText::default() };
    mask_page(&mut page, &KnownSecrets::of_request(&request));
    Ok(page)
}

fn request(service: &Diffbot, page: &Url, time_max: Duration) -> Option<HttpRequest> {
    let mut url = crate::address::parse(service.url.as_deref().unwrap_or(ADDRESS))?;
    let entity = service.entities.get(page.host_str().unwrap_or_default());
    url.path_segments_mut().ok()?.pop_if_empty().push(entity.map_or(ANY_ENTITY, String::as_str));
    url.query_pairs_mut().append_pair("token", service.token.expose()).append_pair("url", page.as_str());
    Some(HttpRequest {
        method: HttpMethod::Get,
        // Set by the provider's owner.
        origin: Origin::trusted(&url)?,
        url,
        headers: vec![("Accept".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::new(),
        body: None,
        secrets: vec![service.token.clone()],
        time_max,
        tls: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::Secret;
    use std::collections::BTreeMap;

    #[test]
    fn the_request_asks_for_the_entity_of_the_host() {
        let entities = BTreeMap::from([("news.example".to_owned(), "article".to_owned())]);
        let service = Diffbot { token: Secret::new("t&k"), url: None, entities };
        let table = [
            (
                "https://news.example/1",
                "https://api.diffbot.com/v3/article?token=••••&url=https%3A%2F%2Fnews.example%2F1",
            ),
            (
                "https://b.example/",
                "https://api.diffbot.com/v3/analyze?token=••••&url=https%3A%2F%2Fb.example%2F",
            ),
        ];
        for (page, expected) in table {
            let request = request(&service, &Url::parse(page).unwrap(), Duration::from_secs(1)).unwrap();
            assert_eq!(request.shown_url(), expected);
        }
    }
}
