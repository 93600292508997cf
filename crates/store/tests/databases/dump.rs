//! A dump of all records: it is complete, fits the other database, and an older one is migrated.

use super::compact_json::{assert_found, damage, forms, save};
use super::{config, now};
use chrono::TimeDelta;
use domain::ai_provider::AiProviderSpec;
use domain::authenticator::{AuthenticatorSpec, Tokens};
use domain::chat::{ChatSpec, MessageContent, Rating, Speaker};
use domain::corpus::{
    AclToken, MatchMethod, MatterTag, NewSignal, OwnedVisibility, RejectReason, ScanCounts, Scope,
};
use domain::idempotency::IdempotencyKey;
use domain::ids::{SearchId, SignalId, TaskId, UserId};
use domain::ports::{
    AiProviderStore, AuthenticatorStore, CanonicalStore, ChatStore, ConnectionStore, EgressStore,
    ExistingPin, IdempotencyStore, OutboxStore, PinFilter, PromptStore, ProviderStore, ResultStore,
    ScanOutcome, SearchStore, SeedStore, SignalFilter, SignalStore, StoreError, SummaryStore, TaskKey,
    UserEdits, UserStore,
};
use domain::prompt::PromptSpec;
use domain::provider::ProviderSpec;
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec};
use domain::secret::Secret;
use domain::summary::{StoredSummary, SummaryRequest};
use domain::user::{GroupSpec, UserSpec};
use sqlx::{Connection, SqliteConnection};
use std::collections::BTreeSet;
use store::SqlStore;
use store::dump::{
    ColumnKind, DumpColumn, DumpError, DumpRow, DumpSink, DumpTable, Importer, export, schema_version,
    target_state,
};
use testkit::builders::notice;
use testkit::postgres::{TestDatabase, server};
use testkit::suites::store::egress::{found, new_scan};
use testkit::suites::store::elections::election;
use testkit::suites::store::signals;

/// Name, last id, columns and rows of a table.
type Content = (String, Option<i64>, Vec<String>, Vec<DumpRow>);

/// A dump in memory.
#[derive(Default, Debug, PartialEq, Clone)]
struct Copy(Vec<(DumpTable, Vec<DumpRow>)>);

impl DumpSink for Copy {
    fn begin(&mut self, table: &DumpTable) -> std::io::Result<()> {
        self.0.push((table.clone(), Vec::new()));
        Ok(())
    }

    fn row(&mut self, row: &DumpRow) -> std::io::Result<()> {
        self.0.last_mut().expect("a table").1.push(row.clone());
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Copy {
    async fn of(url: &str) -> Self {
        let mut copy = Self::default();
        assert_eq!(export(&Secret::new(url), &mut copy).await.expect("copied"), schema_version());
        copy
    }

    /// Returns the number of searches that got a task.
    async fn put(&self, url: &str, schema: i64) -> Result<usize, DumpError> {
        let mut importer = Importer::begin(&Secret::new(url), schema).await?;
        for (table, rows) in &self.0 {
            importer.table(table).await?;
            importer.rows(rows).await?;
        }
        importer.finish(now()).await
    }

    /// Names, columns and rows; the kinds differ between the databases.
    fn content(&self) -> Vec<Content> {
        let row = |(table, rows): &(DumpTable, Vec<DumpRow>)| {
            let names = table.columns.iter().map(|column| column.name.clone()).collect();
            (table.name.clone(), table.last_id, names, rows.clone())
        };
        self.0.iter().map(row).collect()
    }
}

fn file(folder: &tempfile::TempDir, name: &str) -> String {
    format!("sqlite://{}/{name}.db", folder.path().display())
}

fn tokens() -> Tokens {
    let (access, refresh) = (Secret::new("canary access"), Secret::new("canary refresh"));
    Tokens { access, refresh, expires: Some(now()), scopes: String::new() }
}

/// Some people and providers; one id was assigned and deleted.
async fn fill(url: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let spec = |name: &str| UserSpec { username: name.to_owned(), ..UserSpec::default() };
    let owner =
        store.create_user(spec("Änne \"quoted\" \\ \n"), "hash".to_owned(), now()).await.expect("a user").id;
    let gone = store.create_user(spec("gone"), "hash".to_owned(), now()).await.expect("a user").id;
    store.delete_user(gone).await.expect("deleted");
    let spec = ProviderSpec {
        name: "One".to_owned(),
        credentials: "key=canary".to_owned(),
        description: "NUL \0 in JSON".to_owned(),
        ..ProviderSpec::default()
    };
    store.create_providers(vec![spec], owner, now()).await.expect("a provider");
    let spec = AuthenticatorSpec { idp: "hub".to_owned(), ..AuthenticatorSpec::default() };
    let hub = store.create_authenticator(spec, now()).await.expect("an authenticator").id;
    store.connect(owner, hub, tokens(), "account".to_owned(), now()).await.expect("connected");
    talk(&store, owner).await;
    cache(&store, owner).await;
    store.close().await;
}

/// One record of everything that models need.
async fn talk(store: &SqlStore, owner: UserId) {
    let spec =
        AiProviderSpec { name: "model".to_owned(), api_key: "canary".to_owned(), ..Default::default() };
    store.seed_ai_provider(spec, now()).await.expect("brought");
    store
        .restore_prompt(PromptSpec { name: "standard".to_owned(), ..Default::default() }, now())
        .await
        .expect("a prompt");
    let chat = store.create_chat(ChatSpec::default(), owner, now()).await.expect("a chat").id;
    let message =
        store.add_message(chat, Speaker::User, MessageContent::default(), now()).await.expect("a message");
    let rating = Rating { rating: 1, reasons: vec![], comment: "NUL \0".to_owned() };
    store.rate_message(chat, message.id, rating).await.expect("rated");
}

/// One cached document, with everything that belongs to it.
async fn cache(store: &SqlStore, owner: UserId) {
    let seen = NewSignal { matter_tags: vec!["a".to_owned()], ..signals::seen("x") };
    let (signal, _) = store.note_signal(seen, &signals::by(owner, ""), now()).await.expect("noted");
    for text in ["one", "two"] {
        let content = signals::content(text, 2);
        store
            .index_signal(signal.signal_id, content, &signals::by(owner, text), now())
            .await
            .expect("indexed");
    }
    store.note_failure(signal.signal_id, owner, notice("NUL \0")).await.expect("noted");
    store.set_corpus_value("model", "reader").await.expect("kept");
    decide(store, signal.signal_id, owner).await;
}

/// One record of every decision on a document.
async fn decide(store: &SqlStore, signal: SignalId, owner: UserId) {
    let approved = store.record_run(election("a", &[signal], owner), now()).await.expect("an election");
    store.approve_run(approved.run_id, owner, "yes", ExistingPin::Keep, now()).await.expect("approved");
    let rejected = store.record_run(election("b", &[signal], owner), now()).await.expect("an election");
    store.reject_run(rejected.run_id, owner, RejectReason::Other, "no", now()).await.expect("rejected");
    let begun = store.begin_scan(new_scan(owner), now(), now()).await.expect("begun");
    let ScanOutcome::Queued(scan) = begun else { panic!("{begun:?}") };
    let events = vec![found(signal, "key", MatchMethod::LinkExact)];
    store.add_events(scan.scan_id, ScanCounts::default(), events, now()).await.expect("kept");
}

async fn check_decided(store: &SqlStore, signal: SignalId, owner: UserId) {
    let pin = store.pins_for("a", &[Scope::Firm]).await.expect("a pin").remove(0);
    assert_eq!((pin.signal_id, pin.pinned_by, pin.pinned_at), (signal, Some(owner), now()));
    let run = store.run(pin.run_id.expect("a run")).await.expect("approved");
    let expected = election("a", &[signal], owner);
    assert_eq!((run.members, run.weights, run.margin), (expected.members, expected.weights, 0.1));
    assert_eq!(
        store
            .pin_history(&PinFilter::visible_to(OwnedVisibility::Unrestricted), 0, 9)
            .await
            .expect("lines")
            .total,
        1
    );
    assert_eq!(store.rejections(&[signal]).await.expect("one").len(), 1);
    let scan = store.scans(owner, 0, 9).await.expect("a scan").items.remove(0);
    assert_eq!((scan.date_from, scan.counts.matches), (new_scan(owner).date_from, 1));
    assert_eq!(store.shared_externally(&[signal]).await.expect("shared").len(), 1);
}

async fn check_cache(store: &SqlStore, owner: UserId) {
    let filter = SignalFilter {
        visible_to: OwnedVisibility::To(vec![AclToken::User(owner)]),
        matter_tag: MatterTag::parse("a"),
        ..SignalFilter::visible_to(OwnedVisibility::Unrestricted)
    };
    let signal = store.find_signals(&filter, 0, 9).await.expect("found").items.remove(0);
    assert_eq!((signal.notices, signal.last_verified), (vec![notice("NUL \0")], Some(now())));
    assert_eq!(signal.file_bytes, signals::content("two", 2).file_bytes);
    check_decided(store, signal.signal_id, owner).await;
    assert_eq!(store.chunks(signal.signal_id).await.expect("pieces"), signals::chunks("two", 2));
    assert_eq!(store.earlier_hashes(signal.signal_id).await.expect("hashes"), [signals::hash("one")]);
    assert_eq!(store.corpus_value("model").await.expect("a value").as_deref(), Some("reader"));
}

/// A summary of the first search.
async fn answer(store: &SqlStore) {
    let search = store.search(SearchId(1)).await.expect("a search");
    assert!(
        store.begin_summary(search.id, "writer", now() + TimeDelta::minutes(1), now()).await.expect("begun")
    );
    let answer = StoredSummary {
        search: search.id,
        run: search.run,
        request: SummaryRequest::default(),
        row: ResultItem { body: "it flows".to_owned(), ..ResultItem::default() },
        prompt: None,
        date_created: now(),
    };
    assert!(store.save_summary(answer, "writer").await.expect("saved").is_some());
}

async fn check(url: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    let providers = store.providers().await.expect("the key fits");
    assert_eq!(providers[0].credentials.expose(), "key=canary");
    assert_eq!(providers[0].spec.description, "NUL \0 in JSON");
    assert_eq!(providers[0].date_created, now());
    let hub = store.authenticators().await.expect("the key fits").remove(0).id;
    let connection =
        store.connection(providers[0].owner, hub).await.expect("the key fits").expect("connected");
    assert_eq!((connection.tokens, connection.account.as_str()), (tokens(), "account"));
    assert_eq!(store.ai_providers().await.expect("the key fits")[0].spec.api_key, "canary");
    assert_eq!(store.prompts().await.expect("prompts")[0].spec.name, "standard");
    let chat = store.chats(providers[0].owner, 0, 9).await.expect("chats").items.remove(0);
    let message = store.messages(chat.id).await.expect("messages").remove(0);
    assert_eq!(message.rating.expect("rated").comment, "NUL \0");
    check_cache(&store, providers[0].owner).await;
    let spec = UserSpec { username: "new".to_owned(), ..UserSpec::default() };
    let new = store.create_user(spec, "hash".to_owned(), now()).await.expect("a user");
    assert_eq!(new.id.0, 3, "an id that was given is not given again");
    store.close().await;
}

#[tokio::test]
async fn a_copy_is_whole_and_fits_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (file(&folder, "here"), file(&folder, "there"));
    fill(&here).await;
    let copy = Copy::of(&here).await;
    let mut connection = SqliteConnection::connect(&here).await.expect("the file");
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN \
         ('_sqlx_migrations', 'workers', 'pings', 'pending_flows', 'answer_writers', 'corpus_changes', \
          'database_sizes', 'source_budgets') \
         AND substr(name, 1, 7) <> 'sqlite_'",
    )
    .fetch_all(&mut connection)
    .await
    .expect("tables");
    connection.close().await.expect("closed");
    let copied: BTreeSet<&str> = copy.0.iter().map(|(table, _)| table.name.as_str()).collect();
    assert_eq!(copied, tables.iter().map(String::as_str).collect(), "every table is copied");

    assert_eq!(target_state(&Secret::new(there.as_str())).await.expect("looked").schema, None);
    copy.put(&there, schema_version()).await.expect("written");
    assert_eq!(
        target_state(&Secret::new(there.as_str())).await.expect("looked").schema,
        Some(schema_version())
    );
    assert_eq!(Copy::of(&there).await, copy);
    check(&there).await;
}

/// The dump has the text of compressed values; SQLite compresses them again.
#[tokio::test]
async fn compressed_results_are_copied_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (file(&folder, "here"), file(&folder, "there"));
    let store = SqlStore::open(config(&here)).await.expect("opens");
    let stored = save(&store, "owner").await;
    store.close().await;
    let copy = Copy::of(&here).await;
    let (table, rows) = copy.0.iter().find(|(table, _)| table.name == "result_sets").expect("a table");
    let items = table.columns.iter().position(|column| column.name == "items").expect("a column");
    let text = stored.json_of_first();
    assert_eq!((rows.len(), rows[0][items].as_deref()), (3, Some(text.as_str())));

    copy.put(&there, schema_version()).await.expect("written");
    assert_eq!(forms(&there, stored.search.id).await, (0, 4));
    assert_eq!(Copy::of(&there).await, copy);
    let database = match server("results of a copy") {
        Some(server) => Some(TestDatabase::create(&server).await),
        None => None,
    };
    if let Some(database) = &database {
        copy.put(&database.url, schema_version()).await.expect("written");
        assert_eq!(Copy::of(&database.url).await.content(), copy.content());
    }
    for url in [Some(&there), database.as_ref().map(|database| &database.url)].into_iter().flatten() {
        let store = SqlStore::open(config(url)).await.expect("opens");
        assert_found(&store, &stored).await;
        store.close().await;
    }
    if let Some(database) = database {
        database.drop().await;
    }
}

#[tokio::test]
async fn a_damaged_value_does_not_prevent_a_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (file(&folder, "here"), file(&folder, "there"));
    let store = SqlStore::open(config(&here)).await.expect("opens");
    let (first, second) = (save(&store, "first").await, save(&store, "second").await);
    store.close().await;
    damage(&here, &first.sets[0]).await;
    Copy::of(&here).await.put(&there, schema_version()).await.expect("written");
    let store = SqlStore::open(config(&there)).await.expect("opens");
    let damaged = store.result_sets(first.search.id).await;
    assert!(matches!(&damaged, Err(StoreError::Failed { .. })), "{damaged:?}");
    let kept = store.result(first.sets[1].items[0].swirl_id).await.expect("read");
    assert_eq!(kept.item, first.sets[1].items[0]);
    assert_found(&store, &second).await;
    store.close().await;
}

#[tokio::test]
async fn a_copy_goes_to_postgres_and_back() {
    let Some(server) = server("copies of the store") else { return };
    let database = TestDatabase::create(&server).await;
    let url = database.url.clone();
    let folder = tempfile::tempdir().expect("a folder");
    let (here, back) = (file(&folder, "here"), file(&folder, "back"));
    fill(&here).await;
    many_groups(&here).await;
    let copy = Copy::of(&here).await;
    copy.put(&url, schema_version()).await.expect("written");
    let second = Copy::of(&url).await;
    assert_eq!(second.content(), copy.content());
    second.put(&url, schema_version()).await.expect("written over itself");
    second.put(&back, schema_version()).await.expect("written back");
    assert_eq!(Copy::of(&back).await.content(), copy.content());
    check(&url).await;
    check(&back).await;
    database.drop().await;
}

/// Enough records that their numeric and textual order differ.
async fn many_groups(url: &str) {
    let store = SqlStore::open(config(url)).await.expect("opens");
    for number in 0..12 {
        store.create_group(GroupSpec { name: format!("group {number}") }, now()).await.expect("a group");
    }
    store.close().await;
}

/// One search whose task is with a broker, and one whose task is not, with idempotency keys.
async fn search_twice(url: &str) {
    fill(url).await;
    let store = SqlStore::open(config(url)).await.expect("opens");
    let owner = store.providers().await.expect("a provider")[0].owner;
    for key in ["first", "second"] {
        let spec = SearchSpec { query_string: "river".to_owned(), ..SearchSpec::default() };
        let search = Search::created(SearchId(0), owner, spec, vec![], now());
        let key = IdempotencyKey { key: key.to_owned(), fingerprint: "f".to_owned() };
        store.create_search_once(search, None, &key).await.expect("stored").expect("a search");
    }
    let heads = store.outbox_heads(9, now()).await.expect("tasks");
    let first = heads.iter().map(|head| head.waiting.id).min().expect("a task");
    // As in earlier releases: only the broker had it.
    store.take_out(&[TaskKey { id: first, date_created: now() }]).await.expect("taken out");
    answer(&store).await;
    store.close().await;
}

#[tokio::test]
async fn a_search_whose_task_was_with_a_broker_gets_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there, again) = (file(&folder, "here"), file(&folder, "there"), file(&folder, "again"));
    search_twice(&here).await;
    let copy = Copy::of(&here).await;
    let database = match server("lost tasks of a copy") {
        Some(server) => Some(TestDatabase::create(&server).await),
        None => None,
    };
    for url in [Some(&there), database.as_ref().map(|database| &database.url)].into_iter().flatten() {
        assert_eq!(copy.put(url, schema_version()).await.expect("written"), 1);
        let store = SqlStore::open(config(url)).await.expect("opens");
        let heads = store.outbox_heads(9, now()).await.expect("tasks");
        let ids: Vec<TaskId> = heads.iter().map(|head| head.waiting.id).collect();
        let tasks = store.outbox_tasks(&ids).await.expect("tasks");
        let first = store.search(SearchId(1)).await.expect("a search");
        let owner = first.owner;
        let searches: BTreeSet<i64> =
            tasks.iter().filter_map(|row| row.task.payload["search"].as_i64()).collect();
        assert_eq!((tasks.len(), searches), (2, BTreeSet::from([1, 2])));
        assert_eq!(tasks[1].task, first.run_task(None), "it comes after those that wait");
        let key = store.stored_response(owner, "first", now()).await.expect("read").expect("it is copied");
        assert_eq!(key.answer.expect("an answer")["id"], 1);
        let kept = store.summary(SearchId(1)).await.expect("an answer").expect("it is copied").row;
        assert_eq!(
            (&*kept.body, store.result(kept.swirl_id).await.expect("a result").item),
            ("it flows", kept.clone())
        );
        store.close().await;
        assert_eq!(Copy::of(url).await.put(&again, schema_version()).await.expect("written"), 0);
    }
    if let Some(database) = database {
        database.drop().await;
    }
}

#[tokio::test]
async fn what_does_not_fit_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (file(&folder, "here"), file(&folder, "there"));
    fill(&here).await;
    fill(&there).await;
    let before = Copy::of(&there).await;
    let copy = Copy::of(&here).await;
    let newer = copy.put(&there, schema_version() + 1).await;
    assert!(matches!(newer, Err(DumpError::Newer(_))), "{newer:?}");
    let mut wrong = copy.clone();
    wrong.0[0].0.name = "no_such_table".to_owned();
    let mut short = copy.clone();
    short.0[0].1[0].pop();
    let mut strange = copy.clone();
    strange.0[0].0.columns[0].name = "no_such_column".to_owned();
    let mut words = copy.clone();
    words.0[0].1[0][0] = Some("a word".to_owned());
    for copy in [wrong, short, strange, words] {
        let error = copy.put(&there, schema_version()).await.expect_err("refused");
        assert!(matches!(error, DumpError::Unfit(_)), "{error:?}");
    }
    assert_eq!(Copy::of(&there).await, before);
}

#[tokio::test]
async fn an_older_copy_is_brought_to_this_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = file(&folder, "there");
    let table = |name: &str, columns: &[(&str, ColumnKind)], row: &[&str]| {
        let column = |(name, kind): &(&str, ColumnKind)| DumpColumn { name: (*name).to_owned(), kind: *kind };
        let table = DumpTable {
            name: name.to_owned(),
            columns: columns.iter().map(column).collect(),
            last_id: Some(1),
        };
        (table, vec![row.iter().map(|text| Some((*text).to_owned())).collect()])
    };
    let time = "2024-03-05T10:20:30+00:00";
    use ColumnKind::{Boolean, Integer, Real, Text};
    let users = table(
        "users",
        &[
            ("id", Integer),
            ("username", Text),
            ("email", Text),
            ("password_hash", Text),
            ("is_admin", Boolean),
            ("date_created", Text),
            ("date_updated", Text),
        ],
        &["1", "anna", "", "hash", "1", time, time],
    );
    let spec = r#"{"query_string":"river","retention":2,"subscribe":true}"#;
    let searches = table(
        "searches",
        &[
            ("id", Integer),
            ("owner", Integer),
            ("status", Text),
            ("run", Integer),
            ("time_s", Real),
            ("date_created", Text),
            ("date_updated", Text),
            ("query_string_processed", Text),
            ("draft", Text),
            ("messages", Text),
        ],
        &["1", "1", "FULL_RESULTS_READY", "1", "0.1", time, time, "river", spec, "[]"],
    );
    Copy(vec![users, searches]).put(&there, 4).await.expect("written");
    let store = SqlStore::open(config(&there)).await.expect("opens");
    let search = store.search(SearchId(1)).await.expect("there");
    assert_eq!((search.spec.retention, search.spec.subscribe, search.time_s), (Some(2), true, 0.1));
    store.close().await;
    let mut connection = SqliteConnection::connect(&there).await.expect("the file");
    let retention: i64 =
        sqlx::query_scalar("SELECT retention FROM searches").fetch_one(&mut connection).await.expect("a row");
    assert_eq!(retention, 2, "the column of a later migration was filled");
    connection.close().await.expect("closed");
}
