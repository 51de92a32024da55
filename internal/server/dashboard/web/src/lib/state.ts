// The state of a study and of its trials, in a word.
import type { Summary, Trial } from "../api/types";
import { trialCount } from "./format";

// stateWord is the state of a trial. One that waits for its turn on a cluster does not run yet.
export const stateWord = (t: Pick<Trial, "state" | "queued">): string => (t.queued ? "queued" : t.state);

// handsOut says whether a study may still hand out trials. One that is paused does not at the moment.
export const handsOut = (s: Summary): boolean => !s.closed && !s.finished;

// isOver says whether nothing more happens in a study by itself: it hands out no trials, and none is open.
export const isOver = (s: Summary): boolean => !handsOut(s) && (s.counts.pending ?? 0) + (s.counts.running ?? 0) === 0;

export interface Standing {
  word: string;
  kind: "ended" | "idle" | "running" | "failing" | "spent";
}

// standing is how a study stands.
export function standing(s: Summary): Standing {
  if (s.closed) return { word: "ended", kind: "ended" };
  if (s.archived) return { word: "archived", kind: "ended" };
  if (s.paused) return { word: "paused", kind: "idle" };
  const open = (s.counts.pending ?? 0) + (s.counts.running ?? 0);
  const queued = s.queued;
  if (open > 0) return { word: [open > queued ? `${open - queued} running` : "", queued > 0 ? `${queued} queued` : ""].filter(Boolean).join(", "), kind: open > queued ? "running" : "idle" };
  if (s.finished) return { word: "finished", kind: "spent" };
  if ((s.counts.failed ?? 0) > 0 && s.counts.failed === trialCount(s)) return { word: "all failed", kind: "failing" };
  return { word: trialCount(s) === 0 ? "not begun" : "idle", kind: "idle" };
}
