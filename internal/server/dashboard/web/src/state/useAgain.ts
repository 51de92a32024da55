// Hard work of the server, asked for again as a study changes. There is one request at a time, and the pause between two is longer than
// the work.
import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem";

const pause = (took: number): number => Math.max(4000, 4 * took);

export interface Again<T> {
  data: T | null;
  problem: Problem | null; // of the last request; the data of an earlier one stay
  busy: boolean;
  at: string; // the key that the data belong to
}

// useAgain loads when it is wanted, and again when the key has changed.
export function useAgain<T>(load: (stop: AbortSignal) => Promise<T>, name: string, key: string, wanted = true): Again<T> {
  const [state, set] = useState<Again<T>>({ data: null, problem: null, busy: true, at: "" });
  const latest = useRef({ load, key });
  const wake = useRef(() => {});
  latest.current = { load, key };
  useEffect(() => wake.current(), [key]);
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    let timer = 0;
    const once = async () => {
      wake.current = () => {};
      const asked = latest.current.key;
      const begun = Date.now();
      set((s) => ({ ...s, busy: true }));
      try {
        const data = await latest.current.load(abort.signal);
        if (abort.signal.aborted) return;
        set({ data, problem: null, busy: false, at: asked });
      } catch (e) {
        if (abort.signal.aborted) return;
        set((s) => ({ ...s, problem: asProblem(e), busy: false }));
      }
      timer = window.setTimeout(() => {
        if (latest.current.key !== asked) void once();
        else wake.current = () => void once();
      }, pause(Date.now() - begun));
    };
    void once();
    return () => {
      abort.abort();
      clearTimeout(timer);
      wake.current = () => {};
    };
  }, [name, wanted]);
  return state;
}
