//! Black-box tests of authenticators: connecting accounts, searching with a person's own token, signing in, and
//! everything that must be rejected.

mod bearer;
mod browser;
mod connecting;
mod real_provider;
mod refresh_failures;
mod sign_in;
mod token_isolation;
mod tokens_at_rest;

use crate::app_harness::{Answer, AppHarness, Client};
use fakes::identity_provider::{CLIENT, CLIENT_SECRET, FakeIdp};
use serde_json::{Value, json};

/// Saves an authenticator for the fake identity provider.
async fn authenticator(app: &AppHarness, idp: &FakeIdp, more: Value) -> Value {
    let mut spec = json!({
        "idp": "hub", "name": "Hub", "client_id": CLIENT, "client_secret": CLIENT_SECRET,
        "auth_uri": idp.url("/authorize"), "token_uri": idp.url("/token"), "revoke_uri": idp.url("/revoke"),
        "user_data_url": idp.url("/userinfo"), "scopes": "files offline",
    });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.body
}

/// A provider that is queried at the fake identity provider with the person's own token.
async fn files(app: &AppHarness, idp: &FakeIdp) {
    let spec = json!({
        "name": "Files", "url": idp.url("/search"), "query_template": "{url}?q={query_string}",
        "authenticator": "hub", "response_mappings": "FOUND=total,RESULTS=items",
        "result_mappings": "title=title,body=body,url=url",
    });
    let answer = app.admin.post("/svc/searchproviders/", &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

/// Agrees at the identity provider as `account` and returns the address to which the browser is redirected.
async fn authorize_as(auth_url: &str, account: &str) -> String {
    let answer = Client::new("", None).get(&format!("{auth_url}&account={account}")).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    answer.header("location").to_owned()
}

/// Begins to connect and authorizes as `account`. Returns the address to which the browser is redirected.
async fn authorize_connection(client: &Client, account: &str) -> String {
    let begun = client.post_nothing("/svc/authenticators/hub/connect/?next=/?q=tea").await;
    assert_eq!(begun.status, 200, "{begun:?}");
    authorize_as(begun.body["auth_url"].as_str().unwrap(), account).await
}

/// Connects an account of the fake identity provider.
async fn connect(client: &Client, account: &str) -> Answer {
    let place = authorize_connection(client, account).await;
    client.get(&path_of(&place)).await
}

/// Path and query of an address of the service.
fn path_of(address: &str) -> String {
    let url = url::Url::parse(address).unwrap();
    format!("{}?{}", url.path(), url.query().unwrap_or_default())
}

/// Searches for a unique query: equal concurrent requests of one person are merged.
async fn search_for(client: &Client, number: usize) -> (String, Vec<String>, Value) {
    search_at(client, &format!("/svc/search/?qs=river%20{number}")).await
}

/// Searches; returns the status of the provider, the titles of the results, and the messages.
async fn search(client: &Client) -> (String, Vec<String>, Value) {
    search_at(client, "/svc/search/?qs=river").await
}

async fn search_at(client: &Client, path: &str) -> (String, Vec<String>, Value) {
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
