//! How a kind of records is declared: its list, its form, and what may be done with it.

use serde::Serialize;

/// An admin resource.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Resource {
    pub slug: &'static str,
    /// One record, as in "New group".
    pub singular: &'static str,
    /// Description above the list.
    pub about: &'static str,
    /// The path of the list, after the API prefix.
    pub api: &'static str,
    /// The schema of its writable fields in the OpenAPI document.
    #[serde(skip)]
    pub schema: &'static str,
    /// The field in the path of a record.
    pub key: &'static str,
    /// The field that is shown as its name.
    pub named_by: &'static str,
    pub columns: &'static [Column],
    /// Fields with a switch in the list.
    pub switches: &'static [&'static str],
    pub filters: &'static [Filter],
    /// Whether the API searches by `text` and paginates; otherwise the whole list is searched in the browser.
    pub is_paged: bool,
    #[serde(skip)]
    pub groups: &'static [FieldGroup],
    pub permissions: Permissions,
}

/// What the console offers for records of a resource.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Permissions {
    pub create: bool,
    pub change: bool,
    /// "Save as new": how the copy is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyRule>,
    pub delete: bool,
    pub test: bool,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct CopyRule {
    pub field: &'static str,
    /// `<name><mark>`, then `<name><mark><gap>2`.
    pub mark: &'static str,
    pub gap: &'static str,
}

impl Permissions {
    pub const EVERYTHING: Self = Self { create: true, change: true, copy: None, delete: true, test: false };

    pub const fn with_copy(mut self, field: &'static str, mark: &'static str, gap: &'static str) -> Self {
        self.copy = Some(CopyRule { field, mark, gap });
        self
    }

    pub const fn with_test(mut self) -> Self {
        self.test = true;
        self
    }
}

/// A column of a list.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Column {
    pub field: &'static str,
    pub label: &'static str,
    pub format: CellFormat,
}

/// How a value is displayed in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CellFormat {
    /// The name, with a link to the record.
    Name,
    Text,
    Faint,
    Code,
    Tags,
    /// Names of processors, as words.
    Processors,
    /// Yes or no.
    Presence,
    Moment,
    /// Seconds as minutes, hours or days.
    Interval,
    /// Measured at run time, not part of the record.
    Speed,
    LastHour,
    /// Counted by the page, not part of the record.
    Count,
}

pub const fn column(field: &'static str, label: &'static str, format: CellFormat) -> Column {
    Column { field, label, format }
}

/// A filter parameter of the list.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Filter {
    pub parameter: &'static str,
    pub label: &'static str,
    pub choices: Choices,
}

/// The values to choose from.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choices {
    /// True or false.
    Flag,
    /// Any text.
    Word,
    These(&'static [&'static str]),
    /// The names of the records of an API list.
    Named(&'static str),
}

/// Fields that belong together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FieldGroup {
    pub title: &'static str,
    pub about: &'static str,
    /// Collapsed by default.
    pub is_folded: bool,
    /// Fields that the connector does not use are hidden while they are empty.
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

/// A field of a form; unset values come from the schema.
#[derive(Debug, Clone, Copy)]
pub struct FieldUse {
    pub name: &'static str,
    /// Empty: derived from the name.
    pub label: &'static str,
    /// Empty: the description in the schema, which is written for programs.
    pub help: &'static str,
    pub control: Option<Control>,
    pub choices: Option<Choices>,
    /// Collapsed inside its group, because the page has another way to edit it.
    pub is_expert: bool,
}

/// The input control of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Control {
    Text,
    /// Several lines of text.
    Long,
    /// Several lines of code.
    Code,
    Number,
    Switch,
    Choice,
    Moment,
    /// One entry on each line.
    Lines,
    Json,
    /// Never shown; blank keeps the stored value.
    Secret,
    /// A connector, with its description.
    Connector,
    /// Names in a fixed order.
    Ordered,
    /// Any of the choices.
    Picks,
    Interval,
}

pub const fn field(name: &'static str) -> FieldUse {
    FieldUse { name, label: "", help: "", control: None, choices: None, is_expert: false }
}

impl FieldUse {
    pub const fn labeled(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }

    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    pub const fn expert(mut self) -> Self {
        self.is_expert = true;
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
