//! `tributary docs`: the documents that are made from the program's own tables and from recorded figures.

use crate::{docs, figures, terminal};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

/// Write the generated documents, or check that they are fresh.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary docs             in the root of the source tree
  tributary docs --check     for a build server
  tributary docs --figures   after scripts/figures.sh has measured")]
pub struct Docs {
    /// The root of the source tree.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Change nothing; fail when a document is not fresh.
    #[arg(long)]
    check: bool,
    /// Only the table of figures in README.md, from docs/figures.json.
    #[arg(long)]
    figures: bool,
}

impl Docs {
    pub fn run(self) -> anyhow::Result<()> {
        let stale = match self.figures {
            true => {
                let readme = figures::readme(&self.root)?;
                Vec::from_iter(readme.is_stale(&self.root).then_some(readme))
            }
            false => docs::stale(&self.root)?,
        };
        if self.check {
            anyhow::ensure!(stale.is_empty(), "not fresh: {}; run `tributary docs`", names(&stale));
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
