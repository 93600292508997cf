//! The blocks of a page: paragraphs, headings, items and rows, with their role and share of links.

use super::tokens::{Tag, Token, Tokens};
use crate::text_builder::{ExtractResult, TextBuilder};

/// What an open element says about its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// Marked as the main content.
    Main,
    /// Navigation and other boilerplate.
    Around,
    Link,
    /// Hidden.
    Unseen,
}

#[derive(Debug, Clone, Default)]
pub struct Block {
    /// Words separated by one space, lines by a line break.
    pub text: String,
    pub chars: usize,
    pub link_chars: usize,
    pub is_main: bool,
    pub is_around: bool,
    pub is_heading: bool,
    /// Directly follows the previous block, like list items and table rows.
    pub is_item: bool,
}

/// A parsed page.
#[derive(Debug, Default)]
pub struct Page {
    pub title: String,
    /// The title for sharing, without the site name.
    pub shared_title: String,
    pub author: String,
    pub blocks: Vec<Block>,
}

/// How far back an end tag looks for its start tag.
const LOOK_BACK: usize = 100;

const BLOCKS: [&str; 33] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];
const UNSEEN: [&str; 10] =
    ["svg", "iframe", "object", "select", "button", "textarea", "canvas", "video", "audio", "math"];
/// Elements that end where the next one of the same name begins.
const SELF_ENDING: [&str; 8] = ["li", "p", "td", "th", "tr", "dt", "dd", "option"];
const MAIN_WORDS: [&str; 8] = [
    "main-content",
    "article-body",
    "post-content",
    "entry-content",
    "mw-content-text",
    "articlebody",
    "post-body",
    "story-body",
];
const AROUND_WORDS: [&str; 26] = [
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
];
const AROUND_ROLES: [&str; 6] = ["navigation", "banner", "contentinfo", "complementary", "search", "dialog"];

pub fn take_apart(text: &str, builder: &mut TextBuilder) -> ExtractResult<Page> {
    let mut scan = Scan { depth_max: builder.limits.depth, ..Scan::default() };
    for token in Tokens::of(text) {
        builder.check_deadline()?;
        match token {
            Token::Open(tag) => scan.open(&tag),
            Token::Close(name) => scan.close(&name),
            Token::Text(text) => scan.text(text),
        }
    }
    scan.end_block();
    Ok(scan.page)
}

#[derive(Default)]
struct Scan {
    page: Page,
    block: Block,
    open: Vec<(String, Role)>,
    /// Open elements below the depth limit.
    deeper: usize,
    depth_max: usize,
    mains: usize,
    arounds: usize,
    links: usize,
    unseen: usize,
    /// Counted like the others, but not used.
    plains: usize,
    is_title: bool,
    needs_space: bool,
}

impl Scan {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name.as_str() {
            "meta" => self.meta(tag),
            "title" if self.page.title.is_empty() && self.unseen == 0 => self.is_title = true,
            "br" => self.line(),
            "td" | "th" => self.needs_space = true,
            "tr" | "li" | "dt" | "dd" => {
                self.end_block();
                self.block.is_item = true;
            }
            name if is_block(name) => {
                self.end_block();
                self.block.is_heading = is_heading(name);
            }
            _ => {}
        }
        if tag.is_empty {
            return;
        }
        let is_repeated = self.open.last().is_some_and(|(last, _)| *last == tag.name);
        if is_repeated && SELF_ENDING.contains(&tag.name.as_str()) {
            self.pop();
        }
        if self.open.len() >= self.depth_max {
            self.deeper += 1;
            return;
        }
        let role = self.role(tag);
        *self.count(role) += 1;
        self.open.push((tag.name.clone(), role));
    }

    fn close(&mut self, name: &str) {
        if name == "title" {
            self.is_title = false;
        }
        if is_block(name) || name == "tr" {
            self.end_block();
        }
        if matches!(name, "td" | "th") {
            self.needs_space = true;
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let found = self.open.iter().rev().take(LOOK_BACK).position(|(open, _)| open == name);
        for _ in 0..found.map_or(0, |above| above + 1) {
            self.pop();
        }
    }

    fn text(&mut self, text: &str) {
        let text = syntax::strip_html::decode_entities(text);
        if self.is_title {
            self.page.title.push_str(&text);
            return;
        }
        if self.unseen > 0 {
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.needs_space = true;
        }
        for word in text.split_whitespace() {
            if self.needs_space && !self.block.text.is_empty() && !self.block.text.ends_with('\n') {
                self.block.text.push(' ');
            }
            self.block.text.push_str(word);
            let chars = word.chars().count();
            self.block.chars += chars;
            self.block.link_chars += if self.links > 0 { chars } else { 0 };
            self.needs_space = true;
        }
        self.needs_space =
            text.ends_with(char::is_whitespace) || (self.needs_space && text.trim().is_empty());
        self.block.is_main |= self.mains > 0;
        self.block.is_around |= self.arounds > 0;
    }

    fn line(&mut self) {
        if !self.block.text.is_empty() && !self.block.text.ends_with('\n') {
            self.block.text.push('\n');
        }
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.needs_space = false;
        if block.chars > 0 {
            self.page.blocks.push(block);
        }
    }

    fn pop(&mut self) {
        if let Some((_, role)) = self.open.pop() {
            let count = self.count(role);
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, role: Role) -> &mut usize {
        match role {
            Role::Main => &mut self.mains,
            Role::Around => &mut self.arounds,
            Role::Link => &mut self.links,
            Role::Unseen => &mut self.unseen,
            Role::Plain => &mut self.plains,
        }
    }

    fn role(&self, tag: &Tag<'_>) -> Role {
        let name = tag.name.as_str();
        if matches!(name, "html" | "body" | "head") {
            return Role::Plain;
        }
        let role = tag.attribute("role").unwrap_or_default().to_ascii_lowercase();
        let is_unseen = UNSEEN.contains(&name)
            || tag.attribute("hidden").is_some()
            || tag.attribute("aria-hidden").is_some_and(|value| value == "true")
            || tag.attribute("style").is_some_and(|style| style.replace(' ', "").contains("display:none"));
        match name {
            _ if is_unseen => Role::Unseen,
            "a" => Role::Link,
            "main" | "article" => Role::Main,
            "nav" | "aside" | "footer" => Role::Around,
            // The header of an article belongs to it.
            "header" if self.mains == 0 => Role::Around,
            _ if role == "main" || tag.attribute("itemprop").is_some_and(|value| value == "articleBody") => {
                Role::Main
            }
            _ if AROUND_ROLES.contains(&role.as_str()) => Role::Around,
            _ => named_role(tag),
        }
    }

    fn meta(&mut self, tag: &Tag<'_>) {
        let name = tag.attribute("name").or_else(|| tag.attribute("property")).unwrap_or_default();
        let place = match name.to_ascii_lowercase().as_str() {
            "og:title" => &mut self.page.shared_title,
            "author" | "article:author" => &mut self.page.author,
            _ => return,
        };
        let value = tag.attribute("content").unwrap_or_default();
        // Some sites give the URL of the author's page.
        if place.is_empty() && !value.contains("://") {
            *place = value;
        }
    }
}

/// The role according to class and id.
fn named_role(tag: &Tag<'_>) -> Role {
    for name in ["id", "class"] {
        let Some(value) = tag.attribute(name) else { continue };
        for word in value.split_whitespace().map(str::to_ascii_lowercase) {
            if MAIN_WORDS.contains(&word.as_str()) {
                return Role::Main;
            }
            let is_around = AROUND_WORDS.contains(&word.as_str())
                || word.split(['-', '_']).next_back().is_some_and(|last| AROUND_WORDS.contains(&last));
            if is_around {
                return Role::Around;
            }
        }
    }
    Role::Plain
}

fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
