//! Selects the blocks of a page that are content.

use super::blocks::{Block, GOOD_CHARS_MIN, Page};

/// The marked main content is used if it has this length, or this share of the page.
const MAIN_CHARS_MIN: usize = 140;
const MAIN_SHARE_MIN: usize = 3;
/// Signs that end a sentence.
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// The blocks that are content, in their order.
pub fn content(page: &Page) -> Vec<&Block> {
    let mut kept = vec![true; page.blocks.len()];
    retain(&mut kept, page, |block| !block.is_around);
    let chars = |is_counted: &dyn Fn(&Block) -> bool| {
        let inner = page.blocks.iter().filter(|block| !block.is_around && is_counted(block));
        inner.map(|block| block.chars).sum::<usize>()
    };
    let (main_chars, inner_chars) = (chars(&|block| block.is_main), chars(&|_| true));
    let is_marked = main_chars > 0
        && (main_chars >= MAIN_CHARS_MIN || main_chars.saturating_mul(MAIN_SHARE_MIN) >= inner_chars);
    if is_marked {
        retain(&mut kept, page, |block| block.is_main);
    } else {
        trim(&mut kept, page);
    }
    let candidates = kept.clone();
    retain(&mut kept, page, |block| !is_list_of_links(block, is_marked));
    drop_empty_sections(&mut kept, page);
    let chosen = |kept: &[bool]| -> Vec<&Block> {
        page.blocks.iter().zip(kept).filter(|(_, is_kept)| **is_kept).map(|(block, _)| block).collect()
    };
    let all = || page.blocks.iter().collect();
    [chosen(&kept), chosen(&candidates)].into_iter().find(|blocks| !blocks.is_empty()).unwrap_or_else(all)
}

fn retain(kept: &mut [bool], page: &Page, is_content: impl Fn(&Block) -> bool) {
    for (is_kept, block) in kept.iter_mut().zip(&page.blocks) {
        *is_kept &= is_content(block);
    }
}

/// Without the short blocks before the first and after the last certain content.
fn trim(kept: &mut [bool], page: &Page) {
    let is_good = |place: &usize| kept[*place] && page.blocks[*place].is_good();
    let places = 0..page.blocks.len();
    let (Some(first), Some(last)) = (places.clone().find(is_good), places.clone().rfind(is_good)) else {
        return;
    };
    for place in places {
        let block = &page.blocks[place];
        kept[place] &= (first..=last).contains(&place)
            || (block.is_heading() && place < first)
            || block.text.ends_with(SENTENCE_ENDS);
    }
}

/// A short block of links. Within marked content, a row of a table is none, and a block with other words as well.
fn is_list_of_links(block: &Block, is_marked: bool) -> bool {
    let has_most = |tenths: usize| block.link_chars.saturating_mul(10) >= block.chars.saturating_mul(tenths);
    let is_list = block.link_chars * 2 > block.chars && block.chars < 2 * GOOD_CHARS_MIN;
    !block.is_heading() && is_list && !(is_marked && (block.is_row || !has_most(9)))
}

/// Drops headings of which nothing is left, such as "Related articles".
fn drop_empty_sections(kept: &mut [bool], page: &Page) {
    // Headings after which nothing was kept so far, outermost first.
    let mut headings: Vec<usize> = Vec::new();
    let mut is_anything_dropped = false;
    let mut dropped = Vec::new();
    for (place, block) in page.blocks.iter().enumerate() {
        if !kept[place] {
            is_anything_dropped |= !headings.is_empty();
            continue;
        }
        let is_section = |heading: &usize| page.blocks[*heading].heading_level >= block.heading_level;
        while block.is_heading() && headings.last().is_some_and(is_section) {
            dropped.extend(headings.pop().filter(|_| is_anything_dropped));
        }
        if block.is_heading() {
            headings.push(place);
        } else {
            headings.clear();
        }
        is_anything_dropped = false;
    }
    dropped.extend(headings.into_iter().filter(|_| is_anything_dropped));
    for heading in dropped {
        kept[heading] = false;
    }
}
