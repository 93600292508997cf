//! Masking of secrets in the text of a page, and the version that a source reports.

use domain::known_secrets::KnownSecrets;
use domain::ports::{HttpResponse, PageText};

/// Longest version.
const VERSION_CHARS_MAX: usize = 200;

/// Masks secrets that a site repeats from the request.
pub fn mask_page(page: &mut PageText, secrets: &KnownSecrets) {
    for text in [&mut page.title, &mut page.text, &mut page.author, &mut page.version] {
        secrets.mask_in_place(text);
    }
}

/// The version that the response reports.
pub fn version(answer: &HttpResponse) -> String {
    let said = answer.header("etag").or_else(|| answer.header("last-modified"));
    said.unwrap_or_default().trim().chars().take(VERSION_CHARS_MAX).collect()
}
