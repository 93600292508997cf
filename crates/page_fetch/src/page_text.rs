//! Masking of secrets in the text of a page, and the version that a source reports.

use domain::known_secrets::KnownSecrets;
use domain::ports::{HttpResponse, PageText};
use std::borrow::Cow;

/// Longest version.
const VERSION_CHARS_MAX: usize = 200;

/// Masks secrets that a site repeats from the request.
pub fn mask_page(page: &mut PageText, secrets: &KnownSecrets) {
    for text in [&mut page.title, &mut page.author, &mut page.version] {
        secrets.mask_in_place(text);
    }
    if let Cow::Owned(masked) = secrets.mask(&page.text) {
        let mask = |text: &str| secrets.mask(text).into_owned();
        page.page_starts = page.page_starts.in_changed_text(&page.text, &masked, mask);
        page.text = masked;
    }
}

/// The version that the response reports.
pub fn version(answer: &HttpResponse) -> String {
    let said = answer.header("etag").or_else(|| answer.header("last-modified"));
    said.unwrap_or_default().trim().chars().take(VERSION_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::page_starts::PageStarts;

    #[test]
    fn pages_keep_their_beginnings_behind_a_masked_secret() {
        let text = "Your token is a-long-token.\n\nThe second page.".to_owned();
        let page_starts = PageStarts::checked(vec![0, 29], &text).unwrap();
        let mut page = PageText { text, page_starts, ..PageText::default() };
        mask_page(&mut page, &KnownSecrets::of_texts(["a-long-token"]));
        assert!(!page.text.contains("a-long-token"), "{}", page.text);
        let second = page.text.find("The second").unwrap();
        assert_eq!(
            (page.page_starts.page_at(second - 1), page.page_starts.page_at(second)),
            (Some(1), Some(2))
        );
    }
}
