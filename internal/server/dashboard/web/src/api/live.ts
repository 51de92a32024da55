// The stream of a study's changes. It stays open while somebody looks, and is opened again after a gap, from the last version seen.
// A browser has at most six connections to a server, so hidden pages must not hold one.
import { api } from "./client";
import { checked, headers } from "./http";
import { Problem } from "./problem";
import { EventReader } from "./sse";
import { type Change, pingSeconds } from "./types";

export type Live = { state: "connecting" } | { state: "live" } | { state: "waiting"; until: number } | { state: "refused"; problem: Problem };

const silence = 2_700 * pingSeconds; // two pings are missing: the connection is dead
const longest = 6_000;

// backoff is how long to wait before the n-th attempt.
export const backoff = (n: number): number => Math.min(500 * 2 ** n, longest);

export function follow(name: string, from: number, onChange: (c: Change) => void, onState: (s: Live) => void): () => void {
  let version = from;
  let attempt = 0;
  let stopped = false;
  let abort = new AbortController();
  let wake: () => void = () => {};

  async function once(): Promise<void> {
    abort = new AbortController();
    let watchdog = setTimeout(() => abort.abort(), silence);
    try {
      const extra = { Accept: "text/event-stream", "Last-Event-ID": String(version) };
      const answer = await checked(await fetch(api.events(name), { headers: headers(extra), signal: abort.signal, cache: "no-store" }));
      const body = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      if (!body) return;
      attempt = 0;
      onState({ state: "live" });
      const reader = new EventReader();
      for (;;) {
        const { done, value } = await body.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => abort.abort(), silence);
        for (const e of reader.push(value)) {
          if (e.event !== "change") continue;
          const change = JSON.parse(e.data) as Change;
          version = Math.max(version, change.version);
          onChange(change);
        }
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  // pause lasts until it is woken, or for so long.
  const pause = (wait?: number) =>
    new Promise<void>((resolve) => {
      const timer = wait === undefined ? 0 : setTimeout(resolve, wait);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run(): Promise<void> {
    while (!stopped) {
      onState({ state: "connecting" });
      if (document.hidden) {
        attempt = 0;
        await pause();
        continue;
      }
      try {
        await once();
      } catch (e) {
        if (stopped) return;
        if (e instanceof Problem && [401, 403, 404].includes(e.status)) {
          onState({ state: "refused", problem: e });
          return;
        }
      }
      if (stopped) return;
      if (document.hidden) continue;
      const wait = backoff(attempt++);
      onState({ state: "waiting", until: Date.now() + wait });
      await pause(wait);
    }
  }

  const online = () => wake();
  const look = () => (document.hidden ? abort.abort() : wake());
  window.addEventListener("online", online);
  document.addEventListener("visibilitychange", look);
  void run();
  return () => {
    stopped = true;
    window.removeEventListener("online", online);
    document.removeEventListener("visibilitychange", look);
    abort.abort();
    wake();
  };
}
