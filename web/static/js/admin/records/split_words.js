// The words of a name in camel case or with underscores.

/** `NameOfPlugIn` as `Name`, `Of`, `Plug`, `In`. Joined, they are the name. */
export const splitWords = (name) => name.split(/(?<=[\p{Ll}\d._])(?=\p{Lu})/u);
