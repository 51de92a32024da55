// Why a trial was chosen, in words. The first two are those of the Go package say.
import type { Cost, Definition, Expected, Rest, State, Why } from "../api/types";
import { amount, bare, digits, estimate, isOne, isTime, percent, spread } from "./format";

const normal90 = 1.2815515655446004; // Φ⁻¹(0.9): bands hold 80% of the likely outcomes

const longShot = 0.05; // the chance to beat the best below which a trial is one

// costHigh is what a log-normal cost stays below nine times in ten. It is not among the reasons that old logs hold.
function costHigh(e: Expected): number {
  if (!(e.cost > e.cost_median) || !(e.cost_median > 0)) return e.cost_median;
  return e.cost_median * Math.exp(normal90 * Math.sqrt(2 * Math.log(e.cost / e.cost_median)));
}

// valueBand holds the value with a chance of 80%. Its ends are not among the reasons that old logs hold.
export const valueBand = (e: Expected): [low: number, high: number] => [e.value_low ?? e.value - normal90 * e.value_sd, e.value_high ?? e.value + normal90 * e.value_sd];

const lopsided = 1.25; // how many times as long as the other one side of a band is at least, for "±" to say something wrong about it

const tooEarly = "not known yet"; // of a value, before anything is known of the scale of values

export function valueWords(e: Expected): string {
  if (e.early) return tooEarly;
  const [low, high] = valueBand(e);
  const sides = [e.value - low, high - e.value];
  if (Math.max(...sides) > lopsided * Math.min(...sides)) {
    const [text, band] = estimate(e.value, low, high);
    if (band !== "") return `${text} (${band})`;
  }
  return spread(e.value, e.value_sd);
}

// expectedWords names no cost above the most that the study lets a trial cost.
export function expectedWords(objective: string, c: Cost, e: Expected, perTrial = 0): string {
  const [median, high] = [e.cost_median, costHigh(e)].map((cost) => (perTrial > 0 ? Math.min(cost, perTrial) : cost)) as [number, number];
  const below = high > median ? ` (90% below ${bare(c, high)})` : "";
  const also = Object.entries(e.also ?? {}).map(([name, r]) => `, ${name} ${e.early ? tooEarly : spread(r.value, r.sd)}`).join("");
  const odds = [
    e.beats && !e.early ? `${percent(e.beats)} likely to ${e.also ? "extend the front" : "beat the best"}${e.beats < longShot ? " (a long shot)" : ""}` : "",
    e.works === undefined ? "" : `${percent(e.works)} likely to work${e.works < 0.5 && e.failure_cost ? ` (a failure costs about ${bare(c, e.failure_cost)})` : ""}`,
    e.within === undefined ? "" : `${percent(e.within)} likely to meet the limits`,
  ].filter((words) => words !== "");
  const likely = odds.length > 0 ? `, ${odds.join(", ")},` : e.early ? "," : "";
  return `expected ${objective} ${valueWords(e)}${also}${likely} for about ${amount(c, median)}${below}, ${percent(e.fits)} likely to fit the budget${e.fits < 0.5 ? ": a gamble" : ""}`;
}

const firstTrial = "one of the first trials"; // how the reason for a trial of the initial design begins

export function chosenWords(policy: string, picked: string): string {
  if (picked.startsWith("trial ")) return picked; // a second try of a trial that was lost
  if (policy === "") return "asked for by hand";
  if (policy === "queue") return picked;
  if (policy === "earlier") return "the best setting of the earlier study";
  if (policy === "design") return picked.startsWith(firstTrial) ? picked : firstTrial; // older logs do not say how it was found
  return picked === "" ? `chosen by ${policy}` : `chosen by ${policy}: ${picked}`;
}

type Outlook = Pick<Rest, "best" | "worse" | "median" | "better" | "gain" | "left" | "reserved" | "of">;

// digitsFor is how many digits tell the ends of a forecast apart from the best value: late in a study gains are small.
function digitsFor({ best, worse, median, better }: Outlook): number {
  const gap = Math.max(...[worse, median, better].map((v) => Math.abs(v - best)));
  if (gap === 0 || best === 0 || !Number.isFinite(gap)) return 4;
  return Math.min(Math.max(Math.ceil(Math.log10(Math.abs(best) / gap)) + 2, 4), 8);
}

// restWords says what the remaining money is expected to buy.
export function restWords(objective: string, c: Cost, r: Outlook): string {
  const n = digitsFor(r);
  const [best, low, median, high] = [r.best, Math.min(r.worse, r.better), r.median, Math.max(r.worse, r.better)].map((v) => digits(v, n));
  const of = r.of === "hypervolume" ? "the hypervolume of the front" : objective;
  const improves = best !== median && (r.median - r.best) * (r.better - r.worse) >= 0; // forecasts of earlier versions may be worse than the best, where there is noise
  const end = improves ? `improve ${of} from ${best} to about ${median}` : `leave ${of} at about ${median}`;
  const does = low === high && r.gain === 0 ? `buy nothing better than ${of} ${best}` : end; // often there is not enough for another trial
  const band = low === high ? "" : ` (80% between ${low} and ${high})`;
  const left = Math.max(r.left - (r.reserved ?? 0), 0);
  const are = r.reserved ? `, and the reserved ${amount(c, r.reserved)}, are` : !isTime(c) && isOne(left) ? " is" : " are";
  return `the remaining ${amount(c, left)}${are} expected to ${does}${band}`;
}

export function planWords(d: Definition, w: Why): string {
  const n = w.next?.length ?? 0;
  if (n === 0) return "";
  const whole = (w.expected?.cost_median ?? 0) + (w.next ?? []).reduce((sum, s) => sum + s.expected.cost_median, 0);
  return `If all goes as expected, ${n === 1 ? "one more trial follows" : `${n} more trials follow`}, ${amount(d.cost, whole)} all together.`;
}

// sentence makes one of some words.
export const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const states: readonly State[] = ["done", "failed", "cut", "stopped early", "abandoned", "running", "pending"];

// tally counts trials by their states.
export const tally = (counts: Partial<Record<State, number>>): string =>
  states.flatMap((s) => (counts[s] ? [`${counts[s]} ${s}`] : [])).join(", ") || "none yet";

// trouble is a note in one line, as the tool's lists have it: the last line that the trial printed on stderr, and then how it ended.
export const trouble = (note: string): string => {
  const lines = note.split("\n");
  const at = lines.findIndex((l) => l === "stderr ends:" || l === "stdout ends:");
  if (at < 1) return note;
  const words = lines.slice(at + 1).filter((l) => l.startsWith("    ") && l.trim() !== "");
  const last = words[words.length - 1]?.trim();
  return last ? `${last} (${lines[0]})` : note;
};
