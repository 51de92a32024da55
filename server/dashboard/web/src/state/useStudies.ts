// The list of studies, asked for anew every few seconds while somebody looks.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Cost, Objective, Summary } from "../api/types";

const every = 4000;

export interface Listed extends Summary {
  objective: Objective;
  cost: Cost;
}

export interface Studies {
  list: Listed[] | null;
  problem: Problem | null;
}

// What never changes about a study, should the list not say it.
const known = new Map<string, { objective: Objective; cost: Cost }>();

async function complete(s: Summary, stop: AbortSignal): Promise<Listed> {
  if (s.objective && s.cost) return { ...s, objective: s.objective, cost: s.cost };
  const key = `${s.name} ${s.created}`;
  let words = known.get(key);
  if (!words) {
    const { definition } = await api.study(s.name, stop);
    words = { objective: definition.objective, cost: definition.cost };
    known.set(key, words);
  }
  return { ...s, ...words };
}

export function useStudies(): Studies {
  const [state, set] = useState<Studies>({ list: null, problem: null });
  const timer = useRef(0);
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      if (!document.hidden) {
        try {
          const list = await Promise.all((await api.studies(abort.signal)).map((s) => complete(s, abort.signal)));
          set({ list, problem: null });
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
