// What the models have learnt, loaded again as trials end. Fitting is hard work, so there is one request at a time, and the pause
// between two is longer than the work.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Insight } from "../api/types";

const pause = (took: number): number => Math.max(4000, 4 * took);

export interface Learnt {
  insight: Insight | null;
  problem: Problem | null;
  busy: boolean;
  at: number; // ended trials when it was asked for
}

export function useInsight(name: string, ended: number, wanted: boolean): Learnt {
  const [state, set] = useState<Learnt>({ insight: null, problem: null, busy: true, at: -1 });
  const latest = useRef(ended);
  const wake = useRef(() => {});
  latest.current = ended;
  useEffect(() => wake.current(), [ended]);
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    let timer = 0;
    let asked = -1;
    const load = async () => {
      wake.current = () => {};
      asked = latest.current;
      const begun = Date.now();
      set((s) => ({ ...s, busy: true }));
      try {
        const insight = await api.insight(name, abort.signal);
        set({ insight, problem: null, busy: false, at: asked });
      } catch (e) {
        if (abort.signal.aborted) return;
        set((s) => ({ ...s, problem: asProblem(e), busy: false }));
      }
      timer = window.setTimeout(() => {
        if (latest.current !== asked) void load();
        else wake.current = () => void load();
      }, pause(Date.now() - begun));
    };
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
      wake.current = () => {};
    };
  }, [name, wanted]);
  return state;
}
