// All trials of a study, and the changes folded into them.
import { api } from "../api/client";
import type { Trial } from "../api/types";
import { trialsOf } from "../lib/brief";

// allTrials loads as many as there are; most studies have room in one answer. It does not wait for their number to ask for the first.
export async function allTrials(name: string, count: Promise<number>, stop: AbortSignal, onPart?: (n: number) => void): Promise<{ trials: Trial[]; version: number }> {
  const trials: Trial[] = [];
  let version = 0;
  for (;;) {
    const part = await api.columns(name, trials.length, stop);
    // Later parts may be newer. Changes are asked for from the oldest one on.
    if (trials.length === 0) version = part.version;
    const list = trialsOf(part);
    for (const t of list) trials.push(t);
    onPart?.(trials.length);
    // Newer trials come as changes.
    if (list.length === 0 || trials.length >= (await count)) return { trials, version };
  }
}

// folded puts changed trials in their places; numbers count from 1 without gaps.
export function folded(trials: Trial[], changed: Trial[]): Trial[] {
  if (changed.length === 0) return trials;
  const out = trials.slice();
  let sort = false;
  for (const t of changed) {
    if (out[t.number - 1]?.number === t.number) out[t.number - 1] = t;
    else {
      const k = out.findIndex((o) => o.number === t.number);
      if (k >= 0) out[k] = t;
      else {
        sort ||= (out[out.length - 1]?.number ?? 0) > t.number;
        out.push(t);
      }
    }
  }
  return sort ? out.sort((a, b) => a.number - b.number) : out;
}
