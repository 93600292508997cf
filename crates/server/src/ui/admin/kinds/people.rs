//! People, and their ways in.

use super::{Choices, Control, FieldGroup, Kind, May, Show, column, field, group};

pub const USERS: Kind = Kind {
    slug: "users",
    singular: "User",
    about: "Everybody who may sign in.",
    api: "/users/",
    schema: "UserInput",
    key: "id",
    named_by: "username",
    columns: &[
        column("username", "User name", Show::Name),
        column("email", "Email", Show::Text),
        column("groups", "Groups", Show::Tags),
        column("date_created", "Since", Show::Moment),
    ],
    switches: &["is_admin"],
    filters: &[],
    is_paged: false,
    groups: &[
        group(
            "The person",
            "",
            &[field("username").called("User name"), field("email"), field("password").by(Control::Secret)],
        ),
        group(
            "Rights",
            "",
            &[
                field("is_admin").called("Administrator"),
                field("groups").by(Control::Picks).of(Choices::Named("/groups/")),
            ],
        ),
    ],
    may: May::EVERYTHING,
};

pub const GROUPS: Kind = Kind {
    slug: "groups",
    singular: "Group",
    about: "A source that is not shared is seen by the members of its groups.",
    api: "/groups/",
    schema: "GroupInput",
    key: "id",
    named_by: "name",
    columns: &[column("name", "Name", Show::Name), column("date_created", "Since", Show::Moment)],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group("The group", "", &[field("name")])],
    may: May::EVERYTHING,
};

pub const TOKENS: Kind = Kind {
    slug: "tokens",
    singular: "Token",
    about: "By these programs act for people. A token is shown once, when it is made.",
    api: "/tokens/",
    schema: "TokenInput",
    key: "id",
    named_by: "label",
    columns: &[
        column("label", "Label", Show::Text),
        column("user", "User", Show::Text),
        column("prefix", "Begins with", Show::Code),
        column("last_used", "Last used", Show::Moment),
        column("expires", "Ends", Show::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "The token",
        "It is yours, and may do what you may do.",
        &[field("label"), field("expires")],
    )],
    may: May { create: true, change: false, copy: None, delete: true, test: false },
};

pub const AUTHENTICATORS: Kind = Kind {
    slug: "authenticators",
    singular: "Authenticator",
    about: "Services that sign people in, or give out the tokens by which sources are asked for them.",
    api: "/authenticators/",
    schema: "AuthenticatorInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", Show::Name),
        column("idp", "Word", Show::Code),
        column("scopes", "Scopes", Show::Faint),
        column("connected", "You are connected", Show::Presence),
    ],
    switches: &["active", "sign_in"],
    filters: &[],
    is_paged: false,
    groups: AUTHENTICATOR_FIELDS,
    may: May::EVERYTHING.copied("idp", "-copy", "-"),
};

const AUTHENTICATOR_FIELDS: &[FieldGroup] = &[
    group("The service", "", &[field("name"), field("idp").called("Word"), field("active"), field("issuer")]),
    group(
        "This program, as the service knows it",
        "",
        &[
            field("client_id"),
            field("client_secret").by(Control::Secret),
            field("scopes"),
            field("app_uri"),
            field("callback_path"),
        ],
    ),
    group(
        "Signing in here",
        "",
        &[field("sign_in"), field("groups_claim"), field("groups_map"), field("audience")],
    ),
    group(
        "Addresses",
        "With an issuer they are found by themselves.",
        &[
            field("auth_uri"),
            field("token_uri"),
            field("revoke_uri"),
            field("jwks_uri"),
            field("user_data_url"),
            field("user_data_method"),
            field("user_data_params"),
            field("user_data_headers"),
        ],
    )
    .folded(),
    group(
        "Tokens",
        "What this service does differently from others.",
        &[
            field("is_code_challenge").called("PKCE"),
            field("use_basic_auth"),
            field("should_expire"),
            field("expires_in").by(Control::Interval),
            field("initiate_auth_code_flow_params"),
            field("exchange_code_params"),
        ],
    )
    .folded(),
];
