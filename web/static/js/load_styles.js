// Loads a style sheet with the module that needs it.

import { h } from "./dom.js";

const loaded = new Map();

/** Resolves when the style sheet is loaded, or cannot be loaded. */
export function loadStyles(name) {
  if (!loaded.has(name)) loaded.set(name, new Promise((done) => {
    const link = h("link", { rel: "stylesheet", href: new URL(`../${name}`, import.meta.url).href, onload: done, onerror: done });
    document.head.append(link);
  }));
  return loaded.get(name);
}
