//! GenAIQueryProcessor: asks a model for a better query, configured by tags of the search; on any failure the query
//! stays unchanged.

use async_trait::async_trait;
use domain::ai_provider::Role;
use domain::ports::{
    ModelError, ModelErrorKind, ModelRequest, ProcessorError, ProcessorErrorKind, Prompt, QueryContext,
    QueryProcessor, QueryProcessorKind, Turn,
};
use domain::search::QUERY_CHARS_MAX;
use std::fmt;
use std::time::Duration;
use syntax::query_string::{self, Kind, Token, tokens};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "GenAIQueryProcessor",
    summary: "Asks the AI provider with the role query for a more precise query. Tags CHAT_QUERY_REWRITE_PROMPT, \
              CHAT_QUERY_REWRITE_GUIDE and CHAT_QUERY_DO_FILTER of the search configure it.",
    processor: &GenAi,
};

/// Placeholder of the query in a prompt.
const PLACE: &str = "{query_string}";
const PROMPT: &str = "Write a more precise query of similar length to this one: {query_string}";
const GUIDE: &str = "You are helping a user formulate better queries. Answer with the query alone, on one line, \
                     without quotes or remarks.";

/// How much longer than the query a reply may be.
const LONGER_MAX: f64 = 1.25;
/// Most list items that become alternatives.
const ALTERNATIVES_MAX: usize = 5;
const REPLY_TOKENS_MAX: u32 = 200;
const REPLY_BYTES_MAX: usize = 16 * 1024;
const TIME_MAX: Duration = Duration::from_secs(15);

struct GenAi;

#[async_trait]
impl QueryProcessor for GenAi {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        let options = RewriteOptions::of(&cx.search.spec.tags);
        let prompt = Prompt {
            system: options.guide.to_owned(),
            turns: vec![Turn::User(filled(options.prompt, query))],
            tools: Vec::new(),
            answer_tokens_max: REPLY_TOKENS_MAX,
            time_max: TIME_MAX,
        };
        let wanted = ModelRequest::of(Role::Query, Some(cx.search.owner));
        let to_processor_error = |error: ModelError| {
            let kind = match error.kind {
                ModelErrorKind::NoProvider | ModelErrorKind::ConfigInvalid => ProcessorErrorKind::Invalid,
                _ => ProcessorErrorKind::Unavailable,
            };
            ProcessorError::new(kind, format!("{}: {error}", error.code())).caused_by(error)
        };
        let completion =
            cx.context.generative_models.complete(&wanted, &prompt).await.map_err(to_processor_error)?;
        let reply = completion.into_text(REPLY_BYTES_MAX).await.map_err(to_processor_error)?;
        let better = if options.filters { filtered(query, &reply) } else { Ok(on_one_line(query, &reply)) };
        let better = better.and_then(|better| match better {
            Some(better) => within(QUERY_CHARS_MAX, better).map(Some),
            None => Ok(None),
        });
        let better = better.map_err(|unusable| {
            ProcessorError::new(ProcessorErrorKind::Unsuitable, format!("the reply of the model {unusable}"))
        })?;
        Ok(better.unwrap_or_else(|| query.to_owned()))
    }
}

/// Why a reply is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unusable {
    TooLong {
        chars: usize,
        max: usize,
    },
    /// Several lines that are not a list.
    NotAQuery,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { chars, max } => {
                write!(f, "is too long for this query: {chars} characters, and at most {max} are used")
            }
            Self::NotAQuery => f.write_str("is not a query, nor a list of queries"),
        }
    }
}

fn within(max: usize, reply: String) -> Result<String, Unusable> {
    let chars = reply.chars().count();
    if chars > max { Err(Unusable::TooLong { chars, max }) } else { Ok(reply) }
}

/// Options from the tags of a search.
struct RewriteOptions<'a> {
    prompt: &'a str,
    guide: &'a str,
    /// Ignore a reply that is too long or not a query.
    filters: bool,
}

impl<'a> RewriteOptions<'a> {
    fn of(tags: &'a [String]) -> Self {
        let given = |name: &str| tag(tags, name).filter(|value| !value.is_empty());
        let filters = given("CHAT_QUERY_DO_FILTER").unwrap_or("true").to_lowercase();
        Self {
            // The short name is an alias for compatibility.
            prompt: given("CHAT_QUERY_REWRITE_PROMPT").or_else(|| given("prompt")).unwrap_or(PROMPT),
            guide: given("CHAT_QUERY_REWRITE_GUIDE").unwrap_or(GUIDE),
            filters: !matches!(filters.as_str(), "false" | "0" | "no" | "off"),
        }
    }
}

/// The value of the first tag `<name>:<value>`, ignoring case.
fn tag<'a>(tags: &'a [String], name: &str) -> Option<&'a str> {
    let mut pairs = tags.iter().filter_map(|tag| tag.split_once(':'));
    pairs.find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// The prompt with the query, appended if the prompt has no placeholder.
fn filled(prompt: &str, query: &str) -> String {
    match prompt {
        _ if prompt.contains(PLACE) => prompt.replace(PLACE, query),
        _ if prompt.ends_with(':') => format!("{prompt} {query}"),
        _ if prompt.ends_with('?') => format!("{prompt} {query}"),
        _ => format!("{prompt}: {query}"),
    }
}

/// The query in a reply; `None` if there is none, or nothing new.
fn filtered(query: &str, reply: &str) -> Result<Option<String>, Unusable> {
    if let Some(list) = alternatives(query, reply) {
        return Ok(Some(list.join(" OR ")));
    }
    let reply = reply.trim();
    if reply.contains('\n') {
        return Err(Unusable::NotAQuery);
    }
    let old = on_one_line(query, query).unwrap_or_default();
    let is_new = |reply: &String| !reply.eq_ignore_ascii_case(&old);
    let Some(reply) = on_one_line(query, without_bullet(reply).unwrap_or(reply)).filter(is_new) else {
        return Ok(None);
    };
    // Rounded down: a character more is too long.
    let max = (LONGER_MAX * query.trim().chars().count() as f64) as usize;
    within(max, reply).map(Some)
}

/// The lines of a list with numbers or bullets, or of one with blank lines between them.
fn alternatives(query: &str, reply: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = reply.trim().lines().map(str::trim).collect();
    let marked: Vec<&str> =
        lines.iter().filter_map(|line| without_number(line).or_else(|| without_bullet(line))).collect();
    let spaced = || {
        let is_spaced = lines.iter().enumerate().all(|(place, line)| line.is_empty() == (place % 2 == 1));
        let is_plain = |line: &&str| line.is_empty() || !line.ends_with(['.', ':', '!']);
        (is_spaced && lines.iter().all(is_plain))
            .then(|| lines.iter().copied().filter(|line| !line.is_empty()).collect::<Vec<_>>())
    };
    let list = if marked.is_empty() { spaced()? } else { marked };
    let list: Vec<String> =
        list.into_iter().filter_map(|line| on_one_line(query, line)).take(ALTERNATIVES_MAX).collect();
    (lines.len() > 1 && list.len() > 1).then_some(list)
}

/// `1. words`, `2) words`.
fn without_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

/// `- words`. A `-` without a blank after it excludes a word.
fn without_bullet(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '•', '–', '·'])?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

/// The reply on one line, with its phrases; `None` if nothing is left. Other quotation marks are removed, and so are those
/// around the whole reply, unless the query is a phrase: some models put whatever they write in quotation marks.
fn on_one_line(query: &str, reply: &str) -> Option<String> {
    let reply = reply.replace('`', " ");
    let tokens = tokens(&reply);
    let is_quoted_whole = is_phrase(&tokens) && !is_phrase(&query_string::tokens(query));
    let mut line = String::with_capacity(reply.len());
    for token in tokens {
        let text = token.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            continue;
        }
        if token.is_spaced && !line.is_empty() && !line.ends_with('(') {
            line.push(' ');
        }
        let sign = if token.is_negated { "-" } else { "" };
        let mark = if token.kind == Kind::Phrase && !is_quoted_whole { "\"" } else { "" };
        line.extend([sign, mark, &text, mark]);
    }
    (!line.is_empty()).then_some(line)
}

fn is_phrase(tokens: &[Token<'_>]) -> bool {
    matches!(tokens, [only] if only.kind == Kind::Phrase && !only.is_negated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use domain::ports::ModelErrorKind;
    use fakes::fake_llm::FakeLlm;
    use std::sync::Arc;

    #[test]
    fn replies_become_queries() {
        let long = "solid state batteries in electric cars";
        let table: &[(&str, &str, Option<&str>)] = &[
            ("cars of tesla", "tesla “cars”", Some("tesla \"cars\"")),
            ("cars of tesla", "\"tesla cars\"", Some("tesla cars")),
            ("cars of tesla", "tesla \"cars", Some("tesla cars")),
            ("copper without tin foil", "copper -\"tin foil\"", Some("copper -\"tin foil\"")),
            ("copper without tin foil", "(`copper` NOT «tin foil»)", Some("(copper NOT \"tin foil\")")),
            ("copper without tin foil", "-\"tin foil\"", Some("-\"tin foil\"")),
            ("\"thin tin foil\"", "\"tin foil\"", Some("\"tin foil\"")),
            ("“tin foil”", "“tin foil”", None),
            ("cars of tesla", "Cars of Tesla", None),
            ("cars", "", None),
            ("port or crossing", "- port\n- crossing", Some("port OR crossing")),
            ("port or crossing", "Try these:\n* port\n\n• \"ferry\"", Some("port OR ferry")),
            ("port or crossing", "- ferry port", Some("ferry port")),
            ("port or crossing", "ferry -port", Some("ferry -port")),
            ("port or crossing", "1. ferry -\"old port\"\n2. \"port\"", Some("ferry -\"old port\" OR port")),
            (
                long,
                "1. solid state batteries\n2) electric cars \n\n3. \"range\"",
                Some("solid state batteries OR electric cars OR range"),
            ),
            (long, "solid state\n\nelectric cars\n\nrange", Some("solid state OR electric cars OR range")),
            (long, "1. a\n2. b\n3. c\n4. d\n5. e\n6. f", Some("a OR b OR c OR d OR e")),
            (long, "1. only one", Some("1. only one")),
            (
                long,
                "electric cars with solid state batteries",
                Some("electric cars with solid state batteries"),
            ),
        ];
        for (query, reply, expected) in table {
            let read = filtered(query, reply).unwrap_or_else(|unusable| panic!("{reply}: {unusable}"));
            assert_eq!(read.as_deref(), *expected, "{reply}");
        }
        for (query, reply, expected) in [
            ("cars", "cars of any colour", Unusable::TooLong { chars: 18, max: 5 }),
            ("cars", "Sure!\nHere is one.", Unusable::NotAQuery),
            (long, "Here you are:\n\nelectric cars", Unusable::NotAQuery),
        ] {
            assert_eq!(filtered(query, reply), Err(expected), "{reply}");
        }
    }

    #[tokio::test]
    async fn an_ignored_reply_has_a_message() {
        let mut context = TestContext::default();
        context.context.generative_models = Arc::new(FakeLlm::replying("cars of any colour"));
        let error = GenAi.process("cars", &context.query_context()).await.expect_err("it is too long");
        assert_eq!(
            (error.kind, error.message()),
            (
                ProcessorErrorKind::Unsuitable,
                "the reply of the model is too long for this query: 18 characters, and at most 5 are used"
            )
        );
        context.search.spec.tags = vec!["CHAT_QUERY_DO_FILTER:no".to_owned()];
        context.context.generative_models = Arc::new(FakeLlm::replying(&"x".repeat(QUERY_CHARS_MAX + 1)));
        let error = GenAi.process("cars", &context.query_context()).await.expect_err("no query is so long");
        assert!(error.message().contains("2049 characters, and at most 2048 are used"), "{error}");
    }

    #[test]
    fn the_query_stands_in_the_prompt() {
        for (prompt, expected) in [
            ("Better: {query_string}", "Better: cars"),
            ("Take {query_string} and shorten it", "Take cars and shorten it"),
            ("Better:", "Better: cars"),
            ("Better", "Better: cars"),
            ("What is better?", "What is better? cars"),
        ] {
            assert_eq!(filled(prompt, "cars"), expected);
        }
    }

    #[tokio::test]
    async fn tags_shape_the_question() {
        let fake_llm = Arc::new(FakeLlm::replying("tesla, cars\nand more"));
        let mut context = TestContext::default();
        context.context.generative_models = fake_llm.clone();
        let tags = [
            "chat_query_rewrite_prompt: Improve",
            "CHAT_QUERY_REWRITE_GUIDE:Be brief",
            "CHAT_QUERY_DO_FILTER:no",
        ];
        for (tags, prompt, system, expected) in [
            // Two lines are no query, unless everything is one.
            (&tags[..0], PROMPT.replace(PLACE, "cars"), GUIDE, None),
            (&tags[..], "Improve: cars".to_owned(), "Be brief", Some("tesla, cars and more")),
        ] {
            context.search.spec.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
            let rewritten = GenAi.process("cars", &context.query_context()).await;
            assert_eq!(rewritten.ok().as_deref(), expected);
            let (wanted, asked) = fake_llm.asked().pop().expect("it was asked");
            assert_eq!(wanted, ModelRequest::of(Role::Query, Some(context.search.owner)));
            assert_eq!((asked.turns, asked.system.as_str()), (vec![Turn::User(prompt)], system));
        }
    }

    #[tokio::test]
    async fn failures_have_their_word() {
        let mut context = TestContext::default();
        let error = GenAi.process("cars", &context.query_context()).await.expect_err("nobody is there");
        assert!(
            error.message().starts_with("ERR_NO_CREDENTIALS: no active AI provider has the role query"),
            "{error}"
        );
        context.context.generative_models = Arc::new(FakeLlm::failing(ModelErrorKind::Timeout));
        let error = GenAi.process("cars", &context.query_context()).await.expect_err("it fails");
        assert!(error.message().starts_with("ERR_PROMPT_FAILED: "), "{error}");
    }
}
