// A new installation for one test file, for what depends on settings or on all sources of a service.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { app, browse, signInAt } from "./app.mjs";
import { startInstallation } from "./demo.mjs";

const SEARCH_MS_MAX = 40_000;

/** Starts the installation before the tests of the file, with these settings, and runs `prepare`. */
export class Installation {
  constructor(settings, prepare) {
    this.allowed = [];
    before(async () => {
      this.service = await startInstallation(app.program, settings);
      this.allowed.push(this.base);
      await prepare();
    });
    after(() => this.service.stop());
  }

  get base() {
    return this.service.base;
  }

  /** Sends a request to the API as the administrator. */
  async call(method, path, body) {
    const authorization = `Basic ${btoa(`admin:${this.service.password}`)}`;
    const response = await fetch(this.base + path, { method, headers: { authorization, "content-type": "application/json" }, body: body && JSON.stringify(body) });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.status === 204 ? null : response.json();
  }

  /** Creates a provider for a source of sources.mjs, which every search queries. */
  createSource(name, path) {
    return this.call("POST", "/svc/searchproviders/", {
      name, connector: "RequestsGet", url: app.sources + path, query_template: `{url}${path.includes("?") ? "&" : "?"}q={query_string}`,
      response_mappings: "FOUND=total,RESULTS=items", result_mappings: "title=title,body=body,url=url", active: true, default: true,
    });
  }

  /** Runs a search to its end, and returns its id. */
  async search(query) {
    const { id } = await this.call("POST", "/svc/search/", { query_string: query });
    for (const end = Date.now() + SEARCH_MS_MAX; Date.now() < end; ) {
      const { status } = await this.call("GET", `/svc/search/${id}/`);
      if (/READY$|^ERR/.test(status)) return id;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`the search for ${query} did not finish`);
  }

  /** A test as the administrator. */
  browse(name, init, body) {
    browse(name, { who: null, allowed: this.allowed, init }, async (page, more) => {
      await signInAt(more.context, this.base, { name: "admin", password: this.service.password });
      await body(page, more);
    });
  }
}
