//! Microsoft's types of Graph. They have no addresses: the one address of the search is in the documentation alone.

use super::{asked_service, without};
use testkit::descriptions::{TypeScript, pointers};
use testkit::vendors::graph::Graph;

const IMPORTS: &str = "import type * as graph from \"@microsoft/microsoft-graph-types\";";
/// An answer is a list of responses; what was found is of the kind that was asked for.
const TYPES: &str = "
type Hit<T> = Omit<graph.SearchHit, \"resource\"> & { resource?: T };
type Hits<T> = Omit<graph.SearchHitsContainer, \"hits\"> & { hits?: Hit<T>[] };
type Response<T> = Omit<graph.SearchResponse, \"hitsContainers\"> & { hitsContainers?: Hits<T>[] };
type Answer<T> = { value: Response<T>[] };
type Request = { requests: graph.SearchRequest[] };
// As the page about the search of Teams shows them; the type of a message has other senders and no such link.
type FoundChatMessage = Omit<graph.ChatMessage, \"from\"> & { from?: graph.Recipient; webLink?: string };";

struct Kind {
    connector: &'static str,
    found: &'static str,
    source: &'static str,
    /// Pointers that are not of the found thing.
    others: &'static [&'static str],
}

const KINDS: [Kind; 5] = [
    Kind {
        connector: "M365OutlookMessages",
        found: "graph.Message",
        source: include_str!("../../../src/m365outlook_messages.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365OutlookCalendar",
        found: "graph.Event",
        source: include_str!("../../../src/m365outlook_calendar.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365OneDrive",
        found: "graph.DriveItem",
        source: include_str!("../../../src/m365one_drive.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "M365SharePointSites",
        found: "graph.Site",
        source: include_str!("../../../src/m365share_point_sites.rs"),
        others: &["/hitId"],
    },
    Kind {
        connector: "MicrosoftTeams",
        found: "FoundChatMessage",
        source: include_str!("../../../src/microsoft_teams.rs"),
        // For answers whose messages are like those of the other requests of Graph.
        others: &["/hitId", "/from/user/displayName"],
    },
];

#[tokio::test]
async fn graph_is_asked_as_microsoft_describes_it() {
    let Some(mut program) = TypeScript::given(IMPORTS) else { return };
    program.declare(TYPES);
    let graph = Graph::start().await;
    for Kind { connector, found, source, others } in &KINDS {
        for exchange in asked_service(connector, &graph.stand.url).await.exchanges() {
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
