// Numbers, money and times as people write them. The rules are those of the report.
import type { Cost, Param, Setting, Summary, Trial, Value } from "../api/types";

export const nothing = "–";

const trimZeros = (s: string): string => {
  const t = s.includes(".") ? s.replace(/\.?0+$/, "") : s;
  return t === "-0" ? "0" : t;
};

// grouped sets commas into whole parts of five digits and more.
export function grouped(s: string): string {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d+)(.*)$/.exec(s) ?? [];
  if (whole.length < 5) return s;
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + rest;
}

// digits writes n significant digits, with an exponent only where people would write one.
export function digits(v: number, n: number): string {
  const size = Math.abs(v);
  if (!Number.isFinite(v)) return nothing;
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e7) {
    const [mantissa = "", power = ""] = v.toExponential(n - 1).split("e");
    return `${trimZeros(mantissa)}e${power.replace("+", "")}`;
  }
  return grouped(trimZeros(v.toFixed(Math.max(n - 1 - Math.floor(Math.log10(size)), 0))));
}

export const number = (v: number): string => digits(v, 4);

export const percent = (part: number): string => {
  const p = 100 * part;
  if (!Number.isFinite(p)) return nothing;
  if (p > 0 && p < 1) return "< 1 %";
  if (p > 99 && p < 100) return "> 99 %";
  return `${Math.round(p)} %`;
};

// duration writes seconds in the two largest units that matter.
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return nothing;
  if (seconds < 0) return `-${duration(-seconds)}`;
  const two = (big: number, small: number, bigName: string, smallName: string): string => {
    const n = Math.round(seconds / small);
    const per = big / small;
    const whole = Math.floor(n / per);
    const rest = n - whole * per;
    return rest === 0 ? `${number(whole)} ${bigName}` : `${number(whole)} ${bigName} ${number(rest)} ${smallName}`;
  };
  if (seconds === 0) return "0 s";
  if (seconds < 0.9995) return `${digits(seconds * 1000, 3)} ms`;
  if (seconds < 59.95) return `${digits(seconds, 3)} s`;
  if (seconds < 3599.5) return two(60, 1, "min", "s");
  if (seconds < 48 * 3600) return two(3600, 60, "h", "min");
  return two(86400, 3600, "d", "h");
}

// clock is a time that is watched as it passes: whole seconds, so that it does not flicker.
export const clock = (seconds: number): string => duration(Math.max(0, Math.floor(seconds)));

export const isTime = (c: Cost): boolean => c.source === "walltime" && (c.unit === "seconds" || c.unit === "");

export function amount(c: Cost, v: number): string {
  if (isTime(c)) return duration(v);
  if (["$", "€", "£", "¥"].includes(c.unit)) return v < 0 ? `-${c.unit}${number(-v)}` : c.unit + number(v);
  return `${number(v)} ${c.unit}`.trim();
}

// share is a part of an amount; the unit is said once.
export const share = (c: Cost, part: number, of: number): string => `${bare(c, part)} of ${amount(c, of)}`;

// bare is an amount beside others whose unit is named elsewhere.
export const bare = (c: Cost, v: number): string => (isTime(c) ? duration(v) : number(v));

export const valueText = (v: Value | null | undefined): string =>
  v === undefined || v === null ? nothing : typeof v === "number" ? (Number.isInteger(v) && Math.abs(v) < 1e15 ? String(v) : number(v)) : String(v);

// settingText lists what was set, in the study's order; what has one value alone tells nothing.
export function settingText(params: Param[], s: Setting): string {
  return params
    .filter((p) => p.type !== "fixed" && s[p.name] !== undefined)
    .map((p) => `${p.name} ${valueText(s[p.name])}`)
    .join(" · ");
}

export const plural = (n: number, one: string, many = `${one}s`): string => (n === 1 ? `1 ${one}` : `${grouped(String(n))} ${many}`);

export const goalText = (goal: string): string => (goal === "maximize" ? "largest" : "smallest");

export const isOpen = (t: Trial): boolean => t.state === "pending" || t.state === "running";
export const isEnded = (t: Trial): boolean => !isOpen(t);
export const counts = (t: Trial): boolean => t.state === "done" && !t.beyond;

export function ago(then: string, now: number): string {
  const seconds = (now - Date.parse(then)) / 1000;
  if (!Number.isFinite(seconds)) return nothing;
  return seconds < 2 ? "just now" : `${clock(seconds)} ago`;
}

export function moment(iso: string): string {
  const d = new Date(iso);
  return Number.isNaN(d.getTime()) ? nothing : d.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export const trialCount = (s: Summary): number => Object.values(s.counts).reduce((sum, n) => sum + n, 0);
