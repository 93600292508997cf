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
    /// Short hashes in order, so that many documents take little space.
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
            let ids = parts.store.signal_ids(after, BATCH).await?;
            let Some(last) = ids.last() else { break };
            after = Some(*last);
            for signal in parts.store.signals(&ids, Some(&tokens)).await? {
                let is_wanted =
                    matter_tag.is_empty() || signal.matter_tags.iter().any(|tag| tag == matter_tag);
                if is_wanted && !shelf.put(&signal) {
                    tracing::warn!(user.id = user.0, "a scan compares with {DOCUMENTS_MAX} documents only");
                    return Ok(shelf.sorted());
                }
            }
        }
        Ok(shelf.sorted())
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

    /// False: it is full.
    fn put(&mut self, signal: &Signal) -> bool {
        if self.documents.len() >= DOCUMENTS_MAX {
            return false;
        }
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
        true
    }

    fn sorted(mut self) -> Self {
        self.entries.sort_unstable();
        self.entries.dedup();
        self.documents.sort_unstable();
        self
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::versions::samples::signal;
    use domain::corpus::SourceKind;

    fn shelf(signals: &[Signal]) -> Shelf {
        let mut shelf = Shelf::default();
        signals.iter().for_each(|signal| assert!(shelf.put(signal)));
        shelf.sorted()
    }

    #[test]
    fn documents_are_recognised() {
        let address = |url: &str| DocumentAddress::of(url).unwrap();
        let at = |id: i64, title: &str, url: &str| Signal {
            url: address(url).as_str().to_owned(),
            url_hash: address(url).hash(),
            file_bytes: 7,
            ..signal(id, title)
        };
        let office = "https://f.sharepoint.com/sites/a/Docs/a%20b.docx";
        let shelf = shelf(&[
            at(1, "Plan", "https://a.example/My%20Plan.PDF"),
            Signal { ext: "docx".to_owned(), ..at(2, "Terms", office) },
            Signal {
                source_kind: SourceKind::Drive,
                external_id: r#"{"id":"1AbCdEfGhIjK"}"#.to_owned(),
                file_bytes: 0,
                ..at(3, "Sheet", "https://docs.google.com/x")
            },
        ]);
        let url = |text: &str| Url::parse(text).unwrap();
        let one = |id: i64| vec![SignalId(id)];
        assert_eq!(shelf.by_address(&url("https://a.example/My%20Plan.PDF?utm_source=x#y")), one(1));
        assert_eq!(
            shelf.by_address(&url("https://f.sharepoint.com/:w:/r/sites/a/Docs/a%20b.docx?e=1")),
            one(2)
        );
        assert_eq!(shelf.by_item("google:1AbCdEfGhIjK"), one(3));
        assert_eq!(shelf.by_text("hash 2"), one(2));
        for (name, bytes, expected) in [
            ("my plan.pdf", 7, one(1)),
            ("PLAN", 7, one(1)),
            ("terms.docx", 7, one(2)),
            ("a b.docx", 7, one(2)),
            ("my plan.pdf", 8, Vec::new()),
            ("sheet", 0, Vec::new()),
        ] {
            assert_eq!(shelf.by_file(name, bytes), expected, "{name}");
        }
        assert!(shelf.knows_name(" My Plan.pdf") && !shelf.knows_name("sheet"));
        assert!(shelf.holds(SignalId(3)) && !shelf.holds(SignalId(4)) && !shelf.is_empty());
        assert!(shelf.by_address(&url("https://a.example/")).is_empty());
    }

    #[test]
    fn a_shelf_is_bounded() {
        let (mut shelf, mut one) = (Shelf::default(), signal(0, ""));
        for id in 0..=i64::try_from(DOCUMENTS_MAX).unwrap() {
            one.signal_id = SignalId(id);
            assert_eq!(shelf.put(&one), id < i64::try_from(DOCUMENTS_MAX).unwrap());
        }
        assert_eq!(shelf.documents.len(), DOCUMENTS_MAX);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened(&"X".repeat(2 * NAME_CHARS_MAX)), "x".repeat(NAME_CHARS_MAX));
    }
}
