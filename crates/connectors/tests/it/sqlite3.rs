//! Sqlite3 connector against real files: values, counts, order, hostile queries, timeouts.

use crate::fixture::{answer, connector, context, query};
use domain::ports::{ConnectorError, ConnectorErrorKind, NormalizedPage, ProviderQuery};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::time::Duration;

const DOCUMENTS: &str = "
    create table documents (id integer primary key, title text, body text, published text, weight real, image blob);
    insert into documents (title, body, published, weight, image) values
        ('Flood warning', 'A gauge that warns.', '2020-01-01', 1.5, x'00ff'),
        ('It''s a flood', '100% water', '2022-01-01', null, null),
        ('Silt', 'No water here.', '2021-01-01', 2.0, null);
    create virtual table pages using fts5(title, body);
    insert into pages select title, body from documents;
";

async fn file(folder: &Path) -> String {
    let path = folder.join("fixture & garden?.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut connection = options.connect().await.expect("a database");
    sqlx::raw_sql(DOCUMENTS).execute(&mut connection).await.expect("a table");
    connection.close().await.expect("closed");
    path.to_str().expect("a path").to_owned()
}

fn spec(url: &str, query_template: &str, query_mappings: &str) -> ProviderSpec {
    ProviderSpec {
        connector: "Sqlite3".into(),
        url: url.into(),
        query_template: query_template.into(),
        query_mappings: query_mappings.into(),
        ..ProviderSpec::default()
    }
}

async fn asked(spec: ProviderSpec, query: &ProviderQuery<'_>) -> Result<NormalizedPage, ConnectorError> {
    let connector = connector(spec, &context(answer("", "")));
    connector.prepare(query)?.execute().await?.normalize()
}

const LIKE: &str =
    "select {fields} from {table} where {a} like '%{query_string}%' or {b} like '%{query_string}%';";
const LIKE_MAPPINGS: &str = "fields=*,table=documents,a=title,b=body,sort_by_date=published";
const MATCH: &str = "select {fields} from pages where pages match '{query_string}' order by rank";

fn titles(page: &NormalizedPage) -> Vec<&str> {
    page.items.iter().filter_map(|item| item["title"].as_str()).collect()
}

#[tokio::test]
async fn rows_have_native_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query("gauge")).await.expect("a page");
    let want = json!({
        "id": 1, "title": "Flood warning", "body": "A gauge that warns.", "published": "2020-01-01", "weight": 1.5,
        "image": null,
    });
    assert_eq!((page.found, page.retrieved, page.items), (Some(1), Some(1), vec![want]));
}

#[tokio::test]
async fn counts_sorts_and_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let newest = ProviderQuery { sort: Sort::Date, results_wanted: 1, ..query("water") };
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &newest).await.expect("a page");
    assert_eq!((page.found, titles(&page)), (Some(2), vec!["It's a flood"]));
    let page =
        asked(spec(&url, MATCH, "fields=*,QUOTE_TERMS=OR"), &query("flood silt")).await.expect("a page");
    assert_eq!(page.found, Some(3));
    let negated = "fields=*,QUOTE_TERMS=AND,NOT=true";
    let page = asked(spec(&url, MATCH, negated), &query("flood NOT gauge")).await.expect("a page");
    assert_eq!(titles(&page), ["It's a flood"]);
    for (text, want) in [
        ("\"no water\"", vec!["Silt"]),
        ("\"water no\"", vec![]),
        ("(gauge OR silt) NOT \"no water\"", vec!["Flood warning"]),
        ("silt OR gauge warns", vec!["Flood warning", "Silt"]),
        ("flood -\"a gauge\" -100", vec![]),
        ("flood NOT (gauge OR silt)", vec!["It's a flood"]),
    ] {
        let page = asked(spec(&url, MATCH, negated), &query(text)).await.expect(text);
        let mut found = titles(&page);
        found.sort_unstable();
        assert_eq!(found, want, "{text}");
    }
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query("\"no water\"")).await.expect("a page");
    assert_eq!(titles(&page), ["Silt"]);
}

#[tokio::test]
async fn a_query_is_only_a_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query("it's")).await.expect("a page");
    assert_eq!(titles(&page), ["It's a flood"]);
    for hostile in
        ["'; drop table documents; --", "x' or '1'='1", "\" OR \"\"", "a NEAR( b* ^c {x} NOT", "?1", "\u{0}x"]
    {
        let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query(hostile)).await.expect("no error");
        assert_eq!(page.found, Some(0), "{hostile}");
        let page = asked(spec(&url, MATCH, "fields=*,QUOTE_TERMS=AND"), &query(hostile)).await;
        assert!(
            page.as_ref().map_or_else(
                |error| error.kind == ConnectorErrorKind::QueryInvalid,
                |page| page.items.is_empty()
            ),
            "{hostile}: {page:?}"
        );
    }
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query("flood")).await.expect("a page");
    assert_eq!(page.found, Some(2));
}

#[tokio::test]
async fn failures_are_plain_sentences() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let missing = folder.path().join("no.db").to_str().expect("a path").to_owned();
    let error = asked(spec(&missing, LIKE, LIKE_MAPPINGS), &query("x")).await.expect_err("no file");
    assert!(error.message.contains("does not exist"), "{error}");
    assert!(!Path::new(&missing).exists());

    let error = asked(spec(&url, LIKE, "fields=*,table=nix,a=title,b=body"), &query("x")).await;
    let error = error.expect_err("no table");
    assert_eq!(error.kind, ConnectorErrorKind::PlaceUnknown);
    assert!(error.message.contains("no such table: nix"), "{error}");

    let garbage = folder.path().join("garbage.db");
    std::fs::write(&garbage, "this is not a database at all".repeat(100)).expect("written");
    let error = asked(spec(garbage.to_str().expect("a path"), LIKE, LIKE_MAPPINGS), &query("x")).await;
    assert_eq!(error.expect_err("no database").kind, ConnectorErrorKind::Unreadable);
}

#[tokio::test]
async fn a_statement_has_its_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let endless = "with recursive c(title) as (select 1 union all select title + 1 from c) \
                   select {fields} from c where title = {query_string}";
    let hurried = ProviderQuery { time_max: Duration::from_millis(150), ..query("x") };
    let error = asked(spec(&url, endless, "fields=*"), &hurried).await.expect_err("too late");
    assert_eq!(error.kind, ConnectorErrorKind::Timeout);
}

#[tokio::test]
async fn nothing_can_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = file(folder.path()).await;
    let kind = connectors::CATALOGUE.iter().find(|kind| kind.name == "Sqlite3").expect("a kind");
    let hostile = "with x as (select {fields}) delete from documents where title like '%{query_string}%'";
    let provider = crate::fixture::provider(spec(&url, hostile, "fields=1"));
    let connector = (kind.build)(&provider, &context(answer("", ""))).expect("a connector");
    let built = connector.prepare(&query("flood")).expect("a statement");
    assert!(built.execute().await.is_err());
    let page = asked(spec(&url, LIKE, LIKE_MAPPINGS), &query("flood")).await.expect("a page");
    assert_eq!(page.found, Some(2));
}
