// WCAG contrast of a color. The server applies the same rule when it saves.

/** Minimum contrast between text and background. */
export const CONTRAST_MIN = 4.5;
const WHITE = [255, 255, 255];
const DARK_BACKGROUND = [0x1a, 0x21, 0x25];
/** Share of the background in the pale shade of a color. */
const PALE_PERCENT = 90;
const STEP = 5;

/** Contrast of a color `#rrggbb` on light pages: the lower of those on white and on its own pale shade. */
export function contrastOnLight(color) {
  const own = parseColor(color);
  return Math.min(contrast(own, WHITE), contrast(own, mix(own, WHITE, PALE_PERCENT)));
}

/** The color for dark pages, lightened only as much as needed to be readable there. */
export function shadeForDark(color) {
  const own = parseColor(color);
  for (let percent = 0; percent <= 100; percent += STEP) {
    const lighter = mix(own, WHITE, percent);
    if (Math.min(contrast(lighter, DARK_BACKGROUND), contrast(lighter, mix(lighter, DARK_BACKGROUND, PALE_PERCENT))) >= CONTRAST_MIN) return formatColor(lighter);
  }
  return formatColor(WHITE);
}

const parseColor = (color) => [1, 3, 5].map((place) => Number.parseInt(color.slice(place, place + 2), 16));
const formatColor = (own) => `#${own.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
const mix = (own, other, percent) => own.map((part, place) => Math.floor((part * (100 - percent) + other[place] * percent) / 100));

function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(own) {
  const [red, green, blue] = own.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
