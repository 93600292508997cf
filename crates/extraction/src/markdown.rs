//! Markdown: the words without markup; the first heading is the title.

use crate::html::text_of_part;
use crate::plain_text::{charset, decode};
use crate::text_builder::{Abort, ExtractResult, TextBuilder};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Longest Markdown text, in bytes; the rest is cut. The parser takes up to sixty times as much memory.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

pub fn read(bytes: &[u8], media_type: Option<&str>, builder: &mut TextBuilder) -> ExtractResult {
    let text = decode(bytes, media_type.and_then(charset));
    let mut text: &str = &text;
    if let Some((front, rest)) = front_matter(text) {
        read_front_matter(front, builder);
        text = rest;
    }
    let cut = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    builder.check_deadline()?;
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut words = Words::default();
    for event in Parser::new_ext(cut, options) {
        builder.check_deadline()?;
        words.take(event, builder)?;
    }
    if cut.len() < text.len() { Err(Abort::Full) } else { Ok(()) }
}

/// Passes the words of a text on.
#[derive(Default)]
struct Words {
    heading: Option<String>,
    /// The HTML block that is open.
    html: Option<String>,
    is_code: bool,
}

impl Words {
    fn take(&mut self, event: Event<'_>, builder: &mut TextBuilder) -> ExtractResult {
        match event {
            Event::Start(tag) => self.start(&tag, builder),
            Event::End(tag) => return self.end(tag, builder),
            Event::Text(text) if self.is_code => {
                for line in text.split_inclusive('\n') {
                    builder.text(line)?;
                    if line.ends_with('\n') {
                        builder.line();
                    }
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut self.heading {
                    heading.push_str(&text);
                }
                builder.text(&text)?;
            }
            Event::Html(text) => self.html.get_or_insert_default().push_str(&text),
            Event::SoftBreak | Event::HardBreak => builder.line(),
            Event::Rule => builder.paragraph(),
            // Inline tags, and what is not enabled.
            Event::InlineHtml(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: &Tag<'_>, builder: &mut TextBuilder) {
        match tag {
            Tag::Heading { .. } => {
                builder.paragraph();
                self.heading = Some(String::new());
            }
            Tag::CodeBlock(_) => {
                builder.paragraph();
                self.is_code = true;
            }
            Tag::Item => builder.line(),
            Tag::TableCell => builder.space(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, builder: &mut TextBuilder) -> ExtractResult {
        match tag {
            TagEnd::Heading(_) => {
                builder.title(&self.heading.take().unwrap_or_default());
                builder.paragraph();
            }
            TagEnd::HtmlBlock => {
                builder.paragraph();
                builder.text(&text_of_part(&self.html.take().unwrap_or_default()))?;
                builder.paragraph();
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                builder.paragraph();
            }
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::Item => builder.line(),
            TagEnd::Paragraph | TagEnd::List(_) | TagEnd::Table | TagEnd::BlockQuote(_) => {
                builder.paragraph()
            }
            _ => {}
        }
        Ok(())
    }
}

/// `--- … ---` before the text.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?.split_once("\n---")
}

fn read_front_matter(front: &str, builder: &mut TextBuilder) {
    for line in front.lines() {
        match line.split_once(':') {
            Some(("title", value)) => builder.title(value.trim().trim_matches(['"', '\''])),
            Some(("author", value)) => builder.author(value.trim().trim_matches(['"', '\''])),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::text_builder::Deadline;
    use std::time::Duration;

    #[test]
    fn marks_are_taken_out() {
        let source = "---\ntitle: \"Front\"\nauthor: Ann\n---\n# A *heading* #\n\nSome **bold**, `code_here` and \
            [a link](https://x.example/a) with ![a picture](p.png).\n\n- [x] done\n2. second\n> quoted\n\n\
            | a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nlet snake_case = 1;\n```\n5 < 6 &amp; \\*kept\\*";
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(5)));
        read(source.as_bytes(), None, &mut builder).unwrap();
        let found = builder.finish();
        assert_eq!((found.title.as_str(), found.author.as_str()), ("Front", "Ann"));
        let want = "A heading\n\nSome bold, code_here and a link with a picture.\n\ndone\n\nsecond\n\nquoted\n\na b\n1 2\n\n\
            let snake_case = 1;\n\n5 < 6 & *kept*";
        assert_eq!(found.text, want);
    }

    fn text_of(source: &str) -> (String, bool) {
        let mut builder = TextBuilder::new(&Limits::default(), Deadline::of(Duration::from_secs(15)));
        match read(source.as_bytes(), None, &mut builder) {
            Ok(()) => (builder.finish().text, false),
            Err(Abort::Full) => (builder.finish_cut().text, true),
            Err(Abort::Failed(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn html_within_gives_its_words() {
        let table = [
            ("<div align=\"center\">\n<b>Name</b>\n</div>\n\nText <br> x", "Name\n\nText x"),
            ("<script>\nlet a = 1;\n</script>\n\ntext", "text"),
            ("<div>\n\ntext\n\n<select>\n\nAT&amp;T\n<p>one</p><p>two\n\n</div>", "text\n\nAT&T\n\none two"),
            ("`Vec<String>` and <https://a.example>", "Vec<String> and https://a.example"),
            ("[a]: https://a.example\n\nsee [a] and [b]", "see a and [b]"),
            ("- one\n  - two\n\n    more\n- ~~three~~", "one\ntwo\n\nmore\n\nthree"),
        ];
        for (source, want) in table {
            assert_eq!(text_of(source), (want.to_owned(), false), "{source}");
        }
    }

    #[test]
    fn texts_end_at_their_limit() {
        for (bytes, is_cut) in [(TEXT_BYTES_MAX, false), (TEXT_BYTES_MAX + 1, true)] {
            let (text, was_cut) = text_of(&" ".repeat(bytes));
            assert_eq!((text.as_str(), was_cut), ("", is_cut));
        }
    }
}
