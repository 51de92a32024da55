// What the rest of the money is expected to buy, loaded again as trials end. Simulating it is hard work, so there is one request at a
// time, and the pause between two is longer than the work.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { Rest } from "../api/types";

const pause = (took: number): number => Math.max(4000, 4 * took);

// useRest returns the last forecast, or null. The key says what it depends on. A forecast that fails is left out: it is an extra.
export function useRest(name: string, key: string): Rest | null {
  const [rest, set] = useState<Rest | null>(null);
  const latest = useRef(key);
  const wake = useRef(() => {});
  latest.current = key;
  useEffect(() => wake.current(), [key]);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const load = async () => {
      wake.current = () => {};
      const asked = latest.current;
      const begun = Date.now();
      try {
        set((await api.rest(name, 0, abort.signal)).rest);
      } catch {
        if (abort.signal.aborted) return;
        set(null);
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
  }, [name]);
  return rest;
}
