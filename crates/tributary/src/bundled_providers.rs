//! Bundled providers: the files of `config/providers/`, compiled into the program.

pub use domain::ready_source::ReadySource;

use anyhow::Context;
use rust_embed::Embed;
use syntax::suggest;

#[derive(Embed)]
#[folder = "../../config/providers/"]
struct Files;

/// All bundled providers, sorted by group and name.
pub fn all() -> anyhow::Result<Vec<ReadySource>> {
    let mut sources = Files::iter()
        .map(|path| {
            let file = Files::get(&path).with_context(|| format!("{path} is missing"))?;
            let spec =
                serde_json::from_slice(&file.data).with_context(|| format!("{path} is not a provider"))?;
            Ok(ReadySource { slug: path.trim_end_matches(".json").to_owned(), spec })
        })
        .collect::<anyhow::Result<Vec<ReadySource>>>()?;
    sources.sort_by(|a, b| (a.group(), &a.spec.name).cmp(&(b.group(), &b.spec.name)));
    Ok(sources)
}

/// Finds a bundled provider by slug or name, ignoring case.
pub fn find(wanted: &str) -> anyhow::Result<ReadySource> {
    let all = all()?;
    let is_it = |source: &&ReadySource| {
        source.slug.eq_ignore_ascii_case(wanted) || source.spec.name.to_lowercase() == wanted.to_lowercase()
    };
    match all.iter().find(is_it) {
        Some(source) => Ok(source.clone()),
        None => {
            let near = suggest::nearest(wanted, all.iter().map(|source| source.slug.as_str()));
            let hint = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
            anyhow::bail!("no bundled provider '{wanted}'.{hint} `tributary providers list` shows all")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_slug_and_name() {
        assert!(all().unwrap().len() >= 45);
        assert_eq!(find("ARXIV").unwrap().slug, "arxiv");
        assert_eq!(find("articles - arxiv").unwrap().slug, "arxiv");
        assert!(find("arxvi").unwrap_err().to_string().contains("Did you mean 'arxiv'?"));
    }
}
