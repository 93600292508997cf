// A mailbox as a service: people connect it by OAuth, and read their sent mail as Microsoft Graph gives it.
//
//   /authorize, /token                                   connects whoever comes
//   /v1.0/me/mailFolders/sentitems/messages              who got the messages, newest first, in pages
//   /v1.0/me/messages/<id>, …/attachments, …/$value      what is in one

import { createServer } from "node:http";

/** What a service holds back without being told to go on: a test that failed must not keep others waiting. */
const HELD_MS_MAX = 30_000;
const FIRM = "firm.example";

/** A message to the outside; `files` are `{name, text}`. */
export const message = (given = {}) => ({ to: [`somebody@mail.client.co.uk`], html: "", files: [], ...given });

/** A message that stays inside. */
export const inside = () => message({ to: [`colleague@${FIRM}`] });

/**
 * Starts it. `messages` are newest first; one with `held` is given when `go()` is called. `trouble` is a status
 * for every request for mail.
 */
export async function startGraph() {
  const graph = { messages: [], trouble: 0, go: () => {} };
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

/** The record by which people connect it. */
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
    back.search = new URLSearchParams({ code: "come-in", state: url.searchParams.get("state") }).toString();
    response.writeHead(302, { location: back.href });
    return response.end();
  }
  if (url.pathname === "/token") {
    const access_token = `graph-token-${tokens.size + 1}`;
    tokens.add(access_token);
    return json({ access_token, refresh_token: "again", expires_in: 3600, token_type: "Bearer" });
  }
  if (!tokens.has((request.headers.authorization ?? "").replace(/^Bearer /, ""))) return json({}, 401);
  if (graph.trouble) return json({}, graph.trouble);
  if (url.pathname === "/v1.0/me/mailFolders/sentitems/messages") return json(page(graph, url));
  const [, id, more, number] = /^\/v1\.0\/me\/messages\/m(\d+)(?:\/(attachments)(?:\/f(\d+)\/\$value)?)?$/.exec(url.pathname) ?? [];
  const found = graph.messages[id];
  if (!found) return json({}, 404);
  if (number !== undefined) return response.end(found.files[number].text);
  if (more) return json({ value: found.files.map(({ name, text }, index) => ({ "@odata.type": "#microsoft.graph.fileAttachment", id: `f${index}`, name, contentType: "text/plain", size: text.length })) });
  if (found.held) await held(graph);
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

/** One message every hour, back from noon of the second of March. */
function head({ to, files }, number) {
  const person = (address) => ({ emailAddress: { name: "Somebody", address } });
  return {
    id: `m${number}`, sentDateTime: new Date(Date.UTC(2026, 2, 2, 12 - number)).toISOString(), hasAttachments: files.length > 0,
    from: person(`me@${FIRM}`), toRecipients: to.map(person), ccRecipients: [], bccRecipients: [],
  };
}

const held = (graph) =>
  new Promise((go) => {
    graph.go = go;
    setTimeout(go, HELD_MS_MAX).unref();
  });
