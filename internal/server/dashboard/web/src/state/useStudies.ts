// A page of the list of studies, loaded again every few seconds while it is visible.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Studies as Answer } from "../api/types";
import type { Wanted } from "../lib/wanted";

const every = 4000;
const typing = 150; // milliseconds to wait for the next key

export interface Studies {
  page: Answer | null;
  problem: Problem | null;
}

export function useStudies(wanted: Wanted): Studies & { again: () => void } {
  const [state, set] = useState<Studies>({ page: null, problem: null });
  const [attempt, retry] = useState(0);
  const key = JSON.stringify(wanted);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const load = async () => {
      if (!document.hidden) {
        try {
          const page = await api.studies(wanted, abort.signal);
          set({ page, problem: null });
        } catch (e) {
          if (abort.signal.aborted) return;
          set((s) => ({ page: s.page, problem: asProblem(e) }));
        }
      }
      if (!abort.signal.aborted) timer = window.setTimeout(load, every);
    };
    timer = window.setTimeout(load, state.page === null || attempt > 0 ? 0 : typing);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, attempt]);
  return { ...state, again: () => retry((n) => n + 1) };
}
