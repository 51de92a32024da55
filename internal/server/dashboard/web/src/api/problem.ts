// Problem documents (RFC 9457), as the server sends them.
import type { FieldError } from "./types";

// Said is what a problem says besides its title.
interface Said {
  code?: string;
  detail?: string;
  hint?: string;
  fields?: FieldError[];
  retryAfter?: number | null;
}

export class Problem extends Error {
  readonly status: number; // 0: the server cannot be reached
  readonly title: string;
  readonly code: string;
  readonly hint: string; // what to do about it
  readonly fields: FieldError[];
  readonly retryAfter: number | null; // seconds

  constructor(status: number, title: string, said: Said = {}) {
    super(said.detail || title);
    this.status = status;
    this.title = title;
    this.code = said.code ?? "";
    this.hint = said.hint ?? "";
    this.fields = said.fields ?? [];
    this.retryAfter = said.retryAfter ?? null;
  }
}

export const unreachable = () => new Problem(0, "The server cannot be reached", { code: "unreachable" });

// faultAt is what a problem says about one field of the body that was sent.
export const faultAt = (p: Problem | null, field: string): string => {
  const f = p?.fields.find((e) => e.location === `body.${field}`);
  return f ? [f.message, f.hint].filter((s) => s).join("; ") : "";
};

// without is a problem without the messages that stand at their fields; null if nothing else is left.
export function without(p: Problem | null, fields: readonly string[]): Problem | null {
  if (!p || p.fields.length === 0) return p;
  const rest = p.fields.filter((e) => !fields.some((f) => e.location === `body.${f}`));
  return rest.length === 0 ? null : new Problem(p.status, p.title, { code: p.code, detail: p.message, hint: p.hint, fields: rest, retryAfter: p.retryAfter });
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);
const text = (x: unknown): string => (typeof x === "string" ? x : "");
const number = (x: unknown): number | undefined => (typeof x === "number" && Number.isFinite(x) ? x : undefined);

function fieldError(x: unknown): FieldError[] {
  if (!isObject(x)) return [];
  const message = text(x["message"]);
  if (message === "") return [];
  return [{ message, location: text(x["location"]), value: x["value"], line: number(x["line"]), column: number(x["column"]), hint: text(x["hint"]) }];
}

// problemFrom makes a problem of any bad answer. A proxy may have written it.
export function problemFrom(status: number, body: string, retryAfter: string | null): Problem {
  let doc: unknown = null;
  try {
    doc = JSON.parse(body);
  } catch {
    // not JSON: only the status is known
  }
  const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  const plain = `The server answered ${status}`;
  if (!isObject(doc)) return new Problem(status, plain, { retryAfter: seconds });
  return new Problem(status, text(doc["title"]) || plain, {
    code: text(doc["code"]),
    detail: text(doc["detail"]),
    hint: text(doc["hint"]),
    fields: Array.isArray(doc["errors"]) ? doc["errors"].flatMap(fieldError) : [],
    retryAfter: seconds,
  });
}

export const asProblem = (e: unknown): Problem => (e instanceof Problem ? e : unreachable());
