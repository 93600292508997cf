//! Word lists of the comparison, in English, German and French.

/// Words that say nothing about what a value is of.
pub(super) const NEUTRAL: &[&str] = &[
    "get",
    "gets",
    "got",
    "receive",
    "receives",
    "received",
    "give",
    "gives",
    "given",
    "provide",
    "provides",
    "provided",
    "offer",
    "offers",
    "offered",
    "include",
    "includes",
    "amount",
    "amounts",
    "set",
    "come",
    "comes",
    "must",
    "may",
    "shall",
    "currently",
    "usually",
    "normally",
    "generally",
    "officially",
    "exactly",
    "approximately",
    "roughly",
    "around",
    "end",
    "fact",
    "per",
    "within",
    "haben",
    "hat",
    "bekommen",
    "bekommt",
    "erhalten",
    "erhält",
    "beträgt",
    "betragen",
    "muss",
    "müssen",
    "darf",
    "dürfen",
    "derzeit",
    "etwa",
    "rund",
    "pro",
    "ont",
    "environ",
    "doit",
    "doivent",
];

/// Words that mean the same, by the name of their group.
pub(super) const GROUPS: &[(&str, &str)] = &[
    (
        COST,
        "cost costs price prices fee fees charge charges charged pay pays paid kostet kosten preis gebühr \
         zahlt zahlen coûte coûtent coûter prix",
    ),
    (
        DURATION,
        "take takes took taken last lasts lasted need needs wait waits dauert dauern dauerte braucht dure \
         durent",
    ),
    (WEIGHT, "weigh weighs weighed weight wiegt wiegen gewicht pèse"),
    (CAPACITY, "hold holds contain contains capacity fasst enthält contient"),
    ("=keep", "keep keeps kept store stores stored retain retains retained aufbewahrt gespeichert conservé"),
    ("=begin", "begin begins began start starts started beginnt begann startet commence commencé"),
    ("=build", "build builds built construct constructed erected gebaut errichtet construit"),
    ("=found", "founded established gegründet fondé fondée"),
    ("=work", "work works worked employ employs employed arbeiten arbeitet beschäftigt travaillent emploie"),
    ("=answer", "answer answers answered reply replies replied respond responds response antwortet antwort"),
];
/// The groups that the unit of a value implies.
pub(super) const COST: &str = "=cost";
pub(super) const DURATION: &str = "=last";
pub(super) const WEIGHT: &str = "=weigh";
pub(super) const CAPACITY: &str = "=hold";

/// What follows a measure and only names it: `84 metres tall`.
pub(super) const MEASURED: &[&str] =
    &["long", "tall", "high", "old", "lang", "hoch", "alt", "schwer", "heavy", "uhr", "am", "pm"];

/// Words of titles that say what kind of document it is.
pub(super) const DOCUMENT_KINDS: &[&str] = &[
    "source",
    "document",
    "page",
    "policy",
    "policies",
    "handbook",
    "guide",
    "manual",
    "faq",
    "wiki",
    "notes",
    "note",
    "thread",
    "post",
    "article",
    "overview",
    "announcement",
    "update",
    "readme",
    "runbook",
    "data",
    "sheet",
    "template",
    "report",
    "summary",
    "minutes",
    "message",
    "mail",
    "channel",
    "information",
    "richtlinie",
    "handbuch",
    "anleitung",
    "seite",
    "protokoll",
    "bericht",
    "übersicht",
    "merkblatt",
    "guide",
    "manuel",
    "rapport",
    "procédure",
    "fiche",
];

/// Words that begin another statement of a sentence.
pub(super) const CONJUNCTIONS: &[&str] = &[
    "and", "but", "while", "whereas", "which", "who", "although", "though", "because", "und", "aber",
    "während", "obwohl", "weil", "et", "mais", "qui", "car",
];
/// A part that begins so, before the statement, restricts it: `On Sundays, the museum opens at 11:00`.
pub(super) const LEADING: &[&str] = &[
    "in", "on", "at", "for", "from", "since", "until", "by", "as", "during", "if", "when", "with", "without",
    "after", "before", "under", "im", "am", "an", "für", "seit", "bis", "ab", "wenn", "bei", "mit", "ohne",
    "nach", "vor", "unter", "en", "au", "à", "le", "les", "pour", "depuis", "si", "dans", "avec", "sans",
    "pendant",
];
/// A part that begins so, after the statement, restricts it: `6 euros, for children`.
pub(super) const TRAILING: &[&str] = &[
    "in",
    "on",
    "for",
    "during",
    "if",
    "when",
    "unless",
    "except",
    "excluding",
    "including",
    "only",
    "without",
    "from",
    "until",
    "since",
    "im",
    "am",
    "für",
    "wenn",
    "falls",
    "außer",
    "ohne",
    "nur",
    "ab",
    "bis",
    "en",
    "pour",
    "si",
    "sauf",
    "sans",
    "pendant",
];

/// A sentence with one of these is not compared.
pub(super) const NEGATIONS: &[&str] = &[
    "not", "no", "never", "none", "neither", "nor", "cannot", "nicht", "kein", "keine", "keinen", "keiner",
    "nie", "niemals", "ne", "pas", "aucun", "aucune", "jamais", "instead", "statt",
];
/// Words that mark a plan or an estimate.
pub(super) const PLANNED: &[&str] = &[
    "will",
    "shall",
    "would",
    "should",
    "aims",
    "planned",
    "planning",
    "plans",
    "projected",
    "estimated",
    "estimate",
    "estimates",
    "expected",
    "expects",
    "target",
    "targets",
    "targeted",
    "forecast",
    "forecasts",
    "budgeted",
    "proposed",
    "proposes",
    "intended",
    "intends",
    "goal",
    "soll",
    "sollen",
    "sollte",
    "geplant",
    "geplante",
    "geplanten",
    "erwartet",
    "erwartete",
    "voraussichtlich",
    "vorgesehen",
    "künftig",
    "künftige",
    "devrait",
    "devraient",
    "prévu",
    "prévue",
    "prévus",
    "envisagé",
];
pub(super) const PAST: &[&str] =
    &["was", "were", "had", "war", "waren", "hatte", "hatten", "était", "étaient", "avait", "avaient"];
pub(super) const PRESENT: &[&str] =
    &["is", "are", "has", "have", "ist", "sind", "hat", "haben", "est", "sont", "ont"];
/// Verbs of one subject.
pub(super) const SINGULAR: &[&str] = &["is", "was", "ist", "war", "est", "était"];

/// Between two numbers, they make a range or a list of them.
pub(super) const RANGE_WORDS: &[&str] =
    &["to", "-", "–", "—", "/", "and", "or", "bis", "und", "oder", "à", "au", "et", "ou", "bis zu", "up to"];
/// After a number, they say that it is a difference.
pub(super) const DIFFERENCE_AFTER: &[&str] = &[
    "more",
    "less",
    "fewer",
    "longer",
    "shorter",
    "higher",
    "lower",
    "later",
    "earlier",
    "ago",
    "mehr",
    "weniger",
    "länger",
    "kürzer",
    "höher",
    "später",
    "früher",
    "supplémentaires",
    "supplémentaire",
];
/// Before a number, they say that it is a difference.
pub(super) const DIFFERENCE_BEFORE: &[&str] = &[
    "another",
    "additional",
    "extra",
    "further",
    "increased",
    "decreased",
    "weitere",
    "weiteren",
    "zusätzlich",
    "zusätzliche",
];

/// Lower and upper limits before a number.
pub(super) const MINIMUM: &[&str] = &["least", "minimum", "more", "mindestens", "mehr"];
pub(super) const MAXIMUM: &[&str] =
    &["most", "maximum", "less", "fewer", "höchstens", "maximal", "weniger", "jusqu'à"];
/// Lower and upper limits directly before a number.
pub(super) const ABOVE: &[&str] = &["over", "above", "from", "ab", "über", "exceeds", "dès"];
pub(super) const BELOW: &[&str] = &["under", "below", "until", "till", "bis", "unter"];
/// Limits before a date.
pub(super) const UNTIL: &[&str] =
    &["by", "until", "till", "before", "bis", "vor", "spätestens", "avant", "jusqu'au"];
pub(super) const SINCE: &[&str] = &["since", "from", "after", "ab", "seit", "nach", "depuis", "après", "dès"];
/// Between a limit and its date.
pub(super) const ARTICLES: &[&str] = &["the", "zum", "dem", "den", "le", "than", "to"];

/// They name a rate with any word after them, as in `per person`.
pub(super) const PER: &[&str] = &["per", "pro"];
/// They name a rate with a unit of time after them, as in `a month`, or with a number, as in `every 90 days`.
pub(super) const EACH: &[&str] =
    &["a", "an", "each", "every", "je", "jede", "jeden", "jedes", "jeder", "alle", "im", "par", "chaque"];

/// What happens again and again has different dates.
pub(super) const RECURRING: &[&str] = &[
    "conference",
    "festival",
    "meeting",
    "fair",
    "election",
    "elections",
    "release",
    "season",
    "match",
    "race",
    "edition",
    "audit",
    "review",
    "course",
    "training",
    "workshop",
    "exercise",
    "term",
    "concert",
    "tour",
    "konferenz",
    "fest",
    "sitzung",
    "messe",
    "wahl",
    "kurs",
    "schulung",
    "tagung",
    "treffen",
    "conférence",
    "réunion",
    "élection",
    "salon",
    "stage",
    "congrès",
];
/// Before a year.
pub(super) const BEFORE_YEARS: &[&str] = &[
    "in", "since", "from", "until", "year", "after", "before", "im", "jahr", "seit", "en", "depuis", "année",
    "during",
];
/// Roles that several people have at the same time.
pub(super) const SHARED_ROLES: &[&str] = &[
    "a",
    "an",
    "one",
    "member",
    "members",
    "employee",
    "employees",
    "among",
    "ein",
    "eine",
    "einer",
    "mitglied",
    "un",
    "une",
    "membre",
    "also",
    "auch",
    "aussi",
    "including",
];
/// Before the name of a place.
pub(super) const BEFORE_PLACES: &[&str] = &["in", "at", "near", "im", "zu", "bei", "à", "en"];
