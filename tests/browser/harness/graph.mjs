// Fake of Microsoft Graph: users connect a mailbox with OAuth, and the service reads their sent mail.
//
//   /authorize, /token                                   connects every user
//   /v1.0/me/mailFolders/sentitems/messages              messages with their recipients, newest first, in pages
//   /v1.0/me/messages/<id>, …/attachments, …/$value      content of a message

import { createServer } from "node:http";

/** A held message is released after this time, so that a failed test does not block others. */
const HOLD_MS_MAX = 30_000;
const INTERNAL_DOMAIN = "firm.example";

/** A message to an external recipient; `files` are `{name, text}`. */
export const message = (fields = {}) => ({ to: [`somebody@mail.client.co.uk`], html: "", files: [], ...fields });

/** A message to an internal recipient. */
export const internalMessage = () => message({ to: [`colleague@${INTERNAL_DOMAIN}`] });

/**
 * Starts the server. `messages` are newest first; one with `isHeld` is returned after `release()` is called. With
 * `errorStatus`, every request for mail fails with this status.
 */
export async function startGraph() {
  const graph = { messages: [], errorStatus: 0, release: () => {} };
  const tokens = new Set();
  const server = createServer((request, response) => {
    const url = new URL(request.url, graph.base);
    serve(graph, tokens, request, url, response).catch((error) => response.destroy(error));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  graph.base = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  graph.stop = () => server.closeAllConnections() ?? server.close();
  return graph;
}

/** The authenticator with which users connect the mailbox. */
export const authenticator = ({ base }) => ({
  idp: "microsoft", name: "Microsoft", client_id: "tests", client_secret: "of the tests", scopes: "Mail.Read User.Read offline_access",
  auth_uri: `${base}/authorize`, token_uri: `${base}/token`,
});

async function serve(graph, tokens, request, url, response) {
  const json = (body, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (url.pathname === "/authorize") {
    const back = new URL(url.searchParams.get("redirect_uri"));
    back.search = new URLSearchParams({ code: "code", state: url.searchParams.get("state") }).toString();
    response.writeHead(302, { location: back.href });
    return response.end();
  }
  if (url.pathname === "/token") {
    const access_token = `graph-token-${tokens.size + 1}`;
    tokens.add(access_token);
    return json({ access_token, refresh_token: "again", expires_in: 3600, token_type: "Bearer" });
  }
  if (!tokens.has((request.headers.authorization ?? "").replace(/^Bearer /, ""))) return json({}, 401);
  if (graph.errorStatus) return json({}, graph.errorStatus);
  if (url.pathname === "/v1.0/me/mailFolders/sentitems/messages") return json(page(graph, url));
  const [, id, more, number] = /^\/v1\.0\/me\/messages\/m(\d+)(?:\/(attachments)(?:\/f(\d+)\/\$value)?)?$/.exec(url.pathname) ?? [];
  const found = graph.messages[id];
  if (!found) return json({}, 404);
  if (number !== undefined) return response.end(found.files[number].text);
  if (more) return json({ value: found.files.map(({ name, text }, index) => ({ "@odata.type": "#microsoft.graph.fileAttachment", id: `f${index}`, name, contentType: "text/plain", size: text.length })) });
  if (found.isHeld) await waitForRelease(graph);
  json({ id: `m${id}`, body: { contentType: "html", content: found.html } });
}

function page(graph, url) {
  const [skip, top] = [Number(url.searchParams.get("$skip") ?? 0), Number(url.searchParams.get("$top") ?? 10)];
  const filter = url.searchParams.get("$filter") ?? "";
  const bound = (word) => new RegExp(`sentDateTime ${word} (\\S+)`).exec(filter)?.[1];
  const all = graph.messages.map((one, number) => head(one, number)).filter(({ sentDateTime: sent }) => sent >= (bound("ge") ?? "") && sent < (bound("lt") ?? "9"));
  const answer = { value: all.slice(skip, skip + top) };
  if (skip + top < all.length) {
    const next = new URL(url);
    next.searchParams.set("$skip", String(skip + top));
    answer["@odata.nextLink"] = next.href;
  }
  return answer;
}

/** Metadata of a message: one every hour, back from noon of March 2. */
function head({ to, files }, number) {
  const person = (address) => ({ emailAddress: { name: "Somebody", address } });
  return {
    id: `m${number}`, sentDateTime: new Date(Date.UTC(2026, 2, 2, 12 - number)).toISOString(), hasAttachments: files.length > 0,
    from: person(`me@${INTERNAL_DOMAIN}`), toRecipients: to.map(person), ccRecipients: [], bccRecipients: [],
  };
}

const waitForRelease = (graph) =>
  new Promise((release) => {
    graph.release = release;
    setTimeout(release, HOLD_MS_MAX).unref();
  });
