// Something from the server: loading, there, or a problem.
import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem";

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  busy: boolean;
}

// useLoad loads again whenever one of deps changes. The old data stay until the new ones arrive, unless keep is false.
export function useLoad<T>(load: (stop: AbortSignal) => Promise<T>, deps: readonly unknown[], keep = true): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({ data: null, problem: null, busy: true });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    set((s) => ({ data: keep ? s.data : null, problem: keep ? s.problem : null, busy: true }));
    latest.current(abort.signal).then(
      (data) => abort.signal.aborted || set({ data, problem: null, busy: false }),
      (e: unknown) => abort.signal.aborted || set((s) => ({ data: s.data, problem: asProblem(e), busy: false })),
    );
    return () => abort.abort();
  }, deps);
  return state;
}
