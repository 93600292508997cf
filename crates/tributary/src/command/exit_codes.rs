//! What the program's exit codes mean: one table for the help on the terminal and for docs/operations.md.

use std::process::ExitCode;

/// Of `tributary status` when no service runs.
pub const NONE_RUNS: u8 = 3;

/// Of `tributary audit verify` when the log is not as it was written.
pub const AUDIT_BROKEN: u8 = 4;

/// Code, and what it means.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "Done. `status`: every service runs. `doctor`: nothing failed, warnings may be printed."),
    (
        1,
        "Not done; one sentence on standard error says why. `status`: some services run, some do not. `doctor`: \
         something failed. `search`: no results are ready. `backup --verify`: the file is damaged. \
         `tasks requeue`: something that was named has a live task, or is not there.",
    ),
    (2, "The command line is wrong: unknown command, option or value."),
    (NONE_RUNS, "`status`: no service runs."),
    (AUDIT_BROKEN, "`audit verify`: an entry was changed, is missing or does not belong there."),
];

pub fn none_runs() -> ExitCode {
    ExitCode::from(NONE_RUNS)
}

pub fn audit_broken() -> ExitCode {
    ExitCode::from(AUDIT_BROKEN)
}

/// The table for the terminal.
pub fn help() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code}  {}", meaning.replace('`', "")));
    format!("Exit codes:\n{}", rows.collect::<Vec<_>>().join("\n"))
}

/// The table for the documents.
pub fn page() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
    format!("| Code | Meaning |\n|---|---|\n{}", rows.collect::<String>())
}
