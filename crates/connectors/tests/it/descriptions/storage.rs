//! Types and addresses from the SDKs of Box and Dropbox.

use super::{asked_service, without};
use fakes::box_storage::BoxStorage;
use fakes::descriptions::{Exchange, TypeScript, camel_case, pointers, with_camel_case};
use fakes::dropbox::Dropbox;
use serde_json::{Map, Value, json};

const BOX: &str =
    "import type { SearchForContentQueryParams } from \"./node_modules/box-node-sdk/lib/managers/search\";
import type { SearchResults } from \"./node_modules/box-node-sdk/lib/schemas/searchResults\";
import type { FileFull } from \"./node_modules/box-node-sdk/lib/schemas/fileFull\";
// Hits are files, because no other type is requested.
type Found = Omit<SearchResults, \"entries\"> & { entries: FileFull[] };";

/// The parameters with the types that the SDK has before serialization.
fn box_parameters(exchange: &Exchange) -> Value {
    let mut parameters = Map::new();
    for (name, text) in &exchange.query {
        let value = match name.as_str() {
            "limit" | "offset" => text.parse::<u64>().expect("a number").into(),
            "fields" => json!(text.split(',').collect::<Vec<&str>>()),
            _ => json!(text),
        };
        parameters.insert(camel_case(name), value);
    }
    parameters.into()
}

#[tokio::test]
async fn box_is_asked_as_box_describes_it() {
    let Some(mut program) = TypeScript::given(BOX) else { return };
    let service = BoxStorage::start().await;
    for exchange in asked_service("BoxStorage", &service.listener.url).await.exchanges() {
        assert_eq!(exchange.method, "GET");
        let manager = program.source("box-node-sdk/lib/managers/search.js");
        assert!(manager.contains(&format!("'{}'", exchange.path)), "{}", exchange.path);
        let fields =
            exchange.query.iter().find(|(name, _)| name == "fields").map(|(_, fields)| fields.as_str());
        let fields = fields.expect("fields").split(',').map(|name| format!("/{}", camel_case(name)));
        program.reads("FileFull", &fields.collect());
        program.request("SearchForContentQueryParams", &box_parameters(&exchange));
        program.answer("Found", &with_camel_case(&exchange.answer));
    }
    let read = pointers(include_str!("../../../src/box_storage.rs"));
    program.reads("FileFull", &read.iter().map(|pointer| camel_case(pointer)).collect());
    program.reads(
        "Found",
        &["/totalCount", "/entries/0/pathCollection/entries/0/name"].map(str::to_owned).into(),
    );
    program.check();
}

/// A variant without members may be its name alone.
fn with_tags(body: &Value) -> Value {
    let mut body = body.clone();
    for name in ["order_by", "file_status"] {
        let variant = body["options"][name].take();
        body["options"][name] = json!({ ".tag": variant });
    }
    body
}

#[tokio::test]
async fn dropbox_is_asked_as_dropbox_describes_it() {
    let Some(mut program) =
        TypeScript::given("import type { files } from \"./node_modules/dropbox/types/dropbox_types\";")
    else {
        return;
    };
    let service = Dropbox::start().await;
    let recorder = asked_service("Dropbox", &service.listener.url).await;
    let routes = program.source("dropbox/lib/routes.js");
    for exchange in recorder.to("/search_v2") {
        program.request("files.SearchV2Arg", &with_tags(&exchange.body));
    }
    for exchange in recorder.to("/continue_v2") {
        program.request("files.SearchV2ContinueArg", &exchange.body);
    }
    for exchange in recorder.exchanges() {
        let path = exchange.path.strip_prefix("/2/").expect("the second version");
        assert!(routes.contains(&format!("request('{path}'")) && exchange.method == "POST", "{path}");
        program.answer("files.SearchV2Result", &exchange.answer);
    }
    let read = without(
        pointers(include_str!("../../../src/dropbox.rs")),
        &["/metadata/metadata/.tag", "/error/.tag", "/error/required_scope"],
    );
    program.reads("files.FileMetadata", &read);
    program.reads(
        "files.SearchV2Result",
        &["/cursor", "/has_more", "/matches/0/highlight_spans/0/highlight_str"].map(str::to_owned).into(),
    );
    program.check();
}
