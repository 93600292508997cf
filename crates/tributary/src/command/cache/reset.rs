//! `tributary reset_semantic_cache`: deletes all documents of the cache, or those of one matter.

use super::{counted, progress};
use crate::command::CliContext;
use crate::terminal;
use clap::Args;
use domain::corpus::MatterTag;
use domain::validation::FieldErrors;

/// Delete documents from the semantic cache, with chunks, texts, permissions and versions. Searches keep their results,
/// but those from the cache are no longer shown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary reset_semantic_cache
  tributary reset_semantic_cache --matter-tag smith-2026
  tributary reset_semantic_cache --yes")]
pub struct Reset {
    /// Only documents of this matter, with or without the prefix `matter:`.
    #[arg(long, value_name = "TAG", value_parser = matter)]
    matter_tag: Option<MatterTag>,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

impl Reset {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let tag = self.matter_tag.as_ref();
        let count = app.corpus.to_be_reset(tag).await?;
        let which = tag.map_or_else(String::new, |tag| format!(" of the matter {}", tag.as_str()));
        if count == 0 && tag.is_some() {
            terminal::line(format!("No documents{which} in the cache."));
        } else {
            let question = format!("Delete {}{which} from the semantic cache?", counted(count, "document"));
            anyhow::ensure!(self.yes || terminal::confirm(&question)?, "nothing was deleted");
            let removed = app.corpus.reset(tag, &progress).await?;
            terminal::progress("");
            terminal::line(format!(
                "Deleted {} with {} and {}.",
                counted(removed.documents, "document"),
                counted(removed.pieces, "chunk"),
                counted(removed.bodies, "text")
            ));
        }
        app.store.close().await;
        Ok(())
    }
}

/// A tag without a name would otherwise mean all documents.
fn matter(text: &str) -> Result<MatterTag, String> {
    let mut errors = FieldErrors::default();
    let tag = MatterTag::read(&mut errors, "--matter-tag", text);
    match (tag, errors.iter().next()) {
        (Some(tag), None) => Ok(tag),
        (_, error) => Err(error.map(|(_, sentence)| sentence.to_owned()).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_may_be_named_with_its_prefix_or_without() {
        for given in ["matter:smith", "smith", " smith ", "MATTER: smith"] {
            assert_eq!(matter(given).map(|tag| tag.as_str().to_owned()), Ok("smith".to_owned()));
        }
        for given in ["", "matter:"] {
            assert_eq!(matter(given), Err("Name a matter, such as acme or matter:acme.".to_owned()));
        }
    }
}
