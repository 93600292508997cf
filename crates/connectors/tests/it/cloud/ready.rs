//! The bundled authenticator records: valid, inactive, and with the scopes that the connectors need.

use super::kind;
use domain::authenticator::AuthenticatorSpec;
use std::path::Path;

fn record(idp: &str) -> AuthenticatorSpec {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/authenticators");
    let text = std::fs::read_to_string(folder.join(format!("{idp}.json"))).expect(idp);
    serde_json::from_str(&text).expect(idp)
}

#[test]
fn every_connected_source_has_a_ready_authenticator() {
    let needed: Vec<&str> = connectors::CATALOGUE.iter().filter_map(|kind| kind.authenticator).collect();
    assert!(needed.len() >= 10, "{needed:?}");
    for idp in needed {
        let record = record(idp);
        assert_eq!(record.idp, idp);
        assert!(record.check().is_empty(), "{idp}: {}", record.check());
        assert!(!record.active && record.is_code_challenge, "{idp} must be filled in first");
        for address in [&record.auth_uri, &record.token_uri] {
            assert!(address.starts_with("https://"), "{idp}: {address}");
        }
        assert!(record.client_secret.is_empty(), "{idp} holds no secret");
    }
}

#[test]
fn scopes_are_those_that_the_connectors_name() {
    for (connector, scope) in [
        ("M365OutlookMessages", "Mail.Read"),
        ("M365OutlookCalendar", "Calendars.Read"),
        ("M365OneDrive", "Files.Read.All"),
        ("M365SharePointSites", "Sites.Read.All"),
        ("MicrosoftTeams", "Chat.Read"),
        ("GoogleDrive", "https://www.googleapis.com/auth/drive.readonly"),
        ("Gmail", "https://www.googleapis.com/auth/gmail.readonly"),
        ("GoogleCalendar", "https://www.googleapis.com/auth/calendar.readonly"),
        ("BoxStorage", "root_readwrite"),
        ("Dropbox", "files.metadata.read"),
    ] {
        let record = record(kind(connector).authenticator.expect(connector));
        assert!(record.scopes.split(' ').any(|known| known == scope), "{connector}: {}", record.scopes);
    }
    let microsoft = record("microsoft");
    assert!(microsoft.scopes.contains("offline_access"), "tokens must be renewed");
}
