// Sends a form, one request at a time: another waits for its turn. A problem is shown until the form changes.
import { useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem";

export interface Sending {
  busy: boolean;
  problem: Problem | null;
  send(work: () => Promise<void>): Promise<Problem | null>;
  forget(): void; // forgets the problem, because the form has changed
}

export function useSend(): Sending {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const sendNow = async (work: () => Promise<void>) => {
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
  };
  return {
    busy,
    problem,
    forget: () => setProblem(null),
    send: (work) => {
      const turn = last.current.then(() => sendNow(work));
      last.current = turn;
      return turn;
    },
  };
}
