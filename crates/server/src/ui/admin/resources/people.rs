//! Resources for access: users, groups, tokens, authenticators.

use super::model::{CellFormat, Choices, Control, FieldGroup, Permissions, Resource, column, field, group};

pub const USERS: Resource = Resource {
    slug: "users",
    singular: "User",
    about: "Everyone who can sign in.",
    api: "/users/",
    schema: "UserInput",
    key: "id",
    named_by: "username",
    columns: &[
        column("username", "Username", CellFormat::Name),
        column("email", "Email", CellFormat::Text),
        column("groups", "Groups", CellFormat::Tags),
        column("date_created", "Created", CellFormat::Moment),
    ],
    switches: &["is_admin"],
    filters: &[],
    is_paged: false,
    groups: &[
        group(
            "Profile",
            "",
            &[field("username").labeled("Username"), field("email"), field("password").by(Control::Secret)],
        ),
        group(
            "Permissions",
            "",
            &[
                field("is_admin").labeled("Administrator"),
                field("groups").by(Control::Picks).of(Choices::Named("/groups/")),
            ],
        ),
    ],
    permissions: Permissions::EVERYTHING,
};

pub const GROUPS: Resource = Resource {
    slug: "groups",
    singular: "Group",
    about: "Members of a group can see the sources that are assigned to the group.",
    api: "/groups/",
    schema: "GroupInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("date_created", "Created", CellFormat::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group("Group", "", &[field("name")])],
    permissions: Permissions::EVERYTHING,
};

pub const TOKENS: Resource = Resource {
    slug: "tokens",
    singular: "Token",
    about: "Programs use tokens to act on behalf of a user. A token is shown only once, when it is created.",
    api: "/tokens/",
    schema: "TokenInput",
    key: "id",
    named_by: "label",
    columns: &[
        column("label", "Label", CellFormat::Text),
        column("user", "User", CellFormat::Text),
        column("prefix", "Prefix", CellFormat::Code),
        column("last_used", "Last used", CellFormat::Moment),
        column("expires", "Expires", CellFormat::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group(
        "Token",
        "It belongs to you and has your permissions.",
        &[field("label"), field("expires")],
    )],
    permissions: Permissions { create: true, change: false, copy: None, delete: true, test: false },
};

pub const AUTHENTICATORS: Resource = Resource {
    slug: "authenticators",
    singular: "Authenticator",
    about: "Identity providers for sign-in, and for accessing sources on behalf of users.",
    api: "/authenticators/",
    schema: "AuthenticatorInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("idp", "Identifier", CellFormat::Code),
        column("scopes", "Scopes", CellFormat::Faint),
        column("connected", "Connected", CellFormat::Presence),
    ],
    switches: &["active", "sign_in"],
    filters: &[],
    is_paged: false,
    groups: AUTHENTICATOR_FIELDS,
    permissions: Permissions::EVERYTHING.with_copy("idp", "-copy", "-"),
};

const AUTHENTICATOR_FIELDS: &[FieldGroup] = &[
    group(
        "Service",
        "",
        &[field("name"), field("idp").labeled("Identifier"), field("active"), field("issuer")],
    ),
    group(
        "Client registration",
        "",
        &[
            field("client_id").labeled("Client ID"),
            field("client_secret").by(Control::Secret),
            field("scopes"),
            field("app_uri").labeled("Application URL"),
            field("callback_path"),
        ],
    ),
    group(
        "Sign-in",
        "",
        &[
            field("sign_in"),
            field("groups_claim"),
            field("groups_map").labeled("Group mapping"),
            field("audience"),
        ],
    ),
    group(
        "URLs",
        "Discovered automatically if an issuer is set.",
        &[
            field("auth_uri").labeled("Authorization URL"),
            field("token_uri"),
            field("revoke_uri").labeled("Revocation URL"),
            field("jwks_uri").labeled("JWKS URL"),
            field("user_data_url").labeled("User info URL"),
            field("user_data_method").labeled("User info method"),
            field("user_data_params").labeled("User info parameters"),
            field("user_data_headers").labeled("User info headers"),
        ],
    )
    .folded(),
    group(
        "Tokens",
        "Options specific to this service.",
        &[
            field("is_code_challenge").labeled("PKCE"),
            field("use_basic_auth").labeled("Basic authentication"),
            field("should_expire").labeled("Tokens expire"),
            field("expires_in").labeled("Token lifetime").by(Control::Interval),
            field("initiate_auth_code_flow_params").labeled("Authorization parameters"),
            field("exchange_code_params").labeled("Token request parameters"),
        ],
    )
    .folded(),
];
