//! The SearchProviders of the demo.

use super::Samples;
use domain::provider::ProviderSpec;
use domain::user::CURATORS;

/// The sources of contracts: provider name, kind and description.
pub const PLACES: [(&str, &str, &str); 2] = [
    ("Contracts - Riverbend", "dms", "Contracts as they were filed, for curators."),
    ("Drive - Riverbend", "drive", "Contracts as people keep them, for curators."),
];

pub fn specs(samples: &Samples) -> anyhow::Result<Vec<ProviderSpec>> {
    // The URL of the document behind a result, for page fetches.
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
    // Searched only when named, and visible only to curators.
    let versions = |(name, place, description): (&str, &str, &str)| {
        serde_json::json!({
            "name": name,
            "description": description,
            "connector": "RequestsGet",
            "url": format!("http://{}/contracts", samples.address),
            "query_template": format!("{{url}}?count=20&place={place}&q={{query_string}}"),
            "response_mappings": "FOUND=total,RESULTS=contracts",
            "result_mappings": "title=title,body=description,author=author,date_published=published,url=link,NO_PAYLOAD",
            "results_per_query": 20,
            "page_fetch_config_json": documents,
            "config": {"swirl": {"cache": {"kind": place}}},
            "default": false,
            "shared": false,
            "groups": [CURATORS],
            "tags": ["contracts"]
        })
    };
    let specs = [library, tickets, newsroom].into_iter().chain(PLACES.map(versions));
    specs.map(|spec| Ok(serde_json::from_value(spec)?)).collect()
}
