// What a trial prints, from its end on, and more as it comes.
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";

const every = 1500;
const first = 200_000; // bytes of the end that are shown
const most = 1_000_000; // characters that are kept here

export interface Printed {
  text: string;
  skipped: boolean; // there was more before it
  problem: Problem | null;
  busy: boolean;
}

export function useOutput(study: string, trial: number, file: string, live: boolean): Printed {
  const [state, set] = useState<Printed>({ text: "", skipped: false, problem: null, busy: true });
  useEffect(() => set({ text: "", skipped: false, problem: null, busy: true }), [study, trial, file]);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let next: number | null = null;
    const load = async () => {
      try {
        const from: number | null = next;
        const got = await api.output(study, trial, file, from === null ? { last: first } : { after: from }, abort.signal);
        next = got.next;
        set((s) => {
          const text = (from === null ? "" : s.text) + got.text;
          return { text: text.slice(-most), skipped: (from !== null && s.skipped) || got.offset > (from ?? 0) || text.length > most, problem: null, busy: false };
        });
        if (got.next < got.size && got.next > (from ?? got.offset)) return void (timer = window.setTimeout(load, 0));
      } catch (e) {
        if (abort.signal.aborted) return;
        set((s) => ({ ...s, problem: asProblem(e), busy: false }));
      }
      if (live && !abort.signal.aborted) timer = window.setTimeout(load, every);
    };
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [study, trial, file, live]);
  return state;
}
