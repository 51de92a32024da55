// The other numbers that trials reported.
import type { Definition, Trial } from "../api/types";

export interface Reported {
  trial: Trial;
  x: number;
  value: number;
}

// metricNames lists the numbers that at least two trials have, and that differ: those with limits first. Objectives are in the front.
export function metricNames(d: Definition, trials: Trial[]): string[] {
  const seen = new Map<string, { first: number; differs: boolean }>();
  for (const t of trials) {
    if (t.value === null) continue;
    for (const [name, x] of Object.entries(t.metrics ?? {})) {
      const known = seen.get(name);
      if (!known) seen.set(name, { first: x, differs: false });
      else if (x !== known.first) known.differs = true;
    }
  }
  const limited = (name: string) => (d.limits?.[name] ? 0 : 1);
  return [...seen]
    .filter(([name, s]) => s.differs && !d.objectives?.some((o) => o.name === name))
    .map(([name]) => name)
    .sort((a, b) => limited(a) - limited(b) || (a < b ? -1 : 1));
}

// reported lists the trials that have a value and a number.
export const reported = (name: string, trials: Trial[]): Reported[] =>
  trials.flatMap((trial) => ((x, value) => (x === undefined || value === null ? [] : [{ trial, x, value }]))(trial.metrics?.[name], trial.value));
