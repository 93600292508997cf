//! Exports a chat as PDF. Western European characters are set in the standard fonts of PDF, others in fonts of the
//! system, of which the used part is embedded. A chat is refused if no font has its characters, or if its script needs
//! more than the forms of Arabic, as those of India do.
//!
//! | Module | Contents |
//! |---|---|
//! | `prepared_text` | the form in which texts are set |
//! | `winansi` | characters and widths of the standard fonts |
//! | `fonts` | fonts of the system: which are needed, their glyphs of a text, their used part |
//! | `typesetter` | fonts, line breaks and directions of a paragraph |
//! | `lines` | lines and pages |
//! | `file` | the objects of the file |

mod error;
mod file;
mod fonts;
mod lines;
mod prepared_text;
mod typesetter;
mod winansi;

pub use error::PdfError;
pub use fonts::FontFolders;

use super::format::{address, heading, minute, title};
use domain::chat::{Chat, ChatMessage};
use file::File;
use lines::{Pages, Style};
use prepared_text::{
    characters_beyond_standard, is_alphabetic, is_of_complex_script, prepared, with_code_points,
};
use std::collections::BTreeSet;
use typesetter::Typesetter;

/// Reads font files, and takes its time for a long chat: not for the async runtime.
pub fn pdf(chat: &Chat, messages: &[ChatMessage], folders: &FontFolders) -> Result<Vec<u8>, PdfError> {
    let mut paragraphs = paragraphs(chat, messages);
    let needed = characters_beyond_standard(paragraphs.iter().map(|(_, text)| text.as_str()));
    let complex: BTreeSet<char> = needed.iter().copied().filter(|c| is_of_complex_script(*c)).collect();
    if !complex.is_empty() {
        return Err(PdfError::complex(&complex));
    }
    let found = folders.find(&needed);
    let (characters, symbols): (BTreeSet<char>, BTreeSet<char>) =
        found.missing.into_iter().partition(|c| is_alphabetic(*c));
    if !characters.is_empty() {
        return Err(PdfError::missing(&characters));
    }
    if !symbols.is_empty() {
        paragraphs.iter_mut().for_each(|(_, text)| *text = with_code_points(text, &symbols));
    }
    let mut typesetter = Typesetter::of(&found.fonts).ok_or(PdfError::DamagedFont)?;
    let mut pages = Pages::default();
    for (style, text) in &paragraphs {
        pages.write(*style, text, &mut typesetter)?;
    }
    let fonts = typesetter.parts().ok_or(PdfError::DamagedFont)?;
    let file = File { title: title(chat), created: chat.date_created, fonts: &fonts, pages: &pages.finish() };
    Ok(file.bytes())
}

/// The prepared paragraphs of a chat.
fn paragraphs(chat: &Chat, messages: &[ChatMessage]) -> Vec<(Style, String)> {
    let mut paragraphs = Vec::new();
    let mut add = |style: Style, text: &str| paragraphs.push((style, prepared(text)));
    add(Style::Title, title(chat));
    add(Style::Small, &minute(chat.date_created));
    for message in messages {
        add(Style::Heading, &heading(message));
        message.body.content.trim().lines().for_each(|line| add(Style::Text, line));
        message.body.warnings.iter().for_each(|warning| add(Style::Small, warning));
        for citation in &message.body.citations {
            let mut line = format!("[{}] {}", citation.n, citation.title);
            if let Some(url) = address(citation) {
                line.push_str(&format!(" - {url}"));
            }
            add(Style::Small, &line);
        }
    }
    paragraphs
}

#[cfg(test)]
mod tests;
