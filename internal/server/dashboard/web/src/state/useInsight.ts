import { api } from "../api/client";
import type { Insight } from "../api/types";
import { type Again, useAgain } from "./useAgain";

// useInsight is what the models have learnt. The key is of what they learn from.
export const useInsight = (name: string, key: string, wanted: boolean): Again<Insight> => useAgain((stop) => api.insight(name, stop), name, key, wanted);
