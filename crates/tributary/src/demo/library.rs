//! The sample library: an SQLite file with a full-text table.

use serde::Deserialize;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection};
use std::path::Path;

const RECORDS: &str = include_str!("../../demo/library.json");

#[derive(Deserialize)]
struct Record {
    id: i64,
    title: String,
    author: String,
    published: String,
    subject: String,
    summary: String,
    url: String,
}

/// Writes the file, replacing its table.
pub async fn write(path: &Path) -> anyhow::Result<()> {
    let records: Vec<Record> = serde_json::from_str(RECORDS)?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Delete);
    let mut connection = options.connect().await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("drop table if exists library").execute(&mut *transaction).await?;
    sqlx::query(
        "create virtual table library using fts5 \
         (title, summary, author, subject, published unindexed, url unindexed, tokenize = 'porter unicode61')",
    )
    .execute(&mut *transaction)
    .await?;
    for record in records {
        sqlx::query(
            "insert into library (rowid, title, summary, author, subject, published, url) \
             values ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(record.id)
        .bind(record.title)
        .bind(record.summary)
        .bind(record.author)
        .bind(record.subject)
        .bind(record.published)
        .bind(record.url)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await?;
    connection.close().await?;
    Ok(())
}
