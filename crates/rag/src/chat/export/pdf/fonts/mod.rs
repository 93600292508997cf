//! Fonts of the system for characters that the standard fonts lack.

mod file_tables;
mod joining;
mod truetype;
mod used_font;

pub(super) use joining::{JOINERS, has_unknown_forms};
pub(super) use used_font::{FontData, FontPart, Glyph, UsedFont};

use file_tables::{FontTables, read_tables};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Most font files that are examined, and how deep folders are searched for them.
const FILES_MAX: usize = 4_000;
const DEPTH_MAX: usize = 8;
/// Most fonts of one document.
pub(super) const FONTS_MAX: usize = 8;
/// Largest font file that is used.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Folders with fonts.
#[derive(Debug, Clone, Default)]
pub struct FontFolders(Vec<PathBuf>);

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
        Self(FOLDERS.iter().map(PathBuf::from).collect())
    }

    pub fn of(folders: Vec<PathBuf>) -> Self {
        Self(folders)
    }

    /// As few fonts as possible that have these characters, and the characters that none has. Reads files, so it must
    /// not run in the async runtime.
    pub(super) fn find(&self, needed: &BTreeSet<char>) -> FoundFonts {
        let mut candidates: Vec<Candidate> = Vec::new();
        if !needed.is_empty() {
            for path in self.files() {
                let fonts = read_tables(&path).unwrap_or_default().into_iter();
                candidates.extend(fonts.filter_map(|font| Candidate::of(&path, font, needed)));
            }
        }
        let mut found = FoundFonts { fonts: Vec::new(), missing: needed.clone() };
        while found.fonts.len() < FONTS_MAX {
            let gain = |one: &Candidate| one.covered.intersection(&found.missing).count();
            let best = candidates.iter().max_by_key(|one| (gain(one), std::cmp::Reverse(one.penalty)));
            let Some(place) = best
                .filter(|one| gain(one) > 0)
                .and_then(|best| candidates.iter().position(|one| std::ptr::eq(one, best)))
            else {
                break;
            };
            let Candidate { path, start, covered, .. } = candidates.swap_remove(place);
            // A file may disappear or change meanwhile; another one is then tried.
            if let Ok(bytes) = fs::read(&path) {
                found.missing.retain(|c| !covered.contains(c));
                found.fonts.push(FontData { bytes, start, name: name_of(&path) });
            }
        }
        found
    }

    /// The font files in a fixed order.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders: Vec<(PathBuf, usize)> =
            self.0.iter().rev().map(|folder| (folder.clone(), 0)).collect();
        while let Some((folder, depth)) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<PathBuf> =
                entries.take(FILES_MAX).flatten().map(|entry| entry.path()).collect();
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
}

fn is_font(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_known = |extension: &str| {
        ["ttf", "otf", "ttc", "otc"].iter().any(|known| known.eq_ignore_ascii_case(extension))
    };
    extension.is_some_and(is_known)
        && fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= FILE_BYTES_MAX)
}

/// The fonts of a document.
pub(super) struct FoundFonts {
    pub fonts: Vec<FontData>,
    pub missing: BTreeSet<char>,
}

/// A name for a PDF: the file's, in characters and digits.
fn name_of(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if name.is_empty() { "Font".to_owned() } else { name }
}

struct Candidate {
    path: PathBuf,
    start: u32,
    covered: BTreeSet<char>,
    /// How far its style is from that of an ordinary text; 0 for an upright sans-serif of normal weight.
    penalty: u32,
}

impl Candidate {
    fn of(path: &Path, font: FontTables, needed: &BTreeSet<char>) -> Option<Self> {
        let covered = font.covered(needed);
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let style = [("sans", 0), ("mono", 400), ("serif", 300), ("condensed", 200)];
        let named: u32 =
            style.iter().filter(|(word, _)| name.contains(word)).map(|(_, penalty)| penalty).sum();
        let plain = if name.contains("sans") { 0 } else { 100 };
        let penalty =
            u32::from(font.weight.abs_diff(400)) + if font.is_slanted { 500 } else { 0 } + named + plain;
        let own = Self { path: path.to_owned(), start: font.start, covered, penalty };
        (!own.covered.is_empty()).then_some(own)
    }
}
