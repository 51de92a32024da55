// Where in a study file an error is: the service says it by line, in words, or only by the field's name.
import type { FieldError } from "../api/problem";

export interface Placed {
  line: number; // from 1; 0: nowhere in particular
  column: number;
  field: string;
  message: string;
  mend: string;
}

// lineOf finds a field such as parameters.lr.min by its keys, in block or flow style; the deepest that is there.
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
  const count = yaml.split("\n").length;
  const location = e.location ?? "";
  const field = location.replace(/^body\.?/, "").replace(/:\d+(:\d+)?$/, "");
  let { line = 0, column = 0 } = e;
  let message = e.message;
  if (line === 0) {
    const inPlace = /(?:^|:| line )(\d+)(?::(\d+))?$/.exec(location);
    const inWords = /^(?:[^\s:]*:)?(?:line )?(\d+)(?::(\d+))?: /.exec(message);
    const m = inPlace ?? inWords;
    if (m) [line, column] = [Number(m[1]), Number(m[2] ?? 0)];
    if (!inPlace && inWords) message = message.slice(inWords[0].length);
  }
  if (line === 0) line = lineOf(yaml, field);
  if (line > count) line = 0;
  return { line, column, field: /^(yaml|definition)?$/.test(field) ? "" : field, message, mend: e.mend ?? "" };
}
