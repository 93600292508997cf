//! Terminal output: results on standard output, progress and notes on standard error.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// Prints a line to standard output. A closed pipe is not an error.
pub fn line(text: impl Display) {
    let _closed_pipe = writeln!(std::io::stdout(), "{text}");
}

/// Prints a line to standard error.
pub fn note(text: impl Display) {
    let _closed_pipe = writeln!(std::io::stderr(), "{text}");
}

/// Prints progress, which the next call overwrites; only on a terminal.
pub fn progress(text: impl Display) {
    if is_interactive() {
        let mut screen = std::io::stderr();
        let _closed_pipe = write!(screen, "\r\x1b[2K{text}").and_then(|()| screen.flush());
    }
}

/// Asks for confirmation on the terminal; only `yes` confirms.
pub fn confirm(question: &str) -> anyhow::Result<bool> {
    let input = std::io::stdin();
    anyhow::ensure!(input.is_terminal(), "cannot ask \"{question}\" without a terminal; use --yes");
    let mut screen = std::io::stderr();
    write!(screen, "{question} Type yes: ")?;
    screen.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(answer.trim().eq_ignore_ascii_case("yes"))
}

/// Whether standard error is a terminal.
pub fn is_interactive() -> bool {
    std::io::stderr().is_terminal()
}
