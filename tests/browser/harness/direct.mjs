// Baseline for the times of the search page: the same page in the same browser, with nothing between it and the source.
// A proxy serves the pages of the service, but responds to a search itself: after the delay of the source, with the
// recorded response of the service for that source.

import { createServer } from "node:http";

/** Records when Enter is pressed and when the first result is painted: two frames after it is in the page. */
export const RECORD_PAINT = `
  const now = () => performance.timeOrigin + performance.now();
  addEventListener("keydown", (event) => { if (event.key === "Enter") sessionStorage.pressed = now(); }, true);
  const observer = new MutationObserver(() => {
    if (!sessionStorage.pressed || !document.querySelector("article.result")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = now() - Number(sessionStorage.pressed); }));
  });
  observer.observe(document, { childList: true, subtree: true });
`;

const HOP_BY_HOP = new Set(["connection", "transfer-encoding", "content-encoding", "content-length", "keep-alive"]);

/** Starts the proxy for the service at `app`. `expect(body, delay)` sets the response to the next searches, and its delay. */
export async function startDirect(app) {
  let expected = { said: "", delay: 0 };
  const server = createServer((request, response) => {
    const isSearch = request.method === "POST" && request.url === "/search/";
    (isSearch ? respond(request, response, expected) : forward(app, request, response)).catch((error) => response.destroy(error));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    base: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`,
    expect: (body, delay) => (expected = { said: body, delay }),
    stop: () => server.closeAllConnections() ?? server.close(),
  };
}

async function respond(request, response, { said: body, delay }) {
  request.resume();
  await new Promise((done) => setTimeout(done, delay));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.end(body);
}

async function forward(app, request, response) {
  const { cookie = "", accept = "*/*" } = request.headers;
  const body = request.method === "GET" ? undefined : await new Response(request).text();
  const answer = await fetch(app + request.url, { method: request.method, headers: { cookie, accept }, body, redirect: "manual" });
  response.writeHead(answer.status, [...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name)).flat());
  response.end(Buffer.from(await answer.arrayBuffer()));
}
