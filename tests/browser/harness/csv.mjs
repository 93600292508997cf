// CSV as a spreadsheet reads it.

/** Parses CSV into rows of cells. */
export function parseCsv(text) {
  const rows = [[]];
  let cell = "";
  let isQuoted = false;
  const source = text.replace(/^\ufeff/, "");
  for (let place = 0; place < source.length; place++) {
    const char = source[place];
    if (isQuoted && char === '"' && source[place + 1] === '"') cell += source[++place];
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === ",") {
      rows.at(-1).push(cell);
      cell = "";
    } else if (!isQuoted && char === "\n") {
      rows.at(-1).push(cell.replace(/\r$/, ""));
      rows.push([]);
      cell = "";
    } else cell += char;
  }
  if (cell || rows.at(-1).length) rows.at(-1).push(cell);
  return rows.filter((row) => row.length);
}

/** Whether a spreadsheet would evaluate the cell. A plain number is not a formula. */
export const isFormula = (cell) => /^[\s]*[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell.trim());
