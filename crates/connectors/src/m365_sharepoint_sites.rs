//! M365SharePointSites connector: SharePoint sites that the user may read.

use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::microsoft_graph::{self, Entity, Order};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365SharePointSites",
    module: "m365_sharepoint_sites",
    summary: "Sites in SharePoint (Microsoft 365), queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: microsoft_graph::SETTINGS,
    authenticator: Some("microsoft"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Dms,
    test_target: TestTarget::Fake,
    check: microsoft_graph::check,
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
    microsoft_graph::build(&SITES, provider, context)
}

fn result(hit: &Value) -> Value {
    let site = &hit["resource"];
    FoundItem {
        title: first_text(site, &["/displayName", "/name"]),
        url: first_text(site, &["/webUrl"]),
        body: or(microsoft_graph::summary(hit), &first_text(site, &["/description"])),
        author: first_text(site, &["/createdBy/user/displayName"]),
        date: first_text(site, &["/lastModifiedDateTime", "/createdDateTime"]),
    }
    .with(&[("hit_id", hit.get("hitId")), ("created", site.get("createdDateTime"))])
}
