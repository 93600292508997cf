//! Files written by other programs. A test whose program is not installed is skipped; `./test` installs them if it
//! may.

mod damage;
mod mail;
mod office;
mod password;
mod pdf;

use crate::samples::file;
use domain::ports::{ExtractError, ExtractedText};
use extraction::{Limits, read};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A report with typical content: accents, ligatures, a list, a table, a note.
const REPORT: &str = "---\ntitle: Flood report\nauthor: Ann Lee\n---\n\n# Überschwemmung am Fluss\n\n\
    The second paragraph has a *naïve café* and efficient offices.[^1]\n\n- first point\n- second point\n\n\
    | Gauge   | Level |\n|---------|-------|\n| Delta   | 4.5   |\n| Harbour | 7.25  |\n\n\
    [^1]: A footnote about sluices.\n";

/// Words of the report that must be extracted, in order.
const REPORT_WORDS: &[&str] = &[
    "Überschwemmung am Fluss",
    "The second paragraph has a naïve café and efficient offices.",
    "first point",
    "second point",
    "Gauge",
    "Level",
    "Delta",
    "4.5",
    "Harbour",
    "7.25",
];
const REPORT_NOTE: &str = "A footnote about sluices.";

const SLIDES: &str = "% River slides\n% Ann Lee\n\n# First slide\n\nWater levels rise\n\n::: notes\nSpeak slowly here\n:::\n\n\
    # Second slide\n\n- sluices open\n- people ran\n";
const SLIDE_WORDS: &[&str] =
    &["First slide", "Water levels rise", "Second slide", "sluices open", "people ran"];

const SHEET: &str = "Gauge,Level\nDelta,4.5\n\"Harbour, old\",7.25\nСлово,水位\n";
const SHEET_WORDS: &[&str] = &["Gauge Level", "Delta 4.5", "Harbour, old 7.25", "Слово 水位"];
/// The sheet is in UTF-8 with commas and quotes.
const SHEET_FILTER: &str = "--infilter=CSV:44,34,76,1";

/// A folder in which programs run.
struct Workshop(TempDir);

impl Workshop {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect(name)
    }

    /// Runs a program here; false if it is not installed.
    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let done = match Command::new(program).args(arguments).current_dir(self.0.path()).output() {
            Ok(done) => done,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                testkit::skip("files of real programs", &format!("{program} is not installed"));
                return false;
            }
            Err(error) => panic!("{program}: {error}"),
        };
        let said = String::from_utf8_lossy(&done.stderr);
        if said.contains("no export filter") || said.contains("source file could not be loaded") {
            testkit::skip("files of real programs", &format!("a part of {program} is not installed: {said}"));
            return false;
        }
        assert!(done.status.success(), "{program} {arguments:?}: {said}");
        true
    }

    /// Converts a file with LibreOffice to `out/<the same name>.<ending>`; false if it cannot.
    fn convert(&self, source: &str, to: &str, more: &[&str]) -> bool {
        let profile = self.profile();
        let mut arguments = vec![profile.as_str(), "--headless", "--convert-to", to, "--outdir", "out"];
        arguments.extend(more);
        arguments.push(source);
        let ending = to.split(':').next().unwrap_or_default();
        let stem = source.rsplit_once('.').map_or(source, |(stem, _)| stem);
        if !self.run("soffice", &arguments) {
            return false;
        }
        assert!(self.path(&format!("out/{stem}.{ending}")).exists(), "{source} to {to}: nothing was written");
        true
    }

    /// LibreOffice writes to its profile, and two instances must not share one.
    fn profile(&self) -> String {
        format!("-env:UserInstallation=file://{}", self.path("profile").display())
    }

    fn read(&self, name: &str) -> Result<ExtractedText, ExtractError> {
        read(&file(name, self.bytes(name)), &Limits::default())
    }

    /// Asserts that the text of a file has these words, in this order.
    fn assert_words(&self, name: &str, words: &[&str]) -> ExtractedText {
        let found = self.read(name).expect(name);
        let text = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut rest = text.as_str();
        for word in words {
            let at =
                rest.find(word).unwrap_or_else(|| panic!("{name}: {word:?} is not in {rest:?} of {text:?}"));
            rest = &rest[at + word.len()..];
        }
        found
    }
}
