//! Queues the alerts of an update.

use super::mail::SendAlertMail;
use super::webhook::SendAlert;
use crate::error::FederationError;
use crate::federation::Federation;
use crate::search::lifecycle::SearchLifecycle;
use domain::ids::{RunNumber, SearchId};
use domain::ports::{NewTask, QueueName, StoreError};
use domain::search::Search;
use serde_json::json;

/// Attempts of one alert. The queue waits longer before each, up to a minute.
const ATTEMPTS_MAX: u32 = 20;
/// Alerts are left out while as many tasks wait, so that a receiver that is down does not keep schedules from starting.
pub const ALERTS_WAITING_MAX: u64 = 50;

/// Queues the alerts of an update, if its search has alerts and the update added results.
pub(crate) async fn queue_alerts(
    federation: &Federation,
    id: SearchId,
    run: RunNumber,
) -> Result<(), FederationError> {
    let searches = &federation.searches;
    if !searches.settings.has_alerts() {
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
    if !runs.iter().any(|one| one.run == run && one.added > 0) {
        return Ok(());
    }
    for name in tasks(searches, &search).await? {
        if searches.queue.depth(QueueName::Maintenance).await? >= ALERTS_WAITING_MAX {
            tracing::warn!(search = %id, "the alert of search {id} is left out: {ALERTS_WAITING_MAX} tasks wait already");
            return Ok(());
        }
        let task = NewTask {
            queue: QueueName::Maintenance,
            name: name.to_owned(),
            payload: json!({"search": id, "run": run}),
            attempts_max: ATTEMPTS_MAX,
            owner: Some(search.owner),
        };
        searches.queue.push(task).await?;
    }
    Ok(())
}

/// The names of the tasks that report new results of a search. Users without a mail address get no mail.
async fn tasks(searches: &SearchLifecycle, search: &Search) -> Result<Vec<&'static str>, FederationError> {
    let mut names = Vec::new();
    if !searches.settings.alert_webhook_url.is_empty() {
        names.push(SendAlert::NAME);
    }
    if searches.settings.has_alert_mail() {
        match searches.store.user(search.owner).await {
            Ok(owner) if owner.email.is_empty() => {}
            Ok(_) => names.push(SendAlertMail::NAME),
            Err(StoreError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(names)
}
