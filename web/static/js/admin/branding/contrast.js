// WCAG contrast of a color. The server applies the same rule when it saves.

/** Least contrast of words and their ground. */
export const CONTRAST_MIN = 4.5;
const WHITE = [255, 255, 255];
const DARK_GROUND = [0x1a, 0x21, 0x25];
/** How much of the ground is in the pale form of a color, in percent. */
const SOFT = 90;
const STEP = 5;

/** How well a color `#rrggbb` can be read on light pages: on white, and on its own pale form. */
export function onLight(color) {
  const own = parts(color);
  return Math.min(contrast(own, WHITE), contrast(own, mixed(own, WHITE, SOFT)));
}

/** The same color for dark pages: as little lighter as can be read there. */
export function forDark(color) {
  const own = parts(color);
  for (let percent = 0; percent <= 100; percent += STEP) {
    const lighter = mixed(own, WHITE, percent);
    if (Math.min(contrast(lighter, DARK_GROUND), contrast(lighter, mixed(lighter, DARK_GROUND, SOFT))) >= CONTRAST_MIN) return written(lighter);
  }
  return written(WHITE);
}

const parts = (color) => [1, 3, 5].map((place) => Number.parseInt(color.slice(place, place + 2), 16));
const written = (own) => `#${own.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
const mixed = (own, other, percent) => own.map((part, place) => Math.floor((part * (100 - percent) + other[place] * percent) / 100));

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(own) {
  const [red, green, blue] = own.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
