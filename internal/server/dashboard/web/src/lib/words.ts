// Why a trial was chosen, in words.
import type { Definition, Expected, Why } from "../api/types";
import { amount, number, percent } from "./format";

export const normal90 = 1.2815515655446004; // Φ⁻¹(0.9): bands hold 80 % of what may come

// costBelow is what a log-normal cost stays below nine times in ten.
export function costBelow(e: Expected): number {
  if (!(e.cost > e.cost_median) || !(e.cost_median > 0)) return e.cost_median;
  return e.cost_median * Math.exp(normal90 * Math.sqrt(2 * Math.log(e.cost / e.cost_median)));
}

export function expectedWords(d: Definition, e: Expected): string {
  return `It is expected to return ${d.objective.name} ${number(e.value)} ± ${number(e.value_sd)} for about ${amount(d.cost, e.cost)}; ` +
    `nine times in ten it costs less than ${amount(d.cost, costBelow(e))}. ${fitsWords(e.fits)}`;
}

function fitsWords(p: number): string {
  const chance = `The chance that it fits what was left of the budget is ${percent(p)}`;
  return p < 0.5 ? `${chance}: a gamble.` : `${chance}.`;
}

export function chosenWords(w: Why): string {
  if (w.policy === "design") return "One of the first trials, spread out over all settings to learn from.";
  const by = w.policy === "" ? "" : `Chosen by ${w.policy}`;
  if (by === "") return "Asked for by hand.";
  return w.picked === "" ? `${by}.` : `${by} (${w.picked}).`;
}

export function planWords(d: Definition, w: Why): string {
  const n = w.next?.length ?? 0;
  if (n === 0) return "";
  const whole = (w.expected?.cost ?? 0) + (w.next ?? []).reduce((sum, s) => sum + s.expected.cost, 0);
  return `If all goes as expected, ${n === 1 ? "one more trial follows" : `${n} more trials follow`}, ${amount(d.cost, whole)} all together.`;
}
