//! M365OutlookCalendar connector: events in the user's Microsoft 365 calendar.

use crate::shared::found_item::{FoundItem, first_text, or};
use crate::shared::microsoft_graph::{self, Entity, Order};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
};
use domain::provider::SearchProvider;
use serde_json::Value;
use url::form_urlencoded;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "M365OutlookCalendar",
    module: "m365_outlook_calendar",
    summary: "Events in the Outlook calendar (Microsoft 365), queried with the user's own token.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: microsoft_graph::SETTINGS,
    authenticator: Some("microsoft"),
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check: microsoft_graph::check,
    build,
};

static EVENTS: Entity = Entity {
    name: "event",
    scope: "Calendars.Read",
    page_max: 25,
    order: Order::Newest,
    is_file: false,
    result,
};

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    microsoft_graph::build(&EVENTS, provider, context)
}

fn result(hit: &Value) -> Value {
    let event = &hit["resource"];
    FoundItem {
        title: or(first_text(event, &["/subject"]), "(no title)"),
        url: or(first_text(event, &["/webLink"]), &link(&first_text(hit, &["/hitId"]))),
        body: or(microsoft_graph::summary(hit), &first_text(event, &["/bodyPreview"])),
        author: first_text(event, &["/organizer/emailAddress/name", "/organizer/emailAddress/address"]),
        date: first_text(event, &["/start/dateTime", "/createdDateTime"]),
    }
    .with(&[
        ("hit_id", hit.get("hitId")),
        ("start", event.pointer("/start/dateTime")),
        ("end", event.pointer("/end/dateTime")),
        ("is_all_day", event.get("isAllDay")),
        ("location", event.pointer("/location/displayName")),
    ])
}

/// Hits have no URL, but the web client opens an event by its id.
fn link(id: &str) -> String {
    let id: String = form_urlencoded::byte_serialize(id.as_bytes()).collect();
    format!("https://outlook.office.com/owa/?itemid={id}&exvsurl=1&path=/calendar/item")
}
