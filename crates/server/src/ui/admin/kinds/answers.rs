//! What answers are made of: models and prompts.

use super::{Choices, Control, Filter, Kind, May, Show, column, field, group};
use domain::prompt_record::TAGS;

pub const AIPROVIDERS: Kind = Kind {
    slug: "aiproviders",
    singular: "AIProvider",
    about: "The models that write summaries, chat, rank and rewrite queries.",
    api: "/aiproviders/",
    schema: "AIProviderInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("model", "Model", Show::Code),
        column("tags", "Roles", Show::Tags),
        column("api_key_set", "Key", Show::Presence),
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
            "The model",
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
            "What the model may be asked for, and where it comes first.",
            &[
                field("tags").called("Roles").by(Control::Picks),
                field("defaults").called("First choice for").by(Control::Picks),
            ],
        ),
        group("The service", "Where the model is reached, and its limits.", &[field("config")]),
        group(
            "Words of its own",
            "What this model is told instead of the usual prompts.",
            &[field("prompt_overrides")],
        )
        .folded(),
    ],
    may: May::EVERYTHING.copied("name", " copy", " ").tested(),
};

pub const PROMPTS: Kind = Kind {
    slug: "prompts",
    singular: "Prompt",
    about: "What is said to a model around the sources. Standard prompts stay as they are; copy one to change it.",
    api: "/prompts/",
    schema: "PromptInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("tags", "Used for", Show::Tags),
        column("owner", "Owner", Show::Faint),
        column("date_updated", "Changed", Show::Moment),
    ],
    switches: &["active", "shared"],
    filters: &[Filter { parameter: "tag", label: "Used for", choices: Choices::These(&TAGS) }],
    is_paged: false,
    groups: &[
        group(
            "The prompt",
            "",
            &[
                field("name"),
                field("tags").called("Used for").by(Control::Picks).of(Choices::These(&TAGS)),
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
    may: May::EVERYTHING.copied("name", "_copy", "_"),
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
