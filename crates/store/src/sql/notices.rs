//! The notices of a record in two columns: lines, which nodes of an earlier version read and write, and facts.

use crate::json::JsonText;
use domain::notice::Notice;
use domain::ports::StoreError;

/// The columns `messages` and `notices`.
pub(super) struct NoticeTexts {
    pub lines: JsonText,
    pub facts: JsonText,
}

impl NoticeTexts {
    pub fn of(notices: &[Notice]) -> Result<Self, StoreError> {
        Ok(Self { lines: JsonText::of_lines(notices)?, facts: JsonText::of_facts(notices)? })
    }
}
