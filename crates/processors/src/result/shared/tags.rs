//! Tags that set a number for a processor: `max_length:300`.

use domain::ports::ResultContext;

/// The number of the first tag of that name: the search's own tags first, then the provider's. A value that is not a
/// number is ignored.
pub fn number(cx: &ResultContext<'_>, name: &str) -> Option<usize> {
    find(cx.search.spec.tags.iter().chain(&cx.provider.spec.tags), name)
}

fn find<'a>(tags: impl IntoIterator<Item = &'a String>, name: &str) -> Option<usize> {
    tags.into_iter().find_map(|tag| {
        let (key, value) = tag.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_first_number() {
        let tags = ["News", "max_length", "max_length:x", "MAX_LENGTH: 300", "max_length:7", "other:-1"];
        let tags = tags.map(str::to_owned);
        assert_eq!(find(&tags, "max_length"), Some(300));
        assert_eq!(find(&tags, "other"), None);
        assert_eq!(find(&tags, "News"), None);
    }
}
