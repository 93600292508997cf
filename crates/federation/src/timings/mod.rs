//! Times of the last searches, step by step. They are recorded only while somebody looks at them or they are exported.

mod log;
mod record;
mod timer;

pub use log::{ExportCounts, RUNS_MAX, SearchTimings, TimingsView};
pub use record::{ProviderTiming, RunRecord, SearchTiming, Step, StepName, TimeSpan};
pub(crate) use timer::{ProviderTimer, RunTimer};
