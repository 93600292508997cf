//! The protocol between the processes: a line of JSON and the bytes of the file in, one JSON document out.

use crate::limits::Limits;
use bytes::Bytes;
use domain::page_starts::PageStarts;
use domain::ports::{ExtractError, ExtractedText, FileToRead};
use serde::{Deserialize, Serialize};

/// The file to read, and the limits. The bytes of the file follow.
#[derive(Serialize, Deserialize)]
struct Head {
    media_type: Option<String>,
    name: String,
    limits: Limits,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Read(Read),
    Failed(#[serde(with = "Failed")] ExtractError),
}

#[derive(Serialize, Deserialize)]
struct Read {
    title: String,
    author: String,
    text: String,
    page_starts: Vec<u32>,
    is_cut: bool,
}

impl From<ExtractedText> for Read {
    fn from(read: ExtractedText) -> Self {
        let ExtractedText { title, author, text, page_starts, is_cut } = read;
        Self { title, author, text, page_starts: page_starts.offsets().to_vec(), is_cut }
    }
}

impl From<Read> for ExtractedText {
    /// The process read an untrusted file, so its offsets are checked.
    fn from(read: Read) -> Self {
        let Read { title, author, text, page_starts, is_cut } = read;
        let page_starts = PageStarts::checked(page_starts, &text).unwrap_or_default();
        Self { title, author, text, page_starts, is_cut }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ExtractError")]
enum Failed {
    Unsupported(String),
    TooLarge(u64),
    Protected,
    Damaged(String),
    Timeout,
    Service(String),
}

/// The header line.
pub fn head(file: &FileToRead, limits: &Limits) -> serde_json::Result<Vec<u8>> {
    let head = Head { media_type: file.media_type.clone(), name: file.name.clone(), limits: limits.clone() };
    let mut line = serde_json::to_vec(&head)?;
    line.push(b'\n');
    Ok(line)
}

/// Parses the file and the limits from the whole input.
pub fn parse_request(all: Vec<u8>) -> serde_json::Result<(FileToRead, Limits)> {
    let all = Bytes::from(all);
    let end = all.iter().position(|&byte| byte == b'\n').unwrap_or(all.len());
    let Head { media_type, name, limits } = serde_json::from_slice(&all[..end])?;
    let bytes = all.slice((end + 1).min(all.len())..);
    Ok((FileToRead { media_type, name, bytes }, limits))
}

pub fn write_answer(
    answer: Result<ExtractedText, ExtractError>,
    output: impl std::io::Write,
) -> serde_json::Result<()> {
    let answer = match answer {
        Ok(text) => Answer::Read(text.into()),
        Err(error) => Answer::Failed(error),
    };
    serde_json::to_writer(output, &answer)
}

pub fn answer(bytes: &[u8]) -> serde_json::Result<Result<ExtractedText, ExtractError>> {
    Ok(match serde_json::from_slice(bytes)? {
        Answer::Read(text) => Ok(text.into()),
        Answer::Failed(error) => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_arrives() {
        let file = FileToRead {
            media_type: Some("application/pdf".to_owned()),
            name: "two\nlines.pdf".to_owned(),
            bytes: "%PDF-\n\n\u{0}".into(),
        };
        let limits = Limits { pages: 7, ..Limits::default() };
        let mut all = head(&file, &limits).unwrap();
        all.extend_from_slice(&file.bytes);
        let (arrived, limits) = parse_request(all).unwrap();
        assert_eq!(
            (arrived.media_type, arrived.name, arrived.bytes),
            (file.media_type, file.name, file.bytes)
        );
        assert_eq!((limits.pages, limits.time), (7, Limits::default().time));
        assert!(parse_request(b"%PDF-".to_vec()).is_err());
        let text = "\"x\"\n\n水".to_owned();
        let text = ExtractedText {
            title: "T".into(),
            author: "A".into(),
            page_starts: PageStarts::checked(vec![0, 5, 8], &text).unwrap(),
            text,
            is_cut: true,
        };
        for said in [
            Ok(text),
            Err(ExtractError::Unsupported("a/b".into())),
            Err(ExtractError::TooLarge(5)),
            Err(ExtractError::Protected),
            Err(ExtractError::Damaged("why".into())),
            Err(ExtractError::Timeout),
            Err(ExtractError::Service("down".into())),
        ] {
            let mut bytes = Vec::new();
            write_answer(said.clone(), &mut bytes).unwrap();
            assert_eq!(answer(&bytes).unwrap(), said);
        }
    }

    #[test]
    fn wrong_page_starts_are_dropped() {
        for (starts, expected) in
            [("[0,1]", vec![0, 1]), ("[1,0]", vec![]), ("[0,2]", vec![]), ("[9]", vec![])]
        {
            let said = format!(
                r#"{{"Read":{{"title":"","author":"","text":"añ","page_starts":{starts},"is_cut":false}}}}"#
            );
            let read = answer(said.as_bytes()).unwrap().unwrap();
            assert_eq!(
                (read.text.as_str(), read.page_starts.offsets()),
                ("añ", expected.as_slice()),
                "{starts}"
            );
        }
    }
}
