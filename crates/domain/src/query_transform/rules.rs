//! Rules of a query transform: parsed from CSV once, applied to many queries.
//!
//! A query is changed only where a rule matches; a query without a match stays exactly as it is. Everything is bounded,
//! and the time depends on the length of the query, not on its content.

use super::csv::{LineError, Reader};
use super::limits::{CELL_CHARS_MAX, ERRORS_MAX, OUTPUT_CHARS_MAX, ROWS_MAX};
use super::rewrite::Rewrite;
use super::terms::Terms;
use super::transformed_query::TransformedQuery;
use super::{TransformSpec, TransformType, bag, synonym};
use crate::validation::FieldErrors;
use syntax::error::SyntaxError;

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

impl Rules {
    /// Parses the rules, or reports the error of each line.
    pub fn parse(kind: TransformType, csv: &str) -> Result<Self, Vec<LineError>> {
        let mut rules = Self::empty(kind);
        let mut mistakes = Vec::new();
        for row in Reader::new(csv) {
            let (line, added) = match row {
                Ok(row) if rules.count == ROWS_MAX => {
                    mistakes.push(LineError::new(row.line, format!("At most {ROWS_MAX} rows are allowed.")));
                    break;
                }
                Ok(row) => (row.line, rules.add(kind, &row.cells)),
                Err(mistake) => (mistake.line, Err(mistake.message.into())),
            };
            if let Err(error) = added {
                mistakes.push(LineError::new(line, error));
            }
            if mistakes.len() == ERRORS_MAX {
                break;
            }
        }
        if mistakes.is_empty() { Ok(rules) } else { Err(mistakes) }
    }

    /// Number of rows that are rules.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn apply(&self, query: &str) -> TransformedQuery {
        if query.chars().count() > OUTPUT_CHARS_MAX {
            return TransformedQuery { query: query.to_owned(), is_cut: true };
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

    fn add(&mut self, kind: TransformType, cells: &[String]) -> Result<(), SyntaxError> {
        self.count += 1;
        if cells.iter().any(|cell| cell.chars().count() > CELL_CHARS_MAX) {
            return Err(format!("A cell may have at most {CELL_CHARS_MAX} characters.").into());
        }
        match &mut self.kind {
            Kind::Rewrite(rewrite) => rewrite.add(cells),
            Kind::Terms(terms) if kind == TransformType::Bag => bag::add(terms, cells),
            Kind::Terms(terms) => synonym::add(terms, cells),
        }
    }
}

impl TransformSpec {
    /// The spec as it is stored, or its errors.
    pub fn checked(mut self) -> Result<Self, FieldErrors> {
        self.name = self.name.trim().to_owned();
        self.check_all().into_result(self)
    }

    /// All errors of a transform before it is saved.
    pub fn check_all(&self) -> FieldErrors {
        let mut errors = self.check();
        // Content that is too long is not parsed.
        if errors.iter().all(|(field, _)| field != "config_content")
            && let Err(mistakes) = self.rules()
        {
            errors.merge(mistakes);
        }
        errors
    }

    /// Parses the rules; errors are reported for `config_content`, with their lines.
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
    use crate::query_transform::limits::{PATTERNS_MAX, SYNONYMS_MAX, WORDS_MAX};
    use TransformType::{Bag, Rewrite, Synonym};

    fn mistakes(kind: TransformType, csv: &str) -> Vec<String> {
        Rules::parse(kind, csv).expect_err(csv).iter().map(LineError::to_string).collect()
    }

    #[test]
    fn mistakes_name_their_line() {
        let cases = [
            (Rewrite, "a,b\n*phone,c\n", "line 2: A pattern may not begin with '*'."),
            (Rewrite, "# x\n\n;;,b", "line 3: A pattern is needed."),
            (Rewrite, "a,b\n\"c,d", "line 2: A quote is not closed."),
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
        assert_eq!(mistakes(Synonym, &"a\n".repeat(ERRORS_MAX + 1)).len(), ERRORS_MAX);
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
            assert_eq!(rules.apply(&too_long), TransformedQuery { query: too_long, is_cut: true });
            assert!(!rules.apply("a x a").is_cut);
        }
    }
}
