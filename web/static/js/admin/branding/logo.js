// PNG logo field. The image is drawn on a canvas, because the content security policy allows no other images.

import { fill, h } from "../../dom.js";
import { t } from "../../i18n.js";
import { field, showFieldError } from "../components.js";

const BYTES_MAX = 500_000;
const PNG = "data:image/png;base64,";

export class LogoField {
  constructor(label, onchange) {
    this.value = "";
    this.onchange = onchange;
    this.input = h("input", { type: "file", accept: "image/png", onchange: () => this.read() });
    this.remove = h("button", { type: "button", class: "plain", onclick: () => { this.set(""); onchange(); } }, t("Remove"), h("span", { class: "visually-hidden" }, ` ${label}`));
    this.element = field(label, this.input, t("PNG, ideally 818 × 214 pixels with a 30-pixel margin, up to 500 kB."));
    this.input.after(this.remove);
    this.set("");
  }

  set(value) {
    this.value = value ?? "";
    this.input.value = "";
    this.remove.hidden = !this.value;
    showFieldError(this.input);
  }

  async read() {
    const file = this.input.files[0];
    if (!file) return;
    const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    if (String.fromCharCode(...head.slice(1)) !== "PNG") return showFieldError(this.input, t("This file is not a PNG. Save the image as PNG and choose it again."));
    if (file.size > BYTES_MAX) return showFieldError(this.input, t("The file is larger than 500 kB. Choose a smaller image."));
    this.value = PNG + encodeBase64(new Uint8Array(await file.arrayBuffer()));
    this.remove.hidden = false;
    showFieldError(this.input);
    this.onchange();
  }
}

/** Draws the image of a data URL on a canvas, which stays empty if the image cannot be read. */
export function drawLogo(value, name) {
  const canvas = h("canvas", { role: "img", "aria-label": name, class: "logo", height: 1, width: 1 });
  if (!value.startsWith(PNG)) return canvas;
  const bytes = Uint8Array.from(atob(value.slice(PNG.length)), (char) => char.charCodeAt(0));
  createImageBitmap(new Blob([bytes], { type: "image/png" })).then((image) => {
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
  }).catch(() => fill(canvas));
  return canvas;
}

function encodeBase64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(text);
}
