//! M365OutlookMessages connector: the user's mail in Microsoft 365.

use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::microsoft_graph::{self, Entity, Order};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365OutlookMessages",
    module: "m365_outlook_messages",
    summary: "Mail in Outlook (Microsoft 365), queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: microsoft_graph::SETTINGS,
    authenticator: Some("microsoft"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Mail,
    test_target: TestTarget::Fake,
    check: microsoft_graph::check,
    build,
};

static MESSAGES: Entity = Entity {
    name: "message",
    scope: "Mail.Read",
    page_max: 25,
    order: Order::NewestOrTop,
    is_file: false,
    result,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    microsoft_graph::build(&MESSAGES, provider, context)
}

fn result(hit: &Value) -> Value {
    let message = &hit["resource"];
    FoundItem {
        title: or(first_text(message, &["/subject"]), "(no subject)"),
        url: first_text(message, &["/webLink"]),
        body: or(microsoft_graph::summary(hit), &first_text(message, &["/bodyPreview"])),
        author: first_text(
            message,
            &["/sender/emailAddress/name", "/from/emailAddress/name", "/from/emailAddress/address"],
        ),
        date: first_text(message, &["/receivedDateTime", "/createdDateTime"]),
    }
    .with(&[
        ("hit_id", hit.get("hitId")),
        ("sender", message.pointer("/from/emailAddress/address")),
        ("importance", message.get("importance")),
        ("has_attachments", message.get("hasAttachments")),
        ("is_read", message.get("isRead")),
        ("conversation", message.get("conversationId")),
    ])
}
