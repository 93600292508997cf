//! The three SearchProviders of the demo: what an administrator would write.

use super::Samples;
use domain::provider::ProviderDraft;

pub fn drafts(samples: &Samples) -> anyhow::Result<Vec<ProviderDraft>> {
    // Where the document behind a result is, for who keeps a copy of it.
    let documents =
        serde_json::json!({"content_url": format!("http://{}/document?url={{url}}", samples.address)});
    let library = serde_json::json!({
        "name": "Library - Riverbend",
        "description": "Books, manuals and field reports, in an SQLite file with a full-text index.",
        "connector": "Sqlite3",
        "url": samples.library_file,
        "query_template": "select {fields} from {table} where {table} match '{query_string}' order by rank",
        "query_mappings": "fields=*,table=library,sort_by_date=published,QUOTE_TERMS=OR",
        "result_mappings": "title=title,body=summary,author=author,date_published=published,url=url,subject,NO_PAYLOAD",
        "results_per_query": 20,
        "page_fetch_config_json": documents,
        "tags": ["library", "documents"]
    });
    let tickets = serde_json::json!({
        "name": "Tickets - Riverbend",
        "description": "Product tickets, by a JSON API.",
        "connector": "RequestsGet",
        "url": format!("http://{}/tickets", samples.address),
        "query_template": "{url}?count=20&q={query_string}",
        "query_mappings": "DATE_SORT=sort=created",
        "response_mappings": "FOUND=total,RESULTS=tickets",
        "result_mappings": "title='{key}: {title}',body=description,author=reporter,date_published=created,url=link,status,component,votes,NO_PAYLOAD",
        "results_per_query": 20,
        "page_fetch_config_json": documents,
        "tags": ["tickets", "products"]
    });
    let newsroom = serde_json::json!({
        "name": "Newsroom - Riverbend",
        "description": "The newsroom, by an RSS feed in XML.",
        "connector": "RequestsGet",
        "url": format!("http://{}/newsroom.rss", samples.address),
        "query_template": "{url}?count=20&q={query_string}",
        "query_mappings": "DATE_SORT=sort=date",
        "response_mappings": "FOUND=rss.channel.total,RESULTS=rss.channel.item",
        "result_mappings": "title=title,body=description,author=author,date_published=pubDate,url=link,category,NO_PAYLOAD",
        "results_per_query": 20,
        "page_fetch_config_json": documents,
        "tags": ["news"]
    });
    [library, tickets, newsroom].into_iter().map(|draft| Ok(serde_json::from_value(draft)?)).collect()
}
