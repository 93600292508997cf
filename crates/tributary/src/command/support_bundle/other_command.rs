//! Runs another command of this program in a child process, which may fail or hang without harm.

use crate::command::CliContext;
use anyhow::{Context, bail};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Longer than the checks of a large installation take.
const TIME_MAX: Duration = Duration::from_secs(120);
const OUTPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;

pub struct Shown {
    /// `None` if the process was killed by a signal.
    pub code: Option<i32>,
    pub output: String,
    /// Its standard error.
    pub remarks: String,
}

/// Runs `tributary` with these arguments and the same settings and data folder.
pub async fn run(cli: &CliContext, arguments: &[&str]) -> anyhow::Result<Shown> {
    let named = arguments.join(" ");
    let failed = || format!("`tributary {named}` could not be run");
    let mut command = Command::new(std::env::current_exe().with_context(failed)?);
    if let Some(file) = &cli.config {
        command.arg("--config").arg(file);
    }
    if let Some(folder) = &cli.data_dir {
        command.arg("--data-dir").arg(folder);
    }
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().with_context(failed)?;
    let (output, remarks) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let (output, remarks) = tokio::join!(text_of(output), text_of(remarks));
        let code = child.wait().await.with_context(failed)?.code();
        Ok(Shown { code, output, remarks })
    };
    match tokio::time::timeout(TIME_MAX, ended).await {
        Ok(ended) => ended,
        Err(_) => bail!("`tributary {named}` did not finish within {} seconds", TIME_MAX.as_secs()),
    }
}

async fn text_of(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let mut bytes = Vec::new();
    // Keep what was read before a failure.
    let _broken = (&mut stream).take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes).await;
    // Drain the rest, so that the process does not block.
    let _broken = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).into_owned()
}
