//! HTML: the main content of a page, without boilerplate.

mod blocks;
mod containers;
mod names;
mod selection;
mod tokens;

use crate::plain_text::{charset, decode};
use crate::text_builder::{ExtractResult, TextBuilder};
use blocks::take_apart;
use tokens::{Token, Tokens};

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
    let heading = page.blocks.iter().find(|block| block.is_heading());
    builder.title(heading.map_or("", |block| &block.text));
    builder.author(&page.author);
    for block in selection::content(&page) {
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

/// The text of a part of a page, with a space in place of each tag.
pub fn text_of_part(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    for token in Tokens::of(html) {
        match token {
            Token::Text(part) => text.push_str(&syntax::strip_html::decode_entities(part)),
            Token::Open(_) | Token::Close(_) => text.push(' '),
        }
    }
    text
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

    /// Each page has one thing that is not content.
    #[test]
    fn what_is_not_content_is_left_out() {
        let other = "Another story about something else, which is told at length elsewhere on this site, and not here.";
        let story = format!("<h1>Floods</h1><p>{SENTENCE}</p><p>{SENTENCE}</p>");
        let table = [
            // By name: the first, a middle or the last word of it, also in a long list of classes.
            format!(
                "<main>{story}<div class='a related-posts b'><h3>Related</h3><p>{other}</p></div></main>"
            ),
            format!("<main>{story}<div class='js-relatedContent'><p>{other}</p></div></main>"),
            format!("<main>{story}<section id=comments><h2>2 comments</h2><p>{other}</p></section></main>"),
            format!("<main>{story}<form><label>Mail</label> <p>Get our news.</p></form></main>"),
            // Hidden.
            format!("<main>{story}<p style='visibility: hidden'>{other}</p></main>"),
            format!("<main>{story}<span class='sr-only'>Opens in a new window</span></main>"),
            // Other articles: teasers beside the main one, and comments in it.
            format!("<main><article>{story}</article><article><h2>More</h2><p>{other}</p></article></main>"),
            format!("<article>{story}<article><p>{other}</p></article></article>"),
            // A section of links alone, with its heading.
            format!("<main>{story}<h2>More</h2><ul><li><a href=a>One</a><li><a href=b>Two</a></ul></main>"),
            // Nothing is marked: headings after the content.
            format!("{story}<div>Log in</div><h3>Most read</h3><div>Ten of them</div>"),
        ];
        for html in table {
            assert_eq!(read_page(&html).text, format!("Floods\n\n{SENTENCE}\n\n{SENTENCE}"), "{html}");
        }
    }

    #[test]
    fn names_do_not_hide_the_content() {
        let table = [
            // The wrapper contains the text.
            format!("<div class='content-with-sidebar'><h1>Floods</h1><p>{SENTENCE}</p></div>"),
            format!("<form class='page'><h1>Floods</h1><p>{SENTENCE}</p></form>"),
            format!("<div class='modal'><main><h1>Floods</h1><p>{SENTENCE}</p></main></div>"),
            // An id that is made from a heading.
            format!(
                "<main><section id='how-to-share-a-footer'><h1>Floods</h1><p>{SENTENCE}</p></section></main>"
            ),
            // Hidden on small screens only.
            format!("<main><h1>Floods</h1><p class='hidden md:block'>{SENTENCE}</p></main>"),
            format!("<main><h1>Floods</h1><p class='overflow-hidden'>{SENTENCE}</p></main>"),
        ];
        for html in table {
            assert_eq!(read_page(&html).text, format!("Floods\n\n{SENTENCE}"), "{html}");
        }
    }

    /// The words of a list of links are those of links.
    #[test]
    fn links_to_folders_are_links() {
        let links =
            "<li><a href=/a/>The river and its floods</a><li><a href=/b/>The dam and its builders</a>";
        let html = format!("<div>{SENTENCE}</div><ul>{links}</ul>");
        assert_eq!(read_page(&html).text, SENTENCE);
    }

    /// Old pages never close their elements.
    #[test]
    fn elements_end_below_many_that_do_not() {
        for (depth, inside) in
            [(2, "<b>menu</b>"), (90, "menu"), (250, "menu"), (300, "<b>menu</b>"), (2_000, "menu")]
        {
            let fonts = "<font size=2>".repeat(depth);
            let html = format!("<nav>{fonts}{inside}</nav><p>{SENTENCE}</p><p>{SENTENCE}</p>");
            assert_eq!(read_page(&html).text, format!("{SENTENCE}\n\n{SENTENCE}"), "{depth}");
        }
        // What is open below the limit does not end what is open above it.
        let deep = "<div>".repeat(300);
        let html = format!("<nav>{deep}menu{}menu</nav><p>{SENTENCE}</p>", "</div>".repeat(300));
        assert_eq!(read_page(&html).text, SENTENCE);
    }

    #[test]
    fn lists_and_tables_of_the_content_stay() {
        let list = "<ul><li><a href=a>The dam</a> of 1926<li>The <a href=b>weir</a></ul>";
        let rows = "<table><tr><td><a href=a>Elbe</a><td><a href=b>Dresden</a></table>";
        let html = format!("<main><h1>Floods</h1><p>{SENTENCE}</p>{list}{rows}</main>");
        let want = format!("Floods\n\n{SENTENCE}\nThe dam of 1926\nThe weir\nElbe Dresden");
        assert_eq!(read_page(&html).text, want);
    }

    #[test]
    fn formulas_are_text() {
        let math = "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>\
            <annotation encoding='TeX'>E=mc^2</annotation></math>";
        let html = format!("<main><p>{SENTENCE}</p><p>Then {math} holds.</p></main>");
        assert_eq!(read_page(&html).text, format!("{SENTENCE}\n\nThen E=mc2 holds."));
    }

    /// A sentence has fewer characters in such scripts.
    #[test]
    fn pages_in_chinese_have_content() {
        let sentence = "河流将泥沙从山区带到海洋，春天的洪水使沿途平原的土壤得到更新。";
        let html = format!("<div>登录</div><h1>洪水</h1><div>{sentence}</div><div>分享</div>");
        assert_eq!(read_page(&html).text, format!("洪水\n\n{sentence}"));
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
