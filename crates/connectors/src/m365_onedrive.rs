//! M365OneDrive connector: files in OneDrive and SharePoint document libraries that the user may read.

use crate::shared::found_item::{FoundItem, first_text};
use crate::shared::microsoft_graph::{self, Entity, Order};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365OneDrive",
    module: "m365_onedrive",
    summary: "Files in OneDrive and SharePoint (Microsoft 365), queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: microsoft_graph::SETTINGS,
    authenticator: Some("microsoft"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Drive,
    test_target: TestTarget::Fake,
    check: microsoft_graph::check,
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
    microsoft_graph::build(&FILES, provider, context)
}

fn result(hit: &Value) -> Value {
    let file = &hit["resource"];
    FoundItem {
        title: first_text(file, &["/name"]),
        url: first_text(file, &["/webUrl"]),
        body: microsoft_graph::summary(hit),
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
