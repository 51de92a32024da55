// The front of several objectives: the results that no other dominates.
import type { Aim, Front, ReachPoint, Rest, Trial } from "../api/types";
import { isBetter } from "./course";
import { counts, number, plural } from "./format";

export interface Outcome {
  trial: Trial;
  values: number[]; // in the order of the objectives
  front: boolean;
}

// outcomes lists the trials that count and have all objectives. The first objective is a trial's value, and the others are among its metrics. Nothing that is
// no better than a worst of the study file is on the front; a worst that was found from results leaves nothing out.
export function outcomes(aims: readonly Aim[], trials: readonly Trial[]): Outcome[] {
  const list = trials.filter(counts).flatMap((trial) => {
    const values = aims.map((o, j) => (j === 0 ? trial.value : trial.metrics?.[o.name]));
    return values.every((v): v is number => typeof v === "number") ? [{ trial, values, front: false }] : [];
  });
  const better = (a: readonly number[], b: readonly number[], j: number): boolean => isBetter(aims[j]?.goal ?? "minimize", a[j] ?? 0, b[j] ?? 0);
  const beats = (a: number[], b: number[]): boolean => !aims.some((_, j) => better(b, a, j)) && aims.some((_, j) => better(a, b, j));
  for (const [i, o] of list.entries()) {
    const good = aims.every((a, j) => a.worst === undefined || isBetter(a.goal, o.values[j] ?? 0, a.worst));
    o.front = good && !list.some((p, k) => beats(p.values, o.values) || (k < i && p.values.every((v, j) => v === o.values[j])));
  }
  return list;
}

// worstWords writes the worst that counts, and what of it was found from results.
export function worstWords(aims: readonly Aim[], front: Front): string {
  const found = `found from the first ${plural(front.from ?? 0, "result")}`;
  const every = aims.every((o) => o.worst === undefined);
  const list = aims.map((o, j) => `${o.name} ${number(front.worst[j] ?? 0)}${o.worst === undefined && !every ? ` (${found})` : ""}`);
  return list.join(", ") + (every ? `, ${found}` : "");
}

// pairs are the ways to draw objectives against each other: the place of the one that goes up, and of the one that goes right.
export const pairs = (objectives: number): [number, number][] =>
  Array.from({ length: objectives }, (_, right) => Array.from({ length: right }, (_, up): [number, number] => [up, right])).flat();

// reachOf is where the rest of the money may move the front of two objectives; empty if nothing is known of it.
export const reachOf = (rest: Rest | null, up = "", right = ""): ReachPoint[] => rest?.reach?.find((r) => r.up === up && r.right === right)?.points ?? [];
