//! What searches are made of: sources, transforms of queries, pipelines.

use super::{Choices, Control, FieldGroup, Filter, Kind, May, Show, column, field, group};

pub const SEARCHPROVIDERS: Kind = Kind {
    slug: "searchproviders",
    singular: "SearchProvider",
    about: "The sources that a search asks.",
    api: "/searchproviders/",
    schema: "SearchProviderInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("connector", "Connector", Show::Faint),
        column("tags", "Tags", Show::Tags),
        column("p50", "p50", Show::Speed),
        column("ok", "Last hour", Show::LastHour),
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
    may: May::EVERYTHING.copied("name", " copy", " ").tested(),
};

const PROVIDER_FIELDS: &[FieldGroup] = &[
    group(
        "The source",
        "What people see of it.",
        &[field("name"), field("description").by(Control::Long), field("tags").by(Control::Lines)],
    ),
    group(
        "When it is asked, and by whom",
        "",
        &[
            field("active"),
            field("default"),
            field("shared"),
            field("groups").by(Control::Picks).of(Choices::Named("/groups/")),
        ],
    ),
    group(
        "The question",
        "How a query becomes a request. The connector decides which of these are read.",
        &[
            field("connector").by(Control::Connector).of(Choices::Named("/connectors/")),
            field("url").called("Address"),
            field("query_template").by(Control::Code),
            field("query_mappings").by(Control::Code),
            field("post_query_template"),
            field("query_template_json"),
            field("http_request_headers"),
            field("results_per_query"),
        ],
    )
    .by_connector(),
    group(
        "Signing in at the source",
        "",
        &[field("credentials").by(Control::Secret), field("eval_credentials"), field("authenticator")],
    )
    .by_connector(),
    group(
        "The answer",
        "Where the results are, and which of their fields are which.",
        &[
            field("response_mappings").by(Control::Code),
            field("result_mappings").by(Control::Code),
            field("result_grouping_field"),
        ],
    )
    .by_connector(),
    group(
        "Processors",
        "They run from the first to the last.",
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
        "Budgets, rules of AI summaries, and how pages behind results are fetched.",
        &[field("config"), field("page_fetch_config_json")],
    )
    .folded(),
];

pub const QUERYTRANSFORMS: Kind = Kind {
    slug: "querytransforms",
    singular: "Query transform",
    about: "Reusable rewrites and synonyms of queries. A search or a provider names them as name.type.",
    api: "/querytransforms/",
    schema: "QueryTransformInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("qrx_type", "Type", Show::Code),
        column("owner", "Owner", Show::Faint),
        column("date_updated", "Changed", Show::Moment),
    ],
    switches: &["shared"],
    filters: &[],
    is_paged: false,
    groups: &[
        group("The transform", "", &[field("name"), field("qrx_type").called("Type"), field("shared")]),
        group(
            "What it does",
            "One rule on each line. Lines that begin with # are passed over.",
            &[field("config_content").called("Rules").by(Control::Code)],
        ),
    ],
    may: May::EVERYTHING.copied("name", " copy", " "),
};

pub const PIPELINES: Kind = Kind {
    slug: "pipelines",
    singular: "Pipeline",
    about: "Which processors go over the results of all sources, and in which order.",
    api: "/pipelines/",
    schema: "PipelineInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("processors", "Processors", Show::Tags),
        column("date_updated", "Changed", Show::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "The order",
        "They run from the first to the last. Drag them, or use the arrows.",
        &[field("processors")
            .by(Control::Ordered)
            .of(Choices::Named("/processors/?kind=post_result_processor"))],
    )],
    may: May { create: false, change: true, copy: None, delete: false, test: false },
};
