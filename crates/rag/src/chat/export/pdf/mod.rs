//! Exports a chat as PDF with the standard fonts. They only contain Western European characters; a chat with other
//! characters is rejected.

mod error;
mod file;
mod lines;
mod winansi;

pub use error::PdfError;

use super::format::{address, heading, minute, title};
use domain::chat::{Chat, ChatMessage};
use file::File;
use lines::{Pages, Style};
use winansi::encode;

pub fn pdf(chat: &Chat, messages: &[ChatMessage]) -> Result<Vec<u8>, PdfError> {
    let mut pages = Pages::default();
    let mut write = |style: Style, text: &str| pages.write(style, &encode(text)?);
    write(Style::Title, title(chat))?;
    write(Style::Small, &minute(chat.date_created))?;
    for message in messages {
        write(Style::Heading, &heading(message))?;
        for line in message.body.content.trim().lines() {
            write(Style::Text, line)?;
        }
        for warning in &message.body.warnings {
            write(Style::Small, warning)?;
        }
        for citation in &message.body.citations {
            let mut line = format!("[{}] {}", citation.n, citation.title);
            if let Some(url) = address(citation) {
                line.push_str(&format!(" - {url}"));
            }
            write(Style::Small, &line)?;
        }
    }
    Ok(File { title: title(chat), created: chat.date_created, pages: &pages.finish() }.bytes())
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::error::PAGES_MAX;
    use super::*;
    use bytes::Bytes;
    use domain::ports::FileToRead;
    use extraction::Limits;

    fn read_back(bytes: Vec<u8>) -> domain::ports::ExtractedText {
        let file = FileToRead { media_type: None, name: "chat.pdf".into(), bytes: Bytes::from(bytes) };
        extraction::read(&file, &Limits::default()).expect("a PDF that can be read")
    }

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_written_can_be_read() {
        let question = "Qu'est-ce que l’œuvre coûte (en €)? \\ – naïve";
        let (chat, messages) = sample(question, "Elle coûte 7 € [1].\n\nVoilà “tout”… ≥ 5 ✅");
        let read = read_back(pdf(&chat, &messages).expect("Latin text"));
        let text = words(&read.text);
        for expected in [
            "Dams",
            "You, 2026-11-15 12:00 UTC",
            question,
            "Elle coûte 7 € [1].",
            "Voilà “tout”… >= 5 [U+2705]",
            "[1] The [big] dam - https://a.example/dam",
            "[3] A file",
            "Check *this* answer.",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("/etc/dam"));
        assert_eq!(read.title, "Dams");
    }

    #[test]
    fn long_texts_go_over_many_pages_and_lose_nothing() {
        let paragraph: String = (0..6000).map(|number| format!("word{number} ")).collect();
        let (chat, messages) = sample("?", &paragraph);
        let bytes = pdf(&chat, &messages).expect("Latin text");
        let pages = String::from_utf8_lossy(&bytes).matches("/Type /Page ").count();
        assert!(pages > 5, "{pages}");
        let text = words(&read_back(bytes).text);
        for number in 0..6000 {
            assert!(text.contains(&format!("word{number} ")), "word{number}");
        }
    }

    #[test]
    fn unsupported_characters_are_rejected() {
        for (text, character) in [("Плотина", 'П'), ("dam 水", '水'), ("ąę", 'ą')] {
            let (chat, messages) = sample(text, "x");
            assert_eq!(pdf(&chat, &messages), Err(PdfError::UnsupportedCharacter(character)));
        }
    }

    #[test]
    fn pages_are_bounded() {
        let (chat, messages) = sample("?", &"line\n".repeat(PAGES_MAX * lines::LINES_MAX));
        assert_eq!(pdf(&chat, &messages), Err(PdfError::TooLong));
    }
}
