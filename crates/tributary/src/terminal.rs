//! What people read: answers on standard output, progress and remarks on standard error.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// A line of the answer. A closed pipe is the reader's business, not an error.
pub fn line(text: impl Display) {
    let _closed_pipe = writeln!(std::io::stdout(), "{text}");
}

/// A remark that is not part of the answer.
pub fn note(text: impl Display) {
    let _closed_pipe = writeln!(std::io::stderr(), "{text}");
}

/// How far the work is. The next one takes its place; only a person who watches sees it.
pub fn progress(text: impl Display) {
    if is_watched() {
        let mut screen = std::io::stderr();
        let _closed_pipe = write!(screen, "\r\x1b[2K{text}").and_then(|()| screen.flush());
    }
}

/// Asks a person who sits there: `yes` is yes, anything else is no.
pub fn confirm(question: &str) -> anyhow::Result<bool> {
    let asks = std::io::stdin();
    anyhow::ensure!(asks.is_terminal(), "nobody is there to answer \"{question}\"; --yes does it");
    let mut screen = std::io::stderr();
    write!(screen, "{question} Type yes: ")?;
    screen.flush()?;
    let mut answer = String::new();
    asks.read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("yes"))
}

/// Whether a person watches the remarks.
pub fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}
