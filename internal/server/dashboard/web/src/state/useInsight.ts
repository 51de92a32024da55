import { api } from "../api/client";
import type { Insight } from "../api/types";
import { type Again, useAgain } from "./useAgain";

// useInsight is what the models have learnt, from so many ended trials.
export const useInsight = (name: string, ended: number, wanted: boolean): Again<Insight> => useAgain((stop) => api.insight(name, stop), name, String(ended), wanted);
