// Preview of a branding in the light and the dark theme.

import { h, s } from "../../dom.js";
import { t } from "../../i18n.js";
import { shadeForDark } from "./contrast.js";
import { drawLogo } from "./logo.js";

export const preview = (branding) => [previewOf("light", branding, branding.logo_light), previewOf("dark", branding, branding.logo_dark || branding.logo_light)];

function previewOf(theme, branding, logo) {
  const color = theme === "dark" ? shadeForDark(branding.accent) : branding.accent;
  const element = h("div", { class: "mini", "data-theme": theme, role: "group", "aria-label": theme === "dark" ? t("Dark theme") : t("Light theme") },
    h("div", { class: "mini-bar" }, h("span", { class: "mini-brand" }, logo ? drawLogo(logo, branding.product) : [defaultLogo(), h("b", {}, branding.product || "Tributary")]),
      h("span", { class: "mini-box" }, h("span", {}, branding.placeholder || t("Search all sources")), h("span", { class: "mini-go" }, branding.button || t("Search")))),
    h("div", { class: "mini-answer" }, h("b", {}, branding.ai_label || t("Answer")), h("span", { class: "mini-chip" }, branding.select_label || t("Select items"))),
    h("div", { class: "mini-result" }, h("span", { class: "mini-line is-title" }), h("span", { class: "mini-line" }), h("span", { class: "mini-line is-short" })));
  element.style.setProperty("--own", color);
  return element;
}

const defaultLogo = () => s("svg", { viewBox: "0 0 32 32", width: 22, height: 22, fill: "none", stroke: "currentColor", "stroke-width": 2.6, "stroke-linecap": "round", "aria-hidden": "true" },
  s("path", { d: "M5 4c0 9 11 8 11 17v7" }), s("path", { d: "M27 4c0 9-11 8-11 17" }), s("path", { d: "M16 4v9", opacity: ".55" }));
