// Where in a study file an error is. The server names the line; a field that is missing has none, but its parent has.
import type { FieldError } from "../api/types";

export interface Placed {
  line: number; // from 1; 0: unknown
  column: number;
  field: string;
  message: string;
  hint: string;
}

// lineOf finds a field such as parameters.lr.min by its keys, in block or flow style, or the deepest part of it that is there.
export function lineOf(yaml: string, field: string): number {
  const lines = yaml.split("\n");
  let from = 0;
  let to = lines.length;
  let found = 0;
  for (const key of field.split(".").filter((k) => k !== "" && k !== "body")) {
    const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const here = new RegExp(`(^\\s*|[{,]\\s*)["']?${escaped}["']?\\s*:`);
    let at = -1;
    for (let i = from; i < to && at < 0; i++) {
      if (here.test((lines[i] ?? "").replace(/(^|\s)#.*$/, ""))) at = i;
    }
    if (at < 0) break;
    found = at + 1;
    const indent = /^\s*/.exec(lines[at] ?? "")?.[0].length ?? 0;
    let end = at + 1;
    while (end < to && ((lines[end] ?? "").trim() === "" || (/^\s*/.exec(lines[end] ?? "")?.[0].length ?? 0) > indent)) end++;
    [from, to] = [at, end];
  }
  return found;
}

export function placed(yaml: string, e: FieldError): Placed {
  const field = (e.location ?? "").replace(/^body\.?/, "");
  const line = e.line || lineOf(yaml, field);
  return { line: line > yaml.split("\n").length ? 0 : line, column: e.column ?? 0, field, message: e.message, hint: e.hint ?? "" };
}
