//! Alerts by mail, as the settings say.

use anyhow::Context;
use domain::mail_server::MailServer;
use domain::ports::{AddressResolver, SendMail};
use domain::settings::Settings;
use federation::{Federation, SendAlertMail};
use outbound::{Authorities, MAIL_TIME_MAX, SmtpClient, SmtpConfig};
use std::sync::Arc;

/// The handler of the task that sends alerts by mail.
pub fn task(
    settings: &Settings,
    resolver: &Arc<dyn AddressResolver>,
    federation: &Arc<Federation>,
) -> anyhow::Result<Arc<SendAlertMail>> {
    let mail = client(settings, resolver)?;
    Ok(Arc::new(SendAlertMail { federation: Arc::clone(federation), mail }))
}

/// None without `SVC_ALERT_MAIL_URL`.
fn client(
    settings: &Settings,
    resolver: &Arc<dyn AddressResolver>,
) -> anyhow::Result<Option<Arc<dyn SendMail>>> {
    if settings.alert_mail_url.is_empty() {
        return Ok(None);
    }
    let server = MailServer::parse(&settings.alert_mail_url)
        .map_err(|needed| anyhow::anyhow!("SVC_ALERT_MAIL_URL: {needed}"))?;
    let config = SmtpConfig {
        server,
        password: settings.alert_mail_password.clone(),
        sender: settings.alert_mail_from.clone(),
        authorities: Authorities::System,
        connect_max: settings.search_http_connect_timeout.0,
        time_max: MAIL_TIME_MAX,
    };
    let client = SmtpClient::new(config, Arc::clone(resolver)).context("alerts cannot be sent by mail")?;
    Ok(Some(Arc::new(client)))
}
