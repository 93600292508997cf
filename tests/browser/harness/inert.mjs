// Checks that a page shows the content of sources only as text.

import assert from "node:assert/strict";

/** No element of the page can run or load anything of others, and all links are http or https URLs. */
export async function assertInert(page, what) {
  await triggerPointerEvents(page);
  const found = await page.evaluate(() => {
    const wrong = [];
    for (const element of document.querySelectorAll("*")) {
      const name = element.tagName.toLowerCase();
      for (const { name: attribute, value } of element.attributes) {
        if (/^on/i.test(attribute)) wrong.push(`${name} has ${attribute}`);
        if (["href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data"].includes(attribute)) {
          const scheme = new URL(value, document.baseURI).protocol;
          if (!["http:", "https:"].includes(scheme)) wrong.push(`${name} ${attribute}=${value.slice(0, 60)}`);
        }
      }
      if (["iframe", "object", "embed", "base", "style"].includes(name)) wrong.push(`a ${name}`);
      const isData = element.type === "application/json";
      if (name === "script" && !isData && (!element.src.startsWith(location.origin) || element.textContent)) wrong.push("a script that is not ours");
    }
    return { wrong, canary: window.canary };
  });
  assert.deepEqual(found.wrong, [], what);
  assert.equal(found.canary, undefined, what);
}

/** Triggers the handlers of pointer and focus events on all elements. */
async function triggerPointerEvents(page) {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("main *")) {
      for (const kind of ["mouseover", "mouseenter", "focus"]) element.dispatchEvent(new MouseEvent(kind, { bubbles: kind === "mouseover" }));
    }
  });
}
