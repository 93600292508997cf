//! Every tool, resource and prompt with each official client, over streamable HTTP and over standard input and output.

use super::official_clients::{OfficialClient, installed};
use crate::app_harness::Client;
use crate::program::{run, text};
use crate::rag_fixture::RagFixture;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const TOOLS: [&str; 10] = [
    "chat",
    "get_search_results",
    "list_providers",
    "list_searches",
    "list_versions",
    "pin_for_query",
    "read_document",
    "score_document",
    "search",
    "search_rag",
];

/// A secret of a provider that must never be shown.
const CANARY: &str = "canary-4f0d";

struct Scenario {
    fixture: RagFixture,
    token: String,
    /// A search of somebody else.
    other_search: i64,
}

async fn scenario() -> Scenario {
    let fixture = RagFixture::start().await;
    let app = &fixture.app;
    let role = json!({"tags": ["chat"], "defaults": ["chat"]});
    RagFixture::ai_provider(app, "Talker", &fixture.model, role).await;
    let secrets = json!({"credentials": format!("bearer={CANARY}"), "tags": ["mills"], "description": "About mills.",
        "http_request_headers": {"X-Key": CANARY}});
    app.provider_with("Locked mills", &fixture.source, secrets).await;
    let token = app.admin.post("/svc/tokens/", &json!({"label": "tools"})).await.body["token"].clone();
    let ann: Client = app.user("ann", &[]).await;
    let other_search = ann.search(&json!({"query_string": "river mill"})).await["id"].as_i64().unwrap();
    Scenario { token: token.as_str().unwrap().to_owned(), other_search, fixture }
}

impl Scenario {
    fn over_http(&self) -> Value {
        let authorization = format!("Token {}", self.token);
        json!({"url": format!("{}/mcp", self.fixture.app.base), "headers": {"Authorization": authorization}})
    }

    /// Runs the program itself on the records of the service.
    fn over_stdio(&self) -> Value {
        let folder = self.fixture.app.folder().display().to_string();
        json!({
            "command": env!("CARGO_BIN_EXE_tributary"),
            "args": ["mcp", "--data-dir", folder],
            "env": {"SVC_MCP_TOKEN": self.token, "SVC_RAG_SCORE_INCLUSION_THRESHOLD": "0.05"},
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_over_streamable_http() {
    let clients = installed("the tools over streamable HTTP");
    if clients.is_empty() {
        return;
    }
    let scenario = scenario().await;
    for client in &clients {
        walk_through(client, &scenario, &scenario.over_http());
        let plan = json!({"url": format!("{}/mcp", scenario.fixture.app.base), "steps": [{"do": "tools"}],
            "headers": {"Authorization": "Token trb_wrong"}});
        let refused = client.follow(&plan);
        assert_eq!(refused["connected"], false, "{}: a wrong token: {refused}", client.name);
    }
    scenario.fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_over_standard_input_and_output() {
    let clients = installed("the tools over standard input and output");
    if clients.is_empty() {
        return;
    }
    let scenario = scenario().await;
    for client in &clients {
        walk_through(client, &scenario, &scenario.over_stdio());
        let mut plan = with_steps(&scenario.over_stdio(), json!([{"do": "tools"}]));
        plan["env"]["SVC_MCP_TOKEN"] = json!("trb_wrong");
        assert_eq!(client.follow(&plan)["connected"], false, "{}: a wrong token", client.name);
    }
    scenario.fixture.app.stop().await;
}

/// Standard output is reserved for the protocol, even if there is nothing to serve.
#[test]
fn the_program_says_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, said) in
        [(&["mcp"][..], "SVC_MCP_TOKEN"), (&["mcp", "--user", "nobody"][..], "no user 'nobody'")]
    {
        let ended = run(folder.path(), arguments);
        assert_eq!((ended.status.code(), text(&ended.stdout).as_str()), (Some(1), ""), "{arguments:?}");
        assert!(text(&ended.stderr).contains(said), "{}", text(&ended.stderr));
    }
    let help = text(&run(folder.path(), &["mcp", "--help"]).stdout);
    assert!(help.contains("\"mcpServers\"") && help.contains("SVC_MCP_TOKEN"), "{help}");
}

fn with_steps(way: &Value, steps: Value) -> Value {
    let mut plan = way.clone();
    plan["steps"] = steps;
    plan
}

/// The outcome of each step; a failed request fails the test, unless it is expected.
struct Outcomes {
    who: &'static str,
    steps: Vec<Value>,
}

impl Outcomes {
    fn follow(client: &OfficialClient, way: &Value, steps: Value) -> Self {
        let count = steps.as_array().unwrap().len();
        let said = client.follow(&with_steps(way, steps));
        assert_eq!(said["connected"], true, "{}: {said}", client.name);
        let text = said.to_string();
        assert!(!text.contains(CANARY), "{}: a secret is seen: {text}", client.name);
        let steps = said["steps"].as_array().unwrap().clone();
        assert_eq!(steps.len(), count, "{}: {text}", client.name);
        Self { who: client.name, steps }
    }

    fn ok(&self, step: usize) -> &Value {
        let ok = &self.steps[step]["ok"];
        assert!(!ok.is_null(), "{}: step {step}: {}", self.who, self.steps[step]);
        ok
    }

    fn refused(&self, step: usize) -> &str {
        self.steps[step]["error"].as_str().unwrap_or_else(|| panic!("{}: {}", self.who, self.steps[step]))
    }

    /// The data of a successful tool call, which also has a text.
    fn data(&self, step: usize) -> &Value {
        let result = self.ok(step);
        assert_ne!(result["isError"], true, "{}: step {step}: {result}", self.who);
        assert!(!self.text(step).is_empty(), "{}: step {step}: {result}", self.who);
        &result["structuredContent"]
    }

    /// The error text of a failed tool call.
    fn failure(&self, step: usize) -> String {
        assert_eq!(self.ok(step)["isError"], true, "{}: step {step}: {}", self.who, self.ok(step));
        let text = self.text(step);
        assert!(text.contains("Next: "), "{}: {text}", self.who);
        text
    }

    fn text(&self, step: usize) -> String {
        self.ok(step)["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// Progress was reported, and it increased.
    fn progressed(&self, step: usize) {
        let notes = self.ok(step)["progress"].as_array().unwrap();
        let numbers: Vec<f64> = notes.iter().map(|note| note["progress"].as_f64().unwrap()).collect();
        assert!(numbers.len() >= 2 && numbers.is_sorted(), "{}: step {step}: {notes:?}", self.who);
    }
}

fn walk_through(client: &OfficialClient, scenario: &Scenario, way: &Value) {
    let (search, result) = steps_without_a_search(client, way);
    steps_on_a_search(client, way, (search, result), scenario.other_search);
}

/// Steps that need no earlier search. Returns the ids of a search and of its first result.
fn steps_without_a_search(client: &OfficialClient, way: &Value) -> (i64, i64) {
    let run = Outcomes::follow(
        client,
        way,
        json!([
            {"do": "tools"},
            {"do": "call", "name": "search", "arguments": {"query": "river mill", "max_results": 3}, "progress": true},
            {"do": "call", "name": "create_search", "arguments": {"query": "river mill", "providers": ["Mills"], "explain": true}},
            {"do": "call", "name": "list_providers", "arguments": {}},
            {"do": "call", "name": "list_providers", "arguments": {"tag": "mills"}},
            {"do": "call", "name": "score_document", "arguments": {"query": "river mill", "text": "A mill by the river."}},
            {"do": "resources"},
            {"do": "templates"},
            {"do": "read", "uri": "svc://providers"},
            {"do": "read", "uri": "svc://health"},
            {"do": "prompts"},
            {"do": "prompt", "name": "research", "arguments": {"question": "How old is the mill?"}},
            {"do": "call", "name": "search", "arguments": {"query": " "}},
            {"do": "call", "name": "search", "arguments": {"query": "x", "colour": "blue"}},
            {"do": "read", "uri": "svc://license/other"},
            {"do": "info"},
            {"do": "read", "uri": "svc://license"},
            {"do": "call", "name": "search", "arguments": {"query": "river mill", "providers": ["nobody"]}},
            {"do": "call", "name": "chat", "arguments": {"message": " "}},
        ]),
    );
    every_tool(run.ok(0).as_array().unwrap());
    let found = run.data(1);
    assert_eq!((&found["status"], &found["total"]), (&json!("FULL_RESULTS_READY"), &json!(2)), "{found}");
    run.progressed(1);
    let runs: Vec<&str> =
        found["providers"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(runs, ["Locked mills", "Mills"]);
    assert!(run.text(1).contains("The river mill") && run.text(1).contains("https://mills.example/1"));
    assert!(run.data(2)["results"][0]["explain"].is_object(), "{}", run.data(2));
    assert_eq!(run.data(3)["providers"].as_array().unwrap().len(), 2);
    let tagged = run.data(4)["providers"].as_array().unwrap();
    assert_eq!((tagged.len(), &tagged[0]["name"]), (1, &json!("Locked mills")));
    assert!(run.data(5)["confidence"].as_f64().unwrap() > 0.3, "{}", run.data(5));
    let uris: Vec<&str> =
        run.ok(6).as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["svc://providers", "svc://health", "svc://license"]);
    assert_eq!(run.ok(7)[0]["uriTemplate"], "svc://search/{id}");
    assert!(run.ok(8)[0]["text"].as_str().unwrap().contains("Locked mills"));
    let health: Value = serde_json::from_str(run.ok(9)[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&health["status"], health["sources"].as_array().unwrap().len()), (&json!("ok"), 2));
    assert_eq!(run.ok(10)[0]["name"], "research");
    assert!(run.ok(11)[0]["content"]["text"].as_str().unwrap().contains("How old is the mill?"));
    assert!(run.failure(12).contains("not valid: query: A query is needed"), "{}", run.failure(12));
    assert!(run.failure(13).contains("colour"));
    assert!(run.refused(14).contains("svc://license/other"));
    assert_eq!(run.ok(15)["server"]["name"], "tributary");
    let license: Value = serde_json::from_str(run.ok(16)[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&license["status"], &license["cache"]), (&json!("none"), &json!(false)), "{license}");
    let nobody = run.data(17);
    assert_eq!(
        (&nobody["status"], &nobody["total"]),
        (&json!("ERR_NO_SEARCHPROVIDERS"), &json!(0)),
        "{nobody}"
    );
    assert!(nobody["note"].as_str().unwrap().contains("list_providers"), "{nobody}");
    assert!(run.failure(18).contains("message: A message is needed"), "{}", run.failure(18));
    let id = found["search_id"].as_i64().unwrap();
    (id, found["results"][0]["swirl_id"].as_i64().unwrap())
}

fn every_tool(tools: &[Value]) {
    let names: BTreeSet<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(TOOLS));
    for tool in tools {
        let hints = &tool["annotations"];
        let writes = ["chat", "pin_for_query"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(hints["readOnlyHint"], !writes, "{tool}");
        assert_eq!(hints["destructiveHint"], false, "{tool}");
    }
}

/// Steps on a search, and steps that are refused.
fn steps_on_a_search(client: &OfficialClient, way: &Value, (search, result): (i64, i64), other_search: i64) {
    let document = json!({"search_id": search, "swirl_id": result, "length": 20});
    let run = Outcomes::follow(
        client,
        way,
        json!([
            {"do": "tools"},
            {"do": "call", "name": "get_search_results", "arguments": {"search_id": search}},
            {"do": "call", "name": "get_results", "arguments": {"search_id": search, "page": 2, "max_results": 1}},
            {"do": "call", "name": "read_document", "arguments": document},
            {"do": "call", "name": "search_rag", "arguments": {"search_id": search, "timeout": 60}, "progress": true},
            {"do": "call", "name": "rag_answer", "arguments": {"query": "river mill"}},
            {"do": "call", "name": "chat", "arguments": {"message": "Tell me of the mill."}},
            {"do": "call", "name": "list_searches", "arguments": {"limit": 5}},
            {"do": "read", "uri": format!("svc://search/{search}")},
            {"do": "call", "name": "score_document", "arguments": {"query": "wheel", "search_id": search, "swirl_id": result}},
            {"do": "call", "name": "read_document", "arguments": {"url": "http://169.254.169.254/latest/meta-data/"}},
            {"do": "call", "name": "read_document", "arguments": {"search_id": other_search, "swirl_id": result}},
            {"do": "call", "name": "get_search_results", "arguments": {"search_id": other_search}},
            {"do": "call", "name": "search_rag", "arguments": {"search_id": other_search}},
            {"do": "read", "uri": format!("svc://search/{other_search}")},
            {"do": "call", "name": "chat", "arguments": {"message": "x", "chat_id": 999999}},
            {"do": "call", "name": "delete_everything", "arguments": {}},
        ]),
    );
    assert_eq!(run.data(1)["results"].as_array().unwrap().len(), 2);
    let second = run.data(2);
    assert_eq!((&second["results"][0]["rank"], second.get("next_page")), (&json!(2), None), "{second}");
    let window = run.data(3);
    assert_eq!(window["text"].as_str().unwrap().chars().count(), 20, "{window}");
    assert_eq!((&window["source"], &window["next_offset"]), (&json!("result"), &json!(20)), "{window}");
    let answer = run.data(4);
    assert!(answer["answer"].as_str().unwrap().contains("[1]"), "{answer}");
    assert_eq!(answer["search_id"], search);
    assert!(
        answer["citations"][0]["url"].as_str().unwrap().starts_with("https://mills.example/"),
        "{answer}"
    );
    run.progressed(4);
    assert_eq!(run.data(5)["ai_model"], "gpt-4o", "{}", run.data(5));
    let reply = run.data(6);
    assert!(!reply["content"].as_str().unwrap().is_empty() && reply["chat_id"].is_i64(), "{reply}");
    let queries = run.data(7)["searches"].as_array().unwrap();
    assert!(queries.len() <= 5 && queries.iter().any(|one| one["search_id"] == search), "{queries:?}");
    assert!(queries.iter().all(|one| one["search_id"] != other_search), "{queries:?}");
    assert!(run.ok(8)[0]["text"].as_str().unwrap().contains("The river mill"));
    assert!(run.data(9)["confidence"].is_number());
    assert!(run.failure(10).contains("only documents of your own results"));
    for step in [11, 12, 13] {
        assert!(run.failure(step).contains("You have no search"), "{}", run.failure(step));
    }
    assert!(run.refused(14).contains("You have no search"));
    assert!(run.failure(15).contains("no conversation"));
    let unknown = &run.steps[16];
    assert!(unknown.get("error").is_some() || unknown["ok"]["isError"] == true, "{unknown}");
}
