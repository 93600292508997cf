//! Events of a summary while it is generated.

use domain::summary::{StoredSummary, SummaryFault, SummarySource};
use serde::Serialize;

/// Stage of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Waiting for a free slot or for another process.
    Waiting,
    /// Selecting results.
    Choosing,
    /// Fetching their pages.
    Reading,
    /// Generating the text.
    Writing,
    /// Checking the text against the sources.
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

/// The last event is `Done` or `Failed`.
#[derive(Debug, Clone)]
pub enum SummaryEvent {
    /// Progress of a stage: `done` of `of` parts; both 0 if there is nothing to count.
    Stage {
        stage: Stage,
        done: u32,
        of: u32,
    },
    /// A source in the prompt; whether it is cited is not known yet.
    Source(SummarySource),
    /// More text, with links and citations already checked.
    Delta(String),
    /// All sources with their citations, after the text is complete.
    Citations(Vec<SummarySource>),
    Done(Box<StoredSummary>),
    Failed {
        fault: SummaryFault,
        message: String,
    },
}

impl SummaryEvent {
    pub(crate) fn stage(stage: Stage) -> Self {
        Self::Stage { stage, done: 0, of: 0 }
    }
}
