//! `/svc/users/` and `/svc/users/me/`.

use crate::app_harness::{Answer, AppHarness};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

async fn me_by_password(app: &AppHarness, username: &str, password: &str) -> Answer {
    let pair = BASE64_STANDARD.encode(format!("{username}:{password}"));
    app.with_header(&format!("Basic {pair}")).get("/svc/users/me/").await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_user() {
    let app = AppHarness::start().await;
    app.admin.post("/svc/groups/", &json!({"name": "research"})).await;
    let spec = json!({
        "username": "rosa", "password": "long enough", "email": "rosa@example.org",
        "groups": ["research"], "is_admin": false,
    });
    let made = app.admin.post("/svc/users/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    insta::assert_json_snapshot!(made.body, {
        ".id" => "[id]", ".date_created" => "[time]", ".date_updated" => "[time]",
    }, @r#"
    {
      "id": "[id]",
      "username": "rosa",
      "email": "rosa@example.org",
      "is_admin": false,
      "groups": [
        "research"
      ],
      "date_created": "[time]",
      "date_updated": "[time]"
    }
    "#);
    let path = format!("/svc/users/{}/", made.body["id"]);
    assert_eq!(app.admin.get(&path).await.body, made.body);
    assert_eq!(me_by_password(&app, "rosa", "long enough").await.body, made.body);

    let patched = app.admin.patch(&path, &json!({"email": "r@example.org"})).await.body;
    assert_eq!((&patched["email"], &patched["groups"]), (&json!("r@example.org"), &json!(["research"])));
    assert_eq!(me_by_password(&app, "rosa", "long enough").await.status, 200, "the password stays");

    let put = app.admin.put(&path, &json!({"username": "rosalind"})).await.body;
    assert_eq!((&put["email"], &put["groups"]), (&json!(""), &json!([])));
    assert_eq!(me_by_password(&app, "rosalind", "long enough").await.status, 200, "without one it stays");
    assert_eq!(me_by_password(&app, "rosa", "long enough").await.status, 401);

    let put = app.admin.put(&path, &json!({"username": "rosalind", "password": "another one"})).await;
    assert_eq!(put.status, 200);
    assert_eq!(me_by_password(&app, "rosalind", "another one").await.status, 200);
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(app.admin.get(&path).await.status, 404);
    assert_eq!(app.admin.delete(&path).await.status, 404);
    assert_eq!(me_by_password(&app, "rosalind", "another one").await.status, 401);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_goes_in_and_never_comes_out() {
    let app = AppHarness::start().await;
    let spec = json!({"username": "rosa", "password": "canary-password"});
    let made = app.admin.post("/svc/users/", &spec).await;
    let path = format!("/svc/users/{}/", made.body["id"]);
    let answers = [
        made,
        app.admin.get(&path).await,
        app.admin.get("/svc/users/").await,
        app.admin.get("/svc/users/?page=1").await,
        app.admin.patch(&path, &json!({"password": "canary-password2"})).await,
        app.admin.put(&path, &json!({"username": "rosa", "password": "canary-password"})).await,
        me_by_password(&app, "rosa", "canary-password").await,
        app.admin.post("/svc/users/", &json!({"username": "bad name", "password": "canary-password"})).await,
        app.admin.post("/svc/users/", &spec).await,
    ];
    for answer in answers {
        let text = answer.body.to_string();
        assert!(!text.contains("canary") && !text.contains("argon2"), "{text}");
        assert!(answer.body.get("password").is_none(), "{text}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named() {
    let app = AppHarness::start().await;
    let admin = app.admin.get("/svc/users/me/").await.body;
    let victor = json!({"username": "victor", "password": "long enough"});
    let path = format!("/svc/users/{}/", app.admin.post("/svc/users/", &victor).await.body["id"]);
    let with = |more: Value| {
        let mut spec = json!({"username": "new", "password": "long enough"});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        spec
    };
    let cases = [
        (json!({}), "username"),
        (json!({"username": "new"}), "password"),
        (with(json!({"username": ""})), "username"),
        (with(json!({"username": "a b"})), "username"),
        (with(json!({"username": "a:b"})), "username"),
        (with(json!({"username": "u".repeat(151)})), "username"),
        (with(json!({"password": "seven77"})), "password"),
        (with(json!({"password": "p".repeat(257)})), "password"),
        (with(json!({"email": "e".repeat(255)})), "email"),
        (with(json!({"email": "no mail"})), "email"),
        (with(json!({"email": "new@"})), "email"),
        (with(json!({"groups": ["nobody"]})), "groups"),
        (with(json!({"is_admin": "yes"})), "is_admin"),
        (with(json!({"groups": "research"})), "groups"),
    ];
    for (spec, field) in cases {
        let answer = app.admin.post("/svc/users/", &spec).await;
        assert_eq!(answer.status, 400, "{spec}: {answer:?}");
        assert!(answer.body["errors"][field].is_array(), "{spec}: {}", answer.body);
    }
    let unknown = app.admin.post("/svc/users/", &with(json!({"groups": ["nobody"]}))).await;
    assert_eq!(unknown.status, 400, "{unknown:?}");
    assert!(unknown.body["detail"].as_str().unwrap().contains("group 'nobody'"), "{}", unknown.body);
    for answer in [
        app.admin.post("/svc/users/", &victor).await,
        app.admin.post("/svc/users/", &with(json!({"username": "VICTOR"}))).await,
        app.admin.patch(&path, &json!({"username": "admin"})).await,
        app.admin.put(&path, &json!({"username": "admin"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
        assert!(answer.body["errors"]["username"].is_array(), "{}", answer.body);
    }
    let all = app.admin.get("/svc/users/").await.body;
    assert_eq!(all.as_array().unwrap().len(), 2, "nothing was stored: {all}");
    assert_eq!(all[0], admin);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_administrator_stays() {
    let app = AppHarness::start().await;
    let own = format!("/svc/users/{}/", app.admin.get("/svc/users/me/").await.body["id"]);
    for answer in [
        app.admin.delete(&own).await,
        app.admin.patch(&own, &json!({"is_admin": false})).await,
        app.admin.put(&own, &json!({"username": "admin"})).await,
    ] {
        assert_eq!((answer.status.as_u16(), answer.code()), (409, "conflict"), "{answer:?}");
    }
    assert_eq!(app.admin.get("/svc/users/me/").await.body["is_admin"], true);

    let second = json!({"username": "second", "password": "long enough", "is_admin": true});
    let made = app.admin.post("/svc/users/", &second).await.body;
    let yourself = app.admin.delete(&own).await;
    assert_eq!(yourself.status, 409, "nobody deletes themselves: {yourself:?}");
    let pair = BASE64_STANDARD.encode("second:long enough");
    let second = app.with_header(&format!("Basic {pair}"));
    assert_eq!(second.delete(&own).await.status, 204, "another administrator may");
    assert_eq!(app.admin.get("/svc/users/me/").await.status, 401);
    let left = second.delete(&format!("/svc/users/{}/", made["id"])).await;
    assert_eq!(left.status, 409);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_may_step_down_if_there_is_another() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    let path = |me: Answer| format!("/svc/users/{}/", me.body["id"]);
    let own = path(app.admin.get("/svc/users/me/").await);
    let other = path(ann.get("/svc/users/me/").await);
    assert_eq!(app.admin.patch(&other, &json!({"is_admin": true})).await.status, 200);
    assert_eq!(app.admin.patch(&own, &json!({"is_admin": false})).await.status, 200);
    let refused = app.admin.delete(&other).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "permission_denied"), "{refused:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_and_me() {
    let app = AppHarness::start().await;
    for name in ["b", "a"] {
        let spec = json!({"username": name, "password": "long enough"});
        assert_eq!(app.admin.post("/svc/users/", &spec).await.status, 201);
    }
    let all = app.admin.get("/svc/users/").await;
    let names: Vec<&str> =
        all.body.as_array().unwrap().iter().map(|row| row["username"].as_str().unwrap()).collect();
    assert_eq!((names, all.header("x-total-count")), (vec!["admin", "b", "a"], "3"));
    let page = app.admin.get("/svc/users/?page=2&items=2").await.body;
    assert_eq!((&page["count"], &page["results"][0]["username"]), (&json!(3), &json!("a")));
    assert_eq!(page["previous"], format!("{}/svc/users/?page=1&items=2", app.base));

    let rosa = app.user("rosa", &["research", "archive"]).await;
    let me = rosa.get("/svc/users/me/").await;
    assert_eq!(me.body["groups"], json!(["archive", "research"]));
    assert_eq!(me.body, app.admin.get(&format!("/svc/users/{}/", me.body["id"])).await.body);
    app.stop().await;
}

/// Deleting a user deletes their private records; shared providers remain.
#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_user_takes_their_private_things() {
    let app = AppHarness::start().await;
    let second = json!({"username": "second", "password": "long enough", "is_admin": true});
    let id = app.admin.post("/svc/users/", &second).await.body["id"].clone();
    let pair = BASE64_STANDARD.encode("second:long enough");
    let client = app.with_header(&format!("Basic {pair}"));
    for (name, shared) in [("Shared", true), ("Private", false)] {
        let spec = json!({
            "name": name, "shared": shared, "url": "https://x.example/", "response_mappings": "RESULTS=a",
            "default": false,
        });
        assert_eq!(client.post("/svc/searchproviders/", &spec).await.body["owner"], "second");
    }
    client.search(&json!({"query_string": "x"})).await;
    assert_eq!(app.admin.delete(&format!("/svc/users/{id}/")).await.status, 204);
    let left = app.admin.get("/svc/searchproviders/").await.body;
    assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
    assert_eq!((&left[0]["name"], &left[0]["owner"]), (&json!("Shared"), &json!("admin")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_change_their_own_mail_address_and_nothing_else() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &["research"]).await;
    let given = json!({"email": "ann@example.org", "is_admin": true, "username": "root", "groups": []});
    let changed = ann.patch("/svc/users/me/", &given).await;
    assert_eq!((changed.status.as_u16(), &changed.body["email"]), (200, &json!("ann@example.org")));
    let me = ann.get("/svc/users/me/").await.body;
    assert_eq!(
        (&me["username"], &me["is_admin"], &me["groups"]),
        (&json!("ann"), &json!(false), &json!(["research"]))
    );
    assert_eq!(ann.patch("/svc/users/me/", &json!({})).await.body, me, "nothing given, nothing changed");
    let long = ann.patch("/svc/users/me/", &json!({"email": "x".repeat(255)})).await;
    assert_eq!((long.status.as_u16(), long.body["errors"].get("email").is_some()), (400, true));
    assert_eq!(me_by_password(&app, "ann", "password of ann").await.status, 200, "the password stays");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    use crate::browser::{Browser, csrf_of};
    use domain::settings::{Settings, Throttle};
    let app =
        AppHarness::with(|settings| Settings { throttle_login: Throttle::per_minute(4), ..settings }).await;
    let ann = app.user("ann", &[]).await;
    let mut here = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let mut elsewhere = Browser::signed_in(&app.base, "ann", "password of ann").await;
    let path = "/svc/users/me/password/";
    let short = ann.post(path, &json!({"current": "password of ann", "new": "short"})).await;
    assert_eq!((short.status.as_u16(), short.body["errors"].get("new").is_some()), (400, true), "{short:?}");
    let wrong = ann.post(path, &json!({"current": "wrong", "new": "long enough"})).await;
    assert_eq!((wrong.status.as_u16(), wrong.body["errors"].get("current").is_some()), (400, true));

    let csrf = csrf_of(&here.get("/account/").await);
    let body = json!({"current": "password of ann", "new": "another password"}).to_string();
    let request = here.request(reqwest::Method::POST, path);
    let request = request.header("Content-Type", "application/json").header("X-CSRF-Token", &csrf).body(body);
    let changed = here.send(request).await;
    assert_eq!((changed.status.as_u16(), &changed.body["username"]), (200, &json!("ann")), "{changed:?}");
    assert_eq!(here.get("/svc/users/me/").await.status, 200, "this session goes on");
    assert_eq!(elsewhere.get("/svc/users/me/").await.status, 401, "the others do not");
    assert_eq!(me_by_password(&app, "ann", "password of ann").await.status, 401);
    assert_eq!(me_by_password(&app, "ann", "another password").await.status, 200);
    let noted = app.admin.get("/svc/audit/?kind=user&actor=ann").await.body;
    assert!(!noted.as_array().unwrap().is_empty() && !noted.to_string().contains("another password"));

    let mut codes = Vec::new();
    for _ in 0..6 {
        codes.push(ann.post(path, &json!({"current": "wrong", "new": "long enough"})).await.status.as_u16());
    }
    assert!(codes.starts_with(&[400]) && codes.ends_with(&[429]), "guesses are slowed down: {codes:?}");
    app.stop().await;
}
