//! The program: parse the command line, read the settings, do what was asked.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    tributary::command::main(tributary::command::Cli::parse())
}
