// Generated from the server's OpenAPI document: go generate ./internal/api

// Characters of a note.
export const maxNote = 4000;
// Trials that one ask may hand out.
export const maxCount = 64;
// Trials in one answer.
export const maxListed = 10000;
// What a worker's name looks like.
export const workerPattern = "^[A-Za-z0-9_.:@/+-]{1,100}$";
// How long the server may take to answer an ask.
export const askSeconds = 600;
// How often a stream of events sends a ping.
export const pingSeconds = 15;

export interface Ahead {
  finished: End | null; // Why the study is over, or null. It is over although there is money left if the rest is not worth its price.
  rest: Rest | null; // What the rest of the money is expected to buy, or null if there is none, or too little is known.
  version?: number; // The version of the study that the forecast is of. It is an older one if the models of other studies are being fitted.
}

export interface Aim {
  goal: Goal;
  max?: number; // The most that the number can be. No forecast goes beyond. Left out: nothing is known of that.
  min?: number; // The least that the number can be. No forecast goes beyond. Left out: nothing is known of that.
  name: string;
  worst?: number; // The worst that counts. Left out: it is found from the first results.
}

export interface ArchiveRequest {
  undo?: boolean; // Take it out again.
}

export interface AskRequest {
  by_hand?: boolean; // A person evaluates the trial. There is no lease, and no heartbeat is needed.
  count?: number; // How many trials to hand out. There may be fewer.
  place?: string; // Where the trial will be evaluated, such as a machine and its slot. The price of a change depends on the last trial there. Missing: the worker is the place.
  worker?: string; // The worker's name. Required unless by_hand is true.
}

export interface Asked {
  checkpoint?: number;
  credible?: number;
  item?: number;
  look?: boolean;
  plan?: unknown;
  point: number[];
  reserved: number;
  resumes?: number;
  setting: Setting;
  thinking?: number;
  why?: unknown;
}

export interface Axis {
  at?: Value;
  kind: Kind;
  log?: boolean;
  parameter: string;
  values: Value[];
}

export interface Beat {
  lease_seconds: number; // The worker loses the trial after this many seconds without a heartbeat.
  limit: number | null; // How many seconds the trial may run, or null for no limit.
  reserved: number; // The money held for the trial now.
  stop: boolean; // Stop the trial: it has reached its limit, or no longer belongs to this worker.
}

export interface Bound {
  exceeded_by?: ExceededBy;
  max?: number;
  min?: number;
  unit?: string;
}

export interface Budget {
  deadline?: string; // How long after the first trial the last one may start, such as 12h. Running trials go on.
  limit?: "none"; // none: a trial that takes far longer than was forecast is not stopped.
  over?: "cut"; // cut: a result that cost more than per_trial does not count.
  per_trial?: number; // The most that one trial may cost.
  timeout?: string; // The most time that one trial may take, such as 30m.
  total: number;
  trials?: number; // How many trials may be run.
}

export interface BudgetRequest {
  add: number; // The amount, in the unit of the study's cost.
}

export interface Buys {
  cost_each: number;
  trials: number;
  words: string; // The same for people.
}

export interface Change {
  study: Study;
  trials: Trial[];
  version: number;
}

export interface Changeover {
  cost?: number;
  down?: Downward;
  of: string[];
  per_unit?: number;
}

export interface Changes {
  count: number; // How many trials had to pay for a change.
  spent: number; // What they paid for it: what they reported, or what the study file says, as far as it says so.
  unsure?: number; // How many of them paid something that nobody knows.
  words: string; // The same for people.
}

export interface Clause {
  numbers?: number[]; // What clauses of the same words may differ in.
  words: string; // What is said, with a placeholder for each number, such as %.2f. Without numbers it is plain.
}

export type Code = "bad_request" | "unauthenticated" | "forbidden" | "not_found" | "exists" | "conflict" | "unknown_lease" | "budget_spent" | "budget_pending" | "not_worth" | "exhausted" | "closed" | "too_large" | "too_many" | "unavailable" | "paused";

export interface Columns {
  asked: number[]; // When each trial was asked for, in milliseconds after since.
  charged: number[]; // What each trial cost.
  finished: (number | null)[]; // When each trial ended, in milliseconds after since, or null.
  first: number; // The number of the first trial. The others follow without gaps.
  more: Trial[]; // Trials with more than this: those that are not over, failed, have a note, do not count, reported further numbers or were corrected. Without their reasons.
  runner: number[]; // Who evaluated each trial, as a place in runners, from 0.
  runners: string[]; // Those who evaluated trials.
  settings: Record<string, Value[]>; // The settings: a list for each parameter, with null where it does not exist.
  since: string; // What asked and finished count from.
  state: number[]; // The state of each trial, as a place in states, from 0.
  states: State[]; // The states that trials have.
  values: (number | null)[]; // The result of each trial, or null unless it is done.
  version: number; // The version of the study that this is.
  wall: number[]; // How long each trial ran, in seconds.
}

export interface Condition {
  param: string;
  values: Value[];
}

export interface CopyRequest {
  changes?: Record<string, unknown>; // Fields of the definition that differ, such as budget or parameters. null removes one.
  name: string; // The name of the new study.
  results?: boolean; // Give the new study the results of the old one, as known results, as far as its parameters allow them.
}

export interface CorrectRequest {
  cost?: number; // What the trial cost.
  failed?: boolean; // The trial had no value.
  metrics?: Record<string, number>; // Other numbers that the trial reported, by name. The others stay as they are.
  note?: string; // Why it is corrected.
  setup?: number; // The part of the cost that went into changes, if the study has a changeover.
  value?: number; // What the trial returned. A trial without a value is done then.
}

export interface Corrected {
  charged: number;
  exact?: boolean;
  metrics?: Record<string, number>;
  note?: string;
  setup?: number;
  state: State;
  value?: number;
  without?: string;
}

export interface Cost {
  from?: string;
  node_prices?: Record<string, Record<string, number>>;
  of?: string;
  price?: number;
  prices?: Record<string, number>;
  rate?: number;
  source: Source;
  unit: string;
}

export interface CostRequest {
  cost: number; // What the trial cost.
  worker: string; // The worker that evaluated the trial.
}

export interface Definition {
  budget: Budget;
  changeover?: Changeover[]; // What it costs to give parameters other values than they had in the trial before, at the same place. Entries add up.
  command?: string[]; // The command that evaluates a trial.
  cost: Cost;
  engine?: Engine; // Where trials are evaluated. If not given: where eke run runs.
  env?: Record<string, string>; // Variables for the command.
  fidelity?: Fidelity; // How thorough a trial is. One below the highest is a cheaper look, whose value does not count.
  gpus?: "auto"; // auto: every GPU of a machine is a slot.
  initial?: Setting; // What is set before the first trial, by parameter, as far as changes cost something.
  limits?: Record<string, Bound>; // Limits on further numbers that trials report, by name. A value counts only if the trial meets all of them.
  name: string;
  noise?: boolean; // The same setting may return different values.
  notify?: Notify; // Who is told what happens in a run.
  objective: Objective;
  objectives?: Aim[]; // All objectives, if there are several: two or three. The first is objective, which may then be left out. Trials report them by these names.
  parallel: number; // How many trials eke run evaluates at once; 0: one on each GPU.
  parameters: Param[];
  policy: Policy;
  protocol?: "lines"; // lines: the command stays alive, reads a setting per line, and prints a result per line.
  seed: number;
  slots?: Slot[]; // Places for trials on a machine, each for one trial at a time. Only workers and admins see their env.
  start_from?: string; // An earlier, similar study on the server, to use as prior knowledge where it proves to predict this one.
  stop?: Stop; // When the study ends although there is money left. If not given: when the whole rest is expected to gain less than a thousandth of the spread of the values seen.
  trials?: Setting[]; // Settings to try first.
  where?: string[]; // Constraints between parameters. Only settings that meet all of them are tried.
  workdir?: string; // The folder in which the command runs.
}

export interface DeleteRequest {
  confirm: string; // The study's name, again. Export the study first.
}

export interface Deleted {
  deleted: string; // The study's name.
}

export type Direction = "rises" | "falls" | "peaks" | "dips" | "flat" | "varies";

export interface Downward {
  cost?: number;
  per_unit?: number;
}

export interface Earlier {
  looks?: EarlierResult[];
  name: string;
  noisy?: boolean;
  results: EarlierResult[];
}

export interface EarlierResult {
  cost?: number;
  metrics?: Record<string, number>;
  setting: Setting;
  value: number;
}

export interface End {
  code: Code; // What a request for a trial would be refused with.
  reason: string; // The same for people.
}

export interface Engine {
  context?: string; // A context of the kubeconfig. If not given: its current one.
  image?: string; // What the command runs in, on Kubernetes.
  namespace?: string; // Where jobs of Kubernetes are. If not given: as kubectl has it.
  options?: Record<string, string>; // Options of sbatch, by their long names.
  poll?: string; // How often Slurm is asked, such as 30s.
  queue?: string; // A queue of Kueue.
  resources?: Record<string, string>; // What a pod asks for, such as cpu.
  save?: string; // How long before its limit a command gets SIGUSR1.
  setup?: string[]; // Lines of the job's script before the command.
  template?: string; // A file with a pod, to which all else is added.
  time?: string; // The time limit of every job. If not given: as the cost of each trial is forecast.
  type: "slurm" | "kubernetes";
}

export interface EnqueueRequest {
  note?: string;
  setting: Setting; // The value of each parameter, by name. A parameter with a default may be left out; the policy chooses the others that are.
}

export interface Enqueued {
  note?: string;
  point: number[];
  retries?: number;
  setting: Setting;
}

export interface Estimate {
  high: number; // The value is below this with a chance of 90 %.
  low: number; // The value is above this with a chance of 90 %.
  sd: number; // Its standard deviation.
  value: number; // The expected value, without the noise.
  values: number[]; // All values observed at this setting, oldest first.
}

export interface Event {
  added?: number;
  asked?: Asked;
  at: string;
  before?: string;
  corrected?: Corrected;
  definition?: unknown;
  digest?: string;
  enqueued?: Enqueued;
  finished?: Finished;
  item?: number;
  key?: string;
  kind: EventKind;
  known?: Known;
  labels?: Labels;
  lowered?: number;
  place?: string;
  prior?: Earlier;
  reason?: string;
  reserved?: number;
  result?: number;
  runner?: string;
  seq: number;
  step?: TrialStep;
  token?: string;
  trial?: number;
}

export type EventKind = "asked" | "started" | "extended" | "queued" | "finished" | "budget" | "closed" | "defined" | "known" | "forgotten" | "remembered" | "corrected" | "enqueued" | "wanted" | "dequeued" | "stop" | "paused" | "resumed" | "archived" | "restored" | "lowered" | "reshaped" | "labelled" | "prior" | "step";

export interface ExceededBy {
  exit?: number[];
  stderr?: string;
}

export interface Exit {
  code: number;
  signal?: string;
}

export interface Expected {
  also?: Record<string, Range>; // What is expected of the other objectives, by name.
  beats?: number;
  cost: number;
  cost_high: number;
  cost_low: number;
  cost_median: number;
  cost_sd: number;
  early?: boolean; // Fewer than three values were known, so what is said of values is a guess.
  failure_cost?: number; // What the trial is expected to cost if it fails.
  fits: number;
  setup?: number; // The part of the cost that is expected to go into changes.
  setup_sd?: number; // The standard deviation of that part, where a price is learnt.
  value: number;
  value_high?: number; // What nine values in ten stay below.
  value_low?: number; // What one value in ten stays below.
  value_sd: number;
  within?: number; // The chance that the trial meets all limits; of a look: that its setting does at the highest fidelity. Left out where there are none, or nobody knows.
  works?: number; // The chance that the trial does not fail. Left out where none has failed before, or nobody knows.
}

export interface FailRequest {
  cost?: number; // What the trial cost. The server estimates a missing cost.
  estimated?: boolean; // The cost could not be measured, and is estimated.
  exit?: Exit; // How the trial's command ended, if it has one.
  lost?: boolean; // There was no checkpoint to go on from, so the trial began anew.
  metrics?: Record<string, number>; // Numbers that the trial reported all the same, by name. The models learn from those that are objectives, if the study has several.
  note?: string;
  setup?: number; // The part of the cost that went into changes, if the study has changeovers.
  state?: "failed" | "cut" | "abandoned"; // cut: the trial was stopped at a limit. abandoned: the setting is not to blame and is tried again.
  stopped?: boolean; // Of an abandoned trial: somebody stopped it or gave it up, so that its setting is tried again any number of times. Otherwise a setting that is abandoned three times has failed, since it may have killed its workers.
  wall?: number; // How long the trial ran, in seconds.
}

export interface Fidelity {
  count?: "last" | "best";
  log?: boolean;
  max?: number;
  min?: number;
  name: string;
  resume?: boolean;
  steps?: number[];
  stop_early?: "model" | "median" | "never";
}

export interface FieldError {
  column?: number; // The column of a definition in YAML, from 1.
  hint?: string; // What to do about it.
  line?: number; // The line of a definition in YAML, from 1.
  location?: string; // The field, such as body.value, or body.parameters.lr.min in a study's definition.
  message: string; // What is wrong with it.
  value?: unknown; // What the request has there, if it is short.
}

export interface File {
  kept: number; // How many of them are kept.
  name: string; // stdout and stderr are what the trial prints, environment is where it ran; others are artifacts.
  size: number; // How many bytes were written.
}

export interface Files {
  files: File[];
}

export interface Finished {
  charged: number;
  estimated?: boolean;
  exit?: Exit;
  lost?: boolean;
  machine?: boolean;
  metrics?: Record<string, number>;
  note?: string;
  setup?: number;
  state: State;
  stopped?: boolean;
  value?: number;
  wall?: number;
}

export interface Forecast {
  cost: number;
  expected: Expected;
  state: State;
  trial: number;
  value?: number;
}

export interface ForgetRequest {
  known?: number[]; // The numbers of known results, from 1.
  note?: string; // Why they are ignored, or count again.
  trials?: number[]; // The trials' numbers.
  undo?: boolean; // Let them count again.
}

export interface Front {
  beyond?: string; // Which results would be on the front if they were better than the worst that the study file gives, and which are on it by the models' means alone, in words.
  expected?: number[][]; // What the models expect of the objectives of each of these trials, by which it is on the front. Left out if evaluations have no noise.
  from?: number; // How many results the worst was found from. Left out: the study file gives all of it.
  hypervolume: number; // The volume between the front and the worst that counts.
  seen?: number[][][]; // All that was seen of the objectives at the setting of each of these trials, the oldest first. Left out if evaluations have no noise.
  trials: Trial[]; // The results that no other dominates, ordered by the first objective, the best first. If evaluations have noise, by what the models expect of their settings.
  worst: number[]; // The worst that counts, in the order of the objectives. Empty before there is a result.
}

export type Goal = "minimize" | "maximize";

export interface Health {
  status: "ok";
}

export interface HeartbeatRequest {
  queued?: string; // Why the trial waits for its turn where the worker runs it, such as in a cluster's queue. While it waits it has no limit. Missing: it does not wait.
  worker: string; // The worker's name.
}

export interface Heat {
  a: Axis;
  at: Setting;
  b: Axis;
  cost_median: number[][];
  exists: boolean[][];
  value: number[][];
  value_sd: number[][];
}

export interface Import {
  added: number; // Results that are new.
  charged: number; // What the study was charged.
  known: number; // Results that were known already.
  refused: Refusal[]; // Results that the study does not allow. They were left out.
}

export interface ImportFileRequest {
  charge?: boolean; // Charge the study what the results cost.
  columns?: Record<string, string>; // For columns with other names: the parameter that each stands for, or value or cost, by the column's name.
  dry_run?: boolean; // Only say what would happen. If columns are missing, say which.
  file: string; // CSV with a header, a list of JSON objects, an export of eke, or an Optuna journal: its text.
}

export interface ImportRequest {
  charge?: boolean; // Charge the study what the results cost.
  dry_run?: boolean; // Only say what would happen.
  results: KnownResult[];
}

export interface Importance {
  also?: Record<string, Share>; // The same for the other objectives of a study with several, by name.
  cost: Share;
  parameter: string;
  value: Share;
}

export interface ImportedFile {
  added: number; // Results that are new.
  charged: number; // What the study was charged.
  columns: string[]; // The columns of the file.
  form: string; // What kind of file it is.
  known: number; // Results that were known already.
  left_out: number; // Rows that the study does not allow.
  matched: Record<string, string>; // For each parameter, value and cost: the column it was read from.
  missing: string[]; // The parameters, or value, that no column was found for. Only a dry run comes this far.
  refused: RefusedRow[]; // The first hundred of them.
  rows: number;
  without: number; // Rows of trials that failed, were pruned or are not over.
}

export interface Insight {
  best?: number;
  cut_short?: boolean;
  forecasts?: Forecast[];
  importance?: Importance[];
  looks?: number;
  missing?: string;
  observed: number;
  slices?: Slice[];
  state: InsightState;
  through?: Setting;
}

export type InsightState = "ready" | "not_enough";

export interface Item {
  note?: string;
  number: number; // Items are numbered from 1.
  part?: boolean; // The setting leaves parameters out, which the policy chooses.
  retries?: number; // The trial that is tried again.
  setting: Setting;
}

export type Kind = "float" | "int" | "choice" | "ordered" | "bool" | "fixed";

export interface Known {
  cost?: number;
  forgotten?: boolean;
  look?: boolean;
  metrics?: Record<string, number>;
  point: number[];
  row?: string;
  setting: Setting;
  value: number;
}

export interface KnownResult {
  cost?: number; // What it cost. 0: nobody knows.
  metrics?: Record<string, number>; // The other numbers that it reported, by name.
  setting: Setting; // The value of each parameter, by name.
  value: number;
}

export interface LabelRequest {
  group?: string; // Whose tokens may see the study, beside those without a group, which see all. Only admins without a group may change it.
  notes?: string; // A text in Markdown.
  owner?: string; // The ID of the token that may do everything with the study. Only admins may change it.
  tags?: string[]; // Words to find the study by.
}

export interface Labels {
  group?: string;
  notes?: string;
  owner?: string;
  tags?: string[];
}

export interface Lease {
  asked: string;
  beyond?: boolean; // The cost exceeded the budget, so the value does not count.
  charged?: number; // What the trial cost.
  checkpoint?: number; // The first of the trials that go on from each other, whose checkpoint this one uses.
  credible?: number; // How many seconds the forecast makes credible. A trial that takes longer, from its start or from its last step, is stopped, unless the study has `budget.timeout`, or `budget.per_trial` in time.
  early?: string; // Why the trial is stopped early, or was.
  early_at?: number; // The step at which it was decided to stop the trial early.
  estimate?: Estimate; // What is known about the setting's value. Only the best has it, and only if evaluations have noise.
  estimated?: boolean; // The cost could not be measured, and is estimated.
  exit?: Exit; // How the command ended.
  finished?: string;
  forgot?: string; // Why the trial was forgotten, if somebody said.
  forgotten?: boolean; // Somebody had the trial forgotten. It is charged, but does not count.
  id?: string; // It tells the trial from one of the same number in another study of that name. Send it in the header Eke-Trial with whatever you report of the trial.
  item?: number; // The number in the queue, if somebody wanted the setting to be tried.
  known?: boolean; // The result was known before the study and cost it nothing.
  lease_seconds: number; // The worker loses the trial after this many seconds without a heartbeat. 0: it never does.
  limit: number | null; // How many seconds the trial may run, or null for no limit. A heartbeat may raise it.
  look?: boolean; // The fidelity is not the highest, so the value does not count.
  lost?: boolean; // There was no checkpoint to go on from, so the trial began anew and was paid in full.
  machine?: boolean; // The trial failed because of the machine, not because of its setting, which is tried again.
  metrics?: Record<string, number>; // The other numbers that the trial reported, by name.
  note?: string; // What went wrong.
  number: number; // Trials are numbered from 1.
  outside?: boolean; // The parameters have changed since, and do not allow the setting. It does not count.
  place?: string; // Where the trial is evaluated, if changes cost something there.
  point: number[]; // The setting as a point in the unit cube.
  queued?: string; // Why the trial waits for its turn in an engine, in the engine's words. It costs nothing yet.
  reserved?: number; // The money held for the trial until it ends.
  resumes?: number; // The earlier trial, with a lower fidelity of the same setting, that this one goes on from.
  retries?: number; // The earlier trial whose setting this one tries again.
  runner?: string; // Who evaluates the trial.
  setting: Setting; // The value of each parameter, by name.
  setup?: number; // The part of the cost that went into changes, as the trial reported it.
  started?: string;
  state: State;
  steps?: TrialStep[]; // The values that the trial had at lower fidelities on its way, oldest first.
  stopped?: boolean; // The trial was abandoned because its run was stopped.
  stopping?: boolean; // Somebody wants the trial to be stopped.
  thinking?: number; // How long it took to choose the setting, in seconds.
  token?: string; // The ID of the token that the trial was asked for with. Only it, the study's owner and admins may report on the trial and stop it.
  value: number | null; // The result, or null unless the trial is done. Of the best, it is the value of the estimate, if there is one.
  violates?: string[]; // The limits that the trial does not meet, or is not known to meet, by name. Its value does not count.
  wall?: number; // How long the trial ran, in seconds.
  was?: Was[]; // The figures before each correction, oldest first.
  why?: Why; // Why this setting was chosen.
}

export interface Leases {
  trials: Lease[];
}

export interface Ledger {
  reserved: number;
  spent: number;
  total: number;
}

export interface Log {
  events: Event[];
}

export interface Me {
  group?: string;
  id?: string; // The ID of the token.
  name?: string;
  open: boolean; // There are no tokens: everybody on the server's machine may do everything.
  role: "reader" | "worker" | "admin";
}

export interface Neighbour {
  cost: number; // What it cost.
  differs: string[]; // The parameters that differ.
  distance: number; // How far away it is, in the unit cube that the models work in: each parameter has a length of 1. 0: the same setting.
  known: boolean; // It is a result from elsewhere.
  number: number; // The trial's number, or that of the known result.
  setting: Setting;
  state: State;
  value: number | null; // What it returned, or null if it returned nothing.
}

export interface Neighbours {
  neighbours: Neighbour[];
}

export interface NewToken {
  created: string;
  group?: string;
  id: string; // It identifies the token, and is not secret.
  name: string;
  role: "reader" | "worker" | "admin";
  token: string; // The token itself. It is shown only now.
}

export interface Notify {
  command?: string[];
  on?: string[];
  url?: string;
}

export interface Objective {
  goal: Goal;
  max?: number; // The most that the number can be. No forecast goes beyond. Left out: nothing is known of that.
  min?: number; // The least that the number can be. No forecast goes beyond. Left out: nothing is known of that.
  name: string;
}

export interface Outlook {
  better: number;
  gain: number;
  median: number;
  money: number;
  worse: number;
}

export interface Output {
  next: number; // Where to go on: the after of the next request.
  offset: number; // Where the text begins.
  size: number; // How many bytes were printed.
  skipped: number; // How many bytes before the text are not kept any more.
  text: string; // What was printed, as text.
}

export interface Param {
  default?: Value; // The value in settings that have none, such as those of earlier trials.
  log?: boolean; // The parameter varies by orders of magnitude.
  max?: number;
  min?: number;
  name: string;
  step?: number;
  type: Kind;
  value?: Value; // The value of a fixed parameter.
  values?: Value[]; // The values of a choice.
  when?: Condition[]; // The parameter exists only if all of these hold.
}

export interface Picked {
  name: string;
  why: string;
}

export interface Policy {
  design?: number;
  fantasies?: number[];
  name: string;
  preset: string;
}

export interface Problem {
  code: Code; // What went wrong, for programs.
  detail: string; // What went wrong, for people.
  errors?: FieldError[]; // What is wrong with each field of the request.
  hint?: string; // What to do about it.
  status: number; // The HTTP status.
  title: string;
}

export interface Queue {
  items: Item[];
}

export interface Range {
  high: number;
  low: number;
  sd: number;
  value: number;
}

export interface Reach {
  points: ReachPoint[]; // The edge of the front, from the worst of the other objective that counts to the best that may be reached.
  right: string; // The name of the other objective.
  up: string; // The name of an objective.
}

export interface ReachPoint {
  at: number; // A value of the other objective, which must be at least as good.
  better: number; // The best value of the first objective here is better than this with one chance in ten.
  worse: number; // The best value of the first objective here is worse than this with one chance in ten.
}

export interface Redefined {
  changes: string[]; // What has changed in the budget and in the parameters, in words.
  study: Study;
}

export interface Refusal {
  index: number; // Its place in the request, from 0.
  problem: string;
}

export interface RefusedRow {
  problem: string;
  where: string; // Where it is in the file, such as line 3.
}

export interface RenameRequest {
  name: string; // The new name.
}

export interface ReportRequest {
  cost?: number; // What the trial has cost so far. A step is not charged; the trial is charged once, when it ends.
  ended?: boolean; // The trial has ended, and its end will be told: do not decide whether it is to stop.
  step: number; // The fidelity that the trial has reached, such as the number of epochs.
  value: number; // The objective there.
}

export interface Reported {
  early_at?: number; // The step at which it was decided to stop the trial early.
  reason: string; // Why. Empty if the trial is to go on.
  stop: boolean; // Stop the trial: its rest does not earn its price, or somebody wants it to stop.
}

export interface Rest {
  best: number;
  better: number;
  fan: Outlook[];
  gain: number;
  left: number;
  median: number;
  money: number;
  of?: string; // hypervolume with several objectives: best, and the values in the forecasts, are then hypervolumes of the front.
  reach?: Reach[]; // With several objectives: where the front may be when the money is spent, for every pair of them.
  reserved?: number; // The part of left that is reserved for trials under way.
  worse: number;
}

export interface RetryRequest {
  trials: number[]; // The trials' numbers.
}

export interface Revoked {
  revoked: string; // The token's ID.
}

export type Setting = Record<string, Value>;

export interface Share {
  direction?: Direction;
  first: number;
  total: number;
}

export interface Slice {
  at?: Value;
  kind: Kind;
  log?: boolean;
  parameter: string;
  points: Expected[];
  values: Value[];
}

export interface Slot {
  env?: Record<string, string>;
}

export type Source = "reported" | "walltime" | "slurm" | "kubernetes";

export interface Spending {
  looks: number; // What was spent on looks (trials below the highest fidelity) that returned a value.
  lost: number; // What was spent on all other trials, such as those that failed or were over budget.
  results: number; // What was spent on trials that returned a value at the highest fidelity.
}

export type State = "pending" | "running" | "done" | "failed" | "cut" | "stopped early" | "abandoned";

export interface Step {
  expected: Expected;
  setting: Setting;
}

export type Stop = "never" | unknown;

export interface StopRequest {
  stop: Stop; // "never", or the gain that the rest of the money has to be expected to make. A gain of 0 is the default rule.
}

export interface Studies {
  studies: Summary[];
  total: number; // How many studies match the request. This answer may contain only some of them.
}

export interface Study {
  archived: boolean; // The study is put away. It hands out no trials.
  best: Trial | null; // The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted.
  buys: Buys | null; // What the money left will buy, or null while costs are unknown.
  changed: string; // When a trial last began or ended.
  changes?: Changes; // What went into changes, if they cost something.
  closed: boolean; // Somebody ended the study. It hands out no more trials.
  cost: Cost;
  counts: Record<string, number>; // The number of trials in each state.
  created: string;
  damaged?: string; // Why the study cannot be read. Then only its name, its creation and its version are known.
  definition: Definition; // The study file as JSON. Only workers and admins see env.
  finished: End | null; // Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute.
  front?: Front; // The front, if the study has several objectives.
  group?: string; // Whose tokens may see the study, beside those without a group, which see all.
  hurts?: string; // A text that says so if a lower fidelity gave the best setting a better value, if the models judge limits otherwise than what was seen, if the study may have seen nothing but a plateau, or if values of choices were never evaluated in full.
  id?: string; // It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name.
  infeasible?: string; // If there are results but none of them meets the study's limits: a text that says so, and how near they came.
  initial: number; // The budget that the study began with.
  known: number; // How many results from elsewhere the study has.
  ledger: Ledger;
  left: number; // The money that is neither spent nor reserved.
  name: string;
  notes: string; // What people have written about the study, in Markdown.
  objective: Objective;
  objectives?: Aim[]; // All objectives, if there are several. The first is objective, whose best is best.
  overrun: number; // How far reported costs exceeded the budget.
  owner?: string; // The ID of the token that may do everything with the study.
  paused: boolean; // Somebody paused the study. It hands out no trials for now.
  policy: Picked;
  queued: number; // How many of the running trials wait for their turn in an engine, such as a cluster.
  saved?: string; // What stopping trials early has saved, in words.
  spending: Spending; // What the money of the trials that have ended was spent on.
  spent_at?: string; // What was spent at each fidelity, in words.
  start?: string; // What the study started from (start_from), and how well that predicts it, in words.
  tags: string[]; // Words to find the study by.
  time: Times;
  version: number; // Every change raises the version.
  waiting: number; // How many settings of people's own are to be tried next.
}

export interface StudyFile {
  version: number; // The version of the study that it describes.
  yaml: string; // The study file, with the budget that the study has now. Only workers and admins see env.
}

export interface Summary {
  archived: boolean; // The study is put away. It hands out no trials.
  best: Trial | null; // The best trial, or null if there is none yet. If evaluations have noise, it is the first trial of the setting that the models expect to be the best. In a list of many studies with noise, it may lag behind, or be null until the models are fitted.
  buys: Buys | null; // What the money left will buy, or null while costs are unknown.
  changed: string; // When a trial last began or ended.
  closed: boolean; // Somebody ended the study. It hands out no more trials.
  cost: Cost;
  counts: Record<string, number>; // The number of trials in each state.
  created: string;
  damaged?: string; // Why the study cannot be read. Then only its name, its creation and its version are known.
  finished: End | null; // Why the study hands out no more trials, or null if it may hand out more. Whether the rest of the money is worth spending is known once somebody has asked for a trial, or for the rest, or nothing has happened for a minute.
  group?: string; // Whose tokens may see the study, beside those without a group, which see all.
  id?: string; // It tells the study from every other, also from one that had its name before. Send it in the header Eke-Study, and the study is found under any name.
  infeasible?: string; // If there are results but none of them meets the study's limits: a text that says so, and how near they came.
  initial: number; // The budget that the study began with.
  known: number; // How many results from elsewhere the study has.
  ledger: Ledger;
  left: number; // The money that is neither spent nor reserved.
  name: string;
  objective: Objective;
  objectives?: Aim[]; // All objectives, if there are several. The first is objective, whose best is best.
  overrun: number; // How far reported costs exceeded the budget.
  owner?: string; // The ID of the token that may do everything with the study.
  paused: boolean; // Somebody paused the study. It hands out no trials for now.
  queued: number; // How many of the running trials wait for their turn in an engine, such as a cluster.
  tags: string[]; // Words to find the study by.
  time: Times;
  version: number; // Every change raises the version.
  waiting: number; // How many settings of people's own are to be tried next.
}

export interface TellRequest {
  cost?: number; // What the trial cost. Optional if the study charges wall time.
  estimated?: boolean; // The cost could not be measured, and is estimated.
  lost?: boolean; // There was no checkpoint to go on from, so the trial began anew.
  metrics?: Record<string, number>; // The other numbers that the trial reported, by name, such as memory. The study's limits apply to these.
  note?: string;
  setup?: number; // The part of the cost that went into changes, if the study has changeovers.
  value: number; // The result of the trial.
  wall?: number; // How long the trial ran, in seconds.
}

export interface Times {
  evaluating: number; // Time spent running trials.
  thinking: number; // Time spent choosing settings.
}

export interface Token {
  created: string;
  group?: string;
  id: string; // It identifies the token, and is not secret.
  name: string;
  role: "reader" | "worker" | "admin";
}

export interface TokenRequest {
  group?: string; // Whose studies the token is for; empty: those of everybody.
  name?: string; // Whose token it is, for your information.
  role: "reader" | "worker" | "admin";
}

export interface Tokens {
  tokens: Token[];
}

export interface Trial {
  asked: string;
  beyond?: boolean; // The cost exceeded the budget, so the value does not count.
  charged?: number; // What the trial cost.
  checkpoint?: number; // The first of the trials that go on from each other, whose checkpoint this one uses.
  credible?: number; // How many seconds the forecast makes credible. A trial that takes longer, from its start or from its last step, is stopped, unless the study has `budget.timeout`, or `budget.per_trial` in time.
  early?: string; // Why the trial is stopped early, or was.
  early_at?: number; // The step at which it was decided to stop the trial early.
  estimate?: Estimate; // What is known about the setting's value. Only the best has it, and only if evaluations have noise.
  estimated?: boolean; // The cost could not be measured, and is estimated.
  exit?: Exit; // How the command ended.
  finished?: string;
  forgot?: string; // Why the trial was forgotten, if somebody said.
  forgotten?: boolean; // Somebody had the trial forgotten. It is charged, but does not count.
  id?: string; // It tells the trial from one of the same number in another study of that name. Send it in the header Eke-Trial with whatever you report of the trial.
  item?: number; // The number in the queue, if somebody wanted the setting to be tried.
  known?: boolean; // The result was known before the study and cost it nothing.
  look?: boolean; // The fidelity is not the highest, so the value does not count.
  lost?: boolean; // There was no checkpoint to go on from, so the trial began anew and was paid in full.
  machine?: boolean; // The trial failed because of the machine, not because of its setting, which is tried again.
  metrics?: Record<string, number>; // The other numbers that the trial reported, by name.
  note?: string; // What went wrong.
  number: number; // Trials are numbered from 1.
  outside?: boolean; // The parameters have changed since, and do not allow the setting. It does not count.
  place?: string; // Where the trial is evaluated, if changes cost something there.
  point: number[]; // The setting as a point in the unit cube.
  queued?: string; // Why the trial waits for its turn in an engine, in the engine's words. It costs nothing yet.
  reserved?: number; // The money held for the trial until it ends.
  resumes?: number; // The earlier trial, with a lower fidelity of the same setting, that this one goes on from.
  retries?: number; // The earlier trial whose setting this one tries again.
  runner?: string; // Who evaluates the trial.
  setting: Setting; // The value of each parameter, by name.
  setup?: number; // The part of the cost that went into changes, as the trial reported it.
  started?: string;
  state: State;
  steps?: TrialStep[]; // The values that the trial had at lower fidelities on its way, oldest first.
  stopped?: boolean; // The trial was abandoned because its run was stopped.
  stopping?: boolean; // Somebody wants the trial to be stopped.
  thinking?: number; // How long it took to choose the setting, in seconds.
  token?: string; // The ID of the token that the trial was asked for with. Only it, the study's owner and admins may report on the trial and stop it.
  value: number | null; // The result, or null unless the trial is done. Of the best, it is the value of the estimate, if there is one.
  violates?: string[]; // The limits that the trial does not meet, or is not known to meet, by name. Its value does not count.
  wall?: number; // How long the trial ran, in seconds.
  was?: Was[]; // The figures before each correction, oldest first.
  why?: Why; // Why this setting was chosen.
}

export interface TrialStep {
  cost?: number;
  look?: boolean;
  step: number;
  value: number;
}

export interface Trials {
  trials: Trial[];
  version: number; // The version of the study that was read.
}

export interface UploadRequest {
  data: string; // At most 256 KiB, in base64.
  offset: number; // Where the data begins in the file.
  skip?: boolean; // The data may begin behind the end of the file: what is missing was too much to be sent.
  worker: string; // The worker that has the trial.
}

export interface Uploaded {
  size: number; // Where the file ends now. Go on from there; if it is less than was sent, send what is missing.
}

export type Value = string | number | boolean;

export interface Was {
  charged: number;
  metrics?: Record<string, number>;
  setup?: number;
  state: State;
  until: string;
  value: number;
  why?: string;
}

export interface Why {
  between?: number[];
  clauses?: Clause[];
  cut_short?: boolean;
  earlier?: string;
  expected?: Expected;
  follows?: boolean;
  hoped?: number; // The chance to beat the best, or to extend the front, by the models alone. Left out where the study's own record has not changed it.
  ln_acquisition?: number;
  next?: Step[];
  picked: string;
  policy: string;
}
