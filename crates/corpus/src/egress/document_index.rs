//! Index of the documents that a person may see, by the features that identify them in a message: URL, drive item,
//! text, name and size. Built once per scan and queried for every link and attachment.

use super::drive;
use crate::{CacheParts, permissions};
use domain::corpus::{DocumentAddress, MatterTag, Signal, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::StoreError;
use sha2::{Digest, Sha256};
use url::Url;

/// Records per batch.
const BATCH: u64 = 500;
/// Most documents that are indexed; the most recently cached ones beyond it are left out.
pub const DOCUMENTS_MAX: usize = 200_000;
/// Longest file name that is compared.
const NAME_CHARS_MAX: usize = 300;

/// The feature that identifies a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Address,
    Item,
    Text,
    File,
    Name,
}

#[derive(Debug, Default)]
pub struct DocumentIndex {
    /// Sorted short hashes, to save memory.
    entries: Vec<(u128, SignalId)>,
    /// Sorted.
    documents: Vec<SignalId>,
}

impl DocumentIndex {
    /// With a matter tag, only the documents of that matter; empty: all.
    pub async fn load(parts: &CacheParts, user: UserId, matter_tag: &str) -> Result<Self, StoreError> {
        let tokens = permissions::tokens_of(parts, user).await?;
        let matter = MatterTag::parse(matter_tag);
        let (mut index, mut after) = (Self::default(), None);
        loop {
            let ids = parts.store.signal_ids(after, BATCH).await?;
            let Some(last) = ids.last() else { break };
            after = Some(*last);
            for signal in parts.store.signals(&ids, Visibility::To(&tokens)).await? {
                let is_of_matter = matter.as_ref().is_some_and(|tag| tag.is_among(&signal.matter_tags));
                let is_wanted = matter_tag.is_empty() || is_of_matter;
                if is_wanted && !index.put(&signal) {
                    tracing::warn!(user.id = user.0, "a scan compares with {DOCUMENTS_MAX} documents only");
                    return Ok(index.sorted());
                }
            }
        }
        Ok(index.sorted())
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Whether the document is indexed.
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

    /// Whether some document has a file of this name, so that its size matters.
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

/// The file names that this document may have: from its URL, its title, and its title with an extension.
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
    use crate::versions::fixtures::signal;
    use domain::corpus::SourceKind;

    fn index(signals: &[Signal]) -> DocumentIndex {
        let mut index = DocumentIndex::default();
        signals.iter().for_each(|signal| assert!(index.put(signal)));
        index.sorted()
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
        let index = index(&[
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
        assert_eq!(index.by_address(&url("https://a.example/My%20Plan.PDF?utm_source=x#y")), one(1));
        assert_eq!(
            index.by_address(&url("https://f.sharepoint.com/:w:/r/sites/a/Docs/a%20b.docx?e=1")),
            one(2)
        );
        assert_eq!(index.by_item("google:1AbCdEfGhIjK"), one(3));
        assert_eq!(index.by_text("hash 2"), one(2));
        for (name, bytes, expected) in [
            ("my plan.pdf", 7, one(1)),
            ("PLAN", 7, one(1)),
            ("terms.docx", 7, one(2)),
            ("a b.docx", 7, one(2)),
            ("my plan.pdf", 8, Vec::new()),
            ("sheet", 0, Vec::new()),
        ] {
            assert_eq!(index.by_file(name, bytes), expected, "{name}");
        }
        assert!(index.knows_name(" My Plan.pdf") && !index.knows_name("sheet"));
        assert!(index.holds(SignalId(3)) && !index.holds(SignalId(4)) && !index.is_empty());
        assert!(index.by_address(&url("https://a.example/")).is_empty());
    }

    #[test]
    fn the_index_is_bounded() {
        let (mut index, mut one) = (DocumentIndex::default(), signal(0, ""));
        for id in 0..=i64::try_from(DOCUMENTS_MAX).unwrap() {
            one.signal_id = SignalId(id);
            assert_eq!(index.put(&one), id < i64::try_from(DOCUMENTS_MAX).unwrap());
        }
        assert_eq!(index.documents.len(), DOCUMENTS_MAX);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened(&"X".repeat(2 * NAME_CHARS_MAX)), "x".repeat(NAME_CHARS_MAX));
    }
}
