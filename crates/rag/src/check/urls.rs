//! URLs in a text, and whether they belong to a source.

use crate::prompt::PromptSource;
use regex::{Captures, Regex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use syntax::canonical_url::canonical;

/// Replaces a URL that belongs to no source.
pub(super) const REMOVED: &str = "(address removed)";

/// The numbers and URLs that a text may cite.
pub(super) struct AllowedUrls {
    numbers: BTreeSet<u32>,
    by_url: BTreeMap<String, u32>,
    /// All passages, to recognize mail addresses that occur in them.
    passages: String,
}

impl AllowedUrls {
    pub fn of(sources: &[PromptSource]) -> Self {
        let mut allowed = Self { numbers: BTreeSet::new(), by_url: BTreeMap::new(), passages: String::new() };
        for source in sources {
            allowed.numbers.insert(source.n);
            if let Some(address) = canonical(&source.source.item.url) {
                allowed.by_url.entry(address).or_insert(source.n);
            }
            allowed.passages.push_str(&source.passages.to_lowercase());
            allowed.passages.push('\n');
        }
        allowed
    }

    pub fn has(&self, n: u32) -> bool {
        self.numbers.contains(&n)
    }

    /// The source with this URL.
    pub fn source_with_url(&self, address: &str) -> Option<u32> {
        let address = address.trim().trim_matches(['<', '>', '‹', '›']);
        self.by_url.get(&canonical(address)?).copied()
    }
}

#[expect(clippy::expect_used, reason = "the pattern is part of the program, and every test reads it")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// URLs with `://` or an active scheme, and host names with a path.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    const REST: &str = r#"[^\s<>"“”«»、。，；！？」）】‹›]"#;
    let schemes = "data|javascript|vbscript|livescript|mailto|tel|sms|blob|file|ftp|xmpp|intent|magnet|about|sip|skype|\
        callto|view-source|jar|ws|wss|http|https";
    pattern(&format!(
        r"(?i)[a-z][a-z0-9+.\-]*://{REST}*|//(?:[a-z0-9\-]+\.)+[a-z]{{2,24}}{REST}*|www\.{REST}+|\b(?:{schemes}):{REST}+|\b(?:[a-z0-9\-]+\.)+[a-z]{{2,24}}(?::\d+)?(?:[?#]|/[^\s/?=%&]*[/?=%&]){REST}*"
    ))
});

static MAIL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"));

/// A text from which something may have been removed.
pub(super) struct Cleaned {
    pub text: String,
    pub has_removed: bool,
}

/// Replaces URLs of sources with citations and removes all others.
pub(super) fn replace_urls(text: &str, allowed: &AllowedUrls) -> Cleaned {
    let mut removed = false;
    let text = ADDRESS.replace_all(text, |found: &Captures<'_>| {
        let whole = &found[0];
        let closes = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '"', '*', '_', '`', '>', '|'];
        let address = whole.trim_end_matches(closes);
        // Punctuation at the end may belong to the URL or to the sentence.
        let ends = (address.len()..=whole.len()).filter(|end| whole.is_char_boundary(*end));
        for end in ends {
            if let Some(n) = allowed.source_with_url(&whole[..end]) {
                return format!("[{n}]{}", &whole[end..]);
            }
        }
        let rest = &whole[address.len()..];
        removed = true;
        format!("{REMOVED}{rest}")
    });
    let text = MAIL.replace_all(&text, |found: &Captures<'_>| {
        if allowed.passages.contains(&found[0].to_lowercase()) {
            found[0].to_owned()
        } else {
            removed = true;
            REMOVED.to_owned()
        }
    });
    Cleaned { text: text.into_owned(), has_removed: removed }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::prompt::SourceText;
    use domain::ids::ResultId;
    use domain::page_starts::PageStarts;
    use domain::result::ResultItem;
    use domain::summary::SourceMode;

    /// Sources 1, 2, … with a URL and a text.
    pub fn sources(rows: &[(&str, &str)]) -> Vec<PromptSource> {
        let source = |(place, (url, text)): (usize, &(&str, &str))| {
            let n = u32::try_from(place + 1).unwrap();
            let item = ResultItem {
                swirl_id: ResultId(i64::from(n) * 10),
                title: format!("Source {n}"),
                url: (*url).to_owned(),
                searchprovider: "News".to_owned(),
                ..ResultItem::default()
            };
            let (text, kind) = ((*text).to_owned(), "Web page".to_owned());
            let passages = text.clone();
            let page_starts = PageStarts::default();
            let source = SourceText { item, text, page_starts, kind, mode: SourceMode::Page };
            PromptSource { n, source, passages }
        };
        rows.iter().enumerate().map(source).collect()
    }

    #[test]
    fn addresses_are_removed_or_become_citations() {
        let allowed = AllowedUrls::of(&sources(&[
            ("https://Example.org/a?x=1", "Write to info@example.org."),
            ("https://example.org/wiki/River_(film)", ""),
        ]));
        for (text, expected) in [
            (
                "no address: 10:30, and/or, Node.js/React, e.g. x",
                "no address: 10:30, and/or, Node.js/React, e.g. x",
            ),
            ("see https://example.org/a?x=1.", "see [1]."),
            ("see https://example.org/a/?x=1&utm_source=y#top, ok", "see [1], ok"),
            ("(https://example.org/wiki/River_(film))", "([2])"),
            ("see https://example.org/b", "see (address removed)"),
            (
                "HTTPS://EVIL.test/x, www.evil.test and ftp://e.test",
                "(address removed), (address removed) and (address removed)",
            ),
            (
                "javascript:alert(1) data:text/html;x data: the rest",
                "(address removed)) (address removed) data: the rest",
            ),
            (
                "evil.test/?q=secret evil.test/a/secret evil.test#x",
                "(address removed) (address removed) (address removed)",
            ),
            ("evil.test alone", "evil.test alone"),
            (
                "info@example.org or Info@Example.org or x.secret@evil.test",
                "info@example.org or Info@Example.org or (address removed)",
            ),
            ("见https://evil.test/x，然后", "见(address removed)，然后"),
            ("https://еvil.test/ю", "(address removed)"),
            ("chrome-extension://abc/x", "(address removed)"),
        ] {
            assert_eq!(replace_urls(text, &allowed).text, expected, "{text}");
        }
    }
}
