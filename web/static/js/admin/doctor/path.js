// Paths into a response, in the syntax of the mappings: `a.b[0]['c d'][*]`.

const PLAIN = /^[\p{L}\p{N}_@-]+$/u;
const STEP = /^(?:\.?\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\.?\[\s*(-?\d+|\*)\s*\]|\.?([^.[\]]+))/;

/** The step for all items, written as `[*]`. */
export const ALL = Symbol("all items");

/** Parses a path into steps: strings are members, numbers are items. Returns null if it is not a plain path. */
export function parsePath(text) {
  let rest = text.trim().replace(/^\$\.?/, "");
  const steps = [];
  while (rest) {
    const found = STEP.exec(rest);
    if (!found) return null;
    const [whole, quoted, index, name] = found;
    if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, "$1"));
    else if (index === "*") steps.push(ALL);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(name.trim());
    rest = rest.slice(whole.length);
  }
  return steps;
}

export function formatPath(steps) {
  let text = "";
  for (const step of steps) {
    if (step === ALL) text += "[*]";
    else if (typeof step === "number") text += `[${step}]`;
    else if (PLAIN.test(step)) text += (text ? "." : "") + step;
    else text += `['${step.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}']`;
  }
  return text || "$";
}

/** All values at a path. A single value counts as a list of one. */
export function findValues(value, steps) {
  let current = [value];
  for (const step of steps) {
    current = current.flatMap((one) => {
      if (typeof step === "string") return one && typeof one === "object" && !Array.isArray(one) && step in one ? [one[step]] : [];
      const list = Array.isArray(one) ? one : [one];
      if (step === ALL) return list;
      const item = list.at(step);
      return item === undefined ? [] : [item];
    });
  }
  return current;
}

/** The value of a mapping in an item: `a|b` is the first that exists, `'https://host/{id}'` is a template. */
export function extractValue(mapping, item) {
  const text = mapping.trim();
  const template = /^'(.*)'$/s.exec(text) ?? /^"(.*)"$/s.exec(text);
  if (template) return template[1].replace(/\{([^}]*)\}/g, (_, path) => textAt(item, path));
  for (const path of text.split("|")) {
    const value = textAt(item, path);
    if (value) return value;
  }
  return "";
}

function textAt(item, path) {
  const steps = parsePath(path);
  if (!steps || !path.trim()) return "";
  const texts = findValues(item, steps).filter((value) => value !== null);
  return texts.map((value) => (typeof value === "string" ? value.trim() : typeof value === "object" ? "" : String(value))).filter(Boolean).join(" ");
}

/** The mapping with `steps` in front of every path. */
export function prefixPaths(mapping, steps) {
  const withPrefix = (path) => formatPath([...steps, ...(parsePath(path) ?? [path])]);
  if (/^['"]/.test(mapping.trim())) return mapping.replace(/\{([^}]*)\}/g, (_, path) => `{${withPrefix(path)}}`);
  return mapping.split("|").map(withPrefix).join("|");
}

/** Whether both paths are equal. */
export const isSame = (one, other) => one.length === other.length && one.every((step, place) => step === other[place]);

/** Whether the path `steps` begins with the path `start`. */
export const startsWith = (steps, start) => start.length <= steps.length && start.every((step, place) => step === steps[place]);
