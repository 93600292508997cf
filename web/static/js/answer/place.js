// Where the list of a URL is: its page, and its filter. Independent of the page.

const FILTERS = ["providers", "not_providers", "author", "date", "starred", "new"];

export const isFirstPage = (query) => !(Number(new URLSearchParams(query).get("page")) > 1);

/** The filter as a text; empty without one. */
export function filterOf(query) {
  const parameters = new URLSearchParams(query);
  const filter = new URLSearchParams();
  for (const name of FILTERS) for (const value of parameters.getAll(name)) if (value) filter.append(name, value);
  return filter.toString();
}
