//! Words of questions, in English, German, French and Spanish.

use crate::facts::Dimension;
use crate::wanted::Wanted;

pub(crate) const HOW: &[&str] = &[
    "how", "wie", "wieviel", "wieviele", "combien", "comment", "cómo", "cuánto", "cuánta", "cuántos",
    "cuántas",
];
pub(crate) const MANY: &[&str] = &[
    "many", "much", "viel", "viele", "vielen", "wieviel", "wieviele", "combien", "cuánto", "cuánta",
    "cuántos", "cuántas",
];
pub(crate) const STATES: &[&str] =
    &["is", "are", "was", "were", "about", "ist", "sind", "war", "waren", "est", "sont", "está", "están"];
pub(crate) const DID: &[&str] = &["do", "does", "did", "has", "have", "had"];
pub(crate) const WHY: &[&str] = &["why", "warum", "wieso", "weshalb", "weswegen", "pourquoi"];
pub(crate) const WHAT: &[&str] = &[
    "what", "what's", "which", "was", "welche", "welcher", "welches", "welchen", "welchem", "quel", "quelle",
    "quels", "quelles", "qué", "cuál", "que",
];
pub(crate) const CAUSE_WORDS: &[&str] = &[
    "cause", "caused", "causes", "reason", "reasons", "why", "wrong", "ursache", "grund", "cause", "causa",
    "raison", "went",
];
pub(crate) const DURATION_VERBS: &[&str] = &[
    "last", "lasts", "take", "takes", "need", "dauert", "dauern", "hält", "halten", "braucht", "dure",
    "durent", "dura", "duran",
];
pub(crate) const WHEN: &[&str] = &["when", "wann", "quand", "cuándo"];
pub(crate) const WHO: &[&str] =
    &["who", "whom", "whose", "wer", "wem", "wen", "wessen", "qui", "quién", "quiénes"];
pub(crate) const WHERE: &[&str] = &["where", "wo", "woher", "wohin", "où", "dónde"];
pub(crate) const YEAR_WORDS: &[&str] =
    &["year", "date", "day", "month", "jahr", "datum", "tag", "monat", "année", "año", "fecha"];
pub(crate) const COST_WORDS: &[&str] = &[
    "cost", "costs", "pay", "paid", "price", "spend", "spent", "charge", "charged", "fee", "kostet",
    "kosten", "bezahlen", "zahlen", "zahlt", "coûte", "coûtent", "cuesta", "cuestan",
];
pub(crate) const DEFINITION_WORDS: &[&str] =
    &["mean", "means", "meaning", "define", "definition", "bedeutet", "bedeuten", "definiere", "significa"];
pub(crate) const WRITING: &[&str] = &[
    "wrote",
    "written",
    "author",
    "authored",
    "writer",
    "geschrieben",
    "verfasst",
    "schrieb",
    "autor",
    "autorin",
    "verfasser",
    "écrit",
    "auteur",
    "rédigé",
    "escribió",
    "escrito",
];
pub(crate) const PUBLISHING: &[&str] = &[
    "published",
    "written",
    "publication",
    "issued",
    "posted",
    "dated",
    "updated",
    "date",
    "veröffentlicht",
    "erschienen",
    "geschrieben",
    "datum",
    "publié",
    "publicado",
];
pub(crate) const DOCUMENT_WORDS: &[&str] = &[
    "wrote",
    "written",
    "write",
    "author",
    "authored",
    "writer",
    "published",
    "publication",
    "issued",
    "posted",
    "dated",
    "updated",
    "date",
    "report",
    "article",
    "document",
    "study",
    "paper",
    "page",
    "text",
    "post",
    "story",
    "book",
    "geschrieben",
    "verfasst",
    "schrieb",
    "autor",
    "autorin",
    "verfasser",
    "veröffentlicht",
    "erschienen",
    "datum",
    "bericht",
    "artikel",
    "dokument",
    "écrit",
    "auteur",
    "rédigé",
    "publié",
    "rapport",
    "escribió",
    "escrito",
    "publicado",
    "informe",
];
pub(crate) const PEOPLE: &[&str] = &[
    "people",
    "persons",
    "person",
    "employees",
    "staff",
    "men",
    "women",
    "visitors",
    "inhabitants",
    "members",
    "colleagues",
    "workers",
    "personen",
    "menschen",
    "mitarbeiter",
    "einwohner",
    "einwohnern",
    "leute",
    "personnes",
    "personas",
];
pub(crate) const FUTURE: &[&str] =
    &["will", "next", "shall", "upcoming", "nächste", "nächster", "nächstes", "wird", "prochain", "próximo"];
/// Words that name a limit: an answer says "at least" or "up to".
pub(crate) const LIMITS: &[&str] =
    &["minimum", "maximum", "minimal", "maximal", "least", "most", "largest", "smallest", "highest"];
/// What measures one of several lengths of a thing: an answer has to name it.
pub(crate) const SHAPES: &[&str] =
    &["diameter", "width", "depth", "durchmesser", "breite", "tiefe", "radius"];

pub(crate) const LENGTH: &[Dimension] = &[Dimension::Length];
pub(crate) const LEVEL: &[Dimension] = &[
    Dimension::Length,
    Dimension::Euro,
    Dimension::Pound,
    Dimension::Dollar,
    Dimension::Franc,
    Dimension::Krone,
    Dimension::Percent,
    Dimension::Temperature,
];
pub(crate) const HOW_MUCH: &[(Wanted, &str)] = &[
    (Wanted::Duration, "long lange lang longtemps"),
    (Wanted::Frequency, "often frequently oft häufig souvent"),
    (Wanted::Money, "expensive cheap teuer billig"),
    (Wanted::Number(LENGTH), "tall deep wide far narrow shallow tief weit breit groß schmal flach"),
    (Wanted::Number(LEVEL), "high low hoch niedrig"),
    (Wanted::Number(&[Dimension::Mass]), "heavy schwer"),
    (
        Wanted::Number(&[]),
        "large big small fast slow strong thick thin steep loud noisy bright powerful schnell langsam stark dick dünn \
         klein steil laut hell",
    ),
    (Wanted::Age, "old alt"),
    (Wanted::Number(&[Dimension::Temperature]), "hot cold warm heiß kalt"),
    (Wanted::Date, "late early soon spät früh"),
];
pub(crate) const MEASURES: &[(Wanted, &str)] = &[
    (
        Wanted::Number(LENGTH),
        "height altitude höhe diameter width depth durchmesser breite tiefe radius distance entfernung",
    ),
    (
        Wanted::Number(&[]),
        "length länge size größe number anzahl amount betrag speed population capacity limit minimum maximum",
    ),
    (Wanted::Number(&[Dimension::Mass]), "weight gewicht"),
    (Wanted::Number(&[Dimension::Temperature]), "temperature temperatur température temperatura"),
    (
        Wanted::Number(&[Dimension::Percent]),
        "percentage share rate interest anteil prozentsatz zinssatz taux",
    ),
    (
        Wanted::Money,
        "price cost costs fee rent salary budget preis kosten gebühr miete gehalt prix loyer precio",
    ),
    (Wanted::Duration, "duration period dauer frist durée"),
    (Wanted::Age, "age alter"),
    (Wanted::Date, "deadline"),
    (Wanted::Date, "time"),
];
