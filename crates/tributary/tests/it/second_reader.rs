//! The second reader: `tributary reader`, the published model, and what it does for lists.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness};
use crate::browser::Browser;
use crate::program::{run, text};
use domain::settings::Settings;
use relevancy::second_reader::{DIMENSIONS, TOKENS_MAX, cosine};
use serde_json::{Value, json};
use std::path::Path;
use testkit::source::{Behavior, Source};
use tributary::second_reader::{MODEL_FILE, install, load};

/// Pairs of texts with their similarity by the published model in 32 bits.
const PAIRS: [(&str, &str, f32); 4] = [
    ("When was the river mill built?", "The mill was built in 1868 and grinds rye and wheat.", 0.564),
    ("How do I reset my password?", "To choose a new password, open the settings of your account.", 0.665),
    ("electric cars", "Where to charge a battery vehicle on a long trip", 0.408),
    ("flood warning", "A bread recipe with rye and honey", 0.034),
];
/// How much the similarity may differ because of weights of 8 bits.
const TOLERANCE: f32 = 0.015;

/// Runs `tributary reader` in a folder. Returns the exit code and everything that it printed.
fn reader(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ended = run(folder, &[&["reader"][..], arguments].concat());
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

#[test]
fn a_wrong_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = reader(folder.path(), &["status"]);
    assert!(code == Some(0) && said.contains("Not installed") && said.contains("is off"), "{said}");
    let published = folder.path().join("published");
    std::fs::create_dir(&published).unwrap();
    for (name, text, expected) in [
        ("config.json", "{\"model_type\": \"gpt2\"}", "vocab.txt cannot be read"),
        ("vocab.txt", "[PAD]", "model.safetensors cannot be read"),
        ("model.safetensors", "", "'model_type' must be \"bert\""),
    ] {
        std::fs::write(published.join(name), text).unwrap();
        let (code, said) = reader(folder.path(), &["install", "published"]);
        assert!(code == Some(1) && said.contains(expected), "{name}: {said}");
    }
    let (code, said) = reader(folder.path(), &["install", "published/model.safetensors"]);
    assert!(code == Some(1) && said.contains("not a safetensors file"), "{said}");
    assert!(!folder.path().join("data").join(MODEL_FILE).exists());
    let (code, said) = reader(folder.path(), &["remove"]);
    assert!(code == Some(0) && said.contains("Nothing to do"), "{said}");
}

#[test]
fn the_published_model_is_installed_and_read() {
    let Some(published) = testkit::given("SVC_TEST_READER_MODEL", "the published model of the second reader")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = reader(folder.path(), &["install", &published]);
    assert!(code == Some(0) && said.contains("SVC_SECOND_READER=true"), "{said}");
    let (code, said) = reader(folder.path(), &["status"]);
    assert!(code == Some(0) && said.contains("Installed: "), "{said}");

    let data_dir = folder.path().join("data");
    let model = load(&data_dir).unwrap().unwrap();
    let vector = |text: &str| model.vector(text).unwrap();
    for (one, other, expected) in PAIRS {
        let found = cosine(&vector(one), &vector(other));
        assert!((found - expected).abs() < TOLERANCE, "{one} / {other}: {found}");
    }
    let long = "A river rises in spring. ".repeat(TOKENS_MAX);
    assert_eq!(vector(&long).len(), DIMENSIONS);
    assert_eq!(vector(&long), vector(&long.repeat(2)), "the rest of a long text is not read");

    // A converted file is installed as it is.
    let other = tempfile::tempdir().unwrap();
    let converted = data_dir.join(MODEL_FILE);
    let (code, said) = reader(other.path(), &["install", converted.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    let copied = std::fs::read(other.path().join("data").join(MODEL_FILE)).unwrap();
    assert!(copied == std::fs::read(&converted).unwrap());
    // The published file without its folder is not enough.
    let alone = Path::new(&published).join("model.safetensors");
    let (code, said) = reader(other.path(), &["install", alone.to_str().unwrap()]);
    assert!(code == Some(1) && said.contains("name its folder"), "{said}");
    let (code, said) = reader(folder.path(), &["remove"]);
    assert!(code == Some(0) && said.contains("Removed") && !converted.exists(), "{said}");
}

const READINGS_MAX: usize = 20;
const QUESTION: &str = "How do I reset my password?";
/// Results with words of the question, one that answers it, and one about something else.
const ITEMS: [(&str, &str); 5] = [
    ("Reset of the river gauge", "How the gauge was reset after the flood."),
    ("Password of the week", "A puzzle for children: find my password."),
    ("My reset button", "How do I paint a button."),
    ("How do I do my garden", "How do I do it."),
    (ANSWER, "To choose a new password, open the settings of your account."),
];
const ANSWER: &str = "Login help";

/// A service with the second reader, if its model is there, and the id of a finished search for the question.
async fn with_second_reader() -> Option<(AppHarness, Source, i64)> {
    let published = testkit::given("SVC_TEST_READER_MODEL", "the lists of the second reader")?;
    let app = AppHarness::with(|settings| {
        install(Path::new(&published), Path::new(&settings.data_dir)).unwrap();
        Settings { second_reader: true, ..settings }
    })
    .await;
    let source = Source::start().await;
    let item = |(number, (title, body)): (usize, &(&str, &str))| json!({"title": title, "body": body, "url": format!("https://help.example/{number}"), "date": "2024-03-05"});
    let items: Vec<Value> = ITEMS.iter().enumerate().map(item).collect();
    source.reply(Behavior::Json(json!({"total": items.len(), "items": items})));
    app.provider("Help", &source).await;
    let search = app.admin.search(&json!({"query_string": QUESTION})).await;
    let id = search["id"].as_i64().unwrap();
    // A busy machine may need more than one request; what was read is remembered.
    for _ in 0..READINGS_MAX {
        let list = app.admin.get(&format!("/svc/results/?search_id={id}&second_reader=true")).await;
        if list.body["info"]["results"]["second_reader"] == true {
            return Some((app, source, id));
        }
    }
    panic!("the second reader reads nothing");
}

/// The titles of a list, without marks.
fn titles(results: &Value) -> Vec<String> {
    let title = |item: &Value| item["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
    results.as_array().unwrap().iter().map(title).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_in_the_order_of_the_second_reader_on_request() {
    let Some((app, _source, id)) = with_second_reader().await else { return };
    let list = async |query: &str| {
        let answer = app.admin.get(&format!("/svc/results/?search_id={id}{query}")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        (titles(&answer.body["results"]), answer.body["info"]["results"]["second_reader"].clone())
    };
    let (usual, said) = list("").await;
    assert_eq!((usual.len(), &said), (5, &Value::Null));
    assert_eq!(usual[3], ANSWER, "{usual:?}");
    let (better, said) = list("&second_reader=true").await;
    assert_eq!((better[0].as_str(), said), (ANSWER, json!(true)), "{better:?}");
    assert_eq!(list("&second_reader=false").await, (usual.clone(), Value::Null));
    // An order by date stays as it is.
    let (_, said) = list("&second_reader=true&result_mixer=DateMixer").await;
    assert_eq!(said, json!(false));

    let mut browser = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let page = browser.get(&format!("/?search_id={id}")).await;
    assert!(page.body.as_str().unwrap().contains(" data-second-reader"), "{page:?}");
    let offer = browser.get(&format!("/search/{id}/better/?search_id={id}")).await;
    let href = format!("/?search_id={id}&second_reader=true");
    assert_eq!((offer.status.as_u16(), &offer.body["href"]), (200, &json!(href)), "{offer:?}");
    let page = browser.get(&href).await.body.as_str().unwrap().to_owned();
    let keys: Vec<&str> =
        page.split("id=\"t-").skip(1).map(|rest| rest.split("</h2>").next().unwrap()).collect();
    assert!(keys[0].contains("Login") && !keys[0].contains("button"), "{keys:?}");
    assert!(page.contains("data-better-order"), "{page}");
    for query in ["page=2", "second_reader=true", "sort=DateMixer"] {
        let none = browser.get(&format!("/search/{id}/better/?{query}")).await;
        assert_eq!((none.status.as_u16(), none.body), (200, json!({"href": null})), "{query}");
    }
    let otto = app.user("otto", &[]).await;
    for path in [format!("/search/{id}/better/"), format!("/svc/results/?search_id={id}&second_reader=true")]
    {
        assert_eq!(otto.get(&path).await.status, 404, "{path}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_of_a_model_is_in_the_order_of_the_second_reader() {
    let Some((app, _source, _)) = with_second_reader().await else { return };
    let call = async |arguments: Value| {
        let params = json!({"name": "search", "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = app.admin.post("/mcp", &message).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["result"].clone()
    };
    let found = call(json!({"query": QUESTION})).await;
    let data = &found["structuredContent"];
    assert_eq!((&data["order"], titles(&data["results"])[0].as_str()), (&json!("second_reader"), ANSWER));
    let ranks: Vec<u64> =
        data["results"].as_array().unwrap().iter().map(|item| item["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5]);
    assert!(found["content"][0]["text"].as_str().unwrap().contains("larger model"), "{found}");
    for arguments in
        [json!({"query": QUESTION, "sort": "date"}), json!({"query": QUESTION, "result_mixer": "DateMixer"})]
    {
        let found = call(arguments).await;
        assert_eq!(found["structuredContent"]["order"], Value::Null, "{found}");
    }
    app.stop().await;
}
