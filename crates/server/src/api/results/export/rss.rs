//! Export as RSS 2.0.

use super::content::{Export, plain, web_link};
use domain::result::ResultItem;
use syntax::dates::instant;
use syntax::display::is_direction_control;

/// Longest description of one result, in characters.
const DESCRIPTION_CHARS_MAX: usize = 2_000;

pub(super) fn written(export: &Export<'_>) -> String {
    let query = escaped(&export.search.spec.query_string);
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel>\n",
    );
    out.push_str(&format!("<title>{query}</title>\n<link>{}</link>\n", escaped(&export.link)));
    out.push_str(&format!("<description>Results for: {query}</description>\n"));
    out.push_str(&format!("<lastBuildDate>{}</lastBuildDate>\n", export.now.to_rfc2822()));
    for item in export.results {
        push_item(&mut out, item);
    }
    out.push_str("</channel>\n</rss>\n");
    out
}

fn push_item(out: &mut String, item: &ResultItem) {
    out.push_str("<item>\n");
    let mut field = |name: &str, text: &str| {
        if !text.is_empty() {
            out.push_str(&format!("<{name}>{}</{name}>\n", escaped(text)));
        }
    };
    field("title", &plain(&item.title));
    if let Some(link) = web_link(&item.url) {
        field("link", &link);
    }
    // Feed readers treat a description as HTML: its text is escaped once for that, and once for XML.
    let body: String = plain(&item.body).chars().take(DESCRIPTION_CHARS_MAX).collect();
    field("description", &escaped(&body));
    field("dc:creator", &plain(&item.author));
    field("category", &item.searchprovider);
    if let Some(date) = instant(&item.date_published) {
        field("pubDate", &date.to_rfc2822());
    }
    out.push_str(&format!("<guid isPermaLink=\"false\">result-{}</guid>\n</item>\n", item.swirl_id));
}

/// Escapes XML special characters, and removes characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() || is_direction_control(c) => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::results::export::tests::of_one;
    use domain::ids::ResultId;

    #[test]
    fn signs_of_xml_are_escaped() {
        let cases = [
            ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
            ("]]><x a=\"1\" b='2'>", "]]&gt;&lt;x a=&quot;1&quot; b=&#39;2&#39;&gt;"),
            ("a\0b\u{b}c\u{fffe}d\te", "abcd e"),
            ("a\u{202e}b\u{2069}", "ab"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected, "{text:?}");
        }
    }

    #[test]
    fn links_lead_to_the_web_only() {
        let item = |url: &str| ResultItem { url: url.to_owned(), ..ResultItem::default() };
        for (url, has_link) in [
            ("https://a.example/?a=1&b=2", true),
            ("https://bank.example@evil.example/", false),
            ("javascript:alert(1)", false),
            ("data:text/html,<script>", false),
            ("", false),
        ] {
            let text = of_one(item(url), written);
            let item = text.split("<item>").nth(1).expect("an item");
            assert_eq!(item.contains("<link>"), has_link, "{url}");
            assert!(!text.contains("javascript:") && !text.contains("<script"), "{text}");
        }
    }

    #[test]
    fn an_item_holds_what_is_known() {
        let item = ResultItem {
            swirl_id: ResultId(9),
            title: "<em>Deep</em> rivers &amp; lakes".into(),
            url: "https://a.example/?a=1&b=2".into(),
            body: format!("1 &lt;b {}", "x".repeat(DESCRIPTION_CHARS_MAX)),
            author: "Ann".into(),
            date_published: "2024-05-01 00:00:00".into(),
            searchprovider: "Library".into(),
            ..ResultItem::default()
        };
        let text = of_one(item, written);
        assert!(text.contains("<title>deep &lt;rivers&gt; &amp; &quot;lakes&quot;</title>"), "{text}");
        let expected = format!(
            "<item>\n<title>Deep rivers &amp; lakes</title>\n<link>https://a.example/?a=1&amp;b=2</link>\n\
             <description>1 &amp;lt;b {}</description>\n<dc:creator>Ann</dc:creator>\n\
             <category>Library</category>\n<pubDate>Wed, 1 May 2024 00:00:00 +0000</pubDate>\n\
             <guid isPermaLink=\"false\">result-9</guid>\n</item>\n",
            "x".repeat(DESCRIPTION_CHARS_MAX - 5)
        );
        assert!(text.contains(&expected), "{text}");
    }
}
