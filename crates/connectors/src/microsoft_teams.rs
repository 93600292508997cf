//! MicrosoftTeams connector: messages in the user's chats and channels.

use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::microsoft_graph::{self, Entity, Order};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
};
use domain::provider::SearchProvider;
use serde_json::Value;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "MicrosoftTeams",
    module: "microsoft_teams",
    summary: "Chat messages in Teams (Microsoft 365), queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: microsoft_graph::SETTINGS,
    authenticator: Some("microsoft"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Chat,
    test_target: TestTarget::Fake,
    check: microsoft_graph::check,
    build,
};

static CHAT_MESSAGES: Entity = Entity {
    name: "chatMessage",
    scope: "Chat.Read",
    page_max: 25,
    order: Order::Newest,
    is_file: false,
    result,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    microsoft_graph::build(&CHAT_MESSAGES, provider, context)
}

fn result(hit: &Value) -> Value {
    let message = &hit["resource"];
    let author = first_text(
        message,
        &["/from/emailAddress/name", "/from/user/displayName", "/from/emailAddress/address"],
    );
    FoundItem {
        title: or(
            first_text(message, &["/subject"]),
            &format!("Message from {}", or(author.clone(), "Teams")),
        ),
        url: first_text(message, &["/webLink", "/webUrl"]),
        body: or(microsoft_graph::summary(hit), &first_text(message, &["/body/content"])),
        author,
        date: first_text(message, &["/createdDateTime"]),
    }
    .with(&[
        ("hit_id", hit.get("hitId")),
        ("chat", message.get("chatId")),
        ("channel", message.pointer("/channelIdentity/channelId")),
        ("team", message.pointer("/channelIdentity/teamId")),
    ])
}
