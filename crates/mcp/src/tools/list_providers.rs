//! `list_providers`: the sources that the caller may search, without URLs, templates and credentials.

use super::definition::{Row, ToolCall};
use crate::error::ToolError;
use crate::markdown::{inline, one_line};
use crate::schema;
use crate::tool_context::{ToolContext, ToolOutput, arguments};
use crate::views::TITLE_CHARS_MAX;
use async_trait::async_trait;
use domain::authenticator::Authenticator;
use domain::provider::SearchProvider;
use rmcp::model::JsonObject;
use rmcp::schemars;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) const ROW: Row = Row {
    name: "list_providers",
    aliases: &[],
    title: "Sources",
    description: "The sources that you may search, with their ids, names and tags. A source that is not connected \
        returns nothing until you connect your account in the service.",
    is_read_only: true,
    is_open_world: false,
    input: schema::of::<Arguments>,
    output: schema::of::<ProvidersView>,
    tool: &ListProviders,
};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Arguments {
    /// True to include inactive sources.
    include_inactive: bool,
    /// Only sources with this tag.
    tag: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProvidersView {
    pub providers: Vec<ProviderView>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProviderView {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub active: bool,
    /// It is searched if no sources are given.
    pub default: bool,
    /// False if it needs your account, and you have not connected it.
    pub connected: bool,
}

struct ListProviders;

#[async_trait]
impl ToolCall for ListProviders {
    async fn call(&self, context: &ToolContext<'_>, given: JsonObject) -> Result<ToolOutput, ToolError> {
        let given: Arguments = arguments(given)?;
        let mut providers = visible_providers(context).await?;
        providers.retain(|provider| provider.active || given.include_inactive);
        if let Some(tag) = &given.tag {
            providers.retain(|provider| provider.tags.iter().any(|own| own.eq_ignore_ascii_case(tag)));
        }
        let view = ProvidersView { providers };
        ToolOutput::new(&view, view.markdown())
    }
}

/// All providers that the caller may see, by id.
pub(crate) async fn visible_providers(context: &ToolContext<'_>) -> Result<Vec<ProviderView>, ToolError> {
    let mcp = context.mcp;
    let mut authenticators = None;
    let mut views = Vec::new();
    for provider in mcp.store.providers().await? {
        if !context.principal.may_see(&provider) {
            continue;
        }
        let connected = match mcp.plugins.authenticator_of(&provider) {
            None => true,
            Some(name) => {
                if authenticators.is_none() {
                    authenticators = Some(mcp.store.authenticators().await?);
                }
                let known = authenticators.as_deref().unwrap_or_default();
                is_connected(context, named(known, name)).await?
            }
        };
        views.push(ProviderView::of(provider, connected));
    }
    Ok(views)
}

fn named<'a>(known: &'a [Authenticator], name: &str) -> Option<&'a Authenticator> {
    known.iter().find(|one| one.spec.idp == name || one.spec.name == name)
}

async fn is_connected(
    context: &ToolContext<'_>,
    authenticator: Option<&Authenticator>,
) -> Result<bool, ToolError> {
    let Some(authenticator) = authenticator else { return Ok(false) };
    Ok(context.mcp.store.connection(context.principal.user, authenticator.id).await?.is_some())
}

impl ProviderView {
    fn of(provider: SearchProvider, connected: bool) -> Self {
        let SearchProvider { id, spec, .. } = provider;
        Self {
            id: id.0,
            name: spec.name,
            description: one_line(&spec.description),
            tags: spec.tags,
            active: spec.active,
            default: spec.default,
            connected,
        }
    }
}

impl ProvidersView {
    fn markdown(&self) -> String {
        let mut out = format!("**{} sources**\n\n", self.providers.len());
        for provider in &self.providers {
            let _ = write!(out, "- {} (id {}", inline(&provider.name, TITLE_CHARS_MAX), provider.id);
            for (is_so, word) in [
                (
                    !provider.tags.is_empty(),
                    format!("tags {}", inline(&provider.tags.join(", "), TITLE_CHARS_MAX)),
                ),
                (!provider.active, "switched off".to_owned()),
                (!provider.default, "only when named".to_owned()),
                (!provider.connected, "not connected".to_owned()),
            ] {
                if is_so {
                    let _ = write!(out, "; {word}");
                }
            }
            out.push(')');
            if !provider.description.is_empty() {
                let _ = write!(out, ": {}", inline(&provider.description, TITLE_CHARS_MAX));
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::provider::ProviderSpec;

    #[test]
    fn what_opens_a_source_is_not_shown() {
        let spec = ProviderSpec {
            name: "Library".to_owned(),
            url: "https://canary.example/".to_owned(),
            query_template: "{url}?canary".to_owned(),
            credentials: "bearer=canary".to_owned(),
            http_request_headers: [("X-Key".to_owned(), "canary".to_owned())].into(),
            query_mappings: "k=canary".into(),
            ..ProviderSpec::default()
        };
        let provider = SearchProvider::unsaved(spec, UserId(1), Default::default());
        let view = ProvidersView { providers: vec![ProviderView::of(provider, true)] };
        let shown = serde_json::to_value(&view).expect("a view");
        let names: Vec<&String> = shown["providers"][0].as_object().expect("an object").keys().collect();
        assert_eq!(names, ["id", "name", "description", "tags", "active", "default", "connected"]);
        for text in [shown.to_string(), view.markdown()] {
            assert!(text.contains("Library") && !text.contains("canary"), "{text}");
        }
    }
}
