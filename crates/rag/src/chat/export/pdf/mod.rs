//! Exports a chat as PDF. Western European characters are set in the standard fonts of PDF, many others in a font of the
//! program, and the rest in fonts of the system; the used part of a font is embedded. A symbol that no font has is written
//! in another way. A chat is refused only if a script of its words has no font, or needs more than the forms of Arabic,
//! as those of India do.
//!
//! | Module | Contents |
//! |---|---|
//! | `prepared_text` | the form in which texts are set |
//! | `winansi` | characters and widths of the standard fonts |
//! | `scripts` | names of scripts |
//! | `fonts` | the other fonts: which are needed, their glyphs of a text, their used part |
//! | `typesetter` | fonts, line breaks and directions of a paragraph |
//! | `lines` | lines and pages |
//! | `file` | the objects of the file |

mod error;
mod file;
mod fonts;
mod lines;
mod prepared_text;
mod scripts;
mod typesetter;
mod winansi;

pub use error::PdfError;
pub use fonts::FontFolders;

use super::format::{address, heading, minute, title};
use domain::chat::{Chat, ChatMessage};
use file::File;
use lines::{Pages, Style};
use prepared_text::{
    characters_beyond_standard, code_point, is_of_complex_script, plain_form, prepared, with_substitutes,
};
use scripts::is_of_script;
use std::collections::{BTreeMap, BTreeSet};
use typesetter::Typesetter;

/// Reads font files, and takes its time for a long chat: not for the async runtime.
pub fn pdf(chat: &Chat, messages: &[ChatMessage], folders: &FontFolders) -> Result<Vec<u8>, PdfError> {
    let mut paragraphs = paragraphs(chat, messages);
    let needed = characters_beyond_standard(paragraphs.iter().map(|(_, text)| text.as_str()));
    let is_complex = |c: &char| is_of_complex_script(*c) && is_of_script(*c);
    let complex: BTreeSet<char> = needed.iter().copied().filter(is_complex).collect();
    if !complex.is_empty() {
        return Err(PdfError::complex(&complex));
    }
    let mut found = folders.find(&needed);
    if !found.missing.is_empty() {
        let missing = std::mem::take(&mut found.missing);
        let plain = missing.iter().filter_map(|c| Some((*c, plain_form(*c)?))).collect();
        found = folders.find(&with_plain_forms(needed, &plain));
        let substitutes = substitutes(&missing, plain, &found.missing)?;
        paragraphs.iter_mut().for_each(|(_, text)| *text = with_substitutes(text, &substitutes));
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

fn with_plain_forms(mut needed: BTreeSet<char>, plain: &BTreeMap<char, String>) -> BTreeSet<char> {
    needed.extend(characters_beyond_standard(plain.values().map(String::as_str)));
    needed
}

/// How to write the characters that no font has: by their plain form, if there are fonts of it, or by their code point.
/// Characters of a script have no other form that can be read.
fn substitutes(
    missing: &BTreeSet<char>,
    mut plain: BTreeMap<char, String>,
    missing_of_all: &BTreeSet<char>,
) -> Result<BTreeMap<char, String>, PdfError> {
    plain.retain(|_, plain| !plain.contains(|c| missing_of_all.contains(&c)));
    let (lost, symbols): (BTreeSet<char>, BTreeSet<char>) =
        missing.iter().filter(|c| !plain.contains_key(c)).partition(|c| is_of_script(**c));
    if !lost.is_empty() {
        return Err(PdfError::missing(&lost));
    }
    plain.extend(symbols.into_iter().map(|c| (c, code_point(c))));
    Ok(plain)
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
