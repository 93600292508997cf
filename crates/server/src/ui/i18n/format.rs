//! How a language writes numbers, dates and plurals.

use super::placeholders::fill;
use super::plurals::applies;
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `@language` in the file of a language. What is missing there is as in English.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageFormat {
    /// The language's own name for itself.
    pub name: String,
    /// Before the decimal places.
    #[serde(skip_serializing)]
    decimal: String,
    /// Between groups of three digits.
    #[serde(skip_serializing)]
    thousands: String,
    /// The smallest number that is grouped.
    #[serde(skip_serializing)]
    grouped_from: u64,
    /// With `{d}` or `{dd}`; `{m}`, `{mm}` or `{month}`; and `{yyyy}`.
    #[serde(skip_serializing)]
    date: String,
    /// Short names.
    #[serde(skip_serializing)]
    months: [String; 12],
    /// The plural categories except `other`, each with its rule.
    #[serde(skip_serializing)]
    plurals: BTreeMap<String, String>,
}

impl Default for LanguageFormat {
    fn default() -> Self {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"];
        Self {
            name: "English".to_owned(),
            decimal: ".".to_owned(),
            thousands: ",".to_owned(),
            grouped_from: 1_000,
            date: "{d} {month} {yyyy}".to_owned(),
            months: months.map(str::to_owned),
            plurals: BTreeMap::from([("one".to_owned(), "n = 1".to_owned())]),
        }
    }
}

impl LanguageFormat {
    /// A count: `2,318` or `2.318`.
    pub fn number(&self, count: i64) -> String {
        let digits = count.unsigned_abs().to_string();
        let is_grouped = count.unsigned_abs() >= self.grouped_from;
        let mut text = if count < 0 { "-".to_owned() } else { String::new() };
        for (place, digit) in digits.chars().enumerate() {
            if is_grouped && place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push_str(&self.thousands);
            }
            text.push(digit);
        }
        text
    }

    /// A decimal number: `0.97` or `0,97`.
    pub fn decimal(&self, figure: &str) -> String {
        figure.replace('.', &self.decimal)
    }

    /// A day: `2 Mar 2023` or `02.03.2023`.
    pub fn date(&self, day: NaiveDate) -> String {
        let month = self.months.get(day.month0() as usize).cloned().unwrap_or_default();
        let values = [
            ("d", day.day().to_string()),
            ("dd", format!("{:02}", day.day())),
            ("m", day.month().to_string()),
            ("mm", format!("{:02}", day.month())),
            ("month", month),
            ("yyyy", day.year().to_string()),
        ];
        fill(&self.date, &values)
    }

    /// The plural category of a count, such as `one`; None is `other`.
    pub fn plural(&self, count: i64) -> Option<&str> {
        let count = count.unsigned_abs();
        let found = self.plurals.iter().find(|(_, rule)| applies(rule, count) == Some(true));
        found.map(|(category, _)| category.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2023, 3, 2).expect("a day")
    }

    #[test]
    fn english() {
        let english = LanguageFormat::default();
        let table = [(0, "0"), (999, "999"), (1000, "1,000"), (2_318_000, "2,318,000"), (-12_345, "-12,345")];
        for (count, text) in table {
            assert_eq!(english.number(count), text);
        }
        assert_eq!(english.decimal("0.97"), "0.97");
        assert_eq!(english.date(day()), "2 Mar 2023");
        assert_eq!([0, 1, 2, -1].map(|count| english.plural(count)), [None, Some("one"), None, Some("one")]);
    }

    #[test]
    fn forms_are_data() {
        let polish = r#"{"name": "Polski", "decimal": ",", "thousands": " ", "grouped_from": 10000,
            "date": "{dd}.{mm}.{yyyy}", "plurals": {"one": "n = 1", "few": "n % 10 = 2..4 and n % 100 != 12..14",
            "many": "n != 1 and n % 10 = 0..1 or n % 10 = 5..9 or n % 100 = 12..14"}}"#;
        let polish: LanguageFormat = serde_json::from_str(polish).expect("a format");
        assert_eq!([2318, 12_345].map(|count| polish.number(count)), ["2318", "12 345"]);
        assert_eq!(["0.97", "<0.1", "2"].map(|figure| polish.decimal(figure)), ["0,97", "<0,1", "2"]);
        assert_eq!(polish.date(day()), "02.03.2023");
        let categories = [1, 2, 5, 12, 22, 0].map(|count| polish.plural(count).unwrap_or("other"));
        assert_eq!(categories, ["one", "few", "many", "many", "few", "many"]);
    }
}
