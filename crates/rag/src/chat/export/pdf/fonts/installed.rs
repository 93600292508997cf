//! Fonts of the system. Their characters are read once and remembered.

use super::file_tables::{FontTables, read_tables};
use super::found_fonts::{FONTS_MAX, FoundFonts};
use super::used_font::FontData;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most font files that are examined, and how deep folders are searched for them.
const FILES_MAX: usize = 4_000;
const DEPTH_MAX: usize = 8;
/// Largest font file that is used.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most ranges of characters that are remembered, of eight bytes each. Further fonts are not used.
const RANGES_MAX: usize = 1_000_000;
/// Most files that are read for one document: some may be damaged.
const READS_MAX: usize = 4 * FONTS_MAX;
/// The list is read again if it lacks characters and is older than this, so that a font that was installed meanwhile is
/// found.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Folders with fonts. Clones share what they remember.
#[derive(Debug, Clone)]
pub struct FontFolders {
    folders: Vec<PathBuf>,
    list: Arc<Mutex<Option<FontList>>>,
    read_again_after: Duration,
}

#[derive(Debug)]
struct FontList {
    fonts: Arc<[InstalledFont]>,
    read: Instant,
}

#[derive(Debug)]
struct InstalledFont {
    path: PathBuf,
    /// Where it begins, in a collection.
    start: u32,
    /// First and last characters, in their order.
    ranges: Vec<(u32, u32)>,
    /// How far its style is from that of an ordinary text; 0 for an upright sans-serif of normal weight.
    penalty: u32,
}

impl Default for FontFolders {
    /// Without folders.
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl FontFolders {
    /// Where operating systems install fonts.
    pub fn of_system() -> Self {
        const FOLDERS: [&str; 5] = [
            "/usr/share/fonts",
            "/usr/local/share/fonts",
            "/usr/share/fonts-droid-fallback",
            "/System/Library/Fonts",
            "/Library/Fonts",
        ];
        static SYSTEM: LazyLock<FontFolders> =
            LazyLock::new(|| FontFolders::of(FOLDERS.iter().map(PathBuf::from).collect()));
        SYSTEM.clone()
    }

    pub fn of(folders: Vec<PathBuf>) -> Self {
        Self { folders, list: Arc::default(), read_again_after: READ_AGAIN_AFTER }
    }

    /// Adds fonts that have the missing characters.
    pub(super) fn add_installed(&self, found: &mut FoundFonts) {
        if found.missing.is_empty() {
            return;
        }
        let known = self.fonts(Duration::MAX);
        add_best(&known, found);
        if !found.missing.is_empty() {
            let fresh = self.fonts(self.read_again_after);
            if !Arc::ptr_eq(&known, &fresh) {
                add_best(&fresh, found);
            }
        }
    }

    /// The fonts as they were read at most this long ago.
    fn fonts(&self, age_max: Duration) -> Arc<[InstalledFont]> {
        // Others wait, rather than read the same files.
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = list.as_ref().filter(|known| known.read.elapsed() <= age_max) {
            return Arc::clone(&known.fonts);
        }
        let fonts: Arc<[InstalledFont]> = read_fonts(&self.folders).into();
        *list = Some(FontList { fonts: Arc::clone(&fonts), read: Instant::now() });
        fonts
    }
}

/// Adds the font with the most of the missing characters, and so on.
fn add_best(fonts: &[InstalledFont], found: &mut FoundFonts) {
    let mut candidates: Vec<&InstalledFont> =
        fonts.iter().filter(|font| font.count_of(&found.missing) > 0).collect();
    for _ in 0..READS_MAX {
        if found.fonts.len() >= FONTS_MAX {
            break;
        }
        let gain = |(place, font): (usize, &&InstalledFont)| {
            (font.count_of(&found.missing), Reverse(font.penalty), Reverse(place))
        };
        let best = candidates.iter().enumerate().map(gain).max();
        let Some((_, _, Reverse(place))) = best.filter(|(count, ..)| *count > 0) else { break };
        let font = candidates.remove(place);
        // A file may disappear or change meanwhile, or be damaged; another one is then tried.
        if let Ok(bytes) = read_bounded(&font.path) {
            found.add(FontData { bytes, start: font.start, name: name_of(&font.path) });
        }
    }
}

impl InstalledFont {
    fn of(path: &Path, font: FontTables) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let style = [("sans", 0), ("mono", 400), ("serif", 300), ("condensed", 200)];
        let named: u32 =
            style.iter().filter(|(word, _)| name.contains(word)).map(|(_, penalty)| penalty).sum();
        let plain = if name.contains("sans") { 0 } else { 100 };
        let penalty =
            u32::from(font.weight.abs_diff(400)) + if font.is_slanted { 500 } else { 0 } + named + plain;
        Self { path: path.to_owned(), start: font.start, ranges: font.ranges, penalty }
    }

    /// How many of these characters it has.
    fn count_of(&self, characters: &BTreeSet<char>) -> usize {
        let has = |c: &&char| {
            let c = u32::from(**c);
            let after = self.ranges.partition_point(|(first, _)| *first <= c);
            after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, last)| c <= *last)
        };
        characters.iter().filter(has).count()
    }
}

fn read_fonts(folders: &[PathBuf]) -> Vec<InstalledFont> {
    let mut ranges = 0;
    let fonts = files(folders).into_iter().flat_map(|path| {
        let fonts = read_tables(&path).unwrap_or_default().into_iter();
        fonts.map(|font| InstalledFont::of(&path, font)).collect::<Vec<_>>()
    });
    let is_within = |font: &InstalledFont| {
        ranges += font.ranges.len();
        ranges <= RANGES_MAX
    };
    fonts.take_while(is_within).collect()
}

/// The font files in a fixed order.
fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<(PathBuf, usize)> = folders.iter().rev().map(|folder| (folder.clone(), 0)).collect();
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.take(FILES_MAX).flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if is_font(&path) {
                files.push(path);
            } else if depth < DEPTH_MAX && folders.len() < FILES_MAX && path.is_dir() {
                folders.push((path, depth + 1));
            }
            if files.len() >= FILES_MAX {
                return files;
            }
        }
    }
    files
}

fn is_font(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_known = |extension: &str| {
        ["ttf", "otf", "ttc", "otc"].iter().any(|known| known.eq_ignore_ascii_case(extension))
    };
    extension.is_some_and(is_known)
        && fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= FILE_BYTES_MAX)
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A name for a PDF: the file's, in characters and digits.
fn name_of(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if name.is_empty() { "Font".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::font_of;
    use super::*;

    fn missing(folders: &FontFolders, characters: &str) -> String {
        let found = folders.find(&characters.chars().collect());
        found.missing.into_iter().collect()
    }

    #[test]
    fn the_list_is_remembered_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.ttf"), font_of("水", None)).unwrap();
        let mut folders = FontFolders::of(vec![folder.path().to_owned()]);
        assert_eq!(missing(&folders, "水"), "");
        let known = folders.fonts(Duration::MAX);
        fs::write(path("b.ttf"), font_of("坝", None)).unwrap();
        assert_eq!(missing(&folders.clone(), "水坝"), "坝", "it was read a moment ago");
        assert!(Arc::ptr_eq(&known, &folders.clone().fonts(Duration::MAX)));
        folders.read_again_after = Duration::ZERO;
        assert_eq!(missing(&folders, "ą"), "", "the font in the program has it");
        assert!(Arc::ptr_eq(&known, &folders.fonts(Duration::MAX)));
        assert_eq!(missing(&folders, "水坝"), "");
        fs::remove_file(path("a.ttf")).unwrap();
        assert_eq!(missing(&folders, "水坝"), "水");
        assert!(Arc::ptr_eq(&FontFolders::of_system().list, &FontFolders::of_system().list));
    }

    #[test]
    fn the_font_with_the_most_characters_is_first() {
        let folder = tempfile::tempdir().unwrap();
        for (name, characters) in
            [("a-sans.ttf", "水"), ("b-mono.ttf", "水坝"), ("c-sans.ttf", "坝水"), ("d-sans.ttf", "水坝")]
        {
            fs::write(folder.path().join(name), font_of(characters, None)).unwrap();
        }
        let folders = FontFolders::of(vec![folder.path().to_owned()]);
        let found = folders.find(&"水坝".chars().collect());
        assert_eq!(found.fonts.iter().map(|font| font.name.as_str()).collect::<Vec<_>>(), ["c-sans"]);
    }

    #[test]
    fn fonts_of_one_document_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let characters: String = ('\u{4e00}'..).take(FONTS_MAX + 2).collect();
        for (number, c) in characters.chars().enumerate() {
            fs::write(folder.path().join(format!("{number}.ttf")), font_of(&c.to_string(), None)).unwrap();
        }
        let found = FontFolders::of(vec![folder.path().to_owned()]).find(&characters.chars().collect());
        assert_eq!((found.fonts.len(), found.missing.len()), (FONTS_MAX, 2));
    }
}
