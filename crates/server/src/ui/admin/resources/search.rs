//! Resources for searching: providers, query transforms, pipelines.

use super::model::{
    CellFormat, Choices, Control, FieldGroup, Filter, Permissions, Resource, column, field, group,
};

pub const SEARCHPROVIDERS: Resource = Resource {
    slug: "searchproviders",
    singular: "SearchProvider",
    about: "The sources that searches query.",
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
        &[field("name"), field("description").by(Control::Long), field("tags").by(Control::Lines)],
    ),
    group(
        "Availability",
        "",
        &[
            field("active"),
            field("default"),
            field("shared"),
            field("groups").by(Control::Picks).of(Choices::Named("/groups/")),
        ],
    ),
    group(
        "Request",
        "How a query becomes a request. The connector determines which of these fields are used.",
        &[
            field("connector").by(Control::Connector).of(Choices::Named("/connectors/")),
            field("url").labeled("URL"),
            field("query_template").by(Control::Code),
            field("query_mappings").by(Control::Code),
            field("post_query_template").labeled("POST query template"),
            field("query_template_json"),
            field("http_request_headers").labeled("HTTP request headers"),
            field("results_per_query"),
        ],
    )
    .by_connector(),
    group(
        "Authentication",
        "",
        &[
            field("credentials").by(Control::Secret),
            field("eval_credentials").labeled("Session credentials"),
            field("authenticator"),
        ],
    )
    .by_connector(),
    group(
        "Response",
        "Where the results are in the response, and how their fields map.",
        &[
            field("response_mappings").by(Control::Code),
            field("result_mappings").by(Control::Code),
            field("result_grouping_field"),
        ],
    )
    .by_connector(),
    group(
        "Processors",
        "Executed in order.",
        &[
            field("query_processors")
                .by(Control::Ordered)
                .of(Choices::Named("/processors/?kind=query_processor")),
            field("result_processors")
                .by(Control::Ordered)
                .of(Choices::Named("/processors/?kind=result_processor")),
        ],
    ),
    group(
        "More",
        "Rate limits, AI summary rules, and how the pages behind results are fetched.",
        &[field("config"), field("page_fetch_config_json")],
    )
    .folded(),
];

pub const QUERYTRANSFORMS: Resource = Resource {
    slug: "querytransforms",
    singular: "Query transform",
    about: "Reusable query rewrites and synonyms. A search or a provider refers to them as name.type.",
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
        group("Transform", "", &[field("name"), field("qrx_type").labeled("Type"), field("shared")]),
        group(
            "Rules",
            "One rule per line. Lines that begin with # are ignored.",
            &[field("config_content").labeled("Rules").by(Control::Code)],
        ),
    ],
    permissions: Permissions::EVERYTHING.with_copy("name", " copy", " "),
};

pub const PIPELINES: Resource = Resource {
    slug: "pipelines",
    singular: "Pipeline",
    about: "Processors applied to the combined results of all sources, in order.",
    api: "/pipelines/",
    schema: "PipelineInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("processors", "Processors", CellFormat::Tags),
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
            .of(Choices::Named("/processors/?kind=post_result_processor"))],
    )],
    permissions: Permissions { create: false, change: true, copy: None, delete: false, test: false },
};
