//! Tests of the redaction.

use super::*;
use serde_json::json;

fn redaction() -> Redaction {
    let names = ["anna", "rosa.b", "admin", "al", "42", "max@firm.example"];
    Redaction::new(KnownSecrets::of_texts(["S3CRET-value"]), names.map(str::to_owned))
}

#[test]
fn log_lines_lose_secrets_queries_and_names() {
    let table = [
        (
            r#"2026-01-01T00:00:00Z  INFO request{request.id=a1}: server: login: zoe signed in user.id=5 user="zoe" way="form""#,
            r#"2026-01-01T00:00:00Z  INFO request{request.id=a1}: server: login: •••• signed in user.id=5 user=•••• way="form""#,
        ),
        (r#"answered 200 http.status=200 user="-""#, r#"answered 200 http.status=200 user="-""#),
        ("x query=three blue rivers duration_ms=3", "x query=•••• duration_ms=3"),
        ("search{query=blue river id=3}: ended", "search{query=•••• id=3}: ended"),
        ("search{id=3 query=blue river}: ended", "search{id=3 query=••••}: ended"),
        (r#"a search.query="say \"tea\" now" b=1"#, "a search.query=•••• b=1"),
        (
            "GET https://h.example/s?q=tea%20pot&page=2 failed",
            "GET https://h.example/s?q=••••&page=•••• failed",
        ),
        ("query=tea a=b hidden", "query=••••"),
        ("query=tea error=x hidden", "query=•••• error=x hidden"),
        ("query = tea pot", "query = ••••"),
        ("search{query=blue} river}: ended", "search{query=••••}: ended"),
        ("GET /s?search=tea&x[0]=pot#q=milk: 404", "GET /s?search=••••&x[0]=••••#q=••••: 404"),
        ("url (https://h.example/s?tea+pot): refused", "url (https://h.example/s?••••): refused"),
        ("is it there? yes, page=2 of 2", "is it there? yes, page=2 of 2"),
        ("https://h.example/?q=tea%20pot has no tea pot", "https://h.example/?q=•••• has no ••••"),
        (r#"sent {"query": "tea \"pot", "size": 2}"#, r#"sent {"query": ••••, "size": 2}"#),
        (r#"body="{\"q\":\"tea\",\"n\":2}" x=1"#, r#"body="{\"q\":••••,\"n\":2}" x=1"#),
        (r#"{"fields":{"query":"blue riv"#, r#"{"fields":{"query":••••"#),
        ("sent S3CRET-value to h", "sent •••• to h"),
        ("postgres://me:pw@db:5432/x is away", "postgres://••••@db:5432/x is away"),
        ("nats://token@n:4222, nats://n2:4222", "nats://••••@n:4222, nats://n2:4222"),
        ("https://h.example/?api_key=abc&n=2", "https://h.example/?api_key=••••&n=••••"),
        ("User admin was created. Password: abcdef", "User admin was created. Password: ••••"),
        ("authorization: Token abc", "authorization: ••••"),
        ("got Bearer abcdefghijklmnop, and Basic auth", "got Bearer ••••, and Basic auth"),
        ("anna and annabel, rosa.b. wrote to max@firm.example", "•••• and annabel, ••••. wrote to ••••"),
        ("mail of eva@else.example", "mail of ••••"),
        ("al has 42 of admin", "al has 42 of admin"),
    ];
    for (line, expected) in table {
        assert_eq!(redaction().line(line), expected);
    }
}

#[test]
fn json_lines_stay_json_without_them() {
    let line = json!({"level": "INFO", "fields": {"message": "login: zoe signed in", "user": "zoe", "user.id": 5},
        "spans": [{"name": "search", "query": "blue river"}], "target": "anna's blue river"});
    let shown: Value = serde_json::from_str(&redaction().line(&line.to_string())).unwrap();
    assert_eq!(
        shown,
        json!({"level": "INFO", "fields": {"message": "login: •••• signed in", "user": "••••", "user.id": 5},
            "spans": [{"name": "search", "query": "••••"}], "target": "••••'s ••••"})
    );
    let unnamed = json!({"fields": {"message": "GET answered 200", "user": "-"}}).to_string();
    assert_eq!(redaction().line(&unnamed), unnamed);
}

/// Messages of JSON logs, errors of tasks and the report of the doctor contain fields themselves.
#[test]
fn no_query_leaves_inside_a_text_of_json_or_of_many_lines() {
    let planted = [
        "search{search.query=zinc harvest}: ended",
        "of https://h.example/?search=zinc+harvest&l=1 user=\"zoe\" query=zinc a=b harvest",
        "query=\"zinc harvest\" failed for zinc harvest",
    ];
    let hidden = |shown: &str| !["zinc", "harvest", "zoe"].iter().any(|word| shown.contains(word));
    for text in planted {
        let mut value =
            json!({"fields": {"message": text, "query": ["zinc"]}, "stuck": [{"last_error": text}]});
        let line = redaction().line(&value.to_string());
        assert!(serde_json::from_str::<Value>(&line).is_ok() && hidden(&line), "{line}");
        redaction().value(&mut value);
        assert!(hidden(&value.to_string()), "{value}");
    }
    let report = redaction().text(&format!("ok  database\n{}\n3 checks, 1 failed\n", planted.join("\n")));
    assert!(hidden(&report), "{report}");
    assert!(report.starts_with("ok  database\n") && report.ends_with("\n3 checks, 1 failed\n"), "{report}");
}

#[test]
fn no_line_panics() {
    for line in [
        "query=",
        "=",
        "query=\"",
        "user=é",
        "://",
        "://@",
        "é=é query=é=é",
        "{\"a",
        "q=\"\\\"",
        "Token ",
        "}query= }",
        "?é=é&é?",
        "/?é&=",
        "\"q\": ",
        "\\\"q\\\":\\\"é",
        "q = ",
        "a?q=x?q=y q=q=z",
    ] {
        let _masked = redaction().line(line);
    }
}
