//! GenAI connector with a model that answers, one that fails, and none at all.

use crate::fixture::{answer, context, provider, query};
use domain::ai_provider::Role;
use domain::ids::{AiProviderId, UserId};
use domain::ports::{ConnectorErrorKind, ConnectorKind, ModelErrorKind, ModelRequest, PluginContext, Turn};
use domain::provider::ProviderSpec;
use fakes::fake_llm::FakeLlm;
use serde_json::json;
use std::sync::Arc;
use testkit::suites::connector::{Literal, Mistake, Subject};

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "GenAI").expect("the connector")
}

fn tools(fake_llm: &Arc<FakeLlm>) -> PluginContext {
    PluginContext { generative_models: Arc::clone(fake_llm) as _, ..context(answer("", "")) }
}

fn spec() -> ProviderSpec {
    ProviderSpec {
        name: "Answers".into(),
        connector: "GenAI".into(),
        query_template: String::new(),
        query_mappings: "PROMPT='Tell me about: {query_to_provider}'".into(),
        ..ProviderSpec::default()
    }
}

/// A model returns one result, so the parts of the suite about many results do not apply.
#[tokio::test]
async fn the_contract() {
    let fake_llm = Arc::new(FakeLlm::replying("Rivers flow."));
    let seen = Arc::clone(&fake_llm);
    let subject = Subject {
        kind: kind(),
        context: tools(&fake_llm),
        // Without a prompt, only the words are sent.
        spec: ProviderSpec { query_mappings: "".into(), ..spec() },
        user_token: None,
        reader: None,
        many: "river",
        date: None,
        mistakes: Vec::new(),
        literal: Literal::Seen(Box::new(move || {
            let (_, prompt) = seen.asked().pop()?;
            prompt
                .turns
                .into_iter()
                .find_map(|turn| if let Turn::User(text) = turn { Some(text) } else { None })
        })),
    };
    subject.sorts_by_date().await;
    subject.sees_one_literal().await;
    subject.ends_in_time().await;
}

#[tokio::test]
async fn failures_are_told_with_their_words() {
    for (fake_llm, kind_wanted, word) in [
        (
            FakeLlm::failing(ModelErrorKind::NoProvider),
            ConnectorErrorKind::ConfigInvalid,
            "ERR_NO_CREDENTIALS",
        ),
        (FakeLlm::failing(ModelErrorKind::Denied), ConnectorErrorKind::Denied, "ERR_NO_CREDENTIALS"),
        (FakeLlm::failing(ModelErrorKind::RateLimited), ConnectorErrorKind::RateLimited, "ERR_PROMPT_FAILED"),
        (FakeLlm::failing(ModelErrorKind::TooLong), ConnectorErrorKind::QueryInvalid, "ERR_PROMPT_FAILED"),
        (FakeLlm::failing(ModelErrorKind::Unavailable), ConnectorErrorKind::Unavailable, "ERR_PROMPT_FAILED"),
        (FakeLlm::replying(" \n"), ConnectorErrorKind::Unreadable, "ERR_PROMPT_FAILED"),
        (FakeLlm::replying(&"x".repeat(64 * 1024 + 1)), ConnectorErrorKind::Unreadable, "ERR_PROMPT_FAILED"),
    ] {
        let subject = Subject {
            kind: kind(),
            context: tools(&Arc::new(fake_llm)),
            spec: spec(),
            user_token: None,
            reader: None,
            many: "river",
            date: None,
            mistakes: vec![Mistake { what: word, spec: spec(), user_token: None, kind: kind_wanted }],
            literal: Literal::Found(|_| String::new()),
        };
        subject.tells_each_mistake().await;
        let error = subject.ask("river", Default::default(), 1).await.expect_err(word);
        assert!(error.message.starts_with(word), "{error}");
    }
}

#[tokio::test]
async fn one_result_with_who_wrote_it() {
    let fake_llm = Arc::new(FakeLlm::replying(" A <river> flows.\n"));
    for (text, spec, prompt) in [
        ("old rivers", spec(), "'Tell me about: old rivers'"),
        ("what is a river?", spec(), "what is a river?"),
        ("old rivers", ProviderSpec { query_mappings: "".into(), ..spec() }, "old rivers"),
        (
            "old rivers",
            ProviderSpec {
                query_template_json: [(
                    "PROMPT".to_owned(),
                    json!("Rivers, and {query_to_provider}, please"),
                )]
                .into_iter()
                .collect(),
                ..spec()
            },
            "Rivers, and old rivers, please",
        ),
    ] {
        let mut provider = provider(spec);
        provider.owner = UserId(7);
        let connector = (kind().build)(&provider, &tools(&fake_llm)).expect("a connector");
        let built = connector.prepare(&query(text)).expect("a question");
        let page = built.execute().await.expect("an answer").normalize().expect("a page");
        let expected = json!([{
            "title": text,
            "body": "A &lt;river> flows.",
            "author": "Fake LLM",
            "date_published": "2024-03-05 10:00:00.000000",
            "model": "fake-llm-1",
        }]);
        assert_eq!(json!(page.items), expected);
        let (wanted, asked) = fake_llm.asked().pop().expect("it was asked");
        assert_eq!(wanted, ModelRequest::of(Role::Connector, Some(UserId(7))));
        assert_eq!(asked.turns, [Turn::User(prompt.to_owned())]);
    }
}

#[test]
fn fields_are_checked_and_heard() {
    let with = |mappings: &str, template: serde_json::Value, config: serde_json::Value| ProviderSpec {
        query_mappings: mappings.into(),
        query_template_json: template.as_object().cloned().unwrap_or_default(),
        config: serde_json::from_value(config).expect("an object"),
        ..spec()
    };
    let none = || json!({});
    for (spec, field) in [
        (with("PROMPT=Tell me", none(), none()), "query_mappings"),
        (with("", json!({"PROMPT": "Tell me"}), none()), "query_template_json"),
        (with("", json!({"CHAT_QUERY_REWRITE_GUIDE": 7}), none()), "query_template_json"),
        (with("", none(), json!({"swirl": {"gen_ai": {"ai_provider": "x"}}})), "config"),
    ] {
        let errors = (kind().check)(&provider(spec));
        assert!(errors.iter().any(|(name, _)| name == field), "{field}: {errors}");
    }
    let fake_llm = Arc::new(FakeLlm::replying("x"));
    let spec = with(
        "",
        json!({"CHAT_QUERY_REWRITE_GUIDE": "Be kind."}),
        json!({"swirl": {"gen_ai": {"ai_provider": 3}}}),
    );
    let provider = provider(spec);
    assert!((kind().check)(&provider).is_empty());
    let connector = (kind().build)(&provider, &tools(&fake_llm)).expect("a connector");
    let built = connector.prepare(&query("river")).expect("a question");
    assert!(built.shown().contains("Be kind."), "{}", built.shown());
    assert!(format!("{connector:?}").contains(&format!("{:?}", AiProviderId(3))), "{connector:?}");
}
