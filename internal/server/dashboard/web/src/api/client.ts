// One function for every request the page makes.
import type { Wanted } from "../lib/wanted";
import { get, post, root, send } from "./http";
import type { Ahead, ArchiveRequest, AskRequest, BudgetRequest, Columns, CopyRequest, CorrectRequest, Deleted, DeleteRequest, EnqueueRequest, FailRequest, Files, ForgetRequest, Heat, Import, ImportedFile, ImportFileRequest, ImportRequest, Insight, Item, LabelRequest, Leases, Me, Neighbours, NewToken, Output, Queue, Redefined, RenameRequest, Revoked, RetryRequest, Setting, Slice, Stop, StopRequest, Studies, Study, StudyFile, TellRequest, TokenRequest, Tokens, Trial, Why } from "./types";

const at = (study: string) => `/studies/${encodeURIComponent(study)}`;
const trialAt = (study: string, number: number) => `${at(study)}/trials/${number}`;

// A name or a number may be another's by now: an ID says which is meant.
type OfStudy = Pick<Study, "name" | "id">;
type OfTrial = Pick<Trial, "number" | "id">;

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
  change: (of: OfStudy, yaml: string, version: number) => post<Redefined>(`${at(of.name)}/definition?version=${version}`, { yaml }, { study: of.id }),
  end: (of: OfStudy) => post<Study>(`${at(of.name)}/end`, undefined, { study: of.id }),
  pause: (of: OfStudy, pause: boolean) => post<Study>(`${at(of.name)}/${pause ? "pause" : "resume"}`, undefined, { study: of.id }),
  archive: (of: OfStudy, undo: boolean) => post<Study>(`${at(of.name)}/archive`, { undo } satisfies ArchiveRequest, { study: of.id }),
  rename: (of: OfStudy, to: string) => post<Study>(`${at(of.name)}/rename`, { name: to } satisfies RenameRequest, { study: of.id }),
  delete: (of: OfStudy, confirm: string) => post<Deleted>(`${at(of.name)}/delete`, { confirm } satisfies DeleteRequest, { study: of.id }),
  copy: (of: OfStudy, how: CopyRequest) => post<Study>(`${at(of.name)}/copy`, how, { study: of.id }),
  label: (of: OfStudy, labels: LabelRequest) => post<Study>(`${at(of.name)}/labels`, labels, { study: of.id }),
  report: async (name: string) => (await send(`${at(name)}/report`, { method: "GET" }, {})).blob(),
  forget: (of: OfStudy, trial: number, undo: boolean) => post<Study>(`${at(of.name)}/forget`, { trials: [trial], undo } satisfies ForgetRequest, { study: of.id }),
  retry: (of: OfStudy, trial: number) => post<Queue>(`${at(of.name)}/retry`, { trials: [trial] } satisfies RetryRequest, { study: of.id }),
  stop: (of: OfStudy, trial: number) => post<Trial>(`${trialAt(of.name, trial)}/stop`, undefined, { study: of.id }),
  correct: (of: OfStudy, trial: number, figures: CorrectRequest) => post<Trial>(`${trialAt(of.name, trial)}/correct`, figures, { study: of.id }),
  enqueue: (of: OfStudy, wanted: EnqueueRequest, key: string) => post<Item>(`${at(of.name)}/queue`, wanted, { study: of.id, key }),
  queue: (name: string, stop?: AbortSignal) => get<Queue>(`${at(name)}/queue`, stop),
  dequeue: (of: OfStudy, number: number) => post<Queue>(`${at(of.name)}/queue/${number}/drop`, undefined, { study: of.id }),
  importResults: (of: OfStudy, results: ImportRequest) => post<Import>(`${at(of.name)}/results`, results, { study: of.id }),
  importFile: (of: OfStudy, how: ImportFileRequest) => post<ImportedFile>(`${at(of.name)}/import`, how, { study: of.id }),
  addBudget: (of: OfStudy, add: number, key: string) => post<Study>(`${at(of.name)}/budget`, { add } satisfies BudgetRequest, { study: of.id, key }),
  rest: (name: string, add: number, stop?: AbortSignal) => get<Ahead>(`${at(name)}/rest?add=${add}`, stop),
  setStop: (of: OfStudy, stop: Stop) => post<Study>(`${at(of.name)}/stop`, { stop } satisfies StopRequest, { study: of.id }),
  // A person needs no lease and sends no heartbeat.
  ask: async (of: OfStudy, key: string) => (await post<Leases>(`${at(of.name)}/ask`, { by_hand: true } satisfies AskRequest, { study: of.id, key })).trials,
  columns: (name: string, after: number, stop?: AbortSignal) => get<Columns>(`${at(name)}/columns?after=${after}`, stop),
  why: (name: string, number: number, stop?: AbortSignal) => get<Why>(`${trialAt(name, number)}/why`, stop),
  neighbours: async (name: string, number: number, stop?: AbortSignal) => (await get<Neighbours>(`${trialAt(name, number)}/neighbours`, stop)).neighbours,
  tell: (of: OfStudy, t: OfTrial, result: TellRequest, key: string) => post<Trial>(`${trialAt(of.name, t.number)}/tell`, result, { study: of.id, trial: t.id, key }),
  fail: (of: OfStudy, t: OfTrial, failure: FailRequest, key: string) => post<Trial>(`${trialAt(of.name, t.number)}/fail`, failure, { study: of.id, trial: t.id, key }),
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
