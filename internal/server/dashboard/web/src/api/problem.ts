// Problem documents (RFC 9457), as the service sends them.

export interface FieldError {
  location?: string;
  message: string;
  value?: unknown;
  line?: number;
  column?: number;
  mend?: string; // what to do about it
}

export class Problem extends Error {
  readonly status: number; // 0: the service could not be reached
  readonly code: string;
  readonly title: string;
  readonly fields: FieldError[];
  readonly retryAfter: number | null; // seconds

  constructor(status: number, code: string, title: string, detail: string, fields: FieldError[] = [], retryAfter: number | null = null) {
    super(detail || title);
    this.status = status;
    this.code = code;
    this.title = title;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

// faultAt is what a problem says of one field of the body that was sent.
export const faultAt = (p: Problem | null, field: string): string => {
  const f = p?.fields.find((e) => e.location === `body.${field}`);
  return f ? [f.message, f.mend].filter((s) => s).join("; ") : "";
};

// without is a problem less what is said at the fields themselves; null if nothing else is left.
export function without(p: Problem | null, fields: readonly string[]): Problem | null {
  if (!p || p.fields.length === 0) return p;
  const rest = p.fields.filter((e) => !fields.some((f) => e.location === `body.${f}`));
  return rest.length === 0 ? null : new Problem(p.status, p.code, p.title, p.message, rest, p.retryAfter);
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);
const text = (x: unknown): string => (typeof x === "string" ? x : "");
const number = (x: unknown): number | undefined => (typeof x === "number" && Number.isFinite(x) ? x : undefined);

function fieldError(x: unknown): FieldError[] {
  if (!isObject(x)) return [];
  const message = text(x["message"]);
  if (message === "") return [];
  return [{ message, location: text(x["location"]), value: x["value"], line: number(x["line"]), column: number(x["column"]), mend: text(x["mend"]) }];
}

// problemFrom makes sense of whatever came with a bad status: a proxy between may have written it.
export function problemFrom(status: number, body: string, retryAfter: string | null): Problem {
  let doc: unknown = null;
  try {
    doc = JSON.parse(body);
  } catch {
    // not JSON: the status must do
  }
  const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  if (!isObject(doc)) return new Problem(status, "", `The service answered ${status}`, "", [], seconds);
  const errors = Array.isArray(doc["errors"]) ? doc["errors"].flatMap(fieldError) : [];
  return new Problem(status, text(doc["code"]), text(doc["title"]) || `The service answered ${status}`, text(doc["detail"]), errors, seconds);
}

export function asProblem(e: unknown): Problem {
  if (e instanceof Problem) return e;
  return new Problem(0, "unreachable", "The service cannot be reached", "");
}
