//! The format of a version and its factor: the more finished, the higher.

use domain::corpus::{FormatKind, Signal, SourceKind};

/// Formats by file extension, and by words of media types.
const FORMATS: [(FormatKind, f64, &[&str], &[&str]); 5] = [
    (FormatKind::Pdf, 1.0, &["pdf"], &["application/pdf"]),
    (
        FormatKind::TextDocument,
        0.8,
        &["docx", "doc", "odt"],
        &["wordprocessingml", "msword", "opendocument.text"],
    ),
    (
        FormatKind::SlidesOrTable,
        0.7,
        &["pptx", "ppt", "odp", "xlsx", "xls", "ods"],
        &[
            "presentationml",
            "powerpoint",
            "opendocument.presentation",
            "spreadsheetml",
            "ms-excel",
            "opendocument.spreadsheet",
        ],
    ),
    (
        FormatKind::Page,
        0.6,
        &["html", "htm", "xhtml", "md", "markdown"],
        &["text/html", "application/xhtml", "text/markdown"],
    ),
    (FormatKind::Mail, MAIL_WORTH, &["eml", "msg"], &["message/rfc822", "vnd.ms-outlook"]),
];
const MAIL_WORTH: f64 = 0.4;
const OTHER_WORTH: f64 = 0.3;

/// The format and its factor, 0 to 1.
pub fn format(signal: &Signal) -> (FormatKind, f64) {
    let (ext, mime) = (signal.ext.to_ascii_lowercase(), signal.mime.to_ascii_lowercase());
    let by_ext = FORMATS.iter().find(|(_, _, endings, _)| endings.contains(&ext.as_str()));
    let by_mime = || FORMATS.iter().find(|(_, _, _, words)| words.iter().any(|word| mime.contains(word)));
    match by_ext.or_else(by_mime) {
        // The page of a mail is still a mail.
        Some((_, worth, _, _)) if signal.source_kind == SourceKind::Mail && *worth < OFFICE_WORTH_MIN => {
            (FormatKind::Mail, MAIL_WORTH)
        }
        Some((kind, worth, _, _)) => (*kind, *worth),
        None if signal.source_kind == SourceKind::Mail => (FormatKind::Mail, MAIL_WORTH),
        None => (FormatKind::Other, OTHER_WORTH),
    }
}

/// From this factor on a format is that of a file, such as a mail attachment.
const OFFICE_WORTH_MIN: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::fixtures::signal;

    #[test]
    fn formats_are_worth() {
        let table = [
            ("pdf", "", SourceKind::Dms, 1.0),
            ("PDF", "text/html", SourceKind::Web, 1.0),
            ("docx", "", SourceKind::Drive, 0.8),
            ("pptx", "", SourceKind::Drive, 0.7),
            ("xlsx", "", SourceKind::Drive, 0.7),
            ("html", "", SourceKind::Web, 0.6),
            ("md", "", SourceKind::Wiki, 0.6),
            ("aspx", "text/html", SourceKind::Web, 0.6),
            ("", "application/pdf", SourceKind::Mail, 1.0),
            (
                "",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                SourceKind::Dms,
                0.8,
            ),
            ("", "application/vnd.oasis.opendocument.spreadsheet", SourceKind::Dms, 0.7),
            ("eml", "", SourceKind::Drive, 0.4),
            ("", "text/html", SourceKind::Mail, 0.4),
            ("", "", SourceKind::Mail, 0.4),
            ("txt", "text/plain", SourceKind::Drive, 0.3),
            ("", "", SourceKind::Web, 0.3),
        ];
        for (ext, mime, kind, expected) in table {
            let one = Signal {
                ext: ext.to_owned(),
                mime: mime.to_owned(),
                source_kind: kind,
                ..signal(1, "A document")
            };
            assert_eq!(format(&one).1, expected, "{ext} {mime} {kind:?}");
        }
    }
}
