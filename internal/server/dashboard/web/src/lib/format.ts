// Numbers, money and times as people write them. The rules are those of the Go package say, which has the words to
// each; both are tested against its table of examples.
import type { Aim, Cost, Definition, Objective, Param, Setting, Summary, Trial, Value } from "../api/types";

export const nothing = "–";

// parts splits a number into the digits of its shortest form and a power of ten.
function parts(v: number): [mantissa: string, power: number] {
  const [mantissa = "", power = ""] = Math.abs(v).toExponential().split("e");
  return [mantissa, Number(power)];
}

// rounded rounds the digits that people see, a half up.
function rounded(text: string, places: number): string {
  const [whole = "", decimals = ""] = text.split(".");
  let digits = whole + decimals.slice(0, places).padEnd(places, "0");
  if ((decimals[places] ?? "0") >= "5") digits = String(Number(digits) + 1).padStart(digits.length, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const trimmed = (s: string): string => (s.includes(".") ? s.replace(/\.?0+$/, "") : s);

const signed = (v: number, text: string): string => (v < 0 && /[1-9]/.test(text) ? `-${text}` : text);

// fixed writes so many decimals, at most five of numbers below 1e-6, which String would give an exponent.
const fixed = (v: number, places: number): string => signed(v, rounded(Math.abs(v) < 1e-6 ? "0" : String(Math.abs(v)), Math.max(places, 0)));

// plain writes n significant digits without commas.
function plain(v: number, n: number): string {
  if (!Number.isFinite(v)) return nothing;
  if (v === 0) return "0";
  let [mantissa, power] = parts(v);
  if (power < -4 || power >= 7) {
    mantissa = rounded(mantissa, n - 1);
    if (mantissa.startsWith("10")) [mantissa, power] = ["1", power + 1];
  }
  if (power >= -4 && power < 7) return trimmed(fixed(v, n - 1 - power));
  return `${signed(v, trimmed(mantissa))}e${power}`;
}

// grouped sets commas into whole parts of five digits and more.
const grouped = (s: string): string => s.replace(/^-?\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

export const digits = (v: number, n: number): string => grouped(plain(v, n));

export const number = (v: number): string => digits(v, 4);

export function percent(part: number): string {
  const p = 100 * part;
  if (!Number.isFinite(p)) return nothing;
  if (p > 0 && p < 1) return "<1%";
  if (p > 99 && p < 100) return ">99%";
  return p > 999 ? ">999%" : `${fixed(p, 0)}%`;
}

export const plural = (n: number, one: string, many = `${one}s`): string => (n === 1 ? `1 ${one}` : `${grouped(String(n))} ${many}`);

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// duration writes seconds in the one or two units that matter.
export function duration(s: number): string {
  const two = (large: number, small: number, largeName: string, smallName: string): string => {
    const n = Math.floor(s / small + 0.5);
    const rest = n % (large / small);
    return `${Math.floor(n / (large / small))}${largeName}${rest > 0 ? `${rest}${smallName}` : ""}`;
  };
  if (!Number.isFinite(s)) return nothing;
  if (Math.abs(s) < 0.5e-6) return "0s";
  if (s < 0) return `-${duration(-s)}`;
  if (s < 0.9995e-3) return `${fixed(s * 1e6, 0)}µs`;
  if (s < 0.9995) return `${plain(s * 1e3, 3)}ms`;
  if (s < 59.95) return `${plain(s, 3)}s`;
  if (s < hour - 0.5) return two(minute, 1, "m", "s");
  if (s < 2 * day - 30) return two(hour, minute, "h", "m");
  if (s < 100 * day) return two(day, hour, "d", "h");
  return `${digits(Math.floor(s / day + 0.5), 4)}d`;
}

// clock is a time that is watched as it passes: tenths of a second are its last digit, so that it does not flicker.
export const clock = (seconds: number): string =>
  seconds < 10 ? `${fixed(Math.floor(10 * Math.max(seconds, 0)) / 10, 1)}s` : duration(Math.floor(seconds));

export const isTime = (c: Cost): boolean => c.source === "walltime";

const isSign = (unit: string): boolean => /^\p{Sc}$/u.test(unit);

// price writes cents, or nothing for none; below 1, all digits.
function price(sign: string, v: number): string {
  const size = Math.abs(v);
  const text = size >= 1 && size < 1e7 ? trimmed(fixed(size, 2)) : plain(size, 4);
  return signed(v, sign + grouped(/^\d+\.\d$/.test(text) ? `${text}0` : text));
}

// isOne says whether a number is written as 1.
export const isOne = (v: number): boolean => number(Math.abs(v)) === "1";

// endings are those of words in the plural and in the singular; the first that fits counts.
const endings = [["calories", "calorie"], ["ies", "y"], ["ches", "ch"], ["shes", "sh"], ["sses", "ss"], ["xes", "x"], ["ss", "ss"], ["us", "us"], ["is", "is"], ["s", ""]] as const;

// unitOf is the unit of an amount: "1 core-hour", "2 core-hours". The s of "ms" and "GPUs" belongs to an abbreviation.
function unitOf(unit: string, v: number): string {
  const ending = isOne(v) && /[A-Za-z][a-z]{2,}s$/.test(unit) && endings.find(([many]) => unit.endsWith(many));
  return ending ? unit.slice(0, -ending[0].length) + ending[1] : unit;
}

// amount writes a cost with its unit: "2m30s", "$12.50", "12.5 core-hours".
export function amount(c: Cost, v: number): string {
  if (!Number.isFinite(v)) return nothing;
  if (isTime(c)) return duration(v);
  return isSign(c.unit) ? price(c.unit, v) : `${number(v)} ${unitOf(c.unit, v)}`.trim();
}

// bare is an amount beside another one that names the unit.
export const bare = (c: Cost, v: number): string => (isTime(c) || isSign(c.unit) ? amount(c, v) : number(v));

// share is a part of an amount; the unit is said once.
export const share = (c: Cost, part: number, of: number): string => `${bare(c, part)} of ${amount(c, of)}`;

// axisName names an axis of money; the labels of a clock name their units themselves.
export const axisName = (name: string, c: Cost): string => (isTime(c) || c.unit === "" ? name : `${name}, ${c.unit}`);

// tickLabel writes as many decimals as the step has; on axes of very large or small numbers, as many digits as tell one
// tick from the next.
export function tickLabel(v: number, step: number, largest: number): string {
  if (!(Math.abs(v) >= step / 2)) return "0";
  let decimals = 0;
  for (let rest = step; decimals < 7 && Math.abs(rest - Math.round(rest)) > 1e-6 * rest; rest *= 10) decimals++;
  if (Math.max(largest, Math.abs(v)) >= 1e7 || decimals > 5) return digits(v, Math.max(Math.ceil(Math.log10(largest / step) + 1e-9) + 1, 1));
  return grouped(fixed(v, decimals));
}

// valueText writes the value of a parameter: whole numbers in full, others with four digits, never with commas.
export const valueText = (v: Value | null | undefined): string => {
  if (v === undefined || v === null) return nothing;
  if (typeof v !== "number") return String(v);
  return Number.isInteger(v) && Math.abs(v) < 1e15 ? String(v) : plain(v, 4);
};

// inputs are the parameters of a setting, and its fidelity.
export const inputs = (d: Definition): Param[] => (d.fidelity ? [...d.parameters, { name: d.fidelity.name, type: "float" }] : d.parameters);

const quoted = (s: string): string => (s === "" || /[ ,="]/.test(s) ? JSON.stringify(s) : s);

// settingText lists what was set, in the study's order; what has one value only tells nothing.
export function settingText(params: Pick<Param, "name" | "type">[], s: Setting): string {
  return params
    .filter((p) => p.type !== "fixed" && s[p.name] !== undefined)
    .map((p) => `${p.name}=${quoted(valueText(s[p.name]))}`)
    .join(", ");
}

// spread writes a value that is known so well: "0.12 ± 0.031". It has no digits below those of its spread.
export function spread(value: number, sd: number): string {
  if (!(sd > 0) || !Number.isFinite(sd) || !Number.isFinite(value)) return number(value);
  const [, power] = parts(sd);
  const [, top] = parts(value);
  const usual = (p: number) => p >= -4 && p < 7;
  const text = usual(power) && usual(top) ? grouped(trimmed(fixed(value, Math.min(3 - top, 1 - power)))) : number(value);
  return `${text} ± ${digits(sd, 2)}`;
}

// within writes the digits that an uncertainty leaves.
function within(v: number, uncertainty: number): string {
  const [, power] = parts(uncertainty);
  return power < -4 || power >= 7 || parts(v)[1] >= 7 ? number(v) : grouped(trimmed(fixed(v, 1 - power)));
}

// estimate writes a value, and the band that holds it with a chance of 80%, which is empty if it has no width. Each end has the digits that
// its distance from the value leaves, and the value those of the nearer end.
export function estimate(value: number, low: number, high: number): [text: string, band: string] {
  const half = (high - low) / 2;
  if (!(half > 0) || !Number.isFinite(half) || !Number.isFinite(value)) return [number(value), ""];
  const [below, above] = value > low && high > value ? [value - low, high - value] : [half, half];
  return [within(value, Math.min(below, above)), `80% between ${within(low, below)} and ${within(high, above)}`];
}

const mostSeen = 6; // values that are listed one by one

// seen writes the values that were observed at a setting.
export const seen = (values: number[]): string =>
  `seen there: ${values.length > mostSeen ? `${plural(values.length, "value")} between ${number(Math.min(...values))} and ${number(Math.max(...values))}` : values.map(number).join(", ")}`;

// goalsText is what a study wants: "smallest loss", or "largest accuracy, smallest latency".
export const goalsText = (s: { objective: Objective; objectives?: Aim[] }): string => (s.objectives ?? [s.objective]).map((o) => `${goalText(o.goal)} ${o.name}`).join(", ");

export const goalText = (goal: string): string => (goal === "maximize" ? "largest" : "smallest");

export const isOpen = (t: Trial): boolean => t.state === "pending" || t.state === "running";
export const isEnded = (t: Trial): boolean => !isOpen(t);
export const counts = (t: Trial): boolean => hasCounted(t) && !t.violates?.length;

// hasCounted says whether a trial's value counts but for limits that it may violate.
export const hasCounted = (t: Trial): boolean => t.state === "done" && !t.beyond && !t.look && !t.forgotten && !t.outside;

// moment is a date and a time here: 2026-11-16 05:50:07. It has seconds, since many trials take no minute. It is the same in all
// languages, and the browser needs no tables for it, whose reading takes longer than a chart.
export function moment(iso: string): string {
  const d = new Date(iso);
  const two = (n: number) => String(n).padStart(2, "0");
  return Number.isNaN(d.getTime()) ? nothing : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${[d.getHours(), d.getMinutes(), d.getSeconds()].map(two).join(":")}`;
}

export const trialCount = (s: Summary): number => Object.values(s.counts).reduce((sum, n) => sum + n, 0);
