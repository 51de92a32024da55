// The course of a study: what was spent, and what was best, as its trials ended.
import type { Goal, Trial } from "../api/types";
import { counts, isEnded } from "./format";

export interface CourseStep {
  trial: Trial;
  spent: number; // when it had ended
  best: number | null; // so far
  better: boolean; // than all before
}

export const isBetter = (goal: Goal, a: number, b: number): boolean => (goal === "minimize" ? a < b : a > b);

export function course(goal: Goal, trials: Trial[]): CourseStep[] {
  const ended = trials.filter(isEnded).map((t) => ({ t, at: t.finished ? Date.parse(t.finished) : 0 }));
  ended.sort((a, b) => a.at - b.at || a.t.number - b.t.number);
  let spent = 0;
  let best: number | null = null;
  return ended.map(({ t }) => {
    spent += t.charged ?? 0;
    const value = t.value ?? 0;
    const better = counts(t) && (best === null || isBetter(goal, value, best));
    if (better) best = value;
    return { trial: t, spent, best, better };
  });
}

// bestBefore is the best value that was known when a trial was asked for.
export function bestBefore(goal: Goal, trials: Trial[], trial: Trial): number | null {
  const asked = Date.parse(trial.asked);
  const known = trials.flatMap((t) => (counts(t) && t.value !== undefined && t.finished && Date.parse(t.finished) <= asked ? [t.value] : []));
  return known.reduce<number | null>((best, v) => (best === null || isBetter(goal, v, best) ? v : best), null);
}

export type Mark = "better" | "done" | "beyond" | "failed" | "cut" | "abandoned";

export function markOf(s: CourseStep): Mark {
  if (s.trial.state === "done") return s.trial.beyond ? "beyond" : s.better ? "better" : "done";
  return s.trial.state as Mark;
}

export const markWords: Record<Mark, string> = {
  better: "a new best",
  done: "another value",
  beyond: "went beyond the budget: does not count",
  failed: "failed",
  cut: "stopped at a limit",
  abandoned: "abandoned",
};

// valueRange returns the values to make room for: all, unless a few bad ones would leave no room for the rest.
export function valueRange(values: number[], goal: Goal): number[] {
  if (values.length < 8) return values;
  const sorted = [...values].sort((a, b) => (goal === "minimize" ? a - b : b - a));
  const first = sorted[0] as number;
  const last = sorted[sorted.length - 1] as number;
  const most = sorted[Math.floor((sorted.length * 9 - 1) / 10)] as number;
  if (Math.abs(last - first) > 6 * Math.abs(most - first) && most !== first) return [first, most];
  return [first, last];
}

export interface Part {
  kind: "spent" | "lost" | "reserved" | "left" | "overrun";
  name: string;
  money: number;
}

// parts splits all money that was there or was spent. Without trials, what was lost is not known apart.
export function parts(ledger: { total: number; spent: number; reserved: number }, trials: Trial[] | null): Part[] {
  const overrun = Math.max(ledger.spent - ledger.total, 0);
  const left = Math.max(ledger.total - ledger.spent - ledger.reserved, 0);
  let useful = ledger.spent - overrun;
  let lost = 0;
  if (trials !== null) {
    useful = 0;
    for (const t of trials) {
      if (counts(t)) useful += t.charged ?? 0;
      else if (isEnded(t)) lost += t.charged ?? 0;
    }
    lost = Math.max(lost - overrun, 0);
  }
  const list: Part[] = [
    { kind: "spent", name: trials === null ? "spent" : "spent on values", money: useful },
    { kind: "lost", name: "spent without one", money: lost },
    { kind: "reserved", name: "reserved", money: ledger.reserved },
    { kind: "left", name: "left", money: left },
    { kind: "overrun", name: "beyond the budget", money: overrun },
  ];
  const tiny = 1e-9 * ledger.total;
  return list.map((p) => (p.money < tiny ? { ...p, money: 0 } : p)).filter((p) => p.money > 0 || p.kind === "spent" || p.kind === "left");
}
