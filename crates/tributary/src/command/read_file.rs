//! `tributary read-file`: extracts text from one file for the service; hidden from the help.

use std::io::BufWriter;
use std::process::ExitCode;

/// Runs without a runtime, settings or log; the parent process reads the exit status.
pub fn run() -> ExitCode {
    let output = BufWriter::new(std::io::stdout().lock());
    match extraction::read_in_subprocess(std::io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_told_by_the_exit_code) => ExitCode::FAILURE,
    }
}
