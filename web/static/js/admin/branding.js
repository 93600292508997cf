// Branding page: name, logos, color and texts, with a live preview.

import { ApiError, del, get, post, put } from "../api.js";
import { confirmAction } from "../confirm_dialog.js";
import { fill, h, one, toast } from "../dom.js";
import { fixed, number, t } from "../i18n.js";
import { CONTRAST_MIN, contrastOnLight } from "./branding/contrast.js";
import { LogoField } from "./branding/logo.js";
import { preview } from "./branding/preview.js";
import { card, field, showFieldError, errorAlert, errorMessage, table, work } from "./components.js";

const ACCENT = "#0f766e";

const text = (placeholder, maxlength = 100) => h("input", { type: "text", maxlength, placeholder, autocomplete: "off" });
const controls = {
  name: text(t("Spring 2027")),
  product: text("Tributary"),
  button: text(t("Search")),
  placeholder: text(t("Search all sources")),
  ai_label: text(t("Answer")),
  select_label: text(t("Select items")),
};
const accent = h("input", { type: "color", value: ACCENT });
const code = h("input", { type: "text", maxlength: 7, value: ACCENT, class: "path", "aria-label": t("Color as #rrggbb"), spellcheck: "false" });
const colorField = field(t("Color"), accent, t("Used for buttons, selected links and the logo. The dark theme uses a lighter shade."));
const pair = h("span", { class: "colors" });
const logos = { logo_light: new LogoField(t("Logo for the light theme"), draw), logo_dark: new LogoField(t("Logo for the dark theme"), draw) };
const previewPlace = h("div", { class: "brand-preview" });
const list = h("div");
const alertPlace = h("div", { role: "alert" });
const saveButton = h("button", { class: "go" }, t("Save and use"));
let editing = null;

colorField.classList.add("is-wide");
accent.replaceWith(pair);
pair.append(accent, code);
accent.addEventListener("input", () => { code.value = accent.value; draw(); });
code.addEventListener("change", () => { if (/^#[0-9a-f]{6}$/i.test(code.value)) accent.value = code.value; draw(); });
for (const control of Object.values(controls)) control.addEventListener("input", draw);

const form = h("form", { class: "branding", novalidate: true, onsubmit: save },
  field(t("Branding name"), controls.name, t("Shown only in the list below.")),
  field(t("Product name"), controls.product),
  colorField, logos.logo_light.element, logos.logo_dark.element,
  field(t("Search button label"), controls.button), field(t("Search box placeholder"), controls.placeholder),
  field(t("Label of the AI answer"), controls.ai_label), field(t("Label of “Select items”"), controls.select_label),
  alertPlace, h("div", { class: "save-row" }, saveButton, h("button", { type: "button", class: "soft", onclick: () => edit(null) }, t("New branding"))));

fill(work(), h("div", { class: "cards" }, card(t("Appearance"), form), h("section", { class: "card is-sticky" }, h("h2", {}, t("Preview")), previewPlace)), list);
edit(null);
load().then((brandings) => open(brandings?.find((one) => one.active)));

function values() {
  const texts = Object.entries(controls).map(([name, control]) => [name, control.value.trim()]);
  return { ...Object.fromEntries(texts), accent: accent.value, logo_light: logos.logo_light.value, logo_dark: logos.logo_dark.value };
}

function draw() {
  const ratio = contrastOnLight(accent.value);
  showFieldError(accent, ratio < CONTRAST_MIN ? t("This color is hard to read on light pages: its contrast is {ratio}, at least {least} is required. Choose a darker one.", { ratio: fixed(ratio, 1), least: number(CONTRAST_MIN) }) : "");
  fill(previewPlace, preview(values()));
}

/** Lists leave out the logos and have no versions, so the record itself is read before it is edited. */
async function open(branding) {
  if (!branding) return;
  try {
    edit(await get(`/brandings/${branding.id}/`));
  } catch (error) {
    showErrors(error);
  }
}

function edit(branding) {
  editing = branding;
  for (const [name, control] of Object.entries(controls)) control.value = branding?.[name] ?? (name === "product" ? "Tributary" : "");
  accent.value = branding?.accent || ACCENT;
  code.value = accent.value;
  for (const [name, logo] of Object.entries(logos)) logo.set(branding?.[name] ?? "");
  saveButton.textContent = editing ? t("Save changes") : t("Save and use");
  fill(alertPlace);
  draw();
}

async function load() {
  try {
    const brandings = await get("/brandings/");
    fill(list, card(t("Saved brandings"), table(t("Saved brandings"), [
      { title: t("Name"), cell: (one) => [one.name, " ", one.active && h("span", { class: "badge" }, t("in use"))] },
      { title: t("Product"), cell: (one) => one.product },
      { title: t("Color"), cell: (one) => h("code", {}, one.accent || "–") },
      { title: t("Actions"), cell: (one) => h("span", { class: "save-row" },
        !one.active && h("button", { type: "button", class: "soft small", onclick: () => activate(one) }, t("Use"), h("span", { class: "visually-hidden" }, ` ${one.name}`)),
        h("button", { type: "button", class: "plain", onclick: async () => { await open(one); form.scrollIntoView({ behavior: "smooth" }); controls.name.focus(); } }, t("Edit"), h("span", { class: "visually-hidden" }, ` ${one.name}`)),
        h("button", { type: "button", class: "plain", onclick: () => remove(one) }, t("Delete"), h("span", { class: "visually-hidden" }, ` ${one.name}`))) },
    ], brandings, t("None yet. The pages use the default look."))));
    return brandings;
  } catch (error) {
    fill(list, errorAlert(error, load));
    return null;
  }
}

async function save(event) {
  event.preventDefault();
  fill(alertPlace);
  for (const control of Object.values(controls)) showFieldError(control);
  if (!controls.name.value.trim()) {
    showFieldError(controls.name, t("Enter a name."));
    controls.name.focus();
    return;
  }
  saveButton.disabled = true;
  try {
    const saved = editing ? await put(`/brandings/${editing.id}/`, values(), editing) : await post("/brandings/", values());
    toast(t("Saved. Reload the page to see it everywhere."));
    edit(saved);
    await load();
  } catch (error) {
    showErrors(error);
  } finally {
    saveButton.disabled = false;
  }
}

function showErrors(error) {
  const others = [];
  for (const [name, lines] of Object.entries(error instanceof ApiError ? error.errors : {})) {
    const control = controls[name] ?? (name === "accent" ? accent : logos[name]?.input);
    if (control) showFieldError(control, [lines].flat().join(" "));
    else others.push([lines].flat().join(" "));
  }
  const areAllShown = error instanceof ApiError && Object.keys(error.errors).length && !others.length;
  fill(alertPlace, h("p", { class: "alert" }, areAllShown ? t("Correct the highlighted fields.") : others.join(" ") || errorMessage(error)));
}

async function activate(branding) {
  await attempt(() => post(`/brandings/${branding.id}/activate/`, {}), t("{name} is now in use. Reload the page to see it everywhere.", { name: branding.name }));
  // The edited branding may be in use no longer, which changes its version.
  if (editing) editing = await get(`/brandings/${editing.id}/`).catch(() => editing);
}

async function remove(branding) {
  const isSure = await confirmAction({ title: t("Delete this branding?"), sentence: branding.active ? t("It is in use. The pages will return to the default look.") : t("This cannot be undone."), yes: t("Delete") });
  if (!isSure) return;
  if (editing?.id === branding.id) edit(null);
  await attempt(() => del(`/brandings/${branding.id}/`), t("{name} was deleted.", { name: branding.name }));
}

async function attempt(action, done) {
  try {
    await action();
    toast(done);
    await load();
    one("button", list)?.focus();
  } catch (error) {
    toast(errorMessage(error), { bad: true });
  }
}
