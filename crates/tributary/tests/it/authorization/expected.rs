//! The status codes of each route for each caller: the table that `matrix` checks and `docs/permissions.md` contains.

/// For nobody, a revoked token, the owner, a group member, another user, a curator, an administrator.
pub type Codes = [u16; 7];

/// Public: needs no credentials.
const fn open(code: u16) -> Codes {
    [code; 7]
}

/// Every authenticated caller, for their own records.
const fn all(code: u16) -> Codes {
    [401, 401, code, code, code, code, code]
}

/// Only the owner; the record does not exist for anybody else.
const fn own(code: u16) -> Codes {
    [401, 401, code, 404, 404, 404, 404]
}

const fn own_or_admin(code: u16) -> Codes {
    [401, 401, code, 404, 404, 404, code]
}

/// Members of the group, and the administrator who created the record.
const fn group(code: u16) -> Codes {
    [401, 401, code, code, 404, code, code]
}

const fn admin(code: u16) -> Codes {
    [401, 401, 403, 403, 403, 403, code]
}

/// Decisions on a document of the group, which the curator must be able to see.
const fn curator(code: u16) -> Codes {
    [401, 401, 403, 403, 403, code, code]
}

const fn page() -> Codes {
    [303, 303, 200, 200, 200, 200, 200]
}

const fn admin_page() -> Codes {
    [303, 303, 403, 403, 403, 403, 200]
}

#[rustfmt::skip]
pub const EXPECTED: &[(&str, Codes)] = &[
    ("GET /svc/canonical/", all(200)),
    ("POST /svc/canonical/elect/", own(200)),
    // The owner sees it because the search was hers, curators and administrators because they decide.
    ("GET /svc/canonical/{id}/", [401, 401, 200, 404, 404, 200, 200]),
    ("POST /svc/canonical/pin-for-query/", curator(201)),
    ("POST /svc/canonical/{id}/approve/", curator(200)),
    ("POST /svc/canonical/{id}/reject/", curator(200)),
    ("GET /svc/canonical/pins/", curator(200)),
    ("GET /svc/canonical/pins/history/", curator(200)),
    ("POST /svc/canonical/{id}/unpin/", curator(200)),
    ("GET /svc/cache/{id}/diff/{other}/", own(200)),
    ("GET /svc/egress/scan/", all(200)),
    // Only the administrator has connected a mailbox.
    ("POST /svc/egress/scan/", [401, 401, 424, 424, 424, 424, 202]),
    ("GET /svc/egress/scan/{id}/", own(200)),
    ("DELETE /svc/egress/scan/{id}/", own(204)),
    ("GET /svc/egress/events/", all(200)),
    ("PATCH /svc/egress/events/{id}/", own(200)),
    ("GET /svc/search/", all(200)),
    ("POST /svc/search/", all(201)),
    ("GET /svc/search/suggestions/", all(200)),
    ("GET /svc/search/{id}/", own(200)),
    ("PUT /svc/search/{id}/", own(200)),
    ("PATCH /svc/search/{id}/", own(200)),
    ("GET /svc/search/{id}/events/", own(200)),
    ("GET /svc/search/{id}/runs/", own(200)),
    ("GET /svc/search/{id}/diff/", own(200)),
    ("GET /svc/results/", all(200)),
    ("GET /svc/results/export/", own(200)),
    ("GET /svc/preferences/", all(200)),
    ("PUT /svc/preferences/", all(200)),
    ("GET /svc/results/{id}/", own(200)),
    ("PUT /svc/results/{id}/", own(200)),
    ("PATCH /svc/results/{id}/", own(200)),
    ("DELETE /svc/results/{id}/", own(204)),
    ("POST /svc/rag-search/", own(200)),
    ("POST /svc/rag-search/{id}/rating/", own(200)),
    ("DELETE /svc/rag-search/{id}/", own(204)),
    ("GET /svc/sapi/detail-search-rag/", own(200)),
    ("GET /svc/sapi/is_chat_ai_provider_exists/", all(200)),
    ("GET /svc/sapi/ai_providers/", all(200)),
    ("DELETE /svc/search/{id}/", own(204)),
    ("GET /svc/searchproviders/", all(200)),
    ("POST /svc/searchproviders/", admin(201)),
    ("GET /svc/searchproviders/{id}/", group(200)),
    ("GET /svc/searchproviders/{id}/test/", group(200)),
    ("GET /svc/searchproviders/states/", admin(200)),
    ("POST /svc/searchproviders/test/", admin(200)),
    ("PUT /svc/searchproviders/{id}/", admin(200)),
    ("PATCH /svc/searchproviders/{id}/", admin(200)),
    ("GET /svc/searchproviders/{id}/state/", group(200)),
    ("DELETE /svc/searchproviders/{id}/state/", admin(204)),
    ("DELETE /svc/searchproviders/{id}/", admin(204)),
    ("POST /svc/searchproviders/doctor/", admin(200)),
    ("GET /svc/chat/", all(200)),
    ("POST /svc/chat/", all(201)),
    ("GET /svc/chat/{id}/", own(200)),
    ("PATCH /svc/chat/{id}/", own(200)),
    ("POST /svc/chat/{id}/messages/", own(201)),
    ("POST /svc/chat/{id}/messages/{message}/rating/", own(200)),
    ("GET /svc/chat/{id}/export/", own(200)),
    ("DELETE /svc/chat/{id}/", own(204)),
    ("DELETE /svc/chat/", all(204)),
    ("GET /svc/aiproviders/", all(200)),
    ("POST /svc/aiproviders/", admin(201)),
    ("GET /svc/aiproviders/{id}/", all(200)),
    ("PUT /svc/aiproviders/{id}/", admin(200)),
    ("PATCH /svc/aiproviders/{id}/", admin(200)),
    ("POST /svc/aiproviders/{id}/test/", admin(200)),
    ("DELETE /svc/aiproviders/{id}/", admin(204)),
    ("GET /svc/prompts/", all(200)),
    ("POST /svc/prompts/", all(201)),
    ("GET /svc/prompts/{id}/", own(200)),
    ("PUT /svc/prompts/{id}/", own(200)),
    ("PATCH /svc/prompts/{id}/", own(200)),
    ("DELETE /svc/prompts/{id}/", own(204)),
    ("GET /svc/connectors/", all(200)),
    ("GET /svc/processors/", all(200)),
    ("GET /svc/mixers/", all(200)),
    ("GET /svc/pipelines/", all(200)),
    ("GET /svc/pipelines/{id}/", all(200)),
    ("PUT /svc/pipelines/{id}/", admin(200)),
    ("PATCH /svc/pipelines/{id}/", admin(200)),
    ("GET /svc/querytransforms/", all(200)),
    ("POST /svc/querytransforms/", admin(201)),
    ("POST /svc/querytransforms/preview/", admin(200)),
    ("GET /svc/querytransforms/{id}/", all(200)),
    ("PUT /svc/querytransforms/{id}/", admin(200)),
    ("PATCH /svc/querytransforms/{id}/", admin(200)),
    ("DELETE /svc/querytransforms/{id}/", admin(204)),
    ("GET /svc/users/", admin(200)),
    ("POST /svc/users/", admin(201)),
    ("GET /svc/users/me/", all(200)),
    ("PATCH /svc/users/me/", all(200)),
    ("POST /svc/users/me/password/", all(200)),
    ("GET /svc/lockouts/", admin(200)),
    ("DELETE /svc/lockouts/", admin(204)),
    ("DELETE /svc/lockouts/{id}/", admin(204)),
    ("GET /svc/users/{id}/", admin(200)),
    ("PUT /svc/users/{id}/", admin(200)),
    ("PATCH /svc/users/{id}/", admin(200)),
    ("DELETE /svc/users/{id}/", admin(204)),
    ("GET /svc/groups/", admin(200)),
    ("POST /svc/groups/", admin(201)),
    ("GET /svc/groups/{id}/", admin(200)),
    ("PUT /svc/groups/{id}/", admin(200)),
    ("PATCH /svc/groups/{id}/", admin(200)),
    ("DELETE /svc/groups/{id}/", admin(204)),
    ("GET /svc/tokens/", all(200)),
    ("POST /svc/tokens/", all(201)),
    ("DELETE /svc/tokens/", all(204)),
    ("GET /svc/tokens/{id}/", own_or_admin(200)),
    ("DELETE /svc/tokens/{id}/", own_or_admin(204)),
    ("GET /svc/authenticators/", all(200)),
    ("POST /svc/authenticators/", admin(201)),
    ("GET /svc/authenticators/{id}/", admin(200)),
    ("PUT /svc/authenticators/{id}/", admin(200)),
    ("PATCH /svc/authenticators/{id}/", admin(200)),
    ("POST /svc/authenticators/{id}/connect/", all(200)),
    // Only the administrator has connected an account.
    ("DELETE /svc/authenticators/{id}/connection/", [401, 401, 404, 404, 404, 404, 204]),
    ("DELETE /svc/authenticators/{id}/", admin(204)),
    ("POST /svc/login/", open(200)),
    // No authenticator allows signing in here.
    ("POST /svc/oidc_authenticate/", open(403)),
    ("GET /svc/health/live/", open(200)),
    ("GET /svc/health/ready/", open(200)),
    ("GET /svc/health/tasks/", all(200)),
    ("GET /svc/metrics/tasks/", all(200)),
    ("GET /metrics/", admin(200)),
    ("GET /svc/schedules/", admin(200)),
    ("GET /svc/schedules/{id}/", admin(200)),
    ("PATCH /svc/schedules/{id}/", admin(200)),
    ("GET /svc/audit/", admin(200)),
    ("GET /svc/audit/verify/", admin(200)),
    ("GET /svc/readysources/", admin(200)),
    ("GET /svc/readysources/{id}/", admin(200)),
    ("GET /svc/settings/", admin(200)),
    ("GET /svc/logs/", admin(200)),
    ("GET /svc/logs/{id}/", admin(200)),
    ("GET /svc/activity/", admin(200)),
    ("GET /svc/activity/mine/", all(200)),
    ("GET /svc/activity/now/", admin(200)),
    ("GET /svc/timings/", admin(200)),
    ("GET /svc/license/", admin(200)),
    ("GET /svc/brandings/", admin(200)),
    ("POST /svc/brandings/", admin(201)),
    ("GET /svc/brandings/{id}/", admin(200)),
    ("PUT /svc/brandings/{id}/", admin(200)),
    ("POST /svc/brandings/{id}/activate/", admin(200)),
    ("DELETE /svc/brandings/{id}/", admin(204)),
    ("POST /svc/ingest/", all(202)),
    ("GET /svc/cache/", all(200)),
    ("GET /svc/cache/statistics/", admin(200)),
    ("GET /svc/cache/{id}/", own(200)),
    ("POST /svc/cache/check_liveness/", own(200)),
    // An administrator may remove a document that they cannot see.
    ("POST /svc/cache/unindex/", own_or_admin(200)),
    ("GET /svc/agent/status/", all(200)),
    ("GET /api/config/default/", all(200)),
    ("GET /svc/api/schema/", all(200)),
    ("GET /svc/api/docs/", all(200)),
    ("POST /svc/swirl-logout/", all(200)),
    ("POST /mcp/", all(200)),
    ("GET /.well-known/oauth-protected-resource/", open(404)),
    ("GET /.well-known/oauth-protected-resource/mcp/", open(404)),
    ("GET /", page()),
    // The form redirects to the page of its search.
    ("POST /search/", all(303)),
    ("GET /search/{id}/stream/", own(200)),
    ("GET /search/{id}/list/", own(200)),
    ("GET /search/{id}/better/", own(200)),
    ("GET /history/", page()),
    ("GET /account/", page()),
    ("GET /chat/", page()),
    ("GET /review/", page()),
    ("GET /review/1/", page()),
    ("GET /egress/", page()),
    ("GET /svc/query_transform_form/", admin_page()),
    // It requires a file.
    ("POST /svc/query_transform_form/", admin(415)),
    ("GET /svc/oidc/hub/login/", open(404)),
    ("GET /svc/callback/hub-callback/", open(400)),
    ("GET /login/", open(200)),
    // The request has no CSRF token.
    ("POST /login/", open(403)),
    ("POST /logout/", all(303)),
    ("GET /static/tributary.css", open(200)),
    ("GET /static/tributary.svg", open(200)),
    ("GET /branding/colours.css", open(200)),
    ("GET /branding/opensearch.xml", open(200)),
    ("GET /branding/logo/light/", open(404)),
    ("GET /search/{id}/answer/", own(200)),
    ("GET /chat/rail/", all(200)),
    ("GET /chat/{id}/messages/{message}/", own(200)),
    ("GET /admin/", admin_page()),
    ("GET /admin/{page}/", admin_page()),
    ("GET /admin/{page}/{record}/", admin_page()),
];
