// Which columns of a study's table are shown, and in which order. This browser remembers it.
import { useState } from "preact/hooks";
import { recall, remember } from "../lib/stored";
import type { Shown } from "../lib/sort";

const usual: Shown = { order: [], hidden: ["wall", "runner"] };
const key = (study: string) => `columns-${study}`;

const words = (v: unknown): string[] => (Array.isArray(v) ? v.filter((w): w is string => typeof w === "string") : []);

function read(study: string): Shown {
  try {
    const kept = JSON.parse(recall(key(study)) ?? "null") as Partial<Shown> | null;
    return kept === null ? usual : { order: words(kept.order), hidden: words(kept.hidden) };
  } catch {
    return usual;
  }
}

// useShown returns what is shown, and changes it; null is as usual.
export function useShown(study: string): [Shown, (s: Shown | null) => void] {
  const [shown, set] = useState(() => read(study));
  return [
    shown,
    (s) => {
      remember(key(study), s === null ? null : JSON.stringify(s));
      set(s ?? usual);
    },
  ];
}
