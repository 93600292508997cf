//! Citations in the order of reading: the source that is cited first is number 1.

use super::block::{Block, Line};
use super::marks;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Numbers the citations anew. Returns their earlier numbers, in the new order.
pub fn number_citations(blocks: &mut [Block]) -> Vec<u32> {
    let mut order = Vec::new();
    blocks.iter_mut().for_each(|block| number_block(block, &mut order));
    order
}

/// A text with the numbers of [`number_citations`]. Code stays as it is.
pub fn with_numbers(text: &str, order: &[u32]) -> String {
    // Parsed as the blocks are, so that the same parts are code.
    let marked = marks::added(text);
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for (event, code) in Parser::new_ext(&marked, Options::ENABLE_TABLES).into_offset_iter() {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) && code.start >= at {
            written.push_str(&renumbered(&marks::removed(&marked[at..code.start]), order));
            written.push_str(&marks::removed(&marked[code.clone()]));
            at = code.end;
        }
    }
    written.push_str(&renumbered(&marks::removed(&marked[at..]), order));
    written
}

fn number_block(block: &mut Block, order: &mut Vec<u32>) {
    match block {
        Block::Paragraph { lines } | Block::Heading { lines } => {
            lines.iter_mut().for_each(|line| number_line(line, order));
        }
        Block::Bullets { items } | Block::Numbers { items, .. } => {
            items.iter_mut().flatten().for_each(|block| number_block(block, order));
        }
        Block::Table { head, rows } => {
            let cells = head.iter_mut().chain(rows.iter_mut().flatten());
            cells.for_each(|cell| number_line(&mut cell.pieces, order));
        }
        Block::Code { .. } => {}
    }
}

fn number_line(line: &mut Line, order: &mut Vec<u32>) {
    for piece in line {
        let Some(earlier) = piece.cites else { continue };
        if !order.contains(&earlier) {
            order.push(earlier);
        }
        if let Some(number) = number_of(earlier, order) {
            piece.cites = Some(number);
            piece.text = number.to_string();
        }
    }
}

fn number_of(earlier: u32, order: &[u32]) -> Option<u32> {
    let place = order.iter().position(|known| *known == earlier)?;
    u32::try_from(place + 1).ok()
}

fn renumbered(text: &str, order: &[u32]) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, inside) = (&rest[..at], &rest[at + 1..]);
        written.push_str(before);
        let is_escaped = (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
        let number = inside.find(|c: char| !c.is_ascii_digit()).and_then(|end| {
            let number = number_of(inside[..end].parse().ok()?, order)?;
            (!is_escaped && inside[end..].starts_with(']')).then_some((number, end))
        });
        match number {
            Some((number, end)) => {
                written.push_str(&format!("[{number}]"));
                rest = &inside[end + 1..];
            }
            None => {
                written.push('[');
                rest = inside;
            }
        }
    }
    written.push_str(rest);
    written
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_citation_is_number_one() {
        let text = "It rose [5] [2].\n\n- It fell [7]\n  - again [2]\n\n| a [9] | b |\n|---|---|\n| c [3] | `d[5]` |";
        let mut shown = blocks(text, &BTreeSet::from([2, 3, 5, 7, 9]));
        let order = number_citations(&mut shown);
        assert_eq!(order, [5, 2, 7, 9, 3]);
        let written = with_numbers(text, &order);
        let expected = "It rose [1] [2].\n\n- It fell [3]\n  - again [2]\n\n| a [4] | b |\n|---|---|\n| c [5] | `d[5]` |";
        assert_eq!(written, expected);
        assert_eq!(shown, blocks(expected, &BTreeSet::from([1, 2, 3, 4, 5])));
        assert_eq!(number_citations(&mut shown), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn other_brackets_stay() {
        for (text, expected) in [
            ("", ""),
            ("[sic] [8] [4]", "[sic] [8] [1]"),
            ("[[4]] [4", "[[1]] [4"),
            ("`[4]` [4]", "`[4]` [1]"),
            ("the ` key [4]", "the ` key [1]"),
            ("`` `[4] `` [4]", "`` `[4] `` [1]"),
            ("~~~\n[4]\n~~~\n[4]", "~~~\n[4]\n~~~\n[1]"),
            ("• **a*b** <i>[4]</i>", "• **a*b** <i>[1]</i>"),
            ("\\[4] \\\\[4]", "\\[4] \\\\[1]"),
            ("[+4] [04]", "[+4] [1]"),
            ("[99999999999]", "[99999999999]"),
        ] {
            assert_eq!(with_numbers(text, &[4]), expected, "{text}");
        }
    }
}
