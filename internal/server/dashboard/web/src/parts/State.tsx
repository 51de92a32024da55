import type { Summary } from "../api/types";
import { trialCount } from "../lib/format";

// stateOf is a study's state in a word.
export function stateOf(s: Summary): { word: string; kind: string } {
  if (s.closed) return { word: "ended", kind: "ended" };
  if (s.archived) return { word: "archived", kind: "ended" };
  if (s.paused) return { word: "paused", kind: "idle" };
  const open = (s.counts.pending ?? 0) + (s.counts.running ?? 0);
  if (open > 0) return { word: `${open} running`, kind: "running" };
  if ((s.counts.failed ?? 0) > 0 && s.counts.failed === trialCount(s)) return { word: "all failed", kind: "failing" };
  if (s.overrun > 0 || s.left <= 1e-9 * s.ledger.total) return { word: "budget spent", kind: "spent" };
  return { word: "idle", kind: "idle" };
}

export function State({ of }: { of: Summary }) {
  const { word, kind } = stateOf(of);
  return (
    <span class={`pill ${kind}`} data-testid="state">
      {word}
    </span>
  );
}
