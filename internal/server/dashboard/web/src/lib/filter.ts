// The filter of the table of trials: words and comparisons, all of which must hold. "adam", "#12", "lr < 0.01 and layers >= 3", "state = done".
import type { Trial } from "../api/types";
import { valueText } from "./format";
import type { Column } from "./sort";

export interface Filter {
  found: (t: Trial) => boolean;
  error: string; // what is wrong with it; "" if nothing is
}

type Test = (t: Trial) => boolean;

const operators: Record<string, (a: number, b: number) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

// tokens are operators, texts in quotes, and words.
function tokens(query: string): string[] | string {
  const list: string[] = [];
  const pattern = /\s+|"([^"]*)"|(<=|>=|!=|==|≤|≥|≠|[<>=]|&&)|([^\s<>=!"&]+|[!&])/gy;
  while (pattern.lastIndex < query.length) {
    const at = pattern.lastIndex;
    const m = pattern.exec(query);
    if (!m) return query[at] === '"' ? "a quotation mark is missing" : `${query.slice(at, at + 10)} is not understood`;
    const [, quoted, operator, word] = m;
    if (quoted !== undefined) list.push(`"${quoted}`);
    else if (operator !== undefined) list.push(({ "==": "=", "≤": "<=", "≥": ">=", "≠": "!=", "&&": "and" } as Record<string, string>)[operator] ?? operator);
    else if (word !== undefined) list.push(word);
  }
  return list;
}

const isOperator = (t: string | undefined): boolean => t !== undefined && Object.hasOwn(operators, t);

function containing(word: string): Test {
  const w = word.toLowerCase();
  return (t) => {
    if (/^#\d+$/.test(w)) return `#${t.number}` === w;
    const settings = Object.entries(t.setting).map(([k, v]) => `${k}=${valueText(v)}`);
    return `#${t.number} ${t.state} ${settings.join(" ")} ${t.runner ?? ""} ${t.note ?? ""}`.toLowerCase().includes(w);
  };
}

// compared compares a column with a value. A trial without one is in no comparison.
function compared(column: Column, operator: string, text: string): Test | string {
  const right = text.startsWith('"') ? text.slice(1) : text;
  const n = right.trim() === "" ? NaN : Number(right);
  const holds = operators[operator] as (a: number, b: number) => boolean;
  if (operator !== "=" && operator !== "!=" && !column.numeric) return `${column.name} is no number, so it cannot be ${operator} anything; use = or !=`;
  if (column.numeric && Number.isNaN(n)) return `${column.name} is a number, and ${right} is none`;
  return (t) => {
    const cell = column.cell(t);
    if (cell === null) return false;
    return typeof cell === "number" ? holds(cell, n) : (String(cell).toLowerCase() === right.toLowerCase()) === (operator === "=");
  };
}

export function filterOf(query: string, columns: Column[]): Filter {
  const bad = (error: string): Filter => ({ found: () => true, error });
  const list = tokens(query);
  if (typeof list === "string") return bad(list);
  const named = (name: string) => columns.find((c) => [c.key, `p.${name}` === c.key ? name : "", c.name, ...(c.aliases ?? [])].some((n) => n.toLowerCase() === name.toLowerCase()));
  const tests: Test[] = [];
  for (let k = 0; k < list.length; ) {
    const [word = "", operator, value] = list.slice(k, k + 3);
    if (word.toLowerCase() === "and") {
      if (k === 0 || k === list.length - 1) return bad("something must stand on both sides of and");
      k++;
    } else if (word.toLowerCase() === "or") return bad('or is not known; give it in quotes to look for the word: "or"');
    else if (isOperator(word)) return bad(`a name must stand before ${word}, such as ${columns.find((c) => c.key.startsWith("p."))?.name ?? "value"} ${word} 3`);
    else if (operator === undefined || !isOperator(operator)) {
      tests.push(containing(word.replace(/^"/, "")));
      k++;
    } else {
      const column = named(word.replace(/^"/, ""));
      if (!column) return bad(`there is no ${word}; there are ${columns.map((c) => c.aliases?.[0] ?? c.name).join(", ")}`);
      if (value === undefined || isOperator(value)) return bad(`a value must follow ${operator}`);
      const test = compared(column, operator, value);
      if (typeof test === "string") return bad(test);
      tests.push(test);
      k += 3;
    }
  }
  return { found: (t) => tests.every((test) => test(t)), error: "" };
}
