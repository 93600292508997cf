//! Alerts by webhook: a signed request to `SVC_ALERT_WEBHOOK_URL`.

use super::new_results::{AlertPayload, NewResults, RESULTS_MAX};
use crate::federation::Federation;
use async_trait::async_trait;
use domain::ports::{
    ByteOrigin, ClaimedTask, HttpMethod, HttpRequest, Origin, TaskError, TaskErrorKind, TaskHandler,
};
use domain::search_run::RunEntry;
use domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

const TIME_MAX: Duration = Duration::from_secs(10);
/// The time of the request in seconds since 1970, and the HMAC-SHA256 of `<timestamp>.<body>`.
const TIMESTAMP: &str = "x-tributary-timestamp";
const SIGNATURE: &str = "x-tributary-signature";

/// Sends an alert.
pub struct SendAlert(pub Arc<Federation>);

impl SendAlert {
    /// The name of the task.
    pub const NAME: &str = "send_alert";
}

#[async_trait]
impl TaskHandler for SendAlert {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let payload: AlertPayload = task.read_payload()?;
        match NewResults::load(&self.0, payload).await? {
            Some(found) => self.send(self.message(payload, &found).to_string()).await,
            None => Ok(()),
        }
    }
}

impl SendAlert {
    fn message(&self, AlertPayload { search: id, run }: AlertPayload, found: &NewResults) -> Value {
        let NewResults { search, owner, added } = found;
        json!({
            "event": "new_results",
            "id": format!("{id}-{run}"),
            "search": {
                "id": id,
                "query": search.spec.query_string,
                "url": found.page(&self.0.searches.settings.public_url),
            },
            "user": {"id": owner.id, "username": owner.username, "email": owner.email},
            "new_results": added.len(),
            "results": added.iter().take(RESULTS_MAX).map(result).collect::<Vec<Value>>(),
        })
    }

    /// Any status but success is a failure, after which the queue tries again. So is a redirect to another place: the
    /// request would arrive there without its body, or names of users would.
    async fn send(&self, body: String) -> Result<(), TaskError> {
        let searches = &self.0.searches;
        let settings = &searches.settings;
        let time = searches.context.clock.now().timestamp();
        let signature = signature(settings.alert_webhook_secret.expose(), time, &body);
        let Some((url, origin)) = target(settings.alert_webhook_url.expose()) else {
            return Err(TaskError::new(TaskErrorKind::Failed, "SVC_ALERT_WEBHOOK_URL has no valid URL"));
        };
        let signed = [(TIMESTAMP, time.to_string()), (SIGNATURE, format!("sha256={signature}"))];
        let request = HttpRequest {
            method: HttpMethod::Post,
            url,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            secret_headers: signed.map(|(name, value)| (name.to_owned(), Secret::new(value))).to_vec(),
            body: Some(body.into()),
            origin,
            // With a secret, the body does not follow a redirect to another place.
            secrets: vec![settings.alert_webhook_secret.clone()],
            time_max: TIME_MAX,
            tls: None,
        };
        let answer = searches.context.fetch.fetch_with_origin(&request).await;
        let (response, answered_by) =
            answer.map_err(|error| TaskError::from_cause(TaskErrorKind::Unavailable, error))?;
        if answered_by != ByteOrigin::Own {
            let sentence =
                "the receiver of alerts redirects to another place; set SVC_ALERT_WEBHOOK_URL to that URL";
            return Err(TaskError::new(TaskErrorKind::Failed, sentence));
        }
        if (200..300).contains(&response.status) {
            return Ok(());
        }
        let sentence = format!("the receiver of alerts responded with status {}", response.status);
        Err(TaskError::new(TaskErrorKind::Failed, sentence))
    }
}

/// The receiver. An administrator chose it, so it may have a private address.
fn target(address: &str) -> Option<(Url, Origin)> {
    let url = Url::parse(address).ok()?;
    let origin = Origin::trusted(&url)?;
    Some((url, origin))
}

fn result(entry: &RunEntry) -> Value {
    json!({
        "title": entry.title,
        "url": entry.url,
        "source": &*entry.searchprovider,
        "date_published": entry.date_published,
    })
}

/// The HMAC-SHA256 of the time and the body, in hexadecimal.
fn signature(secret: &str, time: i64, body: &str) -> String {
    #[expect(clippy::expect_used, reason = "this kind of hash takes a key of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length fits");
    mac.update(format!("{time}.{body}").as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_covers_the_time_and_the_body() {
        let own = signature("secret", 1_700_000_000, "{}");
        assert_eq!(own, "b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163");
        for other in [
            signature("other", 1_700_000_000, "{}"),
            signature("secret", 1_700_000_001, "{}"),
            signature("secret", 1_700_000_000, "[]"),
        ] {
            assert_ne!(own, other);
        }
    }

    #[test]
    fn only_web_addresses_have_a_target() {
        assert!(target("https://hooks.example/alerts").is_some_and(|(_, origin)| origin.is_trusted));
        for address in ["", "hooks.example", "mailto:a@b.example"] {
            assert!(target(address).is_none(), "{address}");
        }
    }
}
