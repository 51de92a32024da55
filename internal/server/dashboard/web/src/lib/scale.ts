// Scales take numbers to places in pixels. They are those of the report.
import type { Cost, Param, Value } from "../api/types";
import { duration, isTime, number, tickLabel, valueText } from "./format";

export interface Tick {
  at: number;
  label: string;
}

export interface Scale {
  readonly lo: number; // the logarithm, where log is set
  readonly hi: number;
  readonly log: boolean;
  readonly whole: boolean;
  readonly clock?: boolean; // seconds, with the ticks of a clock
  readonly from: number;
  readonly to: number;
}

const huge = 1e300;

const transformed = (log: boolean, v: number): number => {
  if (log) return v > 0 ? Math.log10(v) : -Infinity;
  return Math.min(Math.max(v, -huge), huge);
};

// newScale covers the finite values of a list, and a little more if there is room to give.
export function newScale(values: Iterable<number>, log: boolean, margin: number, from = 0, to = 1, whole = false): Scale {
  let lo = Infinity;
  let hi = -Infinity;
  for (const v of values) {
    const t = transformed(log, v);
    if (!Number.isFinite(t)) continue;
    if (t < lo) lo = t;
    if (t > hi) hi = t;
  }
  if (lo > hi) [lo, hi] = [0, 1];
  else if (hi - lo <= 1e-12 * Math.max(Math.abs(lo), Math.abs(hi))) {
    const around = log || lo === 0 ? 1 : Math.max(Math.abs(lo) / 10, 1e-12);
    [lo, hi] = [lo - around, hi + around];
  } else {
    const room = (hi - lo) * margin;
    [lo, hi] = [lo - room, hi + room];
  }
  return { lo, hi, log, whole, from, to };
}

// ofMoney gives an axis of wall time the ticks of a clock.
export const ofMoney = (s: Scale, c: Cost): Scale => ({ ...s, clock: isTime(c) });

export const between = (s: Scale, from: number, to: number): Scale => ({ ...s, from, to });

// place is where a number is, at the edge if it is outside.
export function place(s: Scale, v: number): number {
  const part = (transformed(s.log, v) - s.lo) / (s.hi - s.lo);
  return s.from + (Number.isNaN(part) ? 0 : Math.min(Math.max(part, 0), 1)) * (s.to - s.from);
}

// spot is where a number is, outside too.
export function spot(s: Scale, v: number): number {
  const t = Math.max(transformed(s.log, v), s.lo - 1e6 * (s.hi - s.lo));
  return s.from + ((t - s.lo) / (s.hi - s.lo)) * (s.to - s.from);
}

// back is the number at a place.
export function back(s: Scale, at: number): number {
  const t = s.lo + ((at - s.from) / (s.to - s.from)) * (s.hi - s.lo);
  return s.log ? 10 ** t : t;
}

export function holds(s: Scale, v: number): boolean {
  const t = transformed(s.log, v);
  const slack = 1e-9 * (s.hi - s.lo);
  return t >= s.lo - slack && t <= s.hi + slack;
}

// niceStep is the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below a number.
export function niceStep(least: number, whole: boolean): number {
  if (!(least > 0) || !Number.isFinite(least)) return 0;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const m of [1, 2, 2.5, 5]) {
    const step = m * power;
    if (step >= least * (1 - 1e-9) && (!whole || Number.isInteger(step))) return step;
  }
  return whole ? Math.max(10 * power, 1) : 10 * power;
}

const clockSteps = [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

// clockStep is a step in seconds as clocks have it.
export function clockStep(least: number): number {
  if (!(least > 1)) return niceStep(least, false);
  return clockSteps.find((s) => s >= least * (1 - 1e-9)) ?? 86400 * niceStep(least / 86400, true);
}

function logTicks(s: Scale, n: number): Tick[] {
  const decades = s.hi - s.lo;
  let marks = [1];
  let every = 1;
  if (3 * decades <= n + 2) marks = [1, 2, 5];
  else if (2 * decades <= n + 2) marks = [1, 3];
  else if (decades > n) every = Math.ceil(decades / n);
  const list: Tick[] = [];
  for (let k = Math.floor(s.lo); k <= s.hi + 1e-9; k++) {
    for (const m of marks) {
      const v = m * 10 ** k;
      if (holds(s, v) && k % every === 0) list.push({ at: place(s, v), label: s.clock ? duration(v) : number(v) });
    }
  }
  return list;
}

// ticks returns about n round numbers with their places.
export function ticks(s: Scale, n: number): Tick[] {
  if (s.log && s.hi - s.lo >= 0.7 && s.lo > -300 && s.hi < 300) return logTicks(s, n);
  const [lo, hi] = s.log ? [10 ** Math.max(s.lo, -300), 10 ** Math.min(s.hi, 300)] : [s.lo, s.hi];
  const step = s.clock ? clockStep((hi - lo) / Math.max(n, 1)) : niceStep((hi - lo) / Math.max(n, 1), s.whole);
  if (step === 0 || !Number.isFinite(step)) return [];
  const list: Tick[] = [];
  const largest = Math.max(Math.abs(lo), Math.abs(hi));
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9 && list.length < 4 * n; k++) {
    list.push({ at: place(s, k * step), label: s.clock ? duration(k * step) : tickLabel(k * step, step, largest) });
  }
  return list;
}

const day = 86400;

// dateTicks are round local times on an axis of milliseconds since 1970.
export function dateTicks(s: Scale, n: number): Tick[] {
  const step = 1000 * clockStep((s.hi - s.lo) / 1000 / Math.max(n, 1));
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const how: Intl.DateTimeFormatOptions =
    step >= 1000 * day ? { month: "short", day: "numeric" } : s.hi - s.lo > 1000 * day ? { weekday: "short", hour: "2-digit", minute: "2-digit" } : step < 60_000 ? { timeStyle: "medium" } : { timeStyle: "short" };
  const tick = (at: number): Tick => ({ at: place(s, at), label: new Date(at).toLocaleString(undefined, how) });
  const list: Tick[] = [];
  if (step >= 1000 * day) {
    for (let k = Math.ceil((s.lo - zoneAt(s.lo)) / step); midnight(k * step) <= s.hi && list.length < 4 * n; k++) list.push(tick(midnight(k * step)));
    return list;
  }
  for (const zone of new Set([zoneAt(s.lo), zoneAt(s.hi)])) {
    for (let k = Math.ceil((s.lo - zone) / step); k * step + zone <= s.hi && list.length < 4 * n; k++) if (zoneAt(k * step + zone) === zone) list.push(tick(k * step + zone));
  }
  return list;
}

// zoneAt is how far clocks here are behind Greenwich. They may be changed between two ticks: an hour is left out, or comes twice.
const zoneAt = (at: number): number => 60_000 * new Date(at).getTimezoneOffset();

// midnight is when a day begins here: once, even where clocks are changed at midnight.
const midnight = (of: number): number => ((d) => new Date(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()).getTime())(new Date(of));

// wide says whether positive values range so far that a logarithmic axis is due.
export function wide(values: Iterable<number>): boolean {
  let lo = Infinity;
  let hi = 0;
  for (const v of values) {
    if (v <= 0) return false;
    lo = Math.min(lo, v);
    hi = Math.max(hi, v);
  }
  return hi / lo > 20 && Number.isFinite(lo);
}

// ParamScale places a parameter's values: numbers along a scale, all others one after the other.
export interface ParamScale {
  place(v: Value | undefined): number | null;
  marks(n: number): Tick[];
  named: boolean;
}

export function paramScale(p: Pick<Param, "type" | "min" | "max" | "log" | "values" | "value">, from: number, to: number): ParamScale {
  if (p.type === "float" || p.type === "int") {
    const s = newScale([p.min ?? 0, p.max ?? 0], p.log ?? false, 0, from, to, p.type === "int");
    return { named: false, place: (v) => (typeof v === "number" ? place(s, v) : null), marks: (n) => ticks(s, n) };
  }
  return namedScale(p.type === "bool" ? [false, true] : (p.values ?? (p.value === undefined ? [] : [p.value])), from, to);
}

const mostNames = 24; // labels on an axis

export function namedScale(values: Value[], from: number, to: number): ParamScale {
  const at = (k: number) => from + ((k + 0.5) / values.length) * (to - from);
  return {
    named: true,
    place: (v) => {
      const k = v === undefined ? -1 : values.indexOf(v);
      return k < 0 ? null : at(k);
    },
    marks: () => {
      const every = Math.ceil(values.length / mostNames);
      return values.flatMap((v, k) => (k % every === 0 ? [{ at: at(k), label: valueText(v) }] : []));
    },
  };
}
