//! File extensions, which identify a format.

/// Longest extension.
const EXTENSION_CHARS_MAX: usize = 8;

/// The extension in the URL, else the usual one for this media type.
pub(super) fn extension(url: &str, media_type: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_name = path.matches('/').count() > 2; // after the host
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).filter(|ending| {
        is_name
            && (1..=EXTENSION_CHARS_MAX).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    ending.unwrap_or_else(|| {
        let usual = match media_type {
            "text/html" | "application/xhtml+xml" => "html",
            "application/pdf" => "pdf",
            "text/plain" => "txt",
            "text/markdown" => "md",
            "message/rfc822" => "eml",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
            _ => "",
        };
        usual.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_endings() {
        let table = [
            ("https://a.example/x/Report.PDF?page=2", "application/pdf", "pdf"),
            ("https://a.example/x/report", "application/pdf", "pdf"),
            ("https://a.example/", "text/html", "html"),
            ("https://a.example", "image/png", ""),
            ("https://a.example/v2.1", "text/plain", "txt"),
            ("https://a.example/a.averylongending", "", ""),
        ];
        for (url, media_type, expected) in table {
            assert_eq!(extension(url, media_type), expected, "{url}");
        }
    }
}
