//! Decisions as one reader may see them: with the names of people, and with the documents that the reader may see.

use crate::CacheParts;
use crate::versions::election::contributions;
use domain::contracts::StoreError;
use domain::corpus::{AclToken, Factors, Member, Pin, PinEvent, Run, Signal};
use domain::ids::{SignalId, UserId};
use domain::user::Principal;
use std::collections::BTreeMap;

/// Documents that are looked up at once.
const BATCH: usize = 500;

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

/// A reader with the right to see what these tokens open.
pub(super) struct Reader<'a> {
    pub parts: &'a CacheParts,
    pub person: &'a Principal,
    pub tokens: Vec<AclToken>,
}

impl Reader<'_> {
    /// Those whose winner the reader may see, in their order.
    pub async fn runs(&self, runs: Vec<Run>) -> Result<Vec<RunSeen>, StoreError> {
        let documents = self.documents(runs.iter().map(|run| run.winner_signal_id)).await?;
        let names = self.names(runs.iter().filter_map(|run| run.decided_by)).await?;
        let is_open = self.parts.license.opens_cache();
        let seen = |run: Run| {
            Some(RunSeen {
                winner: documents.get(&run.winner_signal_id)?.clone(),
                decided_by: run.decided_by.and_then(|id| names.get(&id).cloned()),
                may_decide: is_open && run.status.is_open() && self.person.may_curate(),
                run,
            })
        };
        Ok(runs.into_iter().filter_map(seen).collect())
    }

    /// None: the reader may not see its winner.
    pub async fn detail(&self, run: Run) -> Result<Option<RunDetail>, StoreError> {
        let Some(seen) = self.runs(vec![run]).await?.pop() else { return Ok(None) };
        let run = &seen.run;
        let ids: Vec<SignalId> = run.members.iter().map(|member| member.signal_id).collect();
        let mut documents = self.documents(ids.iter().copied()).await?;
        let shared = self.parts.store.shared_externally(&ids).await?;
        let member = |member: &Member| {
            Some(MemberSeen {
                signal: documents.remove(&member.signal_id)?,
                contributions: contributions(&run.weights, &member.factors),
                shared_externally: shared.contains(&member.signal_id),
                member: member.clone(),
            })
        };
        let members: Vec<MemberSeen> = run.members.iter().filter_map(member).collect();
        let hidden_members = ids.len() - members.len();
        Ok(Some(RunDetail { members, hidden_members, seen }))
    }

    pub async fn pins(&self, pins: Vec<Pin>) -> Result<Vec<PinSeen>, StoreError> {
        let documents = self.documents(pins.iter().map(|pin| pin.signal_id)).await?;
        let names = self.names(pins.iter().filter_map(|pin| pin.pinned_by)).await?;
        let seen = |pin: Pin| PinSeen {
            pinned_by: pin.pinned_by.and_then(|id| names.get(&id).cloned()),
            document: documents.get(&pin.signal_id).cloned(),
            pin,
        };
        Ok(pins.into_iter().map(seen).collect())
    }

    pub async fn pin(&self, pin: Pin) -> Result<PinSeen, StoreError> {
        let alone = PinSeen { pin: pin.clone(), pinned_by: None, document: None };
        Ok(self.pins(vec![pin]).await?.pop().unwrap_or(alone))
    }

    /// Those whose document the reader may see, in their order.
    pub async fn history(&self, events: Vec<PinEvent>) -> Result<Vec<PinEventSeen>, StoreError> {
        // Collected at once: the compiler cannot see that a closure over references may wait.
        let told: Vec<SignalId> =
            events.iter().flat_map(|event| [Some(event.signal_id), event.before]).flatten().collect();
        let documents = self.documents(told.into_iter()).await?;
        let names = self.names(events.iter().filter_map(|event| event.by)).await?;
        let seen = |event: PinEvent| {
            let before = event.before.filter(|before| documents.contains_key(before));
            Some(PinEventSeen {
                document: documents.get(&event.signal_id)?.clone(),
                by: event.by.and_then(|id| names.get(&id).cloned()),
                event: PinEvent { before, ..event },
            })
        };
        Ok(events.into_iter().filter_map(seen).collect())
    }

    async fn documents(
        &self,
        ids: impl Iterator<Item = SignalId>,
    ) -> Result<BTreeMap<SignalId, Signal>, StoreError> {
        let mut ids: Vec<SignalId> = ids.collect();
        ids.sort();
        ids.dedup();
        let mut found = BTreeMap::new();
        for batch in ids.chunks(BATCH) {
            let seen = self.parts.store.signals(batch, Some(&self.tokens)).await?;
            found.extend(seen.into_iter().map(|signal| (signal.signal_id, signal)));
        }
        Ok(found)
    }

    /// Somebody who is no longer here has no name.
    async fn names(&self, ids: impl Iterator<Item = UserId>) -> Result<BTreeMap<UserId, String>, StoreError> {
        let mut names = BTreeMap::new();
        for id in ids {
            if names.contains_key(&id) {
                continue;
            }
            match self.parts.store.user(id).await {
                Ok(user) => drop(names.insert(id, user.username)),
                Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(names)
    }
}
