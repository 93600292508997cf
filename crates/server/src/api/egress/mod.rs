//! Egress: scans of the caller's own sent mail, and the documents found in it. Everything here is private to the
//! caller; administrators see only counts, elsewhere.

mod events;
mod scans;

use crate::state::AppState;
use domain::corpus::Channel;
use domain::settings::Settings;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new()
        .routes(routes!(scans::read_scans, scans::begin_scan))
        .routes(routes!(scans::read_scan, scans::cancel_scan))
        .routes(routes!(events::read_events))
        .routes(routes!(events::decide_event))
}

/// The authenticators that connect mailboxes.
pub fn authenticators(settings: &Settings) -> impl Iterator<Item = (Channel, &str)> {
    let both = [
        (Channel::Outlook, settings.egress_outlook_authenticator.as_str()),
        (Channel::Gmail, settings.egress_gmail_authenticator.as_str()),
    ];
    both.into_iter().filter(|(_, name)| !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_without_an_authenticator_cannot_be_connected() {
        let names = |settings: &Settings| {
            let named = authenticators(settings).map(|(_, name)| name.to_owned());
            named.collect::<Vec<String>>()
        };
        assert_eq!(names(&Settings::default()), ["microsoft", "google"]);
        let settings = Settings { egress_outlook_authenticator: " ".to_owned(), ..Settings::default() };
        assert_eq!(names(&settings), ["google"]);
    }
}
