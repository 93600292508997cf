// Markup that our own server made from its templates. This is the only way by which text becomes elements.

const policy = globalThis.trustedTypes?.createPolicy("fragments", { createHTML: (text) => text });

/** The elements of a piece of a page. Only for what our own server sent as HTML. */
export function fragment(html) {
  const holder = document.createElement("template");
  holder.innerHTML = policy ? policy.createHTML(html) : html;
  return holder.content;
}
