//! Rate limits, in the memory of this process. Health checks and metrics are not limited.

mod limiter;
mod sign_in;
mod streams;

pub use sign_in::{Lockout, SignInAttempt, SignInThrottle};
pub use streams::{EventStreams, StreamPermit};

use crate::client_address::ClientAddress;
use crate::error::ApiError;
use domain::ids::UserId;
use domain::settings::{Settings, Throttle};
use limiter::Limiter;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use syntax::rate::Rate;

/// Kinds of requests with a limit per user and address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Chat,
    Search,
    Rag,
    /// Any request to the MCP endpoint.
    Mcp,
}

impl Class {
    const ALL: [Self; 4] = [Self::Chat, Self::Search, Self::Rag, Self::Mcp];

    fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Search => "search",
            Self::Rag => "rag",
            Self::Mcp => "mcp",
        }
    }

    fn rate(self, settings: &Settings) -> Throttle {
        match self {
            Self::Chat => settings.throttle_chat,
            Self::Search => settings.throttle_search,
            Self::Rag => settings.throttle_rag,
            Self::Mcp => settings.throttle_mcp,
        }
    }
}

/// How often a sign-in at another service may be started from one address: enough for an office behind one address.
const FOREIGN_SIGN_INS: Rate = Rate { count: 60, per: Duration::from_secs(60) };

pub struct Throttles {
    keys: RandomState,
    foreign_sign_ins: Limiter,
    /// A class without a limit has no entry.
    limiters: Vec<(Class, Limiter)>,
    pub sign_in: SignInThrottle,
    pub streams: EventStreams,
}

impl Throttles {
    pub fn new(settings: &Settings) -> Self {
        let limiter = |class: Class| class.rate(settings).0.map(|rate| (class, Limiter::new(rate)));
        Self {
            keys: RandomState::new(),
            foreign_sign_ins: Limiter::new(FOREIGN_SIGN_INS),
            limiters: Class::ALL.into_iter().filter_map(limiter).collect(),
            sign_in: SignInThrottle::new(settings.throttle_login),
            streams: EventStreams::new(settings),
        }
    }

    /// Counts one request of this class, or refuses it with 429.
    pub fn take(&self, class: Class, user: UserId, address: ClientAddress) -> Result<(), ApiError> {
        let Some((_, limiter)) = self.limiters.iter().find(|(own, _)| *own == class) else {
            return Ok(());
        };
        limiter.take(self.keys.hash_one((user, address))).map_err(|wait| {
            let class = class.as_str();
            tracing::warn!(client.address = %address, class, "Throttled: {class} of user {user} from {address}");
            ApiError::throttled(wait, "Too many requests of this kind.")
        })
    }
}

impl Throttles {
    /// Counts the start of a sign-in at another service, which creates a record, or refuses it with 429.
    pub fn begin_foreign_sign_in(&self, address: ClientAddress) -> Result<(), ApiError> {
        self.foreign_sign_ins.take(self.keys.hash_one(address)).map_err(|wait| {
            tracing::warn!(client.address = %address, "Throttled: sign-ins at other services from {address}");
            ApiError::throttled(wait, "Too many sign-ins were started from your address.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    fn from(text: &str) -> ClientAddress {
        ClientAddress::block_of(text.parse().expect("an address"))
    }

    /// How many of 30 requests pass.
    fn passed(throttles: &Throttles, class: Class, user: i64, address: &str) -> usize {
        (0..30).filter(|_| throttles.take(class, UserId(user), from(address)).is_ok()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn each_class_has_its_own_rate() {
        let throttles = Throttles::new(&Settings::default());
        for (class, expected) in [(Class::Chat, 15), (Class::Search, 30), (Class::Rag, 30)] {
            assert_eq!(passed(&throttles, class, 1, "192.0.2.1"), expected, "{class:?}");
        }
        let per_day = |count| Throttle(Some(Rate { count, per: Duration::from_secs(86_400) }));
        let settings = Settings {
            throttle_chat: Throttle(None),
            throttle_search: per_day(2),
            throttle_rag: per_day(3),
            ..Settings::default()
        };
        let throttles = Throttles::new(&settings);
        for (class, expected) in [(Class::Chat, 30), (Class::Search, 2), (Class::Rag, 3)] {
            assert_eq!(passed(&throttles, class, 1, "192.0.2.1"), expected, "{class:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn sign_ins_elsewhere_are_counted_by_address() {
        let throttles = Throttles::new(&Settings { throttle_login: Throttle(None), ..Settings::default() });
        let begun =
            |address| (0..100).filter(|_| throttles.begin_foreign_sign_in(from(address)).is_ok()).count();
        assert_eq!((begun("192.0.2.1"), begun("192.0.2.1"), begun("192.0.2.2")), (60, 0, 60));
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(begun("192.0.2.1"), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn by_user_and_address() {
        let throttles = Throttles::new(&Settings::default());
        let table = [
            (1, "192.0.2.1", 15),
            (1, "192.0.2.1", 0),
            (2, "192.0.2.1", 15),
            (1, "192.0.2.2", 15),
            (1, "2001:db8::1", 15),
            (1, "2001:db8::2", 0),
            (1, "2001:db8:0:1::2", 15),
        ];
        for (user, address, expected) in table {
            assert_eq!(passed(&throttles, Class::Chat, user, address), expected, "{user} {address}");
        }
        let error = throttles.take(Class::Chat, UserId(1), from("192.0.2.1")).expect_err("a refusal");
        assert_eq!(error.error_code(), ErrorCode::Throttled);
        assert_eq!(error.retry_after_s(), Some(4));
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(passed(&throttles, Class::Chat, 1, "192.0.2.1"), 15);
    }
}
