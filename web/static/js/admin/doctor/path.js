// Paths into a response, in the syntax of the mappings: `a.b[0]['c d'][*]`.

const PLAIN = /^[\p{L}\p{N}_@-]+$/u;
const STEP = /^(?:\.?\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\.?\[\s*(-?\d+|\*)\s*\]|\.?([^.[\]]+))/;

/** The steps: texts are members, numbers are items, `*` (as ALL) all items. None when it is not a plain path. */
export const ALL = Symbol("all items");

export function parse(text) {
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

export function write(steps) {
  let text = "";
  for (const step of steps) {
    if (step === ALL) text += "[*]";
    else if (typeof step === "number") text += `[${step}]`;
    else if (PLAIN.test(step)) text += (text ? "." : "") + step;
    else text += `['${step.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}']`;
  }
  return text || "$";
}

/** All values at these steps. A single value counts as a list of one. */
export function find(value, steps) {
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

/** What a mapping takes from an item: `a|b` is the first that is there, `'https://host/{id}'` is filled in. */
export function taken(mapping, item) {
  const text = mapping.trim();
  const template = /^'(.*)'$/s.exec(text) ?? /^"(.*)"$/s.exec(text);
  if (template) return template[1].replace(/\{([^}]*)\}/g, (_, path) => said(item, path));
  for (const path of text.split("|")) {
    const value = said(item, path);
    if (value) return value;
  }
  return "";
}

function said(item, path) {
  const steps = parse(path);
  if (!steps || !path.trim()) return "";
  const texts = find(item, steps).filter((value) => value !== null);
  return texts.map((value) => (typeof value === "string" ? value.trim() : typeof value === "object" ? "" : String(value))).filter(Boolean).join(" ");
}

/** The mapping as it is written when every path begins one level higher. */
export function under(mapping, steps) {
  const deeper = (path) => write([...steps, ...(parse(path) ?? [path])]);
  if (/^['"]/.test(mapping.trim())) return mapping.replace(/\{([^}]*)\}/g, (_, path) => `{${deeper(path)}}`);
  return mapping.split("|").map(deeper).join("|");
}

/** True when both are the same steps. */
export const isSame = (one, other) => one.length === other.length && one.every((step, place) => step === other[place]);

/** True when `steps` begin with `start`. */
export const begins = (steps, start) => start.length <= steps.length && start.every((step, place) => step === steps[place]);
