//! Resources for access: users, groups, tokens, authenticators.

use super::model::{CellFormat, Choices, Control, FieldGroup, Permissions, Resource, column, field, group};

pub const USERS: Resource = Resource {
    slug: "users",
    singular: "user",
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
            &[
                field("username").labeled("Username"),
                field("email").help("The user's email address. Optional."),
                field("password")
                    .by(Control::Secret)
                    .help("At least 8 characters, not a common password and not the username."),
            ],
        ),
        group(
            "Permissions",
            "",
            &[
                field("is_admin")
                    .labeled("Administrator")
                    .help("Can see and change everything in the console."),
                field("groups")
                    .by(Control::Picks)
                    .of(Choices::Named("/groups/"))
                    .help("Members of a group can see its sources."),
            ],
        ),
    ],
    permissions: Permissions::EVERYTHING,
};

pub const GROUPS: Resource = Resource {
    slug: "groups",
    singular: "group",
    about: "Members of a group can see the sources that are assigned to the group.",
    api: "/groups/",
    schema: "GroupInput",
    key: "id",
    named_by: "name",
    columns: &[
        column("name", "Name", CellFormat::Name),
        column("members", "Members", CellFormat::Count),
        column("sources", "Sources", CellFormat::Count),
        column("date_created", "Created", CellFormat::Moment),
    ],
    switches: &[],
    filters: &[],
    is_paged: false,
    groups: &[group("Group", "", &[field("name").help("Such as `engineering`. Must be unique.")])],
    permissions: Permissions::EVERYTHING,
};

pub const TOKENS: Resource = Resource {
    slug: "tokens",
    singular: "token",
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
        &[
            field("label").help("What the token is for, such as `nightly export`."),
            field("expires").help("Leave this empty if the token should never expire."),
        ],
    )],
    permissions: Permissions { create: true, change: false, copy: None, delete: true, test: false },
};

pub const AUTHENTICATORS: Resource = Resource {
    slug: "authenticators",
    singular: "authenticator",
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
        &[
            field("name").help("Shown to users on the sign-in page and on their account page."),
            field("idp")
                .labeled("Identifier")
                .help("A short word for addresses and source settings, such as `microsoft`."),
            field("active").help("Turn this off to stop using it without deleting it."),
            field("issuer").help("The OpenID Connect issuer. The URLs below are discovered from it."),
        ],
    ),
    group(
        "Client registration",
        "",
        &[
            field("client_id").labeled("Client ID").help("From the registration of this service at the identity provider."),
            field("client_secret").by(Control::Secret).help("From the same registration. It is not shown again after saving."),
            field("scopes").help("Separated by spaces, such as `openid email offline_access`."),
            field("app_uri")
                .labeled("Application URL")
                .help("The address at which browsers reach this service. If empty: `SVC_PUBLIC_URL`, or the address in use."),
            field("callback_path").help(
                "Register this path at the identity provider as the redirect URL. If empty: `/svc/callback/<identifier>-callback`.",
            ),
        ],
    ),
    group(
        "Sign-in",
        "",
        &[
            field("sign_in").help("Offer it on the sign-in page."),
            field("groups_claim")
                .help("The claim that lists the user's groups. If empty, groups are managed here only."),
            field("groups_map")
                .labeled("Group mapping")
                .help("Maps values of the claim to groups, as JSON."),
            field("audience").help(
                "The audience that tokens from programs must have. If empty: `SVC_OIDC_API_AUDIENCE`.",
            ),
        ],
    ),
    group(
        "URLs",
        "Discovered automatically if an issuer is set.",
        &[
            field("auth_uri").labeled("Authorization URL").help("Where users give their consent."),
            field("token_uri").labeled("Token URL").help("Where codes and refresh tokens are exchanged."),
            field("revoke_uri").labeled("Revocation URL").help("Optional. Without it, tokens are only deleted here."),
            field("jwks_uri").labeled("JWKS URL").help("The keys that sign tokens."),
            field("user_data_url")
                .labeled("User info URL")
                .help("Optional. Reports whose account was connected."),
            field("user_data_method").labeled("User info method").help("`GET` for almost every service."),
            field("user_data_params")
                .labeled("User info parameters")
                .help("Parameters of that request as JSON, such as `{\"fields\": \"email\"}`."),
            field("user_data_headers").labeled("User info headers").help("Headers of that request as JSON."),
        ],
    )
    .folded(),
    group(
        "Tokens",
        "Options specific to this service.",
        &[
            field("is_code_challenge")
                .labeled("PKCE")
                .help("Protects the authorization code. Turn it off only for services that reject it."),
            field("use_basic_auth")
                .labeled("Basic authentication")
                .help("Send the client ID and secret in a header instead of the body."),
            field("should_expire")
                .labeled("Tokens expire")
                .help("Renew tokens before they expire. If off, they are used until the service rejects them."),
            field("expires_in")
                .labeled("Token lifetime")
                .by(Control::Interval)
                .help("Used only if the service does not report it. 0 means unknown."),
            field("initiate_auth_code_flow_params")
                .labeled("Authorization parameters")
                .help("Extra parameters as JSON, such as `{\"prompt\": \"consent\"}`."),
            field("exchange_code_params")
                .labeled("Token request parameters")
                .help("Extra parameters of every token request, as JSON."),
        ],
    )
    .folded(),
];
