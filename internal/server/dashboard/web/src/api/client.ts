// One function for every request the page makes.
import { problemFrom, unreachable } from "./problem";
import { token, wanted } from "./token";
import type { Ahead, AskRequest, BudgetRequest, CorrectRequest, EnqueueRequest, FailRequest, ForgetRequest, Heat, Import, ImportRequest, Insight, Item, Leases, Queue, RetryRequest, Setting, Slice, Stop, StopRequest, Studies, Study, TellRequest, Trial, Trials, Why } from "./types";

export const root = "/api/v1";

export function headers(extra: Record<string, string> = {}): Record<string, string> {
  const t = token.get();
  return t === "" ? extra : { ...extra, Authorization: `Bearer ${t}` };
}

// checked returns a good answer, and throws a Problem for any other.
export async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  if (answer.status === 401) wanted.set(true);
  throw problemFrom(answer.status, await answer.text(), answer.headers.get("Retry-After"));
}

async function send(path: string, init: RequestInit, extra: Record<string, string>): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(root + path, { ...init, headers: headers(extra), cache: "no-store" });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw unreachable();
  }
  return checked(answer);
}

async function get<T>(path: string, stop?: AbortSignal): Promise<T> {
  const answer = await send(path, { method: "GET", signal: stop ?? null }, { Accept: "application/json" });
  return (await answer.json()) as T;
}

async function post<T>(path: string, body: object | undefined, key?: string): Promise<T> {
  const extra: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) extra["Content-Type"] = "application/json";
  if (key !== undefined) extra["Idempotency-Key"] = key;
  const answer = await send(path, { method: "POST", body: body === undefined ? null : JSON.stringify(body) }, extra);
  return (await answer.json()) as T;
}

const at = (study: string) => `/studies/${encodeURIComponent(study)}`;
const trialAt = (study: string, number: number) => `${at(study)}/trials/${number}`;

export const api = {
  studies: async (stop?: AbortSignal) => (await get<Studies>("/studies", stop)).studies,
  study: (name: string, stop?: AbortSignal) => get<Study>(at(name), stop),
  create: async (yaml: string) => {
    const answer = await send("/studies", { method: "POST", body: yaml }, { "Content-Type": "application/yaml", Accept: "application/json" });
    return (await answer.json()) as Study;
  },
  end: (name: string) => post<Study>(`${at(name)}/end`, undefined),
  pause: (name: string, pause: boolean) => post<Study>(`${at(name)}/${pause ? "pause" : "resume"}`, undefined),
  forget: (name: string, trial: number, undo: boolean) => post<Study>(`${at(name)}/forget`, { trials: [trial], undo } satisfies ForgetRequest),
  retry: (name: string, trial: number) => post<Queue>(`${at(name)}/retry`, { trials: [trial] } satisfies RetryRequest),
  stop: (name: string, trial: number) => post<Trial>(`${trialAt(name, trial)}/stop`, undefined),
  correct: (name: string, trial: number, figures: CorrectRequest) => post<Trial>(`${trialAt(name, trial)}/correct`, figures),
  enqueue: (name: string, setting: Setting, key: string) => post<Item>(`${at(name)}/queue`, { setting } satisfies EnqueueRequest, key),
  importResults: (name: string, results: ImportRequest) => post<Import>(`${at(name)}/results`, results),
  addBudget: (name: string, add: number) => post<Study>(`${at(name)}/budget`, { add } satisfies BudgetRequest),
  rest: (name: string, add: number, stop?: AbortSignal) => get<Ahead>(`${at(name)}/rest?add=${add}`, stop),
  setStop: (name: string, stop: Stop) => post<Study>(`${at(name)}/stop`, { stop } satisfies StopRequest),
  // A person needs no lease and sends no heartbeat.
  ask: async (name: string, key: string) => (await post<Leases>(`${at(name)}/ask`, { by_hand: true } satisfies AskRequest, key)).trials,
  // The reasons make up most of the answer, so the page asks for them one by one.
  page: (name: string, after: number, limit: number, stop?: AbortSignal) =>
    get<Trials>(`${at(name)}/trials?after=${after}&limit=${limit}&why=false`, stop),
  why: (name: string, number: number, stop?: AbortSignal) => get<Why>(`${trialAt(name, number)}/why`, stop),
  tell: (name: string, number: number, result: TellRequest, key: string) => post<Trial>(`${trialAt(name, number)}/tell`, result, key),
  fail: (name: string, number: number, failure: FailRequest, key: string) => post<Trial>(`${trialAt(name, number)}/fail`, failure, key),
  insight: (name: string, stop?: AbortSignal) => get<Insight>(`${at(name)}/insight`, stop),
  slice: (name: string, parameter: string, setting: Setting, stop?: AbortSignal) =>
    get<Slice>(`${at(name)}/slice?parameter=${encodeURIComponent(parameter)}&at=${encodeURIComponent(JSON.stringify(setting))}`, stop),
  heat: (name: string, a: string, b: string, n: number, stop?: AbortSignal) =>
    get<Heat>(`${at(name)}/heat?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}&n=${n}`, stop),
  // A link cannot carry the token.
  export: async (name: string, format: "csv" | "json") => (await send(`${at(name)}/export?format=${format}`, { method: "GET" }, {})).blob(),
  events: (name: string) => `${root}${at(name)}/events`,
};

// newKey makes a request safe to repeat. crypto.randomUUID exists on secure origins only.
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}
