//! Plain text: detects the encoding and keeps the lines.

use crate::text_builder::{ExtractResult, TextBuilder};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// Bytes used to detect UTF-16 without a byte order mark.
const SAMPLE_BYTES: usize = 512;

pub fn read(bytes: &[u8], media_type: Option<&str>, builder: &mut TextBuilder) -> ExtractResult {
    let text = decode(bytes, media_type.and_then(charset));
    read_lines(&text, builder)
}

/// Each line separately; paragraphs are separated by blank lines.
pub fn read_lines(text: &str, builder: &mut TextBuilder) -> ExtractResult {
    for line in text.lines() {
        if line.trim().is_empty() {
            builder.paragraph();
        } else {
            builder.text(line)?;
            builder.line();
        }
        builder.check_deadline()?;
    }
    builder.paragraph();
    Ok(())
}

/// Decodes bytes: by byte order mark, by label, as UTF-8, or as Windows-1252.
pub fn decode<'b>(bytes: &'b [u8], label: Option<&str>) -> Cow<'b, str> {
    if let Some((encoding, mark_bytes)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark_bytes..]).0;
    }
    let said = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    if let Some(encoding) = said.filter(|encoding| *encoding != UTF_8) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => guess(bytes).decode_without_bom_handling(bytes).0,
    }
}

/// The parameter `charset` of a media type.
pub fn charset(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    })
}

/// In UTF-16 every second byte of most texts is zero. Nearly valid UTF-8 is damaged UTF-8.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let zeros = |first: usize| sample.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let most = sample.len() / 4;
    if most > 0 && zeros(1) > most {
        return UTF_16LE;
    }
    if most > 0 && zeros(0) > most {
        return UTF_16BE;
    }
    let wrong = String::from_utf8_lossy(sample).matches('\u{fffd}').count();
    let high = sample.iter().filter(|byte| !byte.is_ascii()).count();
    if wrong * 4 < high { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_out() {
        let utf16: Vec<u8> = "Größe und mehr davon".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> =
            [0xfe, 0xff].into_iter().chain("Größe".encode_utf16().flat_map(u16::to_be_bytes)).collect();
        let table: [(&[u8], Option<&str>, &str); 8] = [
            ("Größe".as_bytes(), None, "Größe"),
            (b"Gr\xf6\xdfe", None, "Größe"),
            (b"Gr\xf6\xdfe", Some("utf-8"), "Größe"),
            (b"\xcf\xee", Some("windows-1251"), "По"),
            (b"\x93quoted\x94", None, "“quoted”"),
            (&utf16, None, "Größe und mehr davon"),
            (&marked, Some("windows-1252"), "Größe"),
            (b"\xef\xbb\xbfx", None, "x"),
        ];
        for (bytes, label, want) in table {
            assert_eq!(decode(bytes, label), want, "{label:?}");
        }
        assert_eq!(charset("text/plain; format=flowed; Charset=\"utf-16\""), Some("utf-16"));
        assert_eq!(charset("text/plain"), None);
    }
}
