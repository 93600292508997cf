//! What the program tells the doors about its own installation: ready sources, settings in force, log files.

use crate::ready_source::ReadySource;
use crate::settings::SettingInForce;
use std::path::PathBuf;

/// Read once, when the program starts.
#[derive(Debug, Clone, Default)]
pub struct Installation {
    /// By group and name.
    pub ready_sources: Vec<ReadySource>,
    /// Every row of the table, secrets hidden.
    pub settings: Vec<SettingInForce>,
    pub logs: LogFolder,
}

/// The log files that may be shown; nothing else in the folder is.
#[derive(Debug, Clone, Default)]
pub struct LogFolder {
    pub folder: PathBuf,
    /// Names of files in it. A file that was never written is not there.
    pub names: Vec<&'static str>,
}
