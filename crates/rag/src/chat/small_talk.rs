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
enum Tongue {
    English,
    German,
    French,
    Spanish,
}

/// What a message is about if it needs no search, and the language of its reply.
pub(super) struct SmallMessage {
    pub talk: SmallTalk,
    tongue: Tongue,
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
        if let Some((talk, tongue, _)) = known {
            return Some(Self { talk: *talk, tongue: *tongue });
        }
        sources_question(&words)
            .map(|tongue| Self { talk: SmallTalk::Sources, tongue })
            .or_else(|| greeting_with_name(&words))
    }

    pub fn reply(&self, sources: &[SearchProvider]) -> String {
        match self.talk {
            SmallTalk::Sources => self.sources_reply(sources),
            talk => {
                let row = REPLIES.iter().find(|(known, tongue, _)| *known == talk && *tongue == self.tongue);
                let row = row.or_else(|| REPLIES.iter().find(|(known, ..)| *known == talk));
                row.map_or_else(String::new, |(.., text)| (*text).to_owned())
            }
        }
    }

    fn sources_reply(&self, sources: &[SearchProvider]) -> String {
        let (some, none, more) = match self.tongue {
            Tongue::English => {
                ("I can search these sources", "There are no sources that I may search here.", "more")
            }
            Tongue::German => (
                "Ich kann diese Quellen durchsuchen",
                "Hier gibt es keine Quellen, die ich durchsuchen darf.",
                "weitere",
            ),
            Tongue::French => (
                "Je peux chercher dans ces sources",
                "Il n’y a pas de source où je puisse chercher.",
                "autres",
            ),
            Tongue::Spanish => {
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
fn sources_question(words: &[String]) -> Option<Tongue> {
    let is_asked = |(tongue, names, around): &(Tongue, &[&str], &str)| {
        let is_name = |word: &String| names.contains(&word.as_str());
        let is_around = |word: &String| around.split(' ').any(|known| known == word);
        let fits = words.iter().any(is_name) && words.iter().all(|word| is_name(word) || is_around(word));
        (fits && words.len() > 1).then_some(*tongue)
    };
    SOURCES_WORDS.iter().find_map(is_asked)
}

/// "Hello Anna", "Thanks a lot, that helps".
fn greeting_with_name(words: &[String]) -> Option<SmallMessage> {
    let first = words.first()?;
    let (talk, tongue, _) = PHRASES.iter().find(|(talk, _, phrases)| {
        matches!(talk, SmallTalk::Greeting | SmallTalk::Thanks)
            && phrases.split('|').any(|phrase| phrase == first)
    })?;
    let words_max = if *talk == SmallTalk::Thanks { WORDS_MAX } else { 2 };
    let asks = words.iter().any(|word| QUESTION_WORDS.contains(&word.as_str()));
    (words.len() <= words_max && !asks).then_some(SmallMessage { talk: *talk, tongue: *tongue })
}

/// Messages without punctuation, separated by `|`.
const PHRASES: &[(SmallTalk, Tongue, &str)] = &[
    (
        SmallTalk::Greeting,
        Tongue::English,
        "hello|hi|hey|hello there|hi there|hey there|good morning|good afternoon|good evening|greetings",
    ),
    (
        SmallTalk::Greeting,
        Tongue::German,
        "hallo|guten tag|guten morgen|guten abend|moin|servus|grüezi|grüß gott",
    ),
    (SmallTalk::Greeting, Tongue::French, "bonjour|salut|bonsoir"),
    (SmallTalk::Greeting, Tongue::Spanish, "hola|buenos días|buenas tardes|buenas noches"),
    (
        SmallTalk::Thanks,
        Tongue::English,
        "thanks|thank you|thank you very much|thank you so much|thanks a lot|many thanks|thx|cheers|great thanks|great thank you|ok thanks|ok thank you|perfect thanks|perfect thank you",
    ),
    (
        SmallTalk::Thanks,
        Tongue::German,
        "danke|vielen dank|danke schön|dankeschön|danke sehr|super danke|ok danke|besten dank",
    ),
    (SmallTalk::Thanks, Tongue::French, "merci|merci beaucoup|merci bien"),
    (SmallTalk::Thanks, Tongue::Spanish, "gracias|muchas gracias"),
    (SmallTalk::Goodbye, Tongue::English, "bye|goodbye|good bye|bye bye|see you|see you later|good night"),
    (
        SmallTalk::Goodbye,
        Tongue::German,
        "tschüss|tschüs|auf wiedersehen|bis bald|bis später|gute nacht|ciao",
    ),
    (SmallTalk::Goodbye, Tongue::French, "au revoir|à bientôt|bonne nuit"),
    (SmallTalk::Goodbye, Tongue::Spanish, "adiós|hasta luego|hasta pronto"),
    (
        SmallTalk::Agreement,
        Tongue::English,
        "ok|okay|yes|no|great|good|nice|perfect|fine|cool|i see|got it|all right|alright|understood|sounds good|very good|never mind",
    ),
    (
        SmallTalk::Agreement,
        Tongue::German,
        "ja|nein|gut|super|alles klar|verstanden|sehr gut|in ordnung|prima|schön|egal",
    ),
    (SmallTalk::Agreement, Tongue::French, "oui|non|d'accord|parfait|très bien|compris"),
    (SmallTalk::Agreement, Tongue::Spanish, "sí|vale|perfecto|muy bien|entendido|de acuerdo"),
    (
        SmallTalk::Courtesy,
        Tongue::English,
        "how are you|how are you doing|how do you do|how's it going|hi how are you|hello how are you",
    ),
    (
        SmallTalk::Courtesy,
        Tongue::German,
        "wie geht es dir|wie geht's|wie gehts|wie geht es ihnen|wie geht es",
    ),
    (SmallTalk::Courtesy, Tongue::French, "ça va|comment ça va|comment allez vous|comment vas tu"),
    (SmallTalk::Courtesy, Tongue::Spanish, "qué tal|cómo estás|cómo está"),
    (
        SmallTalk::Abilities,
        Tongue::English,
        "help|who are you|what are you|what can you do|what do you do|what can i ask|what can i ask you|how do you work|how can you help me|can you help me|what is this",
    ),
    (
        SmallTalk::Abilities,
        Tongue::German,
        "hilfe|wer bist du|wer sind sie|was kannst du|was können sie|was kann ich fragen|was kann ich dich fragen|kannst du mir helfen|können sie mir helfen|was bist du",
    ),
    (
        SmallTalk::Abilities,
        Tongue::French,
        "aide|qui es tu|qui êtes vous|que peux tu faire|que pouvez vous faire",
    ),
    (SmallTalk::Abilities, Tongue::Spanish, "ayuda|quién eres|qué puedes hacer|qué sabes hacer"),
];
/// The words for sources, and those around them in a question for them.
const SOURCES_WORDS: &[(Tongue, &[&str], &str)] = &[
    (
        Tongue::English,
        &["sources", "source", "databases", "collections"],
        "which what list show me the your all do you have can search use are there available and of know access connected name \
         please data tell",
    ),
    (
        Tongue::German,
        &["quellen", "quelle", "datenquellen", "datenbanken"],
        "welche was sind hast du haben sie kannst kennst nutzt durchsuchst durchsuchen gibt es zeige mir liste die deine alle \
         und bitte verfügbar nenne",
    ),
    (
        Tongue::French,
        &["sources", "source"],
        "quelles quelle sont les tes vos as tu avez vous peux montre moi liste toutes et disponibles",
    ),
    (
        Tongue::Spanish,
        &["fuentes", "fuente"],
        "qué cuáles son las tus tienes puedes hay muestra lista todas y disponibles buscar",
    ),
];
const QUESTION_WORDS: &[&str] = &[
    "who", "what", "when", "where", "why", "how", "which", "wer", "was", "wann", "wo", "warum", "wie",
    "welche", "qui", "quand", "comment", "pourquoi", "quién", "cuándo", "dónde", "cómo", "qué",
];
const REPLIES: &[(SmallTalk, Tongue, &str)] = &[
    (SmallTalk::Greeting, Tongue::English, "Hello! What would you like to know from your sources?"),
    (SmallTalk::Greeting, Tongue::German, "Hallo! Was möchten Sie aus Ihren Quellen wissen?"),
    (SmallTalk::Greeting, Tongue::French, "Bonjour ! Que voulez-vous savoir de vos sources ?"),
    (SmallTalk::Greeting, Tongue::Spanish, "¡Hola! ¿Qué quiere saber de sus fuentes?"),
    (SmallTalk::Thanks, Tongue::English, "You are welcome."),
    (SmallTalk::Thanks, Tongue::German, "Gern geschehen."),
    (SmallTalk::Thanks, Tongue::French, "Je vous en prie."),
    (SmallTalk::Thanks, Tongue::Spanish, "De nada."),
    (SmallTalk::Goodbye, Tongue::English, "Goodbye!"),
    (SmallTalk::Goodbye, Tongue::German, "Auf Wiedersehen!"),
    (SmallTalk::Goodbye, Tongue::French, "Au revoir !"),
    (SmallTalk::Goodbye, Tongue::Spanish, "¡Adiós!"),
    (
        SmallTalk::Agreement,
        Tongue::English,
        "All right. Ask me whenever you want to know something from your sources.",
    ),
    (
        SmallTalk::Agreement,
        Tongue::German,
        "In Ordnung. Fragen Sie, wenn Sie etwas aus Ihren Quellen wissen möchten.",
    ),
    (
        SmallTalk::Agreement,
        Tongue::French,
        "D’accord. Posez-moi une question sur vos sources quand vous voulez.",
    ),
    (SmallTalk::Agreement, Tongue::Spanish, "De acuerdo. Pregunte cuando quiera saber algo de sus fuentes."),
    (SmallTalk::Courtesy, Tongue::English, "I am ready. What would you like to know from your sources?"),
    (SmallTalk::Courtesy, Tongue::German, "Ich bin bereit. Was möchten Sie aus Ihren Quellen wissen?"),
    (SmallTalk::Courtesy, Tongue::French, "Je suis prêt. Que voulez-vous savoir de vos sources ?"),
    (SmallTalk::Courtesy, Tongue::Spanish, "Estoy listo. ¿Qué quiere saber de sus fuentes?"),
    (
        SmallTalk::Abilities,
        Tongue::English,
        "I answer questions with sentences from your sources and cite each of them. Ask about anything that they may contain.",
    ),
    (
        SmallTalk::Abilities,
        Tongue::German,
        "Ich beantworte Fragen mit Sätzen aus Ihren Quellen und nenne jede Quelle. Fragen Sie nach allem, was darin stehen kann.",
    ),
    (
        SmallTalk::Abilities,
        Tongue::French,
        "Je réponds aux questions par des phrases de vos sources, que je cite. Demandez ce qu’elles peuvent contenir.",
    ),
    (
        SmallTalk::Abilities,
        Tongue::Spanish,
        "Respondo a preguntas con frases de sus fuentes y cito cada una. Pregunte por lo que puedan contener.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::instant::Instant;
    use domain::provider::ProviderSpec;

    fn talk(message: &str) -> Option<SmallTalk> {
        SmallMessage::of(message).map(|message| message.talk)
    }

    #[test]
    fn small_talk_is_told_from_questions() {
        for (message, expected) in [
            ("Thank you!", Some(SmallTalk::Thanks)),
            ("thanks, that helps a lot", Some(SmallTalk::Thanks)),
            ("Hello", Some(SmallTalk::Greeting)),
            ("Hi Anna!", Some(SmallTalk::Greeting)),
            ("Guten Morgen", Some(SmallTalk::Greeting)),
            ("Danke schön!", Some(SmallTalk::Thanks)),
            ("How are you?", Some(SmallTalk::Courtesy)),
            ("What can you do?", Some(SmallTalk::Abilities)),
            ("OK", Some(SmallTalk::Agreement)),
            ("Bye.", Some(SmallTalk::Goodbye)),
            ("Which sources do you have?", Some(SmallTalk::Sources)),
            ("list your sources", Some(SmallTalk::Sources)),
            ("Welche Quellen hast du?", Some(SmallTalk::Sources)),
            ("Quelles sources as-tu ?", Some(SmallTalk::Sources)),
            ("Which sources of sediment are there?", None),
            ("sources of the Elbe", None),
            ("hello world program", None),
            ("Hi, when was the dam built?", None),
            ("thanks, and who built it?", None),
            ("Who are you selling the mill to?", None),
            ("", None),
        ] {
            assert_eq!(talk(message), expected, "{message}");
        }
    }

    #[test]
    fn every_reply_has_four_languages() {
        for talk in [
            SmallTalk::Greeting,
            SmallTalk::Thanks,
            SmallTalk::Goodbye,
            SmallTalk::Agreement,
            SmallTalk::Courtesy,
            SmallTalk::Abilities,
        ] {
            for tongue in [Tongue::English, Tongue::German, Tongue::French, Tongue::Spanish] {
                assert!(REPLIES.iter().any(|row| row.0 == talk && row.1 == tongue), "{talk:?} {tongue:?}");
                assert!(!SmallMessage { talk, tongue }.reply(&[]).is_empty());
            }
        }
    }

    #[test]
    fn sources_are_named() {
        let source = |name: String| {
            let spec = ProviderSpec { name, ..ProviderSpec::default() };
            SearchProvider::unsaved(spec, UserId(1), Instant::default())
        };
        let asked = SmallMessage::of("Which sources do you have?").unwrap();
        let reply = asked.reply(&[source("Library".into()), source("Mail\nof all".into())]);
        assert_eq!(reply, "I can search these sources:\n\n- Library\n- Mail of all");
        assert_eq!(asked.reply(&[]), "There are no sources that I may search here.");
        let many: Vec<SearchProvider> = (0..SOURCES_NAMED_MAX + 3).map(|n| source(format!("S{n}"))).collect();
        assert!(asked.reply(&many).ends_with("- 3 more"));
    }
}
