// Documents for the semantic cache. A collection that was cleared has none of them.

import { hostileTexts } from "./hostile.mjs";

const DOCUMENTS = 3;
const PARAGRAPHS = [
  "The keeper writes down the height of the water each morning, before the mill begins to draw from the upper pond, and once more after sunset.",
  "A sluice that is opened too late floods the meadow below; one that is opened too early leaves the mill without water for the rest of the day.",
  "In spring the ice drifts against the planks. Two people with long poles keep it away from the hinges until the river has carried it past the weir.",
  "Whoever takes over the watch reads the last three pages of this book aloud, signs below them, and hands the key to the person who leaves.",
];

/** The response of the collection to a search. */
export function collectionResponse(query, name, base) {
  const items = Array.from({ length: DOCUMENTS }, (_, index) => ({
    title: `${query}: document ${index + 1} of ${name}`,
    body: `What ${name} says about ${query}, in short.`,
    url: `${base}/page/${name}/${index + 1}`,
    author: "Ada Brook",
    date: "2024-05-06T07:00:00Z",
  }));
  return { total: DOCUMENTS, items };
}

/** A document as a web page. Numbers such as `hostile-0` are hostile documents, `v1-draft` and the like are versions. */
export function documentPage(name, number, foreign) {
  const hostileText = hostileTexts(foreign)[/^(?:v\d-)?hostile-(\d)$/.exec(number)?.[1]] ?? "";
  const escaped = hostileText.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const isVersion = /^v\d/.test(number);
  const label = isVersion ? name : `number ${number} of ${name}`;
  // More text, so that versions differ by little.
  const more = isVersion ? [...PARAGRAPHS, `The watch is kept as ${number} says.`] : [];
  const paragraphs = [...PARAGRAPHS, ...more].map((text) => `<p>${text} So it stands in ${label}.</p>`).join("\n");
  return `<!doctype html><html lang="en"><head><title>Number ${number} of ${name} ${escaped}</title></head>
<body><main><h1>Number ${number} of ${name}</h1><p>${escaped}</p>${paragraphs}</main></body></html>`;
}
