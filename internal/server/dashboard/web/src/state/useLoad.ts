// Something from the server: loading, there, or a problem.
import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api/problem";

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  busy: boolean;
}

const nothing = { data: null, problem: null, busy: true };

// useLoad loads again whenever one of deps changes. The old data stay until the new ones arrive, unless they are of something else.
export function useLoad<T>(load: (stop: AbortSignal) => Promise<T>, deps: readonly unknown[], of?: number): Loaded<T> {
  const [state, set] = useState<Loaded<T> & { of?: number | undefined }>({ ...nothing, of });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const abort = new AbortController();
    set((s) => (s.of === of ? { ...s, busy: true } : { ...nothing, of }));
    latest.current(abort.signal).then(
      (data) => abort.signal.aborted || set({ data, problem: null, busy: false, of }),
      (e: unknown) => abort.signal.aborted || set((s) => ({ ...s, problem: asProblem(e), busy: false })),
    );
    return () => abort.abort();
  }, deps);
  return state.of === of ? state : nothing;
}
