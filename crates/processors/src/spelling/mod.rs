//! Spelling correction: dictionaries by language. English is built in; other languages are word lists in the data
//! folder.

mod deletions;
mod dictionary;

pub use dictionary::{Dictionary, WordEvidence};

use domain::ports::{ProcessorError, ProcessorErrorKind};
use relevancy::Language;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The folder of word lists in the data folder.
const FOLDER: &str = "dictionaries";
/// Largest word list.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Longest name of a language.
const LANGUAGE_BYTES_MAX: usize = 32;

/// Frequent words in order, an empty line, and all others, compressed. See `NOTICE` for their origin.
const ENGLISH: &[u8] = include_bytes!("../../data/english-words.txt.zst");

/// Maximum length of the decompressed English words.
const ENGLISH_BYTES_MAX: usize = 1024 * 1024;

static BUILT_IN: LazyLock<Arc<Dictionary>> = LazyLock::new(|| Arc::new(read_english()));

/// Loaded word lists, each read once. A process has one language, so there is one entry.
static READ: LazyLock<Mutex<HashMap<PathBuf, Arc<Dictionary>>>> = LazyLock::new(Mutex::default);

#[expect(clippy::expect_used, reason = "the words are part of the program, and the tests read them")]
fn read_english() -> Dictionary {
    let words = zstd::bulk::decompress(ENGLISH, ENGLISH_BYTES_MAX).expect("a compressed list");
    Dictionary::read(&String::from_utf8(words).expect("a text"))
}

/// The dictionary of a language: `english`, or `dictionaries/<language>.txt` in the data folder.
pub fn dictionary(language: &str, data_dir: &str) -> Result<Arc<Dictionary>, ProcessorError> {
    let language = language.trim().to_lowercase();
    if matches!(language.as_str(), "english" | "en") {
        return Ok(Arc::clone(&BUILT_IN));
    }
    let is_name = !language.is_empty()
        && language.len() <= LANGUAGE_BYTES_MAX
        && language.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return Err(invalid("SVC_DEFAULT_QUERY_LANGUAGE is not the name of a language.".to_owned()));
    }
    let path = list_path(&language, data_dir);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.get(&path) {
        return Ok(Arc::clone(known));
    }
    let text = read_list(&path).map_err(|error| {
        let message = format!(
            "There is no dictionary for '{language}': {FOLDER}/{language}.txt in the data folder {error}. It is a list of words, one per line, the most frequent first."
        );
        invalid(message).caused_by(error)
    })?;
    let dictionary = Arc::new(Dictionary::read(&text));
    read.insert(path, Arc::clone(&dictionary));
    Ok(dictionary)
}

/// The dictionary of a language that a query shows; `None` if there is none, which is not an error.
pub fn dictionary_if_any(
    language: Language,
    data_dir: &str,
) -> Result<Option<Arc<Dictionary>>, ProcessorError> {
    let Some(known) = language.known() else { return Ok(None) };
    let is_there = language == Language::ENGLISH || list_path(known.name, data_dir).is_file();
    if is_there { dictionary(known.name, data_dir).map(Some) } else { Ok(None) }
}

fn list_path(language: &str, data_dir: &str) -> PathBuf {
    Path::new(data_dir).join(FOLDER).join(format!("{language}.txt"))
}

fn invalid(message: String) -> ProcessorError {
    ProcessorError::new(ProcessorErrorKind::Invalid, message)
}

/// The message of an error completes a sentence about the file.
fn read_list(path: &Path) -> Result<String, ProcessorError> {
    let unusable = |reason: &str| invalid(reason.to_owned());
    let file = std::fs::File::open(path).map_err(|error| unusable("cannot be read").caused_by(error))?;
    let mut text = String::new();
    let size = file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text);
    size.map_err(|error| unusable("is not UTF-8 text").caused_by(error))?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(invalid(format!("is larger than {} MB", FILE_BYTES_MAX / 1024 / 1024)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> String {
        let folder = std::env::temp_dir().join(format!("tributary-spelling-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(FOLDER)).expect("a folder");
        folder.to_string_lossy().into_owned()
    }

    #[test]
    fn a_language_is_a_file() {
        let data = folder("german");
        assert!(
            dictionary("german", &data)
                .expect_err("no list yet")
                .message()
                .contains("dictionaries/german.txt")
        );
        std::fs::write(Path::new(&data).join("dictionaries/german.txt"), "straße\nüberall\nwasser\n")
            .expect("a list");
        let german = dictionary("German", &data).expect("a list now");
        assert_eq!(german.correct("wassr"), Some("wasser"));
        assert_eq!(german.correct("uberall"), Some("überall"));
        std::fs::remove_dir_all(&data).expect("removed");
        assert!(dictionary("german", &data).is_ok(), "it is read once");
    }

    #[test]
    fn no_other_file_is_read() {
        for name in ["../../etc/passwd", "", "a/b", "a.b", "\0", &"x".repeat(LANGUAGE_BYTES_MAX + 1)] {
            assert!(dictionary(name, ".").is_err(), "{name}");
        }
    }

    #[test]
    fn a_list_is_bounded_and_text() {
        let data = folder("large");
        let write = |bytes: Vec<u8>| std::fs::write(Path::new(&data).join("dictionaries/large.txt"), bytes);
        write(vec![b'a'; FILE_BYTES_MAX as usize + 1]).expect("a list");
        assert!(dictionary("large", &data).expect_err("too large").message().contains("is larger than 8 MB"));
        write(vec![0xff; 10]).expect("a list");
        assert!(dictionary("large", &data).expect_err("no text").message().contains("is not UTF-8 text"));
        std::fs::remove_dir_all(&data).expect("removed");
    }
}
