//! Exit codes: one table for the help text and for docs/operations.md.

use std::process::ExitCode;

/// `tributary status`: no service is running.
pub const NONE_RUNS: u8 = 3;

/// `tributary audit verify`: the log was modified.
pub const AUDIT_BROKEN: u8 = 4;

/// Exit codes and their meanings.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "Success. `status`: all services are running. `doctor`: no check failed; there may be warnings."),
    (
        1,
        "Failure; standard error has one sentence about the cause. `status`: only some services are running. \
         `doctor`: a check failed. `search`: no results are ready. `backup --verify`: the file is damaged. \
         `tasks requeue`: a named item has a live task or does not exist.",
    ),
    (2, "Usage error: unknown command, option or value."),
    (NONE_RUNS, "`status`: no service is running."),
    (AUDIT_BROKEN, "`audit verify`: an entry was changed, removed or added."),
];

pub fn none_runs() -> ExitCode {
    ExitCode::from(NONE_RUNS)
}

pub fn audit_broken() -> ExitCode {
    ExitCode::from(AUDIT_BROKEN)
}

/// The table for `--help`.
pub fn help() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code}  {}", meaning.replace('`', "")));
    format!("Exit codes:\n{}", rows.collect::<Vec<_>>().join("\n"))
}

/// The table for docs/operations.md.
pub fn page() -> String {
    let rows = EXIT_CODES.iter().map(|(code, meaning)| format!("| {code} | {meaning} |\n"));
    format!("| Code | Meaning |\n|---|---|\n{}", rows.collect::<String>())
}
