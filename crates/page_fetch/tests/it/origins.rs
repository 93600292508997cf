//! The origin of a page's bytes, from the provider's point of view.

use crate::fixture::{item, pages, provider, read, typed};
use domain::ports::ByteOrigin;
use serde_json::json;
use testkit::source::{Behavior, Source};

const PAGE: &str = "<html><head><title>Flood report</title></head><body><main>\
    <p>The river rose at night, and nobody saw it until the morning came.</p></main></body></html>";

/// Only bytes that come from the provider's own origin all the way count as the provider's.
#[tokio::test]
async fn a_page_tells_whether_it_came_from_its_providers_own_origin() {
    let (api, content, site) = (Source::start().await, Source::start().await, Source::start().await);
    for source in [&api, &content, &site] {
        source.reply_at("/page", Behavior::text("text/html", PAGE));
        source.reply_at("/within", Behavior::redirect("/page", 302));
        source.reply_at("/away", Behavior::redirect(site.url_at("/page").to_string(), 302));
    }
    let pages = pages(&[&api, &content, &site]);
    let template =
        |template: String| json!({"page_fetch_config_json": {"cache": "", "content_url": template}});
    let fixed = |path: &str| template(format!("{}?of={{url}}", content.url_at(path)));
    let table = [
        (json!({}), api.url_at("/page"), ByteOrigin::Own),
        (json!({}), api.url_at("/within"), ByteOrigin::Own),
        (json!({}), api.url_at("/away"), ByteOrigin::Other),
        (json!({}), site.url_at("/page"), ByteOrigin::Other),
        (json!({}), site.url_at("/within"), ByteOrigin::Other),
        (fixed("/page"), site.url_at("/page"), ByteOrigin::Own),
        (fixed("/away"), site.url_at("/page"), ByteOrigin::Other),
        (template("{url}".to_owned()), site.url_at("/page"), ByteOrigin::Other),
        (template("{url}".to_owned()), api.url_at("/page"), ByteOrigin::Other),
    ];
    for (more, url, expected) in table {
        let provider = provider(api.url().as_str(), more.clone());
        let page = read(&pages, &provider, &item(&url, "")).await.expect("a page");
        assert_eq!(page.origin, expected, "{more} {url}");
    }
    let typed = read(&pages, &provider(api.url().as_str(), json!({})), &typed(api.url_at("/page"), "")).await;
    assert_eq!(typed.expect("a page").origin, ByteOrigin::Other, "a typed address is nobody's");
}
