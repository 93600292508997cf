//! The texts that cells of XLSX refer to by number.

use crate::package::Package;
use crate::text_builder::{ExtractResult, TextBuilder};
use crate::xml::{Node, walk};

const PART: &str = "xl/sharedStrings.xml";

/// All texts one after the other: a file may have millions of empty ones.
#[derive(Default)]
pub struct SharedTexts {
    joined: String,
    ends: Vec<u32>,
}

impl SharedTexts {
    pub fn read(package: &mut Package, builder: &mut TextBuilder) -> ExtractResult<Self> {
        let mut all = Self::default();
        let Some(part) = package.part(PART, builder)? else { return Ok(all) };
        let (mut is_text, mut spoken) = (false, 0_usize);
        walk(&part, builder, |node, _| {
            match node {
                Node::Open(element) => match element.name {
                    "t" => is_text = true,
                    // A pronunciation.
                    "rPh" => spoken += 1,
                    _ => {}
                },
                Node::Close("t") => is_text = false,
                Node::Close("rPh") => spoken = spoken.saturating_sub(1),
                // The limit on unpacked bytes is far below four gigabytes.
                Node::Close("si") => all.ends.extend(u32::try_from(all.joined.len()).ok()),
                Node::Text(text) if is_text && spoken == 0 => all.joined.push_str(text),
                Node::Close(_) | Node::Text(_) => {}
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// The text with this number; an empty text if there is none.
    pub fn text(&self, number: &str) -> &str {
        let Ok(place) = number.trim().parse::<usize>() else { return "" };
        let begin = place.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before));
        let (Some(begin), Some(end)) = (begin, self.ends.get(place)) else { return "" };
        self.joined.get(*begin as usize..*end as usize).unwrap_or_default()
    }
}
