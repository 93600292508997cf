//! Kinds of documents, as far as they decide what identifies one: the minutes of another day are other minutes, the
//! handbook of another year is another version.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// Happens on a day: minutes, agendas, invoices.
    Event,
    /// Covers a period or bears a date: reports, plans, memos.
    Report,
    /// Is replaced by its next edition: policies, handbooks, specifications.
    Edition,
    /// Binds its parties: contracts and leases.
    Contract,
    Other,
}

const KINDS: [(DocumentKind, &[&str]); 4] = [
    (
        DocumentKind::Event,
        &[
            "minutes",
            "notes",
            "agenda",
            "invoice",
            "bill",
            "receipt",
            "statement",
            "payslip",
            "timesheet",
            "order",
            "reminder",
            "protokoll",
            "niederschrift",
            "tagesordnung",
            "rechnung",
            "mahnung",
            "quittung",
            "beleg",
            "einladung",
            "facture",
            "reçu",
            "invitation",
            "transcript",
            "acta",
            "factura",
            "verbale",
            "fattura",
        ],
    ),
    (
        DocumentKind::Report,
        &[
            "report",
            "memo",
            "memorandum",
            "newsletter",
            "bulletin",
            "review",
            "results",
            "forecast",
            "budget",
            "roadmap",
            "plan",
            "schedule",
            "log",
            "diary",
            "accounts",
            "menu",
            "bericht",
            "abrechnung",
            "haushalt",
            "rapport",
            "compte",
            "informe",
            "rapporto",
            "relazione",
            "release",
            "changelog",
        ],
    ),
    (
        DocumentKind::Edition,
        &[
            "policy",
            "policies",
            "handbook",
            "manual",
            "guide",
            "guideline",
            "guidelines",
            "procedure",
            "procedures",
            "code",
            "rules",
            "regulations",
            "bylaws",
            "statutes",
            "charter",
            "notice",
            "interface",
            "api",
            "schema",
            "standard",
            "specification",
            "spec",
            "requirements",
            "dictionary",
            "prices",
            "tariff",
            "catalogue",
            "catalog",
            "terms",
            "conditions",
            "faq",
            "richtlinie",
            "leitlinie",
            "handbuch",
            "satzung",
            "leitfaden",
            "anleitung",
            "spezifikation",
            "preisliste",
            "ordnung",
            "hinweise",
            "politique",
            "règlement",
            "guía",
            "manuel",
            "cahier",
            "política",
            "manuale",
        ],
    ),
    (
        DocumentKind::Contract,
        &[
            "contract",
            "agreement",
            "lease",
            "nda",
            "deed",
            "licence",
            "license",
            "sow",
            "vertrag",
            "vereinbarung",
            "contrat",
            "accord",
            "bail",
            "contrato",
            "contratto",
        ],
    ),
];
/// A German compound has at least so many characters, and its last part at least those of `PART_CHARS_MIN`.
const COMPOUND_CHARS_MIN: usize = 9;
const PART_CHARS_MIN: usize = 6;

impl DocumentKind {
    /// By the last word of a name that says a kind: of its head, the words before its first preposition, if it is said there.
    pub fn of(head: &[String], subject: &[String]) -> Self {
        let in_words = |words: &[String]| words.iter().rev().find_map(|word| of_word(word));
        in_words(head).or_else(|| in_words(subject)).unwrap_or(Self::Other)
    }
}

fn of_word(word: &str) -> Option<DocumentKind> {
    let is_compound =
        |part: &str| part.len() >= PART_CHARS_MIN && word.len() >= COMPOUND_CHARS_MIN && word.ends_with(part);
    let says = |part: &&str| *part == word || is_compound(part) || word.strip_suffix('s') == Some(part);
    KINDS.iter().find(|(_, words)| words.iter().any(says)).map(|(kind, _)| *kind)
}
