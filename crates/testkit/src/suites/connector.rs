//! Suite for connectors, run against a real server or a strict fake.

use crate::hostile;
use domain::ids::UserId;
use domain::ports::{
    Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, PluginContext,
    ProviderQuery,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::secret::Secret;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use syntax::query_string::{Conjunction, Expression, Item, Operand};

/// More than a plain search requests; the source of a subject has at least this many documents for its `many`.
pub const MANY: u32 = 25;
/// Time for one query.
const TIME_MAX: Duration = Duration::from_secs(10);

/// One connector with a running source.
pub struct Subject {
    pub kind: &'static ConnectorKind,
    pub context: PluginContext,
    /// Complete and valid.
    pub spec: ProviderSpec,
    /// The user's token, for sources that users connect.
    pub user_token: Option<Secret>,
    /// The fake embedding model, for vector sources.
    pub reader: Option<fn(&str) -> Vec<f32>>,
    /// A query for which the source has at least [`MANY`] documents.
    pub many: &'static str,
    /// The date of an item as a sortable text; `None` if the source cannot sort by date.
    pub date: Option<fn(&Value) -> String>,
    /// Mistakes in the provider, and the expected errors.
    pub mistakes: Vec<Mistake>,
    pub literal: Literal,
}

/// A provider with one mistake.
pub struct Mistake {
    pub what: &'static str,
    pub spec: ProviderSpec,
    pub user_token: Option<Secret>,
    pub kind: ConnectorErrorKind,
}

/// How to verify that the source saw one literal text.
pub enum Literal {
    /// The source has one document for each of [`hostile::QUERIES`], and this reads the text from an item.
    Found(fn(&Value) -> String),
    /// A vector source with one document for each; the nearest one is the text itself.
    Nearest(fn(&Value) -> String),
    /// A word search with one document for each; that one is among the results, and each result is what the query's own
    /// notation asks for: it has the words of one of its alternatives. Nothing is an operator of the source alone.
    Words(fn(&Value) -> String),
    /// The source records the last text that it parsed.
    Seen(Box<dyn Fn() -> Option<String> + Send + Sync>),
}

impl Subject {
    /// Runs the whole suite.
    pub async fn check(&self) {
        self.gives_more_than_ten().await;
        self.sorts_by_date().await;
        self.stops_at_what_is_wanted().await;
        self.sees_one_literal().await;
        self.tells_each_mistake().await;
        self.ends_in_time().await;
    }

    pub async fn gives_more_than_ten(&self) {
        let page = self.ask(self.many, Sort::Relevancy, MANY).await.expect("an answer");
        assert_eq!(page.items.len(), MANY as usize, "{}: more than ten results", self.kind.name);
        assert!(
            page.found.is_none_or(|found| found >= u64::from(MANY)),
            "{}: {:?}",
            self.kind.name,
            page.found
        );
    }

    pub async fn stops_at_what_is_wanted(&self) {
        let page = self.ask(self.many, Sort::Relevancy, 3).await.expect("an answer");
        assert!((1..=10).contains(&page.items.len()), "{}: {} items for 3", self.kind.name, page.items.len());
    }

    pub async fn sorts_by_date(&self) {
        let connector = self.connector(&self.spec, self.user_token.clone()).expect("a connector");
        assert_eq!(connector.capability().date_sort, self.date.is_some(), "{}: capability", self.kind.name);
        let Some(date) = self.date else { return };
        let page = self.ask(self.many, Sort::Date, MANY).await.expect("an answer");
        let dates: Vec<String> = page.items.iter().map(date).collect();
        let mut newest_first = dates.clone();
        newest_first.sort_by(|one, other| other.cmp(one));
        assert_eq!(dates, newest_first, "{}: newest first", self.kind.name);
        assert!(dates.first() > dates.last(), "{}: the dates differ", self.kind.name);
    }

    pub async fn sees_one_literal(&self) {
        for &query in hostile::QUERIES {
            let answer = self.ask(query, Sort::Relevancy, 10).await;
            match &self.literal {
                Literal::Found(text) => {
                    let page =
                        answer.unwrap_or_else(|error| panic!("{}: {query:?}: {error}", self.kind.name));
                    let found: Vec<String> = page.items.iter().map(text).collect();
                    assert_eq!(found, [query], "{}: one document, by its literal text", self.kind.name);
                }
                Literal::Nearest(text) => {
                    let page =
                        answer.unwrap_or_else(|error| panic!("{}: {query:?}: {error}", self.kind.name));
                    assert_eq!(page.items.first().map(text).as_deref(), Some(query), "{}", self.kind.name);
                }
                Literal::Words(text) => {
                    let page =
                        answer.unwrap_or_else(|error| panic!("{}: {query:?}: {error}", self.kind.name));
                    let found: Vec<String> = page.items.iter().map(text).collect();
                    assert!(
                        found.iter().any(|one| one == query),
                        "{}: {query:?} is not in {found:?}",
                        self.kind.name
                    );
                    let asked = Expression::parse(query);
                    for one in &found {
                        assert!(is_met(&asked, &words(one)), "{}: {one:?} for {query:?}", self.kind.name);
                    }
                }
                Literal::Seen(last) => {
                    let seen = last();
                    assert_eq!(seen.as_deref(), Some(query), "{}: {answer:?}", self.kind.name);
                }
            }
        }
    }

    pub async fn tells_each_mistake(&self) {
        for mistake in &self.mistakes {
            let asked = self.ask_with(&mistake.spec, mistake.user_token.clone(), self.many, MANY).await;
            let error = asked.expect_err(mistake.what);
            let name = self.kind.name;
            assert_eq!(error.kind, mistake.kind, "{name}: {}: {error}", mistake.what);
            assert!(!error.message.contains('\n'), "{name}: {}: one sentence: {error}", mistake.what);
            for credentials in [&mistake.spec.credentials, &self.spec.credentials] {
                for secret in secrets(credentials) {
                    assert!(!error.message.contains(secret), "{name}: {}: a secret shows", mistake.what);
                }
            }
        }
    }

    /// A query with no time left fails with a timeout, and does not hang.
    pub async fn ends_in_time(&self) {
        let connector = self.connector(&self.spec, self.user_token.clone()).expect("a connector");
        let vector = self.reader.map(|read| read(self.many));
        let request = connector
            .prepare(&ProviderQuery {
                time_max: Duration::ZERO,
                ..self.query(self.many, Sort::Relevancy, 0, vector.as_deref())
            })
            .expect("a question");
        let error = request.execute().await.expect_err("no time was left");
        assert_eq!(error.kind, ConnectorErrorKind::Timeout, "{}: {error}", self.kind.name);
    }

    /// Queries like federation: page after page until there is enough.
    pub async fn ask(&self, text: &str, sort: Sort, wanted: u32) -> Result<NormalizedPage, ConnectorError> {
        let connector = self.connector(&self.spec, self.user_token.clone())?;
        self.ask_connector(connector.as_ref(), text, sort, wanted).await
    }

    async fn ask_with(
        &self,
        spec: &ProviderSpec,
        user_token: Option<Secret>,
        text: &str,
        wanted: u32,
    ) -> Result<NormalizedPage, ConnectorError> {
        let connector = self.connector(spec, user_token)?;
        self.ask_connector(connector.as_ref(), text, Sort::Relevancy, wanted).await
    }

    async fn ask_connector(
        &self,
        connector: &dyn Connector,
        text: &str,
        sort: Sort,
        wanted: u32,
    ) -> Result<NormalizedPage, ConnectorError> {
        let vector = connector.reader_model().and(self.reader).map(|read| read(text));
        let mut all = NormalizedPage::default();
        for page in 0..connector.pages(wanted).max(1) {
            let query =
                ProviderQuery { results_wanted: wanted, ..self.query(text, sort, page, vector.as_deref()) };
            let found = connector.prepare(&query)?.execute().await?.normalize()?;
            all.found = found.found.or(all.found);
            let is_last = found.items.is_empty();
            all.items.extend(found.items);
            if is_last || all.items.len() >= wanted as usize {
                break;
            }
        }
        all.items.truncate(wanted.max(10) as usize);
        Ok(all)
    }

    fn query<'a>(
        &self,
        text: &'a str,
        sort: Sort,
        page: u32,
        vector: Option<&'a [f32]>,
    ) -> ProviderQuery<'a> {
        ProviderQuery {
            text,
            sort,
            page,
            results_wanted: MANY,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            vector,
            time_max: TIME_MAX,
        }
    }

    fn connector(
        &self,
        spec: &ProviderSpec,
        user_token: Option<Secret>,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        let provider = SearchProvider {
            user_token,
            ..SearchProvider::unsaved(spec.clone(), UserId(1), self.context.clock.now())
        };
        let errors = (self.kind.check)(&provider);
        assert!(errors.is_empty(), "{}: {errors}", self.kind.name);
        (self.kind.build)(&provider, &self.context)
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether a text with these words is what a query asks for.
fn is_met(asked: &Expression<&str>, own: &BTreeSet<String>) -> bool {
    let is_there = |operand: &Operand<&str>| match &operand.item {
        Item::Word(text) | Item::Phrase(text) => own.is_superset(&words(text)),
        Item::Group(inner) => is_met(inner, own),
    };
    let is_met = |one: &Conjunction<&str>| {
        one.operands.iter().all(|operand| is_there(operand) != operand.is_negated())
    };
    asked.alternatives.iter().any(is_met)
}

/// The secret parts of credentials. In `user:password` the user is not secret.
fn secrets(credentials: &str) -> Vec<&str> {
    if credentials.starts_with('{') {
        return private_key(credentials);
    }
    let is_login = !credentials.contains(['=', '(', '/']);
    let hidden = match credentials.split_once(':') {
        Some((_, password)) if is_login => password,
        _ => credentials,
    };
    hidden.split([':', '\'', ',', '=', '@', '/', '(', ')']).filter(|part| part.len() > 5).collect()
}

/// The lines of the private key in a JSON service account key, whose other members are not secret.
fn private_key(json: &str) -> Vec<&str> {
    let (_, rest) = json.split_once("\"private_key\":").expect("a private key");
    let text = rest.trim_start().trim_start_matches('"').split('"').next().unwrap_or_default();
    text.split("\\n").filter(|line| line.len() > 5).collect()
}
