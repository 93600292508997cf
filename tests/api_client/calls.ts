// The five main calls of the API, by a client whose types are generated from the OpenAPI document:
//
//   node built/calls.js http://127.0.0.1:8000 admin PASSWORD

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];

const POLLS_MAX = 200;
const POLL_MS = 100;

// What the document requires, the compiler requires.
export const search: Schemas["SearchInput"] = { query_string: "sediment" };
// @ts-expect-error A search needs a query.
export const searchWithoutQuery: Schemas["SearchInput"] = { tags: ["a"] };
export const searchChange: Schemas["SearchPatch"] = { tags: ["a"] };
// @ts-expect-error It is a number from 0 to 4.
export const searchForAges: Schemas["SearchPatch"] = { retention: 5 };
export const user: Schemas["UserCreate"] = { username: "ann", password: "correct horse battery" };
// @ts-expect-error A new user needs a password.
export const userWithoutPassword: Schemas["UserCreate"] = { username: "ann" };
export const replacedUser: Schemas["UserInput"] = { username: "ann" };

const [baseUrl = "", name = "", password = ""] = process.argv.slice(2);
const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
const client = createClient<paths>({ baseUrl, headers: { authorization } });

/** The body of a successful response. */
function body<T>(what: string, answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${what}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  console.log(`${what}: ${answer.response.status}`);
  return answer.data;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const providers = body("list providers", await client.GET("/svc/searchproviders/"));
check(Array.isArray(providers) && providers.length > 0, "the demo has providers");

const created = body("create a search", await client.POST("/svc/search/", { body: search }));
const id = created.id;
let status = created.status;
for (let poll = 0; poll < POLLS_MAX && !status.endsWith("_READY"); poll++) {
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const polled = await client.GET("/svc/search/{id}/", { params: { path: { id } } });
  status = body(`poll the search`, polled).status;
}
check(status === "FULL_RESULTS_READY", `the search ended as ${status}`);

const mixed = body("read results", await client.GET("/svc/results/", { params: { query: { search_id: id } } }));
check("results" in mixed && mixed.results.length > 0, "the search has results");
if ("results" in mixed) {
  console.log(`first of ${mixed.results.length} results: ${JSON.stringify(mixed.results[0])}`);
}

const provider = body(
  "create a provider",
  await client.POST("/svc/searchproviders/", {
    body: { name: "Generated client", url: "http://127.0.0.1:1/", active: false, response_mappings: "RESULTS=items" },
  }),
);
check(!Array.isArray(provider), "one provider for one");
if (!Array.isArray(provider)) {
  const path = { id: provider.id };
  const changed = await client.PATCH("/svc/searchproviders/{id}/", { params: { path }, body: { description: "Changed" } });
  check(body("change a provider", changed).name === "Generated client", "the other fields remain");
  const deleted = await client.DELETE("/svc/searchproviders/{id}/", { params: { path } });
  check(deleted.response.status === 204, `delete a provider: ${deleted.response.status}`);
}
console.log("all calls succeeded");
