// The list of studies, loaded again every few seconds while the page is visible.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Summary } from "../api/types";

const every = 4000;

export interface Studies {
  list: Summary[] | null;
  problem: Problem | null;
}

export function useStudies(): Studies {
  const [state, set] = useState<Studies>({ list: null, problem: null });
  const timer = useRef(0);
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      if (!document.hidden) {
        try {
          const list = await api.studies(abort.signal);
          set({ list: list.sort((a, b) => Date.parse(b.created) - Date.parse(a.created)), problem: null }); // the newest first
        } catch (e) {
          if (abort.signal.aborted) return;
          set((s) => ({ list: s.list, problem: asProblem(e) }));
        }
      }
      if (!abort.signal.aborted) timer.current = window.setTimeout(load, every);
    };
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer.current);
    };
  }, []);
  return state;
}
