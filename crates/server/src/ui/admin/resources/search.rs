//! Resources for searching: providers, query transforms, pipelines.

use super::model::{
    CellFormat, Choices, Control, FieldGroup, Filter, Permissions, Resource, column, field, group,
};

pub const SEARCHPROVIDERS: Resource = Resource {
    slug: "searchproviders",
    singular: "source",
    about: "Where searches look for results.",
    api: "/searchproviders/",
    schema: "SearchProviderInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("connector", "Connector", CellFormat::Faint),
        column("tags", "Tags", CellFormat::Tags),
        column("p50", "p50", CellFormat::Speed),
        column("ok", "Last hour", CellFormat::LastHour),
    ],
    switches: &["active", "default", "shared"],
    filters: &[
        Filter { parameter: "connector", label: "Connector", choices: Choices::Named("/connectors/") },
        Filter { parameter: "tag", label: "Tag", choices: Choices::Word },
        Filter { parameter: "active", label: "Active", choices: Choices::Flag },
        Filter { parameter: "default", label: "Default", choices: Choices::Flag },
    ],
    is_paged: true,
    groups: PROVIDER_FIELDS,
    permissions: Permissions::EVERYTHING.with_copy("name", " copy", " ").with_test(),
};

const PROVIDER_FIELDS: &[FieldGroup] = &[
    group(
        "Source",
        "How it appears to users.",
        &[
            field("name").help("Shown next to each result. Must be unique."),
            field("description")
                .by(Control::Long)
                .help("What the source contains and when to search it. Users and the assistant read this."),
            field("tags")
                .by(Control::Lines)
                .help("A tag selects several sources at once: `news:river` searches every source tagged `news`."),
        ],
    ),
    group(
        "Availability",
        "",
        &[
            field("active").help("Turn this off to stop searching the source without deleting it."),
            field("default")
                .help("Part of every search. If off, only searches that select the source or one of its tags use it."),
            field("shared")
                .help("Visible to everyone. If off, only the groups below and administrators can see it."),
            field("groups")
                .by(Control::Picks)
                .of(Choices::Named("/groups/"))
                .help("Who can see the source if it is not shared."),
        ],
    ),
    group(
        "Request",
        "How a query becomes a request. The connector determines which of these fields are used.",
        &[
            field("connector")
                .by(Control::Connector)
                .of(Choices::Named("/connectors/"))
                .help("How the source is reached. `RequestsGet` suits most JSON and XML APIs."),
            field("url")
                .labeled("URL")
                .help("The part of the address that never changes. For a database: its file or connection string."),
            field("query_template")
                .by(Control::Code)
                .help("The request or SQL statement. `{query_string}` becomes the query, `{url}` the URL above, and other names in braces come from the query mappings."),
            field("query_mappings")
                .by(Control::Code)
                .help("Values for the template and what the source supports, separated by commas, such as `lang=en,PAGE=start=RESULT_INDEX`."),
            field("post_query_template")
                .labeled("POST query template")
                .help("The JSON body of a POST request, such as `{\"query\": \"{query_string}\"}`."),
            field("query_template_json").help("The query, for sources that expect JSON."),
            field("http_request_headers")
                .labeled("HTTP request headers")
                .help("Extra headers as JSON. Secret values are hidden after saving; leave the dots in place to keep them."),
            field("results_per_query")
                .help("How many results to request, up to 1000. Larger numbers are fetched page by page."),
        ],
    )
    .by_connector(),
    group(
        "Authentication",
        "",
        &[
            field("credentials").by(Control::Secret).help(
                "`bearer=<token>`, `HTTPBasicAuth('user','password')`, or `key=<value>` for a `{key}` in the template.",
            ),
            field("eval_credentials")
                .labeled("Session credentials")
                .help("Name of a value in the user's session that replaces `{credentials}` in the credentials."),
            field("authenticator")
                .help("If users search with their own accounts: the authenticator that provides their tokens."),
        ],
    )
    .by_connector(),
    group(
        "Response",
        "Where the results are in the response, and how their fields map.",
        &[
            field("response_mappings")
                .by(Control::Code)
                .expert()
                .help("Where to find the results and their number, such as `FOUND=total,RESULTS=items`."),
            field("result_mappings")
                .by(Control::Code)
                .expert()
                .help("Maps fields of the source to fields of a result, such as `title=name,body=abstract,url=links.html`."),
            field("result_grouping_field")
                .expert()
                .help("With `DedupeByFieldResultProcessor`, only the first result with the same value of this field is kept."),
        ],
    )
    .by_connector(),
    group(
        "Processors",
        "Executed in order.",
        &[
            field("query_processors")
                .by(Control::Ordered)
                .of(Choices::Named("/processors/?kind=query_processor"))
                .help("Change the query before it is sent to this source."),
            field("result_processors")
                .by(Control::Ordered)
                .of(Choices::Named("/processors/?kind=result_processor"))
                .help("Change the results of this source before they are combined with others."),
        ],
    ),
    group(
        "More",
        "Rate limits, AI summary rules, and how the pages behind results are fetched.",
        &[
            field("config").help(
                "Rate limits and AI rules as JSON, such as `{\"swirl\": {\"connector_use\": {\"rate_limit\": \"30/minute\"}}}`.",
            ),
            field("page_fetch_config_json")
                .labeled("Page fetching")
                .help("How the web pages behind results are fetched, as JSON. Secret values are hidden after saving."),
        ],
    )
    .folded(),
];

pub const QUERYTRANSFORMS: Resource = Resource {
    slug: "querytransforms",
    singular: "query transform",
    about: "Reusable query rewrites and synonyms. A search or a source refers to them as name.type.",
    api: "/querytransforms/",
    schema: "QueryTransformInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("qrx_type", "Type", CellFormat::Code),
        column("owner", "Owner", CellFormat::Faint),
        column("date_updated", "Changed", CellFormat::Moment),
    ],
    switches: &["shared"],
    filters: &[],
    is_paged: false,
    groups: &[
        group(
            "Transform",
            "",
            &[
                field("name").help("Searches and sources refer to it as name.type. The name must not contain a dot."),
                field("qrx_type")
                    .labeled("Type")
                    .help("`rewrite` replaces words, `synonym` adds one alternative, `bag` adds several."),
                field("shared").help("Everyone can use it. If off, only its owner can."),
            ],
        ),
        group(
            "Rules",
            "One rule per line. Lines that begin with # are ignored.",
            &[field("config_content").labeled("Rules").by(Control::Code).help(
                "rewrite: `pattern; pattern,replacement` · synonym: `term,synonym` · bag: `term,synonym,synonym`",
            )],
        ),
    ],
    permissions: Permissions::EVERYTHING.with_copy("name", " copy", " "),
};

pub const PIPELINES: Resource = Resource {
    slug: "pipelines",
    singular: "pipeline",
    about: "Processors applied to the combined results of all sources, in order.",
    api: "/pipelines/",
    schema: "PipelineInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("processors", "Processors", CellFormat::Processors),
        column("date_updated", "Changed", CellFormat::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "Order",
        "Executed in order. Drag to reorder, or use the arrows.",
        &[field("processors")
            .by(Control::Ordered)
            .of(Choices::Named("/processors/?kind=post_result_processor"))
            .help("Applied to the combined results of all sources.")],
    )],
    permissions: Permissions { create: false, change: true, copy: None, delete: false, test: false },
};
