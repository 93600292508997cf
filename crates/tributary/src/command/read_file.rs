//! `tributary read-file`: reads one file for another process of this program. Not for people, so that no help shows it.

use std::io::BufWriter;
use std::process::ExitCode;

/// No runtime, no settings, no log: whoever started this process sees how it ends.
pub fn run() -> ExitCode {
    let output = BufWriter::new(std::io::stdout().lock());
    match extraction::read_as_program(std::io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_told_by_the_exit_code) => ExitCode::FAILURE,
    }
}
