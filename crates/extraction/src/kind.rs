//! Detects the kind of a file: by its first bytes if they are unambiguous, else by the media type, else by its name.

use domain::ports::{ExtractError, FileToRead};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Html,
    /// XML of unknown kind: all of its text.
    Markup,
    PlainText,
    Markdown,
    Pdf,
    Docx,
    Pptx,
    Xlsx,
    /// OpenDocument text, spreadsheet or presentation.
    OpenDocument,
    Mail,
}

/// Bytes that are inspected.
const HEAD_BYTES: usize = 1024;
const ZIP_MARK: &[u8] = b"PK\x03\x04";
const ZIP_MARK_EMPTY: &[u8] = b"PK\x05\x06";
/// Looks like text but is not readable.
const RTF_MARK: &[u8] = b"{\\rtf";
const OLE_MARK: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

const ENDINGS: &[(Kind, &[&str])] = &[
    (Kind::Html, &["html", "htm", "xhtml"]),
    (Kind::Markup, &["xml", "svg", "rss", "atom"]),
    (Kind::Markdown, &["md", "markdown", "mdown", "mkd"]),
    (Kind::Pdf, &["pdf"]),
    (Kind::Docx, &["docx", "docm", "dotx", "dotm"]),
    (Kind::Pptx, &["pptx", "pptm", "ppsx", "potx"]),
    (Kind::Xlsx, &["xlsx", "xlsm", "xltx"]),
    (Kind::OpenDocument, &["odt", "ott", "ods", "ots", "odp", "otp"]),
    (Kind::Mail, &["eml", "mht", "mhtml"]),
    (
        Kind::PlainText,
        &[
            "txt",
            "text",
            "log",
            "csv",
            "tsv",
            "json",
            "jsonl",
            "yaml",
            "yml",
            "toml",
            "ini",
            "cfg",
            "conf",
            "properties",
            "rst",
            "adoc",
            "asciidoc",
            "org",
            "tex",
            "bib",
            "srt",
            "vtt",
            "ics",
            "vcf",
            "sql",
            "sh",
            "bash",
            "bat",
            "ps1",
            "py",
            "rb",
            "pl",
            "php",
            "js",
            "mjs",
            "ts",
            "tsx",
            "jsx",
            "css",
            "scss",
            "java",
            "kt",
            "scala",
            "c",
            "h",
            "cc",
            "cpp",
            "hpp",
            "cs",
            "go",
            "rs",
            "swift",
            "lua",
            "r",
            "diff",
            "patch",
        ],
    ),
];

const MEDIA_TYPES: &[(&str, Kind)] = &[
    ("text/html", Kind::Html),
    ("application/xhtml+xml", Kind::Html),
    ("text/xml", Kind::Markup),
    ("application/xml", Kind::Markup),
    ("text/markdown", Kind::Markdown),
    ("text/x-markdown", Kind::Markdown),
    ("application/pdf", Kind::Pdf),
    ("application/x-pdf", Kind::Pdf),
    ("message/rfc822", Kind::Mail),
    ("multipart/related", Kind::Mail),
    ("application/json", Kind::PlainText),
    ("application/x-ndjson", Kind::PlainText),
    ("application/yaml", Kind::PlainText),
    ("application/toml", Kind::PlainText),
    ("application/javascript", Kind::PlainText),
    ("application/sql", Kind::PlainText),
];

const MEDIA_BEGINNINGS: &[(&str, Kind)] = &[
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.", Kind::Docx),
    ("application/vnd.openxmlformats-officedocument.presentationml.", Kind::Pptx),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.", Kind::Xlsx),
    ("application/vnd.ms-word.document.macroenabled", Kind::Docx),
    ("application/vnd.ms-powerpoint.presentation.macroenabled", Kind::Pptx),
    ("application/vnd.ms-excel.sheet.macroenabled", Kind::Xlsx),
    ("application/vnd.oasis.opendocument.text", Kind::OpenDocument),
    ("application/vnd.oasis.opendocument.spreadsheet", Kind::OpenDocument),
    ("application/vnd.oasis.opendocument.presentation", Kind::OpenDocument),
];

impl Kind {
    pub fn of(file: &FileToRead) -> Result<Self, ExtractError> {
        let bytes: &[u8] = &file.bytes;
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let media = file.media_type.as_deref().map(bare).unwrap_or_default();
        let said = Self::of_media(&media).or_else(|| Self::of_name(&file.name));
        if holds(head, b"%PDF-") && !matches!(said, Some(Self::Mail)) {
            return Ok(Self::Pdf);
        }
        if head.starts_with(OLE_MARK) {
            return Err(of_ole(bytes));
        }
        if head.starts_with(RTF_MARK) {
            return Err(ExtractError::Unsupported("application/rtf".to_owned()));
        }
        if head.starts_with(ZIP_MARK) || head.starts_with(ZIP_MARK_EMPTY) {
            let packed = said.filter(|kind| kind.is_package()).or_else(|| of_package(bytes));
            return packed.ok_or_else(|| ExtractError::Unsupported("application/zip".to_owned()));
        }
        match said {
            Some(kind) if kind.is_package() || kind == Self::Pdf => {
                Err(ExtractError::Damaged("it is not what its name says".to_owned()))
            }
            // Many servers send everything as plain text, and page names have no extension.
            None | Some(Self::PlainText) if looks_like_html(head) => Ok(Self::Html),
            Some(Self::PlainText) => {
                let named = Self::of_name(&file.name).filter(|kind| !kind.is_package());
                Ok(named.unwrap_or(Self::PlainText))
            }
            Some(kind) => Ok(kind),
            None if !head.is_empty() && looks_like_text(head) => Ok(Self::PlainText),
            None => Err(ExtractError::Unsupported(spoken(&media, &file.name))),
        }
    }

    /// Whether the file is read in a subprocess: a PDF, whose library decompresses without limits, or a mail, which
    /// may contain one. Inspects only the beginning, because it runs on the async runtime.
    pub fn is_read_apart(file: &FileToRead) -> bool {
        let head = &file.bytes[..file.bytes.len().min(HEAD_BYTES)];
        let said = file.media_type.as_deref().and_then(|media| Self::of_media(&bare(media)));
        holds(head, b"%PDF-") || [said, Self::of_name(&file.name)].contains(&Some(Self::Mail))
    }

    pub fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str())).map(|(kind, _)| *kind)
    }

    fn of_media(media: &str) -> Option<Self> {
        let exact = MEDIA_TYPES.iter().find(|(known, _)| *known == media).map(|(_, kind)| *kind);
        let begun =
            || MEDIA_BEGINNINGS.iter().find(|(known, _)| media.starts_with(known)).map(|(_, kind)| *kind);
        let general = || match media {
            _ if media.starts_with("text/") => Some(Self::PlainText),
            _ if media.ends_with("+xml") => Some(Self::Markup),
            _ if media.ends_with("+json") => Some(Self::PlainText),
            _ => None,
        };
        exact.or_else(begun).or_else(general)
    }

    fn is_package(self) -> bool {
        matches!(self, Self::Docx | Self::Pptx | Self::Xlsx | Self::OpenDocument)
    }
}

fn bare(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A compound file: an encrypted package or a legacy format.
fn of_ole(bytes: &[u8]) -> ExtractError {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if holds(bytes, &name) {
        return ExtractError::Protected;
    }
    ExtractError::Unsupported("application/x-ole-storage".to_owned())
}

/// Part names are stored uncompressed in the file.
fn of_package(bytes: &[u8]) -> Option<Kind> {
    let marks: [(&[u8], Kind); 4] = [
        (b"application/vnd.oasis.opendocument", Kind::OpenDocument),
        (b"word/document.xml", Kind::Docx),
        (b"ppt/presentation.xml", Kind::Pptx),
        (b"xl/workbook.xml", Kind::Xlsx),
    ];
    marks.into_iter().find(|(mark, _)| holds(bytes, mark)).map(|(_, kind)| kind)
}

fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

fn looks_like_html(head: &[u8]) -> bool {
    let start =
        String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

fn looks_like_text(head: &[u8]) -> bool {
    let is_marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let odd = head.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c));
    is_marked || odd.count() == 0
}

/// Describes an unknown kind; names are shortened and cleaned.
fn spoken(media: &str, name: &str) -> String {
    let text = if media.is_empty() { name.rsplit('.').next().unwrap_or_default() } else { media };
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn file(media_type: &str, name: &str, bytes: &[u8]) -> FileToRead {
        let media_type = (!media_type.is_empty()).then(|| media_type.to_owned());
        FileToRead { media_type, name: name.to_owned(), bytes: Bytes::copy_from_slice(bytes) }
    }

    fn kind(media_type: &str, name: &str, bytes: &[u8]) -> Result<Kind, ExtractError> {
        Kind::of(&file(media_type, name, bytes))
    }

    #[test]
    fn bytes_then_media_type_then_name() {
        let zip_of_word = b"PK\x03\x04....word/document.xml";
        let table: &[(&str, &str, &[u8], Kind)] = &[
            ("", "a.TXT", b"x", Kind::PlainText),
            ("", "a.md", b"x", Kind::Markdown),
            ("text/plain; charset=utf-8", "a.md", b"x", Kind::Markdown),
            ("text/plain", "page", b"\n<!DOCTYPE html><p>x", Kind::Html),
            ("text/html", "a.txt", b"x", Kind::Html),
            ("application/octet-stream", "a.pdf", b"%PDF-1.7", Kind::Pdf),
            ("text/plain", "a", b"%PDF-1.7", Kind::Pdf),
            ("", "a", zip_of_word, Kind::Docx),
            ("application/octet-stream", "a.bin", zip_of_word, Kind::Docx),
            ("", "a.ods", b"PK\x03\x04", Kind::OpenDocument),
            (
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                "a",
                b"PK\x03\x04",
                Kind::Xlsx,
            ),
            ("application/rss+xml", "feed", b"<rss/>", Kind::Markup),
            ("message/rfc822", "", b"From: a", Kind::Mail),
            ("text/plain", "a.eml", b"From: a", Kind::Mail),
            ("message/rfc822", "", b"Subject: %PDF-", Kind::Mail),
            ("", "README", b"plain words", Kind::PlainText),
            ("", "README", b"\xff\xfeh\x00i\x00", Kind::PlainText),
        ];
        for (media, name, bytes, want) in table {
            assert_eq!(kind(media, name, bytes), Ok(*want), "{media} {name}");
            let is_apart = matches!(want, Kind::Pdf | Kind::Mail);
            assert_eq!(Kind::is_read_apart(&file(media, name, bytes)), is_apart, "{media} {name}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let encrypted: Vec<u8> = OLE_MARK
            .iter()
            .copied()
            .chain("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        let table: &[(&str, &[u8], ExtractError)] = &[
            ("a.docx", &encrypted, ExtractError::Protected),
            ("a.doc", OLE_MARK, ExtractError::Unsupported("application/x-ole-storage".to_owned())),
            ("a.zip", b"PK\x03\x04", ExtractError::Unsupported("application/zip".to_owned())),
            ("a.docx", b"words", ExtractError::Damaged("it is not what its name says".to_owned())),
            ("a.png", b"\x89PNG\r\n\x1a\n\0", ExtractError::Unsupported("png".to_owned())),
            ("", b"", ExtractError::Unsupported(String::new())),
        ];
        for (name, bytes, want) in table {
            assert_eq!(kind("", name, bytes), Err(want.clone()), "{name}");
        }
    }
}
