// Icons for buttons. They are decorative: the button has a name.

import { s } from "./dom.js";

const PATHS = {
  star: "M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8L3.6 9.7l5.8-.8z",
  subscribe: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5a2.2 2.2 0 0 0 4 0",
  alert: "M4 6h16v12H4zM4 7l8 6 8-6",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.6 5.6l1.2-1.2",
  export: "M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14",
  tick: "M5 12.5l4.5 4.5L19 7.5",
  again: "M19 12a7 7 0 1 1-2.1-5M19 4v4h-4",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  block: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.4 6.4l11.2 11.2",
  close: "M6 6l12 12M18 6L6 18",
};

/** An icon of 18 pixels in the color of the text. */
export function icon(name) {
  return s(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true", fill: "none" },
    s("path", { d: PATHS[name], stroke: "currentColor", "stroke-width": name === "more" ? 3 : 1.8, "stroke-linecap": "round", "stroke-linejoin": "round" }),
  );
}
