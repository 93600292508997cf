//! `tributary completions`: the words of the command line for a shell.

use super::Cli;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary completions bash > /etc/bash_completion.d/tributary
  tributary completions zsh > \"${fpath[1]}/_tributary\"
  tributary completions fish > ~/.config/fish/completions/tributary.fish")]
pub struct Completions {
    /// The shell that they are for.
    shell: Shell,
}

impl Completions {
    pub fn run(self) {
        // Into memory first: a closed pipe is the reader's business, not a panic.
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tributary", &mut text);
        let _closed_pipe = std::io::stdout().write_all(&text);
    }
}
