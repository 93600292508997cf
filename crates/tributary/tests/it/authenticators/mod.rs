//! Services that sign people in or give out their tokens, from outside: connecting, searching with one's own token,
//! signing in, and all that must be refused.

mod bearer;
mod browser;
mod connecting;
mod failures;
mod hub;
mod people;
mod real_provider;
mod sealed;
mod sharing;

use crate::app_harness::{Answer, AppHarness, Client};
use hub::Hub;
use serde_json::{Value, json};

/// An authenticator for the hub, saved by the administrator.
async fn authenticator(app: &AppHarness, hub: &Hub, more: Value) -> Value {
    let mut spec = json!({
        "idp": "hub", "name": "Hub", "client_id": hub::CLIENT, "client_secret": hub::CLIENT_SECRET,
        "auth_uri": hub.url("/authorize"), "token_uri": hub.url("/token"), "revoke_uri": hub.url("/revoke"),
        "user_data_url": hub.url("/userinfo"), "scopes": "files offline",
    });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body
}

/// A provider whose source is the hub, asked with the person's own token.
async fn files(app: &AppHarness, hub: &Hub) {
    let spec = json!({
        "name": "Files", "url": hub.url("/search"), "query_template": "{url}?q={query_string}",
        "authenticator": "hub", "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=title,body=body,url=url",
    });
    let answer = app.admin.post("/svc/searchproviders/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

/// Begins to connect, agrees at the hub as `account`, and gives back where the hub sends the browser.
async fn agreed(client: &Client, hub: &Hub, account: &str) -> String {
    let begun = client.post_nothing("/svc/authenticators/hub/connect/?next=/?q=tea").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    hub.agree(begun.body["auth_url"].as_str().unwrap(), account).await
}

/// Connects an account of the hub.
async fn connect(client: &Client, hub: &Hub, account: &str) -> Answer {
    let place = agreed(client, hub, account).await;
    client.get(&path_of(&place)).await
}

/// Path and query of an address of ours.
fn path_of(address: &str) -> String {
    let url = url::Url::parse(address).unwrap();
    format!("{}?{}", url.path(), url.query().unwrap_or_default())
}

/// Searches for something that nobody else searches for: equal calls of one person at once are one.
async fn search_for(client: &Client, number: usize) -> (String, Vec<String>, Value) {
    searched(client, &format!("/svc/search/?qs=river%20{number}")).await
}

/// Searches, and says how the hub's source ended and what it found.
async fn search(client: &Client) -> (String, Vec<String>, Value) {
    searched(client, "/svc/search/?qs=river").await
}

async fn searched(client: &Client, path: &str) -> (String, Vec<String>, Value) {
    let mixed = client.get(path).await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    let status = mixed.body["info"]["Files"]["status"].as_str().unwrap_or_default().to_owned();
    let titles = mixed.body["results"].as_array().unwrap().iter();
    let titles = titles.filter(|one| one["searchprovider"] == "Files");
    let titles = titles.map(|one| one["title"].as_str().unwrap().replace("<em>", "").replace("</em>", ""));
    (status, titles.collect(), mixed.body)
}

impl Client {
    /// POST without a body.
    async fn post_nothing(&self, path: &str) -> Answer {
        Answer::of(self.request(reqwest::Method::POST, path)).await
    }
}
