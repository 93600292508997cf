// What the search page is timed against: the same page in the same browser, fed by the source itself. It serves the
// pages of the service; only a search does not go to the service. It is answered after the source's own time with what the
// service once said of that source, as if nothing stood between the source and the page.

import { createServer } from "node:http";

/** Notes when Enter is pressed and when the first result is on the screen: two frames after it is in the page. */
export const NOTE_PAINT = `
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

/** Starts it before `service`. `expect(said, delay)` sets what the next searches are answered with, and after how long. */
export async function startDirect(app) {
  let wanted = { said: "", delay: 0 };
  const server = createServer((request, response) => {
    const isSearch = request.method === "POST" && request.url === "/search/";
    (isSearch ? tell(request, response, wanted) : pass(app, request, response)).catch((error) => response.destroy(error));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    base: `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`,
    expect: (said, delay) => (wanted = { said, delay }),
    stop: () => server.closeAllConnections() ?? server.close(),
  };
}

async function tell(request, response, { said, delay }) {
  request.resume();
  await new Promise((done) => setTimeout(done, delay));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.end(said);
}

async function pass(app, request, response) {
  const { cookie = "", accept = "*/*" } = request.headers;
  const body = request.method === "GET" ? undefined : await new Response(request).text();
  const answer = await fetch(app + request.url, { method: request.method, headers: { cookie, accept }, body, redirect: "manual" });
  response.writeHead(answer.status, [...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name)).flat());
  response.end(Buffer.from(await answer.arrayBuffer()));
}
