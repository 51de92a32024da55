// The front of several objectives: the results that no other dominates. The server finds it, as for the terminal: with noise it is that of what the models expect.
import type { Aim, Front, ReachPoint, Rest, Trial } from "../api/types";
import { counts, number, plural } from "./format";

export interface Outcome {
  trial: Trial;
  values: number[]; // in the order of the objectives: what was seen or, on a front with noise, what is expected
  seen: number[][]; // all that was seen at the setting
  front: boolean;
}

// seenOf returns the objectives that a trial reported, if it has all of them. The first is its value, and the others are among its metrics.
function seenOf(aims: readonly Aim[], trial: Trial): number[] | null {
  const values = aims.map((o, j) => (j === 0 ? trial.value : trial.metrics?.[o.name]));
  return values.every((v): v is number => typeof v === "number") ? values : null;
}

// onFront lists the results on the front, the best by the first objective first.
export const onFront = (aims: readonly Aim[], front: Front | undefined): Outcome[] =>
  (front?.trials ?? []).flatMap((trial, i) => {
    const values = seenOf(aims, trial);
    return values ? [{ trial, values: front?.expected?.[i] ?? values, seen: front?.seen?.[i] ?? [values], front: true }] : [];
  });

// outcomes lists the trials that count and have all objectives, and all results that are on the front: with noise, some may have been seen beyond a limit.
export function outcomes(aims: readonly Aim[], trials: readonly Trial[], front: Front | undefined): Outcome[] {
  const on = onFront(aims, front);
  const placed = new Map(on.filter((o) => !o.trial.known).map((o) => [o.trial.number, o]));
  const list = trials.flatMap((trial): Outcome[] => {
    const [place, values] = [placed.get(trial.number), seenOf(aims, trial)];
    if (place) return [place];
    return values && counts(trial) ? [{ trial, values, seen: [values], front: false }] : [];
  });
  return [...list, ...on.filter((o) => o.trial.known)];
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
