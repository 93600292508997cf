//! What is masked, and what stays.

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
        ("GET https://h.example/s?q=tea%20pot&page=2 failed", "GET https://h.example/s?q=••••&page=2 failed"),
        ("sent S3CRET-value to h", "sent •••• to h"),
        ("postgres://me:pw@db:5432/x is away", "postgres://••••@db:5432/x is away"),
        ("nats://token@n:4222, nats://n2:4222", "nats://••••@n:4222, nats://n2:4222"),
        ("https://h.example/?api_key=abc&n=2", "https://h.example/?api_key=••••&n=2"),
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
    ] {
        let _masked = redaction().line(line);
    }
}
