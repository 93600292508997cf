//! Failed sign-ins by reason.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Why a sign-in failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInFailure {
    /// The name or the password is wrong.
    Password,
    /// There is no such token.
    Token,
    /// The token of another service is not valid.
    Bearer,
    /// Too many attempts had failed before.
    Throttled,
}

impl SignInFailure {
    const ALL: [Self; 4] = [Self::Password, Self::Token, Self::Bearer, Self::Throttled];

    fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Token => "token",
            Self::Bearer => "bearer",
            Self::Throttled => "throttled",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

pub struct SignInMetrics(Family<ReasonLabels, Counter>);

impl Default for SignInMetrics {
    /// All reasons start at 0: otherwise the first failure after a start would not count as an increase.
    fn default() -> Self {
        let failures: Family<ReasonLabels, Counter> = Family::default();
        for reason in SignInFailure::ALL {
            failures.get_or_create(&ReasonLabels { reason: reason.as_str() }).inc_by(0);
        }
        Self(failures)
    }
}

impl SignInMetrics {
    pub fn register(&self, registry: &mut Registry) {
        let failures = self.0.clone();
        registry.register("tributary_sign_in_failures", "Failed sign-ins by reason", failures);
    }

    pub fn failed(&self, reason: SignInFailure) {
        self.0.get_or_create(&ReasonLabels { reason: reason.as_str() }).inc();
    }
}
