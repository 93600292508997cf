// The words of a name in camel case or with underscores.

/** `NameOfPlugIn` as `Name`, `Of`, `Plug`, `In`. Joined, they are the name. */
export const splitWords = (name) => name.split(/(?<=[\p{Ll}\d._])(?=\p{Lu})/u);

const SUFFIX = /(?:(?:Post)?Result|Query)?Processor$/;

/** The name of a processor as words: `NameOfStepQueryProcessor` as `Name of step`. Other names stay as they are. */
export function processorWords(name) {
  const stem = name.replace(SUFFIX, "");
  if (!stem || stem === name) return name;
  return splitWords(stem).join(" ").replace(/(?<= )\p{Lu}(?=\p{Ll})/gu, (letter) => letter.toLowerCase());
}
