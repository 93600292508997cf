//! Fetching pages: the requests, what counts as a page, and the fallback.

use crate::fixture::{ANN, BOB, PLUGINS, item, pages, provider, read, read_as, typed};
use domain::ids::ResultId;
use domain::ports::{DocumentRequest, PageError, PageText, ReadPages};
use domain::provenance::{AccountPage, PageTarget, UserUrl};
use domain::result::ResultItem;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const PAGE: &str = "<html><head><title>Flood report</title></head><body><nav><a href=/>Home</a></nav>\
    <main><h1>Floods</h1><p>The river rose at night, and nobody saw it until the morning came.</p></main></body></html>";

fn html() -> Behavior {
    Behavior::text("Text/HTML; charset=utf-8", PAGE)
}

fn why(error: PageError) -> String {
    error.to_string()
}

#[tokio::test]
async fn a_page_is_its_main_content() {
    let site = Source::start().await;
    site.reply(html());
    let found =
        read(&pages(&[&site]), &provider("https://api.example/", json!({})), &item(site.url(), "")).await;
    let found = found.expect("a page");
    assert_eq!((found.title.as_str(), found.media_type.as_str()), ("Flood report", "text/html"));
    assert!(found.text.contains("The river rose at night"), "{}", found.text);
    assert!(!found.text.contains("Home"), "{}", found.text);
}

#[tokio::test]
async fn pages_are_fetched_only_where_the_provider_lets_them() {
    let site = Source::start().await;
    site.reply(html());
    let pages = pages(&[&site]);
    for (config, is_fetched) in [
        (json!({}), false),
        (json!({"timeout": 5}), false),
        (json!({"cache": "false"}), true),
        (json!({"cache": true}), true),
    ] {
        let provider = provider("https://api.example/", json!({"page_fetch_config_json": config}));
        assert_eq!(read(&pages, &provider, &item(site.url(), "")).await.is_ok(), is_fetched, "{config}");
    }
    assert_eq!(site.requests().len(), 2);
}

#[tokio::test]
async fn only_a_good_answer_with_text_is_a_page() {
    let site = Source::start().await;
    let pages = pages(&[&site]);
    let provider = provider("https://api.example/", json!({}));
    let table = [
        (Behavior::status(404), "HTTP 404"),
        (Behavior::Status { code: 203, headers: vec![], body: PAGE.into() }, "status 203"),
        (Behavior::status(503), "status 503"),
        (Behavior::text("text/html", "<script>words()</script>"), "no text"),
        (Behavior::text("image/png", &b"\x89PNG\r\n\x1a\n\0\0"[..]), "cannot be read"),
        (Behavior::text("application/pdf", "%PDF-1.4 broken"), "damaged"),
        (Behavior::Huge { bytes: 2_000_000 }, "larger than the limit"),
        (Behavior::CloseAtOnce, "127.0.0.1"),
    ];
    for (behavior, expected) in table {
        site.reply(behavior);
        let error =
            why(read(&pages, &provider, &item(site.url_at("/x?key=canary"), "")).await.expect_err(expected));
        assert!(error.contains(expected) && !error.contains("canary"), "{expected}: {error}");
    }
    for url in ["", "no address", "file:///etc/passwd", "ftp://127.0.0.1/"] {
        assert_eq!(read(&pages, &provider, &item(url, "words")).await, Err(PageError::NoAddress), "{url}");
    }
}

#[tokio::test]
async fn private_places_are_refused_unless_they_are_the_providers_own() {
    let (site, api) = (Source::start().await, Source::start().await);
    site.reply(html());
    api.reply(html());
    let pages = pages(&[]);
    let rivers = provider(api.url().as_str(), json!({}));
    assert!(read(&pages, &rivers, &item(api.url_at("/page"), "")).await.is_ok());
    for url in
        [site.url().to_string(), "http://169.254.169.254/latest".to_owned(), "http://[::1]:80/".to_owned()]
    {
        let error = why(read(&pages, &rivers, &item(&url, "")).await.expect_err("refused"));
        assert_eq!(error, "its address cannot be reached from here", "{url}");
    }
    // A redirect must not lead to another private address.
    api.reply(Behavior::redirect(site.url().to_string(), 302));
    assert!(read(&pages, &rivers, &item(api.url_at("/page"), "")).await.is_err());
    assert_eq!(site.requests(), []);
}

#[tokio::test]
async fn credentials_go_to_the_providers_own_origin() {
    let (site, api) = (Source::start().await, Source::start().await);
    site.reply(html());
    api.reply(html());
    let pages = pages(&[&site]);
    let config = json!({"cache": "", "headers": {"X-Note": "open", "Cookie": "canary-cookie"}});
    let table = [
        (json!({"credentials": "bearer=canary-bearer"}), "authorization", "Bearer canary-bearer"),
        (json!({"credentials": "HTTPBasicAuth('ann','canary')"}), "authorization", "Basic YW5uOmNhbmFyeQ=="),
        (json!({"credentials": "X-Api-Key=canary-key"}), "x-api-key", "canary-key"),
        (json!({"authenticator": "google"}), "authorization", "Bearer token-of-ann-for-google"),
        (
            json!({"eval_credentials": "session['box_access_token']"}),
            "authorization",
            "Bearer token-of-ann-for-box",
        ),
        (json!({"connector": "Personal"}), "authorization", "Bearer token-of-ann-for-microsoft"),
    ];
    for (mut more, header, value) in table {
        more["page_fetch_config_json"] = config.clone();
        let provider = provider(api.url().as_str(), more.clone());
        assert!(read(&pages, &provider, &item(api.url_at("/page"), "")).await.is_ok(), "{more}");
        let asked = api.requests().pop().expect("a request");
        assert_eq!(asked.header(header), Some(value), "{more}");
        assert_eq!((asked.header("cookie"), asked.header("x-note")), (Some("canary-cookie"), Some("open")));

        assert!(read(&pages, &provider, &item(site.url(), "")).await.is_ok(), "{more}");
        let asked = site.requests().pop().expect("a request");
        assert_eq!(asked.header("x-note"), Some("open"));
        let all = format!("{asked:?}");
        assert!(!all.contains("canary") && !all.contains("token-of-ann"), "{all}");
    }
}

/// Secrets that a site repeats from the request, in any form, are masked in its page.
#[tokio::test]
async fn secrets_that_a_page_repeats_are_masked() {
    let api = Source::start().await;
    let pages = pages(&[]);
    let config = json!({"cache": "", "headers": {"Cookie": "canary-cookie"}});
    let table = [
        (json!({"credentials": "bearer=canary-bearer"}), "Bearer canary-bearer"),
        (json!({"credentials": "HTTPBasicAuth('ann','canary')"}), "Basic YW5uOmNhbmFyeQ=="),
        (json!({"credentials": "X-Api-Key=canary-key"}), "canary-key"),
        (json!({"credentials": "apikey=canary-in-query"}), "q=x&apikey=canary-in-query"),
        (json!({"authenticator": "google"}), "Bearer token-of-ann-for-google"),
    ];
    for (mut more, sent) in table {
        more["page_fetch_config_json"] = config.clone();
        let provider = provider(api.url().as_str(), more.clone());
        let body = format!(
            "<html><head><title>Report {sent}</title></head><body><main><p>The river rose at night, and nobody saw it. \
             You sent {sent} with the cookie canary-cookie and it was accepted.</p></main></body></html>"
        );
        api.reply(Behavior::text("text/html", body));
        let page = read(&pages, &provider, &item(api.url_at("/page"), "")).await.expect("a page");
        let all = format!("{page:?}");
        assert!(all.contains("The river rose") && all.contains("••••"), "{more}: {all}");
        for secret in ["canary", "token-of-ann", "YW5uOmNhbmFyeQ"] {
            assert!(!all.contains(secret), "{more}: {all}");
        }
    }
}

/// Neither the provider's private host nor anything that only the provider's requests carry.
#[tokio::test]
async fn a_typed_address_is_fetched_as_nobody() {
    let (site, api) = (Source::start().await, Source::start().await);
    site.reply(html());
    api.reply(html());
    let config = json!({
        "cache": "", "headers": {"X-Note": "open", "Cookie": "canary-cookie"},
        "content_url": api.url_at("/content/").to_string() + "{id}",
    });
    let more = json!({"credentials": "bearer=canary-bearer", "page_fetch_config_json": config});
    let rivers = provider(api.url().as_str(), more);
    let mut edited = typed(api.url_at("/admin"), "");
    edited.payload.insert("id".to_owned(), json!("admin"));
    assert_eq!(read(&pages(&[]), &rivers, &edited).await, Err(PageError::Unreachable), "a private host");
    assert_eq!(read(&pages(&[]), &rivers, &typed(site.url(), "")).await, Err(PageError::Unreachable));
    assert_eq!((api.requests().len(), site.requests().len()), (0, 0));
    let pages = pages(&[&site, &api]);
    for (place, url) in [(&site, site.url_at("/page")), (&api, api.url_at("/admin"))] {
        assert!(read(&pages, &rivers, &typed(url, "")).await.is_ok());
        let asked = place.requests().pop().expect("a request");
        assert!(!format!("{asked:?}").contains("canary"), "{asked:?}");
        assert_eq!(asked.header("x-note"), None, "no rule of the provider holds for it");
    }
    let silent = provider(api.url().as_str(), json!({"page_fetch_config_json": {}}));
    assert!(
        read(&pages, &silent, &typed(site.url(), "")).await.is_err(),
        "its provider lets no page be read"
    );
}

/// Edits do not change the fetched page: it is the one that the provider named, with its values.
#[tokio::test]
async fn an_edited_result_is_read_as_its_provider_gave_it() {
    let api = Source::start().await;
    api.reply(html());
    let config = json!({"cache": "", "content_url": api.url_at("/content/").to_string() + "{id}"});
    let rivers = provider(api.url().as_str(), json!({"page_fetch_config_json": config}));
    let with_id = |mut item: ResultItem, id: &str| {
        item.payload.insert("id".to_owned(), json!(id));
        item
    };
    let given = with_id(item(api.url_at("/page"), ""), "7");
    let edited = with_id(typed(api.url_at("/admin"), ""), "admin").in_place_of(&given);
    assert!(read(&pages(&[]), &rivers, &edited).await.is_ok());
    let paths: Vec<String> = api.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/content/7"]);
}

/// A typed URL at the origin of a provider with user accounts: the person's token, and nothing else.
#[tokio::test]
async fn an_account_carries_the_persons_token_alone() {
    let (site, api) = (Source::start().await, Source::start().await);
    api.reply(html());
    let config = json!({"cache": "", "headers": {"X-Note": "open", "Cookie": "canary-cookie"}});
    let more = json!({
        "authenticator": "google", "credentials": "bearer=canary-bearer", "page_fetch_config_json": config,
    });
    let provider = provider(api.url().as_str(), more);
    let url = api.url_at("/mine").to_string();
    let page = AccountPage::of(&provider, &PLUGINS, UserUrl::new(&url)).expect("an account");
    let target = PageTarget::Account(page);
    let time_max = Duration::from_secs(10);
    let wanted = DocumentRequest {
        target,
        cached: None,
        result: ResultId(0),
        user: ANN,
        is_asked_for: true,
        time_max,
    };
    assert!(pages(&[]).read(&wanted).await.is_ok());
    let asked = api.requests().pop().expect("a request");
    assert_eq!(asked.header("authorization"), Some("Bearer token-of-ann-for-google"));
    assert_eq!((asked.header("cookie"), asked.header("x-note")), (None, None));
    let foreign = site.url().to_string();
    assert!(AccountPage::of(&provider, &PLUGINS, UserUrl::new(&foreign)).is_none());
    // The token is sent to the provider's origin only.
    site.reply(html());
    api.reply(Behavior::redirect(site.url().to_string(), 302));
    assert!(pages(&[&site]).read(&wanted).await.is_ok());
    assert!(!format!("{:?}", site.requests()).contains("token-of-ann"));
}

/// Users must not learn whether an internal name exists.
#[tokio::test]
async fn a_refusal_says_nothing_about_names() {
    let pages = pages(&[]);
    let rivers = provider("https://api.example/", json!({}));
    for url in
        ["http://no-such-host.invalid/x", "http://localhost:9/x", "http://10.0.0.1/x", "http://127.0.0.1:9/x"]
    {
        for item in [item(url, ""), typed(url, "")] {
            let wanted = DocumentRequest::of_result(&rivers, &item, ANN, Duration::from_secs(10));
            let refused = Err(PageError::Unreachable);
            assert_eq!(pages.read(&wanted).await, refused, "{url}");
            assert_eq!(pages.probe(&wanted).await.map(|_| PageText::default()), refused, "{url}");
        }
    }
    let text = why(PageError::Unreachable);
    assert!(!text.contains("localhost") && !text.contains("allow"), "{text}");
}

#[tokio::test]
async fn who_is_not_connected_reads_what_everybody_may() {
    let (site, api) = (Source::start().await, Source::start().await);
    site.reply(html());
    api.reply(html());
    let pages = pages(&[&site]);
    let provider = provider(api.url().as_str(), json!({"authenticator": "google"}));
    let error = why(read_as(&pages, &provider, &item(api.url(), ""), BOB).await.expect_err("no token"));
    assert!(error.contains("not connected"), "{error}");
    assert_eq!(api.requests(), []);
    assert!(read_as(&pages, &provider, &item(site.url(), ""), BOB).await.is_ok());
}

#[tokio::test]
async fn headers_are_the_providers_over_ours() {
    let site = Source::start().await;
    site.reply(html());
    let pages = pages(&[&site]);
    let own_name = format!("Tributary/{}", domain::VERSION);
    let table: [(Value, Option<&str>, bool); 4] = [
        (json!({}), Some(own_name.as_str()), true),
        (json!({"User-Agent": "bot/1", "Accept": "text/plain"}), Some("bot/1"), true),
        (json!({"user-agent": ""}), None, true),
        (json!({"Accept": ""}), Some(own_name.as_str()), false),
    ];
    for (headers, name, accepts) in table {
        let config = json!({"page_fetch_config_json": {"cache": "", "headers": headers}});
        let provider = provider("https://api.example/", config);
        assert!(read(&pages, &provider, &item(site.url(), "")).await.is_ok());
        let asked = site.requests().pop().expect("a request");
        assert_eq!(asked.header("user-agent"), name, "{headers}");
        // A client without a preference accepts everything.
        let accept = asked.header("accept").filter(|accept| *accept != "*/*");
        assert_eq!(accept.is_some(), accepts, "{headers}: {accept:?}");
    }
}

#[tokio::test]
async fn time_is_the_hosts_the_providers_or_the_callers() {
    let site = Source::start().await;
    site.reply(Behavior::Hang);
    let pages = pages(&[&site]);
    let table = [
        (json!({"cache": "", "timeout": 0.3}), 10.0),
        (json!({"cache": "", "timeout": 60, "127.0.0.1": {"timeout": 0.3}}), 10.0),
        (json!({"cache": "", "timeout": 60}), 0.3),
    ];
    for (config, seconds) in table {
        let provider = provider("https://api.example/", json!({"page_fetch_config_json": config}));
        let started = Instant::now();
        let (item, time_max) = (item(site.url(), ""), Duration::from_secs_f64(seconds));
        let wanted = DocumentRequest::of_result(&provider, &item, ANN, time_max);
        let error = why(pages.read(&wanted).await.expect_err("no answer"));
        assert!(error.contains("in time"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(9), "{config}");
    }
    let rag = json!({"swirl": {"rag": {"swirl_rag_fetch_timeout": 0.2}}});
    let started = Instant::now();
    let provider = provider("https://api.example/", json!({"config": rag}));
    assert!(read(&pages, &provider, &item(site.url(), "")).await.is_err());
    assert!(started.elapsed() < Duration::from_secs(9));
}

#[tokio::test]
async fn the_content_may_have_an_address_of_its_own() {
    let api = Source::start().await;
    api.reply_at("/items/a%2Fb/content", html());
    let template = api.url_at("/items/").to_string() + "{file.id}/content";
    let config = json!({"cache": "", "content_url": template});
    // The template is the provider's: its URL may be private, and receives the token.
    let more = json!({"page_fetch_config_json": config, "authenticator": "microsoft"});
    let provider = provider("", more);
    let payload = json!({"file": {"id": "a/b"}});
    let result = ResultItem {
        payload: payload.as_object().expect("an object").clone(),
        ..item("https://elsewhere.example/", "")
    };
    assert!(read(&pages(&[]), &provider, &result).await.is_ok());
    let asked = api.requests().pop().expect("a request");
    assert_eq!(asked.header("authorization"), Some("Bearer token-of-ann-for-microsoft"));
    assert_eq!(
        read(&pages(&[]), &provider, &item("https://a.example/", "")).await,
        Err(PageError::NoAddress)
    );
}

#[tokio::test]
async fn types_are_asked_for_or_looked_at() {
    let api = Source::start().await;
    api.reply(html());
    let about = |kind: &str| Behavior::Json(json!({"file": {"mimeType": kind}}));
    let base = api.url().to_string();
    let config = |more: Value| {
        let mut config = json!({"cache": "", "mimetype_whitelist": ["text/html", "application/*"]});
        config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        provider(&base, json!({"page_fetch_config_json": config}))
    };
    let pages = pages(&[]);
    let lookup = json!({"mimetype_url": base.clone() + "about", "mimetype_path": "file.mimeType"});
    api.reply_at("/about", about("text/html; charset=x"));
    assert!(read(&pages, &config(lookup.clone()), &item(api.url_at("/page"), "")).await.is_ok());
    for (behavior, expected) in [
        (about("image/png"), "type image/png"),
        (Behavior::Json(json!({})), "does not contain the type"),
        (Behavior::text("text/html", "x"), "not JSON"),
        (Behavior::status(500), "status 500"),
    ] {
        api.reply_at("/about", behavior);
        let before = api.requests().len();
        let error = why(read(&pages, &config(lookup.clone()), &item(api.url_at("/page"), ""))
            .await
            .expect_err(expected));
        assert!(error.contains(expected), "{error}");
        assert_eq!(api.requests().len(), before + 1, "the content is not fetched");
    }
    assert!(read(&pages, &config(json!({})), &item(api.url_at("/page"), "")).await.is_ok());
    api.reply(Behavior::text("text/csv", "a,b"));
    let error =
        why(read(&pages, &config(json!({})), &item(api.url_at("/page"), "")).await.expect_err("a list"));
    assert!(error.contains("type text/csv"), "{error}");
}

#[tokio::test]
async fn another_service_is_asked_when_the_page_fails() {
    let (site, service, api) = (Source::start().await, Source::start().await, Source::start().await);
    service.reply(Behavior::Json(json!({"objects": [{"title": "By Diffbot", "text": "The river rose."}]})));
    let diffbot = json!({"token": "canary-token", "url": service.url_at("/v3").as_str(),
        "127.0.0.1": {"extract_entity": "article"}});
    let config = json!({"cache": "", "fallback": "diffbot", "diffbot": diffbot});
    let rivers = provider(api.url().as_str(), json!({"page_fetch_config_json": config}));
    let pages = pages(&[&site]);

    site.reply(html());
    assert_eq!(read(&pages, &rivers, &item(site.url(), "")).await.expect("a page").title, "Flood report");
    assert_eq!(service.requests(), []);

    site.reply(Behavior::status(403));
    let found = read(&pages, &rivers, &item(site.url_at("/p?x=1"), "")).await.expect("a page");
    assert_eq!((found.title.as_str(), found.text.as_str()), ("By Diffbot", "The river rose."));
    let asked = service.requests().pop().expect("a request");
    assert_eq!(asked.path, "/v3/article");
    assert_eq!(asked.query_value("url"), Some(site.url_at("/p?x=1").as_str()));
    assert_eq!(asked.query_value("token"), Some("canary-token"));

    // Private pages and the provider's own are not sent to a third party.
    let before = service.requests().len();
    for url in ["http://169.254.169.254/".to_owned(), api.url().to_string()] {
        assert!(read(&pages, &rivers, &item(url, "")).await.is_err());
    }
    assert_eq!(service.requests().len(), before);

    for (behavior, expected) in [
        (Behavior::status(500), "status 500"),
        (Behavior::Json(json!({"errorCode": 401, "error": "Not authorized"})), "contains none"),
        (Behavior::text("text/html", "x"), "not JSON"),
    ] {
        service.reply(behavior);
        let error = why(read(&pages, &rivers, &item(site.url(), "")).await.expect_err(expected));
        assert!(error.contains("HTTP 403") && error.contains(expected), "{error}");
        assert!(!error.contains("canary"), "{error}");
    }
}
