//! Messages that ask for nothing in the sources: greetings, thanks, and questions about the assistant or its sources.

use crate::prompt::one_line;
use domain::provider::SearchProvider;
use relevancy::tokens::{lower, tokens};

/// A message with more words is searched.
const WORDS_MAX: usize = 8;
/// Maximum number of sources that a reply names.
const SOURCES_NAMED_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmallTalk {
    Greeting,
    Thanks,
    Goodbye,
    Agreement,
    /// "How are you?"
    Courtesy,
    /// "What can you do?"
    Abilities,
    /// "Which sources do you have?"
    Sources,
}

/// A language of the pages, or Spanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyLanguage {
    English,
    German,
    French,
    Spanish,
}

/// What a message is about if it needs no search, and the language of its reply.
pub(super) struct SmallMessage {
    pub talk: SmallTalk,
    language: ReplyLanguage,
}

impl SmallMessage {
    pub fn of(message: &str) -> Option<Self> {
        let words: Vec<String> =
            tokens(message).take(WORDS_MAX + 1).map(|token| lower(token.text).into_owned()).collect();
        if words.is_empty() || words.len() > WORDS_MAX {
            return None;
        }
        let text = words.join(" ");
        let known = PHRASES.iter().find(|(_, _, phrases)| phrases.split('|').any(|phrase| phrase == text));
        if let Some((talk, language, _)) = known {
            return Some(Self { talk: *talk, language: *language });
        }
        sources_question(&words)
            .map(|language| Self { talk: SmallTalk::Sources, language })
            .or_else(|| greeting_with_name(&words))
    }

    pub fn reply(&self, sources: &[SearchProvider]) -> String {
        match self.talk {
            SmallTalk::Sources => self.sources_reply(sources),
            talk => {
                let row =
                    REPLIES.iter().find(|(known, language, _)| *known == talk && *language == self.language);
                let row = row.or_else(|| REPLIES.iter().find(|(known, ..)| *known == talk));
                row.map_or_else(String::new, |(.., text)| (*text).to_owned())
            }
        }
    }

    fn sources_reply(&self, sources: &[SearchProvider]) -> String {
        let (some, none, more) = match self.language {
            ReplyLanguage::English => {
                ("I can search these sources", "There are no sources that I may search here.", "more")
            }
            ReplyLanguage::German => (
                "Ich kann diese Quellen durchsuchen",
                "Hier gibt es keine Quellen, die ich durchsuchen darf.",
                "weitere",
            ),
            ReplyLanguage::French => (
                "Je peux chercher dans ces sources",
                "Il n’y a pas de source où je puisse chercher.",
                "autres",
            ),
            ReplyLanguage::Spanish => {
                ("Puedo buscar en estas fuentes", "No hay fuentes en las que pueda buscar.", "más")
            }
        };
        if sources.is_empty() {
            return none.to_owned();
        }
        let named = sources
            .iter()
            .take(SOURCES_NAMED_MAX)
            .map(|one| format!("- {}", one_line(&one.spec.name, NAME_CHARS_MAX)));
        let left = sources.len().saturating_sub(SOURCES_NAMED_MAX);
        let rest = (left > 0).then(|| format!("- {left} {more}"));
        let list: Vec<String> = named.chain(rest).collect();
        format!("{some}:\n\n{}", list.join("\n"))
    }
}

/// The language of a question for the sources themselves, as "which sources can you search".
fn sources_question(words: &[String]) -> Option<ReplyLanguage> {
    let is_asked = |(language, names, around): &(ReplyLanguage, &[&str], &str)| {
        let is_name = |word: &String| names.contains(&word.as_str());
        let is_around = |word: &String| around.split(' ').any(|known| known == word);
        let fits = words.iter().any(is_name) && words.iter().all(|word| is_name(word) || is_around(word));
        (fits && words.len() > 1).then_some(*language)
    };
    SOURCES_WORDS.iter().find_map(is_asked)
}

/// "Hello Anna", "Thanks a lot, that helps".
fn greeting_with_name(words: &[String]) -> Option<SmallMessage> {
    let first = words.first()?;
    let (talk, language, _) = PHRASES.iter().find(|(talk, _, phrases)| {
        matches!(talk, SmallTalk::Greeting | SmallTalk::Thanks)
            && phrases.split('|').any(|phrase| phrase == first)
    })?;
    let words_max = if *talk == SmallTalk::Thanks { WORDS_MAX } else { 2 };
    let asks = words.iter().any(|word| QUESTION_WORDS.contains(&word.as_str()));
    (words.len() <= words_max && !asks).then_some(SmallMessage { talk: *talk, language: *language })
}

/// Messages without punctuation, separated by `|`.
const PHRASES: &[(SmallTalk, ReplyLanguage, &str)] = &[
    (
        SmallTalk::Greeting,
        ReplyLanguage::English,
        "hello|hi|hey|hello there|hi there|hey there|good morning|good afternoon|good evening|greetings",
    ),
    (
        SmallTalk::Greeting,
        ReplyLanguage::German,
        "hallo|guten tag|guten morgen|guten abend|moin|servus|grüezi|grüß gott",
    ),
    (SmallTalk::Greeting, ReplyLanguage::French, "bonjour|salut|bonsoir"),
    (SmallTalk::Greeting, ReplyLanguage::Spanish, "hola|buenos días|buenas tardes|buenas noches"),
    (
        SmallTalk::Thanks,
        ReplyLanguage::English,
        "thanks|thank you|thank you very much|thank you so much|thanks a lot|many thanks|thx|cheers|great thanks|great thank you|ok thanks|ok thank you|perfect thanks|perfect thank you",
    ),
    (
        SmallTalk::Thanks,
        ReplyLanguage::German,
        "danke|vielen dank|danke schön|dankeschön|danke sehr|super danke|ok danke|besten dank",
    ),
    (SmallTalk::Thanks, ReplyLanguage::French, "merci|merci beaucoup|merci bien"),
    (SmallTalk::Thanks, ReplyLanguage::Spanish, "gracias|muchas gracias"),
    (
        SmallTalk::Goodbye,
        ReplyLanguage::English,
        "bye|goodbye|good bye|bye bye|see you|see you later|good night",
    ),
    (
        SmallTalk::Goodbye,
        ReplyLanguage::German,
        "tschüss|tschüs|auf wiedersehen|bis bald|bis später|gute nacht|ciao",
    ),
    (SmallTalk::Goodbye, ReplyLanguage::French, "au revoir|à bientôt|bonne nuit"),
    (SmallTalk::Goodbye, ReplyLanguage::Spanish, "adiós|hasta luego|hasta pronto"),
    (
        SmallTalk::Agreement,
        ReplyLanguage::English,
        "ok|okay|yes|no|great|good|nice|perfect|fine|cool|i see|got it|all right|alright|understood|sounds good|very good|never mind",
    ),
    (
        SmallTalk::Agreement,
        ReplyLanguage::German,
        "ja|nein|gut|super|alles klar|verstanden|sehr gut|in ordnung|prima|schön|egal",
    ),
    (SmallTalk::Agreement, ReplyLanguage::French, "oui|non|d'accord|parfait|très bien|compris"),
    (SmallTalk::Agreement, ReplyLanguage::Spanish, "sí|vale|perfecto|muy bien|entendido|de acuerdo"),
    (
        SmallTalk::Courtesy,
        ReplyLanguage::English,
        "how are you|how are you doing|how do you do|how's it going|hi how are you|hello how are you",
    ),
    (
        SmallTalk::Courtesy,
        ReplyLanguage::German,
        "wie geht es dir|wie geht's|wie gehts|wie geht es ihnen|wie geht es",
    ),
    (SmallTalk::Courtesy, ReplyLanguage::French, "ça va|comment ça va|comment allez vous|comment vas tu"),
    (SmallTalk::Courtesy, ReplyLanguage::Spanish, "qué tal|cómo estás|cómo está"),
    (
        SmallTalk::Abilities,
        ReplyLanguage::English,
        "help|who are you|what are you|what can you do|what do you do|what can i ask|what can i ask you|how do you work|how can you help me|can you help me|what is this",
    ),
    (
        SmallTalk::Abilities,
        ReplyLanguage::German,
        "hilfe|wer bist du|wer sind sie|was kannst du|was können sie|was kann ich fragen|was kann ich dich fragen|kannst du mir helfen|können sie mir helfen|was bist du",
    ),
    (
        SmallTalk::Abilities,
        ReplyLanguage::French,
        "aide|qui es tu|qui êtes vous|que peux tu faire|que pouvez vous faire",
    ),
    (SmallTalk::Abilities, ReplyLanguage::Spanish, "ayuda|quién eres|qué puedes hacer|qué sabes hacer"),
];
/// The words for sources, and those around them in a question for them.
const SOURCES_WORDS: &[(ReplyLanguage, &[&str], &str)] = &[
    (
        ReplyLanguage::English,
        &["sources", "source", "databases", "collections"],
        "which what list show me the your all do you have can search use are there available and of know access connected name \
         please data tell",
    ),
    (
        ReplyLanguage::German,
        &["quellen", "quelle", "datenquellen", "datenbanken"],
        "welche was sind hast du haben sie kannst kennst nutzt durchsuchst durchsuchen gibt es zeige mir liste die deine alle \
         und bitte verfügbar nenne",
    ),
    (
        ReplyLanguage::French,
        &["sources", "source"],
        "quelles quelle sont les tes vos as tu avez vous peux montre moi liste toutes et disponibles",
    ),
    (
        ReplyLanguage::Spanish,
        &["fuentes", "fuente"],
        "qué cuáles son las tus tienes puedes hay muestra lista todas y disponibles buscar",
    ),
];
const QUESTION_WORDS: &[&str] = &[
    "who", "what", "when", "where", "why", "how", "which", "wer", "was", "wann", "wo", "warum", "wie",
    "welche", "qui", "quand", "comment", "pourquoi", "quién", "cuándo", "dónde", "cómo", "qué",
];
const REPLIES: &[(SmallTalk, ReplyLanguage, &str)] = &[
    (SmallTalk::Greeting, ReplyLanguage::English, "Hello! What would you like to know from your sources?"),
    (SmallTalk::Greeting, ReplyLanguage::German, "Hallo! Was möchten Sie aus Ihren Quellen wissen?"),
    (SmallTalk::Greeting, ReplyLanguage::French, "Bonjour ! Que voulez-vous savoir de vos sources ?"),
    (SmallTalk::Greeting, ReplyLanguage::Spanish, "¡Hola! ¿Qué quiere saber de sus fuentes?"),
    (SmallTalk::Thanks, ReplyLanguage::English, "You are welcome."),
    (SmallTalk::Thanks, ReplyLanguage::German, "Gern geschehen."),
    (SmallTalk::Thanks, ReplyLanguage::French, "Je vous en prie."),
    (SmallTalk::Thanks, ReplyLanguage::Spanish, "De nada."),
    (SmallTalk::Goodbye, ReplyLanguage::English, "Goodbye!"),
    (SmallTalk::Goodbye, ReplyLanguage::German, "Auf Wiedersehen!"),
    (SmallTalk::Goodbye, ReplyLanguage::French, "Au revoir !"),
    (SmallTalk::Goodbye, ReplyLanguage::Spanish, "¡Adiós!"),
    (
        SmallTalk::Agreement,
        ReplyLanguage::English,
        "All right. Ask me whenever you want to know something from your sources.",
    ),
    (
        SmallTalk::Agreement,
        ReplyLanguage::German,
        "In Ordnung. Fragen Sie, wenn Sie etwas aus Ihren Quellen wissen möchten.",
    ),
    (
        SmallTalk::Agreement,
        ReplyLanguage::French,
        "D’accord. Posez-moi une question sur vos sources quand vous voulez.",
    ),
    (
        SmallTalk::Agreement,
        ReplyLanguage::Spanish,
        "De acuerdo. Pregunte cuando quiera saber algo de sus fuentes.",
    ),
    (
        SmallTalk::Courtesy,
        ReplyLanguage::English,
        "I am ready. What would you like to know from your sources?",
    ),
    (SmallTalk::Courtesy, ReplyLanguage::German, "Ich bin bereit. Was möchten Sie aus Ihren Quellen wissen?"),
    (SmallTalk::Courtesy, ReplyLanguage::French, "Je suis prêt. Que voulez-vous savoir de vos sources ?"),
    (SmallTalk::Courtesy, ReplyLanguage::Spanish, "Estoy listo. ¿Qué quiere saber de sus fuentes?"),
    (
        SmallTalk::Abilities,
        ReplyLanguage::English,
        "I answer questions with sentences from your sources and cite each of them. Ask about anything that they may contain.",
    ),
    (
        SmallTalk::Abilities,
        ReplyLanguage::German,
        "Ich beantworte Fragen mit Sätzen aus Ihren Quellen und nenne jede Quelle. Fragen Sie nach allem, was darin stehen kann.",
    ),
    (
        SmallTalk::Abilities,
        ReplyLanguage::French,
        "Je réponds aux questions par des phrases de vos sources, que je cite. Demandez ce qu’elles peuvent contenir.",
    ),
    (
        SmallTalk::Abilities,
        ReplyLanguage::Spanish,
        "Respondo a preguntas con frases de sus fuentes y cito cada una. Pregunte por lo que puedan contener.",
    ),
];

#[cfg(test)]
#[path = "small_talk_tests.rs"]
mod tests;
