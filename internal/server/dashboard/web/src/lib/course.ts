// The course of a study: what was spent, and what was best, as its trials ended.
import type { Cost, Goal, Ledger, Spending, Trial } from "../api/types";
import { finishedAt } from "./brief";
import { amount, bare, counts, hasCounted, isEnded, number } from "./format";

export interface CourseStep {
  trial: Trial;
  spent: number; // when it had ended
  best: number | null; // so far
  better: boolean; // than all before
  mark: Mark;
}

export const isBetter = (goal: Goal, a: number, b: number): boolean => (goal === "minimize" ? a < b : a > b);

// course lists the trials in the order they ended. Where evaluations have noise, the best has an estimate; then no trial is better than
// those before it, since the best observation is mostly luck, and the trials of the best setting are marked. If the best was known before, no
// trial that ended since is better than it.
export function course(goal: Goal, trials: Trial[], top: Trial | null = null): CourseStep[] {
  const ended = trials.filter(isEnded).map((t) => ({ t, at: finishedAt(t) }));
  ended.sort((a, b) => a.at - b.at || a.t.number - b.t.number);
  let spent = 0;
  let best: number | null = null;
  const known = top?.known ? { value: top.value ?? 0, at: finishedAt(top) } : null;
  const steps = ended.map(({ t, at }): CourseStep => {
    spent += t.charged ?? 0;
    if (known && known.at <= at && (best === null || isBetter(goal, known.value, best))) best = known.value;
    const value = t.value ?? 0;
    const better = counts(t) && (best === null || isBetter(goal, value, best));
    if (better) best = value;
    const mark = t.state !== "done" ? (t.state as Mark) : !counts(t) ? "beyond" : better ? "better" : "done";
    return { trial: t, spent, best, better, mark };
  });
  if (top?.estimate) return steps.map((s) => observed(s, top));
  const last = steps.findLast((s) => s.better);
  if (last && !known) last.mark = "best";
  return steps;
}

function observed(s: CourseStep, top: Trial): CourseStep {
  const mark = hasCounted(s.trial) && sameSetting(s.trial, top) ? "leading" : !counts(s.trial) ? s.mark : "observed";
  return { ...s, best: null, better: false, mark };
}

export const sameSetting = (a: Trial, b: Trial): boolean => {
  const names = Object.keys(b.setting);
  return names.length === Object.keys(a.setting).length && names.every((p) => a.setting[p] === b.setting[p]);
};

// isBest says whether a trial is the best or, where evaluations have noise, one of those that tried the best setting.
export const isBest = (t: Trial, best: Trial | null): boolean => best !== null && (best.estimate ? hasCounted(t) && sameSetting(t, best) : t.number === best.number);

// bestBefore is the best value that was known when a trial was asked for.
export function bestBefore(goal: Goal, trials: Trial[], trial: Trial): number | null {
  const asked = Date.parse(trial.asked);
  const known = trials.flatMap((t) => (counts(t) && t.value !== null && finishedAt(t) <= asked ? [t.value] : []));
  return known.reduce<number | null>((best, v) => (best === null || isBetter(goal, v, best) ? v : best), null);
}

// shownValues are the values that must be seen: those that count, if there are any, and the best, which may have been known
// before. The others may be at the edge.
export function shownValues(steps: CourseStep[]): number[] {
  const done = steps.filter((s) => s.trial.state === "done");
  const counting = done.filter((s) => counts(s.trial));
  const values = counting.map((s) => s.trial.value ?? 0);
  const known = [...new Set(steps.map((s) => s.best))].filter((b): b is number => b !== null && !values.includes(b));
  return values.length + known.length > 0 ? values.concat(known) : done.map((s) => s.trial.value ?? 0);
}

export type Mark = "best" | "better" | "leading" | "observed" | "done" | "beyond" | "failed" | "cut" | "stopped early" | "abandoned";

// markOf is how a trial is drawn: the best of all like those that were the best for a while.
export const markOf = (s: CourseStep): Mark => (s.mark === "best" ? "better" : s.mark);

// standsOut says whether a trial is drawn larger, and over the others.
export const standsOut = (s: CourseStep): boolean => s.better || s.mark === "leading";

const overBudget = "over budget: does not count";

// violates says which limits a trial does not meet, as the tool does.
const violates = (t: Trial): string => {
  const beyond = (t.violates ?? []).filter((name) => t.metrics?.[name] !== undefined).map((name) => `${name} ${number(t.metrics?.[name] ?? 0)}`);
  const unknown = (t.violates ?? []).filter((name) => t.metrics?.[name] === undefined);
  const parts = [...(beyond.length > 0 ? [`${beyond.join(", ")} ${beyond.length > 1 ? "are beyond their limits" : "is beyond its limit"}`] : []), ...(unknown.length > 0 ? [`no ${unknown.join(", no ")} was reported`] : [])];
  return parts.join(", ");
};

// notCounted says why the value of a trial does not count; "" if it does.
export const notCounted = (t: Trial): string =>
  t.forgotten ? "forgotten: does not count" : t.outside ? "outside the parameters: does not count" : t.beyond ? overBudget : t.look ? "look: does not count" : t.violates?.length ? `${violates(t)}: does not count` : "";

export const markWords: Record<Mark, string> = {
  best: "best",
  better: "new best",
  done: "not better",
  leading: "at the best setting",
  observed: "observed",
  beyond: "does not count",
  failed: "failed",
  cut: "stopped at a limit",
  "stopped early": "stopped early",
  abandoned: "abandoned",
};

// shownRange is the range of values to draw, the best first: all, unless a few bad ones would press the rest into one line.
export function shownRange(values: number[], goal: Goal): number[] {
  const sorted = Float64Array.from(values).sort();
  if (goal === "maximize") sorted.reverse();
  const n = sorted.length;
  const best = sorted[0];
  const worst = sorted[n - 1];
  const most = sorted[Math.floor((n * 9 - 1) / 10)];
  if (best === undefined || worst === undefined || most === undefined) return [];
  return n >= 8 && most !== best && Math.abs(worst / 2 - best / 2) > 6 * Math.abs(most / 2 - best / 2) ? [best, most] : [best, worst];
}

export interface Part {
  kind: "spent" | "looks" | "lost" | "reserved" | "left" | "overrun";
  name: string;
  money: number;
}

// parts splits all money that was there or was spent. The server says what it was spent on; a list of studies leaves that out.
export function parts(ledger: Ledger, on: Spending | null): Part[] {
  const over = Math.max(ledger.spent - ledger.total, 0);
  const sums = { results: on?.results ?? ledger.spent, looks: on?.looks ?? 0, lost: on?.lost ?? 0 };
  let beyond = over; // a part of these sums; a trial that went over the total may count
  for (const of of ["lost", "results", "looks"] as const) {
    const part = Math.min(beyond, sums[of]);
    sums[of] -= part;
    beyond -= part;
  }
  const list: [Part["kind"], string, number, boolean][] = [
    ["spent", on === null ? "spent" : "spent on results", sums.results, true],
    ["looks", "spent on looks", sums.looks, false],
    ["lost", "spent without a result", sums.lost, false],
    ["reserved", "reserved", ledger.reserved, false],
    ["left", "left", Math.max(ledger.total - ledger.spent - ledger.reserved, 0), over === 0],
    ["overrun", "over budget", over, false],
  ];
  const tiny = 1e-9 * ledger.total; // what the rounding of many sums leaves
  return list.flatMap(([kind, name, money, always]) => (money >= tiny && money > 0 ? [{ kind, name, money }] : always ? [{ kind, name, money: 0 }] : []));
}

// accountWords writes the ledger on one line.
export function accountWords(c: Cost, ledger: Ledger): string {
  const words = parts(ledger, null).map((p) => `${bare(c, p.kind === "spent" ? ledger.spent : p.money)} ${p.name}`);
  return `${words.join(", ")} of ${amount(c, ledger.total)}`;
}
