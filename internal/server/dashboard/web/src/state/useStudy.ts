// One study with its trials, live.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { follow, type Live } from "../api/live";
import { asProblem, type Problem } from "../api/problem";
import type { Change, Study, Trial } from "../api/types";
import { trialCount } from "../lib/format";
import { allTrials, folded } from "./trials";

export interface StudyState {
  study: Study | null;
  trials: Trial[] | null;
  problem: Problem | null;
  live: Live;
  loaded: number; // trials so far, while loading
}

// Changes that come in quick succession are drawn together.
const gather = 150;

const nothing: StudyState = { study: null, trials: null, problem: null, live: { state: "connecting" }, loaded: 0 };

export function useStudy(name: string): StudyState & { apply: (s: Study | null, t: Trial[]) => void; again: () => void } {
  const [state, set] = useState<StudyState>(nothing);
  const [attempt, retry] = useState(0);
  const waiting = useRef<{ study: Study | null; trials: Trial[]; timer: number }>({ study: null, trials: [], timer: 0 });

  // apply adds a change or an answer to the state. An older answer does not undo a newer one.
  const apply = useCallback((study: Study | null, trials: Trial[]) => {
    set((s) => ({
      ...s,
      study: study && (!s.study || study.version >= s.study.version) ? study : s.study,
      trials: s.trials === null ? null : folded(s.trials, trials),
    }));
  }, []);

  useEffect(() => {
    const abort = new AbortController();
    let stop = () => {};
    set(nothing);
    const later = (c: Change) => {
      const w = waiting.current;
      w.study = c.study;
      w.trials = w.trials.concat(c.trials);
      w.timer ||= window.setTimeout(() => {
        const { study, trials } = w;
        Object.assign(w, { study: null, trials: [], timer: 0 });
        apply(study, trials);
      }, gather);
    };
    const load = async () => {
      try {
        const asked = api.study(name, abort.signal);
        const all = allTrials(name, asked.then(trialCount, () => 0), abort.signal, (loaded) => set((s) => ({ ...s, loaded })));
        all.catch(() => {}); // what is wrong with the study comes first
        const study = await asked;
        set((s) => ({ ...s, study }));
        const { trials, version } = await all;
        set((s) => ({ ...s, trials }));
        const hear = (c: Change) => (c.study.id === study.id ? later(c) : retry((n) => n + 1)); // else another study has the name now
        stop = follow(name, Math.min(version, study.version), hear, (live) => set((s) => ({ ...s, live })));
        if (abort.signal.aborted) stop();
      } catch (e) {
        if (!abort.signal.aborted) set((s) => ({ ...s, problem: asProblem(e) }));
      }
    };
    void load();
    return () => {
      abort.abort();
      stop();
      clearTimeout(waiting.current.timer);
      waiting.current = { study: null, trials: [], timer: 0 };
    };
  }, [name, attempt]);

  return { ...state, apply, again: () => retry((n) => n + 1) };
}
