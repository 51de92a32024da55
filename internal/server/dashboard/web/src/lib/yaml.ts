// The part of YAML that study files are written in: mappings, lists and scalars, in block and in flow style. Every node knows where it
// is in the text, so that a form can change one value and leave all others, and the comments, as they are.

export type Node = Text | Mapping | List;

interface Place {
  from: number;
  to: number;
}

export interface Text extends Place {
  is: "text";
  value: string;
}

export interface Entry extends Place {
  key: string;
  keyTo: number;
  node: Node;
}

export interface Mapping extends Place {
  is: "map";
  flow: boolean;
  indent: number;
  entries: Entry[];
}

export interface List extends Place {
  is: "list";
  items: Node[];
}

interface Line {
  indent: number;
  from: number; // of its first letter
  to: number; // behind its last letter, without a comment
}

// scalarEnd is where a scalar ends: at its quotation mark, or before what cannot be in it.
function scalarEnd(text: string, from: number, stops: RegExp): number {
  const quote = text[from];
  if (quote === '"' || quote === "'") {
    for (let k = from + 1; k < text.length; k++) {
      if (quote === '"' && text[k] === "\\") k++;
      else if (text[k] === quote) {
        if (quote === "'" && text[k + 1] === "'") k++;
        else return k + 1;
      }
    }
    throw new Error("a quotation mark is missing");
  }
  let k = from;
  while (k < text.length && !stops.test(text[k] ?? "") && !(text[k] === ":" && /^[\s,}\]]?$/.test(text[k + 1] ?? "")) && !(text[k] === "#" && /\s/.test(text[k - 1] ?? ""))) k++;
  while (k > from && /\s/.test(text[k - 1] ?? "")) k--;
  return k;
}

function plain(text: string, from: number, to: number): Text {
  const raw = text.slice(from, to);
  if (/^[&*!|>%@`?]/.test(raw)) throw new Error(`${raw.slice(0, 20)} is more than this form understands`);
  const value = raw.startsWith('"') ? (JSON.parse(raw) as string) : raw.startsWith("'") ? raw.slice(1, -1).replaceAll("''", "'") : raw;
  return { is: "text", value, from, to };
}

// linesOf leaves out empty lines and comments.
function linesOf(text: string): Line[] {
  const list: Line[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (line[indent] === "\t") throw new Error("a tab cannot indent");
    let to = line.length;
    for (let k = indent, quote = ""; k < line.length; k++) {
      const c = line[k] ?? "";
      if (quote !== "") quote = c === quote ? "" : quote;
      else if ((c === '"' || c === "'") && /[\s,[{:]|^$/.test(line[k - 1] ?? "")) quote = c;
      else if (c === "#" && (k === 0 || /\s/.test(line[k - 1] ?? ""))) to = Math.min(to, k);
    }
    to = line.slice(0, to).trimEnd().length;
    if (to > indent) list.push({ indent, from: at + indent, to: at + to });
    at += line.length + 1;
  }
  return list;
}

class Reader {
  private k = 0;
  private readonly lines: Line[];
  constructor(private readonly text: string) {
    this.lines = linesOf(text);
  }

  whole(): Node {
    const first = this.lines[0];
    if (!first) return { is: "map", flow: false, indent: 0, entries: [], from: 0, to: this.text.length };
    const node = this.block(first.indent);
    if (this.k < this.lines.length) throw new Error(`line ${this.text.slice(0, this.lines[this.k]?.from).split("\n").length} is not indented like the others`);
    return node;
  }

  private block(indent: number): Node {
    const line = this.lines[this.k] as Line;
    if (/^-(\s|$)/.test(this.text.slice(line.from, line.to))) return this.list(indent);
    const map: Mapping = { is: "map", flow: false, indent, entries: [], from: line.from, to: line.to };
    for (let l = this.lines[this.k]; l && l.indent === indent; l = this.lines[this.k]) {
      const keyTo = scalarEnd(this.text, l.from, /\n/);
      if (this.text[keyTo] !== ":") throw new Error(`${this.text.slice(l.from, l.to).slice(0, 20)} has no colon`);
      const key = plain(this.text, l.from, keyTo).value;
      const node = this.value(keyTo + 1, l, indent);
      map.entries.push({ key, keyTo, node, from: l.from, to: node.to });
      map.to = node.to;
    }
    return map;
  }

  private list(indent: number): Node {
    const list: List = { is: "list", items: [], from: this.lines[this.k]?.from ?? 0, to: 0 };
    for (let l = this.lines[this.k]; l && l.indent === indent && this.text[l.from] === "-"; l = this.lines[this.k]) {
      list.items.push(this.value(l.from + 1, l, indent));
      list.to = list.items[list.items.length - 1]?.to ?? l.to;
    }
    return list;
  }

  // value reads what stands behind a colon or a dash: in the same line, or in the lines below.
  private value(at: number, line: Line, indent: number): Node {
    let from = at;
    while (from < line.to && this.text[from] === " ") from++;
    this.k++;
    if (from >= line.to) {
      const next = this.lines[this.k];
      if (next && next.indent > indent && /[[{]/.test(this.text[next.from] ?? "")) return this.value(next.from, next, indent);
      const dash = next && /^-(\s|$)/.test(this.text.slice(next.from, next.to));
      return next && (next.indent > indent || (dash && next.indent === indent)) ? this.block(next.indent) : { is: "text", value: "", from: at, to: at };
    }
    if (this.text[from] === "{" || this.text[from] === "[") {
      const node = this.flow(from);
      while ((this.lines[this.k]?.from ?? Infinity) < node.to) this.k++;
      return node;
    }
    const to = scalarEnd(this.text, from, /\n/);
    if (to < line.to) throw new Error(`${this.text.slice(from, line.to).slice(0, 30)} is more than this form understands`);
    return plain(this.text, from, to);
  }

  private flow(from: number): Node {
    const open = this.text[from];
    let k = from + 1;
    const skip = () => {
      for (;;) {
        while (/\s/.test(this.text[k] ?? "")) k++;
        if (this.text[k] !== "#") return;
        while (k < this.text.length && this.text[k] !== "\n") k++;
      }
    };
    const one = (): Node => {
      skip();
      if (this.text[k] === "{" || this.text[k] === "[") {
        const node = this.flow(k);
        k = node.to;
        return node;
      }
      const to = scalarEnd(this.text, k, /[,{}[\]\n]/);
      const node = plain(this.text, k, to);
      k = to;
      return node;
    };
    const map: Mapping = { is: "map", flow: true, indent: 0, entries: [], from, to: from };
    const list: List = { is: "list", items: [], from, to: from };
    for (;;) {
      skip();
      const c = this.text[k];
      if (c === undefined) throw new Error(`a ${open === "{" ? "}" : "]"} is missing`);
      if (c === (open === "{" ? "}" : "]")) return open === "{" ? { ...map, to: k + 1 } : { ...list, to: k + 1 };
      if (c === ",") {
        k++;
        continue;
      }
      const begin = k;
      if (open === "[") list.items.push(one());
      else {
        const key = one();
        const keyTo = k;
        skip();
        if (key.is !== "text" || this.text[k] !== ":") throw new Error("a colon is missing in { }");
        k++;
        skip();
        const node: Node = /[,}]/.test(this.text[k] ?? "") ? { is: "text", value: "", from: k, to: k } : one();
        map.entries.push({ key: key.value, keyTo, node, from: begin, to: node.to });
      }
      if (k === begin) throw new Error(`${this.text.slice(k, k + 10)} is not understood`);
    }
  }
}

// readYaml throws an Error that says what the form cannot read.
export const readYaml = (text: string): Node => new Reader(text).whole();

export const entryOf = (n: Node | undefined, key: string): Entry | undefined => (n?.is === "map" ? n.entries.find((e) => e.key === key) : undefined);

export const nodeAt = (n: Node | undefined, path: readonly string[]): Node | undefined => path.reduce<Node | undefined>((m, key) => entryOf(m, key)?.node, n);

// textAt is a scalar as text; "" where there is none.
export const textAt = (n: Node | undefined, ...path: string[]): string => ((m) => (m?.is === "text" ? m.value : ""))(nodeAt(n, path));

const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/;

// listed are the items of a list as they may be written between brackets: 16 is a number, and "16" a text.
export function listed(text: string, n: Node | undefined): string[] {
  const source = (v: Node) => ((raw) => (v.is === "text" && /[,[\]{}]/.test(raw) && !quoted.test(raw) ? JSON.stringify(raw) : raw))(text.slice(v.from, v.to));
  return n?.is === "list" ? n.items.map(source) : [];
}

// listOf writes what stands between commas as a list. Numbers stay numbers, and what is quoted, or was there, stays as it is.
export function listOf(typed: string, was: readonly string[]): string {
  const items = [...typed.matchAll(/\s*((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')?[^,]*)(?:,|$)/g)].map((m) => (m[1] ?? "").trim()).filter((v) => v !== "");
  const asItIs = (v: string) => was.includes(v) || quoted.test(v) || /^[\w.+][\w .+-]*$/.test(v) || /^-?[\d.]+(e[+-]?\d+)?$/i.test(v);
  return `[${items.map((v) => (asItIs(v) ? v : JSON.stringify(v))).join(", ")}]`;
}

// written quotes a text that would be read as something else.
export function written(value: string): string {
  if (/^\[.*\]$/.test(value)) return value; // a list
  return value === "" || /^[\s&*!|>%@`?#"'{}[\],-]|[:#,{}[\]"]|\s$/.test(value.replace(/^-?[\d.]/, "")) ? JSON.stringify(value) : value;
}

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (text: string, at: number): number => ((k) => (k < 0 ? text.length : k + 1))(text.indexOf("\n", at));

// changed sets a value by its keys, adds it where it is missing, and takes it out where it becomes empty. All else stays.
export function changed(text: string, path: readonly string[], value: string): string {
  const key = path[path.length - 1] ?? "";
  const parent = nodeAt(readYaml(text), path.slice(0, -1));
  const entry = entryOf(parent, key);
  if (entry && value === "") return removed(text, parent as Mapping, entry);
  if (entry) return `${text.slice(0, entry.node.from)}${entry.node.from === entry.keyTo + 1 ? " " : ""}${written(value)}${text.slice(entry.node.to)}`;
  return value === "" ? text : added(text, path, `${written(key)}: ${written(value)}`);
}

// added puts an entry, as it is written, at the end of a mapping, which is made if it is missing.
export function added(text: string, path: readonly string[], entry: string): string {
  const parent = nodeAt(readYaml(text), path.slice(0, -1));
  if (parent?.is === "map" && parent.flow) return `${text.slice(0, parent.to - 1).trimEnd()}${parent.entries.length > 0 ? ", " : ""}${entry}${text.slice(parent.to - 1)}`;
  if (parent?.is === "map") {
    const at = parent.entries.length > 0 ? lineEnd(text, parent.to) : text.length;
    return `${text.slice(0, at).replace(/([^\n])$/, "$1\n")}${" ".repeat(parent.indent)}${entry}\n${text.slice(at)}`;
  }
  const above = path.slice(0, -1);
  if (above.length === 0) return `${text.replace(/([^\n])$/, "$1\n")}${entry}\n`;
  const empty = entryOf(nodeAt(readYaml(text), above.slice(0, -1)), above[above.length - 1] ?? "");
  if (empty) return `${text.slice(0, empty.node.from)} {${entry}}${text.slice(empty.node.to)}`;
  return added(text, above, `${written(above[above.length - 1] ?? "")}: {${entry}}`);
}

function removed(text: string, parent: Mapping, entry: Entry): string {
  if (!parent.flow) return text.slice(0, lineStart(text, entry.from)) + text.slice(lineEnd(text, entry.to));
  const after = /^\s*,\s*/.exec(text.slice(entry.to))?.[0].length ?? 0;
  if (after > 0) return text.slice(0, entry.from) + text.slice(entry.to + after);
  return text.slice(0, entry.from).replace(/,\s*$/, "") + text.slice(entry.to);
}

// renamed gives an entry another key.
export function renamed(text: string, path: readonly string[], key: string): string {
  const entry = entryOf(nodeAt(readYaml(text), path.slice(0, -1)), path[path.length - 1] ?? "");
  return entry && key !== "" ? text.slice(0, entry.from) + written(key) + text.slice(entry.keyTo) : text;
}
