//! Which format a version has, and what that is worth: the more finished, the more.

use domain::corpus::{Signal, SourceKind};

/// Formats by the endings of names, and by words of media types.
const FORMATS: [(&str, f64, &[&str], &[&str]); 5] = [
    ("pdf", 1.0, &["pdf"], &["application/pdf"]),
    ("a text document", 0.8, &["docx", "doc", "odt"], &["wordprocessingml", "msword", "opendocument.text"]),
    (
        "slides or a table",
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
        "a page",
        0.6,
        &["html", "htm", "xhtml", "md", "markdown"],
        &["text/html", "application/xhtml", "text/markdown"],
    ),
    ("mail", MAIL_WORTH, &["eml", "msg"], &["message/rfc822", "vnd.ms-outlook"]),
];
const MAIL_WORTH: f64 = 0.4;
const OTHER_WORTH: f64 = 0.3;

/// What it is called and what it is worth, 0 to 1.
pub fn format(signal: &Signal) -> (&'static str, f64) {
    let (ext, mime) = (signal.ext.to_ascii_lowercase(), signal.mime.to_ascii_lowercase());
    let by_ext = FORMATS.iter().find(|(_, _, endings, _)| endings.contains(&ext.as_str()));
    let by_mime = || FORMATS.iter().find(|(_, _, _, words)| words.iter().any(|word| mime.contains(word)));
    match by_ext.or_else(by_mime) {
        // The page that a mail was read from is still a mail.
        Some((_, worth, _, _)) if signal.source_kind == SourceKind::Mail && *worth < OFFICE_WORTH_MIN => {
            ("mail", MAIL_WORTH)
        }
        Some((name, worth, _, _)) => (name, *worth),
        None if signal.source_kind == SourceKind::Mail => ("mail", MAIL_WORTH),
        None => ("another one", OTHER_WORTH),
    }
}

/// From here on a format is that of a file, such as one that was attached to a mail.
const OFFICE_WORTH_MIN: f64 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::samples::signal;

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
