//! Registry of all plug-ins by name. Federation and the server receive it and never name a plug-in themselves.

use super::{
    ConnectorError, ConnectorKind, MixerKind, PostResultProcessorKind, QueryProcessorKind, ResultOrigin,
    ResultProcessorKind,
};
use crate::corpus::SourceKind;
use crate::pipeline::{PROCESSORS_MAX, PipelineSpec};
use crate::provider::SearchProvider;
use crate::query_transform;
use crate::search::SearchSpec;
use crate::validation::FieldErrors;
use serde_json::Value;
use std::collections::BTreeSet;
use syntax::suggest;

#[derive(Clone, Copy)]
pub struct PluginRegistry {
    pub connectors: &'static [ConnectorKind],
    pub query_processors: &'static [QueryProcessorKind],
    pub result_processors: &'static [ResultProcessorKind],
    pub post_result_processors: &'static [PostResultProcessorKind],
    pub mixers: &'static [MixerKind],
    /// The post-result processors of a search that names none.
    pub default_post_result: &'static [&'static str],
    /// Parses a source's response as the connectors do.
    pub read_answer: ReadAnswer,
}

/// Parses a response (content type, bytes) as JSON.
pub type ReadAnswer = fn(Option<&str>, &[u8]) -> Result<Value, ConnectorError>;

impl PluginRegistry {
    pub fn connector(&self, name: &str) -> Option<&'static ConnectorKind> {
        self.connectors.iter().find(|kind| kind.name == name)
    }
    pub fn query_processor(&self, name: &str) -> Option<&'static QueryProcessorKind> {
        self.query_processors.iter().find(|kind| kind.name == name)
    }
    pub fn result_processor(&self, name: &str) -> Option<&'static ResultProcessorKind> {
        self.result_processors.iter().find(|kind| kind.name == name)
    }
    pub fn post_result_processor(&self, name: &str) -> Option<&'static PostResultProcessorKind> {
        self.post_result_processors.iter().find(|kind| kind.name == name)
    }
    pub fn mixer(&self, name: &str) -> Option<&'static MixerKind> {
        self.mixers.iter().find(|kind| kind.name == name)
    }

    /// The mixer that shows only new results in the order of this one: by date, or by relevancy.
    pub fn new_items_mixer(&self, mixer: &str) -> Option<&'static MixerKind> {
        let by_date = self.mixer(mixer).is_some_and(|kind| kind.by_date);
        self.mixers.iter().find(|kind| kind.shows_only_new && kind.by_date == by_date)
    }

    /// Whether the provider's results come from there.
    pub fn is_from(&self, origin: ResultOrigin, provider: &SearchProvider) -> bool {
        self.connector(&provider.spec.connector).is_some_and(|kind| kind.origin == origin)
    }

    /// The kind of the provider's documents in the corpus, unless it says another.
    pub fn source_kind(&self, provider: &SearchProvider) -> SourceKind {
        self.connector(&provider.spec.connector).map_or(SourceKind::Web, |kind| kind.source_kind)
    }

    /// The authenticator whose token a provider needs: the one it names, else the one its connector always needs.
    pub fn authenticator_of<'a>(&self, provider: &'a SearchProvider) -> Option<&'a str> {
        provider.named_authenticator().or_else(|| self.connector(&provider.spec.connector)?.authenticator)
    }

    /// All errors of a provider before it is saved. `transforms` are the references (`<name>.<type>`) that are allowed
    /// in place of a query processor.
    pub fn check_provider(&self, provider: &SearchProvider, transforms: &BTreeSet<String>) -> FieldErrors {
        let spec = &provider.spec;
        let mut errors = spec.check();
        match self.connector(&spec.connector) {
            // Unreadable secrets cannot be checked; they are when they are entered again.
            Some(_) if provider.unreadable.is_any() => {}
            Some(kind) => errors.merge((kind.check)(provider)),
            None => {
                let known = self.connectors.iter().map(|kind| kind.name);
                errors.add("connector", suggest::unknown("connector", &spec.connector, known));
            }
        }
        self.check_query_processors(&mut errors, "query_processors", &spec.query_processors, transforms);
        self.check_result_processors(&mut errors, &spec.result_processors);
        errors
    }

    /// All errors of a search before it is created.
    pub fn check_search(&self, spec: &SearchSpec, transforms: &BTreeSet<String>) -> FieldErrors {
        let mut errors = spec.check();
        for (field, list) in [
            ("pre_query_processors", &spec.pre_query_processors),
            ("query_processors", &spec.query_processors),
        ] {
            self.check_query_processors(&mut errors, field, list, transforms);
        }
        self.check_result_processors(&mut errors, &spec.result_processors);
        for name in &spec.post_result_processors {
            if self.post_result_processor(name).is_none() {
                let known = self.post_result_processors.iter().map(|kind| kind.name);
                errors.add("post_result_processors", suggest::unknown("post-result processor", name, known));
            }
        }
        if self.mixer(&spec.result_mixer).is_none() {
            let known = self.mixers.iter().map(|kind| kind.name);
            errors.add("result_mixer", suggest::unknown("mixer", &spec.result_mixer, known));
        }
        errors
    }

    /// All errors of a post-result pipeline before it is saved.
    pub fn check_pipeline(&self, spec: &PipelineSpec) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(spec.processors.len() <= PROCESSORS_MAX, "processors", || {
            format!("At most {PROCESSORS_MAX} processors are allowed.")
        });
        let mut seen = BTreeSet::new();
        for name in spec.processors.iter().take(PROCESSORS_MAX) {
            if self.post_result_processor(name).is_none() {
                let known = self.post_result_processors.iter().map(|kind| kind.name);
                errors.add("processors", suggest::unknown("post-result processor", name, known));
            } else if !seen.insert(name) {
                errors.add("processors", format!("'{name}' is listed twice."));
            }
        }
        errors
    }

    fn check_query_processors(
        &self,
        errors: &mut FieldErrors,
        field: &str,
        list: &[String],
        transforms: &BTreeSet<String>,
    ) {
        for name in list {
            if self.query_processor(name).is_none() && !transforms.contains(&query_transform::canonical(name))
            {
                let known = self.query_processors.iter().map(|kind| kind.name);
                let known = known.chain(transforms.iter().map(String::as_str));
                errors.add(field, suggest::unknown("query processor", name, known));
            }
        }
    }

    fn check_result_processors(&self, errors: &mut FieldErrors, list: &[String]) {
        for name in list {
            if self.result_processor(name).is_none() {
                let known = self.result_processors.iter().map(|kind| kind.name);
                errors.add("result_processors", suggest::unknown("result processor", name, known));
            }
        }
    }
}
