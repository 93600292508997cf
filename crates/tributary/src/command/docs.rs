//! `tributary docs`: generates documentation from the program's tables and the recorded figures.

use crate::{docs, figures, terminal};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

/// Generate documentation, or check that it is up to date.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary docs             generate all files, in the root of the source tree
  tributary docs --check     check all files, e.g. in CI
  tributary docs --figures   update README.md after scripts/figures.sh")]
pub struct Docs {
    /// The root of the source tree.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Change nothing; fail if a file is out of date.
    #[arg(long)]
    check: bool,
    /// Only update the table of figures in README.md from docs/figures.json.
    #[arg(long)]
    figures: bool,
}

impl Docs {
    pub fn run(self) -> anyhow::Result<()> {
        let stale = if self.figures {
            let readme = figures::readme(&self.root)?;
            Vec::from_iter(readme.is_stale(&self.root).then_some(readme))
        } else {
            docs::stale(&self.root)?
        };
        if self.check {
            anyhow::ensure!(stale.is_empty(), "out of date: {}; run `tributary docs`", names(&stale));
            return Ok(());
        }
        for document in &stale {
            let path = self.root.join(document.path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, &document.text)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            terminal::line(format!("wrote {}", document.path));
        }
        Ok(())
    }
}

fn names(documents: &[docs::Document]) -> String {
    documents.iter().map(|document| document.path).collect::<Vec<_>>().join(", ")
}
