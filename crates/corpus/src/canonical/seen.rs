//! Decisions as one reader may see them: with the names of people, and with the documents that the reader may see.

use domain::corpus::{Factors, Member, Pin, PinEvent, Run, Signal};

/// An election whose winner the reader may see.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSeen {
    pub run: Run,
    pub winner: Signal,
    /// User name.
    pub decided_by: Option<String>,
    /// The reader may approve or reject it now.
    pub may_decide: bool,
}

/// The same with its members, by rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDetail {
    pub seen: RunSeen,
    pub members: Vec<MemberSeen>,
    /// Members that the reader may not see, or that have left the cache.
    pub hidden_members: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MemberSeen {
    pub member: Member,
    pub signal: Signal,
    /// Weight times factor; they add up to the score.
    pub contributions: Factors,
    pub shared_externally: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PinSeen {
    pub pin: Pin,
    /// User name.
    pub pinned_by: Option<String>,
    /// None: the reader may not see it.
    pub document: Option<Signal>,
}

/// One line of the history of pins. `event.before` is told when the reader may see that document, too.
#[derive(Debug, Clone, PartialEq)]
pub struct PinEventSeen {
    pub event: PinEvent,
    /// User name.
    pub by: Option<String>,
    pub document: Signal,
}
