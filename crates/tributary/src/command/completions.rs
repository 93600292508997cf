//! `tributary completions`: shell completions.

use super::Cli;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Generate shell completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary completions bash > /etc/bash_completion.d/tributary
  tributary completions zsh > \"${fpath[1]}/_tributary\"
  tributary completions fish > ~/.config/fish/completions/tributary.fish")]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self) {
        // Generate into memory first: clap_complete panics on a closed pipe.
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "tributary", &mut text);
        let _closed_pipe = std::io::stdout().write_all(&text);
    }
}
