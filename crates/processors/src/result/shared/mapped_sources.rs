//! The source fields that are mapped, which the payload does not repeat.

use domain::ports::ResultContext;
use domain::provider::SearchProvider;
use serde_json::Value;
use syntax::json_path::JsonPath;
use syntax::result_mappings::{ResultMapping, ResultMappings};

/// The mapped fields of a provider's items.
#[derive(Debug, Default)]
pub struct MappedSources<'m> {
    /// Names of members.
    members: Vec<&'m str>,
    /// Paths to values deeper in an item.
    paths: Vec<&'m JsonPath>,
}

impl<'m> MappedSources<'m> {
    /// Those of the mappings, except what the configuration itself reads in the payload. A field that only a template
    /// uses is not mapped.
    pub fn of(mappings: &'m ResultMappings, cx: &ResultContext<'_>) -> Self {
        let mut mapped = Self::default();
        // A dataset shows every column of its source, and without a payload there is nothing to repeat.
        if mappings.no_payload || mappings.dataset {
            return mapped;
        }
        let dedupe_field = cx.context.settings.dedupe_field.trim();
        // The result itself has a value that is mapped to the field.
        let in_payload =
            Some(dedupe_field).filter(|field| !mappings.mappings.iter().any(|one| one.fills(field)));
        let read = names_read(cx.provider, in_payload);
        let sources = mappings.mappings.iter().flat_map(|mapping| match mapping {
            ResultMapping::Field { sources, .. } => sources.as_slice(),
            ResultMapping::Payload(source) => std::slice::from_ref(source),
            ResultMapping::Template { .. } => &[],
        });
        for path in sources.map(|source| &source.path) {
            if path.first_member().is_some_and(|name| read.iter().any(|read| read == name)) {
                continue;
            }
            match path.as_member() {
                Some(name) => mapped.members.push(name),
                None => mapped.paths.push(path),
            }
        }
        mapped
    }

    pub fn has_member(&self, name: &str) -> bool {
        self.members.contains(&name)
    }

    /// Removes the values that are mapped from deeper in an item.
    pub fn remove_deep(&self, item: &mut Value) {
        self.paths.iter().for_each(|path| path.remove(item));
    }
}

/// The members of the payload that the provider and the settings name: for grouping, for duplicates, and in the
/// addresses of documents.
fn names_read(provider: &SearchProvider, dedupe_field: Option<&str>) -> Vec<String> {
    let pages = provider.spec.page_fetch_config_json.parsed();
    let lookup = pages.media_type_lookup.as_ref().map(|lookup| lookup.url.as_str());
    let templates = [pages.content_url.as_deref(), lookup].into_iter().flatten();
    let in_templates = templates.flat_map(|template| {
        template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
    });
    let names = [Some(provider.spec.result_grouping_field.as_str()), dedupe_field];
    let names = names.into_iter().flatten().chain(in_templates);
    names.map(str::trim).filter(|name| !name.is_empty()).map(first_member).collect()
}

fn first_member(name: &str) -> String {
    let path = JsonPath::parse(name).ok();
    path.as_ref().and_then(JsonPath::first_member).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use serde_json::json;

    #[test]
    fn what_the_configuration_reads_stays() {
        let mut context = TestContext::with_mappings("title=name,url=link,body=file.text,author=by");
        let raw =
            || json!({"name": "N", "link": "https://a.example", "file": {"text": "T", "id": 7}, "by": "B"});
        let payload = |context: &TestContext| {
            let batch = context.results(vec![raw()], &["MappingResultProcessor"]);
            Value::Object(batch.items[0].payload.clone())
        };
        assert_eq!(payload(&context), json!({"file": {"id": 7}}));
        context.provider.spec.result_mappings = "title=name,url=url".into();
        let batch = context
            .results(vec![json!({"name": "N", "url": "https://a.example"})], &["MappingResultProcessor"]);
        assert!(batch.items[0].payload.is_empty(), "duplicates are found by the URL of the result itself");
        context.provider.spec.result_mappings = "title=name,url=link,body=file.text,author=by".into();
        context.provider.spec.result_grouping_field = "by".to_owned();
        let pages = json!({"content_url": "https://a.example/{ file.text }?of={name}"});
        context.provider.spec.page_fetch_config_json =
            serde_json::from_value(pages).expect("a configuration");
        assert_eq!(payload(&context), json!({"name": "N", "file": {"text": "T", "id": 7}, "by": "B"}));
    }
}
