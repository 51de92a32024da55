// Who is looking, and what they may do. The server decides; the page only leaves out what it would refuse.
import { useEffect } from "preact/hooks";
import { api } from "../api/client";
import { token } from "../api/token";
import type { Me, Summary } from "../api/types";
import { signal, useSignal } from "../lib/signal";

export type Role = Me["role"];

const roles: readonly Role[] = ["reader", "worker", "admin"];

const me = signal<Me | null>(null);

// useWhoAmI asks the server again whenever the token changes.
export function useWhoAmI(): void {
  const key = useSignal(token);
  useEffect(() => {
    const abort = new AbortController();
    me.set(null);
    api.me(abort.signal).then(
      (m) => abort.signal.aborted || me.set(m),
      () => {}, // whatever is wrong, the page itself says it
    );
    return () => abort.abort();
  }, [key]);
}

export const useMe = (): Me | null => useSignal(me);

// useMay says what the viewer may do. With a study's owner it may be more.
export function useMay(): (need: Role, of?: Pick<Summary, "owner">) => boolean {
  const m = useMe();
  return (need, of) => m !== null && (roles.indexOf(m.role) >= roles.indexOf(need) || (of?.owner !== undefined && of.owner !== "" && of.owner === m.id && m.role !== "reader"));
}
