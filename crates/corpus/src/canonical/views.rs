//! Decisions as one person may see them: with user names, and only the documents that the person may see.

use crate::CacheParts;
use crate::versions::election::contributions;
use domain::corpus::{AclToken, Factors, Member, Pin, PinEvent, Run, Signal, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::StoreError;
use domain::user::Principal;
use std::collections::BTreeMap;

/// Documents per lookup.
const BATCH: usize = 500;

/// An election whose winner the person may see.
#[derive(Debug, Clone, PartialEq)]
pub struct VisibleElection {
    pub run: Run,
    pub winner: Signal,
    /// User name.
    pub decided_by: Option<String>,
    /// The person may approve or reject it now.
    pub may_decide: bool,
}

/// An election with its members, by rank.
#[derive(Debug, Clone, PartialEq)]
pub struct ElectionDetail {
    pub election: VisibleElection,
    pub members: Vec<VisibleMember>,
    /// Members that the person may not see, or that are no longer cached.
    pub hidden_members: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VisibleMember {
    pub member: Member,
    pub signal: Signal,
    /// Weight times factor; their sum is the score.
    pub contributions: Factors,
    pub shared_externally: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VisiblePin {
    pub pin: Pin,
    /// User name.
    pub pinned_by: Option<String>,
    /// None: the person may not see it.
    pub document: Option<Signal>,
}

/// One entry of the pin history. `event.before` is set only if the person may see that document.
#[derive(Debug, Clone, PartialEq)]
pub struct VisiblePinEvent {
    pub event: PinEvent,
    /// User name.
    pub by: Option<String>,
    pub document: Signal,
}

/// Loads decisions for one person with these tokens.
pub(super) struct Reader<'a> {
    pub parts: &'a CacheParts,
    pub person: &'a Principal,
    pub tokens: Vec<AclToken>,
}

impl Reader<'_> {
    /// The elections whose winner the person may see, in the given order.
    pub async fn runs(&self, runs: Vec<Run>) -> Result<Vec<VisibleElection>, StoreError> {
        let documents = self.documents(runs.iter().map(|run| run.winner_signal_id)).await?;
        let names = self.names(runs.iter().filter_map(|run| run.decided_by)).await?;
        let is_open = self.parts.license.opens_cache();
        let seen = |run: Run| {
            Some(VisibleElection {
                winner: documents.get(&run.winner_signal_id)?.clone(),
                decided_by: run.decided_by.and_then(|id| names.get(&id).cloned()),
                may_decide: is_open && run.status.is_open() && self.person.may_curate(),
                run,
            })
        };
        Ok(runs.into_iter().filter_map(seen).collect())
    }

    /// None: the person may not see its winner.
    pub async fn detail(&self, run: Run) -> Result<Option<ElectionDetail>, StoreError> {
        let Some(election) = self.runs(vec![run]).await?.pop() else { return Ok(None) };
        let run = &election.run;
        let ids: Vec<SignalId> = run.members.iter().map(|member| member.signal_id).collect();
        let mut documents = self.documents(ids.iter().copied()).await?;
        let shared = self.parts.store.shared_externally(&ids).await?;
        let member = |member: &Member| {
            Some(VisibleMember {
                signal: documents.remove(&member.signal_id)?,
                contributions: contributions(&run.weights, &member.factors),
                shared_externally: shared.contains(&member.signal_id),
                member: member.clone(),
            })
        };
        let members: Vec<VisibleMember> = run.members.iter().filter_map(member).collect();
        let hidden_members = ids.len() - members.len();
        Ok(Some(ElectionDetail { members, hidden_members, election }))
    }

    pub async fn pins(&self, pins: Vec<Pin>) -> Result<Vec<VisiblePin>, StoreError> {
        let documents = self.documents(pins.iter().map(|pin| pin.signal_id)).await?;
        let names = self.names(pins.iter().filter_map(|pin| pin.pinned_by)).await?;
        let seen = |pin: Pin| VisiblePin {
            pinned_by: pin.pinned_by.and_then(|id| names.get(&id).cloned()),
            document: documents.get(&pin.signal_id).cloned(),
            pin,
        };
        Ok(pins.into_iter().map(seen).collect())
    }

    pub async fn pin(&self, pin: Pin) -> Result<VisiblePin, StoreError> {
        let alone = VisiblePin { pin: pin.clone(), pinned_by: None, document: None };
        Ok(self.pins(vec![pin]).await?.pop().unwrap_or(alone))
    }

    /// The entries whose document the person may see, in the given order.
    pub async fn history(&self, events: Vec<PinEvent>) -> Result<Vec<VisiblePinEvent>, StoreError> {
        // Collected first: the compiler cannot prove that a closure over references is `Send`.
        let ids: Vec<SignalId> =
            events.iter().flat_map(|event| [Some(event.signal_id), event.before]).flatten().collect();
        let documents = self.documents(ids.into_iter()).await?;
        let names = self.names(events.iter().filter_map(|event| event.by)).await?;
        let seen = |event: PinEvent| {
            let before = event.before.filter(|before| documents.contains_key(before));
            Some(VisiblePinEvent {
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
            let seen = self.parts.store.signals(batch, Visibility::To(&self.tokens)).await?;
            found.extend(seen.into_iter().map(|signal| (signal.signal_id, signal)));
        }
        Ok(found)
    }

    /// Deleted users have no name.
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
