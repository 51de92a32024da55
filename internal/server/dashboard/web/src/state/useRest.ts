import { api } from "../api/client";
import type { Rest } from "../api/types";
import { useAgain } from "./useAgain";

// useRest is what the rest of the money is expected to buy, or null. A forecast that fails is left out: it is an extra.
export function useRest(name: string, key: string): Rest | null {
  const { data, problem } = useAgain(async (stop) => (await api.rest(name, 0, stop)).rest, name, key);
  return problem ? null : data;
}
