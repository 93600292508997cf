//! What identifies a document, as opposed to its version: dates, numbers, parties, and the other words of its title.

use super::text_profile::TextProfile;
use crate::names::{DateMark, DocumentKind, Name, file_of};

/// Documents that belong to another one and repeat its title.
const PARTS: [&str; 16] = [
    "amendment",
    "addendum",
    "annex",
    "appendix",
    "attachment",
    "exhibit",
    "supplement",
    "schedule",
    "summary",
    "translation",
    "template",
    "nachtrag",
    "anlage",
    "anhang",
    "avenant",
    "annexe",
];
/// Titles of such words say nothing, with or without a number: `scan0012`.
const EMPTY_TITLES: [&str; 14] = [
    "scan",
    "img",
    "image",
    "document",
    "doc",
    "dokument",
    "file",
    "datei",
    "untitled",
    "unbenannt",
    "unnamed",
    "new",
    "page",
    "index",
];
/// Words before the number of the document itself, not of its subject.
const NUMBERED_DOCUMENTS: [&str; 5] = ["invoice", "rechnung", "facture", "order", "ticket"];
/// For texts that repeat a title, such as that of a form, this share of the title's words is enough.
const SHARED_MIN: f64 = 0.5;

#[derive(Debug, Clone)]
pub struct Identity<'a> {
    kind: DocumentKind,
    title: Name,
    file: Name,
    text: &'a TextProfile,
}

/// How far two names agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// They share words, numbers or dates, and each has words that the other lacks.
    Apart,
    /// They share nothing, or too little.
    None,
    /// One title contains the words of the other.
    Contained,
    Equal,
}

impl<'a> Identity<'a> {
    pub fn of(title: &str, url: &str, text: &'a TextProfile) -> Self {
        let file = Name::of(&file_of(url));
        let title = if title.trim().is_empty() { file.clone() } else { Name::of(title) };
        let title =
            if is_empty(&title) { Name { subject: Vec::new(), numbers: Vec::new(), ..title } } else { title };
        let of_text =
            || Name { subject: text.beginning.clone(), head: text.beginning.clone(), ..Name::default() };
        let kind = [title.kind(), file.kind()].into_iter();
        let kind = kind.chain([of_text().kind()]).find(|kind| *kind != DocumentKind::Other);
        Self { kind: kind.unwrap_or(DocumentKind::Other), title, file, text }
    }

    /// Their names carry different marks: another stage, number, date or copy.
    pub fn has_other_marks(&self, other: &Self) -> bool {
        let differs = |one: &Name, other: &Name| {
            one.marks != other.marks || one.dates != other.dates || one.draft_dates != other.draft_dates
        };
        differs(&self.title, &other.title) || differs(&self.file, &other.file)
    }

    /// Something says that they are different documents, however similar their texts are.
    pub fn disagrees(&self, other: &Self) -> bool {
        let numbers_agree = self.shares_number(other);
        self.numbers_disagree(other)
            || (!numbers_agree && self.dates_disagree(other))
            || self.words_disagree(other)
            || (!numbers_agree && self.parties_disagree(other))
    }

    pub fn agreement(&self, other: &Self) -> Agreement {
        let (left, right) = (&self.title.subject, &other.title.subject);
        let shared = left.iter().filter(|word| right.contains(word)).count();
        let most = left.len().max(right.len());
        let shares_more = || {
            let dates = &other.title.dates;
            self.title.numbers.iter().any(|number| other.title.numbers.contains(number))
                || self.title.dates.iter().any(|date| dates.contains(date))
        };
        if shared == 0 && !(most > 0 && shares_more()) {
            Agreement::None
        } else if shared < left.len() && shared < right.len() {
            Agreement::Apart
        } else if shared == most && self.title.numbers == other.title.numbers {
            Agreement::Equal
        } else if shared as f64 >= SHARED_MIN * most as f64 {
            Agreement::Contained
        } else {
            Agreement::None
        }
    }

    /// Two documents do not agree so far by chance: their titles have several words, or their names the same date.
    pub fn is_specific(&self, other: &Self) -> bool {
        let has_words = |one: &Self| one.title.subject.len() + one.title.numbers.len() > 1;
        let others = other.name_dates();
        (has_words(self) && has_words(other))
            || self.name_dates().iter().any(|date| !date.is_year() && others.contains(date))
    }

    /// The same number of a document: a corrected invoice may bear another date.
    fn shares_number(&self, other: &Self) -> bool {
        let is_own = |label: &str| NUMBERED_DOCUMENTS.contains(&label);
        self.text.numbers.iter().any(|number| is_own(number.0) && other.text.numbers.contains(number))
    }

    fn numbers_disagree(&self, other: &Self) -> bool {
        let (left, right) = (&self.title.numbers, &other.title.numbers);
        let in_titles = left.iter().any(|number| !right.contains(number))
            && right.iter().any(|number| !left.contains(number));
        let in_texts = self.text.numbers.iter().any(|(label, number)| {
            other.text.numbers.iter().any(|(others, another)| label == others && number != another)
        });
        in_titles || in_texts
    }

    fn dates_disagree(&self, other: &Self) -> bool {
        if self.kind == DocumentKind::Edition && other.kind == DocumentKind::Edition {
            return false;
        }
        let (left, right) = (self.name_dates(), other.name_dates());
        if !left.is_empty() && !right.is_empty() {
            let agree = |one: &DateMark| right.iter().find(|other| !one.disagrees(other));
            match left.iter().find_map(|one| Some((one, agree(one)?))) {
                None => return true,
                // Such a date says enough; the text may begin with the day on which it was approved.
                Some((one, other)) if !one.is_year() && !other.is_year() => return false,
                Some(_) => {}
            }
        }
        self.first_date().zip(other.first_date()).is_some_and(|(one, other)| one.disagrees(&other))
    }

    /// Whether the first dates of the texts differ, which is no more than a hint.
    pub fn has_other_dates(&self, other: &Self) -> bool {
        let is_edition = self.kind == DocumentKind::Edition && other.kind == DocumentKind::Edition;
        let dates = self.text.dates.first().zip(other.text.dates.first());
        !is_edition && dates.is_some_and(|(one, other)| one.disagrees(other))
    }

    /// The dates in its names that identify it. A file is often named after the day on which it was saved: such a day
    /// counts if the text names it as well.
    fn name_dates(&self) -> Vec<DateMark> {
        let is_dated = matches!(self.kind, DocumentKind::Event | DocumentKind::Report);
        let is_in_text = |date: &&DateMark| self.text.dates.iter().any(|known| known.covers(date));
        let drafts = self.title.draft_dates.iter().chain(&self.file.draft_dates).filter(|_| is_dated);
        let in_title = self.title.dates.iter().filter(|date| {
            is_dated || self.kind == DocumentKind::Other || !date.is_day() || is_in_text(date)
        });
        let in_file = self.file.dates.iter().filter(|date| is_dated || is_in_text(date));
        drafts.chain(in_title).chain(in_file).copied().collect()
    }

    /// The day of an event, or the period of a report, at the beginning of the text.
    fn first_date(&self) -> Option<DateMark> {
        let dates = &self.text.dates;
        match self.kind {
            DocumentKind::Event => dates.first().copied(),
            DocumentKind::Report => dates.iter().find(|date| !date.is_day()).copied(),
            _ => None,
        }
    }

    /// One belongs to the other as its amendment does, or a word that only one title has is in its text alone.
    fn words_disagree(&self, other: &Self) -> bool {
        let (left, right) = (only_in(self, other), only_in(other, self));
        let is_part = |words: &[&str]| words.iter().any(|word| PARTS.contains(word));
        let tells_apart = |words: &[&str], own: &Self, others: &Self| {
            words.iter().any(|word| own.text.says(word) && !others.text.says(word))
        };
        is_part(&left)
            || is_part(&right)
            || (!left.is_empty()
                && !right.is_empty()
                && (tells_apart(&left, self, other) || tells_apart(&right, other, self)))
    }

    /// Each begins with a name that is not in the other text. Editions name the people of their time.
    fn parties_disagree(&self, other: &Self) -> bool {
        if self.kind == DocumentKind::Edition {
            return false;
        }
        let has_own = |one: &Self, other: &Self| one.text.names.iter().any(|name| !other.text.says(name));
        has_own(self, other) && has_own(other, self)
    }
}

fn only_in<'b>(one: &'b Identity<'_>, other: &Identity<'_>) -> Vec<&'b str> {
    let words = one.title.subject.iter().filter(|word| !other.title.subject.contains(word));
    words.map(String::as_str).collect()
}

fn is_empty(title: &Name) -> bool {
    let is_nothing =
        |word: &String| EMPTY_TITLES.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let mut words = title
        .subject
        .iter()
        .chain(title.numbers.iter().filter(|number| number.starts_with(|c: char| c.is_alphabetic())));
    words.all(is_nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEANING: &str =
        "Brightway cleans the offices of Marlow Dental Practice twenty times a month for 770 pounds.";

    /// Whether documents with these titles and texts are different ones.
    fn disagree(one: (&str, &str), other: (&str, &str)) -> bool {
        let texts = [one.1, other.1].map(|text| TextProfile::of(text, "en"));
        let of = |title: &str, text| {
            let (title, url) = title.split_once(" @ ").unwrap_or((title, "x"));
            Identity::of(title, &format!("https://a.example/{url}"), text)
        };
        let (left, right) = (of(one.0, &texts[0]), of(other.0, &texts[1]));
        assert_eq!(left.disagrees(&right), right.disagrees(&left), "{one:?} {other:?}");
        left.disagrees(&right)
    }

    #[test]
    fn titles_identify() {
        let table = [
            ("Invoice March 2025", "Invoice May 2025", true),
            ("Invoice March 2025 draft", "Invoice March 2025 final", false),
            ("Invoice 1041", "Invoice 1042", true),
            ("Invoice 1041", "Invoice 1041 corrected", false),
            ("Invoice 1041", "Invoice", false),
            ("Safety policy 2021", "Safety policy 2023", false),
            ("Safety policy 2021", "Safety policy (current)", false),
            ("Annual report 2021", "Annual report 2022", true),
            ("Staff Handbook 2023-24", "Staff Handbook 2024-25", false),
            ("Minutes 12 March 2025 draft", "Minutes 2025-03-12 signed", false),
            ("Minutes 12 March 2025", "Minutes 9 April 2025", true),
            ("Sales report week 21", "Sales report week 22", true),
            ("Roadmap 2025 H1", "Roadmap 2025 H2", true),
            ("Plan draft of 12 March", "Plan draft of 2 April", true),
            ("Lease draft of 12 March", "Lease draft of 2 April", false),
            ("Lease @ lease-2025-01-10.docx", "Lease @ lease-2025-02-03.docx", false),
            ("Minutes @ minutes-2025-01-10.docx", "Minutes @ minutes-2025-02-03.docx", true),
            ("Handbook of the HX-200", "Handbook of the HX-300", true),
            ("Part II", "Part III", true),
            ("Lease", "Amendment to the lease", true),
            ("Specification v9", "Specification v10", false),
            ("Phone Policy 1.1", "Phone Policy 2.0", false),
            ("Export Interface 3.0-rc1", "Export Interface 3.0", false),
            ("Release notes 7.2", "Release notes 7.3", true),
            ("Lease draft 1", "Lease draft 2", false),
            ("Requirements rev A", "Requirements rev B", false),
            ("scan0012.pdf", "scan0013.pdf", false),
            ("", "", false),
        ];
        for (one, other, expected) in table {
            assert_eq!(disagree((one, CLEANING), (other, CLEANING)), expected, "{one} {other}");
        }
    }

    #[test]
    fn texts_identify() {
        let lease = |who: &str| format!("This lease is granted by Calder Estates to {who} for five years.");
        let table = [
            // A word of the title tells documents apart if it is in one text only.
            (
                "Policy for Leeds",
                "The site at Leeds has wardens.",
                "Policy for Hull",
                "The site has wardens.",
                true,
            ),
            (
                "Policy for review",
                "The site has wardens.",
                "Policy after review",
                "The site has wardens.",
                false,
            ),
            ("Lease", &lease("Mr Tolland"), "Lease", &lease("Dr Abara"), true),
            ("Lease", &lease("Mr Tolland"), "Lease", &lease("Mr Tolland and Mrs Tolland"), false),
            ("Bill", "Invoice No. 4711 of May", "Bill", "Invoice No. 4712 of May", true),
            (
                "Bill",
                "Period 1 April to 30 April. Meter 88.",
                "Bill",
                "Period 1 May to 31 May. Meter 88.",
                true,
            ),
            ("Report", "Month: May 2025. All is well.", "Report", "Month: June 2025. All is well.", true),
            (
                "Report",
                "Printed on 3 May 2025. All is well.",
                "Report",
                "Printed on 4 June 2025. All is well.",
                false,
            ),
            (
                "Handbook",
                "Ask Anna Falk. Since 3 May 2024.",
                "Handbook",
                "Ask Ben Reyes. Since 4 June 2025.",
                false,
            ),
        ];
        for (one, left, other, right, expected) in table {
            assert_eq!(disagree((one, left), (other, right)), expected, "{one} {left}");
        }
    }
}
