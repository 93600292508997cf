//! What the classes and ids of elements say about their text. Sites choose these names freely, so they are a guess.

use super::tokens::Tag;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedRole {
    Main,
    Around,
}

const MAIN_NAMES: [&str; 8] = [
    "main-content",
    "article-body",
    "post-content",
    "entry-content",
    "mw-content-text",
    "articlebody",
    "post-body",
    "story-body",
];
/// Boilerplate if they are the whole name or its last word, as in `page-footer`.
const LAST_WORDS: [&str; 38] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "sidebar",
    "footer",
    "breadcrumb",
    "breadcrumbs",
    "cookie",
    "cookies",
    "consent",
    "advert",
    "advertisement",
    "ads",
    "promo",
    "share",
    "sharing",
    "social",
    "related",
    "newsletter",
    "popup",
    "modal",
    "banner",
    "skip-link",
    "toc",
    "pagination",
    "comments",
    "comment",
    "respond",
    "recommended",
    "recommendations",
    "suggested",
    "sponsored",
    "trending",
    "teaser",
    "teasers",
    "hatnote",
    "noprint",
];
/// Boilerplate wherever they are in the name, as in `related-articles-list`.
const ANY_WORDS: [&str; 20] = [
    "related",
    "relatedposts",
    "recommended",
    "recommendation",
    "recommendations",
    "suggested",
    "sponsored",
    "newsletter",
    "breadcrumb",
    "breadcrumbs",
    "cookie",
    "cookies",
    "social",
    "sharing",
    "share",
    "comments",
    "comment",
    "disqus",
    "replies",
    "respond",
];
/// Classes of text that only screen readers read, or that is hidden.
const HIDDEN_NAMES: [&str; 9] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "element-invisible",
    "screen-reader-text",
    "screen-reader-only",
    "is-hidden",
    "offscreen",
    "invisible",
];
/// A longer name is made from a heading, such as the id of its section.
const WORDS_MAX: usize = 3;

/// The role according to class and id.
pub fn named_role(tag: &Tag<'_>) -> Option<NamedRole> {
    ["id", "class"].iter().find_map(|attribute| {
        let value = tag.attribute(attribute)?;
        value.split_whitespace().find_map(role_of_name)
    })
}

fn role_of_name(name: &str) -> Option<NamedRole> {
    let lower = name.to_ascii_lowercase();
    if MAIN_NAMES.contains(&lower.as_str()) {
        return Some(NamedRole::Main);
    }
    let words = words(name);
    let is_last = words.last().is_some_and(|last| LAST_WORDS.contains(&last.as_str()));
    let is_around = LAST_WORDS.contains(&lower.as_str())
        || is_last
        || words.iter().any(|word| ANY_WORDS.contains(&word.as_str()));
    (is_around && words.len() <= WORDS_MAX).then_some(NamedRole::Around)
}

/// The words of a name in lowercase: `related-posts`, `related_posts` and `relatedPosts` have two.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut was_lower) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        let is_separator = matches!(c, '-' | '_');
        if (is_separator || (was_lower && c.is_ascii_uppercase())) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !is_separator {
            word.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether the classes hide an element. `hidden` beside `md:block` hides it on some screens only.
pub fn is_hidden_by_class(class: &str) -> bool {
    let is_named = |name: &str| HIDDEN_NAMES.iter().any(|hidden| hidden.eq_ignore_ascii_case(name));
    class.split_whitespace().any(is_named)
        || (class.split_whitespace().any(|name| name == "hidden") && !class.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_an_element_is() {
        use NamedRole::{Around, Main};
        for (name, role) in [
            ("page-footer", Some(Around)),
            ("relatedPosts", Some(Around)),
            ("related_articles-list", Some(Around)),
            ("js-comment-form", Some(Around)),
            ("Article-Body", Some(Main)),
            ("article", None),
            ("footer-height", None),
            ("shared", None),
            // The id of a section with the heading "Sharing with a single developer".
            ("sharing-with-a-single-developer", None),
            ("", None),
        ] {
            assert_eq!(role_of_name(name), role, "{name}");
        }
    }

    #[test]
    fn classes_hide_text() {
        for (class, is_hidden) in [
            ("sr-only", true),
            ("label Visually-Hidden", true),
            ("hidden", true),
            ("hidden md:block", false),
            ("overflow-hidden", false),
            ("", false),
        ] {
            assert_eq!(is_hidden_by_class(class), is_hidden, "{class}");
        }
    }
}
