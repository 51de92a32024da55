// Tables as CSV.
export type Cell = string | number | boolean | null | undefined;

// A spreadsheet takes a cell that begins like this for a formula, and would carry it out.
const formula = /^[=+\-@\t\r]/;

// cell writes numbers as they are. A text that could be a formula gets an apostrophe in front, as spreadsheets have it.
function cell(c: Cell): string {
  if (c === null || c === undefined) return "";
  if (typeof c !== "string") return String(c);
  const text = formula.test(c) ? `'${c}` : c;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csv = (rows: readonly (readonly Cell[])[]): string => rows.map((r) => `${r.map(cell).join(",")}\r\n`).join("");
