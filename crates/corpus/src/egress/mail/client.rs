//! HTTP client for a mailbox: uses the person's token, refreshes it when it expires, and retries when the service
//! throttles.

use super::mailbox::{MailError, authenticator, unreadable};
use crate::egress::MailParts;
use bytes::Bytes;
use chrono::DateTime;
use domain::bounded_json::parse_answer;
use domain::corpus::Channel;
use domain::ids::UserId;
use domain::instant::Instant;
use domain::ports::{Clock, FetchError, HttpMethod, HttpRequest, HttpResponse, Origin, SourceTokenError};
use domain::secret::Secret;
use domain::settings::Settings;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use url::Url;

/// Most retries after throttling or a missing response.
const RETRIES_MAX: u32 = 5;
/// Longest single wait.
const WAIT_MAX: Duration = Duration::from_secs(300);
/// First wait if the service does not give one; it doubles each time.
const WAIT_FIRST: Duration = Duration::from_secs(1);
/// For one response.
const TIME_MAX: Duration = Duration::from_secs(60);

/// Whose mailbox is opened, and with what.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub parts: &'a MailParts,
    pub settings: &'a Settings,
    pub user: UserId,
    /// To interpret a retry date.
    pub clock: &'a Arc<dyn Clock>,
}

pub struct Client {
    parts: MailParts,
    user: UserId,
    authenticator: String,
    base: Url,
    origin: Origin,
    headers: Vec<(String, String)>,
    token: Mutex<Secret>,
    clock: Arc<dyn Clock>,
}

/// Why a request did not succeed.
enum RequestFailure {
    /// Retry after this time; None: the service does not say.
    Wait(Option<Duration>),
    /// No response: retry later.
    Unreachable(FetchError),
    Expired,
    Missing,
    Bad(MailError),
}

impl Client {
    pub async fn open(access: Access<'_>, channel: Channel) -> Result<Self, MailError> {
        let Access { parts, settings, user, clock } = access;
        let (url, setting) = match channel {
            Channel::Outlook => (&settings.egress_outlook_url, "SVC_EGRESS_OUTLOOK_URL"),
            Channel::Gmail => (&settings.egress_gmail_url, "SVC_EGRESS_GMAIL_URL"),
        };
        let invalid = || MailError::failed(format!("{setting} is not an address"));
        let base = Url::parse(url.trim_end_matches('/')).map_err(|error| invalid().caused_by(error))?;
        // Set by an administrator.
        let origin = Origin::trusted(&base).ok_or_else(invalid)?;
        let name = authenticator(settings, channel).to_owned();
        let token = parts.tokens.access_token(user, &name).await.map_err(untold)?;
        let headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        Ok(Self {
            parts: parts.clone(),
            user,
            authenticator: name,
            base,
            origin,
            headers,
            token: Mutex::new(token),
            clock: Arc::clone(clock),
        })
    }

    /// A URL below the service's base.
    pub fn at(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Url, MailError> {
        let mut url = self.base.clone();
        url.path_segments_mut().map_err(|()| unreadable())?.extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }

    /// A URL that the service returned. It must be on the service's own origin, because the token is sent there.
    pub fn named(&self, text: &str) -> Result<Url, MailError> {
        let url = Url::parse(text).ok().filter(|url| self.origin.is_of(url));
        url.ok_or_else(|| MailError::failed("the mailbox names its next page at another place"))
    }

    pub async fn json(&self, url: &Url, more: &[(&str, &str)]) -> Result<Value, MailError> {
        parse_answer(&self.get(url, more).await?).map_err(|error| unreadable().caused_by(error))
    }

    pub async fn get(&self, url: &Url, more: &[(&str, &str)]) -> Result<Bytes, MailError> {
        let (mut retries, mut is_renewed) = (0, false);
        loop {
            let token = self.token.lock().await.clone();
            let failure = match self.parts.fetch.fetch(&self.request(url, more, &token)).await {
                Ok(answer) => match failure(&answer, self.clock.now()) {
                    None => return Ok(answer.body),
                    Some(failure) => failure,
                },
                Err(FetchError::TooLarge { .. }) => RequestFailure::Missing,
                Err(
                    error @ (FetchError::Timeout { .. }
                    | FetchError::Connect { .. }
                    | FetchError::Broken { .. }),
                ) => RequestFailure::Unreachable(error),
                Err(error) => RequestFailure::Bad(MailError::failed(error.to_string()).caused_by(error)),
            };
            match failure {
                RequestFailure::Expired if !is_renewed => {
                    is_renewed = true;
                    self.renew(&token).await?;
                }
                RequestFailure::Wait(told) if retries < RETRIES_MAX => {
                    tokio::time::sleep(bounded(told.unwrap_or_else(|| usual_wait(retries)))).await;
                    retries += 1;
                }
                RequestFailure::Unreachable(_) if retries < RETRIES_MAX => {
                    tokio::time::sleep(bounded(usual_wait(retries))).await;
                    retries += 1;
                }
                RequestFailure::Missing => return Err(MailError::Missing),
                RequestFailure::Expired => {
                    return Err(MailError::failed(format!(
                        "the mailbox does not accept your connection any more; connect {} again and scan again",
                        self.authenticator
                    )));
                }
                RequestFailure::Wait(_) => return Err(self.busy()),
                RequestFailure::Unreachable(error) => return Err(self.busy().caused_by(error)),
                RequestFailure::Bad(error) => return Err(error),
            }
        }
    }

    fn busy(&self) -> MailError {
        MailError::failed(format!("{} does not answer or is too busy; scan again later", self.origin.host))
    }

    /// Replaces a token that was not accepted, if there is another one. Of parallel requests, the first one fetches
    /// it.
    async fn renew(&self, refused: &Secret) -> Result<(), MailError> {
        let mut token = self.token.lock().await;
        if token.expose() == refused.expose() {
            *token = self.parts.tokens.access_token(self.user, &self.authenticator).await.map_err(untold)?;
        }
        Ok(())
    }

    fn request(&self, url: &Url, more: &[(&str, &str)], token: &Secret) -> HttpRequest {
        let own = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        HttpRequest {
            method: HttpMethod::Get,
            url: url.clone(),
            headers: self.headers.iter().cloned().chain(own).collect(),
            secret_headers: vec![(
                "Authorization".to_owned(),
                Secret::new(format!("Bearer {}", token.expose())),
            )],
            body: None,
            origin: self.origin.clone(),
            secrets: vec![token.clone()],
            time_max: TIME_MAX,
            tls: None,
        }
    }
}

fn untold(error: SourceTokenError) -> MailError {
    let sentence = match &error {
        SourceTokenError::NotConnected(name) => {
            format!("{name} is not connected to your account any more; connect it and scan again")
        }
        other => other.to_string(),
    };
    MailError::failed(sentence).caused_by(error)
}

/// None: the response is good.
fn failure(answer: &HttpResponse, now: Instant) -> Option<RequestFailure> {
    Some(match answer.status {
        200 => return None,
        401 => RequestFailure::Expired,
        404 | 410 => RequestFailure::Missing,
        408 | 429 | 500 | 502 | 503 | 504 | 509 => {
            RequestFailure::Wait(answer.header("retry-after").and_then(|text| wait(text, now)))
        }
        // Gmail uses it for throttling and for a missing permission.
        403 if is_throttled(&answer.body) => RequestFailure::Wait(None),
        403 => RequestFailure::Bad(MailError::failed(
            "the mailbox refuses: your connection lacks the permission to read mail; connect it again with that permission",
        )),
        status => {
            RequestFailure::Bad(MailError::failed(format!("the mailbox answered with the status {status}")))
        }
    })
}

fn is_throttled(body: &[u8]) -> bool {
    let told = parse_answer(body).unwrap_or_default();
    let mut reasons =
        told["error"]["errors"].as_array().into_iter().flatten().filter_map(|one| one["reason"].as_str());
    reasons.any(|reason| matches!(reason, "rateLimitExceeded" | "userRateLimitExceeded"))
}

/// If the service does not say how long.
fn usual_wait(retries: u32) -> Duration {
    WAIT_FIRST * 2_u32.pow(retries)
}

fn bounded(wait: Duration) -> Duration {
    wait.min(WAIT_MAX)
}

/// Seconds, or a date.
fn wait(text: &str, now: Instant) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let moment = DateTime::parse_from_rfc2822(text).ok()?;
    Some((moment.to_utc() - now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_bounded() {
        let told = wait("86400", Instant::UNIX_EPOCH).unwrap();
        assert_eq!(bounded(told), WAIT_MAX);
        assert_eq!(bounded(WAIT_FIRST), WAIT_FIRST);
    }

    #[test]
    fn answers_have_a_meaning() {
        let now: Instant = "2026-03-01T00:00:00Z".parse().unwrap();
        let limited = r#"{"error":{"errors":[{"reason":"userRateLimitExceeded"}]}}"#;
        let table = [
            (200, "", "", "good"),
            (401, "", "", "expired"),
            (404, "", "", "missing"),
            (429, "7", "", "wait 7"),
            (503, "Sun, 01 Mar 2026 00:00:09 GMT", "", "wait 9"),
            (503, "Sat, 28 Feb 2026 00:00:09 GMT", "", "wait 0"),
            (500, "soon", "", "wait"),
            (403, "", limited, "wait"),
            (403, "", "not JSON", "bad"),
            (418, "", "", "bad"),
        ];
        for (status, after, body, expected) in table {
            let headers = [("retry-after".to_owned(), after.to_owned())];
            let headers = headers.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            let body = Bytes::copy_from_slice(body.as_bytes());
            let found = match failure(&HttpResponse { status, headers, body }, now) {
                None => "good".to_owned(),
                Some(RequestFailure::Wait(Some(time))) => format!("wait {}", time.as_secs()),
                Some(RequestFailure::Wait(None)) => "wait".to_owned(),
                Some(RequestFailure::Unreachable(_)) => "unreachable".to_owned(),
                Some(RequestFailure::Expired) => "expired".to_owned(),
                Some(RequestFailure::Missing) => "missing".to_owned(),
                Some(RequestFailure::Bad(_)) => "bad".to_owned(),
            };
            assert_eq!(found, expected, "{status} {after}");
        }
    }
}
