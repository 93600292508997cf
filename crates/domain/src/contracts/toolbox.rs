//! Toolbox: what a plug-in is given, and nothing more.

use super::{Clock, Fetch};
use crate::settings::Settings;
use std::sync::Arc;

#[derive(Clone)]
pub struct Toolbox {
    pub fetch: Arc<dyn Fetch>,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}
