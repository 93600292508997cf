//! HTML tokenizer: tags and texts in order, in linear time, for any input.

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'t> {
    Open(Tag<'t>),
    Close(String),
    Text(&'t str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag<'t> {
    /// In lowercase.
    pub name: String,
    /// The text between the name and the end of the tag.
    inside: &'t str,
    pub is_empty: bool,
}

/// Elements whose content is not text; skipped up to their end tag.
const UNREAD: [&str; 4] = ["script", "style", "noscript", "template"];
/// Elements without an end tag.
const VOID: [&str; 15] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "frame",
];

pub struct Tokens<'t> {
    rest: &'t str,
    /// No `>` outside quotes is left; searching again would make the scan quadratic.
    has_no_end: bool,
}

impl<'t> Tokens<'t> {
    pub fn of(text: &'t str) -> Self {
        Self { rest: text, has_no_end: false }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(after) = self.rest.strip_prefix("<!--") {
                self.rest = after.split_once("-->").map_or("", |(_, rest)| rest);
                continue;
            }
            let is_other = self.rest.starts_with("<!") || self.rest.starts_with("<?");
            if is_other {
                self.rest = self.rest.split_once('>').map_or("", |(_, rest)| rest);
                continue;
            }
            return Some(self.tag().unwrap_or_else(|| self.text()));
        }
    }
}

impl<'t> Tokens<'t> {
    fn text(&mut self) -> Token<'t> {
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let end = self.rest[first..].find('<').map_or(self.rest.len(), |found| first + found);
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Token::Text(text)
    }

    fn tag(&mut self) -> Option<Token<'t>> {
        let after = self.rest.strip_prefix('<')?;
        let (is_close, after) = match after.strip_prefix('/') {
            Some(after) => (true, after),
            None => (false, after),
        };
        if !after.starts_with(|c: char| c.is_ascii_alphabetic()) || self.has_no_end {
            return None;
        }
        let Some(end) = tag_end(after) else {
            self.has_no_end = true;
            return None;
        };
        let inside = &after[..end];
        self.rest = &after[end + 1..];
        let name_end = inside.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inside.len());
        let name = inside[..name_end].to_ascii_lowercase();
        if is_close {
            return Some(Token::Close(name));
        }
        let inside = &inside[name_end..];
        let is_empty = closes_itself(inside) || VOID.contains(&name.as_str());
        if !is_empty && UNREAD.contains(&name.as_str()) {
            self.skip_content(&name);
            return Some(Token::Open(Tag { name, inside, is_empty: true }));
        }
        Some(Token::Open(Tag { name, inside, is_empty }))
    }

    fn skip_content(&mut self, name: &str) {
        let mut from = 0;
        while let Some(found) = self.rest[from..].find("</") {
            let at = from + found + 2;
            let is_named = self.rest.as_bytes().get(at..at + name.len());
            if is_named.is_some_and(|bytes| bytes.eq_ignore_ascii_case(name.as_bytes())) {
                self.rest = self.rest[at..].split_once('>').map_or("", |(_, rest)| rest);
                return;
            }
            from = at;
        }
        self.rest = "";
    }
}

impl Tag<'_> {
    /// The value of an attribute, by its lowercase name; empty if it has none.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut rest =
            if closes_itself(self.inside) { self.inside.trim_end_matches('/') } else { self.inside };
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len()).max(1);
            let (key, after) = rest.split_at_checked(end)?;
            let (value, after) = attribute_value(after);
            if key.eq_ignore_ascii_case(name) {
                return Some(syntax::strip_html::decode_entities(value));
            }
            rest = after;
        }
    }
}

fn attribute_value(text: &str) -> (&str, &str) {
    let Some(after) = text.trim_start().strip_prefix('=') else { return ("", text) };
    let after = after.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = after.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    after.split_at(end)
}

/// Whether a tag ends in a `/` that is no part of a value without quotes, as in `<a href=/x/>`.
fn closes_itself(inside: &str) -> bool {
    let Some(before) = inside.strip_suffix('/') else { return false };
    let last = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (earlier, last) = before.split_at(last);
    let is_value = last.contains('=') || earlier.trim_end().ends_with('=');
    !is_value || last.ends_with(['"', '\''])
}

/// The first `>` outside quotes. A quote counts only after `=`, because an attribute name may contain one.
fn tag_end(text: &str) -> Option<usize> {
    let (mut quote, mut is_after_equals) = (None, false);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') if is_after_equals => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        is_after_equals = byte == b'=' || (is_after_equals && byte.is_ascii_whitespace());
    }
    // An unclosed quote: the tag ends at the next `>`.
    text.find('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let shown = Tokens::of(text).map(|token| match token {
            Token::Open(tag) => format!("<{}{}>", tag.name, if tag.is_empty { "/" } else { "" }),
            Token::Close(name) => format!("</{name}>"),
            Token::Text(text) => text.to_owned(),
        });
        shown.collect()
    }

    #[test]
    fn pages_are_taken_apart() {
        let table: [(&str, &[&str]); 14] = [
            ("<P class=a>x</p>", &["<p>", "x", "</p>"]),
            ("a<!-- <b> -->c", &["a", "c"]),
            ("<!doctype html>a<?x?>b", &["a", "b"]),
            ("<script>if (a</b) '<p>'</SCRIPT >x", &["<script/>", "x"]),
            ("<a title='>'>x<br>y", &["<a>", "x", "<br/>", "y"]),
            ("1 < 2 <3", &["1 ", "< 2 ", "<3"]),
            ("<a title='x>y", &["<a>", "y"]),
            ("x<", &["x", "<"]),
            ("<style>never ends", &["<style/>"]),
            ("<a href=/x/>text</a>", &["<a>", "text", "</a>"]),
            ("<a href = /x/>text</a>", &["<a>", "text", "</a>"]),
            ("<a b/><a b='c'/><a b=\"c\" />", &["<a/>", "<a/>", "<a/>"]),
            ("<a title='b = c'/><a title='b=c d'/>", &["<a/>", "<a/>"]),
            ("<a b=c /><a/>", &["<a/>", "<a/>"]),
        ];
        for (text, want) in table {
            assert_eq!(shown(text), want, "{text}");
        }
        let Some(Token::Open(tag)) = Tokens::of("<a HREF = x id='a&amp;b' hidden data-x=\"\" />").next()
        else {
            panic!("a tag");
        };
        let values = ["href", "id", "hidden", "data-x", "none"].map(|name| tag.attribute(name));
        let want = [Some("x"), Some("a&b"), Some(""), Some(""), None].map(|text| text.map(str::to_owned));
        assert_eq!(values, want);
        let Some(Token::Open(tag)) = Tokens::of("<a id=/x/>").next() else { panic!("a tag") };
        assert_eq!(tag.attribute("id").as_deref(), Some("/x/"));
    }
}
