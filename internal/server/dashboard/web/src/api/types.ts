// What the service speaks: /api/v1, fields as in the JSON.

export type Value = string | number | boolean;
export type Setting = Record<string, Value>;

export type TrialState = "pending" | "running" | "done" | "failed" | "cut" | "abandoned";
export type Goal = "minimize" | "maximize";
export type Kind = "float" | "int" | "choice" | "ordered" | "bool" | "fixed";

export interface Objective {
  name: string;
  goal: Goal;
}

export interface Cost {
  unit: string;
  source: "reported" | "walltime";
}

export interface Param {
  name: string;
  type: Kind;
  min?: number;
  max?: number;
  step?: number;
  log?: boolean;
  values?: Value[];
  value?: Value;
  when?: { param: string; values: Value[] }[];
}

export interface Definition {
  name: string;
  objective: Objective;
  cost: Cost;
  budget: { total: number; per_trial?: number; timeout?: string; deadline?: string };
  parameters: Param[];
  command?: string[];
  parallel: number;
  policy: { name: string; preset: string };
  seed: number;
  noise?: boolean;
}

export interface Ledger {
  total: number;
  spent: number;
  reserved: number;
}

export interface Expected {
  value: number;
  value_sd: number;
  cost: number;
  cost_sd: number;
  cost_median: number;
  fits: number;
}

export interface Step {
  setting: Setting;
  expected: Expected;
}

export interface Why {
  policy: string;
  picked: string;
  expected?: Expected;
  ln_acquisition?: number;
  next?: Step[];
  cut_short?: boolean;
}

export interface Trial {
  number: number;
  state: TrialState;
  setting: Setting;
  reserved?: number;
  charged?: number;
  value?: number;
  beyond?: boolean;
  asked: string;
  started?: string;
  finished?: string;
  wall?: number;
  runner?: string;
  note?: string;
  exit?: { code: number; signal?: string };
  why?: Why;
  thinking?: number;
}

export interface Lease extends Trial {
  lease_seconds: number;
  limit: number | null;
}

export interface Summary {
  name: string;
  created: string;
  closed: boolean;
  version: number;
  ledger: Ledger;
  left: number;
  overrun: number;
  counts: Partial<Record<TrialState, number>>;
  best: Trial | null;
  time?: { thinking: number; evaluating: number };
  buys: { trials: number; cost_each: number } | null;
  objective: Objective;
  cost: Cost;
}

export interface Study extends Summary {
  definition: Definition;
  policy: { name: string; why: string };
}

export interface Change {
  version: number;
  study: Study;
  trials: Trial[];
}

export interface Outlook {
  value: number;
  value_sd: number;
  cost_low: number;
  cost_median: number;
  cost_high: number;
}

export interface Axis {
  parameter: string;
  kind: Kind;
  log?: boolean;
  values: Value[];
  at?: Value | null;
}

export interface Slice extends Axis {
  points: Outlook[];
}

export type Direction = "rises" | "falls" | "peaks" | "dips" | "flat" | "varies";

export interface Share {
  first: number;
  total: number;
  direction?: Direction;
}

export interface Importance {
  parameter: string;
  value: Share;
  cost: Share;
}

export interface Forecast {
  trial: number;
  state: TrialState;
  expected: Outlook;
  value?: number;
  cost: number;
}

export interface Insight {
  state: "ready" | "not_enough";
  missing?: string;
  observed: number;
  cut_short?: boolean;
  best?: number;
  through?: Setting;
  slices?: Slice[];
  importance?: Importance[];
  forecasts?: Forecast[];
}

export interface Heat {
  a: Axis;
  b: Axis;
  at: Setting; // the map goes through it
  value: number[][];
  value_sd: number[][];
  cost_median: number[][];
  exists: boolean[][];
}
