//! What happened to each provider, and what to do next.

use crate::terminal;
use domain::provider::ProviderSpec;
use domain::ready_source::ReadySource;
use domain::secret::Secret;
use std::fmt::Display;

/// Names the users' own service, which is no field to fill in.
const AUTHENTICATOR: &str = "authenticator";

/// How many providers were added, replaced, kept and not loaded.
#[derive(Default)]
pub struct Tally {
    added: usize,
    replaced: usize,
    kept: usize,
    pub failed: usize,
}

impl Tally {
    pub fn added(&mut self, spec: &ProviderSpec) {
        self.added += 1;
        terminal::note(format!("  added {}{}", spec.name, next_step(spec)));
    }

    pub fn replaced(&mut self, spec: &ProviderSpec) {
        self.replaced += 1;
        terminal::note(format!("  replaced {}{}", spec.name, next_step(spec)));
    }

    /// A provider has the name already: the same one, or another, which is an error.
    pub fn taken(&mut self, label: &str, spec: &ProviderSpec, stored_url: &str) {
        let name = &spec.name;
        if is_other_source(spec, stored_url) {
            self.failed(format!(
                "{label} ({name}): another source has this name. Change \"name\" in the file to add it as well, or \
                 use --replace to replace the other one"
            ));
            return;
        }
        self.kept += 1;
        terminal::note(format!("  kept {name}, which is already present; use --replace to replace it"));
    }

    pub fn failed(&mut self, why: impl Display) {
        self.failed += 1;
        terminal::note(why);
    }

    pub fn show(&self) {
        let Self { added, replaced, kept, failed } = self;
        terminal::line(format!(
            "{added} added, {replaced} replaced, {kept} already present, {failed} failed"
        ));
    }
}

/// The fields that have a placeholder.
fn blanks(spec: &ProviderSpec) -> Vec<String> {
    let mut fields = ReadySource { slug: String::new(), spec: spec.clone() }.needs();
    fields.retain(|field| field != AUTHENTICATOR);
    fields
}

/// The end of the line about a provider that cannot be searched yet.
fn next_step(spec: &ProviderSpec) -> String {
    const CONSOLE: &str = "in the console at /admin/searchproviders/";
    let fields = blanks(spec).join(", ");
    match (spec.active, fields.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(". Next: fill in {fields} {CONSOLE}"),
        (false, true) => format!(", not active. Next: activate it {CONSOLE}"),
        (false, false) => format!(", not active. Next: fill in {fields} {CONSOLE}, then activate it"),
    }
}

/// Whether the stored provider of the same name has another URL. A URL with a placeholder, or with a masked secret, may
/// be the same.
fn is_other_source(spec: &ProviderSpec, stored_url: &str) -> bool {
    let is_unknown = blanks(spec).iter().any(|field| field == "url")
        || Secret::is_masked(&spec.url)
        || Secret::is_masked(stored_url);
    !is_unknown && spec.url.trim() != stored_url.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(url: &str, credentials: &str, active: bool) -> ProviderSpec {
        ProviderSpec {
            name: "A".to_owned(),
            url: url.to_owned(),
            credentials: credentials.to_owned(),
            active,
            ..ProviderSpec::default()
        }
    }

    #[test]
    fn the_next_step_of_an_added_provider_is_named() {
        let url = "https://a.example/";
        for (spec, expected) in [
            (spec(url, "", true), ""),
            (spec(url, "key=YOUR_KEY", true), ". Next: fill in credentials in the console"),
            (spec(url, "", false), ", not active. Next: activate it in the console"),
            (spec(url, "key=YOUR_KEY", false), ", not active. Next: fill in credentials in the console"),
            (ProviderSpec { authenticator: "hub".to_owned(), ..spec(url, "", true) }, ""),
        ] {
            let step = next_step(&spec);
            assert!(step.starts_with(expected) && step.is_empty() == expected.is_empty(), "{step}");
        }
    }

    #[test]
    fn the_same_name_at_another_url_is_another_source() {
        for (url, stored, is_other) in [
            ("https://a.example/x", "https://a.example/x", false),
            ("https://a.example/x", "https://a.example/y", true),
            ("https://<your-host>/x", "https://a.example/x", false),
            ("https://a.example/x", "https://user:••••@a.example/x", false),
        ] {
            assert_eq!(is_other_source(&spec(url, "", true), stored), is_other, "{url}");
        }
        let mut tally = Tally::default();
        tally.taken("f.json, record 1", &spec("https://a.example/x", "", true), "https://a.example/y");
        tally.taken("f.json, record 1", &spec("https://a.example/y", "", true), "https://a.example/y");
        assert_eq!((tally.kept, tally.failed), (1, 1));
    }
}
