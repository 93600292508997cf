//! `tributary reset_semantic_cache`: documents out of the cache, all or those of a matter.

use super::{counted, progress};
use crate::command::Place;
use crate::terminal;
use clap::Args;
use domain::corpus::MATTER_PREFIX;

/// Remove documents from the semantic cache, with pieces, texts, grants and versions. Searches keep their results, but
/// what came from the cache is no longer shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary reset_semantic_cache
  tributary reset_semantic_cache --matter-tag smith-2026
  tributary reset_semantic_cache --yes")]
pub struct Reset {
    /// Only documents of this matter, with or without `matter:` before it.
    #[arg(long, value_name = "TAG")]
    matter_tag: Option<String>,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

impl Reset {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        let tag = self.matter_tag.as_deref().map(bare_tag);
        anyhow::ensure!(tag != Some(""), "--matter-tag names no matter");
        let count = wired.corpus.to_be_reset(tag).await?;
        let which = tag.map_or_else(String::new, |tag| format!(" of the matter {tag}"));
        if count == 0 && tag.is_some() {
            terminal::line(format!("There is no document{which} in the cache."));
        } else {
            let question = format!("Remove {}{which} from the semantic cache?", counted(count, "document"));
            anyhow::ensure!(self.yes || terminal::confirm(&question)?, "nothing was removed");
            let removed = wired.corpus.reset(tag, &progress).await?;
            terminal::progress("");
            terminal::line(format!(
                "Removed {} with {} and {}.",
                counted(removed.documents, "document"),
                counted(removed.pieces, "piece"),
                counted(removed.bodies, "text")
            ));
        }
        wired.store.close().await;
        Ok(())
    }
}

/// Tags are kept without what says that they name a matter.
fn bare_tag(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix(MATTER_PREFIX).unwrap_or(tag).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_may_be_named_with_its_prefix_or_without() {
        for given in ["matter:smith", "smith", " smith ", "matter: smith"] {
            assert_eq!(bare_tag(given), "smith");
        }
        assert_eq!(bare_tag("matter:"), "");
    }
}
