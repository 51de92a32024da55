// How the page talks to the server: the token goes along, and what is not an answer is a Problem.
import { problemFrom, unreachable } from "./problem";
import { token, wanted } from "./token";

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

export async function send(path: string, init: RequestInit, extra: Record<string, string>): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(root + path, { ...init, headers: headers(extra), cache: "no-store" });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw unreachable();
  }
  return checked(answer);
}

export async function get<T>(path: string, stop?: AbortSignal): Promise<T> {
  const answer = await send(path, { method: "GET", signal: stop ?? null }, { Accept: "application/json" });
  return (await answer.json()) as T;
}

// Meant is what a request says beside its address: a key that makes it safe to repeat, and the IDs of the study and the trial that are meant.
interface Meant {
  key?: string;
  study?: string | undefined;
  trial?: string | undefined;
}

export async function post<T>(path: string, body: object | undefined, { key, study, trial }: Meant = {}): Promise<T> {
  const extra: Record<string, string> = { Accept: "application/json" };
  if (study) extra["Eke-Study"] = study;
  if (trial) extra["Eke-Trial"] = trial;
  if (body !== undefined) extra["Content-Type"] = "application/json";
  if (key !== undefined) extra["Idempotency-Key"] = key;
  const answer = await send(path, { method: "POST", body: body === undefined ? null : JSON.stringify(body) }, extra);
  return (await answer.json()) as T;
}

// newKey makes a request safe to repeat. crypto.randomUUID exists on secure origins only.
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}
