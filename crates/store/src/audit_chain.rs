//! Hash chain of the audit log: every entry is bound to the previous one by a keyed hash, and the head authenticates
//! the end. Somebody who can write to the database but does not have the key can change an entry, but cannot recompute
//! its hash.

use crate::dump::{DumpError, DumpRow, DumpTable};
use crate::encryption::EncryptionKey;
use crate::row::row;
use domain::audit::AuditReport;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The tables of the entries and of the head, also in a dump.
pub const ENTRIES: &str = "audit_entries";
pub const HEAD: &str = "audit_head";

row! {
    /// An entry as stored. The order of the fields is that of the hashed JSON.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub(crate) struct EntryRow {
        pub(crate) id: i64,
        pub(crate) at: i64,
        pub(crate) actor_id: Option<i64>,
        pub(crate) actor: String,
        pub(crate) client_address: String,
        pub(crate) request_id: String,
        pub(crate) action: String,
        pub(crate) kind: String,
        pub(crate) record_id: Option<i64>,
        pub(crate) record_name: String,
        pub(crate) changes: String,
        #[serde(skip)]
        pub(crate) hash: String,
    }
}

row! {
    /// The end of the chain as stored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct HeadRow {
        pub(crate) entries: i64,
        pub(crate) hash: String,
        pub(crate) seal: String,
        /// The encrypted keys of earlier parts of the chain.
        pub(crate) past_keys: String,
    }
}

/// The record that the keys of earlier parts are encrypted for.
pub(crate) const PAST_KEYS: &str = "audit:past_keys";

/// The key of the entries up to `until`, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PastKey {
    pub(crate) until: i64,
    pub(crate) key: String,
}

/// Decrypts the keys of earlier parts. Entries of parts whose key cannot be decrypted cannot be verified.
pub(crate) fn past_keys(key: &EncryptionKey, head: &HeadRow) -> Vec<PastKey> {
    let opened = key.open(&head.past_keys, PAST_KEYS).ok();
    opened.and_then(|text| serde_json::from_str(text.expose()).ok()).unwrap_or_default()
}

/// Computes the hashes.
#[derive(Clone)]
pub(crate) struct ChainKey {
    mac: Hmac<Sha256>,
    bytes: [u8; 32],
}

impl ChainKey {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    fn new(bytes: [u8; 32]) -> Self {
        Self { mac: Hmac::new_from_slice(&bytes).expect("a key of any length fits"), bytes }
    }

    /// The current key.
    pub(crate) fn of(key: &EncryptionKey) -> Self {
        Self::new(key.for_audit().first().copied().unwrap_or_default())
    }

    /// The key of the head; the current one if none fits.
    pub(crate) fn of_head(key: &EncryptionKey, head: &HeadRow) -> Self {
        let fitting = || key.for_audit().into_iter().map(Self::new).find(|one| one.is_sealed(head));
        let found = fitting().or_else(|| if key.refresh() { fitting() } else { None });
        found.unwrap_or_else(|| Self::of(key))
    }

    fn of_past(past: &PastKey) -> Option<Self> {
        let mut bytes = [0_u8; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(past.key.get(place * 2..place * 2 + 2)?, 16).ok()?;
        }
        Some(Self::new(bytes))
    }

    /// This key as the key of the entries up to `until`.
    pub(crate) fn as_past(&self, until: i64) -> PastKey {
        PastKey { until, key: self.bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    /// The hash of the entry after the one with the hash `previous`.
    pub(crate) fn link(&self, previous: &str, row: &EntryRow) -> String {
        let text = serde_json::to_string(row).unwrap_or_default();
        self.hash(&["entry", previous, &text])
    }

    /// The authentication code of a head.
    pub(crate) fn seal(&self, entries: i64, hash: &str) -> String {
        self.hash(&["head", &entries.to_string(), hash])
    }

    /// Whether the head is authentic. The head of an empty log has no code.
    pub(crate) fn is_sealed(&self, head: &HeadRow) -> bool {
        let is_new = head.entries == 0 && head.hash.is_empty() && head.seal.is_empty();
        is_new || head.seal == self.seal(head.entries, &head.hash)
    }

    fn hash(&self, parts: &[&str]) -> String {
        let mut mac = self.mac.clone();
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Verifies a chain from its first entry to its head, and keeps the first error.
pub struct ChainCheck {
    /// The key of the newest part.
    key: ChainKey,
    /// The keys of earlier parts, each with its last entry.
    past: Vec<(i64, ChainKey)>,
    entries: u64,
    next: i64,
    previous: String,
    fault: Option<(i64, String)>,
}

impl ChainCheck {
    pub(crate) fn new(key: &EncryptionKey, head: Option<&HeadRow>) -> Self {
        let past = head.map(|head| past_keys(key, head)).unwrap_or_default();
        let past = past.iter().filter_map(|past| Some((past.until, ChainKey::of_past(past)?))).collect();
        let key = head.map_or_else(|| ChainKey::of(key), |head| ChainKey::of_head(key, head));
        Self { key, past, entries: 0, next: 1, previous: String::new(), fault: None }
    }

    /// For a dump, by the row of its head.
    pub fn of_copy(key: &EncryptionKey, table: &DumpTable, row: Option<&DumpRow>) -> Self {
        Self::new(key, row.map(|row| copied_head(table, row)).as_ref())
    }

    /// The next entry of a dump.
    pub fn copied_entry(&mut self, table: &DumpTable, row: &DumpRow) -> Result<(), DumpError> {
        let value = |name: &str| value_of(table, row, name);
        let text = |name: &str| value(name).unwrap_or_default();
        let number = |name: &str| value(name).and_then(|text| text.parse::<i64>().ok());
        let id =
            number("id").ok_or_else(|| DumpError::Unfit(format!("an entry of {ENTRIES} has no number")))?;
        self.entry(&EntryRow {
            id,
            at: number("at").unwrap_or_default(),
            actor_id: number("actor_id"),
            actor: text("actor"),
            client_address: text("client_address"),
            request_id: text("request_id"),
            action: text("action"),
            kind: text("kind"),
            record_id: number("record_id"),
            record_name: text("record_name"),
            changes: text("changes"),
            hash: text("hash"),
        });
        Ok(())
    }

    /// The verdict on a dump, by the row of its head.
    pub fn copied_end(self, table: &DumpTable, row: Option<&DumpRow>) -> AuditReport {
        self.end(row.map(|row| copied_head(table, row)).as_ref())
    }

    /// The next entry, by id.
    pub(crate) fn entry(&mut self, row: &EntryRow) {
        self.entries += 1;
        if row.id > self.next {
            self.fault(self.next, "is missing");
        } else if row.id < self.next {
            self.fault(row.id, "does not belong to the log");
        } else if self.key_of(row.id).link(&self.previous, row) != row.hash {
            self.fault(row.id, "is not as it was written, or was written under another key");
        }
        self.next = row.id.saturating_add(1);
        self.previous.clone_from(&row.hash);
    }

    /// The key of an entry.
    fn key_of(&self, id: i64) -> &ChainKey {
        self.past.iter().find(|(until, _)| id <= *until).map_or(&self.key, |(_, key)| key)
    }

    /// An unreadable entry.
    pub(crate) fn unreadable(&mut self, id: i64) {
        self.entries += 1;
        self.fault(id, "is not readable");
        self.next = id.saturating_add(1);
    }

    /// An entry after the head.
    pub(crate) fn surplus(&mut self, id: i64) {
        self.fault(id, "does not belong to the log");
    }

    pub(crate) fn end(mut self, head: Option<&HeadRow>) -> AuditReport {
        let mut detail = format!("{} entries are as they were written.", self.entries);
        let mut is_head_right = false;
        match head {
            None => detail = "The head of the audit log is missing.".to_owned(),
            Some(head) if !self.key.is_sealed(head) => {
                detail = "The head of the audit log was changed, or was written with another key.".to_owned();
            }
            Some(head) if head.entries >= self.next => self.fault(self.next, "is missing"),
            Some(head) if head.entries < self.next - 1 => {
                self.fault(head.entries + 1, "does not belong to the log");
            }
            Some(head) if head.hash != self.previous => {
                self.fault(head.entries, "is not as it was written");
            }
            Some(_) => is_head_right = true,
        }
        let ok = is_head_right && self.fault.is_none();
        let broken_at = self.fault.as_ref().map(|(id, _)| u64::try_from(*id).unwrap_or_default());
        if let Some((id, what)) = self.fault {
            detail = format!("Entry {id} of the audit log {what}.");
        }
        AuditReport { ok, entries: self.entries, broken_at, detail, hash: self.previous }
    }

    fn fault(&mut self, id: i64, what: &str) {
        self.fault.get_or_insert_with(|| (id, what.to_owned()));
    }
}

fn copied_head(table: &DumpTable, row: &DumpRow) -> HeadRow {
    HeadRow {
        entries: value_of(table, row, "entries").and_then(|text| text.parse().ok()).unwrap_or_default(),
        hash: value_of(table, row, "hash").unwrap_or_default(),
        seal: value_of(table, row, "seal").unwrap_or_default(),
        past_keys: value_of(table, row, "past_keys").unwrap_or_default(),
    }
}

fn value_of(table: &DumpTable, row: &DumpRow, name: &str) -> Option<String> {
    let place = table.columns.iter().position(|column| column.name == name)?;
    row.get(place).cloned().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::Secret;

    fn key(text: &str) -> EncryptionKey {
        EncryptionKey::from_secret(&Secret::new(text))
    }

    fn chain(count: i64) -> (Vec<EntryRow>, HeadRow) {
        let key = ChainKey::of(&key("k"));
        let mut rows: Vec<EntryRow> = Vec::new();
        for id in 1..=count {
            let mut row = EntryRow {
                id,
                at: 7,
                actor_id: Some(1),
                actor: "anna".to_owned(),
                client_address: "192.0.2.1".to_owned(),
                request_id: "r".to_owned(),
                action: "changed".to_owned(),
                kind: "user".to_owned(),
                record_id: None,
                record_name: "otto".to_owned(),
                changes: "{}".to_owned(),
                hash: String::new(),
            };
            row.hash = key.link(rows.last().map_or("", |row| row.hash.as_str()), &row);
            rows.push(row);
        }
        let hash = rows.last().map_or(String::new(), |row| row.hash.clone());
        let seal = if count == 0 { String::new() } else { key.seal(count, &hash) };
        (rows, HeadRow { entries: count, hash, seal, past_keys: String::new() })
    }

    fn report(rows: &[EntryRow], head: Option<&HeadRow>, under: &str) -> AuditReport {
        let mut check = ChainCheck::new(&key(under), head);
        rows.iter().for_each(|row| check.entry(row));
        check.end(head)
    }

    #[test]
    fn a_whole_chain_is_right_and_another_key_is_not() {
        for count in [0, 1, 5] {
            let (rows, head) = chain(count);
            let found = report(&rows, Some(&head), "k");
            assert!(found.ok && found.broken_at.is_none(), "{found:?}");
            assert_eq!(found.entries, u64::try_from(count).unwrap());
        }
        let (rows, head) = chain(2);
        assert_eq!(report(&rows, Some(&head), "other").broken_at, Some(1));
    }

    #[test]
    fn every_field_of_an_entry_is_bound() {
        let changes: [fn(&mut EntryRow); 12] = [
            |row| row.at += 1,
            |row| row.actor_id = None,
            |row| row.actor.push('x'),
            |row| row.client_address.clear(),
            |row| row.request_id.push('x'),
            |row| row.action = "created".to_owned(),
            |row| row.kind = "group".to_owned(),
            |row| row.record_id = Some(0),
            |row| row.record_name.push(' '),
            |row| row.changes = "{ }".to_owned(),
            |row| row.hash.insert(0, '0'),
            |row| std::mem::swap(&mut row.actor, &mut row.record_name),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let (mut rows, head) = chain(5);
            change(&mut rows[2]);
            let found = report(&rows, Some(&head), "k");
            assert_eq!((found.ok, found.broken_at), (false, Some(3)), "change {number}");
            assert!(found.detail.contains("Entry 3 "), "{}", found.detail);
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let (rows, head) = chain(5);
        let without = |gone: usize| {
            let mut left = rows.clone();
            left.remove(gone);
            report(&left, Some(&head), "k").broken_at
        };
        assert_eq!([without(0), without(2), without(4)], [Some(1), Some(3), Some(5)], "the last one too");
        assert_eq!(report(&[], Some(&head), "k").broken_at, Some(1));
        let (_, shorter) = chain(4);
        assert_eq!(report(&rows, Some(&shorter), "k").broken_at, Some(5));
        let mut twice = rows.clone();
        twice.insert(2, rows[1].clone());
        assert_eq!(report(&twice, Some(&head), "k").broken_at, Some(2));
        // A head written without the key.
        let forged = HeadRow {
            entries: 4,
            hash: rows[3].hash.clone(),
            seal: head.seal.clone(),
            past_keys: String::new(),
        };
        for head in [None, Some(&forged), Some(&HeadRow { seal: String::new(), ..forged.clone() })] {
            let found = report(&rows[..4], head, "k");
            assert!(!found.ok && found.detail.contains("head"), "{found:?}");
        }
    }
}
