// Where in a study file an error is. The server names the line; a field that is missing has none, but its parent has.
import type { FieldError } from "../api/types";
import { nodeAt, readYaml } from "./yaml";

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

// mistakeAt is what is wrong with a field; "" if nothing is.
export const mistakeAt = (errors: readonly Placed[], field: string): string =>
  errors
    .filter((e) => e.field === field)
    .map(sayMistake)
    .join("; ");

export const sayMistake = (e: Placed): string => [e.message, e.hint].filter((s) => s !== "").join("; ");

// textOf is a field as it is written; null if it is missing, undefined if the file cannot be read.
function textOf(yaml: string, field: string): string | null | undefined {
  try {
    const node = nodeAt(readYaml(yaml), field.split("."));
    return node ? yaml.slice(node.from, node.to) : null;
  } catch {
    return undefined;
  }
}

// remaining lists the errors of a file that has been changed since: a field that is another now is no longer known to be wrong.
export function remaining(errors: readonly Placed[], was: string, now: string): Placed[] {
  const moved = was.split("\n").length !== now.split("\n").length;
  const stays = (field: string) => ((a, b) => a === undefined || b === undefined || a === b)(textOf(was, field), textOf(now, field));
  return errors.filter((e) => e.field === "" || stays(e.field)).map((e) => (moved ? { ...e, line: lineOf(now, e.field) || e.line, column: 0 } : e));
}

export function placed(yaml: string, e: FieldError): Placed {
  const field = (e.location ?? "").replace(/^body\.?/, "");
  const line = e.line || lineOf(yaml, field);
  return { line: line > yaml.split("\n").length ? 0 : line, column: e.column ?? 0, field, message: e.message, hint: e.hint ?? "" };
}
