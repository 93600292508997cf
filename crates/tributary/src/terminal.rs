//! Terminal output: results on standard output, progress and notes on standard error.

use domain::secret::Secret;
use std::fmt::Display;
use std::io::{BufRead, IsTerminal, Read, Write};

/// Maximum length of a typed password with its line break.
const PASSWORD_BYTES_MAX: u64 = 4096;

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

/// Asks for a password on the terminal, which does not show it.
pub fn password(question: &str) -> anyhow::Result<Secret> {
    let input = std::io::stdin();
    anyhow::ensure!(input.is_terminal(), "standard input is not a terminal");
    let mut screen = std::io::stderr();
    write!(screen, "{question}")?;
    screen.flush()?;
    let mut answer = String::new();
    let read = without_echo(|| input.lock().take(PASSWORD_BYTES_MAX).read_line(&mut answer));
    // The line break that was typed is not shown either.
    let _closed_pipe = writeln!(screen);
    read?;
    Ok(Secret::new(answer.trim_end_matches(['\r', '\n'])))
}

/// Runs an input with the terminal not showing what is typed.
#[cfg(unix)]
fn without_echo<T>(input: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let terminal = std::io::stdin();
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let result = input();
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    result
}

#[cfg(not(unix))]
fn without_echo<T>(input: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    input()
}

/// Whether standard error is a terminal.
pub fn is_interactive() -> bool {
    std::io::stderr().is_terminal()
}
