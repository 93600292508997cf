//! Resources for AI: models and prompts.

use super::model::{CellFormat, Choices, Control, Filter, Permissions, Resource, column, field, group};
use domain::prompt::TAGS;

pub const AIPROVIDERS: Resource = Resource {
    slug: "aiproviders",
    singular: "AI model",
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
                field("name").help("Must be unique."),
                field("model")
                    .help("The model's name at its service, prefixed with the service: `anthropic/…`, `gemini/…`, `ollama/…`, `azure/<deployment>`. OpenAI models have no prefix."),
                field("api_key").labeled("API key").by(Control::Secret).help("It is not shown again after saving."),
                field("active").help("Turn this off to stop using the model without deleting it."),
                field("shared").help("Everyone can use it. If off, only its owner can."),
            ],
        ),
        group(
            "Roles",
            "What the model is used for, and where it is the default.",
            &[
                field("tags")
                    .labeled("Roles")
                    .by(Control::Picks)
                    .help("`rag` writes summaries, `chat` answers in the assistant, `query` rewrites queries, `connector` answers as a source, `reader` creates embeddings, `reranker` ranks results."),
                field("defaults")
                    .labeled("Default for")
                    .by(Control::Picks)
                    .help("The model is used for these roles unless a user chooses another."),
            ],
        ),
        group(
            "Service",
            "Connection settings and limits.",
            &[field("config")
                .help("Address, version and limits as JSON, such as `{\"api_base\": \"http://localhost:11434\", \"max_tokens\": 2000}`.")],
        ),
        group(
            "Custom prompts",
            "Prompts that replace the standard ones for this model.",
            &[field("prompt_overrides")
                .help("Parts of a prompt by use, as JSON, such as `{\"search-rag\": {\"footer\": \"Answer in one sentence.\"}}`.")],
        )
        .folded(),
    ],
    permissions: Permissions::EVERYTHING.with_copy("name", " copy", " ").with_test(),
};

pub const PROMPTS: Resource = Resource {
    slug: "prompts",
    singular: "prompt",
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
                field("name").help("A search selects the prompt with `prompt:<name>`."),
                field("tags")
                    .labeled("Used for")
                    .by(Control::Picks)
                    .of(Choices::These(&TAGS))
                    .help("`search-rag` for summaries of a search, `chat` for the behavior of the assistant, `chat-rag` for its answers from sources."),
                field("active").help("Turn this off to stop using the prompt without deleting it."),
                field("shared").help("Everyone can use it. If off, only its owner can."),
            ],
        ),
        group(
            "Texts",
            "In the order in which the model reads them.",
            &[
                field("prompt")
                    .by(Control::Long)
                    .help("Comes before the sources. `{query}` is the query, `{header}` names the sources."),
                field("note").by(Control::Long).help("Comes right after the sources. Optional."),
                field("footer").by(Control::Long).help("Comes last, such as the format of the answer. Optional."),
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
