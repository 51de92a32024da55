// Sorting of trials.
import type { Param, Trial } from "../api/types";
import { isEnded } from "./format";

export interface Column {
  key: string;
  name: string;
  aliases?: string[]; // other names, in filters
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
    width: columnWidth(p.name, Math.min(Math.max(88, ...(p.values ?? []).map((v) => 8 * String(v).length + 24)), 190)),
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

// Columns are shown in an order that people choose. Those that are not named in it come last, and those in hidden are left out.
export interface Shown {
  order: string[];
  hidden: string[];
}

export function arranged(columns: Column[], shown: Shown): Column[] {
  const rank = (c: Column) => ((k) => (k < 0 ? shown.order.length : k))(shown.order.indexOf(c.key));
  return columns.map((c, k) => ({ c, k })).sort((a, b) => rank(a.c) - rank(b.c) || a.k - b.k).map(({ c }) => c);
}

// swapped moves a column before or after its neighbour.
export function swapped(columns: Column[], key: string, by: -1 | 1): string[] {
  const keys = columns.map((c) => c.key);
  const k = keys.indexOf(key);
  const [a, b] = [keys[k], keys[k + by]];
  if (a !== undefined && b !== undefined) [keys[k], keys[k + by]] = [b, a];
  return keys;
}
