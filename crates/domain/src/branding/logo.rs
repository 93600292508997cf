//! Logos: small PNG images, sent and stored as `data:image/png;base64,…`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use syntax::error::SyntaxError;

/// Maximum size of a logo, in bytes.
pub const LOGO_BYTES_MAX: usize = 500_000;
/// Maximum width and height of a logo, in pixels.
pub const LOGO_SIDE_MAX: u32 = 4096;
const PREFIX: &str = "data:image/png;base64,";
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The first chunk of every PNG: its length and its type.
const HEADER: &[u8] = b"\0\0\0\x0dIHDR";
/// The last chunk of every PNG.
const END: &[u8] = b"\0\0\0\0IEND\xaeB\x60\x82";
/// Signature, header, width and height.
const BEGIN_BYTES: usize = SIGNATURE.len() + HEADER.len() + 8;

/// The bytes of the image, or what is wrong with it.
pub fn picture(text: &str) -> Result<Vec<u8>, SyntaxError> {
    let encoded = text.strip_prefix(PREFIX).ok_or_else(|| format!("A PNG image is needed, as {PREFIX}…"))?;
    // Four characters are three bytes: longer texts need not be decoded.
    if encoded.len() / 4 * 3 > LOGO_BYTES_MAX + 3 {
        return Err(too_large().into());
    }
    let bytes = BASE64_STANDARD
        .decode(encoded)
        .map_err(|error| SyntaxError::new("This is not base64.").caused_by(error))?;
    if bytes.len() > LOGO_BYTES_MAX {
        return Err(too_large().into());
    }
    let (width, height) = size(&bytes).ok_or("This is not a PNG image.")?;
    let fits = |side: u32| (1..=LOGO_SIDE_MAX).contains(&side);
    if !fits(width) || !fits(height) {
        return Err(format!("At most {LOGO_SIDE_MAX} by {LOGO_SIDE_MAX} pixels are allowed.").into());
    }
    Ok(bytes)
}

fn too_large() -> String {
    format!("At most {} kB are allowed.", LOGO_BYTES_MAX / 1000)
}

/// Width and height. None for data that does not begin and end like a PNG.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(SIGNATURE)?.strip_prefix(HEADER)?;
    let number = |at: usize| Some(u32::from_be_bytes(rest.get(at..at + 4)?.try_into().ok()?));
    (bytes.len() > BEGIN_BYTES && bytes.ends_with(END)).then_some((number(0)?, number(4)?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The smallest thing that looks like a PNG of this size, with so many bytes in it.
    pub fn png(width: u32, height: u32, filling: usize) -> String {
        let mut bytes = [SIGNATURE, HEADER].concat();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend(vec![0; filling]);
        bytes.extend(END);
        format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes))
    }

    #[test]
    fn pictures_are_known_by_their_bytes() {
        let encoded = |bytes: &[u8]| format!("{PREFIX}{}", BASE64_STANDARD.encode(bytes));
        let table = [
            (png(818, 214, 100), None),
            (png(1, 1, 0), None),
            (png(0, 1, 0), Some("pixels")),
            (png(LOGO_SIDE_MAX + 1, 1, 0), Some("pixels")),
            (encoded(b"<svg onload=alert(1)>"), Some("not a PNG")),
            (encoded(b"\xff\xd8\xff JPEG"), Some("not a PNG")),
            (encoded(SIGNATURE), Some("not a PNG")),
            ("data:image/svg+xml;base64,PHN2Zz4=".to_owned(), Some("PNG image is needed")),
            (format!("{PREFIX}%%%"), Some("base64")),
            ("https://example.org/logo.png".to_owned(), Some("PNG image is needed")),
        ];
        for (text, expected) in table {
            match (picture(&text), expected) {
                (Ok(_), None) => {}
                (Err(sentence), Some(part)) => assert!(sentence.message().contains(part), "{sentence}"),
                (found, expected) => panic!("{text}: {found:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn logos_are_bounded() {
        let frame = BEGIN_BYTES + END.len();
        assert!(picture(&png(10, 10, LOGO_BYTES_MAX - frame)).is_ok());
        for filling in [LOGO_BYTES_MAX - frame + 1, LOGO_BYTES_MAX * 2] {
            assert!(picture(&png(10, 10, filling)).expect_err("too large").message().contains("500 kB"));
        }
    }
}
