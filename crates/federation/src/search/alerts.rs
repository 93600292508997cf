//! Alerts of subscribed searches: a signed request to `SVC_ALERT_WEBHOOK_URL` when an update has found new results.

use crate::error::FederationError;
use crate::federation::Federation;
use async_trait::async_trait;
use domain::ids::{RunNumber, SearchId};
use domain::ports::{
    ByteOrigin, ClaimedTask, HttpMethod, HttpRequest, NewTask, Origin, QueueName, StoreError, TaskError,
    TaskErrorKind, TaskHandler,
};
use domain::search_run::{RunEntry, compare};
use domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Requests of one alert. The queue waits longer before each, up to a minute.
const ATTEMPTS_MAX: u32 = 20;
const TIME_MAX: Duration = Duration::from_secs(10);
/// Alerts are left out while as many tasks wait, so that a receiver that is down does not keep schedules from starting.
pub const ALERTS_WAITING_MAX: u64 = 50;
/// Most results that an alert lists.
const RESULTS_MAX: usize = 10;
/// The time of the request in seconds since 1970, and the HMAC-SHA256 of `<timestamp>.<body>`.
const TIMESTAMP: &str = "x-tributary-timestamp";
const SIGNATURE: &str = "x-tributary-signature";

/// The update of a search that may have found something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
struct AlertPayload {
    search: SearchId,
    run: RunNumber,
}

/// Queues the alert of an update, if its search has alerts and the update added results.
pub(crate) async fn queue_alert(
    federation: &Federation,
    id: SearchId,
    run: RunNumber,
) -> Result<(), FederationError> {
    let searches = &federation.searches;
    if searches.settings.alert_webhook_url.is_empty() {
        return Ok(());
    }
    let search = match searches.store.search(id).await {
        Err(StoreError::NotFound) => return Ok(()),
        other => other?,
    };
    let has_ended = search.run == run && search.status.is_final() && !search.status.is_error();
    if !has_ended || !search.spec.has_alerts() {
        return Ok(());
    }
    let runs = searches.store.search_runs(id).await?;
    if runs.iter().any(|one| one.run == run && one.added > 0) {
        if searches.queue.depth(QueueName::Maintenance).await? >= ALERTS_WAITING_MAX {
            tracing::warn!(search = %id, "the alert of search {id} is left out: {ALERTS_WAITING_MAX} tasks wait already");
            return Ok(());
        }
        let task = NewTask {
            queue: QueueName::Maintenance,
            name: SendAlert::NAME.to_owned(),
            payload: json!({"search": id, "run": run}),
            attempts_max: ATTEMPTS_MAX,
            owner: Some(search.owner),
        };
        searches.queue.push(task).await?;
    }
    Ok(())
}

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
        match self.message(payload).await? {
            Some(message) => self.send(message.to_string()).await,
            None => Ok(()),
        }
    }
}

impl SendAlert {
    /// The results that the run before did not have. None if there are none, or if nobody waits for them any more.
    async fn message(&self, payload: AlertPayload) -> Result<Option<Value>, FederationError> {
        let AlertPayload { search: id, run } = payload;
        let (searches, reader) = (&self.0.searches, &self.0.reader);
        let search = match searches.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(None),
            other => other?,
        };
        let owner = match searches.store.user(search.owner).await {
            Err(StoreError::NotFound) => return Ok(None),
            other => other?,
        };
        let runs = searches.store.search_runs(id).await?;
        let before = runs.iter().map(|one| one.run).find(|one| *one < run);
        let Some(before) = before.filter(|_| search.spec.has_alerts()) else { return Ok(None) };
        let from = reader.saved_entries(&search, before).await?;
        let to = reader.saved_entries(&search, run).await?;
        let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
        let added = compare(&from, &to).added;
        if added.is_empty() {
            return Ok(None);
        }
        let base = searches.settings.public_url.trim_end_matches('/');
        Ok(Some(json!({
            "event": "new_results",
            "id": format!("{id}-{run}"),
            "search": {
                "id": id,
                "query": search.spec.query_string,
                "url": format!("{base}/?search_id={id}&new=true"),
            },
            "user": {"id": owner.id, "username": owner.username, "email": owner.email},
            "new_results": added.len(),
            "results": added.iter().take(RESULTS_MAX).map(result).collect::<Vec<Value>>(),
        })))
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
