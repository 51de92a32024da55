// Learning curves: what trials showed on their way.
import type { Definition, Trial, TrialStep } from "../api/types";
import { counts, isEnded } from "./format";

export type Kind = "early" | "look" | "" | "top";

export interface Curve {
  trial: Trial;
  steps: Pick<TrialStep, "step" | "value">[]; // its result is the last, if it has one
  kind: Kind; // stopped early, not counted, or the best
}

const order: Kind[] = ["early", "look", "", "top"];
const most = 600; // lines; of more, some are drawn

// curves lists the trials that reported values on their way. The best is the last, on top.
export function curves(d: Definition, trials: Trial[], best: number | null): Curve[] {
  const fidelity = d.fidelity;
  if (!fidelity) return [];
  const list = trials.flatMap((trial): Curve[] => {
    const steps = trial.steps ?? [];
    const last = steps[steps.length - 1];
    if (!last) return [];
    const at = trial.setting[fidelity.name];
    const reached = trial.state === "done" && typeof at === "number" && typeof trial.value === "number" && last.step < at ? [{ step: at, value: trial.value }] : [];
    return [{ trial, steps: [...steps, ...reached], kind: trial.state === "stopped early" ? "early" : trial.number === best ? "top" : isEnded(trial) && !counts(trial) ? "look" : "" }];
  });
  list.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * (list.length - 1)) / (most - 1))] as Curve);
}

// logarithmic says whether a fidelity is better drawn by its logarithm.
export function logarithmic(d: Definition): boolean {
  const f = d.fidelity;
  if (!f) return false;
  const [low, high] = f.steps?.length ? [f.steps[0], f.steps[f.steps.length - 1]] : [f.min, f.max];
  return f.log === true || (high ?? 1) / (low ?? 1) > 20;
}
