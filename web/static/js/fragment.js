// Turns HTML rendered by our own server into elements. This is the only place where text becomes markup.

const policy = globalThis.trustedTypes?.createPolicy("fragments", { createHTML: (text) => text });

/** The elements of a piece of a page. Only for what our own server sent as HTML. */
export function fragment(html) {
  const holder = document.createElement("template");
  holder.innerHTML = policy ? policy.createHTML(html) : html;
  return holder.content;
}
