//! Entry point: parses the command line and runs the command.

use std::process::ExitCode;

/// Results consist of many small strings, which mimalloc allocates faster than the system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    tributary::command::main(tributary::command::parse())
}
