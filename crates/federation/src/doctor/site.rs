//! The site that an answer comes from, as the addresses beside its results tell it.

use super::shape::is_web_address;
use super::words::is_named;
use serde_json::Value;
use url::Url;

/// Most values that are visited in search of the site.
const NODES_MAX: usize = 1000;
/// Deepest place of an address of the site.
const DEPTH_MAX: usize = 6;
/// Members that hold what every relative address begins with.
const BASES: &str = "base baseurl baseuri siteurl basehref";
/// Members that lead to this answer or to its other pages.
const PAGES: &str = "self next nextpage nextpageurl nexturl prev previous first last";

/// What the relative addresses of an answer begin with.
pub fn of_answer(answer: &Value) -> Option<String> {
    let mut seen = Seen { base: None, page: None, nodes_left: NODES_MAX };
    seen.look(answer, "", 0);
    seen.base.map(|base| base.trim_end_matches('/').to_owned()).or(seen.page.as_ref().and_then(of_address))
}

/// The site of an address. What is asked on `api.host` is read on `host`.
pub fn of_address(url: &Url) -> Option<String> {
    let host = url.host_str().map(|host| host.strip_prefix("api.").unwrap_or(host))?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{host}{port}", url.scheme()))
}

struct Seen {
    base: Option<String>,
    page: Option<Url>,
    nodes_left: usize,
}

impl Seen {
    /// Looks at objects only: what stands in a list tells of its items.
    fn look(&mut self, value: &Value, name: &str, depth: usize) {
        if self.nodes_left == 0 || depth > DEPTH_MAX {
            return;
        }
        self.nodes_left -= 1;
        match value {
            Value::Object(object) => {
                for (inner, inside) in object {
                    // `{"next": {"href": …}}` is named by what stands around it.
                    let name = if is_named(inner, "href url") { name } else { inner };
                    self.look(inside, name, depth + 1);
                }
            }
            Value::String(text) if is_web_address(text) && !text.contains(['\'', '{', '}', ',']) => {
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
    fn the_site_is_told_beside_the_results() {
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
        for (answer, want) in table {
            assert_eq!(of_answer(&answer).unwrap_or_default(), want, "{answer}");
        }
    }

    #[test]
    fn work_is_bounded() {
        let wide: serde_json::Map<String, Value> =
            (0..NODES_MAX).map(|n| (format!("k{n}"), json!(1))).collect();
        let mut wide = Value::Object(wide);
        wide["next"] = json!("https://h.example/");
        assert_eq!(of_answer(&wide), None);
        let mut deep = json!({"next": "https://h.example/"});
        for _ in 0..DEPTH_MAX {
            deep = json!({ "a": deep });
        }
        assert_eq!(of_answer(&deep), None);
    }
}
