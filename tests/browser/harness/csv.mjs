// Reads CSV as a spreadsheet does.

/** Rows of cells. */
export function parseCsv(text) {
  const rows = [[]];
  let cell = "";
  let isQuoted = false;
  const source = text.replace(/^\ufeff/, "");
  for (let place = 0; place < source.length; place++) {
    const sign = source[place];
    if (isQuoted && sign === '"' && source[place + 1] === '"') cell += source[++place];
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === ",") {
      rows.at(-1).push(cell);
      cell = "";
    } else if (!isQuoted && sign === "\n") {
      rows.at(-1).push(cell.replace(/\r$/, ""));
      rows.push([]);
      cell = "";
    } else cell += sign;
  }
  if (cell || rows.at(-1).length) rows.at(-1).push(cell);
  return rows.filter((row) => row.length);
}

/** True when a spreadsheet would reckon with it. A plain number is no formula. */
export const isFormula = (cell) => /^[\s]*[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell.trim());
