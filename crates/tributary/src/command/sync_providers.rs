//! `tributary sync-providers`: updates names and tags of providers from the bundled providers.

use super::CliContext;
use crate::bundled_providers::{self, ReadySource};
use crate::terminal;
use clap::Args;
use domain::ports::ProviderStore;
use domain::provider::{ProviderSpec, SearchProvider, is_same_name};

/// Update the names and tags of providers from this version's bundled providers. Without --apply, only show the
/// changes.
#[derive(Debug, Args)]
#[command(after_help = "\
Providers are matched by name, or by connector, URL, template and mappings. Only name and tags are changed. Missing tags
are added, your own tags are kept. A search that refers to a provider by its old name does not find it under the new one.

Examples:
  tributary sync-providers
  tributary sync-providers --apply
  tributary sync-providers \"Old name\" --apply")]
pub struct SyncProviders {
    /// Names of the providers to update [default: all]
    names: Vec<String>,
    /// Apply the changes.
    #[arg(long)]
    apply: bool,
}

/// The change to one provider.
struct Change<'a> {
    from: &'a SearchProvider,
    to: ProviderSpec,
    added_tags: Vec<String>,
}

impl SyncProviders {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        let stored = app.store.providers().await?;
        for name in &self.names {
            let is_there = stored.iter().any(|provider| is_same_name(&provider.spec.name, name));
            anyhow::ensure!(is_there, "no provider '{name}'");
        }
        let ready = bundled_providers::all()?;
        let mut changes = changes(&stored, &ready);
        changes.retain(|change| {
            self.names.is_empty() || self.names.iter().any(|name| is_same_name(name, &change.from.spec.name))
        });
        for change in &changes {
            if self.apply {
                let spec = change.to.clone();
                app.by_command().replace_provider(change.from.id, spec, app.clock.now()).await?;
            }
            terminal::line(sentence(change));
        }
        app.store.close().await;
        terminal::line(match (changes.len(), self.apply) {
            (0, _) => format!("Nothing to change in {} providers.", stored.len()),
            (count, true) => format!("{count} of {} providers changed.", stored.len()),
            (count, false) => {
                format!(
                    "{count} of {} providers would change; use --apply to apply the changes.",
                    stored.len()
                )
            }
        });
        Ok(())
    }
}

fn sentence(change: &Change<'_>) -> String {
    let (old, new) = (&change.from.spec.name, &change.to.name);
    let mut parts = Vec::new();
    if old != new {
        parts.push(format!("renamed to {new}"));
    }
    if !change.added_tags.is_empty() {
        parts.push(format!("add tags {}", change.added_tags.join(", ")));
    }
    format!("  {old}: {}", parts.join(", "))
}

fn changes<'a>(stored: &'a [SearchProvider], ready: &[ReadySource]) -> Vec<Change<'a>> {
    let matches = stored.iter().filter_map(|from| Some((from, counterpart(from, stored, ready)?)));
    matches
        .filter_map(|(from, source)| {
            let lacks =
                |tag: &&String| !from.spec.tags.iter().any(|own| own.eq_ignore_ascii_case(tag.as_str()));
            let added_tags: Vec<String> = source.spec.tags.iter().filter(lacks).cloned().collect();
            let mut to = ProviderSpec { name: source.spec.name.clone(), ..from.spec.clone() };
            to.tags.extend(added_tags.iter().cloned());
            (to != from.spec).then_some(Change { from, to, added_tags })
        })
        .collect()
}

/// The bundled provider that matches a provider: by name, or else the only one with the same identity, if no other
/// provider has that identity or name.
fn counterpart<'a>(
    provider: &SearchProvider,
    stored: &[SearchProvider],
    ready: &'a [ReadySource],
) -> Option<&'a ReadySource> {
    let by_name = |name: &str| ready.iter().find(|source| is_same_name(&source.spec.name, name));
    if let Some(source) = by_name(&provider.spec.name) {
        return Some(source);
    }
    let is_free =
        |source: &&ReadySource| !stored.iter().any(|one| is_same_name(&one.spec.name, &source.spec.name));
    let asked = identity(&provider.spec);
    let is_alone =
        stored.iter().filter(|one| by_name(&one.spec.name).is_none() && identity(&one.spec) == asked).count()
            == 1;
    let mut like = ready.iter().filter(|source| identity(&source.spec) == asked && is_alone).filter(is_free);
    match (like.next(), like.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The fields that identify a provider.
fn identity(spec: &ProviderSpec) -> [&str; 5] {
    [&spec.connector, &spec.url, &spec.query_template, &spec.query_mappings, &spec.response_mappings]
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{ProviderId, UserId};
    use domain::instant::Instant;

    /// Name, address and tags of a provider that is stored.
    type Row = (&'static str, &'static str, &'static [&'static str]);

    fn spec(name: &str, url: &str, tags: &[&str]) -> ProviderSpec {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        ProviderSpec { name: name.into(), url: url.into(), tags, ..ProviderSpec::default() }
    }

    #[test]
    fn names_and_tags_follow_the_bundled_providers() {
        let source = |spec: ProviderSpec| ReadySource { slug: spec.name.clone(), spec };
        let ready = [
            source(spec("Articles - A", "https://a.example", &["Science", "NoKey"])),
            source(spec("B", "https://b.example", &["News"])),
            source(spec("C one", "https://c.example", &["C"])),
            source(spec("C two", "https://c.example", &["C"])),
        ];
        let table: [(&[Row], &[&str]); 9] = [
            (&[("Articles - A", "https://a.example", &["science", "NoKey", "mine"])], &[]),
            (
                &[("Articles - A", "https://own.example", &["mine"])],
                &["  Articles - A: add tags Science, NoKey"],
            ),
            (&[("A", "https://a.example", &["Science", "NoKey"])], &["  A: renamed to Articles - A"]),
            (&[("A", "https://a.example", &["NoKey"])], &["  A: renamed to Articles - A, add tags Science"]),
            // The name is taken.
            (&[("A", "https://a.example", &[]), ("Articles - A", "x", &["Science", "NoKey"])], &[]),
            // Ambiguous: two providers match.
            (&[("A", "https://a.example", &[]), ("My A", "https://a.example", &[])], &[]),
            // Ambiguous: two bundled providers match; if one of them exists, it is the other.
            (&[("C", "https://c.example", &["C"])], &[]),
            (
                &[("C", "https://c.example", &["C"]), ("C one", "https://c.example", &["C"])],
                &["  C: renamed to C two"],
            ),
            (&[("D", "https://d.example", &[])], &[]),
        ];
        for (rows, want) in table {
            let stored: Vec<SearchProvider> = (1..)
                .zip(rows)
                .map(|(id, (name, url, tags))| SearchProvider {
                    id: ProviderId(id),
                    ..SearchProvider::unsaved(spec(name, url, tags), UserId(1), Instant::default())
                })
                .collect();
            let said: Vec<String> = changes(&stored, &ready).iter().map(sentence).collect();
            assert_eq!(said, want, "{rows:?}");
        }
    }

    #[test]
    fn nothing_but_name_and_tags_is_changed() {
        let ready = [ReadySource { slug: "b".into(), spec: spec("B", "https://b.example", &["News"]) }];
        let own = ProviderSpec {
            results_per_query: 25,
            active: false,
            ..spec("Old", "https://b.example", &["mine"])
        };
        let stored = [SearchProvider::unsaved(own.clone(), UserId(1), Instant::default())];
        let changes = changes(&stored, &ready);
        let tags = vec!["mine".to_owned(), "News".to_owned()];
        assert_eq!(changes[0].to, ProviderSpec { name: "B".into(), tags, ..own });
    }
}
