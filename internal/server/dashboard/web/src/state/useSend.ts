// Sending what a form says: once at a time, and what goes wrong is shown until something is changed.
import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem";

export interface Sending {
  busy: boolean;
  problem: Problem | null;
  send(work: () => Promise<void>): Promise<Problem | null>;
  forget(): void; // the problem: it was about what stood there before
}

export function useSend(): Sending {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  return {
    busy,
    problem,
    forget: () => setProblem(null),
    send: async (work) => {
      setBusy(true);
      setProblem(null);
      try {
        await work();
        return null;
      } catch (e) {
        const p = asProblem(e);
        setProblem(p);
        return p;
      } finally {
        setBusy(false);
      }
    },
  };
}
