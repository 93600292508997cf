//! The generated documents, each made from one table of the program.

use crate::figures;
use crate::wiring::PLUGINS;
use domain::contracts::{Capability, ConnectorKind, TriedOn};
use domain::settings::Settings;
use std::path::Path;

/// A document and where it stands in the source tree.
pub struct Document {
    pub path: &'static str,
    pub text: String,
}

impl Document {
    /// Whether it is not in the tree, or is there in another form.
    pub fn is_stale(&self, root: &Path) -> bool {
        std::fs::read_to_string(root.join(self.path)).ok().as_deref() != Some(self.text.as_str())
    }
}

/// Every generated document as it should be in the tree with this root.
pub fn all(root: &Path) -> anyhow::Result<Vec<Document>> {
    Ok(vec![
        Document { path: "docs/settings.md", text: settings_page() },
        Document { path: "config/tributary.example.toml", text: example_file() },
        Document { path: "docs/connectors.md", text: connectors_page() },
        Document { path: "docs/processors.md", text: processors_page() },
        Document { path: "docs/mixers.md", text: mixers_page() },
        Document { path: "docs/api/openapi.json", text: server::openapi_json()? + "\n" },
        figures::readme(root)?,
    ])
}

/// Those that are not in the tree, or are there in another form.
pub fn stale(root: &Path) -> anyhow::Result<Vec<Document>> {
    Ok(all(root)?.into_iter().filter(|document| document.is_stale(root)).collect())
}

const MADE: &str = "<!-- Made by `tributary docs`; edit the table in the source instead. -->\n";

fn settings_page() -> String {
    let mut page = format!(
        "# Settings\n\n{MADE}\nThe environment wins over the file `tributary.toml`, which wins over the default. \
         `tributary settings` prints every value in force and where it came from.\n\n\
         | Name | Kind | Default | Meaning |\n|---|---|---|---|\n"
    );
    for row in Settings::TABLE {
        let default = match (row.default)() {
            empty if empty.is_empty() => "empty".to_owned(),
            value => format!("`{value}`"),
        };
        page.push_str(&format!("| `{}` | {} | {default} | {} |\n", row.name, row.kind, cell(&row.meaning())));
    }
    page
}

fn example_file() -> String {
    let mut text =
        "# Every setting with its default. Copy to tributary.toml and remove the # of what you change.\n\
                    # Made by `tributary docs`.\n"
            .to_owned();
    for row in Settings::TABLE {
        text.push_str(&format!("\n# {}\n#{} = {}\n", row.meaning(), row.name, (row.default_toml)()));
    }
    text
}

fn connectors_page() -> String {
    let yes = |can: bool| if can { "yes" } else { "" };
    let mut text = format!(
        "# Connectors\n\n{MADE}\nA connector talks to one kind of source. Each has a page of its own.\n\n\
         \"Tried on\" says what its tests talk to: the product itself, or a stand-in, a server written from the vendor's \
         public description that refuses what it does not name.\n\n\
         | Name | What it does | Pages | Date sort | NOT | Needs the user's own token | Tried on |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for ConnectorKind { name, summary, capability, authenticator, tried_on, .. } in PLUGINS.connectors {
        let Capability { page, date_sort, not } = *capability;
        let (page, date_sort, not) = (yes(page), yes(date_sort), yes(not));
        let token = authenticator.map(|name| format!("`{name}`")).unwrap_or_default();
        let tried_on = match tried_on {
            TriedOn::Product(product) => product,
            TriedOn::StandIn => "stand-in",
        };
        text += &format!(
            "| [`{name}`](connectors/{name}.md) | {summary} | {page} | {date_sort} | {not} | {token} | {tried_on} |\n"
        );
    }
    text
}

fn processors_page() -> String {
    let query = table(PLUGINS.query_processors.iter().map(|kind| (kind.name, kind.summary)));
    let result = table(PLUGINS.result_processors.iter().map(|kind| (kind.name, kind.summary)));
    let post = table(PLUGINS.post_result_processors.iter().map(|kind| (kind.name, kind.summary)));
    format!(
        "# Processors\n\n{MADE}\n## Query processors\n\n{query}\n## Result processors\n\n{result}\n\
         ## Post-result processors\n\nBy default these run, in this order: {}.\n\n{post}",
        PLUGINS.default_post_result.join(", ")
    )
}

fn mixers_page() -> String {
    let rows = PLUGINS.mixers.iter().map(|kind| (kind.name, kind.summary));
    format!("# Mixers\n\n{MADE}\nA mixer puts saved results in order.\n\n{}", table(rows))
}

fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let lines: String = rows.map(|(name, summary)| format!("| `{name}` | {} |\n", cell(summary))).collect();
    format!("| Name | What it does |\n|---|---|\n{lines}")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
