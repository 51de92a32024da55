// Whether a study is finished, and why.
import type { Rest, Study, Trial } from "../api/types";
import { amount, digits, isOpen, plural, trialCount } from "./format";

const units: Record<string, number> = { d: 86400, h: 3600, m: 60, s: 1, ms: 1e-3 };

// seconds reads a duration such as 1h30m.
export const seconds = (text: string): number => [...text.matchAll(/([\d.]+)(ms|[dhms])/g)].reduce((sum, m) => sum + Number(m[1]) * (units[m[2] ?? ""] ?? 0), 0);

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

// toGain is what the rest of the money has to be expected to gain, as in the Go package advisor.
function toGain(study: Study, values: number[]): number {
  const { stop, policy, parameters, objective } = study.definition;
  if (stop === "never") return 0;
  if (typeof stop === "object" && stop !== null && "gain" in stop && typeof stop.gain === "number" && stop.gain > 0) return stop.gain;
  const design = Math.max(policy.design ?? 0, 2 * (parameters.filter((p) => p.type !== "fixed").length + 1));
  const first = median(values.slice(0, design));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return 1e-3 * Math.min(most - least, 10 * (objective.goal === "minimize" ? first - least : most - first));
}

// finished says why a study hands out no more trials; "" if it does.
export function finished(study: Study, trials: Trial[], rest: Rest | null, now: number): string {
  const { cost, budget, objective } = study.definition;
  const open = trials.filter(isOpen).length;
  const unspent = study.left > 1e-9 * study.ledger.total ? ` ${amount(cost, study.left)} stay unspent.` : "";
  if (study.closed) return `Somebody ended it.${unspent}`;
  if (open > 0) return "";
  if (study.left <= 1e-9 * study.ledger.total) return `Its budget of ${amount(cost, study.ledger.total)} is spent.`;
  if (budget.trials && trialCount(study) >= budget.trials) return `It has run ${plural(budget.trials, "trial")}, as many as its budget allows.${unspent}`;
  const first = trials[0];
  if (budget.deadline && first && now > Date.parse(first.asked) + 1000 * seconds(budget.deadline)) return `Its deadline, ${budget.deadline} after the first trial, has passed.${unspent}`;
  const values = trials.flatMap((t) => (t.state === "done" ? [t.value ?? 0] : []));
  if (rest && values.length > 2 && rest.gain < toGain(study, values)) {
    return `It is as good as finished: the remaining ${amount(cost, rest.left)} are expected to improve ${objective.name} by ${digits(rest.gain, 2)} only, which is not worth their price. Add budget, or change when the study stops, to go on.`;
  }
  return "";
}
