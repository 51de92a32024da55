import { api } from "../api/client";
import type { Ahead } from "../api/types";
import { useAgain } from "./useAgain";

const nothing: Ahead = { rest: null, finished: null };

// useRest is what the rest of the money is expected to buy, and whether that is worth it. A forecast that fails is left out: it is an
// extra.
export function useRest(name: string, key: string): Ahead {
  const { data, problem, at } = useAgain((stop) => api.rest(name, 0, stop), name, key);
  if (problem || !data) return nothing;
  return at === key ? data : { rest: data.rest, finished: null }; // there may be more money since
}
