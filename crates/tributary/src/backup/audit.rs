//! The audit log inside a backup. The hashes of the file find damage; whoever makes them anew after changing an entry
//! is found here, because the log's own hashes need the key.

use super::{Backup, BackupError, Part};
use domain::audit::AuditReport;
use store::SealKey;
use store::chain::{ChainCheck, ENTRIES, HEAD};

/// The verdict on the audit log of a backup; None when it was made before there was one.
pub fn audit_report(backup: &Backup, key: &SealKey) -> Result<Option<AuditReport>, BackupError> {
    let part = |name: &str| backup.manifest.part(&format!("table {name}"));
    let (Some(entries), Some(head)) = (part(ENTRIES), part(HEAD)) else {
        return Ok(None);
    };
    let head_row = backup.rows(head)?.next_row()?.map(|(row, _)| row);
    let mut check = ChainCheck::of_copy(key, table(head)?, head_row.as_ref());
    let mut rows = backup.rows(entries)?;
    while let Some((row, _)) = rows.next_row()? {
        check.copied_entry(table(entries)?, &row).map_err(|error| fault(entries, &error.to_string()))?;
    }
    Ok(Some(check.copied_end(table(head)?, head_row.as_ref())))
}

fn table(part: &Part) -> Result<&store::copy::CopiedTable, BackupError> {
    part.table.as_ref().ok_or_else(|| fault(part, "it is no table"))
}

fn fault(part: &Part, what: &str) -> BackupError {
    BackupError::Part(part.name.clone(), what.to_owned())
}
