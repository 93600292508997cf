//! What is told of an answer while it is made.

use domain::answer::{AnswerFault, AnswerSource, StoredAnswer};
use serde::Serialize;

/// Where the making of an answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Others come first.
    Waiting,
    /// Results are chosen.
    Choosing,
    /// Their pages are read.
    Reading,
    /// The model writes.
    Writing,
    /// What it wrote is held against the sources.
    Checking,
}

impl Stage {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Choosing => "choosing",
            Self::Reading => "reading",
            Self::Writing => "writing",
            Self::Checking => "checking",
        }
    }
}

/// An answer ends with `Done` or `Failed`.
#[derive(Debug, Clone)]
pub enum AnswerEvent {
    /// `done` of `of` parts of the stage are over; both 0 where there is nothing to count.
    Stage {
        stage: Stage,
        done: u32,
        of: u32,
    },
    /// A source that stands in the prompt; whether it is cited is not known yet.
    Source(AnswerSource),
    /// More text. Its links and citations are already checked.
    Delta(String),
    /// All sources, now that the text is known.
    Citations(Vec<AnswerSource>),
    Done(Box<StoredAnswer>),
    Failed {
        fault: AnswerFault,
        message: String,
    },
}

impl AnswerEvent {
    pub(crate) fn stage(stage: Stage) -> Self {
        Self::Stage { stage, done: 0, of: 0 }
    }
}
