// Turns HTML rendered by our own server into elements. This is the only place where text becomes markup.

const policy = globalThis.trustedTypes?.createPolicy("fragments", { createHTML: (text) => text });

/** Parses a fragment of HTML into elements. Only for HTML that our own server rendered. */
export function fragment(html) {
  const holder = document.createElement("template");
  holder.innerHTML = policy ? policy.createHTML(html) : html;
  return holder.content;
}
