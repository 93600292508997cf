//! The rules of a Query Transform: read from CSV once, applied to many queries.
//!
//! A query is only changed where a rule matches; a query that no rule matches stays as it is, to the space.
//! Everything is bounded, and the time grows with the length of the query, not with its nature.

use super::csv::Reader;
use super::rewrite::Rewrite;
use super::terms::Terms;
use super::{TransformSpec, TransformType, bag, synonym};
use crate::validation::FieldErrors;

/// Most rows that are rules.
pub const ROWS_MAX: usize = 10_000;
/// Longest cell, in characters.
pub const CELL_CHARS_MAX: usize = 1024;
/// Most words in one pattern or term.
pub const WORDS_MAX: usize = 20;
/// Most synonyms of one term.
pub const SYNONYMS_MAX: usize = 100;
/// Most patterns in all rows of a rewrite.
pub const PATTERNS_MAX: usize = 20_000;
/// Most replacements that a rewrite makes in one query, over all of its rows.
pub const REPLACEMENTS_MAX: usize = 10_000;
/// Most mistakes that are listed.
pub const MISTAKES_MAX: usize = 50;
/// Longest query that a transform makes, in characters. What would make it longer is not applied.
pub const OUTPUT_CHARS_MAX: usize = 8192;

/// What is wrong with one line of the CSV.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = QueryTransformMistake)]
pub struct LineMistake {
    /// Counted from 1.
    #[schema(example = 3)]
    pub line: usize,
    /// A sentence for people.
    #[schema(example = "A pattern may not begin with '*'.")]
    pub message: String,
}

impl LineMistake {
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl std::fmt::Display for LineMistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// The rules of one transform.
#[derive(Debug)]
pub struct Rules {
    kind: Kind,
    count: usize,
}

#[derive(Debug)]
enum Kind {
    Rewrite(Rewrite),
    Terms(Terms),
}

/// What became of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub query: String,
    /// A limit was reached ([`OUTPUT_CHARS_MAX`] or the number of replacements); the rest of the rules was left out.
    pub is_cut: bool,
}

impl Rules {
    /// Reads the rules, or says for each line what is wrong with it.
    pub fn parse(kind: TransformType, csv: &str) -> Result<Self, Vec<LineMistake>> {
        let mut rules = Self::empty(kind);
        let mut mistakes = Vec::new();
        for row in Reader::new(csv) {
            let (line, added) = match row {
                Ok(row) if rules.count == ROWS_MAX => {
                    mistakes
                        .push(LineMistake::new(row.line, format!("At most {ROWS_MAX} rows are allowed.")));
                    break;
                }
                Ok(row) => (row.line, rules.add(kind, &row.cells)),
                Err(mistake) => (mistake.line, Err(mistake.message)),
            };
            if let Err(message) = added {
                mistakes.push(LineMistake::new(line, message));
            }
            if mistakes.len() == MISTAKES_MAX {
                break;
            }
        }
        if mistakes.is_empty() { Ok(rules) } else { Err(mistakes) }
    }

    /// How many rows are rules.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn apply(&self, query: &str) -> Applied {
        if query.chars().count() > OUTPUT_CHARS_MAX {
            return Applied { query: query.to_owned(), is_cut: true };
        }
        match &self.kind {
            Kind::Rewrite(rewrite) => rewrite.apply(query),
            Kind::Terms(terms) => terms.apply(query),
        }
    }

    fn empty(kind: TransformType) -> Self {
        let kind = match kind {
            TransformType::Rewrite => Kind::Rewrite(Rewrite::default()),
            TransformType::Synonym | TransformType::Bag => Kind::Terms(Terms::default()),
        };
        Self { kind, count: 0 }
    }

    fn add(&mut self, kind: TransformType, cells: &[String]) -> Result<(), String> {
        self.count += 1;
        if cells.iter().any(|cell| cell.chars().count() > CELL_CHARS_MAX) {
            return Err(format!("A cell may have at most {CELL_CHARS_MAX} characters."));
        }
        match &mut self.kind {
            Kind::Rewrite(rewrite) => rewrite.add(cells),
            Kind::Terms(terms) if kind == TransformType::Bag => bag::add(terms, cells),
            Kind::Terms(terms) => synonym::add(terms, cells),
        }
    }
}

impl TransformSpec {
    /// The spec as it is kept, if nothing is wrong with it.
    pub fn checked(mut self) -> Result<Self, FieldErrors> {
        self.name = self.name.trim().to_owned();
        self.check_all().into_result(self)
    }

    /// Everything that can be wrong with a transform before it is saved.
    pub fn check_all(&self) -> FieldErrors {
        let mut errors = self.check();
        // What is too long is not read.
        if errors.iter().all(|(field, _)| field != "config_content")
            && let Err(mistakes) = self.rules()
        {
            errors.merge(mistakes);
        }
        errors
    }

    /// Reads the rules; mistakes stand under `config_content` with their lines.
    pub fn rules(&self) -> Result<Rules, FieldErrors> {
        let mut errors = FieldErrors::default();
        match Rules::parse(self.qrx_type, &self.config_content) {
            Ok(rules) if rules.count() > 0 => return Ok(rules),
            Ok(_empty) => errors.add("config_content", "At least one rule is needed."),
            Err(mistakes) => {
                for mistake in mistakes {
                    errors.add("config_content", mistake.to_string());
                }
            }
        }
        Err(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransformType::{Bag, Rewrite, Synonym};

    fn mistakes(kind: TransformType, csv: &str) -> Vec<String> {
        Rules::parse(kind, csv).expect_err(csv).iter().map(LineMistake::to_string).collect()
    }

    #[test]
    fn mistakes_name_their_line() {
        let cases = [
            (Rewrite, "a,b\n*phone,c\n", "line 2: A pattern may not begin with '*'."),
            (Rewrite, "# x\n\n;;,b", "line 3: A pattern is needed."),
            (Rewrite, "a,b\n\"c,d", "line 2: A quote is opened and never closed."),
            (Synonym, "a,b\nc", "line 2: A term and a synonym are needed."),
            (Synonym, "a, ", "line 1: A term and a synonym are needed."),
        ];
        for (kind, csv, expected) in cases {
            assert_eq!(mistakes(kind, csv), [expected], "{csv}");
        }
        assert_eq!(mistakes(Synonym, "a\nb,c\nd").len(), 2, "all are told at once");
    }

    #[test]
    fn every_limit_is_reached() {
        let rows = |count: usize| (0..count).map(|n| format!("w{n},x\n")).collect::<String>();
        assert_eq!(Rules::parse(Synonym, &rows(ROWS_MAX)).expect("fits").count(), ROWS_MAX);
        let last = ROWS_MAX + 1;
        assert_eq!(
            mistakes(Synonym, &rows(last)),
            [format!("line {last}: At most {ROWS_MAX} rows are allowed.")]
        );
        let comments = "# nothing\n".repeat(ROWS_MAX + 1);
        assert_eq!(Rules::parse(Bag, &(comments + "a,b")).expect("no rows").count(), 1);

        let fits = [
            (Synonym, format!("{},b", "a".repeat(CELL_CHARS_MAX))),
            (Synonym, format!("{},b", "a ".repeat(WORDS_MAX))),
            (Rewrite, format!("{},b", "a ".repeat(WORDS_MAX))),
            (Bag, format!("a{}", ",b".repeat(5000))),
            (Bag, (0..=SYNONYMS_MAX).map(|n| format!("m{n}")).collect::<Vec<_>>().join(",")),
            (Synonym, (0..SYNONYMS_MAX).map(|n| format!("a,s{n}\n")).collect()),
            (Rewrite, format!("{}\n", "a;".repeat(500)).repeat(PATTERNS_MAX / 500)),
        ];
        for (kind, csv) in fits {
            assert!(Rules::parse(kind, &csv).is_ok(), "{kind:?} {}", &csv[..20]);
        }
        let exceeds = [
            (Synonym, format!("{},b", "a".repeat(CELL_CHARS_MAX + 1))),
            (Synonym, format!("{}a,b", "a ".repeat(WORDS_MAX))),
            (Rewrite, format!("{}a,b", "a ".repeat(WORDS_MAX))),
            (Bag, format!("x,{}a", "a ".repeat(WORDS_MAX))),
            (Bag, (0..SYNONYMS_MAX + 2).map(|n| format!("m{n}")).collect::<Vec<_>>().join(",")),
            (Synonym, (0..=SYNONYMS_MAX).map(|n| format!("a,s{n}\n")).collect()),
            (Rewrite, format!("{}\n", "a;".repeat(500)).repeat(PATTERNS_MAX / 500) + "b"),
        ];
        for (kind, csv) in exceeds {
            assert_eq!(mistakes(kind, &csv).len(), 1, "{kind:?} {}", &csv[..20]);
        }
        assert_eq!(mistakes(Synonym, &"a\n".repeat(MISTAKES_MAX + 1)).len(), MISTAKES_MAX);
    }

    #[test]
    fn a_spec_needs_a_rule() {
        let spec = |content: &str| TransformSpec { config_content: content.into(), ..Default::default() };
        let errors = spec("# nothing\n").rules().expect_err("no rule");
        assert_eq!(errors.to_string(), "config_content: At least one rule is needed.");
        let errors = spec("a,b\n*,c").rules().expect_err("a mistake");
        assert!(errors.to_string().starts_with("config_content: line 2: "), "{errors}");
        assert_eq!(spec("a,b\nc").rules().expect("two rules").count(), 2);
    }

    #[test]
    fn queries_stay_bounded() {
        let word_to = |text: &str| format!("a,{text}");
        let long = "b".repeat(CELL_CHARS_MAX);
        for kind in TransformType::ALL {
            let rules = Rules::parse(kind, &word_to(&long)).expect("rules");
            let applied = rules.apply(&"a ".repeat(1000));
            assert!(applied.is_cut, "{kind:?}");
            assert!(applied.query.chars().count() <= OUTPUT_CHARS_MAX, "{kind:?}");
            let too_long = "a ".repeat(OUTPUT_CHARS_MAX);
            assert_eq!(rules.apply(&too_long), Applied { query: too_long, is_cut: true });
            assert!(!rules.apply("a x a").is_cut);
        }
    }
}
