//! One record of every editable kind, with edits of it.

use crate::app_harness::{AppHarness, Client, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

/// The value of a field in a round; different in every round.
type ValueOf = fn(usize) -> Value;

pub struct Record {
    /// The path as in the OpenAPI document.
    pub route: &'static str,
    pub path: String,
    /// A client that may edit the record.
    pub client: Client,
    /// Fields that can be changed individually.
    pub patches: Vec<(&'static str, ValueOf)>,
    /// A complete record, if it can be replaced.
    pub put: Option<ValueOf>,
    pub is_deletable: bool,
}

fn text(round: usize) -> Value {
    json!(format!("text {round}"))
}

fn word(round: usize) -> Value {
    json!(format!("word{round}"))
}

fn list(round: usize) -> Value {
    json!([format!("tag {round}")])
}

fn flag(round: usize) -> Value {
    json!(round.is_multiple_of(2))
}

fn number(round: usize) -> Value {
    json!(round + 11)
}

fn groups(round: usize) -> Value {
    let group = ["red", "blue", "green"][round % 3];
    json!([group])
}

fn mail(round: usize) -> Value {
    json!(format!("m{round}@example.org"))
}

fn rules(round: usize) -> Value {
    json!(format!("mobiles,mobile{round}"))
}

fn provider(round: usize) -> Value {
    json!({
        "name": format!("Rivers {round}"), "url": "http://127.0.0.1:1/", "description": format!("d{round}"),
        "query_template": "{url}?q={query_string}", "credentials": format!("key={round}"),
        "response_mappings": "RESULTS=items", "result_mappings": "title=title,body=body,url=url",
    })
}

fn user(round: usize) -> Value {
    json!({"username": "ulla", "email": mail(round), "groups": groups(round), "is_admin": flag(round)})
}

fn ai_provider(round: usize) -> Value {
    json!({"name": "Spare", "model": format!("m{round}"), "active": false,
           "config": {"api_base": "http://127.0.0.1:1"}})
}

fn authenticator(round: usize) -> Value {
    json!({"idp": "ours", "name": format!("Ours {round}"), "client_id": format!("c{round}"), "active": false,
           "auth_uri": "https://id.example/a", "token_uri": "https://id.example/t"})
}

fn prompt(round: usize) -> Value {
    json!({"name": "spare", "prompt": format!("Answer {{query}} {round}"), "tags": ["search-rag"]})
}

fn transform(round: usize) -> Value {
    json!({"name": "phones", "qrx_type": "rewrite", "config_content": rules(round), "shared": flag(round)})
}

fn branding(round: usize) -> Value {
    json!({"name": format!("Ours {round}"), "product": format!("Product {round}")})
}

fn processors(round: usize) -> Value {
    let all = ["CosineRelevancyPostResultProcessor", "DedupeByFieldPostResultProcessor"];
    json!([all[round % 2]])
}

async fn create_record(client: &Client, list: &str, spec: Value) -> String {
    let answer = client.post(list, &spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert!(!answer.header("ETag").is_empty(), "{list} answers without a version");
    format!("{list}{}/", answer.body["id"])
}

/// The paths of a finished search's result and of the search itself.
async fn search_and_result(app: &AppHarness, client: &Client) -> (String, String) {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("Lakes", 2)));
    app.provider("Lakes", &source).await;
    let search = client.search(&json!({"query_string": "lakes", "searchprovider_list": ["Lakes"]})).await;
    let id = search["id"].as_i64().unwrap();
    let mixed = client.get(&format!("/svc/results/?search_id={id}")).await.body;
    let result = mixed["results"][0]["swirl_id"].as_i64().expect("a result");
    (format!("/svc/search/{id}/"), format!("/svc/results/{result}/"))
}

/// One record of every kind in a new installation.
#[expect(clippy::too_many_lines, reason = "a table with one row for each kind of record")]
pub async fn records(app: &AppHarness) -> Vec<Record> {
    let (admin, ann) = (app.admin.clone(), app.user("ann", &["red", "blue", "green"]).await);
    let (search, result) = search_and_result(app, &ann).await;
    let pipeline = admin.get("/svc/pipelines/").await.body[0]["id"].as_i64().unwrap();
    let schedule = admin.get("/svc/schedules/").await.body[0]["name"].as_str().unwrap().to_owned();
    let record = |route: &'static str, path: String, client: &Client| Record {
        route,
        path,
        client: client.clone(),
        patches: Vec::new(),
        put: None,
        is_deletable: false,
    };
    let user_path = {
        let spec = json!({"username": "ulla", "password": "password of ulla"});
        create_record(&admin, "/svc/users/", spec).await
    };
    vec![
        Record {
            patches: vec![
                ("tags", list),
                ("description", text),
                ("results_per_query", number),
                ("active", flag),
                ("default", flag),
            ],
            put: Some(provider),
            is_deletable: true,
            ..record(
                "/svc/searchproviders/{id}/",
                create_record(&admin, "/svc/searchproviders/", provider(0)).await,
                &admin,
            )
        },
        Record {
            patches: vec![("email", mail), ("groups", groups), ("is_admin", flag)],
            put: Some(user),
            is_deletable: true,
            ..record("/svc/users/{id}/", user_path, &admin)
        },
        Record {
            patches: vec![("email", mail)],
            ..record("/svc/users/me/", "/svc/users/me/".to_owned(), &ann)
        },
        Record {
            patches: vec![("name", word)],
            put: Some(|round| json!({"name": format!("group{round}")})),
            is_deletable: true,
            ..record(
                "/svc/groups/{id}/",
                create_record(&admin, "/svc/groups/", json!({"name": "people"})).await,
                &admin,
            )
        },
        Record {
            patches: vec![("name", word), ("config_content", rules), ("shared", flag)],
            put: Some(transform),
            is_deletable: true,
            ..record(
                "/svc/querytransforms/{id}/",
                create_record(&admin, "/svc/querytransforms/", transform(0)).await,
                &admin,
            )
        },
        Record {
            patches: vec![("name", text), ("model", word), ("tags", |_| json!(["rag"])), ("shared", flag)],
            put: Some(ai_provider),
            is_deletable: true,
            ..record(
                "/svc/aiproviders/{id}/",
                create_record(&admin, "/svc/aiproviders/", ai_provider(0)).await,
                &admin,
            )
        },
        Record {
            patches: vec![("name", text), ("client_id", word), ("scopes", text)],
            put: Some(authenticator),
            is_deletable: true,
            ..record(
                "/svc/authenticators/{id}/",
                create_record(&admin, "/svc/authenticators/", authenticator(0)).await,
                &admin,
            )
        },
        Record {
            patches: vec![("prompt", text), ("footer", text), ("note", text)],
            put: Some(prompt),
            is_deletable: true,
            ..record("/svc/prompts/{id}/", create_record(&ann, "/svc/prompts/", prompt(0)).await, &ann)
        },
        Record {
            patches: vec![("processors", processors)],
            put: Some(|round| json!({"processors": processors(round)})),
            ..record("/svc/pipelines/{id}/", format!("/svc/pipelines/{pipeline}/"), &admin)
        },
        Record {
            patches: vec![("every_seconds", |round| json!(round + 7200)), ("enabled", flag)],
            ..record("/svc/schedules/{id}/", format!("/svc/schedules/{schedule}/"), &admin)
        },
        Record {
            put: Some(branding),
            is_deletable: true,
            ..record(
                "/svc/brandings/{id}/",
                create_record(&admin, "/svc/brandings/", branding(0)).await,
                &admin,
            )
        },
        Record {
            put: Some(|round| json!({"domains": [{"domain": format!("d{round}.example"), "wish": "raise"}]})),
            ..record("/svc/preferences/", "/svc/preferences/".to_owned(), &ann)
        },
        Record {
            patches: vec![("title", text), ("searchprovider_list", list)],
            is_deletable: true,
            ..record(
                "/svc/chat/{id}/",
                create_record(&ann, "/svc/chat/", json!({"title": "A talk"})).await,
                &ann,
            )
        },
        Record {
            patches: vec![("title", text), ("body", text), ("author", text)],
            put: Some(
                |round| json!({"title": format!("t{round}"), "body": "b", "url": "https://lakes.example/9"}),
            ),
            is_deletable: true,
            ..record("/svc/results/{id}/", result, &ann)
        },
        Record {
            patches: vec![
                ("tags", list),
                ("retention", |round| json!(round % 4)),
                ("results_requested", number),
            ],
            put: Some(|round| {
                json!({
                    "query_string": "lakes", "searchprovider_list": ["Lakes"], "results_requested": number(round),
                })
            }),
            is_deletable: true,
            ..record("/svc/search/{id}/", search, &ann)
        },
    ]
}
