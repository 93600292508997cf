//! The documents that a person may see, by what they are recognised by in a message: address, item of a drive, text, name
//! and size. It is made once for a scan, and asked for every link and attachment.

use super::drive;
use crate::{CacheParts, permissions};
use domain::contracts::StoreError;
use domain::corpus::{DocumentAddress, Signal};
use domain::ids::{SignalId, UserId};
use sha2::{Digest, Sha256};
use url::Url;

/// Records that are read at once.
const BATCH: u64 = 500;
/// Most documents that are compared with; those that came last into the cache are left out beyond it.
pub const DOCUMENTS_MAX: usize = 200_000;
/// Longest name of a file that is compared.
const NAME_CHARS_MAX: usize = 300;

/// By what a document is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Address,
    Item,
    Text,
    File,
    Name,
}

#[derive(Debug, Default)]
pub struct Shelf {
    /// Short hashes in order, so that many documents take little room.
    entries: Vec<(u128, SignalId)>,
    /// In order.
    documents: Vec<SignalId>,
}

impl Shelf {
    /// With a tag of a matter only its documents.
    pub async fn read(parts: &CacheParts, user: UserId, matter_tag: &str) -> Result<Self, StoreError> {
        let tokens = permissions::tokens_of(parts, user).await?;
        let (mut shelf, mut after) = (Self::default(), None);
        loop {
            let ids = parts.signals.signal_ids(after, BATCH).await?;
            let Some(last) = ids.last() else { break };
            after = Some(*last);
            for signal in parts.signals.signals(&ids, Some(&tokens)).await? {
                let is_wanted =
                    matter_tag.is_empty() || signal.matter_tags.iter().any(|tag| tag == matter_tag);
                if is_wanted {
                    shelf.put(&signal);
                }
            }
            if shelf.documents.len() >= DOCUMENTS_MAX {
                tracing::warn!(user.id = user.0, "a scan compares with {DOCUMENTS_MAX} documents only");
                break;
            }
        }
        shelf.sort();
        Ok(shelf)
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// It is one of them.
    pub fn holds(&self, id: SignalId) -> bool {
        self.documents.binary_search(&id).is_ok()
    }

    pub fn by_address(&self, url: &Url) -> Vec<SignalId> {
        let addresses = [Some(url.clone()), drive::direct(url)].into_iter().flatten();
        let hashes = addresses.filter_map(|url| DocumentAddress::of(url.as_str())).map(|one| one.hash());
        hashes.flat_map(|hash| self.find(By::Address, &hash)).collect()
    }

    pub fn by_item(&self, item: &str) -> Vec<SignalId> {
        self.find(By::Item, item)
    }

    pub fn by_text(&self, content_hash: &str) -> Vec<SignalId> {
        self.find(By::Text, content_hash)
    }

    pub fn by_file(&self, name: &str, bytes: u64) -> Vec<SignalId> {
        self.find(By::File, &file(&shortened(name), bytes))
    }

    /// Some document has a file of this name, so that its size is worth knowing.
    pub fn knows_name(&self, name: &str) -> bool {
        !self.find(By::Name, &shortened(name)).is_empty()
    }

    fn put(&mut self, signal: &Signal) {
        let id = signal.signal_id;
        let mut keys = vec![key(By::Address, &signal.url_hash)];
        keys.extend(drive::items_of(signal).iter().map(|item| key(By::Item, item)));
        if !signal.content_hash.is_empty() {
            keys.push(key(By::Text, &signal.content_hash));
        }
        if signal.file_bytes > 0 {
            for name in names(signal) {
                keys.push(key(By::File, &file(&name, signal.file_bytes)));
                keys.push(key(By::Name, &name));
            }
        }
        self.entries.extend(keys.into_iter().map(|key| (key, id)));
        self.documents.push(id);
    }

    fn sort(&mut self) {
        self.entries.sort_unstable();
        self.entries.dedup();
        self.documents.sort_unstable();
    }

    fn find(&self, by: By, what: &str) -> Vec<SignalId> {
        let wanted = key(by, what);
        let start = self.entries.partition_point(|(own, _)| *own < wanted);
        self.entries[start..].iter().take_while(|(own, _)| *own == wanted).map(|(_, id)| *id).collect()
    }
}

fn key(by: By, what: &str) -> u128 {
    let mut hash = Sha256::new();
    hash.update([by as u8]);
    hash.update(what);
    let mut short = [0; 16];
    short.copy_from_slice(&hash.finalize()[..16]);
    u128::from_be_bytes(short)
}

fn file(name: &str, bytes: u64) -> String {
    format!("{bytes}/{name}")
}

fn shortened(name: &str) -> String {
    name.trim().to_lowercase().chars().take(NAME_CHARS_MAX).collect()
}

/// The names that a file of this document may have: that in its address, its title, and its title with an ending.
fn names(signal: &Signal) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(url) = Url::parse(&signal.url) {
        let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
        let form = format!("x={}", last.replace('+', "%2B").replace('&', "%26"));
        let name = url::form_urlencoded::parse(form.as_bytes()).next().map(|(_, name)| shortened(&name));
        names.extend(name.filter(|name| name.contains('.')));
    }
    let title = shortened(&signal.title);
    if !title.is_empty() {
        if !signal.ext.is_empty() {
            names.push(format!("{title}.{}", signal.ext.to_lowercase()));
        }
        names.push(title);
    }
    names.sort();
    names.dedup();
    names
}
