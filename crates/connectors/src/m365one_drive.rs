//! M365OneDrive: files in OneDrive and in the document libraries of SharePoint that the asking person may read.

use crate::shared::found_item::{FoundItem, first_text};
use crate::shared::graph::{self, Entity, Order};
use domain::contracts::{Capability, Connector, ConnectorError, ConnectorKind, PluginContext, TriedOn};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365OneDrive",
    summary: "Files in OneDrive and SharePoint (Microsoft 365), asked with the person's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: graph::SETTINGS,
    authenticator: Some("microsoft"),
    tried_on: TriedOn::StandIn,
    check: graph::check,
    build,
};

static FILES: Entity = Entity {
    name: "driveItem",
    scope: "Files.Read.All",
    page_max: 200,
    order: Order::Property("lastModifiedDateTime"),
    is_file: true,
    result,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    graph::build(&FILES, provider, context)
}

fn result(hit: &Value) -> Value {
    let file = &hit["resource"];
    FoundItem {
        title: first_text(file, &["/name"]),
        url: first_text(file, &["/webUrl"]),
        body: graph::summary(hit),
        author: first_text(file, &["/createdBy/user/displayName", "/lastModifiedBy/user/displayName"]),
        date: first_text(file, &["/lastModifiedDateTime", "/fileSystemInfo/lastModifiedDateTime"]),
    }
    .with(&[
        ("hit_id", hit.get("hitId")),
        ("created", file.get("createdDateTime")),
        ("last_modified_by", file.pointer("/lastModifiedBy/user/displayName")),
        ("size", file.get("size")),
        ("drive", file.pointer("/parentReference/driveId")),
    ])
}
