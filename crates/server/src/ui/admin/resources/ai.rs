//! Resources for AI: models and prompts.

use super::model::{CellFormat, Choices, Control, Filter, Permissions, Resource, column, field, group};
use domain::prompt::TAGS;

pub const AIPROVIDERS: Resource = Resource {
    slug: "aiproviders",
    singular: "AIProvider",
    about: "Models that write summaries, chat, rerank results and rewrite queries.",
    api: "/aiproviders/",
    schema: "AIProviderInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("model", "Model", CellFormat::Code),
        column("tags", "Roles", CellFormat::Tags),
        column("api_key_set", "Key", CellFormat::Presence),
    ],
    switches: &["active", "shared"],
    filters: &[Filter {
        parameter: "tag",
        label: "Role",
        choices: Choices::These(&["reader", "query", "connector", "rag", "chat", "reranker"]),
    }],
    is_paged: false,
    groups: &[
        group(
            "Model",
            "",
            &[
                field("name"),
                field("model"),
                field("api_key").by(Control::Secret),
                field("active"),
                field("shared"),
            ],
        ),
        group(
            "Roles",
            "What the model is used for, and where it is the default.",
            &[
                field("tags").labeled("Roles").by(Control::Picks),
                field("defaults").labeled("Default for").by(Control::Picks),
            ],
        ),
        group("Service", "Connection settings and limits.", &[field("config")]),
        group(
            "Custom prompts",
            "Prompts that replace the standard ones for this model.",
            &[field("prompt_overrides")],
        )
        .folded(),
    ],
    permissions: Permissions::EVERYTHING.with_copy("name", " copy", " ").with_test(),
};

pub const PROMPTS: Resource = Resource {
    slug: "prompts",
    singular: "Prompt",
    about: "Instructions for the models. Standard prompts cannot be changed; copy one to customize it.",
    api: "/prompts/",
    schema: "PromptInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("tags", "Used for", CellFormat::Tags),
        column("owner", "Owner", CellFormat::Faint),
        column("date_updated", "Changed", CellFormat::Moment),
    ],
    switches: &["active", "shared"],
    filters: &[Filter { parameter: "tag", label: "Used for", choices: Choices::These(&TAGS) }],
    is_paged: false,
    groups: &[
        group(
            "Prompt",
            "",
            &[
                field("name"),
                field("tags").labeled("Used for").by(Control::Picks).of(Choices::These(&TAGS)),
                field("active"),
                field("shared"),
            ],
        ),
        group(
            "Texts",
            "In the order in which the model reads them.",
            &[
                field("prompt").by(Control::Long),
                field("note").by(Control::Long),
                field("footer").by(Control::Long),
            ],
        ),
    ],
    permissions: Permissions::EVERYTHING.with_copy("name", "_copy", "_"),
};

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ai_provider::Role;

    #[test]
    fn the_filter_offers_every_role() {
        let Choices::These(words) = AIPROVIDERS.filters[0].choices else { panic!("words") };
        assert_eq!(words, Role::ALL.map(Role::as_str));
    }
}
