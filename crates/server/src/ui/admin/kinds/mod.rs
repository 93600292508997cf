//! The kinds of records that the console lists and edits, declared once: what a list shows, what may be switched in
//! it, how the fields of a form are grouped, and what may be done. What a field is, its default and its help stand in
//! the API's own document.

mod answers;
mod people;
mod search;
mod system;

use serde::Serialize;

/// Every kind; the slug is that of its page.
pub const KINDS: &[Kind] = &[
    search::SEARCHPROVIDERS,
    search::QUERYTRANSFORMS,
    search::PIPELINES,
    answers::AIPROVIDERS,
    answers::PROMPTS,
    people::USERS,
    people::GROUPS,
    people::TOKENS,
    people::AUTHENTICATORS,
    system::SCHEDULES,
];

/// A kind of records.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Kind {
    pub slug: &'static str,
    pub singular: &'static str,
    /// One sentence over the list.
    pub about: &'static str,
    /// The list's path after the API's prefix.
    pub api: &'static str,
    /// The schema of its writable fields in the OpenAPI document.
    #[serde(skip)]
    pub schema: &'static str,
    /// The field that stands in the path of one record.
    pub key: &'static str,
    /// The field by which people know it.
    pub named_by: &'static str,
    pub columns: &'static [Column],
    /// Fields that are switched right in the list.
    pub switches: &'static [&'static str],
    pub filters: &'static [Filter],
    /// The API searches by `text` and gives page after page; else the whole list is read and searched in the browser.
    pub is_paged: bool,
    #[serde(skip)]
    pub groups: &'static [FieldGroup],
    pub may: May,
}

/// What may be done with records of a kind.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct May {
    pub create: bool,
    pub change: bool,
    /// `Save as new`. The field that must differ from the original, and what is put behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<Copying>,
    pub delete: bool,
    pub test: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Copying {
    pub field: &'static str,
    /// `<name><mark>`, then `<name><mark><gap>2`.
    pub mark: &'static str,
    pub gap: &'static str,
}

impl May {
    pub const EVERYTHING: Self = Self { create: true, change: true, copy: None, delete: true, test: false };

    pub const fn copied(mut self, field: &'static str, mark: &'static str, gap: &'static str) -> Self {
        self.copy = Some(Copying { field, mark, gap });
        self
    }

    pub const fn tested(mut self) -> Self {
        self.test = true;
        self
    }
}

/// A column of a list.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Column {
    pub field: &'static str,
    pub label: &'static str,
    pub show: Show,
}

/// How a value is written in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Show {
    /// The name, with a link to the record.
    Name,
    Text,
    Faint,
    Code,
    Tags,
    /// A mark where there is something.
    Presence,
    Moment,
    /// Seconds as minutes, hours or days.
    Interval,
    /// Measured by the service, not kept in the record.
    Speed,
    LastHour,
}

pub const fn column(field: &'static str, label: &'static str, show: Show) -> Column {
    Column { field, label, show }
}

/// A parameter of the list by which the API leaves rows out.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Filter {
    pub parameter: &'static str,
    pub label: &'static str,
    pub choices: Choices,
}

/// Where the words come from that may be chosen.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choices {
    /// True or false.
    Flag,
    /// Any word.
    Word,
    These(&'static [&'static str]),
    /// The names of a list of the API.
    Named(&'static str),
}

/// Fields that belong together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FieldGroup {
    pub title: &'static str,
    pub about: &'static str,
    /// Folded away until somebody needs it.
    pub is_folded: bool,
    /// Each connector reads some of these; the rest is put away while it is empty.
    pub is_by_connector: bool,
    #[serde(skip)]
    pub fields: &'static [FieldUse],
}

pub const fn group(title: &'static str, about: &'static str, fields: &'static [FieldUse]) -> FieldGroup {
    FieldGroup { title, about, is_folded: false, is_by_connector: false, fields }
}

impl FieldGroup {
    pub const fn folded(mut self) -> Self {
        self.is_folded = true;
        self
    }

    pub const fn by_connector(mut self) -> Self {
        self.is_by_connector = true;
        self
    }
}

/// A field of a form; what is not said here is read from its schema.
#[derive(Debug, Clone, Copy)]
pub struct FieldUse {
    pub name: &'static str,
    /// What people read; empty: made from the name.
    pub label: &'static str,
    pub control: Option<Control>,
    pub choices: Option<Choices>,
}

/// By what a value is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    Text,
    /// Several lines of text.
    Long,
    /// Several lines that a program reads.
    Code,
    Number,
    Switch,
    Choice,
    Moment,
    /// One entry on each line.
    Lines,
    Json,
    /// Never shown; blank keeps what is stored.
    Secret,
    /// A connector, with what it does.
    Connector,
    /// Words that run in the order in which they stand.
    Ordered,
    /// Any of the choices.
    Picks,
    Interval,
}

pub const fn field(name: &'static str) -> FieldUse {
    FieldUse { name, label: "", control: None, choices: None }
}

impl FieldUse {
    pub const fn called(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }

    pub const fn by(mut self, control: Control) -> Self {
        self.control = Some(control);
        self
    }

    pub const fn of(mut self, choices: Choices) -> Self {
        self.choices = Some(choices);
        self
    }
}
