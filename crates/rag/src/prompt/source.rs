//! The sources of a prompt.

use domain::page_starts::PageStarts;
use domain::result::ResultItem;
use domain::summary::SourceMode;
use relevancy::passages::ELLIPSIS;

/// A result and its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceText {
    pub item: ResultItem,
    pub text: String,
    /// Where the pages of a PDF begin in the text; empty if unknown.
    pub page_starts: PageStarts,
    /// Document type: a media type or a readable name.
    pub kind: String,
    pub mode: SourceMode,
}

/// A source in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptSource {
    /// Its number in the prompt, from 1.
    pub n: u32,
    pub source: SourceText,
    /// The part of its text that is in the prompt.
    pub passages: String,
}

impl PromptSource {
    /// The page on which a part of the passages begins, given its offset in them.
    pub fn page_of(&self, quote: &str, offset: usize) -> Option<u32> {
        let SourceText { text, page_starts, .. } = &self.source;
        if page_starts.is_empty() || quote.is_empty() {
            return None;
        }
        // The whole passage is found rather than the quote, which may occur on other pages as well.
        let before = self.passages.get(..offset)?;
        let start = before.rfind(ELLIPSIS).map_or(0, |at| at + ELLIPSIS.len());
        let passage = self.passages[start..].split(ELLIPSIS).next().unwrap_or_default();
        let in_passage = text.find(passage).map(|at| at + offset - start);
        let place = in_passage.filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(quote)));
        page_starts.page_at(place.or_else(|| text.find(quote))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_on_a_page() {
        let text = "Rain fell. The dam held.\n\nIt snowed. The dam held.\n\nThe dam broke.";
        let page_starts = PageStarts::checked(vec![0, 26, 52], text).unwrap();
        let source = |passages: &str| PromptSource {
            n: 1,
            source: SourceText {
                item: ResultItem::default(),
                text: text.to_owned(),
                page_starts: page_starts.clone(),
                kind: "PDF".to_owned(),
                mode: SourceMode::Page,
            },
            passages: passages.to_owned(),
        };
        for (passages, quote, page) in [
            (text, "Rain fell.", Some(1)),
            (text, "The dam broke.", Some(3)),
            ("It snowed. The dam held.", "The dam held.", Some(2)),
            ("Rain fell. … It snowed. The dam held.", "The dam held.", Some(2)),
            // In a chat, parts of a document are joined without their places.
            ("A title\nIt snowed.\nThe dam broke.", "The dam broke.", Some(3)),
            ("A title", "A title", None),
            ("", "", None),
        ] {
            let offset = passages.rfind(quote).unwrap();
            assert_eq!(source(passages).page_of(quote, offset), page, "{quote} in {passages}");
        }
        let mut unpaged = source(text);
        unpaged.source.page_starts = PageStarts::default();
        assert_eq!(unpaged.page_of("Rain fell.", 0), None);
        assert_eq!(source(text).page_of("Rain fell.", 9_999), None);
    }
}
