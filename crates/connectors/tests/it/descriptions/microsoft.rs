//! Microsoft Graph types. They contain no addresses; the search address is only in the documentation.

use super::{asked_service, without};
use fakes::descriptions::{TypeScript, pointers};
use fakes::microsoft_graph::Graph;
use serde_json::json;

const IMPORTS: &str = "import type * as graph from \"@microsoft/microsoft-graph-types\";";
/// A response is a list; the hits have the requested type.
const TYPES: &str = "
type Hit<T> = Omit<graph.SearchHit, \"resource\"> & { resource?: T };
type Hits<T> = Omit<graph.SearchHitsContainer, \"hits\"> & { hits?: Hit<T>[] };
type Response<T> = Omit<graph.SearchResponse, \"hitsContainers\"> & { hitsContainers?: Hits<T>[] };
type Answer<T> = { value: Response<T>[] };
type Request = { requests: graph.SearchRequest[] };
// As documented for the Teams search; the message type has other senders and no such link.
type FoundChatMessage = Omit<graph.ChatMessage, \"from\"> & { from?: graph.Recipient; webLink?: string };";

struct Kind {
    connector: &'static str,
    found: &'static str,
    source: &'static str,
    /// Pointers outside of the found resource.
    others: &'static [&'static str],
}

const KINDS: [Kind; 5] = [
    Kind {
        connector: "M365OutlookMessages",
        found: "graph.Message",
        source: include_str!("../../../src/m365_outlook_messages.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365OutlookCalendar",
        found: "graph.Event",
        source: include_str!("../../../src/m365_outlook_calendar.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365OneDrive",
        found: "graph.DriveItem",
        source: include_str!("../../../src/m365_onedrive.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365SharePointSites",
        found: "graph.Site",
        source: include_str!("../../../src/m365_sharepoint_sites.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "MicrosoftTeams",
        found: "FoundChatMessage",
        source: include_str!("../../../src/microsoft_teams.rs"),
        // For responses whose messages look like those of other Graph requests.
        others: &["/hitId", "/from/user/displayName"],
    },
];

#[tokio::test]
async fn graph_is_asked_as_microsoft_describes_it() {
    let Some(mut program) = TypeScript::given(IMPORTS) else { return };
    program.declare(TYPES);
    let graph = Graph::start().await;
    for Kind { connector, found, source, others } in &KINDS {
        for exchange in asked_service(connector, &graph.listener.url).await.exchanges() {
            assert_eq!((exchange.method.as_str(), exchange.path.as_str()), ("POST", "/v1.0/search/query"));
            program.request("Request", &exchange.body);
            program.answer(&format!("Answer<{found}>"), &exchange.answer);
        }
        program.reads(found, &without(pointers(source), others));
    }
    program.reads("graph.SearchHit", &["/hitId", "/summary"].map(str::to_owned).into());
    program.reads("graph.ChatMessage", &["/from/user/displayName".to_owned()].into());
    program.check();
}

/// Microsoft documents this search for the beta version only. The types of version 1.0 have it, as the test above checks.
#[tokio::test]
async fn teams_asks_version_1_and_its_page_says_that_this_is_unproven() {
    let graph = Graph::start().await;
    let exchanges = asked_service("MicrosoftTeams", &graph.listener.url).await.exchanges();
    assert!(!exchanges.is_empty());
    for exchange in exchanges {
        assert_eq!((exchange.method.as_str(), exchange.path.as_str()), ("POST", "/v1.0/search/query"));
        assert_eq!(exchange.body["requests"][0]["entityTypes"], json!(["chatMessage"]));
    }
    let page = include_str!("../../../../../docs/connectors/MicrosoftTeams.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for statement in [
        "This search is unproven: it was tried on a stand-in for Microsoft Graph only",
        "Microsoft's page about chat messages shows this search with `POST /beta/search/query`",
        "Microsoft's published types of version 1.0 list `chatMessage`",
    ] {
        assert!(page.contains(statement), "{statement}");
    }
}
