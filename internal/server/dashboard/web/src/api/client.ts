// One function for every request the page makes.
import type { Wanted } from "../lib/wanted";
import { get, post, root, send } from "./http";
import type { Ahead, ArchiveRequest, AskRequest, BudgetRequest, Columns, CopyRequest, CorrectRequest, Deleted, DeleteRequest, EnqueueRequest, FailRequest, Files, ForgetRequest, Heat, Import, ImportedFile, ImportFileRequest, ImportRequest, Insight, Item, LabelRequest, Leases, Me, Neighbours, NewToken, Output, Queue, Redefined, RenameRequest, Revoked, RetryRequest, Setting, Slice, Stop, StopRequest, Studies, Study, StudyFile, TellRequest, TokenRequest, Tokens, Trial, Why } from "./types";

const at = (study: string) => `/studies/${encodeURIComponent(study)}`;
const trialAt = (study: string, number: number) => `${at(study)}/trials/${number}`;

export const api = {
  me: (stop?: AbortSignal) => get<Me>("/me", stop),
  studies: (w: Wanted, stop?: AbortSignal) =>
    get<Studies>(`/studies?${new URLSearchParams(Object.entries(w).flatMap(([k, v]) => (v === "" ? [] : [[k, String(v)]])))}`, stop),
  study: (name: string, stop?: AbortSignal) => get<Study>(at(name), stop),
  create: async (yaml: string) => {
    const answer = await send("/studies", { method: "POST", body: yaml }, { "Content-Type": "application/yaml", Accept: "application/json" });
    return (await answer.json()) as Study;
  },
  definition: (name: string, stop?: AbortSignal) => get<StudyFile>(`${at(name)}/definition`, stop),
  change: (name: string, yaml: string, version: number) => post<Redefined>(`${at(name)}/definition?version=${version}`, { yaml }),
  end: (name: string) => post<Study>(`${at(name)}/end`, undefined),
  pause: (name: string, pause: boolean) => post<Study>(`${at(name)}/${pause ? "pause" : "resume"}`, undefined),
  archive: (name: string, undo: boolean) => post<Study>(`${at(name)}/archive`, { undo } satisfies ArchiveRequest),
  rename: (name: string, to: string) => post<Study>(`${at(name)}/rename`, { name: to } satisfies RenameRequest),
  delete: (name: string, confirm: string) => post<Deleted>(`${at(name)}/delete`, { confirm } satisfies DeleteRequest),
  copy: (name: string, how: CopyRequest) => post<Study>(`${at(name)}/copy`, how),
  label: (name: string, labels: LabelRequest) => post<Study>(`${at(name)}/labels`, labels),
  report: async (name: string) => (await send(`${at(name)}/report`, { method: "GET" }, {})).blob(),
  forget: (name: string, trial: number, undo: boolean) => post<Study>(`${at(name)}/forget`, { trials: [trial], undo } satisfies ForgetRequest),
  retry: (name: string, trial: number) => post<Queue>(`${at(name)}/retry`, { trials: [trial] } satisfies RetryRequest),
  stop: (name: string, trial: number) => post<Trial>(`${trialAt(name, trial)}/stop`, undefined),
  correct: (name: string, trial: number, figures: CorrectRequest) => post<Trial>(`${trialAt(name, trial)}/correct`, figures),
  enqueue: (name: string, wanted: EnqueueRequest, key: string) => post<Item>(`${at(name)}/queue`, wanted, key),
  queue: (name: string, stop?: AbortSignal) => get<Queue>(`${at(name)}/queue`, stop),
  dequeue: (name: string, number: number) => post<Queue>(`${at(name)}/queue/${number}/drop`, undefined),
  importResults: (name: string, results: ImportRequest) => post<Import>(`${at(name)}/results`, results),
  importFile: (name: string, how: ImportFileRequest) => post<ImportedFile>(`${at(name)}/import`, how),
  addBudget: (name: string, add: number, key: string) => post<Study>(`${at(name)}/budget`, { add } satisfies BudgetRequest, key),
  rest: (name: string, add: number, stop?: AbortSignal) => get<Ahead>(`${at(name)}/rest?add=${add}`, stop),
  setStop: (name: string, stop: Stop) => post<Study>(`${at(name)}/stop`, { stop } satisfies StopRequest),
  // A person needs no lease and sends no heartbeat.
  ask: async (name: string, key: string) => (await post<Leases>(`${at(name)}/ask`, { by_hand: true } satisfies AskRequest, key)).trials,
  columns: (name: string, after: number, stop?: AbortSignal) => get<Columns>(`${at(name)}/columns?after=${after}`, stop),
  why: (name: string, number: number, stop?: AbortSignal) => get<Why>(`${trialAt(name, number)}/why`, stop),
  neighbours: async (name: string, number: number, stop?: AbortSignal) => (await get<Neighbours>(`${trialAt(name, number)}/neighbours`, stop)).neighbours,
  // A number may be another trial's by now: its ID says which is meant.
  tell: (name: string, t: Pick<Trial, "number" | "id">, result: TellRequest, key: string) => post<Trial>(`${trialAt(name, t.number)}/tell`, result, key, t.id),
  fail: (name: string, t: Pick<Trial, "number" | "id">, failure: FailRequest, key: string) => post<Trial>(`${trialAt(name, t.number)}/fail`, failure, key, t.id),
  files: (name: string, number: number, stop?: AbortSignal) => get<Files>(`${trialAt(name, number)}/files`, stop),
  output: (name: string, number: number, file: string, part: { after: number } | { last: number }, stop?: AbortSignal) =>
    get<Output>(`${trialAt(name, number)}/files/${encodeURIComponent(file)}/text?${new URLSearchParams(Object.entries(part).map(([k, v]) => [k, String(v)]))}`, stop),
  file: async (name: string, number: number, file: string, stop?: AbortSignal) =>
    (await send(`${trialAt(name, number)}/files/${encodeURIComponent(file)}`, { method: "GET", signal: stop ?? null }, {})).blob(),
  tokens: async (stop?: AbortSignal) => (await get<Tokens>("/tokens", stop)).tokens,
  newToken: (how: TokenRequest) => post<NewToken>("/tokens", how),
  revoke: (id: string) => post<Revoked>(`/tokens/${encodeURIComponent(id)}/revoke`, undefined),
  insight: (name: string, stop?: AbortSignal) => get<Insight>(`${at(name)}/insight`, stop),
  slice: (name: string, parameter: string, setting: Setting, stop?: AbortSignal) =>
    get<Slice>(`${at(name)}/slice?parameter=${encodeURIComponent(parameter)}&at=${encodeURIComponent(JSON.stringify(setting))}`, stop),
  heat: (name: string, a: string, b: string, n: number, stop?: AbortSignal) =>
    get<Heat>(`${at(name)}/heat?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&n=${n}`, stop),
  // A link cannot carry the token.
  export: async (name: string, format: "csv" | "json") => (await send(`${at(name)}/export?format=${format}`, { method: "GET" }, {})).blob(),
  events: (name: string) => `${root}${at(name)}/events`,
};
