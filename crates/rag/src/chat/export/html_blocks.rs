//! The blocks of an answer as HTML.

use crate::prose::{Align, Block, Cell, Item, Line};

pub(super) fn push_blocks(page: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Paragraph { lines } => push_paragraph(page, "p", lines),
            Block::Heading { lines } => push_paragraph(page, "h3", lines),
            Block::Bullets { items } => push_list(page, "<ul>\n", items, "</ul>\n"),
            Block::Numbers { start, items } => {
                push_list(page, &format!("<ol start=\"{start}\">\n"), items, "</ol>\n");
            }
            Block::Code { text } => page.push_str(&format!("<pre><code>{}</code></pre>\n", escaped(text))),
            Block::Table { head, rows } => push_table(page, head, rows),
        }
    }
}

fn push_paragraph(page: &mut String, tag: &str, lines: &[Line]) {
    page.push_str(&format!("<{tag} class=\"text\" dir=\"auto\">"));
    push_lines(page, lines);
    page.push_str(&format!("</{tag}>\n"));
}

fn push_list(page: &mut String, start: &str, items: &[Item], end: &str) {
    page.push_str(start);
    for item in items {
        page.push_str("<li dir=\"auto\">");
        match item.as_slice() {
            [Block::Paragraph { lines }, rest @ ..] => {
                push_lines(page, lines);
                push_blocks(page, rest);
            }
            other => push_blocks(page, other),
        }
        page.push_str("</li>\n");
    }
    page.push_str(end);
}

fn push_table(page: &mut String, head: &[Cell], rows: &[Vec<Cell>]) {
    page.push_str("<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n");
    push_row(page, "th", head);
    for row in rows {
        push_row(page, "td", row);
    }
    page.push_str("</table></div>\n");
}

fn push_row(page: &mut String, tag: &str, cells: &[Cell]) {
    page.push_str("<tr>");
    for cell in cells {
        // A cell without text heads nothing.
        let tag = if cell.pieces.is_empty() { "td" } else { tag };
        let class = match cell.align {
            Align::Start => "",
            Align::Center => " class=\"center\"",
            Align::End => " class=\"end\"",
        };
        page.push_str(&format!("<{tag}{class} dir=\"auto\">"));
        push_line(page, &cell.pieces);
        page.push_str(&format!("</{tag}>"));
    }
    page.push_str("</tr>\n");
}

fn push_lines(page: &mut String, lines: &[Line]) {
    for (number, line) in lines.iter().enumerate() {
        page.push_str(if number > 0 { "<br>\n" } else { "" });
        push_line(page, line);
    }
}

fn push_line(page: &mut String, line: &Line) {
    let mut needs_space = false;
    for piece in line {
        let text = match piece.cites {
            Some(number) if needs_space => format!(" [{number}]"),
            Some(number) => format!("[{number}]"),
            None => escaped(&piece.text),
        };
        needs_space = piece.cites.is_none() && !piece.text.ends_with(char::is_whitespace);
        let is_text = piece.cites.is_none();
        let tags = [(piece.is_bold, "strong"), (piece.is_emphasis, "em"), (piece.is_code, "code")]
            .map(|(is_on, tag)| (is_on && is_text, tag));
        for (_, tag) in tags.iter().filter(|(is_on, _)| *is_on) {
            page.push_str(&format!("<{tag}>"));
        }
        page.push_str(&text);
        for (_, tag) in tags.iter().rev().filter(|(is_on, _)| *is_on) {
            page.push_str(&format!("</{tag}>"));
        }
    }
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::blocks;
    use proptest::prelude::*;
    use regex::Regex;
    use std::collections::BTreeSet;

    fn html(text: &str) -> String {
        let mut page = String::new();
        push_blocks(&mut page, &blocks(text, &BTreeSet::from([1])));
        page
    }

    #[test]
    fn blocks_have_their_elements() {
        for (text, expected) in [
            (
                "**a** [1][1]\n`b < c` *[1]*",
                "<p class=\"text\" dir=\"auto\"><strong>a</strong> [1][1]<br>\n<code>b &lt; c</code> [1]</p>\n",
            ),
            ("# A", "<h3 class=\"text\" dir=\"auto\">A</h3>\n"),
            ("```\n<b>\n```", "<pre><code>&lt;b&gt;</code></pre>\n"),
            (
                "3. a\n   - b",
                "<ol start=\"3\">\n<li dir=\"auto\">a<ul>\n<li dir=\"auto\">b</li>\n</ul>\n</li>\n</ol>\n",
            ),
            (
                "| a | |\n|:-:|--:|\n| <i> [1] | [b](c) |",
                "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n\
                 <tr><th class=\"center\" dir=\"auto\">a</th><td class=\"end\" dir=\"auto\"></td></tr>\n\
                 <tr><td class=\"center\" dir=\"auto\">&lt;i&gt; [1]</td><td class=\"end\" dir=\"auto\">[b](c)</td></tr>\n\
                 </table></div>\n",
            ),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    proptest! {
        /// Without the tags of this file, a page has no sign that could be part of another one.
        #[test]
        fn no_tag_comes_from_the_text(
            text in "([a-z<>/!&;\"'=*_`|\\-#\\[\\]():\n 1]|<script>|<a href=|\n\\|-\\|\n){0,80}",
        ) {
            let tags = Regex::new(
                "</?(?:p|h3|ul|ol|li|pre|code|div|table|tr|th|td|strong|em|br)\
                 (?: (?:class|dir|role|aria-label|tabindex|start)=\"[A-Za-z0-9]+\")*>",
            );
            let page = html(&text);
            let rest = tags.unwrap().replace_all(&page, "");
            prop_assert!(!rest.contains(['<', '>', '"', '\'']), "{}", rest);
        }
    }
}
