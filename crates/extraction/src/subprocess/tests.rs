//! Tests of exit statuses and of programs that do not respond as expected.

use super::*;
use std::os::unix::process::ExitStatusExt;

#[test]
fn the_end_of_a_process_tells_why() {
    let table: &[(i32, &str)] = &[
        (24, "the file could not be read in time"),
        (6, "the file is damaged: reading it takes more memory than the limits allow"),
        (11, "the file is damaged: its reader failed"),
        (9, "its process was ended (signal: 9 (SIGKILL))"),
        (3 << 8, "its process was ended (exit status: 3)"),
    ];
    for (raw, expected) in table {
        let sentence = why(ExitStatus::from_raw(*raw)).to_string();
        assert!(sentence.ends_with(expected), "{raw}: {sentence}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_or_says_nonsense_is_told() {
    let file = FileToRead { media_type: None, name: "a.pdf".to_owned(), bytes: "%PDF-".into() };
    for (path, expected) in [("/nowhere/tributary", "No such file"), ("/bin/echo", "expected")] {
        let program = ReaderProcess::new(path.into(), &Limits::default());
        let error = program.read(file.clone()).await.unwrap_err();
        assert!(matches!(error, ExtractError::Service(_)) && error.to_string().contains(expected), "{error}");
    }
    // The response is longer than allowed.
    let limits = Limits { output_chars: 0, ..Limits::default() };
    let program = ReaderProcess::new("/usr/bin/yes".into(), &limits);
    assert!(program.read(file).await.unwrap_err().to_string().contains("too long"));
}
