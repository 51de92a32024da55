// A value that components can watch.
import { useEffect, useState } from "preact/hooks";

export interface Signal<T> {
  get(): T;
  set(value: T): void;
  watch(f: () => void): () => void;
}

export function signal<T>(value: T): Signal<T> {
  const watchers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const f of [...watchers]) f();
    },
    watch(f) {
      watchers.add(f);
      return () => watchers.delete(f);
    },
  };
}

export function useSignal<T>(s: Signal<T>): T {
  const [, draw] = useState(0);
  useEffect(() => s.watch(() => draw((n) => n + 1)), [s]);
  return s.get();
}
