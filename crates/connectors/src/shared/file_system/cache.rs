//! Cache of file texts, keyed by path, size and modification time.

use super::terms::Folded;
use domain::instant::Instant as Moment;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// Size limit of all cached texts.
pub const CACHE_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Longest text of one file that is searched, in bytes.
pub const TEXT_BYTES_MAX: usize = 2 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileKey {
    pub path: PathBuf,
    pub modified: Moment,
    pub size: u64,
}

/// The text of a file; empty for one that cannot be read, which is not retried until it changes.
#[derive(Debug, Default)]
pub struct FileText {
    pub title: String,
    pub author: String,
    pub text: String,
    pub folded: Folded,
}

impl FileText {
    pub fn of(title: String, author: String, mut text: String) -> Self {
        let mut end = text.len().min(TEXT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        let folded = Folded::of(&format!("{title} {author} {text}"));
        Self { title, author, text, folded }
    }

    fn bytes(&self) -> usize {
        let own = self.title.len() + self.author.len() + self.text.capacity() + self.folded.bytes();
        own + std::mem::size_of::<Self>()
    }
}

type Cache = moka::sync::Cache<FileKey, Arc<FileText>>;

/// A connector lives as long as one search; the cache outlives it.
static CACHE: LazyLock<Cache> = LazyLock::new(|| cache(CACHE_BYTES_MAX));

pub fn get(key: &FileKey) -> Option<Arc<FileText>> {
    CACHE.get(key)
}

pub fn keep(key: FileKey, text: &Arc<FileText>) {
    CACHE.insert(key, Arc::clone(text));
}

fn cache(bytes_max: u64) -> Cache {
    let weigher = |key: &FileKey, text: &Arc<FileText>| {
        u32::try_from(text.bytes() + key.path.as_os_str().len()).unwrap_or(u32::MAX)
    };
    moka::sync::Cache::builder().weigher(weigher).max_capacity(bytes_max).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64, size: u64) -> FileKey {
        FileKey { path: PathBuf::from(format!("/a/{number}")), modified: Moment::default(), size }
    }

    #[test]
    fn the_cache_is_bounded_in_bytes() {
        let cache = cache(1_000_000);
        for number in 0..100 {
            let text = FileText::of(String::new(), String::new(), "word ".repeat(10_000));
            cache.insert(key(number, 1), Arc::new(text));
        }
        cache.run_pending_tasks();
        assert!(cache.weighted_size() <= 1_000_000, "{}", cache.weighted_size());
        assert!(cache.entry_count() >= 5, "{}", cache.entry_count());
    }

    #[test]
    fn a_changed_file_is_another_file() {
        keep(key(1, 1), &Arc::new(FileText::default()));
        assert!(get(&key(1, 1)).is_some() && get(&key(1, 2)).is_none());
        let long = FileText::of(String::new(), String::new(), "ü".repeat(TEXT_BYTES_MAX));
        assert_eq!(long.text.len(), TEXT_BYTES_MAX);
        let odd = FileText::of(String::new(), String::new(), format!("x{}", "ü".repeat(TEXT_BYTES_MAX)));
        assert_eq!(odd.text.len(), TEXT_BYTES_MAX - 1);
    }
}
