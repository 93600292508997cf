//! Builds the blocks from the events of the Markdown parser.

use super::block::{Align, Block, Cell, Item, Line};
use super::inline::Inline;
use super::marks;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;

/// Levels of nested lists; items of deeper lists are items of the deepest one.
const LIST_LEVELS_MAX: usize = 4;
/// A table with more columns, rows or cells is shown as it is written. The cells of all tables of a text count.
pub(super) const TABLE_COLUMNS_MAX: usize = 30;
pub(super) const TABLE_ROWS_MAX: usize = 500;
pub(super) const CELLS_MAX: usize = 10_000;
/// Longest name of a programming language after a fence.
const LANGUAGE_BYTES_MAX: usize = 32;

pub(super) struct Reader<'a> {
    /// The text with marks.
    text: &'a str,
    made: Vec<Block>,
    inline: Inline<'a>,
    /// The open lists that have a block of their own.
    lists: Vec<List>,
    /// The number of open lists, also of those that are too deep.
    levels: usize,
    code: Option<String>,
    table: Option<Table>,
    /// Cells that tables may still have.
    cells: usize,
    /// End of the last text or cell.
    end: usize,
}

struct List {
    start: Option<u32>,
    items: Vec<Item>,
}

struct Table {
    aligns: Vec<Align>,
    /// Each row is the cells read so far; the first row is the head.
    rows: Vec<Vec<Cell>>,
    /// Shown as it is written.
    is_too_large: bool,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, sources: &'a BTreeSet<u32>) -> Self {
        let inline = Inline::new(sources);
        let (made, lists) = (Vec::new(), Vec::new());
        Self { text, made, inline, lists, levels: 0, code: None, table: None, cells: CELLS_MAX, end: 0 }
    }

    pub fn read(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::End(TagEnd::Table) => self.end_table(),
            _ if self.table.as_ref().is_some_and(|table| table.is_too_large) => {}
            Event::Start(tag) => self.start(tag, place),
            Event::End(tag) => self.end(tag, place),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.add_text(&text, place),
            },
            Event::Code(text) => self.inline.code(&text),
            // Lines of an item are wrapped by the model, those of a paragraph are deliberate.
            Event::SoftBreak if self.levels > 0 => self.inline.text(" ", false),
            Event::SoftBreak | Event::HardBreak => self.inline.end_line(),
            Event::Rule => self.end_paragraph(),
            // Not recognized in a text with marks, or not enabled.
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {
                self.add_text(self.text.get(place.clone()).unwrap_or_default(), place)
            }
        }
    }

    pub fn finish(mut self) -> Vec<Block> {
        self.end_paragraph();
        self.made
    }

    fn start(&mut self, tag: Tag<'_>, place: Range<usize>) {
        match tag {
            Tag::Strong => return self.inline.start_bold(),
            Tag::Emphasis => return self.inline.start_emphasis(),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
                return;
            }
            Tag::TableCell | Tag::Link { .. } | Tag::Image { .. } => return,
            _ => self.end_paragraph(),
        }
        match tag {
            Tag::CodeBlock(CodeBlockKind::Indented) => self.code = Some(String::new()),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                self.code = Some(first_line(self.text.get(place).unwrap_or_default()));
            }
            Tag::List(start) => self.start_list(start),
            Tag::Item => {
                if let Some(list) = self.lists.last_mut() {
                    list.items.push(Item::new());
                }
            }
            Tag::Table(aligns) => self.start_table(&aligns, place),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, place: Range<usize>) {
        match tag {
            TagEnd::Strong => self.inline.end_bold(),
            TagEnd::Emphasis => self.inline.end_emphasis(),
            TagEnd::Heading(_) => self.end_heading(place),
            TagEnd::CodeBlock => {
                let code = marks::removed(&self.code.take().unwrap_or_default());
                let text = code.strip_suffix('\n').unwrap_or(&code).to_owned();
                self.add(Block::Code { text });
            }
            TagEnd::List(_) => self.end_list(),
            TagEnd::TableCell => {
                self.end = place.end;
                self.end_cell();
            }
            TagEnd::TableRow => self.add_excess(place.end),
            TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::HtmlBlock => {
                self.end_paragraph();
            }
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str, place: Range<usize>) {
        let is_escaped = self.end != place.start && self.text[..place.start].ends_with('\\');
        let written = self.text.get(place.clone()).unwrap_or_default();
        // Entities stay as they are written.
        let shown = if written.starts_with('&') { written } else { text };
        self.inline.text(shown, is_escaped);
        self.end = place.end;
    }

    /// Adds a block to the open item, or to the text.
    fn add(&mut self, block: Block) {
        let item = self.lists.last_mut().and_then(|list| list.items.last_mut());
        item.unwrap_or(&mut self.made).push(block);
    }

    fn end_paragraph(&mut self) {
        let lines = self.inline.take();
        if !lines.is_empty() {
            self.add(Block::Paragraph { lines });
        }
    }

    /// A line of `-` below a text separates for models, so that only `#` makes a heading.
    fn end_heading(&mut self, place: Range<usize>) {
        let is_underlined = self.text.get(place).is_some_and(|written| written.trim_end().contains('\n'));
        let lines = self.inline.take();
        if !lines.is_empty() {
            self.add(if is_underlined { Block::Paragraph { lines } } else { Block::Heading { lines } });
        }
    }

    fn start_list(&mut self, start: Option<u64>) {
        self.levels += 1;
        if self.levels <= LIST_LEVELS_MAX {
            let start = start.map(|start| u32::try_from(start).unwrap_or(u32::MAX));
            self.lists.push(List { start, items: Vec::new() });
        }
    }

    fn end_list(&mut self) {
        let is_shown = self.levels <= LIST_LEVELS_MAX;
        self.levels = self.levels.saturating_sub(1);
        if let Some(List { start, items }) = self.lists.pop_if(|_| is_shown) {
            self.add(match start {
                Some(start) => Block::Numbers { start, items },
                None => Block::Bullets { items },
            });
        }
    }

    fn start_table(&mut self, aligns: &[Alignment], place: Range<usize>) {
        let written = self.text.get(place).unwrap_or_default();
        let rows = written.lines().count();
        let cells = rows.saturating_mul(aligns.len());
        let is_too_large = aligns.len() > TABLE_COLUMNS_MAX || rows > TABLE_ROWS_MAX || cells > self.cells;
        if is_too_large {
            self.add(Block::Code { text: marks::removed(written.trim_end()) });
        } else {
            self.cells -= cells;
        }
        let aligns = aligns.iter().map(|align| match align {
            Alignment::None | Alignment::Left => Align::Start,
            Alignment::Center => Align::Center,
            Alignment::Right => Align::End,
        });
        self.table = Some(Table { aligns: aligns.collect(), rows: Vec::new(), is_too_large });
    }

    fn end_cell(&mut self) {
        let pieces: Line = self.inline.take().into_iter().flatten().collect();
        if let Some(table) = &mut self.table
            && let Some(row) = table.rows.last_mut()
        {
            let align = table.aligns.get(row.len()).copied().unwrap_or(Align::Start);
            row.push(Cell { align, pieces });
        }
    }

    /// The parser drops cells beyond the last column; they are text of the last one.
    fn add_excess(&mut self, end: usize) {
        let written = self.text.get(self.end..end).unwrap_or_default().trim();
        let excess = written.trim_start_matches('|').trim_end_matches('|').trim();
        if excess.is_empty() {
            return;
        }
        self.inline.text(" | ", false);
        self.inline.text(excess, false);
        let more = self.inline.take();
        let row = self.table.as_mut().and_then(|table| table.rows.last_mut());
        if let Some(cell) = row.and_then(|row| row.last_mut()) {
            cell.pieces.extend(more.into_iter().flatten());
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take().filter(|table| !table.is_too_large) else { return };
        let mut rows = table.rows.into_iter();
        if let Some(head) = rows.next() {
            self.add(Block::Table { head, rows: rows.collect() });
        }
    }
}

/// What follows the fence of a code block if it is more than the name of a language.
fn first_line(code: &str) -> String {
    let line = code.lines().next().unwrap_or_default().trim_start_matches(['`', '~']).trim();
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "+#-._".contains(c);
    let is_language = line.len() <= LANGUAGE_BYTES_MAX && line.chars().all(is_sign);
    if is_language { String::new() } else { format!("{line}\n") }
}
