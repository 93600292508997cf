//! M365SharePointSites: the SharePoint sites that the asking person may read.

use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::graph::{self, Entity, Order};
use domain::contracts::{Capability, Connector, ConnectorError, ConnectorKind, PluginContext, TriedOn};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365SharePointSites",
    summary: "Sites in SharePoint (Microsoft 365), asked with the person's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: graph::SETTINGS,
    authenticator: Some("microsoft"),
    tried_on: TriedOn::StandIn,
    check: graph::check,
    build,
};

static SITES: Entity = Entity {
    name: "site",
    scope: "Sites.Read.All",
    page_max: 200,
    order: Order::Property("lastModifiedDateTime"),
    is_file: false,
    result,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    graph::build(&SITES, provider, context)
}

fn result(hit: &Value) -> Value {
    let site = &hit["resource"];
    FoundItem {
        title: first_text(site, &["/displayName", "/name"]),
        url: first_text(site, &["/webUrl"]),
        body: or(graph::summary(hit), &first_text(site, &["/description"])),
        author: first_text(site, &["/createdBy/user/displayName"]),
        date: first_text(site, &["/lastModifiedDateTime", "/createdDateTime"]),
    }
    .with(&[("hit_id", hit.get("hitId")), ("created", site.get("createdDateTime"))])
}
