//! Information about this installation: ready sources, effective settings, log files.

use domain::ready_source::ReadySource;
use domain::settings::EffectiveSetting;
use std::path::PathBuf;

/// Read once at startup.
#[derive(Debug, Clone, Default)]
pub struct InstanceInfo {
    /// By group and name.
    pub ready_sources: Vec<ReadySource>,
    /// Every setting, with secrets hidden.
    pub settings: Vec<EffectiveSetting>,
    pub logs: LogFolder,
}

/// The log files that may be shown; no other file in the folder is.
#[derive(Debug, Clone, Default)]
pub struct LogFolder {
    pub folder: PathBuf,
    /// File names. A file that was never written does not exist.
    pub names: Vec<&'static str>,
}
