//! The blocks of a page: paragraphs, headings, items and rows, with their role and share of links.

use super::containers::{Container, Containers, Kind};
use super::names::{NamedRole, is_hidden_by_class, named_role};
use super::tokens::{Tag, Token, Tokens};
use crate::text_builder::{ExtractResult, TextBuilder};
use std::collections::HashMap;

/// What an open element says about its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    /// Marked as the main content.
    Main,
    /// An `article`: the main content, or one of several teasers or comments.
    Article,
    /// Navigation and other boilerplate.
    Around,
    /// Boilerplate by its class or id only.
    NamedAround,
    Link,
    /// Hidden.
    Unseen,
}

#[derive(Debug, Clone, Default)]
pub struct Block {
    /// Words separated by one space, lines by a line break.
    pub text: String,
    /// Length without spaces; a Chinese, Japanese or Korean character counts as several.
    pub chars: usize,
    pub link_chars: usize,
    pub is_main: bool,
    pub is_around: bool,
    /// 1 to 6 for a heading, else 0.
    pub heading_level: u8,
    /// Directly follows the previous block, like list items and table rows.
    pub is_item: bool,
    /// A row of a table, or a part of a description list.
    pub is_row: bool,
    /// The innermost container of the text.
    container: Option<Container>,
}

/// A block of this length with few links is certainly content.
pub const GOOD_CHARS_MIN: usize = 80;

impl Block {
    pub fn is_heading(&self) -> bool {
        self.heading_level > 0
    }

    pub fn is_good(&self) -> bool {
        self.chars >= GOOD_CHARS_MIN && self.link_chars.saturating_mul(3) < self.chars
    }
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

/// Most names of open elements below the depth limit; others end with what is around them.
const DEEPER_NAMES_MAX: usize = 1_000;

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
/// The annotation of a formula repeats it in another notation.
const UNSEEN: [&str; 11] = [
    "svg",
    "iframe",
    "object",
    "select",
    "button",
    "textarea",
    "canvas",
    "video",
    "audio",
    "annotation",
    "annotation-xml",
];
/// Elements that end where the next one of the same name begins.
const SELF_ENDING: [&str; 8] = ["li", "p", "td", "th", "tr", "dt", "dd", "option"];
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
    let Scan { mut page, containers, .. } = scan;
    judge(&mut page.blocks, containers);
    Ok(page)
}

/// Decides what the containers say about their blocks, now that it is known how much text each of them has.
fn judge(blocks: &mut [Block], containers: Containers) {
    let good = |block: &&Block| block.is_good() && !block.is_around;
    let total = blocks.iter().filter(good).map(|block| block.chars).sum();
    let judged = containers.judge(total);
    for block in blocks {
        let place = judged.place(block.container);
        block.is_around |= place.is_around;
        // The title of the main article may be above it.
        block.is_main = place.is_main.unwrap_or(block.is_main) || (block.is_main && block.heading_level == 1);
    }
}

/// An open element.
struct Open {
    name: String,
    role: Role,
    /// The container around it.
    outer: Option<Container>,
}

#[derive(Default)]
struct Scan {
    page: Page,
    block: Block,
    open: Vec<Open>,
    containers: Containers,
    /// The innermost open container.
    container: Option<Container>,
    /// The numbers of open elements below the depth limit, by name.
    deeper: HashMap<String, usize>,
    depth_max: usize,
    mains: usize,
    articles: usize,
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
            name @ ("tr" | "li" | "dt" | "dd") => {
                self.end_block();
                self.block.is_item = true;
                self.block.is_row = name != "li";
            }
            name if is_block(name) => {
                self.end_block();
                self.block.heading_level = heading_level(name);
            }
            _ => {}
        }
        if tag.is_empty {
            return;
        }
        let is_repeated = self.open.last().is_some_and(|last| last.name == tag.name);
        if is_repeated && SELF_ENDING.contains(&tag.name.as_str()) {
            self.pop();
        }
        if self.open.len() >= self.depth_max {
            if let Some(count) = self.deeper.get_mut(&tag.name) {
                *count += 1;
            } else if self.deeper.len() < DEEPER_NAMES_MAX {
                self.deeper.insert(tag.name.clone(), 1);
            }
            return;
        }
        let role = self.role(tag);
        *self.count(role) += 1;
        let outer = self.container;
        let kind = match role {
            Role::Article => Some(Kind::Article),
            Role::NamedAround => Some(Kind::NamedAround),
            _ => None,
        };
        if let Some(kind) = kind {
            self.container = self.containers.open(kind, outer).or(outer);
        }
        self.open.push(Open { name: tag.name.clone(), role, outer });
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
        if let Some(count) = self.deeper.get_mut(name).filter(|count| **count > 0) {
            *count -= 1;
            return;
        }
        let Some(above) = self.open.iter().rev().position(|open| open.name == name) else { return };
        self.deeper.clear();
        for _ in 0..=above {
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
            let chars = length(word);
            self.block.chars += chars;
            self.block.link_chars += if self.links > 0 { chars } else { 0 };
            self.needs_space = true;
        }
        self.needs_space =
            text.ends_with(char::is_whitespace) || (self.needs_space && text.trim().is_empty());
        self.block.is_main |= self.mains + self.articles > 0;
        self.block.is_around |= self.arounds > 0;
        if !text.trim().is_empty() {
            self.block.container = self.container;
        }
    }

    fn line(&mut self) {
        if !self.block.text.is_empty() && !self.block.text.ends_with('\n') {
            self.block.text.push('\n');
        }
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        self.needs_space = false;
        if block.chars == 0 {
            return;
        }
        if block.is_good() && !block.is_around {
            self.containers.add(block.container, block.chars);
        }
        self.page.blocks.push(block);
    }

    fn pop(&mut self) {
        if let Some(Open { role, outer, .. }) = self.open.pop() {
            self.container = outer;
            let count = self.count(role);
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, role: Role) -> &mut usize {
        match role {
            Role::Main => &mut self.mains,
            Role::Article => &mut self.articles,
            Role::Around => &mut self.arounds,
            Role::Link => &mut self.links,
            Role::Unseen => &mut self.unseen,
            Role::Plain | Role::NamedAround => &mut self.plains,
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
            || tag.attribute("style").is_some_and(|style| is_hidden_by_style(&style))
            || tag.attribute("class").is_some_and(|class| is_hidden_by_class(&class));
        match name {
            _ if is_unseen => Role::Unseen,
            "a" => Role::Link,
            "main" => Role::Main,
            "article" => Role::Article,
            "nav" | "aside" | "footer" => Role::Around,
            // The header of an article belongs to it.
            "header" if self.mains + self.articles == 0 => Role::Around,
            _ if role == "main" || tag.attribute("itemprop").is_some_and(|value| value == "articleBody") => {
                Role::Main
            }
            _ if AROUND_ROLES.contains(&role.as_str()) => Role::Around,
            "form" => Role::NamedAround,
            _ => match named_role(tag) {
                Some(NamedRole::Main) => Role::Main,
                Some(NamedRole::Around) => Role::NamedAround,
                None => Role::Plain,
            },
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

fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

fn heading_level(name: &str) -> u8 {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => level - b'0',
        _ => 0,
    }
}

/// A Chinese, Japanese or Korean character counts as this many Latin ones.
const WIDE_CHAR_WEIGHT: usize = 3;

fn length(word: &str) -> usize {
    let is_wide = |c: char| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    word.chars().map(|c| if is_wide(c) { WIDE_CHAR_WEIGHT } else { 1 }).sum()
}

fn is_hidden_by_style(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    style.contains("display:none") || style.contains("visibility:hidden")
}
