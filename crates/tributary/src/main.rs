//! The program: parse the command line, read the settings, do what was asked.

use clap::Parser;
use std::process::ExitCode;

/// Results are many small texts: this allocator is quicker with them than that of the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tributary::command::main(tributary::command::Cli::parse())
}
