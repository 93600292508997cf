//! The authorization matrix: the exact status of every route for every kind of caller. `SVC_TEST_WRITE=1` writes it to
//! `docs/permissions.md`.

use super::credentials::basic;
use super::expected::{Codes, EXPECTED};
use super::table::{Access, Body, EXPORT, PASSWORD, RAG_DETAIL, Resource, Row, TABLE, TOKENS};
use super::{Scenario, send};
use crate::app_harness::{ADMIN_PASSWORD, Answer, Client};
use domain::user::CURATORS;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The callers, in the order of the codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person {
    Nobody,
    /// A revoked token of the owner.
    Revoked,
    /// Ann, who owns the private records.
    Owner,
    /// A member of the group that may use the source, like Ann.
    Member,
    /// A user without a group.
    Other,
    /// A member of the group that may use the source, and a curator.
    Curator,
    Admin,
}

const PEOPLE: [(Person, &str); 7] = [
    (Person::Nobody, "nobody"),
    (Person::Revoked, "revoked token"),
    (Person::Owner, "owner"),
    (Person::Member, "group member"),
    (Person::Other, "other user"),
    (Person::Curator, "curator"),
    (Person::Admin, "administrator"),
];

/// Pages and page fragments that are in no other table.
const PIECES: &[Row] = &[
    piece("/search/{id}/answer/", Access::User, Resource::Search),
    piece("/chat/rail/", Access::User, Resource::None),
    piece("/chat/{id}/messages/{message}/", Access::User, Resource::Chat),
    piece("/admin/", Access::AdminPage, Resource::None),
    piece("/admin/{page}/", Access::AdminPage, Resource::None),
    piece("/admin/{page}/{record}/", Access::AdminPage, Resource::None),
];

const fn piece(path: &'static str, access: Access, resource: Resource) -> Row {
    Row { method: "GET", path, access, resource, body: Body::None }
}

/// All rows: first those that read, later those that delete, last those that end the session.
fn rows() -> Vec<&'static Row> {
    let turn = |row: &&Row| match row.method {
        _ if row.path == "/svc/swirl-logout/" => 4,
        _ if row.path == "/logout/" => 3,
        "DELETE" if row.path == TOKENS => 5,
        "DELETE" => 2,
        "GET" => 0,
        _ => 1,
    };
    let mut rows: Vec<&Row> = TABLE.iter().chain(PIECES).collect();
    rows.sort_by_key(turn);
    rows
}

fn expected(row: &Row) -> Codes {
    let found = EXPECTED.iter().find(|(name, _)| *name == row.name());
    found.unwrap_or_else(|| panic!("{} has no line among what is expected", row.name())).1
}

/// The scenario with a source that only a group may use; Ann is a member.
struct MatrixScenario {
    scenario: Scenario,
    client: Client,
    username: &'static str,
    password: String,
}

impl MatrixScenario {
    async fn start(person: Person) -> Self {
        let scenario = Scenario::without_lockout().await;
        let (app, admin) = (&scenario.app, &scenario.app.admin);
        let ann = scenario.ann.get("/svc/users/me/").await.body;
        let mut groups: Vec<String> = serde_json::from_value(ann["groups"].clone()).unwrap();
        groups.push("research".to_owned());
        let joined = admin.patch(&format!("/svc/users/{}/", ann["id"]), &json!({"groups": groups})).await;
        assert_eq!(joined.status, 200, "{joined:?}");
        let source = format!("/svc/searchproviders/{}/", scenario.provider);
        let hidden = admin.patch(&source, &json!({"shared": false, "groups": ["research"]})).await;
        assert_eq!(hidden.status, 200, "{hidden:?}");
        let (client, username) = match person {
            Person::Nobody => (app.anonymous(), ""),
            Person::Revoked => (revoked(&scenario).await, ""),
            Person::Owner => (scenario.ann.clone(), "ann"),
            Person::Member => (app.user("mia", &["research"]).await, "mia"),
            Person::Other => (app.user("otto", &[]).await, "otto"),
            Person::Curator => (app.user("cora", &["research", CURATORS]).await, "cora"),
            Person::Admin => (admin.clone(), "admin"),
        };
        let password = match username {
            "" => String::new(),
            "admin" => ADMIN_PASSWORD.to_owned(),
            name => format!("password of {name}"),
        };
        Self { scenario, client, username, password }
    }

    async fn ask(&self, row: &Row) -> Answer {
        let path = self.scenario.path(row).replace("{page}", "users").replace("{record}", "1");
        match row.path {
            EXPORT | RAG_DETAIL => {
                let more = if row.path == EXPORT { "&format=csv" } else { "" };
                send(&self.client, row, &format!("{path}?search_id={}{more}", self.scenario.search)).await
            }
            // Everybody sets the same password again, because other rows sign in with it.
            PASSWORD => {
                let body = json!({"current": self.password, "new": self.password});
                self.client.post(&path, &body).await
            }
            // This deletes all tokens, so the call uses the password. A caller without a password has no valid token
            // either.
            TOKENS if row.method == "DELETE" && !self.password.is_empty() => {
                let client = self.scenario.app.with_header(&basic(self.username, &self.password));
                send(&client, row, &path).await
            }
            _ => send(&self.client, row, &path).await,
        }
    }
}

/// True if the resource of the row belongs to Ann.
fn is_owners(scenario: &Scenario, row: &Row) -> bool {
    std::ptr::eq(scenario.allowed_client(row), &scenario.ann)
}

/// A client with a revoked token of the owner.
async fn revoked(scenario: &Scenario) -> Client {
    let made = scenario.ann.post("/svc/tokens/", &json!({"label": "lost"})).await.body;
    let client = scenario.app.with_header(&format!("Token {}", made["token"].as_str().unwrap()));
    assert_eq!(client.get("/svc/users/me/").await.status, 200);
    assert_eq!(scenario.ann.delete(&format!("/svc/tokens/{}/", made["id"])).await.status, 204);
    client
}

/// Calls every row as one person. Callers without permission must not have changed the owner's records.
async fn walk(person: Person) {
    let column = PEOPLE.iter().position(|(one, _)| *one == person).unwrap();
    let fixture = MatrixScenario::start(person).await;
    let mut mistakes = Vec::new();
    for row in rows() {
        let answer = fixture.ask(row).await;
        let (status, expected) = (answer.status.as_u16(), expected(row)[column]);
        if status != expected {
            mistakes.push(format!("{}: {status} instead of {expected} ({})", row.name(), answer.code()));
        }
        let is_refused = [401, 403, 404].contains(&status) && row.is_api();
        if is_refused && answer.body["request_id"].as_str().is_none_or(str::is_empty) {
            mistakes.push(format!("{}: another shape of refusal: {:?}", row.name(), answer.body));
        }
    }
    assert!(mistakes.is_empty(), "{person:?}:\n{}", mistakes.join("\n"));
    if [Person::Nobody, Person::Revoked, Person::Member, Person::Other].contains(&person) {
        let scenario = &fixture.scenario;
        for row in TABLE.iter().filter(|row| row.method == "GET" && is_owners(scenario, row)) {
            let kept = scenario.ann.get(&scenario.path(row)).await;
            assert_eq!(kept.status, 200, "{person:?} has changed {}", row.path);
        }
    }
    fixture.scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody() {
    walk(Person::Nobody).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_revoked() {
    walk(Person::Revoked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner() {
    walk(Person::Owner).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_of_the_group() {
    walk(Person::Member).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_user() {
    walk(Person::Other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_curator() {
    walk(Person::Curator).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator() {
    walk(Person::Admin).await;
}

/// Every expected line has its route, and every page of the server is in the table.
#[test]
fn the_table_is_complete() {
    let rows: BTreeSet<String> = rows().iter().map(|row| row.name()).collect();
    let lines: BTreeSet<String> = EXPECTED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(lines.len(), EXPECTED.len(), "a line is listed twice");
    assert_eq!(rows.symmetric_difference(&lines).collect::<Vec<_>>(), Vec::<&String>::new());

    let paths: BTreeSet<String> = rows.iter().map(|name| shape(name.split_once(' ').unwrap().1)).collect();
    let mut routes = Vec::new();
    routes_below(&PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../server/src/ui")), &mut routes);
    assert!(routes.len() >= 20, "{routes:?}");
    // One path represents all of its kind.
    let stands_for = |route: &str| match route {
        "/static/{*path}" => "/static/tributary.css".to_owned(),
        "/svc/oidc/{name}/login/" => "/svc/oidc/hub/login/".to_owned(),
        "/svc/callback/{name}/" => "/svc/callback/hub-callback/".to_owned(),
        "/branding/logo/{theme}/" => "/branding/logo/light/".to_owned(),
        election if election.starts_with("/review/{") => "/review/1/".to_owned(),
        other => shape(other),
    };
    let missing: Vec<&String> = routes.iter().filter(|route| !paths.contains(&stands_for(route))).collect();
    assert_eq!(missing, Vec::<&String>::new(), "pages that are in no table");
}

/// The path without the names of its parameters.
fn shape(path: &str) -> String {
    let part = |part: &str| if part.starts_with('{') { "{}".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn routes_below(folder: &Path, routes: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            routes_below(&path, routes);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let found = text.split(".route(").skip(1).filter_map(|rest| rest.split('"').nth(1));
        routes.extend(found.map(str::to_owned));
    }
}

const HEAD: &str = "# Permissions

<!-- Made by the test `authorization::matrix` with SVC_TEST_WRITE=1; edit the table of the test instead. -->

The exact status code that each call returns to each kind of caller. A test makes every one of these calls and fails on any \
other status.

- **nobody** sends no credentials; **revoked token** sends a token of the owner that was revoked.
- **owner** created the search, the chat, the prompt, the token and the cached document, and belongs to the group that may use \
the source.
- **group member** belongs to that group, **other user** to no group, **curator** to that group and to the group `curators`.
- **administrator** created the source and therefore sees its documents. An administrator has no access to searches, chats and \
other cached documents of other people.
- `404` means that even the existence of the record is private; `403` means that the record is visible and the permission is \
missing. A page redirects a caller who is not signed in to the sign-in page: `303`.

What each caller may do with a cached document is in [the second table](#cached-documents).

## Every call

";

fn page() -> String {
    let mut text = HEAD.to_owned();
    let names: Vec<&str> = PEOPLE.iter().map(|(_, name)| *name).collect();
    text += &format!("| Call | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    for row in TABLE.iter().chain(PIECES) {
        let codes = expected(row).map(|code| code.to_string()).join(" | ");
        text += &format!("| `{}` | {codes} |\n", row.name());
    }
    text + &super::documents::section()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "an environment variable decides whether the test writes the file"
)]
fn the_document_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/permissions.md");
    let page = page();
    if std::env::var("SVC_TEST_WRITE").is_ok() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/permissions.md is not fresh; run this test with SVC_TEST_WRITE=1");
}
