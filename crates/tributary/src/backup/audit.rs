//! Verifies the audit log inside a backup. The hashes of the file detect damage; forged entries with recomputed hashes
//! are detected here, because the hashes of the log need the key.

use super::{Backup, BackupError, Part};
use domain::audit::AuditReport;
use store::EncryptionKey;
use store::audit_chain::{ChainCheck, ENTRIES, HEAD};

/// The verification report; `None` if the backup predates the audit log.
pub fn audit_report(backup: &Backup, key: &EncryptionKey) -> Result<Option<AuditReport>, BackupError> {
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

fn table(part: &Part) -> Result<&store::dump::DumpTable, BackupError> {
    part.table.as_ref().ok_or_else(|| fault(part, "it is not a table"))
}

fn fault(part: &Part, what: &str) -> BackupError {
    BackupError::Part(part.name.clone(), what.to_owned())
}
