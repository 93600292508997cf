//! Finds the base URL of the relative URLs in a response.

use crate::fields::identifier_words::is_named;
use crate::sample::shape::is_url;
use serde_json::Value;
use url::Url;

/// Most values that are visited.
const NODES_MAX: usize = 1000;
/// Deepest path that is visited.
const DEPTH_MAX: usize = 6;
/// Members that contain a base URL.
const BASES: &str = "base baseurl baseuri siteurl basehref";
/// Members that link to this response or to its other pages.
const PAGES: &str = "self next nextpage nextpageurl nexturl prev previous first last";

/// The base URL that the response itself names.
pub fn find_base_url(response: &Value) -> Option<String> {
    let mut collector = UrlCollector { base: None, page: None, nodes_left: NODES_MAX };
    collector.visit(response, "", 0);
    collector
        .base
        .map(|base| base.trim_end_matches('/').to_owned())
        .or(collector.page.as_ref().and_then(site_of))
}

/// The site of a URL. `api.host` becomes `host`.
pub fn site_of(url: &Url) -> Option<String> {
    let host = url.host_str().map(|host| host.strip_prefix("api.").unwrap_or(host))?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{host}{port}", url.scheme()))
}

struct UrlCollector {
    base: Option<String>,
    page: Option<Url>,
    nodes_left: usize,
}

impl UrlCollector {
    /// Visits objects only: a list describes its items.
    fn visit(&mut self, value: &Value, name: &str, depth: usize) {
        if self.nodes_left == 0 || depth > DEPTH_MAX {
            return;
        }
        self.nodes_left -= 1;
        match value {
            Value::Object(object) => {
                for (inner, inside) in object {
                    // `{"next": {"href": …}}` is named by the outer member.
                    let name = if is_named(inner, "href url") { name } else { inner };
                    self.visit(inside, name, depth + 1);
                }
            }
            Value::String(text) if is_url(text) && !text.contains(['\'', '{', '}', ',']) => {
                if self.base.is_none() && is_named(name, BASES) {
                    self.base = Some(text.clone());
                } else if self.page.is_none() && is_named(name, PAGES) {
                    self.page = Url::parse(text).ok();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_base_url_is_found_beside_the_results() {
        let table = [
            (
                json!({"next": "https://www.h.example:81/api/s?page=2", "items": []}),
                "https://www.h.example:81",
            ),
            (json!({"links": {"self": {"href": "https://api.h.example/s"}}}), "https://h.example"),
            (
                json!({"_links": {"self": "https://x.example/s", "base": "https://h.example/wiki/"}}),
                "https://h.example/wiki",
            ),
            (json!({"items": [{"self": "https://h.example/1"}], "logo": "https://h.example/2"}), ""),
            (json!({"base": "/wiki", "next": null}), ""),
            (json!({"base": "https://h.example/{a}'"}), ""),
        ];
        for (response, want) in table {
            assert_eq!(find_base_url(&response).unwrap_or_default(), want, "{response}");
        }
    }

    #[test]
    fn work_is_bounded() {
        let wide: serde_json::Map<String, Value> =
            (0..NODES_MAX).map(|n| (format!("k{n}"), json!(1))).collect();
        let mut wide = Value::Object(wide);
        wide["next"] = json!("https://h.example/");
        assert_eq!(find_base_url(&wide), None);
        let mut deep = json!({"next": "https://h.example/"});
        for _ in 0..DEPTH_MAX {
            deep = json!({ "a": deep });
        }
        assert_eq!(find_base_url(&deep), None);
    }
}
