//! The supported MongoDB commands.

use super::contents::{COLLECTION, DATABASE, PLAIN_COLLECTION, SLOW_COLLECTION};
use super::filter;
use super::scram::Exchange;
use super::session::{ServerState, Session, refused};
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Document, doc};
use std::cmp::Ordering;
use std::sync::PoisonError;

/// Documents per batch. The original decides by size; a client must continue either way.
const BATCH: usize = 10;
const CURSOR: i64 = 77;
/// Fields that any command may have.
const GENERIC: [&str; 5] = ["$db", "lsid", "$readPreference", "$clusterTime", "readConcern"];

pub fn answer(
    state: &ServerState,
    session: &mut Session,
    name: &str,
    value: &Bson,
    command: &Document,
) -> Document {
    match name {
        "hello" | "isMaster" | "ismaster" => hello(command),
        "saslStart" => sasl_start(session, command),
        "saslContinue" => sasl_continue(session, command),
        "endSessions" | "ping" => doc! { "ok": 1.0 },
        _ if !session.is_in => refused(13, &format!("Command {name} requires authentication")),
        "find" => find(state, session, value, command).unwrap_or_else(|(code, told)| refused(code, &told)),
        "getMore" => get_more(session, value, command),
        "killCursors" => doc! { "cursorsKilled": [CURSOR], "ok": 1.0 },
        "aggregate" => count(state, value, command).unwrap_or_else(|(code, told)| refused(code, &told)),
        "listCollections" => list_collections(command),
        _ => refused(59, &format!("no such command: '{name}'")),
    }
}

fn hello(command: &Document) -> Document {
    let mut answer = doc! {
        "isWritablePrimary": true, "ismaster": true, "helloOk": true,
        "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
        "localTime": DateTime::from_millis(1_700_000_000_000), "logicalSessionTimeoutMinutes": 30,
        "connectionId": 1, "minWireVersion": 0, "maxWireVersion": 21, "readOnly": false,
    };
    if command.contains_key("saslSupportedMechs") {
        answer.insert("saslSupportedMechs", vec!["SCRAM-SHA-256"]);
    }
    answer.insert("ok", 1.0);
    answer
}

fn sasl_start(session: &mut Session, command: &Document) -> Document {
    let is_known = command.get_str("mechanism").is_ok_and(|name| name == "SCRAM-SHA-256");
    let started = payload(command).filter(|_| is_known).and_then(|text| Exchange::start(&text));
    let Some(exchange) = started else { return refused(18, "Authentication failed.") };
    let answer = sasl(false, exchange.server_first());
    session.scram = Some(exchange);
    answer
}

fn sasl_continue(session: &mut Session, command: &Document) -> Document {
    let exchange = session.scram.take();
    let last = exchange.and_then(|exchange| exchange.finish(&payload(command)?));
    session.is_in = last.is_some();
    last.map_or_else(|| refused(18, "Authentication failed."), |last| sasl(true, &last))
}

fn payload(command: &Document) -> Option<String> {
    String::from_utf8(command.get_binary_generic("payload").ok()?.clone()).ok()
}

fn sasl(is_done: bool, payload: &str) -> Document {
    let payload = Binary { subtype: BinarySubtype::Generic, bytes: payload.as_bytes().to_vec() };
    doc! { "conversationId": 1, "done": is_done, "payload": payload, "ok": 1.0 }
}

fn find(
    state: &ServerState,
    session: &mut Session,
    collection: &Bson,
    command: &Document,
) -> Result<Document, filter::Refusal> {
    let known = ["find", "filter", "sort", "projection", "limit", "maxTimeMS", "batchSize", "singleBatch"];
    only(command, "find", &known)?;
    let filter = command.get_document("filter").cloned().unwrap_or_default();
    let mut found = matching(state, command, collection, &filter)?;
    sort(&mut found, command.get_document("sort").ok())?;
    if let Ok(limit) = command.get_i64("limit").or_else(|_| command.get_i32("limit").map(i64::from)) {
        found.truncate(usize::try_from(limit).map_err(|_| (2, "limit must be non-negative".to_owned()))?);
    }
    let wants_score = match command.get_document("projection") {
        Err(_) => false,
        Ok(projection) if *projection == score_of() => true,
        Ok(_) => return Err((2, "a projection that is not known here".to_owned())),
    };
    let documents = found.into_iter().map(|(score, mut document)| {
        if wants_score {
            document.insert("textScore", score);
        }
        document
    });
    let documents: Vec<Document> = documents.collect();
    state.finds.lock().unwrap_or_else(PoisonError::into_inner).push(command.clone());
    Ok(batch(session, documents, "firstBatch"))
}

/// The next documents, and the cursor for the rest.
fn batch(session: &mut Session, mut documents: Vec<Document>, name: &str) -> Document {
    let rest = documents.split_off(BATCH.min(documents.len()));
    let id = if rest.is_empty() { 0 } else { CURSOR };
    session.cursor = (id != 0).then_some((id, rest));
    doc! { "cursor": { "id": id, "ns": format!("{DATABASE}.{COLLECTION}"), name: documents }, "ok": 1.0 }
}

fn get_more(session: &mut Session, id: &Bson, command: &Document) -> Document {
    match session.cursor.take() {
        Some((cursor, rest)) if *id == Bson::Int64(cursor) && command.contains_key("collection") => {
            batch(session, rest, "nextBatch")
        }
        _ => refused(43, "cursor id not found"),
    }
}

/// `[{$match}, {$limit}, {$group: {_id: 1, n: {$sum: 1}}}]`
fn count(state: &ServerState, collection: &Bson, command: &Document) -> Result<Document, filter::Refusal> {
    only(command, "aggregate", &["aggregate", "pipeline", "cursor", "maxTimeMS"])?;
    let unknown = || (40324, "a pipeline that is not known here".to_owned());
    let stages = command.get_array("pipeline").map_err(|_| unknown())?;
    let [Bson::Document(first), Bson::Document(limit), Bson::Document(group)] = stages.as_slice() else {
        return Err(unknown());
    };
    let filter = first.get_document("$match").map_err(|_| unknown())?;
    let limit = limit.get_i64("$limit").or_else(|_| limit.get_i32("$limit").map(i64::from));
    let limit = limit.map_err(|_| unknown())?;
    if *group != doc! { "$group": { "_id": 1, "n": { "$sum": 1 } } } {
        return Err(unknown());
    }
    let found = i64::try_from(matching(state, command, collection, filter)?.len()).unwrap_or(i64::MAX);
    let batch = vec![doc! { "_id": 1, "n": found.min(limit) }];
    Ok(doc! {
        "cursor": { "id": 0_i64, "ns": format!("{DATABASE}.{COLLECTION}"), "firstBatch": batch }, "ok": 1.0,
    })
}

fn list_collections(command: &Document) -> Document {
    let wanted = command.get_document("filter").ok().and_then(|filter| filter.get_str("name").ok());
    let is_here = command.get_str("$db").is_ok_and(|name| name == DATABASE);
    let all = [COLLECTION, PLAIN_COLLECTION, SLOW_COLLECTION];
    let named = all.into_iter().filter(|name| is_here && wanted.is_none_or(|wanted| wanted == *name));
    let batch: Vec<Document> = named.map(|name| doc! { "name": name, "type": "collection" }).collect();
    doc! {
        "cursor": { "id": 0_i64, "ns": format!("{DATABASE}.$cmd.listCollections"), "firstBatch": batch },
        "ok": 1.0,
    }
}

/// A missing collection is empty.
fn matching(
    state: &ServerState,
    command: &Document,
    collection: &Bson,
    filter: &Document,
) -> Result<Vec<(f64, Document)>, filter::Refusal> {
    let name = collection.as_str().unwrap_or_default();
    let is_here = command.get_str("$db").is_ok_and(|name| name == DATABASE)
        && [COLLECTION, PLAIN_COLLECTION].contains(&name);
    let mut found = Vec::new();
    for document in state.documents.iter().filter(|_| is_here) {
        if let Some(score) = filter::score(filter, document, name == COLLECTION)? {
            found.push((score, document.clone()));
        }
    }
    Ok(found)
}

fn sort(found: &mut [(f64, Document)], order: Option<&Document>) -> Result<(), filter::Refusal> {
    let Some(order) = order else { return Ok(()) };
    if *order == score_of() {
        found.sort_by(|(one, _), (other, _)| other.partial_cmp(one).unwrap_or(Ordering::Equal));
    } else if *order == doc! { "published": -1 } {
        found
            .sort_by_key(|(_, document)| std::cmp::Reverse(document.get_datetime("published").ok().copied()));
    } else {
        return Err((2, "an order that is not known here".to_owned()));
    }
    Ok(())
}

fn score_of() -> Document {
    doc! { "textScore": { "$meta": "textScore" } }
}

fn only(command: &Document, name: &str, known: &[&str]) -> Result<(), filter::Refusal> {
    let is_known = |key: &&String| known.contains(&key.as_str()) || GENERIC.contains(&key.as_str());
    match command.keys().find(|key| !is_known(key)) {
        Some(key) => Err((40415, format!("BSON field '{name}.{key}' is an unknown field"))),
        None => Ok(()),
    }
}
