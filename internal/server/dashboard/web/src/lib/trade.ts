// What cheaper settings lose: the trials that no other beats in both value and cost.
import type { Goal, Trial } from "../api/types";
import { isBetter } from "./course";
import { counts } from "./format";

export interface Priced {
  trial: Trial;
  cost: number;
  value: number;
  front: boolean; // no trial is as cheap and better
}

// priced lists the trials that count, the cheapest first. The front gets better as it gets dearer.
export function priced(goal: Goal, trials: Trial[]): Priced[] {
  const list = trials.filter((t) => counts(t) && (t.charged ?? 0) > 0).map((trial) => ({ trial, cost: trial.charged ?? 0, value: trial.value ?? 0, front: false }));
  const sign = goal === "minimize" ? 1 : -1;
  list.sort((a, b) => a.cost - b.cost || sign * (a.value - b.value) || a.trial.number - b.trial.number);
  let best: number | null = null;
  for (const p of list) {
    if (best !== null && !isBetter(goal, p.value, best)) continue;
    best = p.value;
    p.front = true;
  }
  return list;
}
