//! OpenSearch URL templates: fills in `{searchTerms}`, `{count?}` and other parameters.

use super::description::SearchUrl;
use syntax::error::SyntaxError;
use syntax::query_mappings::PAGE_SIZE;
use syntax::query_template::{Part, encode_percent, parts};

/// Most results per request if the template has no paging.
pub const COUNT_MAX: u32 = 100;

/// The values for a template.
#[derive(Debug, Clone, Copy)]
pub struct UrlQuery<'a> {
    pub text: &'a str,
    pub page: u32,
    pub results_wanted: u32,
    /// `*` for any.
    pub language: &'a str,
}

/// Whether the template supports paging.
pub fn has_pages(template: &str) -> bool {
    names(template).any(|name| matches!(name, "startIndex" | "startPage"))
}

/// Fills a template; the error names a required parameter that is not supported.
pub fn fill(url: &SearchUrl, query: &UrlQuery<'_>) -> Result<String, SyntaxError> {
    let is_paged = has_pages(&url.template);
    let count = if is_paged { PAGE_SIZE } else { query.results_wanted.clamp(1, COUNT_MAX) };
    let mut out = String::with_capacity(url.template.len() + query.text.len());
    for part in parts(&url.template) {
        let name = match part {
            Part::Text(text) | Part::LoneBrace(text) => {
                out.push_str(text);
                continue;
            }
            Part::Placeholder(name) => name,
        };
        match name.trim_end_matches('?') {
            "searchTerms" => out.push_str(&encode_percent(query.text)),
            "count" => out.push_str(&count.to_string()),
            "startIndex" => {
                let start = query.page.saturating_mul(count).saturating_add(url.index_offset);
                out.push_str(&start.to_string());
            }
            "startPage" => out.push_str(&query.page.saturating_add(url.page_offset).to_string()),
            "language" => out.push_str(&encode_percent(query.language)),
            "inputEncoding" | "outputEncoding" => out.push_str("UTF-8"),
            _ if name.ends_with('?') => {}
            unknown => {
                return Err(format!("the description requires {{{unknown}}}, which is not supported").into());
            }
        }
    }
    Ok(out)
}

pub fn holds_terms(template: &str) -> bool {
    names(template).any(|name| name == "searchTerms")
}

fn names(template: &str) -> impl Iterator<Item = &str> {
    parts(template).into_iter().filter_map(|part| match part {
        Part::Placeholder(name) => Some(name.trim_end_matches('?')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::description::Format;
    use super::*;

    fn filled(template: &str, page: u32) -> Result<String, SyntaxError> {
        let url =
            SearchUrl { template: template.to_owned(), format: Format::Rss, index_offset: 1, page_offset: 0 };
        fill(&url, &UrlQuery { text: "a b&c={x}", page, results_wanted: 250, language: "en" })
    }

    #[test]
    fn templates_are_filled() {
        let table = [
            ("http://s/?q={searchTerms}", 0, "http://s/?q=a%20b%26c%3D%7Bx%7D"),
            ("http://s/{searchTerms}?n={count?}&l={language?}", 0, "http://s/a%20b%26c%3D%7Bx%7D?n=100&l=en"),
            ("http://s/?n={count}&i={startIndex?}&p={startPage}", 2, "http://s/?n=10&i=21&p=2"),
            ("http://s/?x={geo:box?}&e={inputEncoding}", 0, "http://s/?x=&e=UTF-8"),
        ];
        for (template, page, want) in table {
            assert_eq!(filled(template, page).as_deref(), Ok(want), "{template}");
        }
        assert!(filled("http://s/?b={geo:box}", 0).expect_err("unknown").message().contains("geo:box"));
        assert!(has_pages("{startPage?}") && !has_pages("{count}") && holds_terms("{searchTerms}"));
    }
}
