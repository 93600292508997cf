//! Notices with the current time.

use domain::notice::{Notice, NoticeKind};
use domain::ports::PluginContext;

/// A notice of now.
pub(crate) fn notice_now(context: &PluginContext, kind: NoticeKind) -> Notice {
    Notice::new(context.clock.now(), kind)
}
