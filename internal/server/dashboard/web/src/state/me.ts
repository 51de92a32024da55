// Who is looking, and what they may do. The server decides; the page only leaves out what it would refuse.
import { useEffect } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import { token } from "../api/token";
import type { Me, Summary } from "../api/types";
import { signal, useSignal } from "../lib/signal";

export type Role = Me["role"];

const roles: readonly Role[] = ["reader", "worker", "admin"];

interface Who {
  me: Me | null; // null: not known yet
  problem: Problem | null; // why not
}

const who = signal<Who>({ me: null, problem: null });
const attempt = signal(0);

export const askAgainWho = (): void => attempt.set(attempt.get() + 1);

// useWhoAmI asks the server again whenever the token changes.
export function useWhoAmI(): void {
  const key = useSignal(token);
  const n = useSignal(attempt);
  useEffect(() => {
    const abort = new AbortController();
    who.set({ me: null, problem: null });
    api.me(abort.signal).then(
      (me) => abort.signal.aborted || who.set({ me, problem: null }),
      (e: unknown) => abort.signal.aborted || who.set({ me: null, problem: asProblem(e) }),
    );
    return () => abort.abort();
  }, [key, n]);
}

export const useWho = (): Who => useSignal(who);
export const useMe = (): Me | null => useWho().me;

// useMay says what the viewer may do. With a study's owner it may be more.
export function useMay(): (need: Role, of?: Pick<Summary, "owner">) => boolean {
  const m = useMe();
  return (need, of) => m !== null && (roles.indexOf(m.role) >= roles.indexOf(need) || (of?.owner !== undefined && of.owner !== "" && of.owner === m.id && m.role !== "reader"));
}
