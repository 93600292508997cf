//! HTML: the main content of a page, without boilerplate.

mod blocks;
mod tokens;

use crate::plain_text::{charset, decode};
use crate::text_builder::{ExtractResult, TextBuilder};
use blocks::{Block, Page, take_apart};
use tokens::{Token, Tokens};

/// The marked main content is used if it has this length, or this share of the page.
const MAIN_CHARS_MIN: usize = 140;
const MAIN_SHARE_MIN: usize = 3;
/// A block of this length with few links is certainly content.
const GOOD_CHARS_MIN: usize = 80;
/// Where a page may declare its encoding.
const HEAD_BYTES: usize = 2048;

/// The main content of a page.
pub fn read(bytes: &[u8], media_type: Option<&str>, builder: &mut TextBuilder) -> ExtractResult {
    read_text(&page_text(bytes, media_type), builder)
}

/// Like [`read`], for decoded text.
pub fn read_text(text: &str, builder: &mut TextBuilder) -> ExtractResult {
    let page = take_apart(text, builder)?;
    builder.title(&page.shared_title);
    builder.title(&page.title);
    let heading = page.blocks.iter().find(|block| block.is_heading);
    builder.title(heading.map_or("", |block| &block.text));
    builder.author(&page.author);
    for block in chosen(&page) {
        if block.is_item {
            builder.line()
        } else {
            builder.paragraph()
        }
        for line in block.text.lines() {
            builder.text(line)?;
            builder.line();
        }
    }
    Ok(())
}

/// All text between tags: for XML of any kind.
pub fn read_all(bytes: &[u8], media_type: Option<&str>, builder: &mut TextBuilder) -> ExtractResult {
    let text = page_text(bytes, media_type);
    let mut rest: &str = &text;
    // Here CDATA is text, not a comment.
    while let Some((before, after)) = rest.split_once("<![CDATA[") {
        read_tokens(before, builder)?;
        let (inside, behind) = after.split_once("]]>").unwrap_or((after, ""));
        builder.text(inside)?;
        rest = behind;
    }
    read_tokens(rest, builder)
}

fn read_tokens(text: &str, builder: &mut TextBuilder) -> ExtractResult {
    for token in Tokens::of(text) {
        builder.check_deadline()?;
        match token {
            Token::Text(text) => builder.text(&syntax::strip_html::decode_entities(text))?,
            Token::Open(_) | Token::Close(_) => builder.line(),
        }
    }
    Ok(())
}

/// The blocks that are content.
fn chosen(page: &Page) -> Vec<&Block> {
    let inner: Vec<&Block> = page.blocks.iter().filter(|block| !block.is_around).collect();
    let chars = |blocks: &[&Block]| blocks.iter().map(|block| block.chars).sum::<usize>();
    let main: Vec<&Block> = inner.iter().copied().filter(|block| block.is_main).collect();
    let main_chars = chars(&main);
    let is_marked = main_chars > 0
        && (main_chars >= MAIN_CHARS_MIN || main_chars.saturating_mul(MAIN_SHARE_MIN) >= chars(&inner));
    let candidates = if is_marked { main } else { trimmed(inner) };
    let kept: Vec<&Block> = candidates.iter().copied().filter(|block| !is_list_of_links(block)).collect();
    match (kept.is_empty(), candidates.is_empty()) {
        (false, _) => kept,
        (true, false) => candidates,
        (true, true) => page.blocks.iter().collect(),
    }
}

/// Without the short blocks before the first and after the last certain content.
fn trimmed(blocks: Vec<&Block>) -> Vec<&Block> {
    let is_good = |block: &&Block| block.chars >= GOOD_CHARS_MIN && block.link_chars * 3 < block.chars;
    let (first, last) = (blocks.iter().position(is_good), blocks.iter().rposition(is_good));
    let (Some(first), Some(last)) = (first, last) else { return blocks };
    let is_kept = |(place, block): &(usize, &Block)| {
        block.is_heading || (first..=last).contains(place) || block.text.ends_with(['.', '!', '?'])
    };
    blocks.into_iter().enumerate().filter(is_kept).map(|(_, block)| block).collect()
}

fn is_list_of_links(block: &Block) -> bool {
    !block.is_heading && block.link_chars * 2 > block.chars && block.chars < 2 * GOOD_CHARS_MIN
}

/// Decodes a page: by byte order mark, header, or its own declaration.
fn page_text<'b>(bytes: &'b [u8], media_type: Option<&str>) -> std::borrow::Cow<'b, str> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).to_ascii_lowercase();
    let named = ["charset=", "encoding="].iter().find_map(|key| {
        let (_, after) = head.split_once(key)?;
        let after = after.trim_start_matches(['"', '\'', ' ']);
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)))?;
        Some(after[..end].to_owned())
    });
    decode(bytes, media_type.and_then(charset).or(named.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::text_builder::Deadline;
    use domain::ports::ExtractedText;
    use std::time::Duration;

    fn read_page(html: &str) -> ExtractedText {
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(5)));
        read(html.as_bytes(), None, &mut builder).unwrap();
        builder.finish()
    }

    const SENTENCE: &str = "Rivers carry sediment from the mountains to the sea, and the floods of spring renew the \
        soil of the plains on their way.";

    #[test]
    fn what_stands_around_is_left_out() {
        let around = "<header>Site</header><nav><ul><li><a href=/>Home</a><li><a href=/b>Blog</a></ul></nav>";
        let foot = "<div class='page-footer'>Imprint</div><footer>© Site</footer><script>track()</script>";
        let table = [
            format!("{around}<main><h1>Floods</h1><p>{SENTENCE}</p></main>{foot}"),
            format!("{around}<article><header><h1>Floods</h1></header><p>{SENTENCE}</article>{foot}"),
            format!("{around}<div id=mw-content-text><h1>Floods</h1><p>{SENTENCE}</div>{foot}"),
            // Nothing is marked: long blocks with few links are the content.
            format!(
                "{around}<div>Log in</div><h1>Floods</h1><div>{SENTENCE}</div><div>Share this</div>{foot}"
            ),
            format!(
                "{around}<main><h1>Floods</h1><p>{SENTENCE}</p><ul><li><a href=x>More of it</a></ul></main>{foot}"
            ),
            format!(
                "{around}<main><h1>Floods</h1><p hidden>No</p><p style='display: none'>No</p><p>{SENTENCE}</p></main>"
            ),
        ];
        for html in table {
            assert_eq!(read_page(&html).text, format!("Floods\n\n{SENTENCE}"), "{html}");
        }
    }

    #[test]
    fn short_pages_and_lists_keep_their_text() {
        let table = [
            ("<title>T</title><p>Hello <b>bo</b>ld world", "Hello bold world"),
            ("<ul><li><a href=a>One</a><li><a href=b>Two</a></ul>", "One\nTwo"),
            ("<nav>Only navigation</nav>", "Only navigation"),
            ("<p>a<br>b</p><table><tr><td>1</td><td>2<tr><td>3</table>", "a\nb\n1 2\n3"),
            ("no tags at all &mdash; 5 &lt; 6", "no tags at all — 5 < 6"),
        ];
        for (html, want) in table {
            assert_eq!(read_page(html).text, want, "{html}");
        }
    }

    #[test]
    fn titles_and_authors_are_found() {
        let page = "<head><title>Floods | Site</title><meta property='og:title' content='Floods &amp; more'>\
            <meta name=author content='Ann Lee'></head><p>x";
        let found = read_page(page);
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Floods & more", "Ann Lee"));
        assert_eq!(read_page("<h2>Only a heading</h2>").title, "Only a heading");
        assert_eq!(read_page("<title> A\n title </title>").title, "A title");
    }

    #[test]
    fn pages_may_name_their_encoding() {
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(5)));
        read(b"<meta charset=\"iso-8859-2\"><p>\xb1\xe6</p>", None, &mut builder).unwrap();
        assert_eq!(builder.finish().text, "ąć");
    }

    #[test]
    fn xml_gives_all_of_its_text() {
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(5)));
        read_all(
            b"<?xml version='1.0'?><a><b x='1'>one</b><c><![CDATA[two <three>]]></c></a>",
            None,
            &mut builder,
        )
        .unwrap();
        assert_eq!(builder.finish().text, "one\ntwo <three>");
    }

    /// Hostile pages cost neither time nor stack.
    #[test]
    fn odd_pages_are_read_in_linear_time() {
        let deep = "<div>".repeat(200_000) + "inside" + &"</div>".repeat(200_000);
        assert_eq!(read_page(&deep).text, "inside");
        for piece in ["<b", "<a title='", "<!--", "</", "<script>", "<li>", "&amp", "<p class='"] {
            read_page(&piece.repeat(50_000));
        }
    }
}
