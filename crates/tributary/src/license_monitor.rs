//! Monitoring of the license at run time: status changes are logged, and the latest day is stored, so that turning the
//! clock back does not revive an expired license.

use crate::app::App;
use crate::license_keys::issuer;
use chrono::NaiveDate;
use domain::ports::{Clock, SignalStore, StoreError, chain};
use domain::settings::Settings;
use license::{LicensePolicy, LicenseReport, LicenseStatus};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// Check interval.
const EVERY: Duration = Duration::from_secs(15 * 60);

/// Opens the configured license with the issuer's key and the latest recorded day.
pub async fn open(
    settings: &Settings,
    data_dir: &Path,
    clock: &Arc<dyn Clock>,
    signals: &dyn SignalStore,
) -> anyhow::Result<LicensePolicy> {
    let policy = LicensePolicy::new(settings.license.clone(), issuer(settings, data_dir)?, Arc::clone(clock));
    remember_day(&policy, signals).await?;
    Ok(policy)
}

/// Loads the latest recorded day of this license, and records today.
async fn remember_day(policy: &LicensePolicy, signals: &dyn SignalStore) -> Result<(), StoreError> {
    let Some(name) = policy.storage_name() else { return Ok(()) };
    let kept = signals.corpus_value(&name).await?;
    let kept: Option<NaiveDate> = kept.and_then(|text| text.parse().ok());
    if let Some(day) = kept {
        policy.observe_day(day);
    }
    let latest = policy.latest_day();
    if kept != Some(latest) {
        signals.set_corpus_value(&name, &latest.to_string()).await?;
    }
    Ok(())
}

/// Records the day; failures are only logged.
pub async fn record_day(policy: &LicensePolicy, signals: &dyn SignalStore) {
    if let Err(error) = remember_day(policy, signals).await {
        tracing::warn!("cannot record the day for the license check: {}", chain(&error));
    }
}

/// Logs the license status at startup and whenever it changes.
pub fn watch(app: &App) -> impl Future<Output = ()> + use<> {
    let (policy, signals) = (app.license.clone(), Arc::clone(&app.store));
    let look = async move {
        let mut reported = None;
        loop {
            record_day(&policy, &*signals).await;
            let report = policy.report();
            if reported.replace((report.status, report.cache)) != Some((report.status, report.cache)) {
                log_status(&report);
            }
            tokio::time::sleep(EVERY).await;
        }
    };
    // The field `queue` selects the log file of the scheduler.
    look.instrument(tracing::info_span!("license", queue = "beats"))
}

fn log_status(report: &LicenseReport) {
    match report.status {
        LicenseStatus::None | LicenseStatus::Valid => tracing::info!("{}", report.message),
        LicenseStatus::Expiring | LicenseStatus::Expired | LicenseStatus::Invalid => {
            tracing::warn!("{}", report.message);
        }
    }
}
