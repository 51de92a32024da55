// Trials that this browser has asked for by hand. It remembers them when the page is opened again, after an hour or a week.
import { useState } from "preact/hooks";
import type { Study, Trial } from "../api/types";
import { isOpen } from "../lib/format";
import { recall, remember } from "../lib/stored";

const key = (study: string) => `held-${study}`;

function read(study: string): number[] {
  try {
    const list: unknown = JSON.parse(recall(key(study)) ?? "[]");
    return Array.isArray(list) ? list.filter((n): n is number => Number.isInteger(n)) : [];
  } catch {
    return [];
  }
}

export interface Held {
  numbers: number[];
  hold(n: number): void;
  release(n: number): void;
}

// useHeld goes by the study's ID: another study may have its name by now, or it may have another. Studies of the first versions have none.
export function useHeld({ id, name }: Study, trials: Trial[]): Held {
  const study = id ?? name;
  const [numbers, set] = useState(() => read(study));
  const save = (list: number[]) => {
    remember(key(study), list.length === 0 ? null : JSON.stringify(list));
    set(list);
  };
  return {
    numbers: numbers.filter((n) => trials.some((t) => t.number === n && isOpen(t))),
    hold: (n) => save([...new Set([...read(study), n])]),
    release: (n) => save(read(study).filter((m) => m !== n)),
  };
}
