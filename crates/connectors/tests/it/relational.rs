//! PostgreSQL, MySQL and PgVector connectors against real servers: the connector suite.

use crate::fixture::kind;
use domain::ports::ConnectorErrorKind;
use domain::provider::ProviderSpec;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, MySqlConnection, PgConnection};
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};
use testkit::{given, hostile};
use url::Url;

const TEMPLATE: &str = "select {fields} from {table} where {a} like '%{query_string}%'";

/// `driver://user:password@host:port/database`, split as a provider needs it.
struct Server {
    url: String,
    credentials: String,
}

impl Server {
    fn of(address: &str) -> Self {
        let mut url = Url::parse(address).expect("an address");
        let credentials = format!("{}:{}", url.username(), url.password().unwrap_or_default());
        url.set_username("").expect("no user");
        url.set_password(None).expect("no password");
        Self { url: url.to_string(), credentials }
    }

    fn with_port(&self, port: u16) -> String {
        let mut url = Url::parse(&self.url).expect("an address");
        url.set_port(Some(port)).expect("a port");
        url.to_string()
    }
}

fn spec(connector: &str, server: &Server, mappings: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Documents".into(),
        connector: connector.into(),
        url: server.url.clone(),
        credentials: server.credentials.clone(),
        query_template: TEMPLATE.into(),
        query_mappings: mappings.into(),
        ..ProviderSpec::default()
    }
}

/// Mistakes in the provider of any database.
fn mistakes(spec: &ProviderSpec, server: &Server) -> Vec<Mistake> {
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    vec![
        with("a wrong password", ConnectorErrorKind::Denied, &|spec| {
            spec.credentials = "postgres:wrong-password".into();
        }),
        with("an unknown table", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.query_mappings =
                spec.query_mappings.replace("table=river_documents", "table=no_such_table").into();
        }),
        with("an unknown database", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.url = spec.url.replace("/tests", "/no_such").replace("/postgres", "/no_such");
        }),
        with("no TLS", ConnectorErrorKind::Untrusted, &|spec| spec.url += "?tls=required"),
        with("a refused connection", ConnectorErrorKind::Unavailable, &|spec| {
            spec.url = server.with_port(1);
        }),
    ]
}

/// Documents in a table: many about rivers, with dates, and one for each hostile text.
fn rows() -> Vec<(String, String)> {
    let rivers =
        (0..MANY + 5).map(|number| (format!("river {number}"), format!("2024-01-{:02}", number % 28 + 1)));
    let hostile = hostile::QUERIES.iter().map(|text| ((*text).to_owned(), "2023-01-01".to_owned()));
    rivers.chain(hostile).collect()
}

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
}

fn published(item: &Value) -> String {
    item["published"].as_str().expect("a date").to_owned()
}

async fn fill_postgres(address: &str, more: &str) {
    let mut connection = PgConnection::connect(address).await.expect("the server");
    let made = format!(
        "drop table if exists river_documents; \
         create table river_documents (title text, published date, weight numeric); {more}"
    );
    sqlx::raw_sql(AssertSqlSafe(made)).execute(&mut connection).await.expect("a table");
    for (title, published) in rows() {
        sqlx::query("insert into river_documents (title, published, weight) values ($1, $2::date, 1.5)")
            .bind(title)
            .bind(published)
            .execute(&mut connection)
            .await
            .expect("a row");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_keeps_the_contract() {
    let Some(address) = given("SVC_TEST_PGVECTOR", "the PostgreSQL connector") else { return };
    fill_postgres(&address, "").await;
    let server = Server::of(&address);
    let spec = spec("PostgreSQL", &server, "fields=*,table=river_documents,a=title,sort_by_date=published");
    let subject = Subject {
        kind: kind("PostgreSQL"),
        context: crate::fixture::guarded_context(),
        mistakes: mistakes(&spec, &server),
        spec,
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        literal: Literal::Found(title),
    };
    subject.check().await;
    let page = subject.ask("river 3", domain::search::Sort::Relevancy, 1).await.expect("a row");
    assert_eq!(page.items[0]["weight"], 1.5, "native values");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_can_be_written_to_postgres() {
    let Some(address) = given("SVC_TEST_PGVECTOR", "the PostgreSQL connector") else { return };
    let mut connection = PgConnection::connect(&address).await.expect("the server");
    let made = "drop table if exists kept; create table kept (title text); insert into kept values ('here')";
    sqlx::raw_sql(made).execute(&mut connection).await.expect("a table");
    let server = Server::of(&address);
    let spec = ProviderSpec {
        query_template: "with gone as (delete from kept returning title) select {fields} from gone \
                         where title like '%{query_string}%'"
            .into(),
        ..spec("PostgreSQL", &server, "fields=*")
    };
    let subject = Subject {
        kind: kind("PostgreSQL"),
        context: crate::fixture::guarded_context(),
        mistakes: Vec::new(),
        spec,
        user_token: None,
        reader: None,
        many: "here",
        date: None,
        literal: Literal::Found(title),
    };
    let error = subject.ask("here", domain::search::Sort::Relevancy, 5).await.expect_err("read only");
    assert!(error.message.contains("the database refused the statement"), "{error}");
    let left: i64 =
        sqlx::query_scalar("select count(*) from kept").fetch_one(&mut connection).await.expect("a count");
    assert_eq!(left, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rivers.db");
    let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut connection = options.connect().await.expect("a file");
    sqlx::raw_sql("create table river_documents (title text, published text)")
        .execute(&mut connection)
        .await
        .expect("a table");
    for (title, published) in rows() {
        sqlx::query("insert into river_documents values (?, ?)")
            .bind(title)
            .bind(published)
            .execute(&mut connection)
            .await
            .expect("a row");
    }
    let mappings = "fields=*,table=river_documents,a=title,sort_by_date=published";
    let server = Server { url: file.display().to_string(), credentials: String::new() };
    let spec = spec("Sqlite3", &server, mappings);
    let with = |what, kind, change: &dyn Fn(&mut ProviderSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        Mistake { what, spec, user_token: None, kind }
    };
    let mistakes = vec![
        with("an unknown table", ConnectorErrorKind::PlaceUnknown, &|spec| {
            spec.query_mappings = mappings.replace("river_documents", "no_such_table").into();
        }),
        with("no file", ConnectorErrorKind::ConfigInvalid, &|spec| spec.url += ".gone"),
    ];
    let subject = Subject {
        kind: kind("Sqlite3"),
        context: crate::fixture::guarded_context(),
        mistakes,
        spec: spec.clone(),
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        literal: Literal::Found(title),
    };
    subject.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mysql_keeps_the_contract() {
    let Some(address) = given("SVC_TEST_MARIADB", "the MySQL connector") else { return };
    let mut connection = MySqlConnection::connect(&address).await.expect("the server");
    let made = "create or replace table river_documents (title varchar(200) character set utf8mb4 collate utf8mb4_bin, \
                published datetime, weight decimal(5,2), image blob)";
    sqlx::raw_sql(made).execute(&mut connection).await.expect("a table");
    for (title, published) in rows() {
        sqlx::query("insert into river_documents values (?, ?, 1.5, x'00ff')")
            .bind(title)
            .bind(published)
            .execute(&mut connection)
            .await
            .expect("a row");
    }
    let server = Server::of(&address);
    let spec = spec("MySQL", &server, "fields=*,table=river_documents,a=title,sort_by_date=published");
    let mut mistakes = mistakes(&spec, &server);
    // The user may see one database only; whether another exists is not reported.
    for mistake in &mut mistakes {
        if mistake.what == "an unknown database" {
            mistake.kind = ConnectorErrorKind::Denied;
        }
    }
    let subject = Subject {
        kind: kind("MySQL"),
        context: crate::fixture::guarded_context(),
        mistakes,
        spec,
        user_token: None,
        reader: None,
        many: "river",
        date: Some(published),
        literal: Literal::Found(title),
    };
    subject.check().await;
    let page = subject.ask("river 3", domain::search::Sort::Relevancy, 1).await.expect("a row");
    assert_eq!(page.items[0]["weight"], 1.5, "native values");
    assert_eq!(page.items[0]["published"], "2024-01-04 00:00:00");
}

/// A vector of three numbers that distinguishes texts.
fn read(text: &str) -> Vec<f32> {
    let mut vector = [1.0_f32; 3];
    for (place, byte) in text.bytes().enumerate() {
        vector[place % 3] += f32::from(byte) * (place + 1) as f32;
    }
    vector.to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn pgvector_keeps_the_contract() {
    let Some(address) = given("SVC_TEST_PGVECTOR", "the PgVector connector") else { return };
    let mut connection = PgConnection::connect(&address).await.expect("the server");
    let made = "create extension if not exists vector; drop table if exists river_vectors; \
                create table river_vectors (title text, published date, embedding vector(3))";
    sqlx::raw_sql(made).execute(&mut connection).await.expect("a table");
    for (title, published) in rows() {
        sqlx::query("insert into river_vectors values ($1, $2::date, $3::vector)")
            .bind(&title)
            .bind(published)
            .bind(format!("{:?}", read(&title)))
            .execute(&mut connection)
            .await
            .expect("a row");
    }
    let server = Server::of(&address);
    let spec = ProviderSpec {
        query_template: String::new(),
        tags: vec!["model:built-in".into()],
        ..spec("PgVector", &server, "table=river_vectors,sort_by_date=published")
    };
    let mut mistakes = mistakes(&spec, &server);
    for mistake in &mut mistakes {
        let mappings = &mut mistake.spec.query_mappings;
        if mistake.what == "an unknown table" {
            *mappings = mappings.replace("river_vectors", "no_such_table").into();
        }
    }
    let subject = Subject {
        kind: kind("PgVector"),
        context: crate::fixture::guarded_context(),
        mistakes,
        spec,
        user_token: None,
        reader: Some(read),
        many: "river 1",
        date: Some(published),
        // Every row is near to some degree; the nearest one is the text itself.
        literal: Literal::Nearest(title),
    };
    subject.check().await;
    let page = subject.ask("river 3", domain::search::Sort::Relevancy, 1).await.expect("a row");
    assert!(page.items[0].get("embedding").is_none(), "a vector says nothing to a reader");
}
