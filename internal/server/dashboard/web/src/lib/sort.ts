// Sorting and filtering of trials.
import type { Param, Trial } from "../api/types";
import { isEnded, valueText } from "./format";

export interface Column {
  key: string;
  name: string;
  numeric: boolean;
  width: number;
  cell(t: Trial): number | string | null; // what it is sorted by; null: it has none
}

export type Order = { key: string; down: boolean };

// columnWidth has room for a name and for the arrow of a sorted column.
export const columnWidth = (name: string, least: number): number => Math.min(Math.max(least, 9 * name.length + 42), 190);

export function paramColumn(p: Param): Column {
  const numeric = p.type === "float" || p.type === "int";
  return {
    key: `p.${p.name}`,
    name: p.name,
    numeric,
    width: columnWidth(p.name, 88),
    cell: (t) => {
      const v = t.setting[p.name];
      return v === undefined ? null : typeof v === "boolean" ? String(v) : v;
    },
  };
}

export const chargedOf = (t: Trial): number | null => (isEnded(t) ? (t.charged ?? 0) : null);
export const valueOf = (t: Trial): number | null => (t.state === "done" ? (t.value ?? 0) : null);

const compare = (a: number | string, b: number | string): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

// sorted puts what is missing last, whichever way is up.
export function sorted(trials: Trial[], column: Column, down: boolean): Trial[] {
  const keyed = trials.map((t) => ({ t, k: column.cell(t) }));
  keyed.sort((x, y) => {
    if (x.k === null || y.k === null) return Number(x.k === null) - Number(y.k === null) || x.t.number - y.t.number;
    return (down ? compare(y.k, x.k) : compare(x.k, y.k)) || x.t.number - y.t.number;
  });
  return keyed.map((x) => x.t);
}

// matches looks for every word somewhere in the trial: "adam 3e-4", "#12", "name=value".
export function matcher(query: string): (t: Trial) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w !== "");
  if (words.length === 0) return () => true;
  return (t) => {
    const settings = Object.entries(t.setting).map(([k, v]) => `${k}=${valueText(v)}`);
    const text = `#${t.number} ${t.state} ${settings.join(" ")} ${t.runner ?? ""} ${t.note ?? ""}`.toLowerCase();
    return words.every((w) => (/^#\d+$/.test(w) ? `#${t.number}` === w : text.includes(w)));
  };
}
